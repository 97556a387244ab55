//! Settings of a new game, and their validation.

use chess::{Color, Game, GameError};
use dataset::record::TimeControl;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    engine::{Engines, shortened},
    limits::MOST_MOVE_NODES,
};

/// Longest time per move of the engine, in milliseconds.
const LONGEST_MOVE_MS: u64 = 120_000;
/// Longest time on a clock, milliseconds.
const LONGEST_CLOCK_MS: u64 = 3 * 60 * 60 * 1000;
/// Largest increment, milliseconds.
const LARGEST_INCREMENT_MS: u64 = 60_000;
/// Highest temperature: beyond it the choice is almost random.
const HIGHEST_TEMPERATURE: f32 = 10.0;

/// The person's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    #[default]
    White,
    Black,
    /// Whichever chance gives.
    Random,
}

/// A clock with an increment after each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockSettings {
    /// Time of each side at the start, milliseconds.
    #[schema(example = 180_000)]
    pub(crate) initial_ms: u64,
    /// Time added after each move, milliseconds.
    #[schema(example = 2000)]
    pub(crate) increment_ms: u64,
}

impl ClockSettings {
    /// The clock as files of games name it, in whole seconds.
    pub(super) fn time_control(self) -> TimeControl {
        TimeControl {
            base_seconds: u32::try_from(self.initial_ms / 1000).unwrap_or(u32::MAX),
            increment_seconds: u32::try_from(self.increment_ms / 1000).unwrap_or(u32::MAX),
        }
    }
}

/// A new game against the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NewGame {
    /// The engine's network; the first of the list if omitted.
    pub(crate) network: Option<String>,
    /// The person's side.
    pub(crate) color: Side,
    /// Visits per move. At most one of `nodes` and `move_time_ms`; with neither, the engine plays by the clock, or with 800
    /// visits in a game without clocks.
    pub(crate) nodes: Option<u64>,
    /// Time per move, milliseconds.
    pub(crate) move_time_ms: Option<u64>,
    /// Temperature of the engine's choice of moves: 0 plays the best found.
    pub(crate) temperature: f32,
    /// Clock; none if omitted.
    pub(crate) clock: Option<ClockSettings>,
    /// Makes the engine take about as long for a move as people do. Needs a clock, of which its time is a share, and excludes
    /// `move_time_ms`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) human_time: bool,
    /// Start position, FEN; the usual one if omitted.
    pub(crate) fen: Option<String>,
    /// Name of a level or of a network, under which the game is recorded. A level gives network, nodes and temperature where the
    /// request leaves out network, nodes and time; a network must be the level's. Any other name is refused.
    pub(crate) level: Option<String>,
    /// Lets a repetition or fifty moves without capture or pawn move end the game only once a side claims the draw; by default
    /// they end it at once. The fifth repetition and seventy-five moves always do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) draws_by_claim: bool,
    /// Seed of the engine's choices; the time if omitted.
    pub(crate) seed: Option<u64>,
}

/// A new game that is not possible.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NewGameError {
    /// A number is out of range.
    #[error("{field}: found {found}, expected {expected}")]
    Range { field: &'static str, found: String, expected: String },
    /// Two settings exclude each other.
    #[error("found both nodes and move_time_ms, expected at most one of them")]
    TwoLimits,
    /// Human-like time is a share of a clock.
    #[error("found human_time without a clock, expected a clock")]
    PaceWithoutClock,
    /// Two settings determine how long a move takes.
    #[error("found both human_time and move_time_ms, expected at most one of them")]
    TwoPaces,
    /// The start position is refused.
    #[error("fen: {0}")]
    Position(#[from] GameError),
    /// Nothing can be played in the start position.
    #[error("fen: the game is over in {0:?}")]
    Over(String),
    /// No level has this name.
    #[error("level: found {found:?}, expected one of {known}")]
    Level { found: String, known: String },
    /// The level is one of another network.
    #[error("network: found {found:?}, expected {expected:?}, the network of the level {level:?}")]
    LevelOfOther { level: String, found: String, expected: String },
}

impl NewGame {
    /// Completed by its level, if it names one.
    pub(super) fn at_level(self, engines: &dyn Engines) -> Result<Self, NewGameError> {
        let Some(name) = &self.level else { return Ok(self) };
        let levels = engines.levels();
        let level = levels.iter().find(|level| level.name == *name);
        // A game is recorded under the name, and the person's results at a level are counted by it. So a level must not name a game of
        // another network, while its nodes and temperature are only a default: whoever gives their own plays the network at will.
        // The name of a network gives the network alone, without nodes and temperature.
        let network = if let Some(level) = level {
            level.network.clone()
        } else if let Some(network) = engines.networks().into_iter().find(|network| network.name == *name) {
            network.id
        } else if let Some(level) = levels.iter().find(|level| level.network == *name) {
            // A reproduced system by its name in commands; the game is recorded under that of its level.
            return Self { level: Some(level.name.clone()), ..self }.at_level(engines);
        } else {
            // Names of levels have commas.
            let known: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
            return Err(NewGameError::Level { found: shortened(name), known: known.join("; ") });
        };
        if let Some(found) = self.network.as_ref().filter(|found| **found != network) {
            let (level, found) = (shortened(name), shortened(found));
            return Err(NewGameError::LevelOfOther { level, found, expected: network });
        }
        let has_own_limits = self.network.is_some() || self.nodes.is_some() || self.move_time_ms.is_some();
        Ok(match level {
            Some(level) if !has_own_limits => Self {
                network: Some(network),
                nodes: Some(level.nodes),
                temperature: level.temperature,
                ..self
            },
            _ => Self { network: Some(network), ..self },
        })
    }

    /// The game at its start, if everything requested is possible.
    pub(super) fn start(&self) -> Result<Game, NewGameError> {
        let ranges = [
            ("nodes", self.nodes, 1, MOST_MOVE_NODES),
            ("move_time_ms", self.move_time_ms, 1, LONGEST_MOVE_MS),
            ("clock.initial_ms", self.clock.map(|clock| clock.initial_ms), 1000, LONGEST_CLOCK_MS),
            ("clock.increment_ms", self.clock.map(|clock| clock.increment_ms), 0, LARGEST_INCREMENT_MS),
        ];
        for (field, found, least, most) in ranges {
            if let Some(found) = found.filter(|found| !(least..=most).contains(found)) {
                let expected = format!("{least} to {most}");
                return Err(NewGameError::Range { field, found: found.to_string(), expected });
            }
        }
        if !(0.0..=HIGHEST_TEMPERATURE).contains(&self.temperature) {
            let (found, expected) = (self.temperature.to_string(), format!("0 to {HIGHEST_TEMPERATURE}"));
            return Err(NewGameError::Range { field: "temperature", found, expected });
        }
        if self.nodes.is_some() && self.move_time_ms.is_some() {
            return Err(NewGameError::TwoLimits);
        }
        if self.human_time && self.clock.is_none() {
            return Err(NewGameError::PaceWithoutClock);
        }
        if self.human_time && self.move_time_ms.is_some() {
            return Err(NewGameError::TwoPaces);
        }
        let game = match &self.fen {
            Some(fen) => Game::from_any_fen(fen)?,
            None => Game::default(),
        };
        match game.outcome() {
            Some(_) => Err(NewGameError::Over(game.fen())),
            None => Ok(game),
        }
    }

    /// The person's side; the random choice is the seed's lowest bit.
    pub(super) fn side(&self, seed: u64) -> Color {
        match self.color {
            Side::White => Color::White,
            Side::Black => Color::Black,
            Side::Random => Color::from_white(seed.is_multiple_of(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use player::SearchSetup;

    use super::*;
    use crate::networks::{CatalogFolders, NetworkCatalog};

    #[test]
    fn a_system_is_a_level_by_its_title_and_by_its_name_in_commands() {
        let folder = tempfile::tempdir().unwrap();
        let folders = CatalogFolders { runs: folder.path().join("runs"), nets: folder.path().join("nets") };
        let catalog = NetworkCatalog::open("material", None, SearchSetup::default(), folders).unwrap();
        let at = |level: &str| NewGame { level: Some(level.into()), ..NewGame::default() }.at_level(&catalog);
        for name in ["mlx", "Chess MLX CNN"] {
            let new = at(name).unwrap();
            let found = (new.level.as_deref(), new.network.as_deref(), new.nodes);
            assert_eq!(found, (Some("Chess MLX CNN"), Some("mlx"), Some(1)));
        }
        let searching = at("mlx-search").unwrap();
        assert_eq!((searching.network.as_deref(), searching.nodes), (Some("mlx-search"), Some(100)));
        let refused = at("mlxx").unwrap_err().to_string();
        assert!(refused.contains("; Chess MLX CNN; Chess MLX CNN, corrected; "), "{refused}");
    }

    fn refusal(json: &str) -> String {
        let new: NewGame = serde_json::from_str(json).unwrap();
        new.start().unwrap_err().to_string()
    }

    #[test]
    fn an_empty_wish_is_a_game_from_the_start() {
        let new: NewGame = serde_json::from_str("{}").unwrap();
        assert_eq!(new.start().unwrap().ply(), 0);
        assert_eq!(new.side(7), Color::White);
    }

    #[test]
    fn impossible_wishes_are_named_with_what_was_found_and_expected() {
        for (json, expected) in [
            (r#"{"nodes":0}"#, "nodes: found 0, expected 1 to 1000000"),
            (r#"{"nodes":10,"move_time_ms":5}"#, "found both"),
            (r#"{"human_time":true}"#, "found human_time without a clock"),
            (
                r#"{"human_time":true,"move_time_ms":5,"clock":{"initial_ms":1000,"increment_ms":0}}"#,
                "found both human_time and move_time_ms",
            ),
            (r#"{"temperature":-1}"#, "temperature: found -1"),
            (r#"{"clock":{"initial_ms":10,"increment_ms":0}}"#, "clock.initial_ms: found 10"),
            (r#"{"fen":"8/8/8/8 w - - 0 1"}"#, "fen: invalid FEN"),
            (r#"{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}"#, "the game is over"),
        ] {
            let found = refusal(json);
            assert!(found.contains(expected), "{json}: {found}");
        }
        assert!(serde_json::from_str::<NewGame>(r#"{"node":10}"#).is_err(), "unknown keys are refused");
    }
}
