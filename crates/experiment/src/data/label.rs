//! `label`: an engine evaluates every position of the inputs, as `data label` asks it. The table has the options of that command;
//! what the inputs say about their positions is replaced.

use super::{Kind, Making, beside, engine_options};
use crate::ExperimentError;

pub(super) const KIND: Kind = Kind { key: "label", add };

fn add(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let options = engine_options(KIND.key, value)?;
    making.command = ["data", "label"].map(String::from).to_vec();
    making.command.push(making.store.display().to_string());
    making.command.extend(options);
    making.unfinished = Some(beside(&making.store, ".labelling").join("setup.json"));
    Ok(())
}
