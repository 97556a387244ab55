//! Kinds of data that give the inputs of a store: files, games of an engine, and the network inside one.

use files::WorkFolder;

use super::{Kind, Making, beside, engine_options};
use crate::{
    ExperimentError, Output, Step,
    estimate::{engine_time, positions_of_games},
};

/// `sources`: files, folders or archives of games and positions.
pub(super) const SOURCES: Kind = Kind { key: "sources", add: add_files };

/// `generate`: games of an engine against itself, each position with its evaluation and its best move, as played by
/// `data generate`. The table has the options of that command.
pub(super) const GENERATE: Kind = Kind { key: "generate", add: add_games };

/// `extract`: the network inside a UCI engine, written to a file for `label` and `neighbours`, as `net extract` does it.
pub(super) const EXTRACT: Kind = Kind { key: "extract", add: add_network };

fn add_files(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let files: Option<Vec<&str>> =
        value.as_array().and_then(|files| files.iter().map(toml::Value::as_str).collect());
    let Some(files) = files else {
        let expected = format!("[data] sources: found {value}, expected a list of files");
        return Err(ExperimentError::Unexpected(expected));
    };
    if files.is_empty() {
        let found = "[data] sources: found none, expected files of games or positions";
        return Err(ExperimentError::Unexpected(found.into()));
    }
    making.inputs.extend(files.into_iter().map(String::from));
    Ok(())
}

fn add_games(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let options = engine_options(GENERATE.key, value)?;
    making.positions = positions_of_games(&options);
    let games = beside(&making.product, ".pgn");
    let words = ["data", "generate", &games.display().to_string()].map(String::from);
    making.inputs.push(games.display().to_string());
    let output = Output::Material {
        begun: Some(beside(&games, ".generating").join(WorkFolder::SETUP)),
        result: games,
        product: making.product.clone(),
    };
    let step = Step::new("[data] generate", [words.to_vec(), options].concat(), output);
    making.before.push(Step { estimate: engine_time, ..step });
    Ok(())
}

fn add_network(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let engine = value.get("engine").and_then(toml::Value::as_str);
    let network = value.get("network").and_then(toml::Value::as_str);
    let (Some(engine), Some(network), Some(2)) = (engine, network, value.as_table().map(toml::Table::len))
    else {
        return Err(ExperimentError::Unexpected(format!(
            "[data] extract: found {value}, expected {{ engine = \"stockfish\", network = \"stores/stockfish.nnue\" }}"
        )));
    };
    let arguments = ["net", "extract", engine, network].map(String::from).to_vec();
    let output = Output::Material { begun: None, result: network.into(), product: making.product.clone() };
    making.before.push(Step::new("[data] extract", arguments, output));
    Ok(())
}
