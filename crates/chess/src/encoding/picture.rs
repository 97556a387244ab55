//! The channels of an encoding as text, for people who want to see what a network sees.

use std::fmt::Write as _;

use super::{InputEncoding, Plane, input::write_channels};
use crate::Game;

/// Channels beside each other.
const ACROSS: usize = 4;

/// Draws what a network with this input sees of a position: its channels as boards, White's view or the mover's as the encoding
/// has it, with the first rank of that view at the bottom; numbers beside the board and empty channels in a line each.
pub fn picture(encoding: &dyn InputEncoding, game: &Game) -> String {
    let mut planes = vec![Plane::EMPTY; encoding.planes()];
    encoding.encode(game, &mut planes);
    let mut tensor = vec![0.0; encoding.channels() * 64];
    write_channels(encoding, &planes, &mut tensor);
    let boards = encoding.channels() - encoding.scalars();
    let channel = |number: usize| &tensor[64 * number..64 * (number + 1)];
    let is_empty = |&number: &usize| channel(number).iter().all(|&value| value == 0.0);
    let (empty, drawn): (Vec<usize>, Vec<usize>) = (0..boards).partition(is_empty);
    let mut text = format!(
        "{}: {} planes; boards: {boards}, numbers: {}\n{}\n",
        encoding.name(),
        encoding.planes(),
        encoding.scalars(),
        game.fen()
    );
    for row in drawn.chunks(ACROSS) {
        let blocks: Vec<[String; 9]> =
            row.iter().map(|&number| block(number, channel(number), encoding.begins_with_a8())).collect();
        text.push('\n');
        for line in 0..9 {
            let parts: Vec<&str> = blocks.iter().map(|block| block[line].as_str()).collect();
            text.push_str(parts.join("    ").trim_end());
            text.push('\n');
        }
    }
    if !empty.is_empty() {
        let numbers: Vec<String> = empty.iter().map(ToString::to_string).collect();
        let _ = write!(text, "\nzero everywhere: {}\n", numbers.join(", "));
    }
    if encoding.scalars() > 0 {
        let numbers: Vec<String> = (boards..encoding.channels())
            .map(|number| format!("{number} = {}", shown(channel(number)[0])))
            .collect();
        let _ = write!(text, "\nnumbers: {}\n", numbers.join(", "));
    }
    text
}

/// A title and eight ranks, all equally wide.
fn block(number: usize, squares: &[f32], begins_with_a8: bool) -> [String; 9] {
    let texts: Vec<String> = squares.iter().map(|&value| shown(value)).collect();
    let width = texts.iter().map(String::len).max().unwrap_or(1);
    let whole = 8 * (width + 1) - 1;
    std::array::from_fn(|line| {
        if line == 0 {
            return format!("{:<whole$}", format!("channel {number}"));
        }
        let rank = if begins_with_a8 { line - 1 } else { 8 - line };
        let cells: Vec<String> =
            texts[8 * rank..8 * rank + 8].iter().map(|text| format!("{text:>width$}")).collect();
        cells.join(" ")
    })
}

/// A dot for zero, whole numbers as they are, others with two places.
fn shown(value: f32) -> String {
    if value == 0.0 {
        ".".into()
    } else if value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::encoding::INPUTS;

    fn drawn(encoding: &dyn InputEncoding, fen: &str) -> String {
        picture(encoding, &Game::from_fen(fen, CastlingMode::Standard).unwrap())
    }

    #[test]
    fn every_encoding_shows_whites_pawns_on_the_second_line_from_below() {
        for encoding in INPUTS {
            // After the move, catfish-12 sees the side that has moved.
            let turn = if encoding.name() == "catfish-12" { 'b' } else { 'w' };
            let text = drawn(*encoding, &format!("4k3/8/8/8/8/8/4P3/4K3 {turn} - - 0 1"));
            let lines: Vec<&str> = text.lines().collect();
            let first = lines.iter().position(|line| line.starts_with("channel ")).unwrap();
            let boards = &lines[first + 1..first + 9];
            let leftmost = boards[6].split("    ").next().unwrap();
            assert_eq!(leftmost.split_whitespace().filter(|cell| *cell == "1").count(), 1, "{text}");
        }
    }

    #[test]
    fn signed_channels_numbers_and_empty_ones_are_told() {
        let knights = crate::encoding::input::input_encoding("knights-1-2").unwrap();
        let text = drawn(knights, "4k3/8/8/8/8/8/4P3/R3K3 b - - 0 1");
        let expected = "\
knights-1-2: 14 planes; boards: 1, numbers: 2
4k3/8/8/8/8/8/4P3/R3K3 b - - 0 1

channel 0
 .  .  .  . -6  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  1  .  .  .
 4  .  .  .  6  .  .  .

numbers: 1 = ., 2 = .
";
        assert_eq!(text, expected);
        let aichess = crate::encoding::input::input_encoding("aichess-13").unwrap();
        let text = drawn(aichess, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        assert!(text.contains("zero everywhere: 1, 2, 3, 4, 6, 7, 8, 9, 10\n"), "{text}");
    }
}
