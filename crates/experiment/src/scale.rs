//! Scales down the parts of an experiment other than its training.

use strength::{MatchSettings, ladder::LadderPlan};
use toml::{Table, Value};
use training::Scale;

use crate::estimate::PLIES_OF_A_GAME;

/// Fewest games: enough for a validation split of some, and for every result.
const LEAST_GAMES: u64 = 30;

/// Batches of different positions that a training needs at least: with less than one it does not begin.
const LEAST_BATCHES: u64 = 2;

/// Positions read from files at scale 1 if the recipe sets no number.
const POSITIONS_OF_FILES: u64 = 1_000_000;

/// Games of the validation split, and its largest share: splits are chosen by hash, and two of a hundred games may be none.
const HELD_OUT_GAMES: f64 = 10.0;
const LARGEST_SHARE: f64 = 0.25;

/// Fewest games of a match: one opening with both colours.
const LEAST_MATCH: u64 = 2;

/// Shrinks the section `[data]`: its games and positions, with a larger share for validation, in a store of its own, but leaves enough
/// for batches of this size.
pub(crate) fn shrink_data(data: &mut Table, scale: Scale, batch: u64) {
    let least_games = least_games(data, batch);
    let least_positions = least_games * PLIES_OF_A_GAME;
    if let Some(Value::String(store)) = data.get_mut("store") {
        *store = scale.name(store);
    }
    let games = data.get_mut("generate").and_then(|generate| generate.get_mut("games")).and_then(|games| {
        shrink_number(games, scale, least_games);
        games.as_integer()
    });
    for table in tables(data) {
        for (key, least) in
            [("max-games", least_games), ("max-positions", least_positions), ("max-games-per-band", 1)]
        {
            if let Some(number) = table.get_mut(key) {
                shrink_number(number, scale, least);
            }
        }
        if let Some(share) = table.get_mut("validation") {
            let few = games.map_or(0.0, |games| (HELD_OUT_GAMES / games as f64).min(LARGEST_SHARE));
            *share = Value::Float(share.as_float().unwrap_or_default().max(few));
        }
    }
    // Last, because the limit is already scaled.
    if data.contains_key("sources") {
        limit_positions(data, scale.of(POSITIONS_OF_FILES, least_positions));
    }
}

/// Fewest games for batches of this size, with the share of each game that the section takes.
fn least_games(data: &Table, batch: u64) -> u64 {
    let samples = data.get("options").and_then(|options| options.get("samples-per-game"));
    let samples = samples.and_then(Value::as_integer).map_or(u64::MAX, i64::unsigned_abs);
    let trained = samples.clamp(1, PLIES_OF_A_GAME) as f64 * (1.0 - LARGEST_SHARE);
    (((LEAST_BATCHES * batch) as f64 / trained).ceil() as u64).max(LEAST_GAMES)
}

/// Positions to read from files that replace the recipe's games: as many as these have.
pub(crate) fn positions_of_files(data: &Table) -> u64 {
    let games = data.get("generate").and_then(|generate| generate.get("games")).and_then(Value::as_integer);
    games.map_or(POSITIONS_OF_FILES, |games| games.unsigned_abs().saturating_mul(PLIES_OF_A_GAME))
}

/// Reads at most this many positions, unless the recipe already has such a limit.
pub(crate) fn limit_positions(data: &mut Table, most: u64) {
    data.entry("options").or_insert_with(|| Table::new().into());
    for table in tables(data) {
        table.entry("max-positions").or_insert(Value::Integer(most.try_into().unwrap_or(i64::MAX)));
    }
}

/// The tables with options of the commands that read games: those of the store and those of neighbours.
fn tables(data: &mut Table) -> Vec<&mut Table> {
    let mut found = Vec::new();
    for (key, value) in data {
        match value {
            Value::Table(table) if ["options", "neighbours"].contains(&key.as_str()) => found.push(table),
            Value::Array(list) if key == "neighbours" => {
                found.extend(list.iter_mut().filter_map(Value::as_table_mut));
            }
            _ => {}
        }
    }
    found
}

fn shrink_number(number: &mut Value, scale: Scale, least: u64) {
    if let Some(whole) = number.as_integer().and_then(|whole| u64::try_from(whole).ok()) {
        *number = Value::Integer(scale.of(whole, least).try_into().unwrap_or(i64::MAX));
    }
}

/// A measurement with a fraction of its games.
pub(crate) fn shrunk_command(command: &str, scale: Scale) -> String {
    let mut words: Vec<String> = command.split_whitespace().map(String::from).collect();
    let default = match words.first().map(String::as_str) {
        Some("match") => MatchSettings::GAMES,
        Some("ladder") => LadderPlan::GAMES,
        _ => return command.into(),
    };
    let place = words.iter().position(|word| word == "--games").unwrap_or_else(|| {
        words.extend(["--games".into(), default.to_string()]);
        words.len() - 2
    });
    // A text that is not a number is refused with the command.
    if let Some(games) = words.get(place + 1).and_then(|games| games.parse().ok()) {
        words[place + 1] = scale.of(games, LEAST_MATCH).next_multiple_of(2).to_string();
    }
    if words[0] == "ladder" && !words.iter().any(|word| word == "--probe") {
        words.extend(["--probe".into(), LEAST_MATCH.to_string()]);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_have_whole_pairs_of_games() {
        let at = |scale: &str, command| shrunk_command(command, scale.parse().unwrap());
        assert_eq!(at("0.01", "match {player} random --games 200"), "match {player} random --games 2");
        assert_eq!(at("0.05", "match {player} random"), "match {player} random --games 6");
        assert_eq!(at("0.1", "ladder {player} --games 100"), "ladder {player} --games 10 --probe 2");
        let other = "net validate {network} {store}";
        assert_eq!(at("0.1", other), other);
    }

    #[test]
    fn data_have_fewer_games_and_more_of_them_held_out() {
        let text = "store = 'stores/x'\ngenerate = { engine = 'e', games = 10000 }\n\
            options = { validation = 0.02, max-positions = 5000000 }\nneighbours = [{ engine = 'n', validation = 0.02 }]";
        let mut data: Table = text.parse().unwrap();
        shrink_data(&mut data, "0.01".parse().unwrap(), 64);
        assert_eq!(data["store"].as_str(), Some("stores/x-at-0.01"));
        assert_eq!(data["generate"]["games"].as_integer(), Some(100));
        assert_eq!(data["options"]["max-positions"].as_integer(), Some(50_000));
        assert_eq!(data["options"]["validation"].as_float(), Some(0.1));
        assert_eq!(data["neighbours"][0]["validation"].as_float(), Some(0.1));
        assert_eq!(positions_of_files(&data), 9000);
        let mut files: Table = "store = 'x'\nsources = ['a.pgn']".parse().unwrap();
        shrink_data(&mut files, "0.01".parse().unwrap(), 64);
        assert_eq!(files["options"]["max-positions"].as_integer(), Some(10_000));
        // Ten positions of each game, a quarter of them held out, are two batches of 2,048.
        let few =
            "store = 'x'\ngenerate = { engine = 'e', games = 20000 }\noptions = { samples-per-game = 10 }";
        let mut few: Table = few.parse().unwrap();
        shrink_data(&mut few, "0.01".parse().unwrap(), 2048);
        assert_eq!(few["generate"]["games"].as_integer(), Some(547));
    }
}
