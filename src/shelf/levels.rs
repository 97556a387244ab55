//! The settings to play against that the page offers by name.
//!
//! A strength stands here only where this very setting was measured; nothing is interpolated.

use web::{Level, Measurement, NetworkKind};

use super::listing::Item;
use crate::engine::DEFAULT_NETWORK;

/// One setting of the bundled network.
struct Preset {
    name: &'static str,
    nodes: u64,
    temperature: f32,
}

/// Weakest first: the fewer visits and the higher the temperature, the more the engine overlooks.
const PRESETS: &[Preset] = &[
    Preset { name: "First steps", nodes: 1, temperature: 2.0 },
    Preset { name: "Beginner", nodes: 1, temperature: 0.7 },
    Preset { name: "Casual", nodes: 1, temperature: 0.0 },
    Preset { name: "Club", nodes: 40, temperature: 0.0 },
    Preset { name: "Strong club", nodes: 300, temperature: 0.0 },
    Preset { name: "Expert", nodes: 1_000, temperature: 0.0 },
    Preset { name: "Full strength", nodes: 4_000, temperature: 0.0 },
];

/// The presets on the default network, then one level for each network that plays like people.
pub(super) fn levels(items: &[Item]) -> Vec<Level> {
    let Some(default) = items.first() else { return Vec::new() };
    let mut levels: Vec<Level> = PRESETS
        .iter()
        .map(|preset| Level {
            name: preset.name.into(),
            network: default.id.clone(),
            nodes: preset.nodes,
            temperature: preset.temperature,
            measurement: measurement(default, preset),
        })
        .collect();
    for item in items.iter().filter(|item| item.kind == NetworkKind::Human) {
        levels.push(Level {
            name: item.name.clone(),
            network: item.id.clone(),
            nodes: 1,
            temperature: 0.0,
            measurement: None,
        });
    }
    levels
}

/// From the match in docs/measurements.md: 300 visits against Stockfish 15.1 at `UCI_Elo` 1350, 40 games, +70 (-47 to +208).
fn measurement(item: &Item, preset: &Preset) -> Option<Measurement> {
    (item.id == DEFAULT_NETWORK && preset.nodes == 300 && preset.temperature == 0.0).then(|| Measurement {
        elo: 1420.0,
        low: 1303.0,
        high: 1558.0,
        games: 40,
        conditions: "300 visits a move against Stockfish 15.1 at UCI_Elo 1350, 50 ms a move".into(),
    })
}
