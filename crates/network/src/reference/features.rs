//! What flows between layers: one vector of channels for each square.

use chess::encoding::Plane;

/// Number of squares.
pub(super) const SQUARES: usize = 64;

/// Numbers on the board, `[64 squares][channels]`, square 0 = a1 as the side to move sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Features {
    pub(super) channels: usize,
    pub(super) values: Vec<f32>,
}

impl Features {
    /// Spreads encoded planes over the board.
    pub(super) fn from_planes(planes: &[Plane]) -> Self {
        let channels = planes.len();
        let mut values = vec![0.0; SQUARES * channels];
        for (channel, plane) in planes.iter().enumerate() {
            for square in (0..SQUARES).filter(|square| plane.mask >> square & 1 == 1) {
                values[square * channels + channel] = plane.value;
            }
        }
        Self { channels, values }
    }

    /// The channels of one square.
    pub(super) fn square(&self, square: usize) -> &[f32] {
        &self.values[square * self.channels..][..self.channels]
    }

    /// `[channels][64 squares]` in one row: the order in which dense layers after a convolution are stored.
    pub(super) fn flattened(&self) -> Vec<f32> {
        let by_channel = |channel| (0..SQUARES).map(move |square| self.square(square)[channel]);
        (0..self.channels).flat_map(by_channel).collect()
    }

    /// Mean of each channel over the board.
    pub(super) fn mean(&self) -> Vec<f32> {
        let mut sums = vec![0.0; self.channels];
        for square in 0..SQUARES {
            sums.iter_mut().zip(self.square(square)).for_each(|(sum, value)| *sum += value);
        }
        for sum in &mut sums {
            *sum /= SQUARES as f32;
        }
        sums
    }
}
