//! What a store holds, counted row by row (so that it can be compared with what other readers count).

mod leaks;

use std::collections::{BTreeMap, HashMap};

use chess::{Color, Score};
use serde::{Deserialize, Serialize};

use self::leaks::LeakDetector;
use crate::{DatasetError, GameResult, Split, Store, bad_record::BadReason, record::Winner, sample::Sample};

pub use leaks::Leaks;

/// Width of a bar of the rating histogram.
const RATING_STEP: u16 = 100;

/// Width of a bar of the evaluation histogram.
const CENTIPAWN_STEP: i32 = 100;

/// Evaluations at least this far from zero share the outermost bars.
const CENTIPAWN_LIMIT: i32 = 1000;

/// What a store holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Distinct games.
    pub games: u64,
    /// Samples.
    pub positions: u64,
    /// Samples that are part of no game.
    pub single_positions: u64,
    /// Games by result.
    pub results: GameResults,
    /// Samples by result, seen by the side to move.
    pub position_results: PositionResults,
    /// Labels of the samples.
    pub labels: Labels,
    /// The two halves.
    pub splits: Splits,
    /// Held-out samples whose position is also learned from.
    pub leaks: Leaks,
    /// Games by the mean rating of the known ones of their players.
    pub ratings: Ratings,
    /// Samples by evaluation, seen by the side to move.
    pub evaluations: Vec<EvaluationBar>,
    /// Half-moves before the samples.
    pub plies: Plies,
    /// Samples by source.
    pub sources: Vec<SourceShare>,
    /// Records read from the sources when the store was built, broken ones included.
    pub games_read: u64,
    /// Broken records by reason.
    pub rejected: BTreeMap<BadReason, u64>,
    /// Games dropped because they were read before.
    pub duplicates: u64,
    /// Games that the filters removed.
    pub filtered: u64,
    /// Size of the data files.
    pub bytes: u64,
    /// Size of a sample on disk.
    pub bytes_per_position: f64,
}

/// Games by result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResults {
    /// White won.
    pub white: u64,
    /// Drawn.
    pub draw: u64,
    /// Black won.
    pub black: u64,
    /// Not known.
    pub unknown: u64,
}

/// Samples by result, seen by the side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionResults {
    /// The side to move won.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// The side to move lost.
    pub loss: u64,
    /// Not known.
    pub unknown: u64,
}

/// Labels of the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// Samples with an evaluation in centipawns.
    pub centipawns: u64,
    /// Samples with a mate as evaluation.
    pub mate: u64,
    /// Samples without evaluation.
    pub unevaluated: u64,
    /// Samples whose move to learn is not the one played.
    pub slips: u64,
    /// Samples followed by a slip, their own move included.
    pub before_slips: u64,
    /// Samples whose position occurred before in its game.
    pub repeated: u64,
}

/// The two halves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splits {
    /// What a network learns from.
    pub train: SplitSize,
    /// What it is judged by.
    pub validation: SplitSize,
}

/// Size of one half.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitSize {
    /// Distinct games.
    pub games: u64,
    /// Samples.
    pub positions: u64,
}

/// Games by rating.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ratings {
    /// Games without any rating.
    pub unknown: u64,
    /// Games by hundreds, without gaps.
    pub bars: Vec<RatingBar>,
}

/// Games with a mean rating of `from..from + 100`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingBar {
    /// Least rating.
    pub from: u16,
    /// Number of games.
    pub games: u64,
}

/// Samples with an evaluation in `from..to`; `None` is without limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationBar {
    /// Least centipawns.
    pub from: Option<i32>,
    /// First centipawns beyond.
    pub to: Option<i32>,
    /// Number of samples.
    pub positions: u64,
}

/// Half-moves before the samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plies {
    /// Least.
    pub least: u16,
    /// Mean.
    pub mean: f64,
    /// Greatest.
    pub greatest: u16,
}

/// Samples of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceShare {
    /// The file.
    pub path: String,
    /// Number of samples.
    pub positions: u64,
}

impl Statistics {
    /// Counts every row of a store, calling `progress` with the number of rows counted.
    ///
    /// # Errors
    /// [`DatasetError`] when a file cannot be read or holds other than its manifest says.
    pub fn count(store: &Store, mut progress: impl FnMut(u64)) -> Result<Self, DatasetError> {
        let mut counter = Counter::new(store)?;
        for split in [Split::Train, Split::Validation] {
            for samples in store.row_groups(split) {
                for sample in samples? {
                    counter.add(split, &sample)?;
                }
                progress(counter.positions());
            }
        }
        Ok(counter.finish())
    }
}

/// Facts of a game, known from its first sample.
struct Game {
    split: Split,
    winner: Option<Winner>,
    rating: Option<u16>,
}

struct Counter<'a> {
    store: &'a Store,
    games: HashMap<u64, Game>,
    single_positions: u64,
    position_results: PositionResults,
    labels: Labels,
    positions: [u64; 2],
    evaluations: Vec<u64>,
    least: u16,
    greatest: u16,
    ply_sum: u64,
    sources: Vec<u64>,
    leaks: LeakDetector,
}

impl<'a> Counter<'a> {
    fn new(store: &'a Store) -> Result<Self, DatasetError> {
        Ok(Self {
            store,
            games: HashMap::new(),
            single_positions: 0,
            position_results: PositionResults::default(),
            labels: Labels::default(),
            positions: [0; 2],
            evaluations: vec![0; bars()],
            least: u16::MAX,
            greatest: 0,
            ply_sum: 0,
            sources: vec![0; store.manifest().sources.len()],
            leaks: LeakDetector::new(store)?,
        })
    }

    fn positions(&self) -> u64 {
        self.positions.iter().sum()
    }

    fn add(&mut self, split: Split, sample: &Sample) -> Result<(), DatasetError> {
        self.positions[split as usize] += 1;
        self.count_labels(sample);
        if split == Split::Train {
            self.leaks.learned(&sample.position);
        }
        self.least = self.least.min(sample.ply);
        self.greatest = self.greatest.max(sample.ply);
        self.ply_sum += u64::from(sample.ply);
        let sources = self.sources.len();
        let source = self.sources.get_mut(usize::from(sample.source));
        *source.ok_or_else(|| {
            self.store
                .contradiction(format!("a sample of source {}", sample.source), format!("{sources} sources"))
        })? += 1;
        let Some(hash) = sample.game else {
            self.single_positions += 1;
            return Ok(());
        };
        let game = self.games.entry(hash).or_insert_with(|| Game {
            split,
            winner: sample.result.map(|result| winner(result, sample.position.turn())),
            rating: mean_rating(sample),
        });
        if game.split != split {
            let found = format!("game {hash:016x} in both splits");
            return Err(self.store.contradiction(found, "every game in one split".into()));
        }
        Ok(())
    }

    fn count_labels(&mut self, sample: &Sample) {
        let results = &mut self.position_results;
        *match sample.result {
            Some(GameResult::Win) => &mut results.win,
            Some(GameResult::Draw) => &mut results.draw,
            Some(GameResult::Loss) => &mut results.loss,
            None => &mut results.unknown,
        } += 1;
        let labels = &mut self.labels;
        match sample.evaluation {
            Some(Score::Centipawns(centipawns)) => {
                labels.centipawns += 1;
                self.evaluations[bar(centipawns)] += 1;
            }
            Some(Score::Mate(_)) => labels.mate += 1,
            None => labels.unevaluated += 1,
        }
        labels.slips += u64::from(sample.played_move.is_some());
        labels.before_slips += u64::from(sample.slips > 0);
        labels.repeated += u64::from(sample.repetitions > 0);
    }

    fn finish(self) -> Statistics {
        let manifest = self.store.manifest();
        let counts = &manifest.counts;
        let positions = self.positions();
        let bytes = manifest.train.iter().chain(&manifest.validation).map(|file| file.bytes).sum();
        let (results, ratings, splits) = self.count_games();
        let sources = manifest.sources.iter().zip(&self.sources);
        Statistics {
            games: self.games.len() as u64,
            positions,
            single_positions: self.single_positions,
            results,
            position_results: self.position_results,
            labels: self.labels,
            splits,
            leaks: self.leaks.finish(),
            ratings,
            evaluations: evaluation_bars(&self.evaluations),
            plies: Plies {
                least: self.least,
                mean: self.ply_sum as f64 / positions as f64,
                greatest: self.greatest,
            },
            sources: sources
                .map(|(source, &positions)| SourceShare { path: source.path.clone(), positions })
                .collect(),
            games_read: counts.games_read,
            rejected: counts.rejected.clone(),
            duplicates: counts.duplicates,
            filtered: counts.filtered,
            bytes,
            bytes_per_position: bytes as f64 / positions as f64,
        }
    }

    fn count_games(&self) -> (GameResults, Ratings, Splits) {
        let mut results = GameResults::default();
        let mut ratings = Ratings::default();
        let mut hundreds = BTreeMap::<u16, u64>::new();
        let mut splits = Splits::default();
        (splits.train.positions, splits.validation.positions) = (self.positions[0], self.positions[1]);
        for game in self.games.values() {
            *match game.winner {
                Some(Winner::White) => &mut results.white,
                Some(Winner::Draw) => &mut results.draw,
                Some(Winner::Black) => &mut results.black,
                None => &mut results.unknown,
            } += 1;
            match game.rating {
                Some(rating) => *hundreds.entry(rating / RATING_STEP * RATING_STEP).or_default() += 1,
                None => ratings.unknown += 1,
            }
            match game.split {
                Split::Train => splits.train.games += 1,
                Split::Validation => splits.validation.games += 1,
            }
        }
        if let (Some((&first, _)), Some((&last, _))) = (hundreds.first_key_value(), hundreds.last_key_value())
        {
            let bar = |from| RatingBar { from, games: hundreds.get(&from).copied().unwrap_or(0) };
            ratings.bars = (first..=last).step_by(usize::from(RATING_STEP)).map(bar).collect();
        }
        (results, ratings, splits)
    }
}

fn winner(result: GameResult, turn: Color) -> Winner {
    match (result, turn) {
        (GameResult::Draw, _) => Winner::Draw,
        (GameResult::Win, Color::White) | (GameResult::Loss, Color::Black) => Winner::White,
        (GameResult::Win, Color::Black) | (GameResult::Loss, Color::White) => Winner::Black,
    }
}

fn mean_rating(sample: &Sample) -> Option<u16> {
    match (sample.white_rating, sample.black_rating) {
        (Some(white), Some(black)) => Some(white.midpoint(black)),
        (known, None) | (None, known) => known,
    }
}

/// One bar beyond each limit and the bars between them.
fn bars() -> usize {
    (2 * CENTIPAWN_LIMIT / CENTIPAWN_STEP) as usize + 2
}

fn bar(centipawns: i32) -> usize {
    let limited = centipawns.clamp(-CENTIPAWN_LIMIT - CENTIPAWN_STEP, CENTIPAWN_LIMIT);
    ((limited + CENTIPAWN_LIMIT).div_euclid(CENTIPAWN_STEP) + 1) as usize
}

fn evaluation_bars(counts: &[u64]) -> Vec<EvaluationBar> {
    let edge = |bar: usize| bar as i32 * CENTIPAWN_STEP - CENTIPAWN_LIMIT;
    let last = counts.len() - 1;
    let describe = |(bar, &positions): (usize, &u64)| EvaluationBar {
        from: (bar > 0).then(|| edge(bar - 1)),
        to: (bar < last).then(|| edge(bar)),
        positions,
    };
    counts.iter().enumerate().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_the_evaluations_they_name() {
        let bars = evaluation_bars(&vec![0; bars()]);
        for centipawns in [-30_000, -1001, -1000, -999, -100, -1, 0, 1, 99, 100, 999, 1000, 30_000] {
            let bar = &bars[bar(centipawns)];
            assert!(bar.from.is_none_or(|from| from <= centipawns), "{centipawns} in {bar:?}");
            assert!(bar.to.is_none_or(|to| centipawns < to), "{centipawns} in {bar:?}");
        }
    }
}
