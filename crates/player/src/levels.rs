//! The levels at which a network can be played against, from its measured strength: people's moves below its own levels.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use chess::{Evaluator, SearchOptions, encoding::InputEncoding};
use network::{Precision, Weights, onnx::OnnxNetwork};
use search::{POLICY, SearchKind, imitation::ImitationOptions, temperature::TemperatureOptions};
use strength::{
    campaign::{RatedPlayer, WeakerPlayers},
    strength_table::{StrengthSetting, StrengthTable},
};

use crate::{
    error::OpenError,
    evaluators::{OpenedEvaluator, Source, network_hash, open_evaluator, sources, weights_of},
    specification::PlayerSpecification,
    systems::{HUMAN_NETWORK, bundled},
};

/// Sets the options of a level: its temperature, and the rating of the people it imitates. The caller limits
/// the nodes and chooses the player with [`at_level`].
pub fn limit(options: &mut SearchOptions, level: StrengthSetting) {
    TemperatureOptions { temperature: level.temperature, ..TemperatureOptions::read(options) }.write(options);
    if let Some(rating) = level.imitated {
        ImitationOptions { rating: rating.into(), ..ImitationOptions::read(options) }.write(options);
    }
}

/// Evaluator and search that play a level of a network: its own, or the policy of its [`imitator`] if people are imitated.
///
/// # Errors
/// [`OpenError`] if the imitator cannot be opened.
pub fn at_level(
    own: &OpenedEvaluator,
    search: &'static SearchKind,
    level: StrengthSetting,
    precision: Option<Precision>,
) -> Result<(Arc<dyn Evaluator>, &'static SearchKind), OpenError> {
    match level.imitated {
        Some(_) => Ok((open_imitator(own, precision)?, imitation_kind())),
        None => Ok((own.evaluator.clone(), search)),
    }
}

/// The network that plays the human-like levels of `net`: `net` itself if it takes the players' ratings as
/// input, otherwise the bundled human-like network.
///
/// # Errors
/// [`OpenError`] if the network's file cannot be read.
pub fn imitator(net: &str) -> Result<&str, OpenError> {
    let mut sources = sources(net);
    if let (Some(Source::Onnx(path)), None) = (sources.next(), sources.next()) {
        return Ok(if OnnxNetwork::read(&path)?.shows_ratings() { net } else { HUMAN_NETWORK });
    }
    Ok(if weights_of(net)?.is_some_and(|weights| shows_ratings(&weights)) { net } else { HUMAN_NETWORK })
}

/// True if a network takes the players' ratings as input. A sparse network has no input encoding, and no ratings either.
fn shows_ratings(weights: &Weights) -> bool {
    weights.spec.input_encoding().is_ok_and(<dyn InputEncoding>::shows_ratings)
}

/// Opens the [`imitator`] of a network.
///
/// # Errors
/// [`OpenError`] if it cannot be opened, or the network itself cannot be read any more.
pub fn open_imitator(
    own: &OpenedEvaluator,
    precision: Option<Precision>,
) -> Result<Arc<dyn Evaluator>, OpenError> {
    match imitator(&own.net)? {
        net if net == own.net => Ok(own.evaluator.clone()),
        net => Ok(open_evaluator(net, precision)?.evaluator),
    }
}

/// The kind of search that plays a network's policy, and therefore like the people that it learned from.
pub fn imitation_kind() -> &'static SearchKind {
    &POLICY
}

/// The player at a level of `net`, as text for a command line; human-like levels are played by the network
/// `people`.
pub fn player_at(net: &str, people: &str, level: StrengthSetting) -> String {
    let StrengthSetting { nodes, temperature, imitated } = level;
    let player = match imitated {
        Some(rating) => format!("net={people},search=policy,option.PlayerRating={rating}"),
        None => format!("net={net}"),
    };
    format!("{player},nodes={nodes},option.Temperature={temperature}")
}

/// The levels of the human-like network below a rating, as opponents of a ladder whose scale is this engine.
/// Empty, with the reason, if they were not measured on that scale.
///
/// # Errors
/// As [`strength_table`], and [`OpenError`] if the network cannot be opened.
pub fn people_below(engine: &str, elo: f64) -> Result<WeakerPlayers, OpenError> {
    let Some(table) = strength_table(HUMAN_NETWORK)? else { return Ok(WeakerPlayers::default()) };
    let mut people = WeakerPlayers { players: Vec::new(), conditions: table.conditions.clone() };
    if !table.is_on_scale_of(engine) {
        people.conditions = format!("none: their levels were measured {}", table.conditions);
        return Ok(people);
    }
    for level in table.levels.iter().filter(|level| level.elo < elo) {
        let text = player_at(HUMAN_NETWORK, HUMAN_NETWORK, level.setting);
        let player: PlayerSpecification = text
            .parse()
            .map_err(|error| OpenError::Level { level: level.setting.to_string(), error: Box::new(error) })?;
        let name = level.setting.to_string();
        people.players.push(RatedPlayer { name, elo: level.elo, contestant: player.contestant()? });
    }
    Ok(people)
}

/// The file with a network's measured strength, next to the network.
pub fn strength_file(net: &str) -> PathBuf {
    PathBuf::from(format!("{net}{}", files::run::STRENGTH_ENDING))
}

/// The measured strength of a network: the file `NET.strength.json` next to it, written by `tabiya
/// calibrate`; `None` without that file. A bundled table is checked by tests and ignored if it does not
/// match.
///
/// # Errors
/// [`OpenError`] if the file cannot be read, is not a strength table, or is one of another network.
pub fn strength_table(net: &str) -> Result<Option<StrengthTable>, OpenError> {
    let file = strength_file(net);
    if let Some(bundled) = bundled(net) {
        if bundled.strength.is_empty() {
            return Ok(None);
        }
        let table = parse_strength(bundled.strength, &file)?;
        return Ok(Some(table).filter(|table| table.network_hash == files::bytes_hash(bundled.weights)));
    }
    let text = files::if_there(files::read_text(&file));
    let text = text.map_err(|error| OpenError::Read { path: file.clone(), error })?;
    let Some(text) = text else { return Ok(None) };
    let table = parse_strength(&text, &file)?;
    // The table lies next to the network under its name, so it stays there when the network is trained again. Levels of the old
    // network would be wrong by hundreds of points without any sign of it; the hash makes that an error.
    let hash = network_hash(net)?;
    if hash.as_deref() == Some(table.network_hash.as_str()) {
        return Ok(Some(table));
    }
    let expected = hash.unwrap_or_else(|| "of a file".into());
    Err(OpenError::OtherStrength { file, found: table.network_hash, expected, net: net.into() })
}

fn parse_strength(text: &str, file: &Path) -> Result<StrengthTable, OpenError> {
    StrengthTable::from_json(text).map_err(|error| OpenError::StrengthTable { file: file.into(), error })
}

/// The levels at which a network can be played against, if its strength was measured: people's moves below its own levels.
///
/// # Errors
/// As [`strength_table`] and [`imitator`].
pub fn levels(net: &str) -> Result<Option<StrengthTable>, OpenError> {
    // The levels of a search end where its moves become random. The human-like network continues below, with moves that people of that
    // rating make. A network that takes ratings as input plays those itself, and has both kinds of levels in its own table.
    let (own, people) = (strength_table(net)?, strength_table(HUMAN_NETWORK)?);
    Ok(match (own, people) {
        (Some(own), Some(people)) if imitator(net)? != net => Some(own.above(&people)),
        (own, _) => own,
    })
}

/// The setting at which a network plays at this rating, as `UCI_Elo` finds it.
///
/// # Errors
/// [`OpenError`] if the network's strength was not measured, or not at this rating.
pub fn level(net: &str, elo: u16) -> Result<StrengthSetting, OpenError> {
    let table = levels(net)?.ok_or_else(|| OpenError::Unmeasured { net: net.into() })?;
    let (low, high) = table.range();
    if !(low..=high).contains(&i32::from(elo)) {
        return Err(OpenError::EloRange { elo, low, high, net: net.into() });
    }
    Ok(table.setting_for(f64::from(elo)))
}

#[cfg(test)]
mod tests {
    use chess::UniformEvaluator;
    use search::SEARCHES;
    use strength::strength_table::StrengthLevel;

    use super::*;
    use crate::{
        evaluators::read_weights,
        systems::{BUNDLED, DEFAULT_NETWORK},
    };

    #[test]
    fn only_a_measured_strength_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("net.tabiya").display().to_string();
        assert_eq!(strength_table(&net).unwrap(), None);
        std::fs::write(&net, "weights").unwrap();
        let file = strength_file(&net);
        let setting = StrengthSetting::search(10, 0.5);
        let level = StrengthLevel { setting, elo: 1000.0, lower: 900.0, upper: 1100.0, games: 100 };
        let hash = network_hash(&net).unwrap().unwrap();
        let table = StrengthTable::new("net".into(), hash, "conditions".into(), vec![level]).unwrap();
        std::fs::write(&file, serde_json::to_string(&table).unwrap()).unwrap();
        assert_eq!(strength_table(&net).unwrap(), Some(table));
        std::fs::write(&net, "other weights").unwrap();
        let other = strength_table(&net).unwrap_err().to_string();
        assert!(other.contains("net.tabiya.strength.json") && other.contains("measure again"), "{other}");
        std::fs::write(&file, "[]").unwrap();
        assert!(strength_table(&net).unwrap_err().to_string().contains("net.tabiya.strength.json"));
        assert_eq!(strength_table("material").unwrap(), None);
    }

    #[test]
    fn the_strength_tables_in_the_program_are_of_the_networks_in_the_program() {
        for network in BUNDLED {
            if network.strength.is_empty() {
                assert_eq!(strength_table(network.name).unwrap(), None);
                continue;
            }
            let table = StrengthTable::from_json(network.strength).unwrap();
            assert_eq!(
                table.network_hash,
                files::bytes_hash(network.weights),
                "nets/{0}.tabiya has changed: measure it with `tabiya calibrate nets/{0}.tabiya`, or remove the table",
                network.name
            );
            assert_eq!(strength_table(network.name).unwrap(), Some(table));
        }
    }

    #[test]
    fn a_level_that_imitates_people_is_played_by_the_human_like_network() {
        let own = OpenedEvaluator { evaluator: Arc::new(UniformEvaluator), net: "uniform".into() };
        let of = |level| at_level(&own, &SEARCHES[0], level, None).unwrap();
        let (evaluator, kind) = of(StrengthSetting::search(10, 0.5));
        assert_eq!((evaluator.describe(), kind.name), (own.evaluator.describe(), "auto"));
        let level = StrengthSetting::imitation(1100, 0.7);
        let (evaluator, kind) = of(level);
        assert!(evaluator.describe().starts_with("human"), "{}", evaluator.describe());
        assert_eq!(kind.name, "policy");
        let mut options = SearchOptions::default();
        limit(&mut options, level);
        let (imitation, chance) = (ImitationOptions::read(&options), TemperatureOptions::read(&options));
        assert_eq!((imitation.rating, chance.temperature), (1100, 0.7));
    }

    #[test]
    fn people_are_opponents_below_a_rating_on_the_scale_of_their_engine() {
        let table = strength_table(HUMAN_NETWORK).unwrap().unwrap();
        let engine = "Stockfish 15.1";
        assert!(table.is_on_scale_of(engine), "{}", table.conditions);
        let people = people_below(engine, 1000.0).unwrap();
        let expected: Vec<&StrengthLevel> = table.levels.iter().filter(|level| level.elo < 1000.0).collect();
        assert!(expected.len() > 1 && people.players.len() == expected.len());
        for (player, level) in people.players.iter().zip(expected) {
            assert_eq!((player.name.clone(), player.elo), (level.setting.to_string(), level.elo));
            let own = (player.contestant.factory)().unwrap().name().to_owned();
            assert!(own.starts_with("policy of human"), "{own}");
        }
        let other = people_below("Another engine", 1000.0).unwrap();
        assert!(other.players.is_empty() && other.conditions.starts_with("none: their levels were measured"));
    }

    #[test]
    fn a_network_that_sees_ratings_plays_its_own_imitations() {
        let folder = tempfile::tempdir().unwrap();
        let copy = |name: &str| {
            let file = folder.path().join(name).display().to_string();
            std::fs::write(&file, bundled(name).unwrap().weights).unwrap();
            file
        };
        let (people, other) = (copy(HUMAN_NETWORK), copy(DEFAULT_NETWORK));
        let imitators = [&people, &other].map(|net| imitator(net).unwrap());
        assert_eq!(imitators, [people.as_str(), HUMAN_NETWORK]);
        for net in ["human", "default", "uniform", "default+human"] {
            assert_eq!(imitator(net).unwrap(), HUMAN_NETWORK, "{net}");
        }
        let weights = read_weights(HUMAN_NETWORK).unwrap();
        let graph = folder.path().join("people.onnx").display().to_string();
        std::fs::write(&graph, network::onnx::to_bytes(&weights).unwrap()).unwrap();
        assert_eq!(imitator(&graph).unwrap(), graph);
        let missing = imitator("no/such.tabiya").unwrap_err().to_string();
        assert!(missing.contains("no/such.tabiya"), "{missing}");
        let own = open_evaluator(&people, None).unwrap();
        let level = StrengthSetting::imitation(1100, 0.7);
        let (evaluator, kind) = at_level(&own, &SEARCHES[0], level, None).unwrap();
        assert!(Arc::ptr_eq(&evaluator, &own.evaluator));
        assert_eq!(kind.name, "policy");
    }
}
