//! Steps whose results can be compared with published numbers, and their metrics.

use serde_json::Value;
use strength::{ladder::LadderReport, matches::MatchReport};
use training::{LossConfig, Metric, Validation};

use super::found::Found;
use crate::{ExperimentError, Learning, Sections, step::TRAINING};

/// The metric and the unit of the size of a training.
pub(super) const SAMPLES: &str = "samples";

/// The unit of shares.
const PERCENT: &str = "%";

/// A kind of result.
pub(super) enum Source {
    /// `net validate`: the metrics that the network has, with their units.
    Validation(Vec<(Metric, &'static str)>),
    Match,
    Ladder,
    Agreement,
    /// The training of a network.
    Training,
    /// The training of learners: their names and `together`.
    Learners(Vec<String>),
}

/// The learners of a recipe together.
const TOGETHER: &str = "together";

/// Shares of the games of a match.
const OF_GAMES: [&str; 4] = ["won", "drawn", "lost", "score"];

impl Source {
    /// The results of a step: an evaluation by its name, or the training.
    ///
    /// # Errors
    /// [`ExperimentError::Unexpected`] for a step that does not exist, or whose results are of another kind.
    pub(super) fn of(sections: &Sections, learning: &Learning, step: &str) -> Result<Self, ExperimentError> {
        if step == TRAINING {
            return Ok(match learning {
                Learning::Network(_) => Self::Training,
                Learning::Learners(recipe) => {
                    let names = recipe.learner.members.keys().cloned();
                    Self::Learners(names.chain([TOGETHER.into()]).collect())
                }
            });
        }
        let Some(evaluation) = sections.evaluation.iter().find(|one| one.name == step) else {
            let names = sections.evaluation.iter().map(|one| one.name.as_str());
            let names: Vec<&str> = names.chain([TRAINING]).collect();
            return Err(ExperimentError::Unexpected(format!(
                "measured.step: found {step:?}, expected one of {}",
                names.join(", ")
            )));
        };
        let words: Vec<&str> = evaluation.command.split_whitespace().collect();
        match (&words[..], learning) {
            (["net", "validate", ..], Learning::Network(recipe)) => {
                let by_recipe = words.contains(&"--recipe");
                let losses = if by_recipe { recipe.losses } else { LossConfig::default() };
                let unit = losses.value_unit(recipe.network.value_kind());
                let metrics = Metric::ALL.into_iter().filter(|metric| {
                    if metric.is_of_policy() { recipe.network.has_policy() } else { !unit.is_empty() }
                });
                Ok(Self::Validation(metrics.map(|metric| (metric, metric.unit(unit))).collect()))
            }
            (["match", ..], _) => Ok(Self::Match),
            (["ladder", ..], _) => Ok(Self::Ladder),
            (["metrics", "agreement", ..], _) => Ok(Self::Agreement),
            _ => Err(ExperimentError::Unexpected(format!(
                "measured.step: found {step:?} (`{}`), expected a step of net validate, match, ladder or metrics agreement",
                evaluation.command
            ))),
        }
    }

    /// The metrics with their units.
    pub(super) fn metrics(&self) -> Vec<(String, &'static str)> {
        let (names, unit): (&[&str], _) = match self {
            Self::Validation(metrics) => {
                return metrics.iter().map(|(metric, unit)| (metric.key().to_owned(), *unit)).collect();
            }
            Self::Learners(names) => return names.iter().map(|name| (name.clone(), "pawns")).collect(),
            Self::Match => (&OF_GAMES, PERCENT),
            Self::Ladder => (&["rating"], "Elo"),
            Self::Agreement => (&["first", "second"], PERCENT),
            Self::Training => (&[SAMPLES], SAMPLES),
        };
        names.iter().map(|&name| (name.to_owned(), unit)).collect()
    }

    /// The value of a metric in the JSON of the step, in the metric's unit; `None` if it is not there.
    pub(super) fn found(&self, result: &Value, metric: &str) -> Option<Found> {
        match self {
            Self::Validation(metrics) => {
                let (metric, unit) = *metrics.iter().find(|(known, _)| known.key() == metric)?;
                let validation: Validation = serde_json::from_value(result.clone()).ok()?;
                if metric == Metric::ValueLoss && validation.value_unit != unit {
                    return None;
                }
                let found = Found::of_validation(&validation.overall, metric)?;
                Some(if unit == PERCENT { found.percent() } else { found })
            }
            Self::Match => {
                let report: MatchReport = serde_json::from_value(result.clone()).ok()?;
                Found::of_games(report.games, metric).map(Found::percent)
            }
            Self::Ladder => {
                let report: LadderReport = serde_json::from_value(result.clone()).ok()?;
                Found::of_rating(&report.rating?)
            }
            Self::Agreement => {
                let measured = serde_json::from_value(result["table"][metric].clone()).ok()?;
                Some(Found::of(measured, "positions").percent())
            }
            Self::Training => Some(Found::alone(result["positions"].as_u64()? as f64)),
            Self::Learners(_) => {
                let mut members = result["learners"].as_array()?.iter();
                let error = if metric == TOGETHER {
                    &result["ensemble"]
                } else {
                    &members.find(|member| member["name"] == metric)?["error"]
                };
                let samples = result["test_positions"].as_u64()?;
                let trivial = Some(("a constant", result["constant"].as_f64()?));
                Some(Found { value: error.as_f64()?, interval: None, samples, of: "positions", trivial })
            }
        }
    }
}
