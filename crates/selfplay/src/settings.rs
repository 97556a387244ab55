//! The parts of a self-play recipe about games: how they are played, how many are trained on, and what a new network must
//! score. Networks, losses and optimisers are the part shared with training recipes.

use std::{collections::BTreeMap, ops::Div};

use serde::{Deserialize, Serialize};
use strength::{
    OpeningBook,
    statistics::{Sprt, SprtModel},
};

/// How games are played: searches, openings, endings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaySettings {
    /// Visits of a full search, whose result is learned from.
    pub nodes: u64,
    /// Visits of a quick search, which only chooses a move. Default 0: all searches are full.
    #[serde(default)]
    pub quick_nodes: u64,
    /// Share of the moves that get a full search if there are quick searches (KataGo, section 3.1, "playout cap
    /// randomization": 0.25). Default 0.25.
    #[serde(default = "hundredths::<25, _>")]
    pub full_share: f64,
    /// Options of the search by name. In quick searches `NoiseEpsilon` is 0.
    #[serde(default)]
    pub options: BTreeMap<String, toml::Value>,
    /// Openings of games. Default: the ordinary start position.
    #[serde(default)]
    pub openings: OpeningChoice,
    /// Half-moves after which a game is drawn. Default 400.
    #[serde(default = "network::default_to::<400, _>")]
    pub most_plies: u32,
    /// Rule for resigning. Default: never resign.
    #[serde(default)]
    pub resignation: Option<ResignationRule>,
    /// Games in progress at the same time in each thread; their positions are evaluated together. Default 32.
    #[serde(default = "network::default_to::<32, _>")]
    pub games_at_once: usize,
    /// Seed of all random choices. Default 1.
    #[serde(default = "network::default_to::<1, _>")]
    pub seed: u64,
}

/// The positions from which games begin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum OpeningChoice {
    /// The ordinary start position.
    #[default]
    Start,
    /// Random moves from the starting position; their number is drawn from 0 to `plies`.
    Random {
        /// Largest number of half-moves.
        plies: u32,
    },
    /// An opening of the built-in list (`balanced`) or of a file that every worker has.
    Book {
        /// `balanced`, or the path of a file.
        file: String,
        /// Half-moves of each line of a PGN file that are played. Default: all.
        #[serde(default)]
        plies: Option<usize>,
    },
}

/// The conditions for a hopeless side to resign, so that long won games do not fill the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignationRule {
    /// Expected score, 0 to 1, below which its position is hopeless.
    pub below: f32,
    /// Consecutive moves below the threshold before resigning.
    pub moves: u32,
    /// Share of the games that are played on anyway, to find out how often resigning was wrong (AlphaGo Zero: 0.1).
    /// Default 0.1.
    #[serde(default = "hundredths::<10, _>")]
    pub verified: f64,
}

/// Size of generations, and the window that is learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ReplaySettings {
    pub games: u32,
    /// Generations whose games are learned from, including the newest one. Default 5.
    #[serde(default = "network::default_to::<5, _>")]
    pub window: u32,
    /// Share of the games that are used only to judge networks. Default 0.05.
    #[serde(default = "hundredths::<5, _>")]
    pub validation_share: f64,
}

/// Conditions under which a new network plays the games of the next generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSettings {
    /// Games against the current network; an even number.
    pub games: u32,
    /// Score, 0 to 1, from which the new network is promoted (AlphaGo Zero: 0.55). Default 0.55.
    #[serde(default = "hundredths::<55, _>")]
    pub score: f64,
    /// Instead of the score: the Elo differences between which a sequential test decides, with error rates of 5 %. Without a
    /// decision the current network stays.
    #[serde(default)]
    pub sprt: Option<[f64; 2]>,
    /// Visits of each move. Default: those of a full search.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Openings, named as in `tabiya match`. Default `balanced`.
    #[serde(default = "default_openings")]
    pub openings: String,
}

/// A setting was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {found}: expected {expected}")]
pub struct SettingError {
    /// The key, with its table.
    pub key: &'static str,
    /// Description of what was found.
    pub found: String,
    /// Description of what was expected.
    pub expected: &'static str,
}

impl PlaySettings {
    /// Checks every range.
    ///
    /// # Errors
    /// [`SettingError`] for the first key that is out of it.
    pub fn check(&self) -> Result<(), SettingError> {
        at_least("play.nodes", self.nodes, 2, "at least 2: one visit is not a search")?;
        if self.quick_nodes >= self.nodes {
            return refuse("play.quick_nodes", &self.quick_nodes, "fewer than play.nodes, or 0 for none");
        }
        share("play.full_share", self.full_share)?;
        at_least("play.most_plies", u64::from(self.most_plies), 1, "at least 1")?;
        if !(1..=4096).contains(&self.games_at_once) {
            return refuse("play.games_at_once", &self.games_at_once, "1 to 4096");
        }
        if let OpeningChoice::Random { plies } = self.openings
            && plies > 60
        {
            return refuse("play.openings.plies", &plies, "0 to 60");
        }
        if let Some(rule) = &self.resignation {
            share("play.resignation.below", rule.below.into())?;
            share("play.resignation.verified", rule.verified)?;
            at_least("play.resignation.moves", u64::from(rule.moves), 1, "at least 1")?;
        }
        Ok(())
    }
}

impl ReplaySettings {
    /// Checks every range.
    ///
    /// # Errors
    /// [`SettingError`] for the first key that is out of it.
    pub fn check(&self) -> Result<(), SettingError> {
        at_least("replay.games", u64::from(self.games), 2, "at least 2")?;
        at_least("replay.window", u64::from(self.window), 1, "at least 1")?;
        if !(self.validation_share > 0.0 && self.validation_share <= 0.5) {
            return refuse("replay.validation_share", &self.validation_share, "above 0 to 0.5");
        }
        Ok(())
    }
}

impl GateSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// [`SettingError`] for the first key that is out of it.
    pub fn check(&self) -> Result<(), SettingError> {
        if self.games == 0 || !self.games.is_multiple_of(2) {
            return refuse(
                "gate.games",
                &self.games,
                "an even number above 0: every opening is played with both colours",
            );
        }
        if let Some([elo0, elo1]) = self.sprt {
            let found = format!("[{elo0}, {elo1}]");
            Sprt::new(SprtModel::Logistic, elo0, elo1).map_err(|_| SettingError {
                key: "gate.sprt",
                found,
                expected: Sprt::EXPECTED,
            })?;
        }
        share("gate.score", self.score)
    }
}

fn at_least(key: &'static str, found: u64, least: u64, expected: &'static str) -> Result<(), SettingError> {
    if found < least { refuse(key, &found, expected) } else { Ok(()) }
}

fn share(key: &'static str, found: f64) -> Result<(), SettingError> {
    if (0.0..=1.0).contains(&found) { Ok(()) } else { refuse(key, &found, "0 to 1") }
}

fn refuse(key: &'static str, found: &impl ToString, expected: &'static str) -> Result<(), SettingError> {
    Err(SettingError { key, found: found.to_string(), expected })
}

/// A default of a recipe's key, for `#[serde(default = "...")]`: the number of hundredths given as the type argument.
pub(crate) fn hundredths<const NUMBER: u16, T: From<u16> + Div<Output = T>>() -> T {
    T::from(NUMBER) / T::from(100)
}

fn default_openings() -> String {
    OpeningBook::BALANCED.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(text: &str) -> Result<(), String> {
        let settings: PlaySettings = toml::from_str(text).map_err(|error| error.to_string())?;
        settings.check().map_err(|error| error.to_string())
    }

    #[test]
    fn settings_out_of_range_are_named() {
        for (text, key) in [
            ("nodes = 1", "play.nodes"),
            ("nodes = 10\nquick_nodes = 10", "play.quick_nodes"),
            ("nodes = 10\nfull_share = 1.5", "play.full_share"),
            ("nodes = 10\ngames_at_once = 0", "play.games_at_once"),
            ("nodes = 10\nopenings = { kind = \"random\", plies = 61 }", "play.openings.plies"),
            ("nodes = 10\nresignation = { below = 2.0, moves = 3 }", "play.resignation.below"),
            ("nodes = 10\nresignation = { below = 0.1, moves = 0 }", "play.resignation.moves"),
            ("nodes = 10\nvisits = 3", "visits"),
        ] {
            let refused = play(text).unwrap_err();
            assert!(refused.contains(key), "{refused} does not name {key}");
        }
        play("nodes = 10\nresignation = { below = 0.05, moves = 3 }\nopenings = { kind = \"random\", plies = 8 }").unwrap();
    }

    #[test]
    fn gates_and_windows_are_checked() {
        let replay =
            |games, window, validation_share| ReplaySettings { games, window, validation_share }.check();
        assert!(replay(100, 5, 0.05).is_ok());
        for refused in
            [replay(1, 5, 0.05), replay(100, 0, 0.05), replay(100, 5, 0.0), replay(100, 5, f64::NAN)]
        {
            assert!(refused.unwrap_err().key.starts_with("replay."));
        }
        let gate = |text: &str| toml::from_str::<GateSettings>(text).unwrap().check();
        assert!(gate("games = 40").is_ok());
        assert_eq!(gate("games = 41").unwrap_err().key, "gate.games");
        assert_eq!(gate("games = 40\nscore = 55.0").unwrap_err().key, "gate.score");
        for bounds in ["[10.0, 0.0]", "[0.0, 0.0]", "[0.0, 3000.0]", "[nan, 5.0]", "[-inf, 5.0]"] {
            assert_eq!(
                gate(&format!("games = 40\nsprt = {bounds}")).unwrap_err().key,
                "gate.sprt",
                "{bounds}"
            );
        }
        assert!(gate("games = 40\nsprt = [0.0, 35.0]").is_ok());
    }
}
