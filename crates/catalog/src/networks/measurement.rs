//! A measured level as the page shows it.

use player::PlayerRating;
use strength::{StrengthLevel, StrengthTable};
use web::Measurement;

/// The measured rating of a level, with its conditions.
pub(super) fn measurement(table: &StrengthTable, level: &StrengthLevel) -> Measurement {
    let setting = level.setting;
    Measurement {
        elo: level.elo.round(),
        low: level.lower.round(),
        high: level.upper.round(),
        games: u32::try_from(level.games).unwrap_or(u32::MAX),
        setting: if let Some(rating) = setting.imitated {
            format!("moves of people rated {rating}, temperature {}", setting.temperature)
        } else {
            let unit = if setting.nodes == 1 { "node" } else { "nodes" };
            format!("{} {unit}, temperature {}", setting.nodes, setting.temperature)
        },
        conditions: table.conditions.clone(),
    }
}

/// The measured rating of a network with one search, with its conditions.
pub(super) fn of_rating(rating: PlayerRating) -> Measurement {
    Measurement {
        elo: rating.elo.round(),
        low: rating.lower.round(),
        high: rating.upper.round(),
        games: u32::try_from(rating.games).unwrap_or(u32::MAX),
        setting: rating.setting,
        conditions: rating.conditions,
    }
}
