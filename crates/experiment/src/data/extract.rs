//! `extract`: the network inside a UCI engine, written to a file for `label` and `neighbours`, as `net extract` does it.

use super::{Kind, Making};
use crate::{ExperimentError, Output, Step};

pub(super) const KIND: Kind = Kind { key: "extract", add };

const NAME: &str = "[data] extract";

fn add(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let word = |key| value.get(key).and_then(toml::Value::as_str);
    let (Some(engine), Some(network), Some(2)) =
        (word("engine"), word("network"), value.as_table().map(toml::Table::len))
    else {
        return Err(ExperimentError::Unexpected(format!(
            "[data] extract: found {value}, expected {{ engine = \"stockfish\", network = \"stores/stockfish.nnue\" }}"
        )));
    };
    let arguments = ["net", "extract", engine, network].map(String::from).to_vec();
    let output = Output::Material { begun: None, result: network.into(), product: making.product.clone() };
    making.before.push(Step::new(NAME, arguments, output));
    Ok(())
}
