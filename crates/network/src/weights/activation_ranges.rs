//! Ranges of activations, as stored in a weights file.

use std::collections::BTreeMap;

use kernels::Calibration;
use serde::{Deserialize, Serialize};

use crate::{NetworkError, container::Container};

/// Key of the ranges in the header.
const KEY: &str = "calibration";

/// The ranges of a network's activations between layers, measured on real positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivationRanges {
    /// Number of positions on which they were measured.
    pub positions: u64,
    /// Hash of the sample store with these positions.
    pub data: String,
    /// The largest value worth representing, for each activation by name.
    pub ranges: BTreeMap<String, f32>,
}

impl ActivationRanges {
    /// Reads the ranges from a weights file's header, if it has them.
    pub(super) fn from_header(container: &Container, place: &str) -> Result<Option<Self>, NetworkError> {
        let Some(text) = container.header.get(KEY) else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|error| NetworkError::Syntax {
            place: format!("{place}: header key `{KEY}`"),
            reason: error.to_string(),
        })
    }

    /// The entry of a weights file's header.
    pub(super) fn to_header(&self) -> Result<(String, String), NetworkError> {
        let text = serde_json::to_string(self)
            .map_err(|error| NetworkError::Syntax { place: KEY.into(), reason: error.to_string() })?;
        Ok((KEY.into(), text))
    }

    /// The ranges in the order that the kernels expect.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if one of `tensors` has no range, or if a range is negative or not a number.
    pub(crate) fn in_order(&self, tensors: &[String]) -> Result<Calibration, NetworkError> {
        let range = |name: &String| {
            let found = self.ranges.get(name).copied();
            found.filter(|range| range.is_finite() && *range >= 0.0).ok_or_else(|| NetworkError::Format {
                place: "calibration".into(),
                what: format!("range of `{name}`"),
                found: found.map_or_else(|| "nothing".into(), |range| range.to_string()),
                expected: "a number, 0 or more".into(),
            })
        };
        Ok(Calibration { ranges: tensors.iter().map(range).collect::<Result<_, _>>()? })
    }
}
