//! The settings to play against that the page offers by name.
//!
//! A level has a strength only if exactly this setting was measured; nothing is interpolated.

use player::SearchSetup;
use strength::StrengthTable;

use super::entry::{CatalogEntry, imitation_id};
use crate::engine::{Level, Measurement, NetworkKind};

/// A setting without a measured rating.
struct Preset {
    name: &'static str,
    nodes: u64,
    temperature: f32,
}

/// For networks without a strength table, weakest first: the fewer visits and the higher the temperature, the more the engine
/// overlooks.
const PRESETS: &[Preset] = &[
    Preset { name: "First steps", nodes: 1, temperature: 2.0 },
    Preset { name: "Beginner", nodes: 1, temperature: 0.7 },
    Preset { name: "Casual", nodes: 1, temperature: 0.0 },
    Preset { name: "Club", nodes: 40, temperature: 0.0 },
    Preset { name: "Strong club", nodes: 300, temperature: 0.0 },
    Preset { name: "Expert", nodes: 1_000, temperature: 0.0 },
    FULL_STRENGTH,
];

/// The last level of every list.
const FULL_STRENGTH: Preset = Preset { name: "Full strength", nodes: 4_000, temperature: 0.0 };

/// Names of measured levels, each with the rating up to which it is used.
const NAMES: &[(&str, f64)] = &[
    ("First steps", 600.0),
    ("Beginner", 900.0),
    ("Casual", 1200.0),
    ("Club", 1500.0),
    ("Strong club", 1800.0),
    ("Expert", 2100.0),
    ("Master", f64::INFINITY),
];

/// In order: the levels of the default network, measured ones if it has a strength table; one level for each
/// network that imitates people of one rating; one for each reproduced system, with the nodes and temperature
/// of its recipe; and the systems' networks with a search.
pub(super) fn levels(entries: &[CatalogEntry]) -> Vec<Level> {
    let Some(default) = entries.first() else { return Vec::new() };
    let mut levels = match default.levels() {
        Some(table) => measured(default, &table),
        None => PRESETS.iter().map(|preset| unmeasured(default, preset)).collect(),
    };
    // Entries at a rating of a network with ratings as input are left out: the table of the default network has those that were
    // measured.
    let imitators =
        entries.iter().filter(|entry| entry.kind == NetworkKind::Human && entry.imitated.is_none());
    levels.extend(imitators.map(of_imitator));
    levels.extend(entries.iter().filter_map(of_system));
    let with_search = entries.iter().filter_map(CatalogEntry::with_search);
    levels.extend(with_search.filter_map(|entry| of_system(&entry)));
    levels
}

/// The likeliest move of a network that imitates people of one rating.
fn of_imitator(entry: &CatalogEntry) -> Level {
    let table = entry.strength();
    let measured = table.as_ref().and_then(|table| {
        let mut levels = table.levels.iter();
        let level = levels.find(|level| level.setting.nodes == 1 && level.setting.temperature == 0.0)?;
        Some(Measurement::of_level(table, level))
    });
    Level {
        name: entry.name.clone(),
        network: entry.id.clone(),
        nodes: 1,
        temperature: 0.0,
        measurement: measured,
    }
}

/// The setting with which a reproduced system, or its network with a search, plays.
fn of_system(entry: &CatalogEntry) -> Option<Level> {
    let player = entry.system_player()?;
    let setup = SearchSetup::new(&player.options).expect("a test plays every system");
    Some(Level {
        name: entry.name.clone(),
        network: entry.id.clone(),
        nodes: player.pace.nodes.unwrap_or(1),
        temperature: setup.temperature(),
        measurement: entry.rated().map(Measurement::from),
    })
}

fn measured(entry: &CatalogEntry, table: &StrengthTable) -> Vec<Level> {
    let mut levels: Vec<Level> = table
        .levels
        .iter()
        .map(|level| Level {
            name: format!("{} {:.0}", name_of(level.elo), level.elo),
            network: level.setting.imitated.map_or_else(|| entry.id.clone(), imitation_id),
            nodes: level.setting.nodes,
            temperature: level.setting.temperature,
            measurement: Some(Measurement::of_level(table, level)),
        })
        .collect();
    if levels.iter().all(|level| level.nodes < FULL_STRENGTH.nodes) {
        levels.push(unmeasured(entry, &FULL_STRENGTH));
    }
    levels
}

fn name_of(elo: f64) -> &'static str {
    NAMES.iter().find(|(_, end)| elo < *end).map_or("Master", |&(name, _)| name)
}

fn unmeasured(entry: &CatalogEntry, preset: &Preset) -> Level {
    Level {
        name: preset.name.into(),
        network: entry.id.clone(),
        nodes: preset.nodes,
        temperature: preset.temperature,
        measurement: None,
    }
}

#[cfg(test)]
mod tests {
    use strength::{StrengthLevel, StrengthSetting};

    use super::*;
    use crate::networks::{CatalogFolders, entry};

    #[test]
    fn networks_of_systems_are_offered_with_a_search_and_without_the_rating_of_another() {
        let folders = CatalogFolders { runs: "none".into(), nets: "none".into() };
        let levels = levels(&entry::entries("default", &folders));
        let of = |network: &str| levels.iter().find(|level| level.network == network);
        let (own, with_search) = (of("knights-el").unwrap(), of("knights-el-search").unwrap());
        assert_eq!(with_search.name, format!("{}, with a search", own.name));
        assert!(own.measurement.is_some() && with_search.measurement.is_none());
        assert_eq!(with_search.nodes, 1000);
        assert!(of("knights-sl-search").is_none(), "no value, no search");
        let entry = entry::searching("knights-el-search").unwrap();
        assert_eq!((entry.id.as_str(), entry.net.as_str()), ("knights-el-search", "knights-el"));
    }

    #[test]
    fn levels_come_from_the_table_of_the_chosen_network_and_from_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("mine.tabiya").display().to_string();
        std::fs::write(&net, player::BUNDLED[0].weights).unwrap();
        let folders = CatalogFolders { runs: folder.path().join("runs"), nets: folder.path().join("nets") };
        let is_of_system = |level: &Level| {
            player::SYSTEMS.iter().any(|system| level.network.starts_with(system.network.name))
        };
        let found = || -> Vec<Level> {
            levels(&entry::entries(&net, &folders)).into_iter().filter(|level| !is_of_system(level)).collect()
        };
        assert_eq!(found().len(), PRESETS.len());
        assert!(found().iter().all(|level| level.measurement.is_none()), "no table, no rating");

        let level = |nodes, temperature, elo| {
            let setting = StrengthSetting::search(nodes, temperature);
            StrengthLevel { setting, elo, lower: elo - 50.0, upper: elo + 60.0, games: 80 }
        };
        let hash = player::network_hash(&net).unwrap().unwrap();
        let rows = vec![level(1, 1.0, 2700.0), level(1, 0.0, 2750.4), level(256, 0.0, 2800.0)];
        let table = StrengthTable::new("mine".into(), hash, "against X".into(), rows).unwrap();
        let file = player::levels::strength_file(&net);
        std::fs::write(&file, serde_json::to_string(&table).unwrap()).unwrap();
        let people = player::levels::strength_table("human").unwrap().map_or(0, |table| table.levels.len());
        let found = found();
        for level in &found[..people] {
            assert!(level.network.starts_with("human-") && level.nodes == 1, "{level:?}");
            let measured = level.measurement.as_ref().unwrap();
            assert!(measured.setting.starts_with("moves of people rated "), "{measured:?}");
        }
        let names: Vec<&str> = found[people..].iter().map(|level| level.name.as_str()).collect();
        assert_eq!(names, ["Master 2700", "Master 2750", "Master 2800", "Full strength"]);
        let second = found[people + 1].measurement.clone().unwrap();
        assert_eq!((second.elo, second.low, second.high, second.games), (2750.0, 2700.0, 2810.0, 80));
        assert_eq!(second.setting, "1 node, temperature 0");
        assert!(second.conditions.starts_with("against X"), "{}", second.conditions);
        assert!(found[people + 3].measurement.is_none(), "4,000 nodes were not measured");
    }
}
