//! `label`: an engine evaluates every position of the inputs, as in `data label`. The table has the options of that command; labels
//! in the inputs are replaced.

use super::{Kind, LABEL, Making, engine_options};
use crate::ExperimentError;

pub(super) const KIND: Kind = Kind { key: "label", add };

fn add(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let part = &mut making.parts[0];
    part.command = LABEL;
    part.options[0] = engine_options(KIND.key, value)?;
    Ok(())
}
