//! Input planes of a network, and the calibration of its values.

use crate::{double::NETWORK, stage::Stage};

#[test]
fn planes_are_told_from_the_movers_side_with_names() {
    let stage = Stage::new();
    let seen = |query: &str| stage.get(&format!("/api/v1/networks/{NETWORK}/planes{query}"));
    let start = seen("").json();
    assert_eq!((start["encoding"].as_str(), start["view"].as_str()), (Some("tabiya"), Some("white")));
    let pawns = &start["boards"][0];
    assert_eq!(pawns["name"], "own pawns");
    let squares: Vec<f64> =
        pawns["squares"].as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect();
    assert_eq!(squares.len(), 64);
    let on_the_board: Vec<usize> = (0..64).filter(|&at| squares[at] == 1.0).collect();
    assert_eq!(on_the_board, (48..56).collect::<Vec<_>>(), "the second line from below");
    assert_eq!(seen("?moves=e2e4").json()["view"], "black");
    let empty = seen("?fen=4k3/8/8/8/8/8/4P3/4K3%20w%20-%20-%200%201").json()["empty"].clone();
    assert!(empty.as_array().unwrap().iter().any(|name| name == "their pawns"), "{empty}");
    for (query, status, code) in [
        ("?fen=x", 422, "invalid_fen"),
        ("?fen=4k3/8/8/8/8/8/4P3/4K3%20w%20-", 422, "invalid_fen"),
        ("?fen=4k3/8/8/8/8/8/4P3/4K3%20w%20-%20-", 200, ""),
        ("?moves=e2e4,e2e4", 422, "invalid_game"),
        ("?x=1", 200, ""),
    ] {
        let answer = seen(query);
        assert_eq!(answer.status, status, "{query}");
        assert!(status == 200 || answer.code() == code, "{query}");
    }
    assert_eq!(stage.get("/api/v1/networks/nobody/planes").status, 404);
}

#[test]
fn values_count_in_games_that_ended_without_help() {
    let stage = Stage::new();
    let address = format!("/api/v1/networks/{NETWORK}/calibration");
    assert_eq!(stage.get(&address).json()["games"], 0);
    for help in [false, true] {
        let game = stage.game(r#"{"nodes":1,"seed":1}"#);
        stage.post(&format!("{game}/moves"), r#"{"ply":0,"uci":"e2e4"}"#);
        stage.wait(&game, |state| state["moves"].as_array().unwrap().len() == 2);
        assert_eq!(
            stage.get(&address).json()["games"],
            u64::from(help),
            "a game that is played does not count"
        );
        if help {
            stage.post(&format!("{game}/hint"), "{}");
        }
        stage.post(&format!("{game}/resign"), "{}");
    }
    assert_eq!(stage.get(&address).json()["unreadable"], 0);
    std::fs::write(stage.path().join("games/1700000000-1.json"), "{").unwrap();
    let told = stage.get(&address).json();
    assert_eq!((&told["games"], &told["unreadable"]), (&1.into(), &1.into()));
    // Black had one more pawn at home, and won.
    let curve = &told["curves"][0];
    let bin = &curve["bins"][0];
    assert_eq!((&bin["scored"]["value"], &bin["scored"]["samples"]), (&1.0.into(), &1.into()), "{curve}");
    assert!((bin["expected"].as_f64().unwrap() - 0.56).abs() < 1e-6, "{curve}");
}
