//! Tuning of numeric options by games: simultaneous perturbation stochastic approximation (SPSA; Spall 1998,
//! "Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE Trans.
//! Aerosp. Electron. Syst. 34(3)), with fishtest's parameters: the step of each option at the last iteration,
//! and one rate.
//!
//! Every iteration moves all options at once, each up or down at random, and plays that setting against its mirror image.
//! The options then move towards the side that scored more.

use figures::{Axis, Chart, Colour, DrawingError, Figure, Series};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Exponent of the falling gain (Spall 1998, section III).
const ALPHA: f64 = 0.602;
/// Exponent of the falling step (Spall 1998, section III).
const GAMMA: f64 = 0.101;
/// Share of the iterations that keeps the first gains small (Spall 1998, section III: a tenth or less).
const STABILITY: f64 = 0.1;

/// A search option that SPSA moves between two bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TunedOption {
    pub name: String,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// Distance of the last iteration's two settings from the value between them; earlier settings lie further apart.
    pub step: f64,
}

/// Invalid options or numbers of iterations.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum TuningError {
    /// The range, start or step of an option.
    #[error("{name}: found {found}; expected {expected}")]
    Option { name: String, found: String, expected: &'static str },
    #[error("found {options} options and {iterations} iterations; expected at least one of each")]
    Nothing { options: usize, iterations: u32 },
    #[error("found the rate {found}; expected a number above 0")]
    Rate { found: f64 },
}

/// A tuning run: the values of the options after the iterations so far. Equal results give equal values.
#[derive(Clone, Debug)]
pub struct Spsa {
    options: Vec<TunedOption>,
    iterations: u32,
    rate: f64,
    seed: u64,
    /// The values after each iteration, the start first.
    path: Vec<Vec<f64>>,
}

/// The fastest rate accepted, in steps: already a hundred times a range of [`TunedOption`] with its usual step.
const LARGEST_RATE: f64 = 1000.0;

impl Spsa {
    /// Default number of iterations.
    pub const ITERATIONS: u32 = 200;
    /// Default number of steps that an option moves for one point in the last iteration.
    pub const RATE: f64 = 0.02;

    /// A run of this many iterations. `rate` is the number of steps that an option moves for one point in the last iteration.
    ///
    /// # Errors
    /// [`TuningError`] if a start lies outside its range, or a step or the rate is not above zero.
    pub fn new(
        options: Vec<TunedOption>,
        iterations: u32,
        rate: f64,
        seed: u64,
    ) -> Result<Self, TuningError> {
        if options.is_empty() || iterations == 0 {
            return Err(TuningError::Nothing { options: options.len(), iterations });
        }
        if !(rate > 0.0 && rate <= LARGEST_RATE) {
            return Err(TuningError::Rate { found: rate });
        }
        options.iter().try_for_each(check)?;
        let start = options.iter().map(|option| option.start).collect();
        Ok(Self { options, iterations, rate, seed, path: vec![start] })
    }

    /// The options, in the order of their values.
    pub fn options(&self) -> &[TunedOption] {
        &self.options
    }

    /// Iterations of the whole run.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Iterations completed.
    pub fn done(&self) -> u32 {
        self.path.len() as u32 - 1
    }

    /// The current values, in the order of the options.
    pub fn values(&self) -> &[f64] {
        self.path.last().map_or(&[], Vec::as_slice)
    }

    /// The values after each iteration, the start first.
    pub fn path(&self) -> &[Vec<f64>] {
        &self.path
    }

    /// The two settings that play in the next iteration.
    pub fn pair(&self) -> [Vec<f64>; 2] {
        let width = self.width();
        [1.0, -1.0].map(|side| self.moved(|option| side * width * option.step))
    }

    /// Ends the iteration: `balance` is the first setting's points less the second's.
    pub fn update(&mut self, balance: f64) {
        let stability = STABILITY * f64::from(self.iterations);
        // The rate applies to the last iteration, so the gain falls to it, and the width to one step.
        let last = stability + f64::from(self.iterations);
        let gain = self.rate * (last / (stability + f64::from(self.done()) + 1.0)).powf(ALPHA);
        let width = self.width();
        // Spall divides by the perturbation, width * sign, and 1 / sign is sign.
        let values = self.moved(|option| gain / width * option.step * balance);
        self.path.push(values);
    }

    /// The current values, each moved by this distance in the direction of its sign, within its range.
    fn moved(&self, distance: impl Fn(&TunedOption) -> f64) -> Vec<f64> {
        let mut moved = self.values().to_vec();
        for ((value, sign), option) in moved.iter_mut().zip(self.signs()).zip(&self.options) {
            *value = (*value + sign * distance(option)).clamp(option.min, option.max);
        }
        moved
    }

    /// Distance of the next iteration's two settings from the value between them, in steps: 1 in the last one.
    fn width(&self) -> f64 {
        (f64::from(self.iterations) / (f64::from(self.done()) + 1.0)).powf(GAMMA)
    }

    /// Up or down for each option in the next iteration.
    fn signs(&self) -> Vec<f64> {
        // Depends only on the number of the iteration, so that a resumed tuning plays the same pair again.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ u64::from(self.done()) << 32);
        self.options.iter().map(|_| if random.random::<bool>() { 1.0 } else { -1.0 }).collect()
    }
}

fn check(option: &TunedOption) -> Result<(), TuningError> {
    let TunedOption { start, min, max, step, .. } = option;
    let refuse =
        |found: String, expected| Err(TuningError::Option { name: option.name.clone(), found, expected });
    if !(min.is_finite() && max.is_finite() && min < max) {
        return refuse(format!("{min} to {max}"), "a range from a smaller to a larger number");
    }
    if !(min..=max).contains(&start) {
        return refuse(format!("{start} at the start, {min} to {max}"), "a start within the range");
    }
    if !(step.is_finite() && *step > 0.0 && *step <= max - min) {
        return refuse(format!("step {step}"), "a step above 0 and no wider than the range");
    }
    Ok(())
}

/// Draws the value of each option over the iterations, within its range; a grey line marks the start.
///
/// # Errors
/// [`DrawingError`].
pub fn draw(spsa: &Spsa) -> Result<String, DrawingError> {
    let charts = spsa.options().iter().enumerate().map(|(number, option)| {
        let path = (0..).zip(spsa.path()).map(|(iteration, values)| (f64::from(iteration), values[number]));
        Chart {
            title: format!("{}: {:.4}", option.name, spsa.values()[number]),
            x: Axis { range: Some(0.0..f64::from(spsa.iterations())), ..Axis::default() },
            y: Axis { range: Some(option.min..option.max), ..Axis::default() },
            series: vec![Series::new(Colour::Blue, path)],
            baseline: Some(option.start),
        }
    });
    Figure { title: String::new(), height: 180, charts: charts.collect() }.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::elo_to_score;

    fn option(start: f64, min: f64, max: f64, step: f64) -> TunedOption {
        TunedOption { name: "X".into(), start, min, max, step }
    }

    /// Plays `games` games per iteration, whose Elo falls with the square of the distance from (2, 30), in steps.
    fn tune(iterations: u32, games: u32, seed: u64) -> Spsa {
        let options = vec![option(1.0, 0.0, 4.0, 0.2), option(60.0, 0.0, 100.0, 5.0)];
        let mut spsa = Spsa::new(options, iterations, 0.02, seed).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let elo = |values: &[f64]| {
            -3.0 * ((values[0] - 2.0) / 0.2).powi(2) - 3.0 * ((values[1] - 30.0) / 5.0).powi(2)
        };
        while spsa.done() < iterations {
            let [first, second] = spsa.pair();
            let expected = elo_to_score(elo(&first) - elo(&second));
            let won = (0..games).filter(|_| random.random::<f64>() < expected).count() as f64;
            spsa.update(2.0 * won - f64::from(games));
        }
        spsa
    }

    #[test]
    fn noisy_games_lead_to_the_best_values() {
        for seed in 0..5 {
            let spsa = tune(1000, 8, seed);
            let [first, second] = spsa.values() else { panic!("two options") };
            assert!((first - 2.0).abs() < 0.4, "seed {seed}: {first}, best 2, started at 1");
            assert!((second - 30.0).abs() < 10.0, "seed {seed}: {second}, best 30, started at 60");
        }
    }

    #[test]
    fn equal_results_give_equal_values() {
        assert_eq!(tune(50, 2, 7).path(), tune(50, 2, 7).path());
        assert_ne!(tune(50, 2, 7).path(), tune(50, 2, 8).path());
    }

    #[test]
    fn the_settings_mirror_each_other_and_close_in_on_their_steps() {
        let mut spsa = Spsa::new(vec![option(1.0, 0.0, 4.0, 0.2)], 100, 0.1, 1).unwrap();
        let apart = |spsa: &Spsa| {
            let [first, second] = spsa.pair();
            assert!((first[0] + second[0] - 2.0 * spsa.values()[0]).abs() < 1e-9);
            (first[0] - second[0]).abs() / 2.0
        };
        let early = apart(&spsa);
        for _ in 0..99 {
            spsa.update(0.0);
        }
        assert!((apart(&spsa) - 0.2).abs() < 1e-9 && early > 0.3, "{early}");
        // One point in the last iteration moves it by `rate` steps towards the setting that scored.
        let [first, _] = spsa.pair();
        let before = spsa.values()[0];
        spsa.update(1.0);
        let moved = spsa.values()[0] - before;
        assert!((moved.abs() - 0.1 * 0.2).abs() < 1e-3 && (moved > 0.0) == (first[0] > before), "{moved}");
    }

    #[test]
    fn values_stay_in_their_range() {
        let mut spsa = Spsa::new(vec![option(0.0, 0.0, 1.0, 0.5)], 20, 5.0, 1).unwrap();
        for _ in 0..20 {
            assert!(spsa.pair().iter().all(|values| (0.0..=1.0).contains(&values[0])));
            spsa.update(4.0);
            assert!((0.0..=1.0).contains(&spsa.values()[0]));
        }
    }

    #[test]
    fn what_cannot_be_tuned_is_refused() {
        let refused = |option: TunedOption| Spsa::new(vec![option], 10, 0.1, 1).unwrap_err().to_string();
        assert!(refused(option(5.0, 0.0, 4.0, 0.2)).contains("start within the range"));
        assert!(refused(option(1.0, 4.0, 0.0, 0.2)).contains("smaller to a larger"));
        assert!(refused(option(1.0, 0.0, 4.0, 0.0)).contains("step above 0"));
        assert!(refused(option(f64::NAN, 0.0, 4.0, 0.1)).contains("start within the range"));
        assert_eq!(
            Spsa::new(Vec::new(), 10, 0.1, 1).unwrap_err(),
            TuningError::Nothing { options: 0, iterations: 10 }
        );
        assert!(Spsa::new(vec![option(1.0, 0.0, 4.0, 0.2)], 10, 0.0, 1).is_err());
    }

    #[test]
    fn every_option_has_its_chart() {
        let option =
            |name: &str| TunedOption { name: name.into(), start: 1.0, min: 0.0, max: 2.0, step: 0.1 };
        let mut spsa = Spsa::new(vec![option("CPuct"), option("FpuReduction")], 4, 0.5, 1).unwrap();
        spsa.update(2.0);
        let image = draw(&spsa).unwrap();
        assert!(image.starts_with("<svg") && image.matches("<polyline").count() >= 4, "{image}");
        assert!(image.contains("CPuct") && image.contains("FpuReduction"), "{image}");
    }
}
