//! The channels of an encoding as boards and numbers, to show people the input of a network.

use std::fmt::Write as _;

use super::{InputEncoding, Plane, input::write_channels};
use crate::Game;

/// Number of channels side by side.
const ACROSS: usize = 4;

/// The input of a network for a position, in White's view or the mover's, depending on the encoding.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Channels that are not zero everywhere, with their squares in the order of a printed diagram: the last rank of that
    /// view first.
    pub boards: Vec<(usize, [f32; 64])>,
    /// Channels that are zero everywhere.
    pub empty: Vec<usize>,
    /// Channels that belong to no square, with their numbers.
    pub numbers: Vec<(usize, f32)>,
}

impl Seen {
    /// The network's input for the last position of a game.
    pub fn new(encoding: &dyn InputEncoding, game: &Game) -> Self {
        let mut planes = vec![Plane::EMPTY; encoding.planes()];
        encoding.encode(game, &mut planes);
        let mut tensor = vec![0.0; encoding.channels() * 64];
        write_channels(encoding, &planes, &mut tensor);
        let mut seen = Self { boards: Vec::new(), empty: Vec::new(), numbers: Vec::new() };
        let first_number = encoding.channels() - encoding.scalars();
        for (number, channel) in tensor.as_chunks::<64>().0.iter().enumerate() {
            if number >= first_number {
                seen.numbers.push((number, channel[0]));
            } else if channel.iter().all(|&value| value == 0.0) {
                seen.empty.push(number);
            } else {
                seen.boards.push((number, printed(channel, encoding.begins_with_a8())));
            }
        }
        seen
    }
}

/// Squares with the last rank first.
fn printed(squares: &[f32; 64], begins_with_a8: bool) -> [f32; 64] {
    // In a number from 0 to 63 the rank is the upper three bits.
    std::array::from_fn(|at| squares[if begins_with_a8 { at } else { at ^ 0b11_1000 }])
}

/// Draws the input of a network for a position: its channels as boards, from White's view or the mover's, depending on
/// the encoding, with the first rank of that view at the bottom; numbers next to the board and empty channels in a line
/// each.
pub fn picture(encoding: &dyn InputEncoding, game: &Game) -> String {
    let Seen { boards, empty, numbers } = Seen::new(encoding, game);
    let mut text = format!(
        "{}: {} planes; boards: {}, numbers: {}\n{}\n",
        encoding.name(),
        encoding.planes(),
        encoding.channels() - encoding.scalars(),
        encoding.scalars(),
        game.fen()
    );
    for row in boards.chunks(ACROSS) {
        let blocks: Vec<[String; 9]> =
            row.iter().map(|(number, squares)| block(&encoding.channel_name(*number), squares)).collect();
        text.push('\n');
        for line in 0..9 {
            let parts: Vec<&str> = blocks.iter().map(|block| block[line].as_str()).collect();
            text.push_str(parts.join("    ").trim_end());
            text.push('\n');
        }
    }
    if !empty.is_empty() {
        let names: Vec<String> = empty.iter().map(|&number| encoding.channel_name(number)).collect();
        let _ = write!(text, "\nzero everywhere: {}\n", names.join("; "));
    }
    if !numbers.is_empty() {
        let mut texts = Vec::new();
        for &(channel, value) in &numbers {
            let value = if value == 0.0 { "0".into() } else { shown(value) };
            texts.push(format!("{} = {value}", encoding.channel_name(channel)));
        }
        let _ = write!(text, "\nnumbers: {}\n", texts.join("; "));
    }
    text
}

/// A title and eight ranks, all equally wide.
fn block(title: &str, squares: &[f32; 64]) -> [String; 9] {
    let texts: Vec<String> = squares.iter().map(|&value| shown(value)).collect();
    let width = texts.iter().map(String::len).max().unwrap_or(1);
    let whole = (8 * (width + 1) - 1).max(title.chars().count());
    std::array::from_fn(|line| {
        if line == 0 {
            return format!("{title:<whole$}");
        }
        let cells: Vec<String> =
            texts[8 * (line - 1)..8 * line].iter().map(|text| format!("{text:>width$}")).collect();
        format!("{:<whole$}", cells.join(" "))
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
            // The name of the encoding, the position and an empty line come first, then the names of the planes.
            let boards = &lines[4..12];
            let leftmost = boards[6].split("    ").next().unwrap();
            assert_eq!(leftmost.split_whitespace().filter(|cell| *cell == "1").count(), 1, "{text}");
        }
    }

    #[test]
    fn channels_have_names_of_their_own() {
        for encoding in INPUTS {
            let names: Vec<String> =
                (0..encoding.channels()).map(|channel| encoding.channel_name(channel)).collect();
            let mut different = names.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), names.len(), "{}: {names:?}", encoding.name());
        }
        let name = |encoding: &str, channel| {
            crate::encoding::input::input_encoding(encoding).unwrap().channel_name(channel)
        };
        assert_eq!(name("tabiya", 15), "their castling queen-side");
        assert_eq!(name("tabiya-attacks", 41), "rooks check own king from here");
        assert_eq!(name("tabiya-rated-moves", 24), "their last move: to");
        assert_eq!(name("lc0-112", 19), "their pawns, 1 ply ago");
        assert_eq!(name("knights-6-10", 15), "Black's queens left");
    }

    #[test]
    fn signed_channels_numbers_and_empty_ones_are_told() {
        let knights = crate::encoding::input::input_encoding("knights-1-2").unwrap();
        let text = drawn(knights, "4k3/8/8/8/8/8/4P3/R3K3 b - - 0 1");
        let expected = "\
knights-1-2: 14 planes; boards: 1, numbers: 2
4k3/8/8/8/8/8/4P3/R3K3 b - - 0 1

pieces
 .  .  .  . -6  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .
 .  .  .  .  1  .  .  .
 4  .  .  .  6  .  .  .

numbers: White to move = 0; check = 0
";
        assert_eq!(text, expected);
        let aichess = crate::encoding::input::input_encoding("aichess-13").unwrap();
        let text = drawn(aichess, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        assert!(text.contains("zero everywhere: White's knights; White's bishops; "), "{text}");
    }
}
