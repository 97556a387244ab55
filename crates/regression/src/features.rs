//! The input of a learner: a row of numbers for a position.

use chess::{
    Color, Game,
    encoding::{
        SQUARES,
        input::{InputEncoding, Plane, input_encoding, write_channels},
    },
};
use serde::{Deserialize, Serialize};

use crate::RegressionError;

/// Factor for the piece counts in the classical learners of Knights and Kernels. With it, distances between positions
/// are mostly distances between boards.
const NUMBER_SCALE: f32 = 0.5;

/// The arrangement of planes in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// 64 numbers, each the sum of a square's channels, followed by the encoding's extra numbers, halved. With `knights-6-10`
    /// these are the 74 features of Knights and Kernels: signed piece codes and ten counts.
    #[default]
    Sums,
    /// Every square of every channel, followed by the encoding's extra numbers: a linear model of these is a piece-square
    /// table.
    Planes,
}

/// An input encoding as rows of numbers.
#[derive(Clone, Copy)]
pub struct Features {
    input: &'static dyn InputEncoding,
    layout: Layout,
}

impl Features {
    /// Features of this input encoding.
    ///
    /// # Errors
    /// [`RegressionError::UnknownEncoding`].
    pub fn new(input: &str, layout: Layout) -> Result<Self, RegressionError> {
        Ok(Self { input: input_encoding(input)?, layout })
    }

    /// The name of the input encoding.
    pub fn input(&self) -> &'static str {
        self.input.name()
    }

    /// The arrangement of planes in a row.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Number of last positions of a game on which a row depends.
    pub fn history(&self) -> usize {
        self.input.history()
    }

    /// The side from whose point of view values are predicted.
    pub fn viewer(&self, turn: Color) -> Color {
        self.input.value_viewer(turn)
    }

    /// Pawns for the side to move from the point of view of the features, or the other way round.
    pub(crate) fn seen(&self, game: &Game, pawns: f32) -> f32 {
        if self.viewer(game.turn()) == game.turn() { pawns } else { -pawns }
    }

    /// Length of a row.
    pub fn count(&self) -> usize {
        let boards = match self.layout {
            Layout::Sums => 1,
            Layout::Planes => self.boards(),
        };
        boards * SQUARES + self.input.scalars()
    }

    fn boards(&self) -> usize {
        self.input.channels() - self.input.scalars()
    }

    /// The row of a position.
    ///
    /// # Shapes
    /// `[Features::count]`
    pub fn of(&self, game: &Game) -> Vec<f32> {
        let mut planes = vec![Plane::EMPTY; self.input.planes()];
        self.input.encode(game, &mut planes);
        let mut channels = vec![0.0; self.input.channels() * SQUARES];
        write_channels(self.input, &planes, &mut channels);
        let (boards, numbers) = channels.split_at(self.boards() * SQUARES);
        let (mut row, scale) = match self.layout {
            Layout::Planes => (boards.to_vec(), 1.0),
            Layout::Sums => (sums(boards), NUMBER_SCALE),
        };
        row.extend(numbers.chunks_exact(SQUARES).map(|number| scale * number[0]));
        row
    }
}

/// The sum of each square over all boards.
fn sums(boards: &[f32]) -> Vec<f32> {
    let mut sums = vec![0.0; SQUARES];
    for board in boards.chunks_exact(SQUARES) {
        for (sum, value) in sums.iter_mut().zip(board) {
            *sum += value;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use chess::encoding::input::INPUTS;

    use super::*;

    #[test]
    fn knights_and_kernels_saw_74_numbers() {
        let features = Features::new("knights-6-10", Layout::Sums).unwrap();
        assert_eq!(features.count(), 74);
        let row = features.of(&Game::default());
        // Starting at a8: Black's rook is -4, its queen -5, its king -6; White's pawns are 1.
        assert_eq!(row[..5], [-4.0, -2.0, -3.0, -5.0, -6.0]);
        assert_eq!((row[8], row[20], row[48], row[60]), (-1.0, 0.0, 1.0, 6.0));
        assert_eq!(row[64..69], [0.5, 1.5, 1.55, 2.5, 4.5]);
        assert_eq!(row[69..], row[64..69].iter().map(|count| -count).collect::<Vec<_>>());
    }

    #[test]
    fn every_encoding_has_rows_of_the_length_it_says() {
        let games = chess::laws::sample_games(3, 30);
        for input in INPUTS {
            for layout in [Layout::Sums, Layout::Planes] {
                let features = Features::new(input.name(), layout).unwrap();
                for game in &games {
                    assert_eq!(features.of(game).len(), features.count(), "{} {layout:?}", input.name());
                }
            }
        }
        assert!(Features::new("no-such", Layout::Sums).is_err());
    }
}
