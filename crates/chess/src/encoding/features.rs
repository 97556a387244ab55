//! Positions as short lists of feature indices: the input of sparse networks, whose first layer sums one row
//! of weights per feature.

mod attacks;
mod pieces;
mod threats;
mod threats_kings;

use shakmaty::Chess;

use crate::encoding::UnknownEncoding;

pub use attacks::AttackFeatures;
pub use pieces::PieceFeatures;
pub use threats::ThreatFeatures;
pub use threats_kings::ThreatKingFeatures;

/// Maps a position to its features.
///
/// # Laws
/// 1. Every index is below `size()`, none occurs twice, and they fit into a [`FeatureList`].
/// 2. A position and its colour-flipped twin give equal features.
/// 3. A position and its mirror image (file a becomes file h) give equal features: the board is mirrored if the
///    mover's king stands on files e to h. Castling rights, which have no mirror image, are not features.
/// 4. The earlier contents of a list do not matter.
///
/// `laws::features::check` tests them.
pub trait FeatureSet: Send + Sync {
    /// The name of the set in files; never reused for something else.
    fn name(&self) -> &'static str;

    /// Number of features; every index is below it.
    fn size(&self) -> usize;

    /// Replaces the content of `features` with the features of `position`, in no particular order. Allocates nothing.
    fn active(&self, position: &Chess, features: &mut FeatureList);
}

/// Every feature set, smallest first. A new one is added as a row here; names are never reused.
pub const FEATURES: &[&dyn FeatureSet] =
    &[&PieceFeatures, &AttackFeatures, &ThreatFeatures, &ThreatKingFeatures];

/// Finds a feature set by name.
///
/// # Errors
/// [`UnknownEncoding`] with the known names.
pub fn feature_set(name: &str) -> Result<&'static dyn FeatureSet, UnknownEncoding> {
    FEATURES.iter().copied().find(|set| set.name() == name).ok_or_else(|| UnknownEncoding {
        kind: "feature",
        found: name.into(),
        known: FEATURES.iter().map(|set| set.name()).collect::<Vec<_>>().join(", "),
    })
}

/// The features of a position, in memory of a fixed size.
#[derive(Clone, Debug)]
pub struct FeatureList {
    length: usize,
    indices: [u32; Self::CAPACITY],
}

impl FeatureList {
    /// The most features a list holds: of 32 pieces with eight victims each, where each piece has two more. The positions that
    /// [`parse_flawed_fen`](crate::notation::fen::parse_flawed_fen) accepts may have 48 pieces, but 32 of them are pawns.
    pub const CAPACITY: usize = 32 * (8 + 2);

    /// An empty list; usable in constants.
    pub const fn new() -> Self {
        Self { length: 0, indices: [0; Self::CAPACITY] }
    }

    /// Removes all features.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Adds a feature.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub fn push(&mut self, index: usize) {
        self.indices[self.length] = index as u32;
        self.length += 1;
    }

    /// The indices, in the order they were added.
    pub fn as_slice(&self) -> &[u32] {
        &self.indices[..self.length]
    }
}

impl Default for FeatureList {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = feature_set("planes").err().unwrap().to_string();
        assert_eq!(
            error,
            "unknown feature encoding \"planes\"; expected one of pieces, attacks, threats, threats-kings"
        );
    }
}
