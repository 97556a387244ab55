//! Analyses that the server keeps.

use serde_json::{Value, json};

use crate::stage::Stage;

fn draft(revision: u64, pgn: &str) -> String {
    let fen = "8/8/4k3/8/4K3/4P3/8/8 w - - 0 1";
    let title = json!({"players": "Anna - Bert", "result": "1-0", "plies": 2, "fen": fen});
    json!({"revision": revision, "title": title, "path": [0, 1], "pgn": pgn}).to_string()
}

#[test]
fn an_analysis_is_there_again_after_a_restart_until_it_is_deleted() {
    let stage = Stage::new();
    let path = "/api/v1/analyses/a0123456789abcdef";
    assert_eq!(stage.get(path).json(), Value::Null);
    // Longer than most requests may be.
    let pgn = format!("1. e4 {{{}}} *", "x".repeat(100_000));
    let saved = stage.post(path, &draft(0, &pgn));
    assert_eq!((saved.status, saved.json()["revision"].as_u64()), (200, Some(1)), "{}", saved.text());
    let folder = stage.folder.clone();
    drop(stage);
    let stage = Stage::in_folder(folder);
    let kept = stage.get(path).json();
    assert_eq!((kept["pgn"].as_str(), &kept["path"]), (Some(pgn.as_str()), &json!([0, 1])));
    assert_eq!(kept["summary"], saved.json());
    let list = stage.get("/api/v1/analyses").json();
    assert_eq!(list, json!({"analyses": [saved.json()], "problems": []}));
    assert_eq!(stage.get("/api/v1/games").json(), json!({"games": [], "problems": []}));
    assert_eq!(stage.post(&format!("{path}/delete"), "{}").json()["analyses"], json!([]));
    assert_eq!(stage.post(&format!("{path}/delete"), "{}").status, 404);
    assert_eq!(stage.get(path).json(), Value::Null);
}

#[test]
fn a_change_that_does_not_know_the_newest_revision_is_refused() {
    let stage = Stage::new();
    let path = "/api/v1/analyses/a1";
    assert_eq!(stage.post(path, &draft(0, "1. e4 *")).status, 200);
    let refused = stage.post(path, &draft(0, "1. d4 *"));
    assert_eq!((refused.status, refused.code().as_str()), (409, "other_revision"));
    assert_eq!(stage.post(path, &draft(1, "1. e4 e5 *")).json()["revision"], 2);
    assert_eq!(stage.get(path).json()["pgn"], "1. e4 e5 *");
}

#[test]
fn analyses_that_cannot_be_kept_are_refused() {
    let stage = Stage::new();
    std::fs::write(stage.path().join("secret.json"), "{}").unwrap();
    let elsewhere = "/api/v1/analyses/..%2f..%2fsecret";
    assert_eq!(stage.get(elsewhere).json(), Value::Null);
    assert_eq!(stage.post(elsewhere, &draft(0, "*")).code(), "invalid_analysis");
    assert_eq!(stage.post("/api/v1/analyses/a1", r#"{"pgn":"*"}"#).code(), "invalid_request");
    // Only slightly over the limit: the client might not see the answer to a much longer body.
    let long = stage.post("/api/v1/analyses/a1", &draft(0, &"x".repeat(2 << 20)));
    assert_eq!((long.status, long.code().as_str()), (413, "too_large"));
    assert_eq!(stage.get("/api/v1/analyses").json()["analyses"], json!([]));
}
