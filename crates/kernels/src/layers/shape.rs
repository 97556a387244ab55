use crate::layout::{CHANNEL_BLOCK, padded};

/// The shape of one position's values between two layers. Values without squares are a map of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Channels per square.
    pub channels: usize,
    /// Height in squares, from south to north.
    pub ranks: usize,
    /// Width in squares, from west to east.
    pub files: usize,
}

impl Shape {
    /// The shape of `count` values without squares: one square of `count` channels.
    pub fn flat(count: usize) -> Self {
        Self { channels: count, ranks: 1, files: 1 }
    }

    pub(crate) fn squares(self) -> usize {
        self.ranks * self.files
    }

    /// Floats per square in memory; those beyond the channels are zero.
    pub(crate) fn width(self) -> usize {
        padded(self.channels, CHANNEL_BLOCK)
    }

    /// Floats per position in memory.
    pub(crate) fn room(self) -> usize {
        self.squares() * self.width()
    }
}
