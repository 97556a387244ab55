//! `label`: an engine evaluates every position of the inputs, as `data label` asks it. The table has the options of that command;
//! what the inputs say about their positions is replaced.

use super::{Kind, LABEL, Making, engine_options};
use crate::ExperimentError;

pub(super) const KIND: Kind = Kind { key: "label", add };

fn add(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let part = &mut making.parts[0];
    part.command = LABEL;
    part.options[0] = engine_options(KIND.key, value)?;
    Ok(())
}
