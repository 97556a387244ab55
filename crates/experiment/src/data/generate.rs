//! `generate`: games of an engine against itself, each position with its evaluation and its best move, as played by
//! `data generate`. The table has the options of that command.

use files::WorkFolder;

use super::{Kind, Making, beside, engine_options};
use crate::{
    ExperimentError, Output, Step,
    estimate::{engine_time, positions_of_games},
};

pub(super) const KIND: Kind = Kind { key: "generate", add };

const NAME: &str = "[data] generate";

fn add(value: &toml::Value, making: &mut Making) -> Result<(), ExperimentError> {
    let options = engine_options(KIND.key, value)?;
    making.positions = positions_of_games(&options);
    let games = beside(&making.product, ".pgn");
    let mut arguments = ["data", "generate"].map(String::from).to_vec();
    arguments.push(games.display().to_string());
    arguments.extend(options);
    making.inputs.push(games.display().to_string());
    let output = Output::Material {
        begun: Some(beside(&games, ".generating").join(WorkFolder::SETUP)),
        result: games,
        product: making.product.clone(),
    };
    making.before.push(Step { estimate: engine_time, ..Step::new(NAME, arguments, output) });
    Ok(())
}
