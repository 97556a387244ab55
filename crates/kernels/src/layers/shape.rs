use crate::layout::{CHANNEL_BLOCK, padded};

/// Numbers of one position between two layers. Numbers without squares are a map of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Channels per square.
    pub channels: usize,
    /// Squares from south to north.
    pub ranks: usize,
    /// Squares from west to east.
    pub files: usize,
}

impl Shape {
    /// A shape of `count` numbers without squares: one square of `count` channels.
    pub fn flat(count: usize) -> Self {
        Self { channels: count, ranks: 1, files: 1 }
    }

    pub(crate) fn squares(self) -> usize {
        self.ranks * self.files
    }

    /// Numbers of a square in memory; those past the channels are zero.
    pub(crate) fn width(self) -> usize {
        padded(self.channels, CHANNEL_BLOCK)
    }

    /// Numbers of a position in memory.
    pub(crate) fn room(self) -> usize {
        self.squares() * self.width()
    }
}
