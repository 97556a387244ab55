//! Strength tables: measured ratings of an engine by setting, and the setting for a requested rating.
//!
//! `tabiya calibrate` writes them; `UCI_Elo` and the levels of the board read them.

use serde::{Deserialize, Serialize};

/// A setting of the engine whose strength is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthSetting {
    /// Nodes per move, from 1.
    pub nodes: u64,
    /// Temperature of the move choice, from 0; 0 plays the best move.
    pub temperature: f32,
}

/// A setting with its measured rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthLevel {
    /// The setting that was measured.
    #[serde(flatten)]
    pub setting: StrengthSetting,
    /// Rating on the scale of the opponents that [`StrengthTable::conditions`] names.
    pub elo: f64,
    /// Lower end of its 95 % interval.
    pub lower: f64,
    /// Upper end of its 95 % interval.
    pub upper: f64,
    /// Games that the rating is based on.
    pub games: u64,
}

/// The measured levels of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthTable {
    /// Type and version of the JSON: [`StrengthTable::KIND`].
    pub kind: String,
    /// Name of the network that was measured.
    pub network: String,
    /// XXH3-128 of the network's file, hexadecimal: the ratings hold for no other network.
    pub network_hash: String,
    /// Conditions of the ratings: opponents, time, openings, machine.
    pub conditions: String,
    /// The levels, weakest first.
    pub levels: Vec<StrengthLevel>,
}

/// Why a text is not a strength table.
#[derive(Debug, thiserror::Error)]
pub enum StrengthTableError {
    /// It is not JSON, or lacks a field.
    #[error("not a strength table: {0}")]
    Json(#[from] serde_json::Error),
    /// A value is out of range or out of order.
    #[error("invalid strength table: found {found}, expected {expected}")]
    Content {
        /// The value as given.
        found: String,
        /// The range or order it must have.
        expected: &'static str,
    },
}

impl StrengthTable {
    /// Value of the JSON field `kind`.
    pub const KIND: &str = "tabiya-strength-1";

    /// A table of these levels, which it sorts by rating.
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
    /// [`StrengthTableError`] if the text is not a table, or has no level, levels out of order, zero nodes, or numbers that
    /// are not finite.
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

    /// Lowest and highest measured rating, rounded inwards.
    pub fn range(&self) -> (i32, i32) {
        let (first, last) = (&self.levels[0], &self.levels[self.levels.len() - 1]);
        (first.elo.ceil() as i32, last.elo.floor() as i32)
    }

    /// The setting for a rating, interpolated between the two levels around it: nodes by their logarithm, temperature
    /// linearly. Beyond the table's ends, the nearest level.
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
        assert!(message(StrengthTable::from_json("{}")).contains("not a strength table"));
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
