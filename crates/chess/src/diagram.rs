//! Diagrams of a position, as text, and drawings as SVG.

pub mod svg;

use shakmaty::{Chess, Color, File, Move, Piece, Position, Rank, Role, Square};

/// Options for drawing a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Letters or symbols for the pieces.
    pub pieces: PieceStyle,
    /// The side at the bottom.
    pub bottom: Color,
}

/// Letters or chess symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceStyle {
    /// `K` is White's king, `k` Black's: readable on every terminal.
    Ascii,
    /// ♔ is White's king, ♚ Black's.
    Unicode,
}

/// Draws the position in ten lines: files, ranks 8 to 1, files. The squares that `last` left and reached are bracketed.
pub fn draw(position: &Chess, drawing: Drawing, last: Option<Move>) -> Vec<String> {
    let (mut files, mut ranks): (Vec<File>, Vec<Rank>) = (File::ALL.to_vec(), Rank::ALL.to_vec());
    match drawing.bottom {
        Color::White => ranks.reverse(),
        Color::Black => files.reverse(),
    }
    let marked = last.map(marked_squares).unwrap_or_default();
    let names: Vec<String> = files.iter().map(ToString::to_string).collect();
    let legend = format!("   {}", names.join("  "));

    let mut lines = vec![legend.clone()];
    for rank in ranks {
        let squares: String = files
            .iter()
            .map(|file| Square::from_coords(*file, rank))
            .map(|square| {
                let piece = piece_character(position.board().piece_at(square), drawing.pieces);
                if marked.contains(&square) { format!("[{piece}]") } else { format!(" {piece} ") }
            })
            .collect();
        lines.push(format!("{rank} {squares} {rank}"));
    }
    lines.push(legend);
    lines
}

fn marked_squares(chess_move: Move) -> Vec<Square> {
    match chess_move {
        Move::Castle { king, rook } => {
            let to = if rook > king { File::G } else { File::C };
            vec![king, Square::from_coords(to, king.rank())]
        }
        other => other.from().into_iter().chain([other.to()]).collect(),
    }
}

fn piece_character(piece: Option<Piece>, style: PieceStyle) -> char {
    let Some(piece) = piece else { return '.' };
    if style == PieceStyle::Ascii {
        return piece.char();
    }
    let (white, black) = match piece.role {
        Role::King => ('♔', '♚'),
        Role::Queen => ('♕', '♛'),
        Role::Rook => ('♖', '♜'),
        Role::Bishop => ('♗', '♝'),
        Role::Knight => ('♘', '♞'),
        Role::Pawn => ('♙', '♟'),
    };
    piece.color.fold_wb(white, black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    fn drawn(moves: &[&str], drawing: Drawing) -> String {
        let mut game = Game::default();
        for text in moves {
            game.play_uci(text).unwrap();
        }
        draw(game.position(), drawing, game.moves().last().copied()).join("\n")
    }

    #[test]
    fn white_at_the_bottom_with_the_last_move_marked() {
        let drawing = Drawing { pieces: PieceStyle::Ascii, bottom: Color::White };
        let expected = [
            "   a  b  c  d  e  f  g  h",
            "8  r  n  b  q  k  b  n  r  8",
            "7  p  p  p  p  p  p  p  p  7",
            "6  .  .  .  .  .  .  .  .  6",
            "5  .  .  .  .  .  .  .  .  5",
            "4  .  .  .  . [P] .  .  .  4",
            "3  .  .  .  .  .  .  .  .  3",
            "2  P  P  P  P [.] P  P  P  2",
            "1  R  N  B  Q  K  B  N  R  1",
            "   a  b  c  d  e  f  g  h",
        ];
        assert_eq!(drawn(&["e2e4"], drawing), expected.join("\n"));
    }

    #[test]
    fn black_at_the_bottom_turns_the_board() {
        let drawing = Drawing { pieces: PieceStyle::Unicode, bottom: Color::Black };
        let text = drawn(&[], drawing);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "   h  g  f  e  d  c  b  a");
        assert_eq!(lines[1], "1  ♖  ♘  ♗  ♔  ♕  ♗  ♘  ♖  1");
        assert_eq!(lines[8], "8  ♜  ♞  ♝  ♚  ♛  ♝  ♞  ♜  8");
    }

    #[test]
    fn castling_marks_where_the_king_went() {
        let drawing = Drawing { pieces: PieceStyle::Ascii, bottom: Color::White };
        let text = drawn(&["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1g1"], drawing);
        assert!(text.contains("1  R  N  B  Q [.] R [K] .  1"), "{text}");
    }
}
