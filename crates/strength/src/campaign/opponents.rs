//! The opponents of a ladder: players weaker than an engine's levels, these levels, and the engine at full strength.

use std::{ops::RangeInclusive, time::Duration};

use files::Inputs;
use protocol::{
    OptionKind,
    process::{UciProcess, UciProcessConfig},
};

use super::CampaignError;
use crate::{
    matches::{Contestant, ContestantConditions, Pace},
    player::{UciPlayer, program_hash},
};

/// A player whose rating was measured on the scale of an engine's levels.
#[derive(Clone)]
pub struct RatedPlayer {
    /// Name in the result.
    pub name: String,
    /// Rating on that scale.
    pub elo: f64,
    /// Builds the player.
    pub contestant: Contestant,
}

/// Players below an engine's levels.
#[derive(Clone, Default)]
pub struct WeakerPlayers {
    /// The players, weakest first, all rated below the engine's lowest level.
    pub players: Vec<RatedPlayer>,
    /// How their ratings were measured, or why there are none.
    pub conditions: String,
}

/// Everyone a player can meet on a ladder, numbered from the weakest.
pub struct Opponents {
    /// Players weaker than the engine's lowest level.
    pub weaker: WeakerPlayers,
    /// The engine whose levels are the scale.
    pub engine: LevelledEngine,
    /// Node counts of the engine at full strength, where it has no rating.
    pub beyond: Vec<u64>,
}

impl Opponents {
    /// Ratings of those that have one; their numbers are the first ones.
    pub fn ratings(&self) -> Vec<f64> {
        let weaker = self.weaker.players.iter().map(|player| player.elo);
        weaker.chain(self.engine.levels.iter().map(|&level| level as f64)).collect()
    }

    /// Number of the engine's lowest level.
    pub(super) fn lowest_level(&self) -> usize {
        self.weaker.players.len()
    }

    /// Number of all of them.
    pub(super) fn count(&self) -> usize {
        self.lowest_level() + self.engine.levels.len() + self.beyond.len()
    }

    /// The opponent with a number, and its name in the result.
    pub(super) fn of(&self, number: usize) -> (String, Contestant) {
        let Some(level) = number.checked_sub(self.lowest_level()) else {
            let player = &self.weaker.players[number];
            return (player.name.clone(), player.contestant.clone());
        };
        if let Some(&elo) = self.engine.levels.get(level) {
            return (format!("UCI_Elo {elo}"), self.engine.at_level(elo));
        }
        let nodes = self.beyond[level - self.engine.levels.len()];
        (format!("full, {nodes} nodes"), self.engine.at_nodes(nodes))
    }

    pub(super) fn conditions(&self) -> ContestantConditions {
        let mut conditions = self.engine.conditions();
        if !self.weaker.conditions.is_empty() {
            conditions.identity.push(("people".into(), self.weaker.conditions.clone()));
        }
        conditions
    }
}

/// Ratings that an engine's levels may have: the range is the engine's own word, and each step in it becomes a level.
const RATINGS: RangeInclusive<i64> = -10_000..=10_000;

/// An engine that plays at the ratings of its option `UCI_Elo`.
pub struct LevelledEngine {
    /// The command that starts it.
    pub command: String,
    /// The name that the engine reports.
    pub name: String,
    /// Its levels, weakest first.
    pub levels: Vec<i64>,
    /// The engine's limits at its levels.
    pub pace: Pace,
}

impl LevelledEngine {
    /// Default for [`LevelledEngine::command`].
    pub const COMMAND: &str = "stockfish";
    /// Default time that the engine has for a move at its levels.
    pub const MOVE_TIME: Duration = Duration::from_millis(100);
    /// Default distance in Elo between neighbouring levels.
    pub const STEP: u32 = 100;

    /// Queries the engine's name and range; levels are `step` Elo apart and begin at `from`, or at its
    /// lowest.
    ///
    /// # Errors
    /// [`CampaignError::Engine`], [`CampaignError::NoLevels`] and [`CampaignError::NoSuchLevel`].
    pub fn open(command: &str, pace: Pace, step: i64, from: Option<i64>) -> Result<Self, CampaignError> {
        let process = UciProcess::spawn(&UciProcessConfig::new(command))
            .map_err(|source| CampaignError::Engine { command: command.into(), source: Box::new(source) })?;
        let name = process.name().to_string();
        let [min, max] = range_of_levels(&process)
            .map_err(|missing| CampaignError::NoLevels { engine: name.clone(), missing })?;
        let first = from.unwrap_or(min);
        if !(min..=max).contains(&first) {
            return Err(CampaignError::NoSuchLevel { from: first, engine: name, min, max });
        }
        let steps = (max - first - 1).max(-1).div_euclid(step) + 1;
        let mut levels: Vec<i64> = (0..steps).map(|index| first + index * step).collect();
        levels.push(max);
        Ok(Self { command: command.into(), name, levels, pace })
    }

    /// Adds the engine to the inputs of a campaign: its program, and the name that it reports.
    #[must_use]
    pub fn add_to(&self, inputs: Inputs) -> Inputs {
        let facts = [("program", program_hash(&self.command)), ("engine", self.name.clone())];
        let facts = facts.map(|(name, value)| (name.to_owned(), value));
        inputs.with(format!("engine {}", self.command), facts.into())
    }

    /// The engine limited to a rating by `UCI_LimitStrength` and `UCI_Elo`, at the pace of the scale.
    pub fn at_level(&self, elo: i64) -> Contestant {
        let config = UciProcessConfig::new(&self.command)
            .option("UCI_LimitStrength", "true")
            .option("UCI_Elo", elo.to_string());
        contestant(format!("{} UCI_Elo {elo}", self.name), config).with_pace(self.pace)
    }

    /// The engine at full strength with fixed nodes.
    pub fn at_nodes(&self, nodes: u64) -> Contestant {
        let pace = Pace { nodes: Some(nodes), ..Pace::default() };
        let name = format!("{} {nodes} nodes", self.name);
        contestant(name, UciProcessConfig::new(&self.command)).with_pace(pace)
    }

    pub(super) fn conditions(&self) -> ContestantConditions {
        let options = vec![("options".into(), "UCI_LimitStrength=true, UCI_Elo=LEVEL".into())];
        ContestantConditions::new(self.command.clone(), self.name.clone(), self.pace, options)
    }
}

/// Lowest and highest rating of an engine's levels.
///
/// # Errors
/// What the engine lacks.
fn range_of_levels(process: &UciProcess) -> Result<[i64; 2], &'static str> {
    let option = process.option("UCI_Elo").filter(|_| process.option("UCI_LimitStrength").is_some());
    let OptionKind::Spin { min, max, .. } = option.ok_or("UCI_LimitStrength and UCI_Elo")?.kind else {
        return Err("range of UCI_Elo");
    };
    if [min, max].iter().any(|end| !RATINGS.contains(end)) {
        return Err("range of UCI_Elo within -10000 to 10000");
    }
    Ok([min, max])
}

fn contestant(name: String, config: UciProcessConfig) -> Contestant {
    Contestant::new(name, move || Ok(Box::new(UciPlayer::start(&config)?)))
}
