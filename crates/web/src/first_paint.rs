//! The board that is in the document before any script runs, so that a slow connection shows a position at once.

use std::{collections::HashMap, fmt::Write as _};

use axum::{extract::Query, http::Uri};
use chess::{
    Color, Game, Position as _, print_uci_move,
    shakmaty::{File, Rank, Role, Square},
};

use crate::app::App;

/// The screens that show a board, by the first part of their addresses.
const BOARD_SCREENS: [&str; 3] = ["", "play", "analyse"];

/// The board of the first paint.
pub(crate) struct FirstBoard {
    game: Game,
    bottom: Color,
    screen: BoardScreen,
}

/// The screen of the page that the board is painted for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoardScreen {
    /// The form of a new game.
    Start,
    Game,
    Analysis,
}

impl FirstBoard {
    /// The board of an address; `None` if its screen has none or the address does not name a position. The
    /// script then shows the error.
    pub(crate) async fn of_address(uri: &Uri, app: &App) -> Option<Self> {
        let mut parts = uri.path().trim_matches('/').split('/');
        let screen = parts.next().unwrap_or_default();
        if !BOARD_SCREENS.contains(&screen) {
            return None;
        }
        let Query(query) = Query::<HashMap<String, String>>::try_from_uri(uri).ok()?;
        let Some(id) = parts.next().map(str::to_owned) else {
            let screen = if screen == "analyse" { BoardScreen::Analysis } else { BoardScreen::Start };
            return Some(Self { screen, ..Self::of_query(&query)? });
        };
        let view = app.blocking(move |app| Ok(app.games.find(&id)?.view())).await.ok()?;
        let person = Color::from(view.person);
        // The analysis of a stored game begins at its first move.
        let (fen, bottom, screen) = if screen == "play" {
            (&view.fen, person, BoardScreen::Game)
        } else {
            (&view.start_fen, Color::White, BoardScreen::Analysis)
        };
        Some(Self { game: Game::from_any_fen(fen).ok()?, bottom, screen })
    }

    fn of_query(query: &HashMap<String, String>) -> Option<Self> {
        let mut game = match query.get("fen") {
            Some(fen) => Game::from_any_fen(fen).ok()?,
            None => Game::default(),
        };
        let moves = query.get("moves").map(String::as_str).unwrap_or_default();
        // The address of a game names all its moves, and how many of them are on the board.
        let shown = query.get("ply").and_then(|ply| ply.parse().ok()).unwrap_or(usize::MAX);
        for uci in moves.split(',').filter(|uci| !uci.is_empty()).take(shown) {
            game.play_uci(uci).ok()?;
        }
        Some(Self {
            game,
            bottom: Color::from_white(!query.contains_key("flip")),
            screen: BoardScreen::Start,
        })
    }

    /// The classes of its screen, on which the position of the board depends.
    pub(crate) fn layout(&self) -> &'static str {
        // The layout names used by `play/board-screen.tsx`.
        if self.screen == BoardScreen::Analysis { "analysis with-side" } else { "game" }
    }

    /// The first moves that the document accepts before any script of the page has loaded (`ui/src/first/first-move.ts`), as an
    /// attribute: White's moves on the board of a new game except promotions, which need a choice of piece. Empty on every other
    /// screen.
    pub(crate) fn moves(&self) -> String {
        let position = self.game.position();
        let is_whites = position.turn() == Color::White && self.bottom == Color::White;
        if self.screen != BoardScreen::Start || !is_whites {
            return String::new();
        }
        let mut moves = Vec::new();
        for chess_move in self.game.legal_moves() {
            if !chess_move.is_promotion() {
                moves.push(print_uci_move(chess_move, self.game.castling_mode()));
            }
        }
        format!(" data-moves=\"{}\"", moves.join(" "))
    }

    /// 64 elements, row by row from the reader's upper left corner, in the classes of the board's own pieces.
    pub(crate) fn html(&self) -> String {
        let mut html = String::new();
        // The script that replaces this board puts its pieces at the same places, so the order is that of the eye, not of the squares.
        for row in 0..8 {
            for column in 0..8 {
                let (file, rank) = self.bottom.fold_wb((column, 7 - row), (7 - column, row));
                let square = Square::from_coords(File::new(file), Rank::new(rank));
                let class = self.game.position().board().piece_at(square).map_or(String::new(), |piece| {
                    format!(" class=\"{} {}\"", role_name(piece.role), piece.color.fold_wb("white", "black"))
                });
                write!(html, "<piece{class}></piece>").expect("a String takes everything");
            }
        }
        html
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(pairs: &[(&str, &str)]) -> Option<Vec<String>> {
        let query = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let html = FirstBoard::of_query(&query)?.html();
        Some(html.split("</piece>").map(|cell| cell.replace("<piece", "")).collect())
    }

    #[test]
    fn squares_come_in_the_order_of_the_eye() {
        let start = board(&[]).unwrap();
        assert_eq!(start.len(), 65);
        assert_eq!(start[0], " class=\"rook black\">");
        assert_eq!(start[3], " class=\"queen black\">");
        assert_eq!(start[60], " class=\"king white\">");
        assert_eq!(start[32], ">");
        let turned = board(&[("flip", "1"), ("moves", "e2e4")]).unwrap();
        assert_eq!(turned[0], " class=\"rook white\">");
        assert_eq!(turned[3], " class=\"king white\">");
        assert_eq!(turned[3 * 8 + 3], " class=\"pawn white\">");
    }

    #[test]
    fn only_whites_first_moves_on_the_board_of_a_new_game_are_named() {
        let named = |fen: &str, screen| {
            let game = Game::from_any_fen(fen).unwrap();
            FirstBoard { game, bottom: Color::White, screen }.moves()
        };
        let start = named("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", BoardScreen::Start);
        let moves = start.strip_prefix(" data-moves=\"").and_then(|rest| rest.strip_suffix('"')).unwrap();
        assert_eq!(moves.split(' ').count(), 20);
        assert!(moves.split(' ').any(|uci| uci == "e2e4"), "{moves}");
        assert_eq!(named("7k/P7/8/8/8/8/8/K7 w - - 0 1", BoardScreen::Start).matches("a7a8").count(), 0);
        assert_eq!(named("7k/8/8/8/8/8/8/K7 b - - 0 1", BoardScreen::Start), "");
        assert_eq!(named("7k/8/8/8/8/8/8/K7 w - - 0 1", BoardScreen::Analysis), "");
    }

    #[test]
    fn addresses_that_name_no_position_have_no_board() {
        for pair in [("fen", "nonsense"), ("moves", "e2e5"), ("moves", "x")] {
            assert!(board(&[pair]).is_none(), "{pair:?}");
        }
        let found = board(&[("fen", "7k/8/8/8/8/8/8/K7 w - - 0 1")]).unwrap();
        assert_eq!(found.iter().filter(|cell| cell.contains("class")).count(), 2);
    }
}
