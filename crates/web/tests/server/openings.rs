//! Opening tables: files arrive whole, tables are made of them, and refusals give the reason.

use std::fs;

use crate::stage::Stage;

#[test]
fn requests_reach_the_tables_and_a_file_arrives_whole() {
    let stage = Stage::new();
    fs::create_dir(stage.path().join("data")).unwrap();
    fs::write(stage.path().join("data/club.pgn"), "1. d4 d5 0-1\n").unwrap();
    let listed = stage.get("/api/v1/openings").json();
    assert_eq!((&listed["tables"], &listed["sources"][0]["bytes"]), (&serde_json::json!([]), &13.into()));
    assert_eq!(stage.post("/api/v1/openings", r#"{"source":"club.pgn"}"#).status, 202);
    // Longer than any other body may be.
    let games = "[Date \"1972.01.01\"]\n\n1. e4 e5 1-0\n\n".repeat(5000);
    let sent = stage.request(
        "POST",
        "/api/v1/openings/files/my%20games.pgn",
        "Content-Type: application/octet-stream\r\n",
        &games,
    );
    assert_eq!(sent.status, 202, "{}", sent.text());
    let made = stage.wait("/api/v1/openings", |view| {
        let tables = view["tables"].as_array().unwrap();
        tables.len() == 2 && tables.iter().all(|table| table["ready"] == true)
    });
    assert_eq!(
        (&made["tables"][1]["id"], &made["tables"][1]["games"]),
        (&"my-games.pgn".into(), &5000.into())
    );
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201";
    let moves = stage.get(&format!("/api/v1/openings/my-games.pgn/moves?fen={fen}")).json();
    assert_eq!((&moves[0]["san"], &moves[0]["years"][1]), (&"e4".into(), &1972.into()));
    assert_eq!(stage.post("/api/v1/openings/my-games.pgn/stop", "{}").status, 200);
    let left = stage.post("/api/v1/openings/my-games.pgn/delete", "{}").json();
    assert_eq!((left["tables"].as_array().unwrap().len(), &left["tables"][0]["id"]), (1, &"club.pgn".into()));
    let room = fs::read_dir(stage.path().join("openings")).unwrap();
    let names: Vec<_> = room.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["club.pgn.openings"], "what was sent is gone");
}

#[test]
fn games_behind_a_count_are_listed_and_filtered_after_their_file_is_gone() {
    let stage = Stage::new();
    let games = "[White \"Anna\"]\n[WhiteElo \"2000\"]\n[BlackElo \"2100\"]\n[Date \"2014.01.01\"]\n\n1. e4 e5 1-0\n\n\
                 [White \"Bert\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2600\"]\n[Date \"1972.01.01\"]\n\n1. d4 d5 0-1\n";
    stage.request(
        "POST",
        "/api/v1/openings/files/two.pgn",
        "Content-Type: application/octet-stream\r\n",
        games,
    );
    let made = stage.wait("/api/v1/openings", |view| view["tables"][0]["ready"] == true);
    assert_eq!((&made["tables"][0]["listed"], &made["tables"][0]["older"]), (&true.into(), &false.into()));
    let start = "fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201";
    let get = |what: &str, more: &str| stage.get(&format!("/api/v1/openings/two.pgn/{what}?{start}{more}"));
    let all = get("games", "").json();
    assert_eq!((&all["total"], &all["games"][0]["white"]), (&2.into(), &"Bert".into()));
    let game = &all["games"][1];
    assert_eq!((&game["result"], &game["year"], &game["san"]), (&"1-0".into(), &2014.into(), &"e4".into()));
    assert_eq!(
        (&game["moves"], &game["fen"]),
        (&serde_json::json!(["e2e4", "e7e5"]), &serde_json::Value::Null)
    );
    for (more, white) in [("&uci=e2e4", "Anna"), ("&year_to=1999", "Bert"), ("&rating_to=2050", "Anna")] {
        let found = get("games", more).json();
        assert_eq!((&found["total"], &found["games"][0]["white"]), (&1.into(), &white.into()), "{more}");
    }
    let moves = get("moves", "&rating_from=2400").json();
    assert_eq!((moves.as_array().unwrap().len(), &moves[0]["san"]), (1, &"d4".into()));
    for more in ["&uci=e2e5", "&most=0", "&most=101", "&year_from=2000&year_to=1999"] {
        assert_eq!(get("games", more).status, 422, "{more}");
    }
    assert_eq!(get("moves", "&year_from=soon").status, 400);
}

#[test]
fn what_is_not_there_is_refused() {
    let stage = Stage::new();
    let nothing = stage.post("/api/v1/openings", r#"{"source":"../secret.pgn"}"#);
    assert_eq!((nothing.status, nothing.code().as_str()), (404, "not_found"));
    for (query, status) in [("", 400), ("?fen=nonsense", 422)] {
        assert_eq!(stage.get(&format!("/api/v1/openings/club.pgn/moves{query}")).status, status, "{query}");
    }
    assert_eq!(stage.post("/api/v1/openings/other/delete", "{}").status, 404);
}
