//! The learning rate over the run.

use serde::{Deserialize, Serialize};

/// How the learning rate falls after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum Schedule {
    /// Half a cosine from the peak to the final rate (arXiv 1608.03983).
    Cosine {
        /// Rate after the warm-up.
        peak: f32,
        /// Rate at the last step.
        last: f32,
        /// Steps of linear rise from 0 to the peak.
        warmup: u64,
    },
    /// A constant rate that is multiplied by `factor` at each of the given steps.
    Steps {
        /// Rate after the warm-up.
        peak: f32,
        /// Factor at each step listed in `at`.
        factor: f32,
        /// Where the rate falls.
        at: Vec<u64>,
        /// Steps of linear rise from 0 to the peak.
        warmup: u64,
    },
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Cosine { peak: 2e-3, last: 2e-6, warmup: 500 }
    }
}

impl Schedule {
    /// The rate of a step; steps count from 1 to `total`.
    pub fn rate(&self, step: u64, total: u64) -> f32 {
        let (Self::Cosine { peak, warmup, .. } | Self::Steps { peak, warmup, .. }) = self;
        if step < *warmup {
            return peak * step as f32 / *warmup as f32;
        }
        match self {
            Self::Cosine { peak, last, warmup } => {
                let length = total.saturating_sub(*warmup).max(1) as f64;
                let progress = ((step - warmup) as f64 / length).min(1.0);
                let share = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
                (f64::from(*last) + f64::from(peak - last) * share) as f32
            }
            Self::Steps { peak, factor, at, .. } => {
                let falls = at.iter().filter(|fall| **fall <= step).count();
                peak * factor.powi(falls as i32)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_rises_then_falls_to_the_last_rate() {
        let schedule = Schedule::Cosine { peak: 1.0, last: 0.1, warmup: 10 };
        assert_eq!(schedule.rate(5, 110), 0.5);
        assert_eq!(schedule.rate(10, 110), 1.0);
        assert!((schedule.rate(60, 110) - 0.55).abs() < 1e-6);
        assert!((schedule.rate(110, 110) - 0.1).abs() < 1e-6);
        assert!((schedule.rate(200, 110) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn steps_fall_where_they_are_told_to() {
        let schedule = Schedule::Steps { peak: 2.0, factor: 0.1, at: vec![100, 200], warmup: 0 };
        assert_eq!(schedule.rate(1, 300), 2.0);
        assert_eq!(schedule.rate(99, 300), 2.0);
        assert!((schedule.rate(100, 300) - 0.2).abs() < 1e-6);
        assert!((schedule.rate(250, 300) - 0.02).abs() < 1e-6);
    }
}
