//! `sources`: files, folders or archives of games and positions.

use super::{Kind, Making};
use crate::ExperimentError;

pub(super) const KIND: Kind = Kind { key: "sources", add };

fn add(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let files =
        value.as_array().map(|files| files.iter().map(toml::Value::as_str).collect::<Option<Vec<_>>>());
    match files.flatten() {
        Some(files) if !files.is_empty() => making.inputs.extend(files.into_iter().map(String::from)),
        Some(_) => {
            let found = "[data] sources: found none, expected files of games or positions";
            return Err(ExperimentError::Unexpected(found.into()));
        }
        None => {
            let expected = format!("[data] sources: found {value}, expected a list of files");
            return Err(ExperimentError::Unexpected(expected));
        }
    }
    Ok(())
}
