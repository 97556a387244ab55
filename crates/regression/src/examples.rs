//! Labelled positions of a store as rows of features.

use chess::Game;
use dataset::{Sample, Split, Store, sample::SampleError};
use rayon::prelude::{IntoParallelRefIterator as _, ParallelIterator as _};
use training::MatePawns;

use crate::{RegressionError, features::Features, models::Model};

/// Rows of features and their values in pawns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Examples {
    /// `[samples][features]`
    pub(crate) rows: Vec<Vec<f32>>,
    /// `[samples]`, for the side from whose point of view the rows are.
    pub(crate) pawns: Vec<f32>,
    /// The game that each is from, or the position itself if it is from none: `[samples]`.
    pub(crate) keys: Vec<u64>,
    /// The positions, if requested: `[samples]`.
    pub(crate) games: Vec<Game>,
}

/// The samples to select.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) features: Features,
    /// Evaluations are clipped to this many pawns.
    pub(crate) limit: f32,
    pub(crate) split: Split,
    /// The largest number of samples to take.
    pub(crate) count: usize,
    /// True if the positions are also kept.
    pub(crate) with_games: bool,
}

impl Examples {
    /// Length of a row; 0 without samples.
    pub(crate) fn features(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The predictions of a model: `[samples]`.
    pub(crate) fn predicted(&self, model: &dyn Model) -> Vec<f32> {
        self.rows.par_iter().map(|row| model.predict(row)).collect()
    }

    /// Some of the samples, without their positions.
    pub(crate) fn selected(&self, numbers: impl Iterator<Item = usize>) -> Self {
        let mut selected = Self::default();
        for number in numbers {
            selected.rows.push(self.rows[number].clone());
            selected.pawns.push(self.pawns[number]);
            selected.keys.push(self.keys[number]);
        }
        selected
    }

    /// Evaluated samples, spread evenly over the stored order of the split. Equal stores give the same samples.
    pub(crate) fn gather(store: &Store, wanted: Wanted) -> Result<Self, RegressionError> {
        let mut parts = Self::gather_parts(store, wanted, |_| 0)?;
        Ok(std::mem::take(&mut parts[0]))
    }

    /// As [`Examples::gather`], but in two parts that have no game in common.
    pub(crate) fn gather_halves(store: &Store, wanted: Wanted) -> Result<[Self; 2], RegressionError> {
        Self::gather_parts(store, wanted, |sample| usize::from(key_of(sample).count_ones() % 2 == 1))
    }

    fn gather_parts(
        store: &Store,
        wanted: Wanted,
        part_of: impl Fn(&Sample) -> usize,
    ) -> Result<[Self; 2], RegressionError> {
        let mut parts = [Self::default(), Self::default()];
        let (all, mut passed) = (store.positions(wanted.split).max(1), 0);
        // A recipe may set any number; a number above that of the positions would overflow the product.
        let count = (wanted.count as u64).min(all);
        for group in store.row_groups(wanted.split) {
            for sample in group? {
                // Sample i is taken if i * count / all reaches a new integer.
                let before = passed * count / all;
                passed += 1;
                if passed * count / all > before {
                    let added = parts[part_of(&sample)].add(&sample, wanted);
                    added.map_err(|error| RegressionError::Samples {
                        store: store.path().display().to_string(),
                        found: format!("sample {passed}: {error}"),
                        expected: "a legal position".into(),
                    })?;
                }
            }
        }
        Ok(parts)
    }

    fn add(&mut self, sample: &Sample, wanted: Wanted) -> Result<(), SampleError> {
        let Some(evaluation) = sample.evaluation else { return Ok(()) };
        let game = sample.to_game()?;
        let turn = game.turn();
        let is_movers = wanted.features.viewer(turn) == turn;
        let seen = if is_movers { evaluation } else { evaluation.flipped() };
        self.rows.push(wanted.features.of(&game));
        self.pawns.push(MatePawns::Limit.pawns(seen, wanted.limit));
        self.keys.push(key_of(sample));
        if wanted.with_games {
            self.games.push(game);
        }
        Ok(())
    }
}

fn key_of(sample: &Sample) -> u64 {
    sample.game.unwrap_or_else(|| sample.position.key())
}

#[cfg(test)]
pub(crate) mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Random rows of features from -3 to 3 with labels from a formula. A different count gives different rows.
    pub(crate) fn made_up(count: usize, features: usize, label: impl Fn(&[f32]) -> f32) -> Examples {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(count as u64);
        let rows: Vec<Vec<f32>> =
            (0..count).map(|_| (0..features).map(|_| random.random_range(-3.0..3.0)).collect()).collect();
        let pawns = rows.iter().map(|row| label(row)).collect();
        Examples { rows, pawns, keys: (0..count as u64).collect(), games: Vec::new() }
    }
}
