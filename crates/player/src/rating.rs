//! The measured rating of a network with one search and one set of limits: the result of a ladder, stored
//! next to the network.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value;
use strength::ladder::LadderReport;

use crate::{error::OpenError, evaluators::network_hash, systems::bundled};

/// The name under which a report keeps the hash of a player's network.
pub(crate) const NETWORK_HASH: &str = "network hash";

/// The ending of the file's name, which follows the name of the network next to it.
const ENDING: &str = ".rating.json";

/// A rating with both ends of its 95 % interval, on the scale that its conditions name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PlayerRating {
    pub elo: f64,
    pub lower: f64,
    pub upper: f64,
    pub games: u64,
    /// The player's text and its limits.
    pub setting: String,
    /// Scale, opponents, openings, machine and program.
    pub conditions: String,
}

impl fmt::Display for PlayerRating {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo, lower, upper, games, .. } = self;
        write!(formatter, "{elo:.0} ({lower:.0} to {upper:.0}, {games} games)")
    }
}

impl PlayerRating {
    /// The rating of a ladder; `None` if it is only bounded.
    pub fn of(report: &LadderReport) -> Option<Self> {
        let [elo, lower, upper] = report.bounded_rating()?;
        let player = &report.conditions.players[0];
        Some(Self {
            elo,
            lower,
            upper,
            games: report.rating?.games,
            setting: format!("{}, {} a move", player.specification, player.pace),
            conditions: report.conditions_line(),
        })
    }
}

/// The file with the rating of a network's player, next to the network.
pub fn rating_file(net: &str) -> PathBuf {
    PathBuf::from(format!("{net}{ENDING}"))
}

/// The rating in the file next to a network, written by `tabiya ladder --keep`; for a network in the program,
/// the one embedded at build time. `None` if nothing was measured.
///
/// # Errors
/// [`OpenError`] if the file cannot be read, is not a bounded rating of a ladder, or is for another network.
pub fn rating(net: &str) -> Result<Option<PlayerRating>, OpenError> {
    let file = rating_file(net);
    let text = match bundled(net) {
        Some(network) => Some(network.rating.to_owned()).filter(|text| !text.is_empty()),
        None => files::if_there(files::read_text(&file))
            .map_err(|error| OpenError::Read { path: file.clone(), error })?,
    };
    let Some(text) = text else { return Ok(None) };
    let value: Value =
        serde_json::from_str(&text).map_err(|error| wrong(&file, error.to_string(), "JSON"))?;
    // Before the rest: a result of another kind lacks fields, and the message should name the kind.
    if value["kind"] != LadderReport::KIND {
        return Err(wrong(&file, format!("kind {}", value["kind"]), LadderReport::KIND));
    }
    let report: LadderReport = serde_json::from_value(value)
        .map_err(|error| wrong(&file, error.to_string(), "the result of a ladder"))?;
    let identity = &report.conditions.players[0].identity;
    let hashes = identity.iter().filter(|(name, _)| name == NETWORK_HASH).map(|(_, hash)| hash.as_str());
    // Joined as the hashes of several networks are.
    let measured = hashes.collect::<Vec<_>>().join("+");
    let hash = network_hash(net)?.unwrap_or_default();
    if measured != hash {
        let found = format!("the rating of the network {measured}");
        return Err(wrong(&file, found, &format!("that of {hash}")));
    }
    match PlayerRating::of(&report) {
        Some(rating) => Ok(Some(rating)),
        None => Err(wrong(&file, "a rating without both ends of its interval".into(), "a bounded rating")),
    }
}

fn wrong(file: &Path, found: String, expected: &str) -> OpenError {
    OpenError::Rating { file: file.into(), found, expected: expected.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::systems::SYSTEMS;

    /// The result of a ladder of a network with this hash.
    fn report(hash: &str, lower: Option<f64>) -> Value {
        let player = |name: &str, identity: Value| json!({"specification": name, "name": name, "pace": "1 node", "identity": identity});
        json!({
            "kind": "tabiya-ladder-1",
            "conditions": {
                "players": [player("mine", json!([[NETWORK_HASH, hash]])), player("Engine", json!([]))],
                "games": 40, "openings": "balanced", "different_openings": 100, "seed": 1, "concurrency": 1,
                "time_margin_ms": 50, "adjudication": {"max_moves": null, "resign": null, "draw": null},
                "endgames": null, "sprt": null, "machine": "a machine", "program": "a program",
            },
            "plan": {"probe": 10, "games": 40, "batch": 10},
            "rating": {"elo": lower.map(|lower| lower + 50.0), "lower": lower, "upper": 900.0, "games": 40},
            "levels": [{"opponent": "human-1000:1", "elo": 800.0, "games": {"wins": 20, "draws": 0, "losses": 20},
                "pairs": [5, 0, 10, 0, 5], "difference": null}],
            "beyond": [],
            "failures": 0,
            "seconds": 1.0,
        })
    }

    #[test]
    fn a_rating_belongs_to_the_network_that_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("net.tabiya").display().to_string();
        std::fs::write(&net, "weights").unwrap();
        assert_eq!(rating(&net).unwrap(), None, "nothing was measured");
        let hash = network_hash(&net).unwrap().unwrap();
        let write = |value: &Value| std::fs::write(rating_file(&net), value.to_string()).unwrap();
        write(&report(&hash, Some(750.0)));
        let found = rating(&net).unwrap().unwrap();
        assert_eq!(found.to_string(), "800 (750 to 900, 40 games)");
        assert_eq!(found.setting, "mine, 1 node a move");
        for part in ["on the scale of Engine UCI_Elo", "against human-1000:1", "a machine", "a program"] {
            assert!(found.conditions.contains(part), "{}", found.conditions);
        }
        let refused = |value: &Value| {
            write(value);
            rating(&net).unwrap_err().to_string()
        };
        for (value, expected) in [
            (report("of another", Some(750.0)), "the rating of the network of another"),
            (report(&hash, None), "a rating without both ends"),
            (json!([]), "kind null"),
        ] {
            let message = refused(&value);
            assert!(message.contains(expected) && message.contains("net.tabiya.rating.json"), "{message}");
        }
        assert_eq!(rating("material").unwrap(), None);
    }

    #[test]
    fn the_ratings_of_the_systems_are_of_their_networks() {
        let mut rated = 0;
        for system in SYSTEMS {
            let name = system.network.name;
            if let Some(found) = rating(name).unwrap() {
                assert!(found.setting.starts_with(&format!("{name}, ")), "{found:?}");
                rated += 1;
            }
        }
        assert!(rated >= 5, "{rated}: tabiya ladder NAME --nodes 20000 --keep");
    }
}
