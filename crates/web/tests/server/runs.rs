//! Training runs and results over HTTP, and news about them over the WebSocket.

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
fn a_run_that_has_not_ended_tells_its_last_validation_and_its_layers() {
    let stage = Stage::new();
    let folder = stage.path().join("runs/mini");
    fs::create_dir_all(&folder).unwrap();
    let norms = r#"{"kind":"step","step":40,"busy_cores":1.5,"gpu_load":0.5,"gpu_bytes":4096,"layers":{"input":{"gradient":0.25,"update":0.01,"weights":4.0}}}"#;
    let validation = |top1: f64| {
        format!(
            r#"{{"kind":"validation","step":40,"validation":{{"top1":{top1},"baselines":{{"top1":0.03}}}}}}"#
        )
    };
    fs::write(
        folder.join("log.jsonl"),
        format!("{STEP}\n{}\n{norms}\n{}\n{STEP}\n", validation(0.25), validation(0.5)),
    )
    .unwrap();
    let detail = stage.get("/api/v1/runs/mini").json();
    assert_eq!((detail["outcome"].is_null(), detail["validation"]["top1"].as_f64()), (true, Some(0.5)));
    let curves = stage.get("/api/v1/runs/mini/curves").json();
    assert_eq!(curves["layers"]["step"], serde_json::json!([40]));
    assert_eq!(curves["layers"]["values"]["input.gradient"], serde_json::json!([0.25]));
    assert_eq!(curves["train"]["values"]["busy_cores"], serde_json::json!([null, 1.5, null]));
    assert_eq!(curves["train"]["values"]["gpu_load"], serde_json::json!([null, 0.5, null]));
    assert_eq!(curves["train"]["values"]["gpu_bytes"], serde_json::json!([null, 4096.0, null]));
}

#[test]
fn a_self_play_run_has_its_games_before_its_log_has_a_line() {
    let stage = Stage::new();
    let replay = stage.path().join("runs/toy/replay");
    for (name, text) in [
        ("run.json", r#"{"recipe":"[play]\nnodes = 8\n"}"#),
        ("games/00001/learner-000001.json.zst", ""),
        ("games/00002/learner-000001.json.zst", ""),
        ("games/00002/learner-000002.json.zst", ""),
    ] {
        let path = replay.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(stage.path().join("runs/toy/log.jsonl"), "").unwrap();
    let run = stage.get("/api/v1/runs/toy").json();
    assert_eq!((run["command"].as_str(), run["status"].as_str()), (Some("selfplay"), Some("running")));
    let play = &run["self_play"];
    assert_eq!((play["generation"].as_u64(), play["games"].as_u64()), (Some(2), Some(2)), "{run}");
    assert!(run["recipe"].as_str().unwrap().contains("nodes = 8"));
}

/// One damaged file made the whole list an error.
#[test]
fn a_damaged_file_is_told_at_its_run_and_the_others_stay_usable() {
    let stage = Stage::new();
    let runs = stage.path().join("runs");
    for name in ["good", "log", "outcome"] {
        fs::create_dir_all(runs.join(name)).unwrap();
        fs::write(runs.join(name).join("log.jsonl"), format!("{STEP}\n")).unwrap();
    }
    fs::write(runs.join("log/log.jsonl"), format!("{STEP}\n\0\0\0\n{STEP}\n")).unwrap();
    fs::write(runs.join("outcome/summary.json"), r#"{"ending":"fin"#).unwrap();
    let listed = stage.get("/api/v1/runs").json();
    let problem = |name: &str| {
        let run = listed.as_array().unwrap().iter().find(|run| run["name"] == name).unwrap();
        assert_eq!(run["step"], 20);
        assert_eq!(stage.get(&format!("/api/v1/runs/{name}")).json()["problem"], run["problem"]);
        run["problem"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(problem("good"), "");
    let place = |file: &str| runs.join(file).display().to_string();
    assert!(problem("log").starts_with(&format!("{}: byte ", place("log/log.jsonl"))), "{}", problem("log"));
    let outcome = format!("{}: found no JSON (EOF", place("outcome/summary.json"));
    assert!(problem("outcome").starts_with(&outcome), "{}", problem("outcome"));
    assert_eq!(stage.get("/api/v1/runs/log/curves").code(), "broken_log");
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"sub","topic":"runs"}"#);
    let told = socket.until(|message| message["topic"] == "runs");
    assert_eq!(told["data"]["runs"].as_array().unwrap().len(), 3);
}

/// An unreadable disk looked like a disk without runs.
#[test]
fn folders_that_cannot_be_listed_are_told_and_found_again() {
    let stage = Stage::new();
    let [runs, results] = ["runs", "results"].map(|name| stage.path().join(name));
    for folder in [&runs, &results] {
        fs::write(folder, "x").unwrap();
    }
    let mut socket = Socket::open(&stage);
    for topic in ["runs", "results"] {
        let answer = stage.get(&format!("/api/v1/{topic}"));
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert_eq!((answer.status, answer.code().as_str()), (500, "failed"));
        assert!(message.contains(&stage.path().join(topic).display().to_string()), "{message}");
        socket.send(&format!(r#"{{"id":1,"t":"sub","topic":"{topic}"}}"#));
        let told = socket.until(|message| message["topic"] == topic);
        assert_eq!(told["data"]["refused"]["message"], message);
    }
    assert!(
        stage.get("/api/v1/server").json()["problem"].as_str().is_some_and(|found| found.contains("runs"))
    );
    fs::remove_file(&runs).unwrap();
    socket.until(|message| message["topic"] == "runs" && message["data"]["runs"] == serde_json::json!([]));
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

#[test]
fn reports_are_listed_with_their_results_and_games_come_as_pgn() {
    let stage = Stage::new();
    let folder = stage.path().join("results/first");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("report.json"), r#"{"kind":"tabiya-report-1","title":"48"}"#).unwrap();
    fs::write(folder.join("games.pgn"), "1. e4 *\n").unwrap();
    let listed = stage.get("/api/v1/results").json();
    assert_eq!(
        (listed[0]["kind"].as_str(), listed[0]["report"]["title"].as_str()),
        (Some("report"), Some("48"))
    );
    assert_eq!(stage.get("/api/v1/results/first/pgn").text(), "1. e4 *\n");
    for path in ["..%2ffirst/pgn", "second/pgn", "%2e%2e/pgn"] {
        assert_eq!(stage.get(&format!("/api/v1/results/{path}")).status, 404, "{path}");
    }
}

#[test]
fn news_of_results_and_of_the_server_are_told() {
    let stage = Stage::new();
    let mut socket = Socket::open(&stage);
    socket.send(r#"{"id":1,"t":"sub","topic":"results"}"#);
    socket.until(|message| message["topic"] == "results");
    fs::create_dir(stage.path().join("results")).unwrap();
    fs::write(stage.path().join("results/a.json"), "{}").unwrap();
    let news = socket.until(|message| message["topic"] == "results" && !message["data"][0].is_null());
    assert_eq!(news["data"][0][0], "a.json");
    socket.send(r#"{"id":2,"t":"sub","topic":"server"}"#);
    let idle = socket.until(|message| message["topic"] == "server");
    assert_eq!(
        (idle["data"]["jobs"].as_array().unwrap().len(), idle["data"]["pages"].as_u64()),
        (0, Some(1))
    );
    assert!(
        stage.get("/").text().contains(idle["data"]["build"].as_str().unwrap()),
        "the page knows its build"
    );
    socket.send(r#"{"id":3,"t":"search","search":"a","request":{"key":1}}"#);
    let busy = socket.until(|message| message["topic"] == "server" && !message["data"]["jobs"][0].is_null());
    let job = &busy["data"]["jobs"][0];
    assert_eq!((job["kind"].as_str(), job["can_stop"].as_bool()), (Some("analysis"), Some(true)));
    assert_eq!(stage.post(&format!("/api/v1/jobs/{}/stop", job["id"]), "{}").status, 200);
    socket.until(|message| message["data"]["stage"] == "stopped");
    for id in ["999", "x", "-1"] {
        assert_eq!(stage.post(&format!("/api/v1/jobs/{id}/stop"), "{}").code(), "not_found");
    }
}

#[test]
fn notes_of_a_run_are_kept_in_its_folder_and_nowhere_else() {
    let stage = Stage::new();
    let folder = stage.path().join("runs/mini");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("log.jsonl"), format!("{STEP}\n")).unwrap();
    assert_eq!(stage.get("/api/v1/runs/mini").json()["notes"], "");
    let kept = stage.post("/api/v1/runs/mini/notes", r#"{"text":"a first try"}"#);
    assert_eq!(kept.json()["notes"], "a first try");
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "a first try");
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(16 * 1024 + 1));
    assert_eq!(stage.post("/api/v1/runs/mini/notes", &long).code(), "invalid_notes");
    assert_eq!(stage.post("/api/v1/runs/..%2fmini/notes", r#"{"text":"x"}"#).status, 404);
    assert_eq!(stage.post("/api/v1/runs/mini/notes", r#"{"text":" "}"#).json()["notes"], "");
    assert!(!folder.join("notes.txt").exists());
}

#[test]
fn the_latest_game_of_self_play_is_told_with_its_values_for_white() {
    let stage = Stage::new();
    let games = stage.path().join("runs/toy/replay/games/00002");
    fs::create_dir_all(&games).unwrap();
    fs::write(stage.path().join("runs/toy/log.jsonl"), "").unwrap();
    assert_eq!(stage.get("/api/v1/runs/toy/game").status, 404, "no game yet");
    let game = r#"{"id":{"generation":2,"worker":"w","number":1},"start":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves":[{"move":"e2e4","search":{"value":[0.5,0.25,0.25]}},{"move":"e7e5","search":{"value":[0.125,0.25,0.625]}},{"move":"g1f3"}],
        "winner":"draw"}"#;
    fs::write(games.join("w-000001.json.zst"), zstd::encode_all(game.as_bytes(), 1).unwrap()).unwrap();
    let told = stage.get("/api/v1/runs/toy/game").json();
    assert_eq!(told["white_percent"], serde_json::json!([62.5, 75.0, null]));
    assert_eq!((told["result"].as_str(), told["generation"].as_u64()), (Some("1/2-1/2"), Some(2)));
    fs::write(games.join("w-000001.json.zst"), "no game").unwrap();
    assert_eq!(stage.get("/api/v1/runs/toy/game").status, 500);
}
