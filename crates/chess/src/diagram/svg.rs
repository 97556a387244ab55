//! Drawings as SVG files: a board with arrows, the planes of an encoding, a search tree.
//!
//! Pieces are the chess symbols of Unicode, which every common font has. Lengths are in pixels.

mod canvas;
mod tree;

use shakmaty::{Chess, Color, File, Move, Position, Rank, Role, Square};

use self::canvas::{Canvas, Pair};
use super::marked_squares;
use crate::{
    Game,
    encoding::{InputEncoding, picture::Seen},
};

pub use tree::tree;

/// The side of a square of a board with pieces.
const SQUARE: f32 = 45.0;
/// The frame with the names of files and ranks.
const FRAME: f32 = 22.0;
const LIGHT: &str = "#f0d9b5";
const DARK: &str = "#b58863";
const ARROW: &str = "#15781b";
/// The least share of a move that has an arrow of its own.
const LEAST_SHARE: f32 = 0.02;

/// Draws the position with the side `bottom` at the bottom, and an arrow for each move, as wide as its share, from 0 to 1, with the
/// share in percent. `title` stands below the board.
pub fn board(position: &Chess, bottom: Color, moves: &[(Move, f32)], title: &str) -> String {
    let side = 8.0 * SQUARE + 2.0 * FRAME;
    let mut canvas = Canvas::new((side, side + FRAME));
    for square in Square::ALL {
        let (x, y) = corner(square, bottom);
        canvas.rectangle((x, y), (SQUARE, SQUARE), if square.is_light() { LIGHT } else { DARK }, 1.0);
    }
    for place in 0..8_u32 {
        let (file, rank) = (File::new(place), Rank::new(place));
        let (x, _) = corner(Square::from_coords(file, Rank::First), bottom);
        let (_, y) = corner(Square::from_coords(File::A, rank), bottom);
        canvas.text((x + SQUARE / 2.0, side - FRAME / 2.0), 12.0, &file.to_string());
        canvas.text((FRAME / 2.0, y + SQUARE / 2.0), 12.0, &rank.to_string());
    }
    for (square, piece) in position.board().clone() {
        let symbol = match piece.role {
            Role::King => '♚',
            Role::Queen => '♛',
            Role::Rook => '♜',
            Role::Bishop => '♝',
            Role::Knight => '♞',
            Role::Pawn => '♟',
        };
        canvas.piece(middle(square, bottom), 0.85 * SQUARE, symbol, piece.color.is_white());
    }
    // The likeliest move lies on top.
    let mut drawn: Vec<&(Move, f32)> = moves.iter().filter(|(_, share)| *share >= LEAST_SHARE).collect();
    drawn.sort_by(|one, other| one.1.total_cmp(&other.1));
    for &(chess_move, share) in drawn {
        if let [from, to] = marked_squares(chess_move)[..] {
            canvas.arrow(middle(from, bottom), middle(to, bottom), 3.0 + 9.0 * share, ARROW);
            canvas.label(middle(to, bottom), &format!("{:.0}", 100.0 * share));
        }
    }
    canvas.text((side / 2.0, side + FRAME / 2.0), 12.0, title);
    canvas.finish()
}

/// The left upper corner of a square.
fn corner(square: Square, bottom: Color) -> Pair {
    let (file, rank) = (u32::from(square.file()) as f32, u32::from(square.rank()) as f32);
    let (column, row) = bottom.fold_wb((file, 7.0 - rank), (7.0 - file, rank));
    (FRAME + column * SQUARE, FRAME + row * SQUARE)
}

fn middle(square: Square, bottom: Color) -> Pair {
    let (x, y) = corner(square, bottom);
    (x + SQUARE / 2.0, y + SQUARE / 2.0)
}

/// The side of a square of a plane.
const CELL: f32 = 18.0;
/// Planes side by side.
const ACROSS: usize = 4;
/// The distance between two planes, with room for a name above.
const GAP: f32 = 26.0;

/// Draws the input of a network for a position: each plane that is not zero everywhere as a board, the last rank of its view at the
/// top, darker for larger numbers and red for negative ones; below, the numbers next to the board and the names of empty planes.
pub fn planes(encoding: &dyn InputEncoding, game: &Game) -> String {
    let Seen { boards, empty, numbers } = Seen::new(encoding, game);
    let side = 8.0 * CELL;
    let rows = boards.len().div_ceil(ACROSS);
    let names: Vec<String> = empty.iter().map(|&channel| encoding.channel_name(channel)).collect();
    let beside =
        numbers.iter().map(|&(channel, value)| format!("{}: {value}", encoding.channel_name(channel)));
    let mut lines = vec![format!("{} in {}", encoding.name(), game.fen())];
    lines.extend(beside);
    lines.extend(names.chunks(2 * ACROSS).map(|names| format!("zero everywhere: {}", names.join("; "))));
    let width = ACROSS as f32 * (side + GAP) + GAP;
    let height = rows as f32 * (side + GAP) + GAP;
    let mut canvas = Canvas::new((width, height + 16.0 * lines.len() as f32));
    for (place, (channel, squares)) in boards.iter().enumerate() {
        let left = GAP + (place % ACROSS) as f32 * (side + GAP);
        let top = GAP + (place / ACROSS) as f32 * (side + GAP);
        canvas.text((left + side / 2.0, top - 10.0), 11.0, &encoding.channel_name(*channel));
        let most = squares.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
        for (at, &value) in squares.iter().enumerate() {
            let corner = (left + (at % 8) as f32 * CELL, top + (at / 8) as f32 * CELL);
            canvas.rectangle(
                corner,
                (CELL, CELL),
                if (at / 8 + at % 8) % 2 == 0 { "#fff" } else { "#eee" },
                1.0,
            );
            let colour = if value < 0.0 { "#b3261e" } else { "#1f4e8c" };
            canvas.rectangle(corner, (CELL, CELL), colour, value.abs() / most);
        }
    }
    for (number, line) in lines.iter().enumerate() {
        canvas.line_of_text((GAP, height + 16.0 * number as f32), 11.0, line);
    }
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{encoding::input::input_encoding, parse_uci_move};

    #[test]
    fn a_board_has_its_pieces_its_arrows_and_a_title() {
        let game = Game::default();
        let moves = ["e2e4", "d2d4", "a2a3"].map(|text| parse_uci_move(game.position(), text).unwrap());
        let shares = [0.5, 0.25, 0.01];
        let moves: Vec<(Move, f32)> = moves.into_iter().zip(shares).collect();
        let white = board(game.position(), Color::White, &moves, "a < b & c");
        assert_eq!(white.matches("<rect").count(), 64 + 2, "64 squares, two labels");
        assert_eq!((white.matches('♟').count(), white.matches('♚').count()), (16, 2));
        assert_eq!(white.matches("<line").count(), 2, "1 % has no arrow");
        assert!(white.contains(">50<") && white.contains("a &lt; b &amp; c"), "{white}");
        assert_ne!(white, board(game.position(), Color::Black, &moves, "a < b & c"));
        assert!(white.starts_with("<svg xmlns") && white.ends_with("</svg>\n"));
    }

    #[test]
    fn planes_have_names_and_the_colour_of_their_sign() {
        let game = Game::default();
        let drawn = planes(input_encoding("knights-1-2").unwrap(), &game);
        assert!(drawn.contains("#b3261e") && drawn.contains("#1f4e8c"), "{drawn}");
        let drawn = planes(input_encoding("knights-6-10").unwrap(), &game);
        assert!(drawn.contains("Black's queens left: "), "{drawn}");
        let empty =
            Game::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", shakmaty::CastlingMode::Standard).unwrap();
        assert!(planes(input_encoding("aichess-13").unwrap(), &empty).contains("zero everywhere: "));
    }
}
