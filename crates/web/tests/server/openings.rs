//! Opening tables: queries reach them, files arrive whole, and refusals give the reason.

use std::{fs, path::PathBuf, sync::Mutex};

use chess::Chess;
use web::{OpeningMove, OpeningSource, OpeningTable, Openings, OpeningsError, OpeningsView};

use crate::stage::Stage;

/// Tables that record what they are asked.
#[derive(Default)]
pub(crate) struct OpeningsDouble {
    asked: Mutex<Vec<String>>,
    folder: Mutex<Option<tempfile::TempDir>>,
}

impl OpeningsDouble {
    fn note(&self, text: String) {
        self.asked.lock().unwrap().push(text);
    }
}

fn unknown<T>(id: &str, known: T) -> Result<T, OpeningsError> {
    if id == "club.pgn" {
        Ok(known)
    } else {
        Err(OpeningsError::Unknown(format!("there is no opening table {id:?}")))
    }
}

impl Openings for OpeningsDouble {
    fn view(&self) -> Result<OpeningsView, OpeningsError> {
        let table = OpeningTable {
            id: "club.pgn".into(),
            name: "club.pgn".into(),
            ready: false,
            share: Some(0.5),
            games: 7,
            games_per_second: Some(3.0),
            broken: 1,
            positions: 0,
            plies: 0,
            weights: false,
            stale: false,
            problem: None,
        };
        let source = OpeningSource { name: "club.pgn".into(), bytes: None };
        Ok(OpeningsView { tables: vec![table], sources: vec![source], folder: "data".into() })
    }

    fn make(&self, source: &str) -> Result<(), OpeningsError> {
        self.note(format!("make {source}"));
        unknown(source, ())
    }

    fn waiting_room(&self) -> Result<PathBuf, OpeningsError> {
        let mut folder = self.folder.lock().unwrap();
        Ok(folder.get_or_insert_with(|| tempfile::tempdir().unwrap()).path().to_owned())
    }

    fn make_of_file(&self, name: &str, file: tempfile::NamedTempFile) -> Result<(), OpeningsError> {
        self.note(format!("{name}: {}", fs::read_to_string(file.path()).unwrap().len()));
        Ok(())
    }

    fn stop(&self, id: &str) {
        self.note(format!("stop {id}"));
    }

    fn delete(&self, id: &str) -> Result<(), OpeningsError> {
        self.note(format!("delete {id}"));
        unknown(id, ())
    }

    fn moves(&self, id: &str, position: &Chess) -> Result<Vec<OpeningMove>, OpeningsError> {
        self.note(format!("moves {id} {}", chess::position_key(position) == chess::Game::default().key()));
        let known = OpeningMove {
            uci: "e2e4".into(),
            san: "e4".into(),
            white: 1,
            draws: 2,
            black: 3,
            unknown: 0,
            rating: Some(2000),
            years: Some((1972, 2014)),
        };
        unknown(id, vec![known])
    }
}

#[test]
fn requests_reach_the_tables_and_a_file_arrives_whole() {
    let stage = Stage::new();
    let listed = stage.get("/api/v1/openings").json();
    assert_eq!(
        (&listed["tables"][0]["share"], &listed["sources"][0]["bytes"]),
        (&0.5.into(), &serde_json::Value::Null)
    );
    assert_eq!(stage.post("/api/v1/openings", r#"{"source":"club.pgn"}"#).status, 202);
    // Longer than any other body may be.
    let games = "1. e4 e5 1-0\n\n".repeat(20_000);
    let sent = stage.request(
        "POST",
        "/api/v1/openings/files/my%20games.pgn",
        "Content-Type: application/octet-stream\r\n",
        &games,
    );
    assert_eq!(sent.status, 202, "{}", sent.text());
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR%20w%20KQkq%20-%200%201";
    let moves = stage.get(&format!("/api/v1/openings/club.pgn/moves?fen={fen}")).json();
    assert_eq!((&moves[0]["san"], &moves[0]["years"][1]), (&"e4".into(), &2014.into()));
    assert_eq!(stage.post("/api/v1/openings/club.pgn/stop", "{}").status, 200);
    assert_eq!(stage.post("/api/v1/openings/club.pgn/delete", "{}").status, 200);
    assert_eq!(
        *stage.openings.asked.lock().unwrap(),
        ["make club.pgn", "my games.pgn: 280000", "moves club.pgn true", "stop club.pgn", "delete club.pgn"]
    );
    let room = stage.openings.waiting_room().unwrap();
    assert_eq!(fs::read_dir(room).unwrap().count(), 0, "what was sent is gone");
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
