//! Games over HTTP.

use std::{collections::BTreeSet, sync::Arc, thread, time::Duration};

use crate::stage::Stage;

#[test]
fn a_game_is_played_taken_back_and_given_up() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1,"seed":1}"#);
    let moves = format!("{game}/moves");
    let played = stage.post(&moves, r#"{"ply":0,"uci":"e2e4"}"#);
    assert_eq!(played.status, 200, "{}", played.text());
    let state = stage.wait(&game, |state| state["moves"].as_array().unwrap().len() == 2);
    assert_eq!((state["moves"][0]["san"].as_str(), state["turn"].as_str()), (Some("e4"), Some("white")));
    for (body, status, code) in [
        (r#"{"ply":0,"uci":"d2d4"}"#, 409, "other_ply"),
        (r#"{"ply":2,"uci":"e4e6"}"#, 422, "illegal_move"),
        (r#"{"ply":2,"uci":"nonsense"}"#, 422, "illegal_move"),
    ] {
        let refused = stage.post(&moves, body);
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{body}");
    }
    let back = stage.post(&format!("{game}/undo"), "{}").json();
    assert_eq!((back["moves"].as_array().unwrap().len(), back["help"].as_bool()), (0, Some(true)));
    assert_eq!(stage.post(&format!("{game}/undo"), "{}").code(), "nothing_to_undo");
    let hint = stage.post(&format!("{game}/hint"), "{}").json();
    assert_eq!(hint["uci"].as_str().unwrap().len(), 4);
    let declined = stage.post(&format!("{game}/draw"), "{}").json();
    assert_eq!((declined["draw_declined_at"].as_u64(), declined["end"].is_null()), (Some(0), true));
    assert_eq!(stage.post(&format!("{game}/draw"), "{}").code(), "offered_already");
    let end = stage.post(&format!("{game}/resign"), "{}").json();
    assert_eq!(end["end"]["text"], "Resignation: Black wins");
    assert_eq!(stage.post(&moves, r#"{"ply":0,"uci":"e2e4"}"#).code(), "game_over");
    let pgn = stage.get(&format!("{game}/pgn")).text();
    assert!(
        pgn.contains("[Result \"0-1\"]") && pgn.contains("[Help \"1 moves taken back, 1 hints\"]"),
        "{pgn}"
    );
}

#[test]
fn a_draw_offer_is_part_of_the_time_of_a_move() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1}"#);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(stage.post(&format!("{game}/draw"), "{}").json()["draw_declined_at"], 0);
    let state = stage.post(&format!("{game}/moves"), r#"{"ply":0,"uci":"e2e4"}"#).json();
    assert!(state["moves"][0]["elapsed_ms"].as_u64().unwrap() >= 100, "{state}");
}

/// A panic of the search left the page waiting forever.
#[test]
fn a_search_that_panics_is_an_error_that_the_page_shows() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1,"network":"panicking"}"#);
    let hint = stage.post(&format!("{game}/hint"), "{}");
    assert!(hint.status >= 500 && hint.text().contains("a child without a parent"), "{}", hint.text());
    stage.post(&format!("{game}/moves"), r#"{"ply":0,"uci":"e2e4"}"#);
    let state = stage.wait(&game, |state| !state["failure"].is_null());
    assert_eq!(state["failure"], "the engine failed: the search panicked: a child without a parent");
    assert_eq!(state["thinking"], false, "{state}");
    // The person may try again, and the failure is reported again.
    stage.post(&format!("{game}/retry"), "{}");
    stage.wait(&game, |state| state["failure"].is_string() && state["thinking"] == false);
    assert_eq!(stage.post(&format!("{game}/resign"), "{}").json()["end"]["reason"], "resignation");
}

#[test]
fn every_ending_of_the_rules_ends_the_game() {
    let stage = Stage::new();
    for (fen, uci, reason) in [
        ("7k/R7/8/8/8/8/8/1R2K3 w - - 0 1", "b1b8", "checkmate"),
        ("7k/8/6Q1/8/8/8/8/K7 w - - 0 1", "a1a2", "stalemate"),
        ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2", "insufficient_material"),
        ("7k/8/8/8/8/8/R7/K7 w - - 99 80", "a2b2", "fifty_moves"),
    ] {
        let game = stage.game(&format!(r#"{{"nodes":1,"fen":"{fen}"}}"#));
        let state = stage.post(&format!("{game}/moves"), &format!(r#"{{"ply":0,"uci":"{uci}"}}"#)).json();
        assert_eq!(state["end"]["reason"], reason, "{state}");
    }
}

#[test]
fn the_clock_is_the_servers_and_time_ends_a_game() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1,"clock":{"initial_ms":1000,"increment_ms":0}}"#);
    let state = stage.get(&game).json();
    assert_eq!(state["clock"]["running"], "white");
    let end = stage.wait(&game, |state| !state["end"].is_null());
    assert_eq!((end["end"]["reason"].as_str(), end["end"]["result"].as_str()), (Some("time"), Some("0-1")));
}

/// A hint or a page that took the game over let the person think for ever.
#[test]
fn time_ends_a_game_whose_state_changed_without_a_move() {
    let stage = Stage::new();
    for (act, body) in [("hold", r#"{"page":"first"}"#), ("hint", "{}")] {
        let game = stage.game(r#"{"nodes":1,"clock":{"initial_ms":1000,"increment_ms":0}}"#);
        stage.post(&format!("{game}/{act}"), body);
        let end = stage.wait(&game, |state| !state["end"].is_null());
        assert_eq!(end["end"]["reason"], "time", "{act}");
    }
}

#[test]
fn a_restarted_server_goes_on_with_its_games() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1,"color":"black","clock":{"initial_ms":60000,"increment_ms":1000}}"#);
    let before = stage.wait(&game, |state| state["turn"] == "black");
    let folder = Arc::clone(&stage.folder);
    drop(stage);
    let stage = Stage::in_folder(folder);
    let after = stage.get(&game).json();
    for part in ["id", "moves", "fen", "person", "opponent", "started"] {
        assert_eq!(before[part], after[part], "{part}");
    }
    assert!(after["clock"]["black_ms"].as_u64().unwrap() <= 60_000);
    let list = stage.get("/api/v1/games").json();
    let kept = &list["games"][0];
    assert_eq!((kept["plies"].as_u64(), kept["result"].as_str()), (Some(1), Some("*")));
    assert_eq!(list["problems"], serde_json::json!([]));
}

/// The date of such a game is beyond what the system's clock counts: its PGN was a panic.
#[test]
fn a_game_that_began_at_no_time_has_no_date() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1}"#);
    let file = stage.path().join(format!("games/{}.json", game.rsplit('/').next().unwrap()));
    let folder = Arc::clone(&stage.folder);
    drop(stage);
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    record["started"] = u64::MAX.into();
    std::fs::write(&file, record.to_string()).unwrap();
    let pgn = Stage::in_folder(folder).get(&format!("{game}/pgn"));
    assert!(pgn.status == 200 && pgn.text().contains("[Date \"????.??.??\"]"), "{}", pgn.text());
}

#[test]
fn games_are_found_by_a_position_and_have_the_moves_of_their_opening() {
    let stage = Stage::new();
    let played = |moves: &[&str]| {
        let game = stage.game(r#"{"nodes":1,"color":"white"}"#);
        for (turn, uci) in moves.iter().enumerate() {
            stage.wait(&game, |state| state["moves"].as_array().is_some_and(|moves| moves.len() == 2 * turn));
            stage.post(&format!("{game}/moves"), &format!(r#"{{"ply":{},"uci":"{uci}"}}"#, 2 * turn));
        }
        let length = 2 * moves.len();
        stage.wait(&game, |state| state["moves"].as_array().is_some_and(|moves| moves.len() == length));
        game.rsplit('/').next().unwrap().to_owned()
    };
    // The engine answers with its first legal move, whatever was played.
    let [first, second] = [played(&["e2e4", "d2d4"]), played(&["d2d4", "e2e4"])];
    let list = |query: &str| {
        let list = stage.get(&format!("/api/v1/games{query}")).json();
        let ids =
            list["games"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned());
        ids.collect::<BTreeSet<String>>()
    };
    let game = |id: &str| stage.get(&format!("/api/v1/games/{id}")).json();
    let both = BTreeSet::from([first.clone(), second]);
    assert_eq!(list(""), both);
    assert_eq!(list("?most=1").len(), 1);
    let at = |fen: &str| format!("?fen={}", fen.replace(' ', "%20"));
    assert_eq!(list(&at("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 9 30")), both, "any counters");
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(list(&at(after)), BTreeSet::from([first.clone()]));
    assert_eq!(list(&at(game(&first)["fen"].as_str().unwrap())), both, "another order of moves");
    assert!(list(&at("7k/8/8/8/8/8/8/K7 w - - 0 1")).is_empty());
    let summary = stage.get(&format!("/api/v1/games{}", at(after))).json()["games"][0].clone();
    let moves: Vec<&str> =
        summary["first_moves"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!((moves.len(), moves[0], moves[2]), (4, "e2e4", "d2d4"));
    stage.game(r#"{"nodes":1,"color":"white","fen":"7k/8/8/8/8/8/P7/K7 w - - 0 1"}"#);
    let elsewhere = stage.get(&format!("/api/v1/games{}", at("7k/8/8/8/8/8/P7/K7 w - - 0 1"))).json();
    assert_eq!(elsewhere["games"][0]["first_moves"], serde_json::json!([]), "{elsewhere}");
    assert_eq!(stage.get("/api/v1/games?fen=x").code(), "invalid_fen");
    assert_eq!(stage.get("/api/v1/games?most=0").code(), "invalid_query");
}

#[test]
fn a_game_that_cannot_be_read_is_named_in_the_list() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1}"#);
    let id = game.rsplit('/').next().unwrap();
    let games = stage.path().join("games");
    std::fs::write(games.join("1700000000-1.json"), r#"{"version":1,"#).unwrap();
    let list = stage.get("/api/v1/games").json();
    assert_eq!((list["games"].as_array().unwrap().len(), list["games"][0]["id"].as_str()), (1, Some(id)));
    let problem = list["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("cannot read game 1700000000-1: EOF"), "{problem}");
}

#[test]
fn a_network_that_cannot_play_is_refused_by_name() {
    let stage = Stage::new();
    let broken = stage.post("/api/v1/games", r#"{"network":"broken"}"#);
    assert_eq!((broken.status, broken.code().as_str()), (422, "broken_network"));
    let unknown = stage.post("/api/v1/games", r#"{"network":"nowhere"}"#);
    assert_eq!((unknown.status, unknown.code().as_str()), (404, "unknown_network"));
}

#[test]
fn a_level_gives_what_a_request_leaves_out_and_an_unknown_one_is_refused_with_the_known_ones() {
    let stage = Stage::new();
    let game = stage.game(r#"{"level":"Beginner"}"#);
    let opponent = &stage.get(&game).json()["opponent"];
    assert_eq!((opponent["nodes"].as_u64(), opponent["temperature"].as_f64()), (Some(3), Some(0.5)));
    assert_eq!(opponent["level"], "Beginner");
    let network = opponent["network"].as_str().unwrap();
    let named = stage.game(&format!(r#"{{"level":"{network}","nodes":2}}"#));
    assert_eq!(stage.get(&named).json()["opponent"]["nodes"], 2);
    let refused = stage.post("/api/v1/games", r#"{"level":"COGS188 ChessCNNMCTS"}"#);
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid_game"));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("COGS188") && message.ends_with("expected one of Beginner"), "{message}");
    let other = stage.post("/api/v1/games", r#"{"level":"Beginner","network":"broken"}"#);
    assert_eq!((other.status, other.code().as_str()), (422, "invalid_game"));
}

/// Knights out and home again: after the second time the first position stands for the third time.
const TO_AND_FRO: [&str; 4] = ["g1f3", "f3g1", "g1f3", "f3g1"];

#[test]
fn a_repetition_ends_a_game_at_once_or_when_it_is_claimed() {
    let stage = Stage::new();
    // The double answers with its first legal move: a king that can only go to and fro repeats as well. Its pawn at home
    // makes it hope for more than a draw, so it claims none.
    let fen = "k7/7p/7K/8/8/3B4/8/1R4N1 w - - 0 1";
    for (claim, ends) in [(false, true), (true, false)] {
        let game = stage.game(&format!(r#"{{"nodes":1,"fen":"{fen}","draws_by_claim":{claim}}}"#));
        let mut state = stage.get(&game).json();
        for (turn, uci) in TO_AND_FRO.iter().enumerate() {
            stage.post(&format!("{game}/moves"), &format!(r#"{{"ply":{},"uci":"{uci}"}}"#, 2 * turn));
            state = stage.wait(&game, |state| {
                !state["end"].is_null() || state["moves"].as_array().unwrap().len() == 2 * turn + 2
            });
        }
        assert_eq!(!state["end"].is_null(), ends, "{state}");
        if claim {
            assert_eq!(state["claimable"], "Draw: threefold repetition", "{state}");
            let end = stage.post(&format!("{game}/draw"), "{}").json();
            assert_eq!(end["end"]["reason"], "threefold_repetition");
        }
    }
}

#[test]
fn a_game_is_played_by_one_page_until_another_takes_it_over() {
    let stage = Stage::new();
    let game = stage.game(r#"{"nodes":1}"#);
    let (moves, hold) = (format!("{game}/moves"), format!("{game}/hold"));
    assert_eq!(stage.post(&hold, r#"{"page":"first"}"#).json()["holder"], "first");
    let refused = stage.post(&moves, r#"{"ply":0,"uci":"e2e4","page":"second"}"#);
    assert_eq!((refused.status, refused.code().as_str()), (409, "other_page"));
    assert_eq!(stage.post(&hold, r#"{"page":"second"}"#).json()["holder"], "second");
    assert_eq!(stage.post(&moves, r#"{"ply":0,"uci":"e2e4","page":"second"}"#).status, 200);
    stage.wait(&game, |state| state["moves"].as_array().unwrap().len() == 2);
    assert!(stage.post(&hold, r#"{"page":null}"#).json()["holder"].is_null());
    assert_eq!(stage.post(&moves, r#"{"ply":2,"uci":"d2d4","page":"first"}"#).json()["holder"], "first");
    assert_eq!(stage.post(&hold, &format!(r#"{{"page":"{}"}}"#, "x".repeat(65))).code(), "invalid_page");
}
