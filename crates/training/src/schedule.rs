//! Learning-rate schedules.

use serde::{Deserialize, Serialize};

/// The learning rate over the steps of a run: a warm-up of `warmup` steps, linear from 0 to `peak`, followed by a shape
/// that ends at `last`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
#[expect(missing_docs, reason = "the fields that every shape has are described once")]
pub enum Schedule {
    /// Half a cosine from the peak to the final rate (arXiv 1608.03983).
    Cosine {
        peak: f32,
        last: f32,
        warmup: u64,
        /// Number of steps at the end that keep the final rate. Default 0.
        #[serde(default)]
        tail: u64,
    },
    /// A constant rate that decays linearly over the last steps (arXiv 2405.18392). A run can be extended
    /// from any checkpoint before the decay.
    Plateau {
        peak: f32,
        last: f32,
        warmup: u64,
        /// Number of steps over which the rate falls.
        fall: u64,
        /// Number of steps after the fall that keep the final rate. Default 0.
        #[serde(default)]
        tail: u64,
    },
    /// A constant rate after the warm-up.
    Constant {
        peak: f32,
        /// Number of warm-up steps, linear from 0 to the peak. Default 0.
        #[serde(default)]
        warmup: u64,
    },
    /// A constant rate that is multiplied by `factor` at each of the given steps.
    Steps {
        peak: f32,
        /// Factor applied at each step listed in `at`.
        factor: f32,
        /// Steps at which the rate falls.
        at: Vec<u64>,
        warmup: u64,
    },
}

impl Default for Schedule {
    /// Chosen, not tuned: a peak within the range of the tower recipes, 1e-3 to 3e-3, and a thousandth of it
    /// at the end.
    fn default() -> Self {
        Self::Cosine { peak: 2e-3, last: 2e-6, warmup: 500, tail: 0 }
    }
}

impl Schedule {
    /// Rate after the warm-up.
    pub fn peak(&self) -> f32 {
        let (Self::Cosine { peak, .. }
        | Self::Plateau { peak, .. }
        | Self::Constant { peak, .. }
        | Self::Steps { peak, .. }) = self;
        *peak
    }

    /// Number of warm-up steps, linear from 0 to the peak.
    pub fn warmup(&self) -> u64 {
        let (Self::Cosine { warmup, .. }
        | Self::Plateau { warmup, .. }
        | Self::Constant { warmup, .. }
        | Self::Steps { warmup, .. }) = self;
        *warmup
    }

    /// The minimum number of steps that the schedule requires: warm-up, fall and tail.
    pub(crate) fn least_steps(&self) -> u64 {
        self.warmup().saturating_add(match self {
            Self::Cosine { tail, .. } => *tail,
            Self::Plateau { fall, tail, .. } => fall.saturating_add(*tail),
            Self::Constant { .. } | Self::Steps { .. } => 0,
        })
    }

    /// Shortens a warm-up that is longer than a run to a tenth of its steps.
    pub fn fit_warmup(&mut self, steps: u64) {
        let (Self::Cosine { warmup, .. }
        | Self::Plateau { warmup, .. }
        | Self::Constant { warmup, .. }
        | Self::Steps { warmup, .. }) = self;
        if *warmup > steps {
            *warmup = steps / 10;
        }
    }

    /// Rescales the schedule of a run of `before` steps to one of `after` steps: each length keeps its share
    /// of the run.
    pub(crate) fn stretch(&mut self, before: u64, after: u64) {
        let lengths: Vec<&mut u64> = match self {
            Self::Cosine { warmup, tail, .. } => vec![warmup, tail],
            Self::Plateau { warmup, fall, tail, .. } => vec![warmup, fall, tail],
            Self::Constant { warmup, .. } => vec![warmup],
            Self::Steps { at, warmup, .. } => at.iter_mut().chain([warmup]).collect(),
        };
        for steps in lengths {
            *steps = (*steps as f64 * after as f64 / before as f64).floor() as u64;
        }
    }

    /// The rate of a step; steps count from 1 to `total`.
    pub fn rate(&self, step: u64, total: u64) -> f32 {
        let (peak, warmup) = (self.peak(), self.warmup());
        if step < warmup {
            return peak * step as f32 / warmup as f32;
        }
        match self {
            Self::Cosine { last, tail, .. } => {
                let progress = progress(step, warmup, total.saturating_sub(*tail));
                between(peak, *last, 0.5 - 0.5 * (std::f64::consts::PI * progress).cos())
            }
            Self::Plateau { last, fall, tail, .. } => {
                let end = total.saturating_sub(*tail);
                between(peak, *last, progress(step, end.saturating_sub(*fall), end))
            }
            Self::Constant { .. } => peak,
            Self::Steps { factor, at, .. } => {
                let falls = at.iter().filter(|fall| **fall <= step).count();
                peak * factor.powi(falls as i32)
            }
        }
    }
}

/// Progress from step `begin` to step `end`, from 0 to 1.
fn progress(step: u64, begin: u64, end: u64) -> f64 {
    let length = end.saturating_sub(begin).max(1) as f64;
    (step.saturating_sub(begin) as f64 / length).min(1.0)
}

/// The rate at a share of the way from one rate to another.
fn between(from: f32, to: f32, share: f64) -> f32 {
    (f64::from(from) * (1.0 - share) + f64::from(to) * share) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_that_does_not_fit_is_shortened() {
        let fitted = |warmup, steps| {
            let mut schedule = Schedule::Cosine { peak: 1.0, last: 0.1, warmup, tail: 0 };
            schedule.fit_warmup(steps);
            schedule.warmup()
        };
        assert_eq!([fitted(500, 100), fitted(500, 500), fitted(500, 4000), fitted(5, 0)], [10, 500, 500, 0]);
    }

    #[test]
    fn cosine_rises_then_falls_to_the_last_rate() {
        let schedule = Schedule::Cosine { peak: 1.0, last: 0.1, warmup: 10, tail: 0 };
        assert_eq!(schedule.rate(5, 110), 0.5);
        assert_eq!(schedule.rate(10, 110), 1.0);
        assert!((schedule.rate(60, 110) - 0.55).abs() < 1e-6);
        assert!((schedule.rate(110, 110) - 0.1).abs() < 1e-6);
        assert!((schedule.rate(200, 110) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn a_tail_keeps_the_last_rate() {
        let schedule = Schedule::Cosine { peak: 1.0, last: 0.1, warmup: 10, tail: 50 };
        assert!((schedule.rate(60, 160) - 0.55).abs() < 1e-6);
        assert_eq!([110, 130, 160].map(|step| schedule.rate(step, 160)), [0.1; 3]);
        assert_eq!(schedule.least_steps(), 60);
    }

    #[test]
    fn a_plateau_falls_at_the_end() {
        let schedule = Schedule::Plateau { peak: 1.0, last: 0.2, warmup: 10, fall: 40, tail: 10 };
        assert_eq!([5, 10, 30, 50].map(|step| schedule.rate(step, 100)), [0.5, 1.0, 1.0, 1.0]);
        assert!((schedule.rate(70, 100) - 0.6).abs() < 1e-6);
        assert_eq!([90, 95, 100].map(|step| schedule.rate(step, 100)), [0.2; 3]);
    }

    #[test]
    fn a_constant_rate_stays_after_the_warm_up() {
        let schedule = Schedule::Constant { peak: 0.5, warmup: 10 };
        assert_eq!([5, 10, 11, 1000].map(|step| schedule.rate(step, 1000)), [0.25, 0.5, 0.5, 0.5]);
        let written: Schedule = toml::from_str("kind = \"constant\"\npeak = 0.001").unwrap();
        assert_eq!(written, Schedule::Constant { peak: 0.001, warmup: 0 });
    }

    #[test]
    fn rates_fall_at_the_listed_steps() {
        let schedule = Schedule::Steps { peak: 2.0, factor: 0.1, at: vec![100, 200], warmup: 0 };
        assert_eq!(schedule.rate(1, 300), 2.0);
        assert_eq!(schedule.rate(99, 300), 2.0);
        assert!((schedule.rate(100, 300) - 0.2).abs() < 1e-6);
        assert!((schedule.rate(250, 300) - 0.02).abs() < 1e-6);
    }
}
