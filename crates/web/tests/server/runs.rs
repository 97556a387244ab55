//! Training runs and results over HTTP, and news of them over the WebSocket.

use std::fs;

use crate::{analysis::Socket, stage::Stage};

const STEP: &str = r#"{"kind":"step","step":20,"policy_loss":3.25,"positions_per_second":900.0}"#;

#[test]
fn a_run_appears_while_it_is_written() {
    let stage = Stage::new();
    assert_eq!(stage.get("/api/v1/runs").json(), serde_json::json!([]));
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"sub","topic":"runs"}"#);
    socket.until(|message| message["topic"] == "runs");
    let folder = stage.path().join("runs/mini");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("recipe.toml"), "title = \"x\"\n[training]\nsteps = 100\n").unwrap();
    fs::write(folder.join("log.jsonl"), format!("{STEP}\n")).unwrap();
    let news = socket.until(|message| message["topic"] == "runs" && !message["data"]["runs"][0].is_null());
    let run = &news["data"]["runs"][0];
    assert_eq!((run["name"].as_str(), run["status"].as_str()), (Some("mini"), Some("running")));
    assert_eq!((run["step"].as_u64(), run["steps"].as_u64()), (Some(20), Some(100)));
    let curves = stage.get("/api/v1/runs/mini/curves").json();
    assert_eq!(curves["train"]["values"]["policy_loss"][0], 3.25);
    let next = curves["next"].as_u64().unwrap();
    assert_eq!(
        stage.get(&format!("/api/v1/runs/mini/curves?from={next}")).json()["train"]["step"],
        serde_json::json!([])
    );
    fs::write(folder.join("summary.json"), r#"{"ending":"finished"}"#).unwrap();
    let detail = stage.get("/api/v1/runs/mini").json();
    assert_eq!(
        (detail["status"].as_str(), detail["outcome"]["ending"].as_str()),
        (Some("done"), Some("finished"))
    );
    assert!(detail["recipe"].as_str().unwrap().contains("steps = 100"));
}

#[test]
fn results_are_listed() {
    let stage = Stage::new();
    assert_eq!(stage.get("/api/v1/results").json(), serde_json::json!([]));
    fs::create_dir(stage.path().join("results")).unwrap();
    fs::write(stage.path().join("results/a.json"), r#"{"conditions":{"players":[]},"elo":null}"#).unwrap();
    let list = stage.get("/api/v1/results").json();
    assert_eq!((list[0]["id"].as_str(), list[0]["kind"].as_str()), (Some("a"), Some("match")));
}
