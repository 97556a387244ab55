//! An engine with strength levels.

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use protocol::{
    OptionKind,
    process::{UciProcess, UciProcessConfig},
};
use strength::{Contestant, Pace, player::UciPlayer};

/// How much the engine thinks about a move: nodes, or else milliseconds.
pub(crate) fn engine_pace(nodes: Option<u64>, movetime: u64) -> Pace {
    let move_time = nodes.is_none().then(|| Duration::from_millis(movetime));
    Pace { nodes, move_time, ..Pace::default() }
}

/// The engine of the ladder.
pub(crate) struct Engine {
    /// The command that starts it.
    pub(crate) command: String,
    /// The name it gives itself.
    pub(crate) name: String,
    /// Its levels, weakest first.
    pub(crate) levels: Vec<i64>,
    /// How much it thinks about a move at its levels.
    pub(crate) pace: Pace,
}

impl Engine {
    /// Asks the engine for its name and range.
    pub(crate) fn open(command: &str, pace: Pace, step: i64, from: Option<i64>) -> Result<Self> {
        let process = UciProcess::spawn(&UciProcessConfig::new(command))
            .with_context(|| format!("the engine of the ladder, {command}"))?;
        let name = process.name().to_string();
        let (Some(option), true) = (process.option("UCI_Elo"), process.option("UCI_LimitStrength").is_some())
        else {
            bail!(
                "{name} has no UCI_LimitStrength and UCI_Elo; a ladder needs an engine with strength levels"
            );
        };
        let OptionKind::Spin { min, max, .. } = option.kind else {
            bail!("{name} declares UCI_Elo as {:?}; expected a range", option.kind);
        };
        let first = from.unwrap_or(min);
        ensure!((min..=max).contains(&first), "--from {first}: {name} has the levels {min} to {max}");
        let steps = (max - first - 1).max(-1).div_euclid(step) + 1;
        let mut levels: Vec<i64> = (0..steps).map(|index| first + index * step).collect();
        levels.push(max);
        Ok(Self { command: command.into(), name, levels, pace })
    }

    /// The engine at one of its levels.
    pub(crate) fn at_level(&self, elo: i64) -> Contestant {
        let config = UciProcessConfig::new(&self.command)
            .option("UCI_LimitStrength", "true")
            .option("UCI_Elo", elo.to_string());
        contestant(format!("{} UCI_Elo {elo}", self.name), config).with_pace(self.pace)
    }

    /// The engine at full strength with fixed nodes.
    pub(crate) fn at_nodes(&self, nodes: u64) -> Contestant {
        let pace = Pace { nodes: Some(nodes), ..Pace::default() };
        let name = format!("{} {nodes} nodes", self.name);
        contestant(name, UciProcessConfig::new(&self.command)).with_pace(pace)
    }
}

fn contestant(name: String, config: UciProcessConfig) -> Contestant {
    Contestant::new(name, move || Ok(Box::new(UciPlayer::start(&config)?)))
}
