//! Players and rules of a match.

use std::{sync::Arc, time::Duration};

use super::{
    adjudication::{Adjudication, EndgameTable},
    pace::Pace,
};
use crate::{
    player::{Player, PlayerError, PlayerFactory},
    statistics::Sprt,
};

/// One side of a match: a player factory and its limits. Clones share the factory.
#[derive(Clone)]
pub struct Contestant {
    /// The name in records and tables.
    pub name: String,
    /// Builds the player, once for each thread and again after a failure.
    pub factory: Arc<PlayerFactory>,
    /// The player's limits.
    pub pace: Pace,
}

impl Contestant {
    /// A player without limits, for players that do not think; others set [`Contestant::pace`].
    pub fn new<F>(name: impl Into<String>, factory: F) -> Self
    where
        F: Fn() -> Result<Box<dyn Player>, PlayerError> + Send + Sync + 'static,
    {
        Self { name: name.into(), factory: Arc::new(factory), pace: Pace::default() }
    }

    /// This player with other limits.
    #[must_use]
    pub fn with_pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// The name that the player reports, for which the player is built. If that fails, its name in records.
    pub fn own_name(&self) -> String {
        (self.factory)().map_or_else(|_| self.name.clone(), |player| player.name().to_string())
    }
}

/// The rules of a match.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// Games; an even number, because every opening is played with both colours.
    pub games: u32,
    /// Games played at the same time.
    pub concurrency: usize,
    /// Seed of all random choices of the players.
    pub seed: u64,
    /// Time beyond a limit that is not penalised: it covers the delays of the system, which are not the player's fault.
    pub time_margin: Duration,
    /// Time after which a player without a time limit counts as unresponsive.
    pub patience: Duration,
    /// Rules beyond those of chess.
    pub adjudication: Adjudication,
    /// Tablebases that end games in covered positions.
    pub endgames: Option<EndgameTable>,
    /// A sequential test that ends the match when it accepts a hypothesis.
    pub sprt: Option<Sprt>,
}

impl MatchSettings {
    /// Default number of games: between equals who never draw, their 95 % interval is 69 Elo to either side.
    pub const GAMES: u32 = 100;
    /// Default number of games at the same time: more games than the processor has cores distort time limits.
    pub const CONCURRENCY: usize = 1;
    /// Default seed.
    pub const SEED: u64 = 1;
    /// Default [`MatchSettings::time_margin`]: engines exceed a time per move by hundreds of milliseconds when other programs want
    /// the processor.
    pub const TIME_MARGIN: Duration = Duration::from_secs(1);
    /// Default [`MatchSettings::patience`].
    pub const PATIENCE: Duration = Duration::from_mins(2);
}

impl Default for MatchSettings {
    fn default() -> Self {
        Self {
            games: Self::GAMES,
            concurrency: Self::CONCURRENCY,
            seed: Self::SEED,
            time_margin: Self::TIME_MARGIN,
            patience: Self::PATIENCE,
            adjudication: Adjudication::default(),
            endgames: None,
            sprt: None,
        }
    }
}

/// Settings under which no match can be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum MatchError {
    /// No game, or one without its counterpart.
    #[error(
        "a match of {games} games; expected an even number above 0: every opening is played with both colours"
    )]
    Games { games: u32 },
    #[error("concurrency 0; expected at least one game at a time")]
    Concurrency,
    #[error("game {index} was played before, but the match has no such game left; it has {games}")]
    Finished {
        /// Number of the game, from 0.
        index: u32,
        games: u32,
    },
}
