//! The metrics of a validation, and their names in files.

use figures::Measurement;

use super::{Baselines, Metrics};

macro_rules! metrics {
    ($($metric:ident $field:ident,)*) => {
        /// A metric of a network on held-out samples, defined at the fields of [`Metrics`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Metric {
            $(#[doc = concat!("[`Metrics::", stringify!($field), "`].")] $metric,)*
        }

        impl Metric {
            /// All metrics.
            pub const ALL: [Self; 12] = [$(Self::$metric),*];

            /// Its name in files: that of its field in [`Metrics`].
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$metric => stringify!($field),)*
                }
            }
        }

        impl Metrics {
            /// The value of a metric; `None` if it was not measured.
            pub fn value(&self, metric: Metric) -> Option<f64> {
                match metric {
                    $(Metric::$metric => Option::from(self.$field),)*
                }
            }
        }
    };
}

metrics! {
    PolicyLoss policy_loss,
    Top1 top1,
    Top3 top3,
    Top5 top5,
    PolicyEntropy policy_entropy,
    IllegalMoveLoss illegal_move_loss,
    AllMovesLoss all_moves_loss,
    ValueLoss value_loss,
    ValueError value_error,
    ValueRms value_rms,
    ValueCorrelation value_correlation,
    CalibrationError calibration_error,
}

/// Reads one metric of a trivial predictor.
type ReadBaseline = fn(&Baselines) -> Option<f64>;

impl Metric {
    /// Its unit in recipes; `value_unit` is the unit of the value loss ([`crate::LossConfig::value_unit`]).
    pub fn unit(self, value_unit: &'static str) -> &'static str {
        match self {
            Self::PolicyLoss | Self::PolicyEntropy | Self::IllegalMoveLoss | Self::AllMovesLoss => "nats",
            Self::Top1 | Self::Top3 | Self::Top5 => "%",
            Self::ValueLoss => value_unit,
            Self::ValueError | Self::ValueRms | Self::CalibrationError => "points",
            Self::ValueCorrelation => "r",
        }
    }

    /// True for a metric of the policy, which a network without one lacks.
    pub fn is_of_policy(self) -> bool {
        use Metric::{AllMovesLoss, IllegalMoveLoss, PolicyEntropy, PolicyLoss, Top1, Top3, Top5};
        matches!(self, PolicyLoss | Top1 | Top3 | Top5 | PolicyEntropy | IllegalMoveLoss | AllMovesLoss)
    }

    /// The name under which a weights file keeps the result of a trivial predictor for this metric; `None` if it keeps none.
    pub fn baseline_key(self) -> Option<String> {
        self.baseline().map(|(predictor, _)| format!("{}_{predictor}", self.key()))
    }

    /// The trivial predictor stored with this metric in weights files, with its reader; `None` if none is
    /// stored.
    fn baseline(self) -> Option<(&'static str, ReadBaseline)> {
        Some(match self {
            Self::PolicyLoss => ("uniform", |baselines| Some(baselines.policy_loss)),
            Self::Top1 => ("uniform", |baselines| Some(baselines.top1)),
            Self::IllegalMoveLoss => ("uniform", |baselines| baselines.illegal_move_loss),
            Self::AllMovesLoss => ("uniform", |baselines| {
                baselines.illegal_move_loss.map(|illegal| illegal + baselines.policy_loss)
            }),
            Self::ValueLoss => ("mean", |baselines| baselines.value_loss),
            Self::ValueError => ("mean", |baselines| baselines.value_error),
            _ => return None,
        })
    }
}

impl Metrics {
    /// The 95 % interval of a metric; `None` if it has none.
    pub fn interval(&self, metric: Metric) -> Option<Measurement> {
        self.intervals.get(metric.key()).copied()
    }

    /// The result of the trivial predictor for a metric on the same samples, with the predictor's name; `None` if there is none.
    pub fn trivial(&self, metric: Metric) -> Option<(&'static str, f64)> {
        let (predictor, value) = metric.baseline()?;
        Some((predictor, value(&self.baselines)?))
    }

    /// The number of samples, and the metrics and baselines that are known, each by its name in weights files.
    pub(super) fn named(&self) -> Vec<(String, f64)> {
        let metrics = Metric::ALL.into_iter().flat_map(|metric| {
            let value = self.value(metric).map(|value| (metric.key().to_owned(), value));
            let baseline = self.trivial(metric).map(|(_, value)| value);
            [value, metric.baseline_key().zip(baseline)]
        });
        let positions = Some(("positions".to_owned(), self.positions as f64));
        std::iter::once(positions).chain(metrics).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_names_of_the_fields() {
        let mut fields = serde_json::to_value(Metrics::default()).unwrap();
        for (place, metric) in Metric::ALL.into_iter().enumerate() {
            fields[metric.key()] = (place + 1).into();
        }
        let metrics: Metrics = serde_json::from_value(fields).unwrap();
        for (place, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(metrics.value(metric), Some((place + 1) as f64), "{metric:?}");
        }
        assert_eq!(metrics.named().len(), 1 + Metric::ALL.len() + 2, "two baselines are always known");
        assert_eq!(Metric::ValueError.baseline_key().as_deref(), Some("value_error_mean"));
    }
}
