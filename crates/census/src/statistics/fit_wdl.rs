//! Fits the curves from centipawns to win, draw and loss to game results: win = 0.995 / (1 + e^((a - v) / b))
//! for v centipawns, loss by symmetry at -v, draw the rest, where a and b are polynomials of the material on
//! the board, after Stockfish's WDL_model (official-stockfish/WDL_model); here fitted to all samples at once
//! by maximum likelihood.

mod fisher;

use chess::Score;
use dataset::{DatasetError, EvaluationCurve, GameResult, Sample, Split, Store};
use serde::Serialize;

use self::fisher::Cell;

/// Bin width and clipping limit, in centipawns.
const STEP: i32 = 10;
const LIMIT: i32 = 2000;
const BARS: usize = (2 * LIMIT / STEP) as usize + 1;

/// Minimum number of samples for a fit.
const LEAST_SAMPLES: u64 = 1000;

/// Wins, draws and losses of the side to move for each evaluation, by the material of both sides.
pub struct Outcomes {
    /// `[material][evaluation]`
    counts: Vec<[[u64; 3]; BARS]>,
}

/// The curves that fit best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WdlFit {
    /// Samples with both an evaluation in centipawns and a result.
    pub samples: u64,
    /// The loss (see [`FittedCurve::loss`]) of a constant prediction: the shares of all results.
    pub constant_loss: f64,
    /// The default curve, for comparison.
    pub default: FittedCurve,
    /// The same constants for any material.
    pub logistic: FittedCurve,
    /// Constants that depend on the material; none if the samples do not determine them.
    pub material: Option<FittedCurve>,
    /// Observed results and those expected by the best of these curves, by material.
    pub bands: Vec<Band>,
}

/// A curve with the quality of its fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FittedCurve {
    /// The curve, as a recipe writes it.
    pub curve: EvaluationCurve,
    /// Mean cross-entropy: -ln(probability of the actual result).
    pub loss: f64,
}

/// Samples of about the same material.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Band {
    /// Least material.
    pub from: u8,
    /// Greatest material.
    pub to: u8,
    /// Number of samples in the band.
    pub samples: u64,
    /// Shares of wins, draws and losses.
    pub happened: [f64; 3],
    /// Mean probabilities of the curve.
    pub expected: [f64; 3],
}

impl Default for Outcomes {
    fn default() -> Self {
        Self { counts: vec![[[0; 3]; BARS]; usize::from(u8::MAX) + 1] }
    }
}

impl Outcomes {
    /// Counts the training samples of a store, calling `progress` with their number so far. Samples before a
    /// slip are left out, because the slip, not the position, may have decided the game.
    ///
    /// # Errors
    /// [`DatasetError`] if a file cannot be read.
    pub fn count(store: &Store, mut progress: impl FnMut(u64)) -> Result<Self, DatasetError> {
        let mut outcomes = Self::default();
        let mut rows = 0;
        for samples in store.row_groups(Split::Train) {
            let samples = samples?;
            rows += samples.len() as u64;
            for sample in &samples {
                outcomes.add_sample(sample);
            }
            progress(rows);
        }
        Ok(outcomes)
    }

    fn add_sample(&mut self, sample: &Sample) {
        if let (Some(Score::Centipawns(centipawns)), Some(result), 0) =
            (sample.evaluation, sample.result, sample.slips)
        {
            self.add(sample.position.material(), centipawns, result);
        }
    }

    /// Counts a sample.
    pub fn add(&mut self, material: u8, centipawns: i32, result: GameResult) {
        // Counts by bar and material are all that the likelihood needs: a fit takes as long for a billion samples as for a million.
        // To the nearest bar: the sum is not negative, so the division rounds down.
        let bar = (centipawns.clamp(-LIMIT, LIMIT) + LIMIT + STEP / 2) / STEP;
        let outcome = match result {
            GameResult::Win => 0,
            GameResult::Draw => 1,
            GameResult::Loss => 2,
        };
        self.counts[usize::from(material)][bar as usize][outcome] += 1;
    }

    /// Fits the curves.
    ///
    /// # Errors
    /// [`DatasetError::Setting`] if too few samples have both labels, or their results do not depend on the evaluation.
    pub fn fit(&self) -> Result<WdlFit, DatasetError> {
        let cells = self.cells();
        let samples: u64 = cells.iter().flat_map(|cell| cell.counts).sum();
        if samples < LEAST_SAMPLES {
            return Err(refused(samples.to_string(), "1000 or more, none before a slip"));
        }
        let start = EvaluationCurve::default();
        let constant_loss = constant_loss(&cells);
        let constants = start.constants();
        let first = [0, 1].map(|number: usize| [f64::from(constants[number].1), 0.0, 0.0, 0.0]);
        let logistic = fisher::fit(&cells, first, 1).map(|constants| {
            let (half_won, spread) = (constants[0][0] as f32, constants[1][0] as f32);
            (constants, rated(EvaluationCurve::Logistic { half_won, spread }, &cells))
        });
        let Some((constants, logistic)) = logistic.filter(|(_, curve)| curve.loss < constant_loss) else {
            let found = "no dependence of the results on the evaluations".into();
            return Err(refused(found, "better results where the evaluation is better"));
        };
        // From the constants without material, which are the best of those with zero for the higher powers: from the default curve, far
        // away, eight unknowns may end in another maximum or at the edge of the ranges.
        let mut material = None;
        if let Some([half_won, spread]) = fisher::fit(&cells, constants, 4) {
            let (half_won, spread) = (highest_first(half_won), highest_first(spread));
            let curve = EvaluationCurve::Material { half_won, spread };
            if curve.constants().iter().all(|(_, value, range)| range.contains(value)) {
                material = Some(rated(curve, &cells));
            }
        }
        let bands = bands(material.unwrap_or(logistic).curve, &cells);
        let default = rated(start, &cells);
        Ok(WdlFit { samples, constant_loss, default, logistic, material, bands })
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (material, bars) in (0..=u8::MAX).zip(&self.counts) {
            for (bar, &counts) in (0i32..).zip(bars) {
                if counts != [0; 3] {
                    cells.push(Cell { material, centipawns: bar * STEP - LIMIT, counts });
                }
            }
        }
        cells
    }
}

fn refused(found: String, expected: &str) -> DatasetError {
    DatasetError::Setting { setting: "samples with evaluation and result", found, expected: expected.into() }
}

fn rated(curve: EvaluationCurve, cells: &[Cell]) -> FittedCurve {
    FittedCurve { curve, loss: loss(curve, cells) }
}

/// The coefficients of a polynomial in the order of a curve, from the order of the fit, in which the index is the power.
fn highest_first(powers: [f64; 4]) -> [f32; 4] {
    [3, 2, 1, 0].map(|power: usize| powers[power] as f32)
}

fn loss(curve: EvaluationCurve, cells: &[Cell]) -> f64 {
    let (mut sum, mut samples) = (0.0, 0.0);
    for cell in cells {
        for (count, probability) in cell.counts.iter().zip(cell.probabilities(curve)) {
            sum -= *count as f64 * probability.max(fisher::LEAST_PROBABILITY).ln();
            samples += *count as f64;
        }
    }
    sum / samples
}

/// The loss of always expecting the shares of all results.
fn constant_loss(cells: &[Cell]) -> f64 {
    let mut sums = [0.0; 3];
    for cell in cells {
        for (sum, count) in sums.iter_mut().zip(cell.counts) {
            *sum += count as f64;
        }
    }
    let samples: f64 = sums.iter().sum();
    let shares = sums.map(|sum| sum / samples);
    // The entropy; a share of zero contributes zero, although its logarithm is infinite.
    -shares.into_iter().filter(|&share| share > 0.0).map(|share| share * share.ln()).sum::<f64>()
}

/// Material of a band.
const BAND: u8 = 10;

fn bands(curve: EvaluationCurve, cells: &[Cell]) -> Vec<Band> {
    let mut bands = Vec::<Band>::new();
    for cell in cells {
        let from = cell.material / BAND * BAND;
        if bands.last().is_none_or(|band| band.from != from) {
            bands.push(Band {
                from,
                to: from.saturating_add(BAND - 1),
                samples: 0,
                happened: [0.0; 3],
                expected: [0.0; 3],
            });
        }
        let Some(band) = bands.last_mut() else { continue };
        let samples: u64 = cell.counts.iter().sum();
        band.samples += samples;
        for (outcome, probability) in cell.probabilities(curve).into_iter().enumerate() {
            band.happened[outcome] += cell.counts[outcome] as f64;
            band.expected[outcome] += probability * samples as f64;
        }
    }
    for band in &mut bands {
        let samples = band.samples as f64;
        band.happened.iter_mut().chain(&mut band.expected).for_each(|sum| *sum /= samples);
    }
    bands
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use dataset::Stage;

    fn sampled(curve: EvaluationCurve, samples: usize) -> Outcomes {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut outcomes = Outcomes::default();
        for _ in 0..samples {
            let (material, bar) = (random.random_range(5..79u8), random.random_range(-60..60));
            let centipawns = bar * STEP;
            let wdl = curve.wdl(Score::Centipawns(centipawns), Stage { ply: 0, material });
            let drawn: f32 = random.random();
            let result = match drawn {
                drawn if drawn < wdl.win => GameResult::Win,
                drawn if drawn < wdl.win + wdl.draw => GameResult::Draw,
                _ => GameResult::Loss,
            };
            outcomes.add(material, centipawns, result);
        }
        outcomes
    }

    #[test]
    fn constants_that_made_the_outcomes_are_found_again() {
        let truth = EvaluationCurve::Logistic { half_won: 180.0, spread: 75.0 };
        let fit = sampled(truth, 200_000).fit().unwrap();
        let EvaluationCurve::Logistic { half_won, spread } = fit.logistic.curve else { panic!("{fit:?}") };
        assert!((half_won - 180.0).abs() < 2.0 && (spread - 75.0).abs() < 2.0, "{half_won} {spread}");
        assert!(fit.logistic.loss < fit.default.loss && fit.samples == 200_000);
        let band = fit.bands.iter().find(|band| band.from == 40).unwrap();
        for (happened, expected) in band.happened.iter().zip(band.expected) {
            assert!((happened - expected).abs() < 0.01, "{band:?}");
        }
    }

    #[test]
    fn dependence_on_the_material_is_found() {
        let truth =
            EvaluationCurve::Material { half_won: [0.0, 60.0, -20.0, 90.0], spread: [0.0, 0.0, 30.0, 40.0] };
        let fit = sampled(truth, 400_000).fit().unwrap();
        let found = fit.material.unwrap();
        assert!(found.loss < fit.logistic.loss);
        for material in [17, 30, 45, 60, 78] {
            for centipawns in [-300, -100, 0, 50, 200] {
                let [expected, found] = [truth, found.curve]
                    .map(|curve| curve.wdl(Score::Centipawns(centipawns), Stage { ply: 0, material }).win);
                assert!((expected - found).abs() < 0.015, "{material} {centipawns}: {expected} {found}");
            }
        }
    }

    /// The end of the band was beyond a byte: 259 was 3.
    #[test]
    fn the_last_band_ends_with_the_largest_number() {
        let mut outcomes = sampled(EvaluationCurve::default(), 20_000);
        outcomes.add(u8::MAX, 0, GameResult::Draw);
        let fit = outcomes.fit().unwrap();
        let last = fit.bands.last().unwrap();
        assert_eq!((last.from, last.to, last.samples), (250, u8::MAX, 1));
    }

    #[test]
    fn outcomes_that_say_nothing_are_refused() {
        let refused = |outcomes: &Outcomes| outcomes.fit().unwrap_err().to_string();
        assert!(refused(&sampled(EvaluationCurve::default(), 999)).contains("found 999"));
        let mut reversed = Outcomes::default();
        for _ in 0..1000 {
            reversed.add(50, 300, GameResult::Loss);
            reversed.add(50, -300, GameResult::Win);
        }
        assert!(refused(&reversed).contains("no dependence of the results"));
    }
}
