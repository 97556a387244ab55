//! Positions as stacks of 8x8 planes.

mod aichess;
mod catfish;
mod cogs188;
mod knights;
mod knights_signed;
mod lc0_112;
mod lc0_formats;
mod mlx;
mod pieces;
mod reach;
mod tabiya;
mod tabiya_attacks;
mod tabiya_rated;
mod tabiya_rated_moves;

use std::iter::successors;

use shakmaty::{Bitboard, Color};

use crate::{
    Game,
    encoding::{LawBreak, UnknownEncoding},
};

pub use aichess::AiChessPlanes13;
pub use catfish::{CatfishPlanes12, CatfishView};
pub use cogs188::Cogs188Planes14;
pub use knights::{KnightsNumbers, KnightsPlanes};
pub use knights_signed::{KnightsBeside, KnightsSignedPlane};
pub use lc0_112::{HistoryFill, Lc0Planes112};
pub use lc0_formats::{Lc0Format, Lc0LaterPlanes112};
pub use mlx::MlxPlanes14;
pub(crate) use pieces::viewed;
pub use tabiya::TabiyaPlanes;
pub use tabiya_attacks::TabiyaAttacksPlanes;
pub use tabiya_rated::TabiyaRatedPlanes;
pub use tabiya_rated_moves::TabiyaRatedMovesPlanes;

/// Squares of a board, and so numbers of a plane.
pub const SQUARES: usize = 64;

/// One 8x8 plane with a single value on some squares and zero elsewhere.
///
/// Bit 0 of the mask is a1 *as the side to move sees it*: for Black the ranks are mirrored. (Encodings of other programs may
/// begin with another square; they document it.)
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Squares with the value, bit 0 = a1 in the mover's view.
    pub mask: u64,
    /// Value on the squares of the mask; finite.
    pub value: f32,
}

impl Plane {
    /// A plane of zeros.
    pub const EMPTY: Self = Self { mask: 0, value: 0.0 };

    /// One on the squares of the mask, zero elsewhere.
    pub const fn squares(mask: u64) -> Self {
        Self { mask, value: 1.0 }
    }

    /// A plane with `value` on every square; zero gives [`Plane::EMPTY`].
    pub const fn constant(value: f32) -> Self {
        if value == 0.0 { Self::EMPTY } else { Self { mask: u64::MAX, value } }
    }

    /// One on every square when `flag` holds, else zero.
    pub const fn flag(flag: bool) -> Self {
        if flag { Self::squares(u64::MAX) } else { Self::EMPTY }
    }

    /// Squares of the mask, 0 = a1 in the mover's view, upwards.
    #[inline]
    pub fn occupied(&self) -> impl Iterator<Item = usize> + use<> {
        Bitboard(self.mask).into_iter().map(usize::from)
    }

    /// Adds the value to its squares of a channel, which are 64 numbers starting from a1.
    #[inline]
    pub fn add_to(&self, squares: &mut [f32]) {
        if self.mask == u64::MAX {
            for square in squares.iter_mut() {
                *square += self.value;
            }
        } else {
            self.occupied().for_each(|square| squares[square] += self.value);
        }
    }
}

/// Turns a game into planes.
///
/// # Laws
/// 1. `encode` overwrites all `planes()` planes. They depend on the [`crate::game::HistoryEntry`] of at most the last
///    `history()` positions, and on the players' ratings.
/// 2. A game and its colour-flipped twin give equal planes, except those in [`InputEncoding::colour_planes`].
/// 3. Values are finite.
/// 4. Planes of one channel have no square in common, every channel has a plane, and the last `scalars()` channels have
///    one each, which has the same value everywhere.
/// 5. If it extends another encoding, it begins with that encoding's planes and channels, and adds no scalar.
///
/// `laws::input::check` tests them.
pub trait InputEncoding: Send + Sync {
    /// The name of the encoding in files; never reused for something else.
    fn name(&self) -> &'static str;

    /// Number of planes that [`InputEncoding::encode`] writes.
    fn planes(&self) -> usize;

    /// Number of positions, the current one included, that the planes depend on; 1 = no history, the default.
    fn history(&self) -> usize {
        1
    }

    /// Channels of the tensor that a network takes: fewer than planes if a channel holds several values at once.
    fn channels(&self) -> usize {
        self.planes()
    }

    /// The channel that a plane is part of.
    fn channel(&self, plane: usize) -> usize {
        plane
    }

    /// A channel's meaning in a few words; no two channels have the same.
    fn channel_name(&self, channel: usize) -> String;

    /// Number of channels that are scalars, not boards. They come last, and a network may read them
    /// separately from the board.
    fn scalars(&self) -> usize {
        0
    }

    /// The encoding that this one appends planes to, so that a trained network of that encoding can be
    /// trained further with the new planes. None by default.
    fn extends(&self) -> Option<&'static str> {
        None
    }

    /// Planes that depend on which colour is to move, exempt from law 2. None by default.
    fn colour_planes(&self) -> &'static [usize] {
        &[]
    }

    /// The side whose value a network with this input predicts: the mover if the board is seen by the mover,
    /// White if it is seen by White. Training targets are converted to this view, and predictions converted
    /// back.
    fn value_viewer(&self, turn: Color) -> Color {
        turn
    }

    /// True if bit 0 of the masks is a8 and not a1, so the ranks come in the order in which a diagram is printed.
    fn begins_with_a8(&self) -> bool {
        false
    }

    /// The laws that this encoding breaks because it reproduces another program's. None by default.
    fn breaks(&self) -> &'static [LawBreak] {
        &[]
    }

    /// Writes the planes of the current position. `planes` has exactly [`InputEncoding::planes`] entries.
    fn encode(&self, game: &Game, planes: &mut [Plane]);
}

/// Every input encoding, the default first. A new one is added as a row here; names are never reused.
pub const INPUTS: &[&dyn InputEncoding] = &[
    &TabiyaPlanes,
    &Lc0Planes112 { fill: HistoryFill::FenOnly },
    &Lc0Planes112 { fill: HistoryFill::No },
    &Lc0Planes112 { fill: HistoryFill::Always },
    &Cogs188Planes14,
    &CatfishPlanes12 { view: CatfishView::White },
    &CatfishPlanes12 { view: CatfishView::JustMoved },
    &AiChessPlanes13,
    &MlxPlanes14,
    &KnightsPlanes { numbers: KnightsNumbers::None },
    &KnightsPlanes { numbers: KnightsNumbers::Pieces },
    &KnightsPlanes { numbers: KnightsNumbers::TurnCapture },
    &KnightsSignedPlane { beside: KnightsBeside::Nothing },
    &KnightsSignedPlane { beside: KnightsBeside::TurnCheck },
    &KnightsSignedPlane { beside: KnightsBeside::MoveSquares },
    &TabiyaRatedPlanes,
    &TabiyaAttacksPlanes,
    &TabiyaRatedMovesPlanes,
    &Lc0LaterPlanes112 { format: Lc0Format::CastlingPlane },
    &Lc0LaterPlanes112 { format: Lc0Format::Canonical },
    &Lc0LaterPlanes112 { format: Lc0Format::CanonicalHectoplies },
    &Lc0LaterPlanes112 { format: Lc0Format::CanonicalV2 },
];

/// Number of positions, the current one included, that the encoding with the longest history reads. Given
/// only these last positions of a game, every network evaluates as if given the whole game.
pub fn longest_history() -> usize {
    INPUTS.iter().map(|encoding| encoding.history()).max().unwrap_or(1)
}

/// Finds an input encoding by name.
///
/// # Errors
/// [`UnknownEncoding`] with the known names.
pub fn input_encoding(name: &str) -> Result<&'static dyn InputEncoding, UnknownEncoding> {
    INPUTS.iter().copied().find(|encoding| encoding.name() == name).ok_or_else(|| UnknownEncoding {
        kind: "input",
        found: name.into(),
        known: INPUTS.iter().map(|encoding| encoding.name()).collect::<Vec<_>>().join(", "),
    })
}

impl dyn InputEncoding {
    /// Adds the planes of one position to the tensor that a network takes.
    ///
    /// # Shapes
    /// planes `[planes]`, tensor `[channels][64]`; bit 0 of a mask is the first square.
    pub fn add_to(&self, planes: &[Plane], tensor: &mut [f32]) {
        for (number, plane) in planes.iter().enumerate() {
            let start = self.channel(number) * 64;
            plane.add_to(&mut tensor[start..start + 64]);
        }
    }

    /// The encodings that it extends, the nearest first.
    pub fn extended(&self) -> impl Iterator<Item = &'static dyn InputEncoding> + use<> {
        let of = |name: &str| input_encoding(name).ok();
        successors(self.extends().and_then(of), move |nearer| nearer.extends().and_then(of))
    }

    /// True if a plane holds the players' ratings, so that networks can be conditioned on a rating.
    pub fn shows_ratings(&self) -> bool {
        let rated = TabiyaRatedPlanes.name();
        self.name() == rated || self.extended().any(|nearer| nearer.name() == rated)
    }
}

/// Writes planes as the dense floats that a network takes.
///
/// # Shapes
/// `planes` `[P]` -> `out` `[P, 8, 8]`, flat: plane by plane, a1 .. h8 in the mover's view.
///
/// # Panics
/// If `out` is not `planes.len() * 64` long.
pub fn write_dense(planes: &[Plane], out: &mut [f32]) {
    assert_eq!(out.len(), planes.len() * 64, "{} planes need {} floats", planes.len(), planes.len() * 64);
    for (plane, out) in planes.iter().zip(out.chunks_exact_mut(64)) {
        match plane.mask {
            0 => out.fill(0.0),
            u64::MAX => out.fill(plane.value),
            mask => write_mask(mask, plane.value, out),
        }
    }
}

/// Writes planes as the channels that a network takes, adding the planes of each channel.
///
/// # Shapes
/// `planes` `[encoding.planes()]` -> `out` `[encoding.channels(), 8, 8]`, flat: channel by channel, bit 0 of the masks first.
///
/// # Panics
/// If the lengths differ from these.
pub fn write_channels(encoding: &dyn InputEncoding, planes: &[Plane], out: &mut [f32]) {
    if encoding.channels() == encoding.planes() {
        return write_dense(planes, out);
    }
    assert_eq!(planes.len(), encoding.planes(), "planes of {}", encoding.name());
    assert_eq!(out.len(), encoding.channels() * 64, "floats of {}", encoding.name());
    out.fill(0.0);
    for (number, plane) in planes.iter().enumerate() {
        let channel = &mut out[encoding.channel(number) * 64..][..64];
        plane.occupied().for_each(|square| channel[square] += plane.value);
    }
}

/// Writes row by row through a table of lane masks: the cost is the same for sparse and full masks, two or four vector
/// instructions per row.
fn write_mask(mask: u64, value: f32, out: &mut [f32]) {
    let bits = value.to_bits();
    for (row, out) in mask.to_le_bytes().into_iter().zip(out.chunks_exact_mut(8)) {
        for (out, lane) in out.iter_mut().zip(ROW_MASKS[usize::from(row)]) {
            *out = f32::from_bits(bits & lane);
        }
    }
}

/// For each of the 256 sets of files, all ones in the lanes of its files (8 KB).
static ROW_MASKS: [[u32; 8]; 256] = row_masks();

const fn row_masks() -> [[u32; 8]; 256] {
    let mut masks = [[0; 8]; 256];
    let mut row = 0;
    while row < 256 {
        let mut file = 0;
        while file < 8 {
            if row >> file & 1 == 1 {
                masks[row][file] = u32::MAX;
            }
            file += 1;
        }
        row += 1;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_planes_carry_the_value_on_the_mask_and_zero_elsewhere() {
        let planes = [
            Plane { mask: 1 | 1 << 10 | 1 << 63, value: -0.5 },
            Plane::constant(0.25),
            Plane::EMPTY,
            Plane::flag(true),
        ];
        let mut out = vec![f32::NAN; planes.len() * 64];
        write_dense(&planes, &mut out);
        for (index, &value) in out.iter().enumerate() {
            let plane = planes[index / 64];
            let expected = if plane.mask >> (index % 64) & 1 == 1 { plane.value } else { 0.0 };
            assert_eq!(value, expected, "plane {} square {}", index / 64, index % 64);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = input_encoding("lc0-113").err().unwrap().to_string();
        assert!(error.starts_with("unknown input encoding \"lc0-113\"; expected one of tabiya, "), "{error}");
        assert!(INPUTS.iter().all(|encoding| error.contains(encoding.name())), "{error}");
    }
}
