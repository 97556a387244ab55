//! Kinds of data whose positions an engine labels: those of the inputs, and their neighbours.

use super::{Kind, LABEL_COMMAND, Making, Part, beside, engine_options};
use crate::{ExperimentError, step::DATA};

/// `label`: an engine evaluates every position of the inputs, as in `data label`. The table has the options of that command; labels
/// in the inputs are replaced.
pub(super) const LABEL: Kind = Kind { key: "label", add: add_labels };

/// `neighbours`: positions one random move away from those of the inputs, evaluated by an engine, in addition to the inputs'
/// own. A search meets mostly such positions. The value is a table, or a list of several, with the options of `data label` and
/// the number of `times` that the command runs, each time with other random moves. Each run has its own store until all are
/// merged.
pub(super) const NEIGHBOURS: Kind = Kind { key: "neighbours", add: add_neighbours };

/// Key for the number of runs of a table's command; the seed rises by one from run to run.
const TIMES: &str = "times";
const SEED: &str = "seed";

/// The option of `data label` that makes neighbours of positions.
const RANDOM_MOVES: &str = "random-moves";

fn add_labels(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let part = &mut making.parts[0];
    part.command = LABEL_COMMAND;
    part.options[0] = engine_options(LABEL.key, value)?;
    Ok(())
}

fn add_neighbours(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let tables = value.as_array().map_or_else(|| vec![value.clone()], Clone::clone);
    for mut table in tables {
        let times = number(&mut table, TIMES, 1)?;
        let seed = number(&mut table, SEED, 0)?;
        let mut options = engine_options(NEIGHBOURS.key, &table)?;
        if table.get(RANDOM_MOVES).is_none() {
            options.extend([format!("--{RANDOM_MOVES}"), "1".into()]);
        }
        for seed in seed..seed + times {
            let number = making.parts.len();
            let seeded = [options.clone(), vec![format!("--{SEED}"), seed.to_string()]].concat();
            making.parts.push(Part {
                name: format!("{DATA} {} {number}", NEIGHBOURS.key),
                store: beside(&making.product, &format!(".{}-{number}", NEIGHBOURS.key)),
                command: LABEL_COMMAND,
                options: [seeded, Vec::new()],
            });
        }
    }
    Ok(())
}

/// Takes a number out of a table.
fn number(table: &mut toml::Value, key: &str, default: i64) -> Result<i64, ExperimentError> {
    let found = table.as_table_mut().and_then(|table| table.remove(key));
    match found.as_ref().map_or(Some(default), toml::Value::as_integer) {
        Some(number @ 0..=1_000_000) => Ok(number),
        _ => Err(ExperimentError::Unexpected(format!(
            "[data] {}: {key}: found {}, expected a number from 0 to 1000000",
            NEIGHBOURS.key,
            found.map_or_else(String::new, |found| found.to_string())
        ))),
    }
}
