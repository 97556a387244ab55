//! Cross-validation: samples of training games, predicted by learners that saw no position of the same game.
//!
//! The positions of one game resemble each other. If a random split of rows puts positions of one game into
//! both training and test (as in Knights and Kernels), the nearest neighbour is a position of the same game,
//! and few neighbours look best.

use chess::split_mix::mix;
use rayon::prelude::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::{LearnerKind, SweepPoint, ensemble::mean_absolute_error, examples::Examples, models::Neighbours};

/// Number of parts, each predicted by learners fitted to the others. The default of scikit-learn's `KFold`.
const FOLDS: u64 = 5;

/// The samples to predict.
pub(crate) struct Folds<'a> {
    samples: &'a Examples,
    /// Numbers of the predicted samples, by part.
    asked: Vec<Vec<usize>>,
}

/// A learner's predictions for the samples of [`Folds`], in the order of [`Folds::targets`].
pub(crate) struct CrossValidated {
    pub(crate) predictions: Vec<f32>,
    /// Error by number of neighbours; empty for other learners.
    pub(crate) sweep: Vec<SweepPoint>,
    /// The number of neighbours of the predictions.
    pub(crate) neighbours: Option<usize>,
}

impl<'a> Folds<'a> {
    /// Divides the samples by game. At most about `most` of them, spread evenly, are predicted; all are learned from.
    pub(crate) fn new(samples: &'a Examples, most: usize) -> Self {
        let step = samples.rows.len().div_ceil(most.max(1)).max(1);
        let mut asked = vec![Vec::new(); FOLDS as usize];
        for row in (0..samples.rows.len()).step_by(step) {
            asked[fold_of(samples, row)].push(row);
        }
        Self { samples, asked }
    }

    /// The labels of the predicted samples.
    pub(crate) fn targets(&self) -> Vec<f32> {
        self.asked.iter().flatten().map(|&row| self.samples.pawns[row]).collect()
    }

    /// Fits the learner once for each part, with each number of neighbours that the recipe leaves open.
    pub(crate) fn predict(&self, kind: &LearnerKind, seed: u64) -> Result<CrossValidated, String> {
        let LearnerKind::NearestNeighbours { neighbours: fixed, sweep, .. } = kind else {
            let predictions = self.predict_parts(kind, &[], seed)?.swap_remove(0);
            return Ok(CrossValidated { predictions, sweep: Vec::new(), neighbours: None });
        };
        let unswept = fixed.filter(|fixed| !sweep.contains(fixed));
        let counts: Vec<usize> = sweep.iter().copied().chain(unswept).collect();
        let mut columns = self.predict_parts(kind, &counts, seed)?;
        let targets = self.targets();
        let mut points = Vec::with_capacity(counts.len());
        for (&neighbours, predictions) in counts.iter().zip(&columns) {
            points.push(SweepPoint { neighbours, error: mean_absolute_error(predictions, &targets) });
        }
        let best = points.iter().min_by(|a, b| a.error.total_cmp(&b.error)).map(|point| point.neighbours);
        let neighbours = fixed.or(best);
        let place = counts.iter().position(|&count| Some(count) == neighbours).unwrap_or(0);
        Ok(CrossValidated { predictions: columns.swap_remove(place), sweep: points, neighbours })
    }

    /// The predictions of learners that were each fitted to all parts but that of the sample: `[numbers of neighbours][samples]`, or
    /// one row for another learner.
    fn predict_parts(
        &self,
        kind: &LearnerKind,
        counts: &[usize],
        seed: u64,
    ) -> Result<Vec<Vec<f32>>, String> {
        let samples = self.samples;
        let mut columns = vec![Vec::new(); counts.len().max(1)];
        for (fold, asked) in self.asked.iter().enumerate().filter(|(_, asked)| !asked.is_empty()) {
            let others = (0..samples.rows.len()).filter(|&row| fold_of(samples, row) != fold);
            let others = samples.selected(others);
            if let Some(&most) = counts.iter().max() {
                // One search for the most neighbours serves every number of them.
                let model = Neighbours::new(others.rows, others.pawns, most)?;
                let answers: Vec<Vec<f32>> =
                    asked.par_iter().map(|&row| model.sweep(&samples.rows[row], counts)).collect();
                for (place, column) in columns.iter_mut().enumerate() {
                    column.extend(answers.iter().map(|answer| answer[place]));
                }
            } else {
                let model = kind.fit(&others, seed, None)?;
                let answers: Vec<f32> =
                    asked.par_iter().map(|&row| model.predict(&samples.rows[row])).collect();
                columns[0].extend(answers);
            }
        }
        Ok(columns)
    }
}

fn fold_of(samples: &Examples, row: usize) -> usize {
    // Mixed, because the store's split is also computed from the hashes of games.
    (mix(samples.keys[row]) % FOLDS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of which four each belong to one game, are equal to each other, and have a label of their game.
    fn games(count: u64) -> Examples {
        let mut samples = Examples::default();
        for game in 0..count {
            let label = (mix(game) % 19) as f32 - 9.0;
            for _ in 0..4 {
                samples.rows.push(vec![game as f32, 0.0]);
                samples.pawns.push(label);
                samples.keys.push(game);
            }
        }
        samples
    }

    #[test]
    fn no_game_predicts_itself() {
        let samples = games(200);
        let kind = LearnerKind::NearestNeighbours { neighbours: None, sweep: vec![1, 100], original: None };
        let folds = Folds::new(&samples, usize::MAX);
        let found = folds.predict(&kind, 0).unwrap();
        let targets = folds.targets();
        assert_eq!((found.predictions.len(), targets.len()), (800, 800));
        let constant = mean_absolute_error(&vec![0.0; 800], &targets);
        // With other positions of its game, one neighbour would have no error at all.
        assert!(found.sweep[0].error > constant, "{:?} {constant}", found.sweep);
        assert!(found.sweep[1].error < found.sweep[0].error && found.neighbours == Some(100));
        assert_eq!(mean_absolute_error(&found.predictions, &targets), found.sweep[1].error);
    }

    #[test]
    fn some_samples_stand_for_all() {
        let samples = games(100);
        let whole: Vec<usize> = Folds::new(&samples, 400).asked.concat();
        assert_eq!(whole.len(), 400, "each sample in one part");
        let part = Folds::new(&samples, 100);
        assert_eq!(part.targets().len(), 100);
        assert!(part.asked.iter().filter(|asked| !asked.is_empty()).count() > 3);
        let lasso = part.predict(&LearnerKind::Lasso { alpha: 1.0 }, 0).unwrap();
        assert!(lasso.predictions.len() == 100 && lasso.sweep.is_empty() && lasso.neighbours.is_none());
        let fixed = LearnerKind::NearestNeighbours { neighbours: Some(3), sweep: vec![1], original: None };
        let fixed = part.predict(&fixed, 0).unwrap();
        assert_eq!((fixed.neighbours, fixed.sweep.len()), (Some(3), 2));
    }
}
