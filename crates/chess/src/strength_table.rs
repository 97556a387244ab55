//! How strong an engine plays at which settings: measured levels, and the settings for a wanted rating between them.
//!
//! Plain data: whoever measures writes it, whoever limits strength (`UCI_Elo`, the levels of the board) reads it.

use serde::{Deserialize, Serialize};

/// A setting of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthSetting {
    /// Nodes a move.
    pub nodes: u64,
    /// Temperature of the choice of the move; 0 plays the best one.
    pub temperature: f32,
}

/// A setting with the strength it was measured at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthLevel {
    /// The setting.
    #[serde(flatten)]
    pub setting: StrengthSetting,
    /// Rating on the scale of the opponents that [`StrengthTable::conditions`] names.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub lower: f64,
    /// Upper end of its 95 % interval.
    pub upper: f64,
    /// Games behind it.
    pub games: u64,
}

/// The measured levels of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthTable {
    /// What this is: [`StrengthTable::KIND`].
    pub kind: String,
    /// The network's name.
    pub network: String,
    /// XXH3 of the network's file, 128 bits, hexadecimal: the ratings are this network's and no other's.
    pub network_hash: String,
    /// Opponents, time, openings, machine: what the ratings mean.
    pub conditions: String,
    /// The levels, weakest first.
    pub levels: Vec<StrengthLevel>,
}

/// A text that is no strength table.
#[derive(Debug, thiserror::Error)]
pub enum StrengthTableError {
    /// It is no such JSON.
    #[error("no strength table: {0}")]
    Json(#[from] serde_json::Error),
    /// Its content contradicts itself.
    #[error("a broken strength table: found {found}, expected {expected}")]
    Content {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
}

impl StrengthTable {
    /// The kind by which readers know the JSON.
    pub const KIND: &str = "tabiya-strength-1";

    /// A table of these levels, which are sorted by rating.
    ///
    /// # Errors
    /// [`StrengthTableError::Content`] as in [`StrengthTable::from_json`].
    pub fn new(
        network: String,
        network_hash: String,
        conditions: String,
        mut levels: Vec<StrengthLevel>,
    ) -> Result<Self, StrengthTableError> {
        levels.sort_by(|one, other| one.elo.total_cmp(&other.elo));
        Self { kind: Self::KIND.into(), network, network_hash, conditions, levels }.checked()
    }

    /// Reads a table.
    ///
    /// # Errors
    /// [`StrengthTableError`] for a text that is no table, one without levels, with levels out of order, without nodes, or
    /// with numbers that are none.
    pub fn from_json(text: &str) -> Result<Self, StrengthTableError> {
        serde_json::from_str::<Self>(text)?.checked()
    }

    fn checked(self) -> Result<Self, StrengthTableError> {
        let refuse = |found: String, expected| Err(StrengthTableError::Content { found, expected });
        if self.kind != Self::KIND {
            return refuse(format!("kind {:?}", self.kind), Self::KIND);
        }
        if self.levels.is_empty() {
            return refuse("no level".into(), "at least one");
        }
        for level in &self.levels {
            let StrengthSetting { nodes, temperature } = level.setting;
            let sound = level.elo.is_finite() && temperature.is_finite() && temperature >= 0.0 && nodes > 0;
            if !sound {
                return refuse(format!("{level:?}"), "a rating, nodes from 1 and a temperature from 0");
            }
        }
        match self.levels.windows(2).find(|pair| pair[0].elo > pair[1].elo) {
            Some(pair) => refuse(format!("{} before {}", pair[0].elo, pair[1].elo), "ratings that rise"),
            None => Ok(self),
        }
    }

    /// Weakest and strongest rating that was measured, rounded inwards.
    pub fn range(&self) -> (i32, i32) {
        let (first, last) = (&self.levels[0], &self.levels[self.levels.len() - 1]);
        (first.elo.ceil() as i32, last.elo.floor() as i32)
    }

    /// The setting for a rating: between the two levels around it, nodes by their logarithm and temperature in proportion;
    /// at the ends of the table the last level itself.
    pub fn setting_for(&self, elo: f64) -> StrengthSetting {
        let above = self.levels.partition_point(|level| level.elo < elo);
        if above == 0 {
            return self.levels[0].setting;
        }
        let Some(upper) = self.levels.get(above) else { return self.levels[above - 1].setting };
        let lower = &self.levels[above - 1];
        let share = (elo - lower.elo) / (upper.elo - lower.elo);
        let (from, to) = (lower.setting, upper.setting);
        let nodes = (from.nodes as f64).powf(1.0 - share) * (to.nodes as f64).powf(share);
        let temperature = f64::from(from.temperature) * (1.0 - share) + f64::from(to.temperature) * share;
        StrengthSetting { nodes: nodes.round().max(1.0) as u64, temperature: temperature as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(nodes: u64, temperature: f32, elo: f64) -> StrengthLevel {
        let setting = StrengthSetting { nodes, temperature };
        StrengthLevel { setting, elo, lower: elo - 50.0, upper: elo + 50.0, games: 100 }
    }

    fn table(levels: Vec<StrengthLevel>) -> Result<StrengthTable, StrengthTableError> {
        StrengthTable::new("net".into(), "hash".into(), "conditions".into(), levels)
    }

    #[test]
    fn settings_lie_between_levels() {
        let table =
            table(vec![level(100, 0.0, 1800.0), level(1, 1.0, 1000.0), level(1, 0.0, 1400.0)]).unwrap();
        assert_eq!(table.range(), (1000, 1800));
        for (elo, nodes, temperature) in [
            (500.0, 1, 1.0),
            (1000.0, 1, 1.0),
            (1100.0, 1, 0.75),
            (1400.0, 1, 0.0),
            (1600.0, 10, 0.0),
            (1800.0, 100, 0.0),
            (3000.0, 100, 0.0),
        ] {
            assert_eq!(table.setting_for(elo), StrengthSetting { nodes, temperature }, "{elo}");
        }
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(StrengthTable::from_json(&text).unwrap(), table);
    }

    #[test]
    fn broken_tables_are_refused() {
        let message = |result: Result<StrengthTable, StrengthTableError>| result.unwrap_err().to_string();
        assert!(message(table(vec![])).contains("no level"));
        assert!(message(table(vec![level(0, 0.0, 1.0)])).contains("nodes from 1"));
        assert!(message(table(vec![level(1, -1.0, 1.0)])).contains("temperature from 0"));
        assert!(message(table(vec![level(1, 0.0, f64::NAN)])).contains("a rating"));
        assert!(message(StrengthTable::from_json("{}")).contains("no strength table"));
        let text = serde_json::to_string(&table(vec![level(1, 0.0, 1.0)]).unwrap()).unwrap();
        let other = text.replace(StrengthTable::KIND, "tabiya-match-1");
        assert!(message(StrengthTable::from_json(&other)).contains("tabiya-match-1"));
        let falling = text.replace(
            "\"levels\":[",
            "\"levels\":[{\"nodes\":1,\"temperature\":0.0,\"elo\":9.0,\"lower\":0.0,\
            \"upper\":10.0,\"games\":1},",
        );
        assert!(message(StrengthTable::from_json(&falling)).contains("9 before 1"));
    }
}
