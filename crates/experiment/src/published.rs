//! Published numbers of a system, each with the result of the step that measures the same here.

mod found;
mod source;

use std::{fmt, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::{
    found::{Found, number},
    source::Source,
};
use crate::{Experiment, ExperimentError, Learning, Sections, runner::read, steps::result_of_step};

/// One of the sections `[[published]]`: something that was reported elsewhere.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The quantity, and the method of measuring it.
    what: String,
    /// A number if a step measures the same here, otherwise the text as it was printed.
    value: PublishedValue,
    /// The step that measures the same here; `None` if none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
    /// The unit of `value`, which must be that of the metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// The number of games or positions on which the value is based, if it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u64>,
    /// The metric of a trivial predictor on the same positions, if published or computable.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<f64>,
    /// Differences of this measurement from the published one.
    #[serde(skip_serializing_if = "Option::is_none")]
    different: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum PublishedValue {
    Number(f64),
    Text(String),
}

/// The result to compare with a published number.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    /// The name of an `[[evaluation]]`, or `training`.
    step: String,
    metric: String,
}

/// A published number and its counterpart here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Pairing {
    pub what: String,
    /// The published number or text, with its unit.
    pub paper: String,
    /// The result here, or the reason for its absence.
    pub here: String,
    pub different: Option<String>,
}

impl fmt::Display for Pairing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, paper, here, different } = self;
        write!(formatter, "{what}: the paper: {paper}; {here}")?;
        different.iter().try_for_each(|different| write!(formatter, "; different: {different}"))
    }
}

impl Experiment {
    /// The published numbers in the order of the recipe, each with the result in the folder of a run.
    ///
    /// # Errors
    /// [`ExperimentError`] for a result that cannot be read.
    pub fn pairings(&self, folder: &Path) -> Result<Vec<Pairing>, ExperimentError> {
        self.sections.pairings(&self.learning, |step| read(&result_of_step(folder, step, &self.learning)))
    }
}

impl Sections {
    /// The published numbers with the results that `result` returns for the names of steps.
    pub(crate) fn pairings(
        &self,
        learning: &Learning,
        result: impl Fn(&str) -> Result<Option<Value>, ExperimentError>,
    ) -> Result<Vec<Pairing>, ExperimentError> {
        let mut pairings = Vec::with_capacity(self.published.len());
        for published in &self.published {
            let here = match &published.measured {
                None => "no step measures it".into(),
                Some(Measured { step, metric }) => match result(step)? {
                    None => "yours: not measured yet".into(),
                    Some(value) => match Source::of(self, learning, step)?.found(&value, metric) {
                        Some(found) => published.yours(&found),
                        None => {
                            format!("yours: the result of {step} has no {metric} in {}", published.unit())
                        }
                    },
                },
            };
            pairings.push(published.beside(here));
        }
        Ok(pairings)
    }

    /// Samples of the published training, if that number was published.
    pub(crate) fn published_samples(&self) -> Option<u64> {
        let mut published = self.published.iter();
        let of_training = published
            .find(|one| one.measured.as_ref().is_some_and(|measured| measured.metric == source::SAMPLES))?;
        match of_training.value {
            PublishedValue::Number(samples) => Some(samples as u64),
            PublishedValue::Text(_) => None,
        }
    }

    /// Checks that every published number names a step, a metric that the step gives, and the unit of that metric.
    pub(crate) fn check_published(&self, learning: &Learning) -> Result<(), ExperimentError> {
        self.published.iter().try_for_each(|one| one.check(self, learning))
    }
}

impl Published {
    fn beside(&self, here: String) -> Pairing {
        Pairing { what: self.what.clone(), paper: self.paper(), here, different: self.different.clone() }
    }

    /// The unit of the value; empty for a text.
    fn unit(&self) -> &str {
        self.unit.as_deref().unwrap_or_default()
    }

    fn paper(&self) -> String {
        let value = match &self.value {
            PublishedValue::Text(text) => return text.clone(),
            PublishedValue::Number(value) => value,
        };
        let unit = self.unit();
        let of = self.of.map_or(String::new(), |of| format!(" of {}", number(of as f64, source::SAMPLES)));
        let text = if unit == source::SAMPLES { number(*value, unit) } else { value.to_string() };
        let baseline = self.baseline.map_or(String::new(), |baseline| format!(" (a constant: {baseline})"));
        format!("{text} {unit}{of}{baseline}")
    }

    fn yours(&self, found: &Found) -> String {
        let unit = self.unit();
        let value = number(found.value, unit);
        if unit == source::SAMPLES {
            let PublishedValue::Number(published) = self.value else { return format!("yours: {value}") };
            return format!("yours: {value}, {:.1} % of them", 100.0 * found.value / published);
        }
        let interval = found.interval.map_or(String::new(), |[lower, upper]| {
            format!(" ({} to {})", number(lower, unit), number(upper, unit))
        });
        let trivial = found
            .trivial
            .as_ref()
            .map_or(String::new(), |(predictor, value)| format!("; {predictor}: {}", number(*value, unit)));
        let percent = if unit == "%" { " %" } else { "" };
        let samples = number(found.samples as f64, source::SAMPLES);
        format!("yours, on {samples} {}: {value}{percent}{interval}{trivial}", found.of)
    }

    fn refuse(&self, message: &str) -> Result<(), ExperimentError> {
        Err(ExperimentError::Unexpected(format!("[[published]] {:?}: {message}", self.what)))
    }

    fn check(&self, sections: &Sections, learning: &Learning) -> Result<(), ExperimentError> {
        let Some(Measured { step, metric }) = &self.measured else {
            let is_number = matches!(self.value, PublishedValue::Number(_));
            if is_number || self.unit.is_some() || self.of.is_some() || self.baseline.is_some() {
                return self.refuse("found a number, `unit`, `of` or `baseline`, expected a text as `value`, or `measured = { step, metric }`");
            }
            return Ok(());
        };
        let PublishedValue::Number(_) = self.value else {
            return self.refuse("value: found a text, expected a number where there is `measured`");
        };
        let source = Source::of(sections, learning, step)
            .map_err(ExperimentError::at(format!("[[published]] {:?}", self.what)))?;
        let metrics = source.metrics();
        let Some((_, unit)) = metrics.iter().find(|(name, _)| name == metric) else {
            let known: Vec<&str> = metrics.iter().map(|(name, _)| name.as_str()).collect();
            let known = known.join(", ");
            return self
                .refuse(&format!("measured.metric: found {metric:?}, expected one of {known} of {step}"));
        };
        match &self.unit {
            Some(found) if found == unit => Ok(()),
            found => {
                let found = found.as_ref().map_or("nothing".into(), |found| format!("{found:?}"));
                self.refuse(&format!(
                    "unit: found {found}, expected {unit:?}, in which {step} gives {metric}"
                ))
            }
        }
    }
}
