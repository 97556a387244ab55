use std::collections::BTreeMap;

use super::*;
use crate::{
    game::{GameEnd, Winner},
    generation::{GameStatistics, GateResult, WindowSummary},
};

const RECIPE: &str = "title = \"toy\"\n[play]\nnodes = 10\n";

/// The inputs of a run whose opening book has this hash.
fn book(hash: &str) -> Inputs {
    Inputs::default().with("openings book.epd", vec![("hash".into(), hash.into())])
}

fn run() -> (tempfile::TempDir, ReplayStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = ReplayStore::create(storage(&folder), "tabiya 1", RECIPE, &book("1")).unwrap();
    (folder, store)
}

fn storage(folder: &tempfile::TempDir) -> Storage {
    Storage::open(folder.path().to_str().unwrap()).unwrap()
}

fn game(number: u32) -> SelfPlayGame {
    SelfPlayGame {
        id: GameId { generation: 0, worker: "box".into(), number },
        program: "tabiya 1".into(),
        seed: 1,
        start: chess::Game::default().fen(),
        moves: Vec::new(),
        winner: Winner::Draw,
        end: GameEnd::Length,
        doubted: None,
        evaluations: 0,
        seconds: 0.0,
    }
}

fn generation(number: u32, promoted: bool) -> Generation {
    Generation {
        number,
        played_by: NetworkName(0),
        games: GameStatistics::default(),
        window: WindowSummary::default(),
        losses: BTreeMap::new(),
        seconds: 1.0,
        gate: GateResult {
            games: [1, 2, 3],
            elo: None,
            lower: None,
            upper: None,
            promoted,
            reason: "because".into(),
        },
    }
}

#[test]
fn a_run_is_opened_by_the_same_version_and_continued_with_the_same_recipe_and_inputs() {
    let (folder, _) = run();
    assert_eq!(ReplayStore::open(storage(&folder), "tabiya 1").unwrap().recipe(), RECIPE);
    ReplayStore::create(storage(&folder), "tabiya 1", RECIPE, &book("1")).unwrap();
    let other = ReplayStore::open(storage(&folder), "tabiya 2").unwrap_err().to_string();
    assert!(
        other.contains("run.json") && other.contains("tabiya 1") && other.contains("tabiya 2"),
        "{other}"
    );
    let changed = RECIPE.replace("10", "11");
    let refused =
        ReplayStore::create(storage(&folder), "tabiya 1", &changed, &book("1")).unwrap_err().to_string();
    assert!(refused.contains("play") && refused.contains("10") && refused.contains("11"), "{refused}");
    let refused =
        ReplayStore::create(storage(&folder), "tabiya 1", RECIPE, &book("2")).unwrap_err().to_string();
    assert!(refused.contains("openings book.epd") && refused.contains("was 1, now 2"), "{refused}");
}

#[test]
fn what_is_no_run_is_refused_with_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let refused = ReplayStore::open(storage(&folder), "tabiya 1").unwrap_err().to_string();
    assert!(refused.contains("nothing") && refused.contains("tabiya selfplay"), "{refused}");
    for (text, expected) in [
        ("{", "run.json"),
        (r#"{"format": "other", "version": 1, "program": "x", "recipe": ""}"#, "other"),
        (r#"{"format": "tabiya-selfplay-run", "version": 9, "program": "x", "future": 1}"#, "version 9"),
    ] {
        std::fs::write(folder.path().join("run.json"), text).unwrap();
        let refused = ReplayStore::open(storage(&folder), "tabiya 1").unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused} does not say {expected}");
    }
}

#[test]
fn a_game_is_in_the_run_once() {
    let (_folder, store) = run();
    assert_eq!(store.put_game(&game(0)).unwrap(), PutResult::Written);
    assert_eq!(store.put_game(&game(0)).unwrap(), PutResult::Taken);
    store.put_game(&game(1)).unwrap();
    let names = store.games(0).unwrap();
    assert_eq!(names, ["games/00000/box-000000.json.zst", "games/00000/box-000001.json.zst"]);
    assert_eq!(store.game(&names[1]).unwrap(), game(1));
    assert_eq!(store.games(1).unwrap(), Vec::<String>::new());
}

#[test]
fn a_game_under_another_name_is_refused() {
    let (folder, store) = run();
    store.put_game(&game(0)).unwrap();
    let games = folder.path().join("games/00000");
    std::fs::copy(games.join("box-000000.json.zst"), games.join("box-000007.json.zst")).unwrap();
    let refused = store.game("games/00000/box-000007.json.zst").unwrap_err().to_string();
    assert!(refused.contains("box-000007") && refused.contains("box-000000"), "{refused}");
}

#[test]
fn the_newest_promoted_network_plays() {
    let (_folder, store) = run();
    assert_eq!(ReplayStore::state(&[]), RunState { generation: 0, network: NetworkName(0) });
    for (number, promoted) in [(1, true), (2, true), (3, false)] {
        assert_eq!(store.end_generation(&generation(number, promoted)).unwrap(), PutResult::Written);
    }
    let generations = store.generations().unwrap();
    assert_eq!(generations[2], generation(3, false));
    assert_eq!(ReplayStore::state(&generations), RunState { generation: 3, network: NetworkName(2) });
    assert!(store.has_ended(2).unwrap() && !store.has_ended(3).unwrap());
}

#[test]
fn a_gap_between_generations_is_an_error() {
    let (_folder, store) = run();
    store.end_generation(&generation(2, true)).unwrap();
    let refused = store.generations().unwrap_err().to_string();
    assert!(refused.contains("generations/00002.json") && refused.contains("generation 1"), "{refused}");
}

#[test]
fn missing_weights_are_an_error_but_for_a_start_without_a_network() {
    let (_folder, store) = run();
    assert_eq!(store.weights(NetworkName(0)).unwrap(), None);
    let refused = store.weights(NetworkName(4)).unwrap_err().to_string();
    assert!(refused.contains("networks/00004.tabiya"), "{refused}");
    store.put_weights(NetworkName(4), b"weights".to_vec()).unwrap();
    assert_eq!(store.weights(NetworkName(4)).unwrap().unwrap(), b"weights");
}

#[test]
fn the_end_of_a_run_can_be_taken_back() {
    let (_folder, store) = run();
    assert!(!store.is_over().unwrap());
    store.end_run().unwrap();
    assert!(store.is_over().unwrap());
    store.go_on().unwrap();
    store.go_on().unwrap();
    assert!(!store.is_over().unwrap());
}
