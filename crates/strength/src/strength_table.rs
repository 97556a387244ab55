//! Strength tables: measured ratings of an engine by setting, and the setting for a requested rating.
//!
//! `tabiya calibrate` writes them; `UCI_Elo` and the levels of the board read them.

use std::{fmt, str::FromStr};

use files::run::ResultKind;
use serde::{Deserialize, Serialize};

/// A setting of the engine whose strength is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthSetting {
    /// Nodes per move, from 1.
    pub nodes: u64,
    /// Temperature of the move choice, from 0; 0 plays the best move.
    pub temperature: f32,
    /// Rating of the people whose moves a human-like network plays, without search; `None` if the table's
    /// network plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imitated: Option<u16>,
}

impl StrengthSetting {
    /// A search of the table's network.
    pub const fn search(nodes: u64, temperature: f32) -> Self {
        Self { nodes, temperature, imitated: None }
    }

    /// The moves of people of a rating, drawn from the human-like network's policy.
    pub fn imitation(rating: u16, temperature: f32) -> Self {
        Self { nodes: 1, temperature, imitated: Some(rating) }
    }

    /// The setting between two, `share` of the way: nodes by their logarithm, temperature and imitated rating linearly. Between an
    /// imitation and a search nothing is interpolated: the nearer one is taken.
    fn between(from: Self, to: Self, share: f64) -> Self {
        let imitated = match (from.imitated, to.imitated) {
            (Some(low), Some(high)) => Some(linear(low.into(), high.into(), share).round() as u16),
            (None, None) => None,
            // Nothing lies between a search and an imitation of people.
            _ => return if share < 0.5 { from } else { to },
        };
        // Geometric, because strength grows roughly with the logarithm of nodes.
        let nodes = (from.nodes as f64).powf(1.0 - share) * (to.nodes as f64).powf(share);
        let temperature = linear(from.temperature.into(), to.temperature.into(), share) as f32;
        Self { nodes: nodes.round().max(1.0) as u64, temperature, imitated }
    }

    /// Reads the form that [`fmt::Display`] writes.
    fn parse(text: &str) -> Option<Self> {
        let (player, temperature) = text.split_once(':')?;
        let temperature = temperature.parse().ok()?;
        let setting = match player.strip_prefix("human-") {
            Some(rating) => Self::imitation(rating.parse().ok()?, temperature),
            None => Self::search(player.parse().ok()?, temperature),
        };
        setting.is_sound().then_some(setting)
    }

    fn is_sound(&self) -> bool {
        let rating = self.imitated.is_none_or(|rating| (100..=3500).contains(&rating));
        self.nodes > 0 && (0.0..=100.0).contains(&self.temperature) && rating
    }
}

fn linear(from: f64, to: f64, share: f64) -> f64 {
    from * (1.0 - share) + to * share
}

/// The form used on command lines: `NODES:TEMPERATURE` or `human-RATING:TEMPERATURE`.
impl fmt::Display for StrengthSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.imitated {
            Some(rating) => write!(formatter, "human-{rating}:{}", self.temperature),
            None => write!(formatter, "{}:{}", self.nodes, self.temperature),
        }
    }
}

impl FromStr for StrengthSetting {
    type Err = StrengthSettingError;

    fn from_str(text: &str) -> Result<Self, StrengthSettingError> {
        Self::parse(text).ok_or_else(|| StrengthSettingError { found: text.into() })
    }
}

/// A text is not a [`StrengthSetting`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {found:?}, expected NODES:TEMPERATURE or human-RATING:TEMPERATURE, such as 1:0.5, nodes from 1, ratings from 100 to \
     3500, temperature to 100"
)]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct StrengthSettingError {
    pub found: String,
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
    /// Games on which the rating is based.
    pub games: u64,
}

/// The measured levels of one network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthTable {
    /// Type and version of the JSON: [`StrengthTable::KIND`].
    pub kind: String,
    /// Name of the network that was measured.
    pub network: String,
    /// XXH3-128 of the network's file, hexadecimal: the ratings are not valid for any other network.
    pub network_hash: String,
    /// Conditions of the ratings: opponents, time, openings, machine.
    pub conditions: String,
    /// The levels, weakest first.
    pub levels: Vec<StrengthLevel>,
}

/// Errors of reading a strength table.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum StrengthTableError {
    #[error("not a strength table: {0}")]
    Json(#[from] serde_json::Error),
    #[error("invalid strength table: found {found}, expected {expected}")]
    Content { found: String, expected: &'static str },
}

fn unsound<T>(found: impl Into<String>, expected: &'static str) -> Result<T, StrengthTableError> {
    Err(StrengthTableError::Content { found: found.into(), expected })
}

impl StrengthTable {
    /// Value of the JSON field `kind`.
    pub const KIND: &str = ResultKind::Strength.text();

    /// The scale of the ratings: the first words of the conditions.
    pub fn scale_of(engine: &str) -> String {
        format!("on the scale of {engine} UCI_Elo")
    }

    /// True if the ratings are on the scale of this engine's levels.
    pub fn is_on_scale_of(&self, engine: &str) -> bool {
        self.conditions.starts_with(&Self::scale_of(engine))
    }

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

    /// The table with `lower`'s levels in place of its own that are not stronger than the strongest of
    /// `lower`: human-like play instead of a weakened search.
    #[must_use]
    pub fn above(mut self, lower: &Self) -> Self {
        let top = lower.levels[lower.levels.len() - 1].elo;
        self.levels.retain(|level| level.elo > top);
        self.levels.splice(0..0, lower.levels.iter().copied());
        self.conditions = format!("{}; people's moves: {}", self.conditions, lower.conditions);
        self
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
        if self.kind != Self::KIND {
            return unsound(format!("kind {:?}", self.kind), Self::KIND);
        }
        if self.levels.is_empty() {
            return unsound("no level", "at least one");
        }
        for level in &self.levels {
            if !(level.elo.is_finite() && level.setting.is_sound()) {
                return unsound(
                    format!("{} at {} Elo", level.setting, level.elo),
                    "a rating, nodes from 1 and a temperature from 0 to 100",
                );
            }
        }
        match self.levels.windows(2).find(|pair| pair[0].elo > pair[1].elo) {
            Some(pair) => unsound(format!("{} before {}", pair[0].elo, pair[1].elo), "ratings that rise"),
            None => Ok(self),
        }
    }

    /// Lowest and highest measured rating, rounded inwards; twice the same number if no whole number lies between them.
    pub fn range(&self) -> (i32, i32) {
        let (first, last) = (&self.levels[0], &self.levels[self.levels.len() - 1]);
        let highest = last.elo.floor() as i32;
        (highest.min(first.elo.ceil() as i32), highest)
    }

    /// The setting for a rating, interpolated between the two levels around it: nodes by their logarithm, temperature and
    /// imitated rating linearly. Beyond the table's ends, and between an imitation and a search, the nearest level.
    pub fn setting_for(&self, elo: f64) -> StrengthSetting {
        let above = self.levels.partition_point(|level| level.elo < elo);
        if above == 0 {
            return self.levels[0].setting;
        }
        let Some(upper) = self.levels.get(above) else { return self.levels[above - 1].setting };
        let lower = &self.levels[above - 1];
        let share = (elo - lower.elo) / (upper.elo - lower.elo);
        StrengthSetting::between(lower.setting, upper.setting, share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(nodes: u64, temperature: f32, elo: f64) -> StrengthLevel {
        of(StrengthSetting::search(nodes, temperature), elo)
    }

    fn of(setting: StrengthSetting, elo: f64) -> StrengthLevel {
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
            assert_eq!(table.setting_for(elo), StrengthSetting::search(nodes, temperature), "{elo}");
        }
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(StrengthTable::from_json(&text).unwrap(), table);
    }

    /// The lowest rating was above the highest, and every one was refused.
    #[test]
    fn levels_without_a_whole_number_between_them_have_a_range() {
        for ratings in [&[1000.4][..], &[1000.2, 1000.8], &[-0.5]] {
            let levels = ratings.iter().map(|&elo| level(1, 0.0, elo)).collect();
            let (low, high) = table(levels).unwrap().range();
            assert_eq!(low, high, "{ratings:?}");
        }
        assert_eq!(table(vec![level(1, 0.0, 1000.0)]).unwrap().range(), (1000, 1000));
    }

    #[test]
    fn people_are_imitated_up_to_the_middle_of_the_step_to_a_search() {
        let people = [(800, 1.0, 600.0), (1600, 0.5, 1000.0)];
        let mut levels: Vec<StrengthLevel> = people
            .map(|(rating, temperature, elo)| of(StrengthSetting::imitation(rating, temperature), elo))
            .to_vec();
        levels.push(level(4, 0.0, 1400.0));
        let table = table(levels).unwrap();
        for (elo, expected) in [
            (400.0, "human-800:1"),
            (700.0, "human-1000:0.875"),
            (1000.0, "human-1600:0.5"),
            (1190.0, "human-1600:0.5"),
            (1210.0, "4:0"),
        ] {
            let setting = table.setting_for(elo);
            assert_eq!(setting.to_string(), expected, "{elo}");
            assert_eq!(expected.parse::<StrengthSetting>().unwrap(), setting);
        }
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(StrengthTable::from_json(&text).unwrap(), table);
    }

    #[test]
    fn people_replace_the_levels_that_are_no_stronger_than_they_are() {
        let people = [500.0, 1100.0].map(|elo| of(StrengthSetting::imitation(1000, 1.0), elo));
        let people = table(people.to_vec()).unwrap();
        let searches = [(1, 400.0), (2, 1100.0), (8, 1500.0)].map(|(nodes, elo)| level(nodes, 0.0, elo));
        let merged = table(searches.to_vec()).unwrap().above(&people);
        let found: Vec<f64> = merged.levels.iter().map(|level| level.elo).collect();
        assert_eq!(found, [500.0, 1100.0, 1500.0]);
        assert_eq!(merged.conditions, "conditions; people's moves: conditions");
        merged.checked().unwrap();
    }

    #[test]
    fn broken_settings_are_refused() {
        for text in [
            "",
            "1",
            "0:1",
            "1:-1",
            "1:nan",
            "1:101",
            "human:1",
            "human-99:1",
            "human-4000:0",
            "people-1100:1",
        ] {
            let message = text.parse::<StrengthSetting>().unwrap_err().to_string();
            assert!(message.contains("human-RATING:TEMPERATURE"), "{text}: {message}");
        }
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
