//! The laws of [`FeatureSet`].

use super::games::{colour_flipped, files_exchanged};
use crate::{
    Chess, Game,
    encoding::features::{FeatureList, FeatureSet},
};

/// Checks the laws of a feature set on the current position of every game.
///
/// # Panics
/// If a law is broken, with the set, the law and the position.
pub fn check(set: &dyn FeatureSet, games: &[Game]) {
    let name = set.name();
    let mut list = FeatureList::new();
    for game in games {
        let found = sorted(set, game.position(), &mut list);
        let place = format!("{name} in {}: {found:?}", game.fen());
        assert!(found.iter().all(|&index| (index as usize) < set.size()), "law 1 (range): {place}");
        assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "law 1 (no index twice): {place}");
        let flipped = sorted(set, colour_flipped(game).position(), &mut list);
        assert_eq!(found, flipped, "law 2 (colour-flip symmetry): {place}");
        if let Some(mirrored) = files_exchanged(game.position()) {
            assert_eq!(found, sorted(set, &mirrored, &mut list), "law 3 (files exchanged): {place}");
        }
        // The list now holds other features.
        list.push(7);
        assert_eq!(found, sorted(set, game.position(), &mut list), "law 4 (stale content): {place}");
    }
}

fn sorted(set: &dyn FeatureSet, position: &Chess, list: &mut FeatureList) -> Vec<u32> {
    set.active(position, list);
    let mut found = list.as_slice().to_vec();
    found.sort_unstable();
    found
}
