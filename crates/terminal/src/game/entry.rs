//! Input of the terminal game: commands and moves.

use chess::{Game, Move, parse_san, parse_uci_move, print_san};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Play(Move),
    /// A command such as `undo`.
    Do(Request),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    Undo,
    Hint,
    Flip,
    Moves,
    Fen,
    Evaluate,
    Draw,
    Resign,
    New,
    Save,
    Quit,
}

/// Every command with its description; `help` prints this list.
pub(crate) const REQUESTS: &[(&str, Request, &str)] = &[
    ("help", Request::Help, "this list"),
    ("undo", Request::Undo, "take back your last move"),
    ("hint", Request::Hint, "what the engine would play for you"),
    ("flip", Request::Flip, "turn the board"),
    ("moves", Request::Moves, "your legal moves"),
    ("fen", Request::Fen, "the position as FEN"),
    ("eval", Request::Evaluate, "what the engine thinks of the position"),
    ("draw", Request::Draw, "claim a draw by threefold repetition or the fifty-move rule"),
    ("resign", Request::Resign, "give up"),
    ("new", Request::New, "begin a new game"),
    ("save", Request::Save, "say where the game is kept"),
    ("quit", Request::Quit, "leave; the game stays in its file"),
];

/// Reads a line: a command, a move in SAN or a UCI move. An error is the sentence to show.
pub(crate) fn read(line: &str, game: &Game) -> Result<Entry, String> {
    let text = line.trim();
    let lower = text.to_ascii_lowercase();
    if let Some((_, request, _)) = REQUESTS.iter().find(|(name, ..)| *name == lower) {
        return Ok(Entry::Do(*request));
    }
    // SAN first: it is what people type, and its error says what is wrong with a move. A line that is no UCI move either gets that error.
    // UCI is read in lower case, but not SAN, where `b` is a file and `B` a bishop.
    let position = game.position();
    let san = match parse_san(position, text) {
        Ok(chess_move) => return Ok(Entry::Play(chess_move)),
        Err(error) => error,
    };
    parse_uci_move(position, &lower).map(Entry::Play).map_err(|_| explain(text, &san, game))
}

fn explain(text: &str, error: &chess::NotationError, game: &Game) -> String {
    if let chess::NotationError::AmbiguousMove { candidates, .. } = error {
        return format!("{text} is ambiguous: {candidates}?");
    }
    let near = similar(text, game);
    if near.is_empty() {
        return format!(
            "{text:?} is not a legal move or command here; `moves` lists the moves, `help` the commands."
        );
    }
    format!("{text:?} is not a legal move here; did you mean {}?", near.join(" or "))
}

/// Legal moves to the square that the text ends with, or that differ from it only in case.
fn similar(text: &str, game: &Game) -> Vec<String> {
    let wanted = text.trim_end_matches(['+', '#', '!', '?']).to_ascii_lowercase();
    let square = wanted.get(wanted.len().saturating_sub(2)..).unwrap_or_default();
    let names = game.legal_moves().into_iter().map(|chess_move| print_san(game.position(), chess_move));
    names
        .filter(|name| {
            let bare = name.trim_end_matches(['+', '#']).to_ascii_lowercase();
            bare == wanted || (square.len() == 2 && bare.ends_with(square))
        })
        .take(4)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_both_notations_and_commands_in_any_case() {
        let game = Game::default();
        let san = read("Nf3", &game).unwrap();
        assert_eq!(san, read(" g1f3 ", &game).unwrap());
        assert!(matches!(san, Entry::Play(_)));
        assert_eq!(read("UNDO", &game), Ok(Entry::Do(Request::Undo)));
    }

    #[test]
    fn a_slip_is_answered_with_what_was_probably_meant() {
        let game = Game::default();
        assert!(read("nf3", &game).unwrap_err().contains("Nf3"));
        assert!(read("e5", &game).unwrap_err().contains("`moves`"));
        assert!(read("", &game).is_err());
        assert!(read("♞", &game).is_err());
    }

    #[test]
    fn an_ambiguous_move_names_its_candidates() {
        let game = Game::from_fen("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", chess::CastlingMode::Standard).unwrap();
        let free = Game::from_fen("4k3/8/8/8/8/4K3/8/R6R w - - 0 1", chess::CastlingMode::Standard).unwrap();
        assert!(read("Rd1", &game).is_ok());
        let message = read("Rd1", &free).unwrap_err();
        assert!(message.contains("Rad1") && message.contains("Rhd1"), "{message}");
    }
}
