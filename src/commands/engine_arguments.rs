//! The arguments that name an engine.

use std::time::Duration;

use anyhow::Context as _;
use network::{ISAS, PRECISIONS, Precision};
use player::{
    BUNDLED, DEFAULT_NETWORK, EVALUATORS, OpenError, OpenedEvaluator, PlayerSpecification, SYSTEMS,
    SearchSetup, open_evaluator,
};
use search::{SEARCHES, SearchKind};
use strength::{
    Pace,
    campaign::{CampaignError, LevelledEngine},
};

/// The arguments that name an engine, shared by every command that runs one.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct EngineArguments {
    #[arg(long, value_name = "PATH", default_value = DEFAULT_NETWORK, help = format!(
        "{}, the mean of two: `A+B`, or a UCI engine that judges positions: `uci:COMMAND:nodes=N`", named_evaluators()
    ))]
    pub(crate) net: String,
    #[arg(long, value_name = "PRECISION", help = precision_help())]
    pub(crate) precision: Option<Precision>,
    /// UCI option: one of the search, SyzygyPath or BookFile; may be repeated (type `uci` in `tabiya uci` to list them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    pub(crate) options: Vec<(String, String)>,
}

impl EngineArguments {
    pub(crate) fn open(&self) -> Result<OpenedEvaluator, OpenError> {
        open_evaluator(&self.net, self.precision)
    }

    /// The player that `--net` names, with its own search or the one chosen.
    pub(crate) fn player(&self, search: Option<&'static SearchKind>) -> PlayerSpecification {
        PlayerSpecification::of_net(&self.net, search)
    }

    /// The options of a search, changed by `--option`: those of the player, or the defaults.
    pub(crate) fn search_setup(&self, player: Option<&PlayerSpecification>) -> anyhow::Result<SearchSetup> {
        let options = player.map(|player| player.options_with(&self.options));
        SearchSetup::new(options.as_ref().unwrap_or(&self.options)).context("--option")
    }
}

/// The engine whose `UCI_Elo` levels are the scale of ratings, and its limit at these levels.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LevelledEngineArguments {
    /// Engine with `UCI_Elo` levels: a command in PATH or /usr/games
    #[arg(long, default_value = LevelledEngine::COMMAND, value_name = "COMMAND")]
    engine: String,
    /// Time per move of the engine at its levels, in milliseconds
    #[arg(long, default_value_t = LevelledEngine::MOVE_TIME.as_millis() as u64, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes per move of the engine at its levels, instead of time
    #[arg(long, value_name = "N", conflicts_with = "movetime")]
    nodes: Option<u64>,
}

impl LevelledEngineArguments {
    /// The engine with levels `step` Elo apart, starting at `from` or at the lowest.
    pub(crate) fn open(&self, step: i64, from: Option<i64>) -> Result<LevelledEngine, CampaignError> {
        let move_time = self.nodes.is_none().then(|| Duration::from_millis(self.movetime));
        let pace = Pace { nodes: self.nodes, move_time, ..Pace::default() };
        LevelledEngine::open(&self.engine, pace, step, from)
    }
}

/// The help of an argument that names one network whose layers are read.
pub(crate) fn named_weights() -> String {
    one_of("Weights file (.tabiya, lc0's .pb.gz)")
}

/// The help of an argument that names one network.
pub(crate) fn named_networks() -> String {
    one_of("Weights file (.tabiya, lc0's .pb.gz, .onnx)")
}

fn one_of(file: &str) -> String {
    format!(
        "{file}, a bundled network: {}, or that of a reproduced system: {}",
        quoted(BUNDLED.iter().map(|network| network.name)),
        quoted(SYSTEMS.iter().map(|system| system.network.name))
    )
}

/// The help of an argument that names an evaluator.
pub(crate) fn named_evaluators() -> String {
    format!("{}, a baseline: {}", named_networks(), quoted(EVALUATORS.iter().map(|evaluator| evaluator.name)))
}

fn quoted(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn precision_help() -> String {
    let precisions: Vec<&str> = PRECISIONS.iter().map(|precision| precision.name()).collect();
    let isas: Vec<&str> = ISAS.iter().map(|isa| isa.name()).collect();
    format!(
        "Number format on the CPU: {}; int8 of a residual tower needs a calibration (`tabiya net calibrate`). Default: bf16 with AMX, int8 with AVX-512 VNNI for \
         calibrated networks, else f32. The environment variable TABIYA_ISA selects the instruction set: {}",
        precisions.join(", "),
        isas.join(", ")
    )
}

/// The help of an option that names a search; it lists every search of the program.
pub(crate) fn search_help() -> String {
    let names: Vec<&str> = SEARCHES.iter().map(|kind| kind.name).collect();
    format!(
        "Search of the engine: {}; default: that of a system's recipe, else {}",
        names.join(", "),
        names[0]
    )
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(format!("found {text:?}, expected NAME=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_split_at_the_first_equals_sign() {
        assert_eq!(parse_option("A b = c=d"), Ok(("A b".into(), "c=d".into())));
        assert!(parse_option("Hash").is_err());
        assert!(parse_option("=3").is_err());
    }
}
