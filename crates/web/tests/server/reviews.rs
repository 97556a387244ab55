//! Reviews of whole games.

use std::{cell::RefCell, fs, io::Write as _, net::TcpStream, sync::Arc, thread, time::Duration};

use serde_json::Value;

use crate::{analysis::Socket, double::BLIND, stage::Stage};

/// Every loss would be 0 and every accuracy 100.
#[test]
fn a_network_without_a_value_reviews_nothing() {
    let stage = Stage::new();
    for path in ["reviews", "portraits"] {
        let request = format!(r#"{{"network":"{BLIND}","moves":["e2e4"]}}"#);
        let refused = stage.post(&format!("/api/v1/{path}"), &request);
        assert_eq!((refused.status, refused.code().as_str()), (422, "no_value"), "{path}");
    }
}

#[test]
fn a_review_judges_each_move_by_what_it_cost_its_side() {
    let stage = Stage::new();
    // The double wants pawns at home: each pawn's first move costs its side 6 points.
    let begun = stage.post("/api/v1/reviews", r#"{"moves":["e2e4","g8f6","g1f3","e7e5"],"nodes":5}"#);
    assert_eq!(begun.status, 201, "{}", begun.text());
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let mut socket = Socket::open(&stage);
    socket.send(&format!(r#"{{"id":1,"t":"sub","topic":"review/{id}"}}"#));
    let topic = format!("review/{id}");
    let done =
        socket.until(|message| message["topic"] == topic.as_str() && message["data"]["running"] == false);
    let review = &done["data"];
    let points = review["points"].as_array().unwrap();
    let percents: Vec<f64> =
        points.iter().map(|point| point["white_percent"].as_f64().unwrap().round()).collect();
    assert_eq!(percents, [50.0, 44.0, 44.0, 44.0, 50.0]);
    let losses: Vec<f64> = points.iter().filter_map(|point| Some(point["loss"].as_f64()?.round())).collect();
    assert_eq!(losses, [6.0, 0.0, 0.0, 6.0]);
    assert_eq!(review["second_looks"], 0, "no loss is worth a mark");
    // The name of a loss depends on the scale, which comes with the review.
    let limits: Vec<f64> = review["limits"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    let name =
        ["fine", "inaccuracy", "mistake", "blunder"][limits.iter().filter(|limit| 6.0 >= **limit).count()];
    let judgements: Vec<&str> = points.iter().filter_map(|point| point["judgement"].as_str()).collect();
    assert_eq!(judgements, [name, "fine", "fine", name]);
    for side in ["white", "black"] {
        let marked =
            ["inaccuracies", "mistakes", "blunders"].map(|kind| review[side][kind].as_u64().unwrap());
        assert_eq!(marked.iter().sum::<u64>(), u64::from(name != "fine"));
        assert!((review[side]["mean_loss"].as_f64().unwrap() - 3.0).abs() < 1e-4, "{review}");
    }
    assert_eq!(stage.get(&format!("/api/v1/reviews/{id}")).json()["engine"], review["engine"]);
}

/// White moves pawns, and Black a knight to and fro: 20 half-moves.
fn pawns_and_a_knight() -> Vec<&'static str> {
    let white = "a2a3 b2b3 c2c3 d2d3 e2e3 f2f3 g2g3 h2h3 a3a4 b3b4".split(' ');
    let black = ["g8f6", "f6g8"].into_iter().cycle();
    white.zip(black).flat_map(|(white, black)| [white, black]).collect()
}

/// Several threads search the positions of this game, and finish some before earlier ones.
#[test]
fn positions_appear_from_the_first_on() {
    let stage = Stage::new();
    let body = serde_json::json!({ "moves": pawns_and_a_knight(), "nodes": 1 }).to_string();
    let id = stage.post("/api/v1/reviews", &body).json()["id"].as_str().unwrap().to_owned();
    let topic = format!("review/{id}");
    let mut socket = Socket::open(&stage);
    socket.send(&format!(r#"{{"id":1,"t":"sub","topic":"{topic}"}}"#));
    let counts = RefCell::new(Vec::new());
    let done = socket.until(|message| {
        let is_state = message["topic"] == topic.as_str();
        if is_state {
            counts.borrow_mut().push(message["data"]["points"].as_array().unwrap().len());
        }
        is_state && message["data"]["running"] == false
    });
    assert!(counts.borrow().is_sorted(), "{counts:?}");
    let points = done["data"]["points"].as_array().unwrap();
    let plies: Vec<u64> = points.iter().map(|point| point["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, (0..=20).collect::<Vec<u64>>());
}

#[test]
fn a_review_says_which_people_each_side_played_like_if_its_moves_say_enough() {
    let stage = Stage::new();
    // White plays as the weaker people like to.
    let moves = pawns_and_a_knight();
    let review = |moves: &[&str]| {
        let body = serde_json::json!({ "moves": moves, "nodes": 1 }).to_string();
        let id = stage.post("/api/v1/reviews", &body).json()["id"].as_str().unwrap().to_owned();
        stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false)
    };
    let whole = review(&moves);
    let [white, black] = [&whole["white_level"], &whole["black_level"]];
    assert_eq!((white["rating"].as_f64(), white["moves"].as_u64()), (Some(1000.0), Some(10)), "{whole}");
    assert_eq!((black["rating"].as_f64(), &black["high"]), (Some(2000.0), &Value::Null), "{whole}");
    let short = review(&moves[..18]);
    assert!(short["white_level"].is_null() && short["black_level"].is_null(), "nine moves each: {short}");
    let body = serde_json::json!({ "network": "double", "moves": moves }).to_string();
    let portrait = stage.post("/api/v1/portraits", &body).json();
    assert_eq!(&portrait["white"]["level"], white, "{portrait}");
}

/// A network's file was replaced: its old review was returned as that of the new one, also after a restart.
#[test]
fn a_review_answers_only_for_the_content_of_its_network() {
    let stage = Stage::new();
    let review = |stage: &Stage| {
        let begun = stage.post("/api/v1/reviews", r#"{"moves":["e2e4","g8f6"],"nodes":2}"#).json();
        let id = begun["id"].as_str().unwrap().to_owned();
        stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
        id
    };
    let first = review(&stage);
    assert_eq!(review(&stage), first);
    *stage.content.lock().unwrap() = "another".into();
    let second = review(&stage);
    assert_ne!(second, first);
    let folder = Arc::clone(&stage.folder);
    drop(stage);
    let stage = Stage::in_folder(folder);
    *stage.content.lock().unwrap() = "another".into();
    assert_eq!(review(&stage), second);
}

#[test]
fn a_forced_move_is_not_judged_and_a_mate_is_exact() {
    let stage = Stage::new();
    let body = r#"{"fen":"k7/8/1Q6/8/8/8/8/2R1K3 b - - 0 1","moves":[],"nodes":1}"#;
    assert_eq!(stage.post("/api/v1/reviews", body).status, 422);
    // Black's king has one move in the corner; then the rook mates.
    let body = r#"{"fen":"7k/8/8/8/8/8/R7/1R2K3 w - - 0 1","moves":["a2a7","h8g8","b1b8"],"nodes":1}"#;
    let id = stage.post("/api/v1/reviews", body).json()["id"].as_str().unwrap().to_owned();
    let review = stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
    assert_eq!(
        (review["points"][1]["judgement"].as_str(), review["black"]["forced"].as_u64()),
        (Some("forced"), Some(1))
    );
    assert_eq!(
        (review["points"][3]["white_percent"].as_f64(), review["points"][3]["best"].is_null()),
        (Some(100.0), true)
    );
}

#[test]
fn games_that_cannot_be_reviewed_are_refused() {
    let stage = Stage::new();
    for body in [
        r#"{"moves":[]}"#,
        r#"{"moves":["e2e5"]}"#,
        r#"{"moves":["e2e4"],"nodes":0}"#,
        r#"{"moves":["e2e4"],"fen":"nonsense"}"#,
    ] {
        let answer = stage.post("/api/v1/reviews", body);
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid_game"), "{body}");
    }
    for id in ["1", "x", "-1", "99999999999999999999"] {
        assert_eq!(stage.get(&format!("/api/v1/reviews/{id}")).status, 404, "{id}");
    }
}

#[test]
fn a_review_whose_search_panics_ends_with_the_reason() {
    let stage = Stage::new();
    let begun = stage.post("/api/v1/reviews", r#"{"moves":["e2e4"],"network":"panicking"}"#).json();
    assert_eq!(begun["nodes"], 1600);
    let id = begun["id"].as_str().unwrap();
    let review = stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
    assert_eq!(review["failure"], "the search panicked: a child without a parent");
}

#[test]
fn a_review_can_be_stopped() {
    let stage = Stage::new();
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].map(|uci| format!("\"{uci}\"")).join(",");
    let body = format!(r#"{{"moves":[{moves}],"nodes":100000}}"#);
    let id = stage.post("/api/v1/reviews", &body).json()["id"].as_str().unwrap().to_owned();
    stage.post(&format!("/api/v1/reviews/{id}/stop"), "{}");
    let review = stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
    assert!(review["failure"].is_string() || review["points"].as_array().unwrap().len() == 5, "{review}");
}

#[test]
fn a_review_belongs_to_its_moves_also_after_a_restart() {
    let stage = Stage::new();
    let folder = stage.folder.clone();
    let body = r#"{"moves":["e2e4","g8f6","g1f3","e7e5"],"nodes":5}"#;
    let id = stage.post("/api/v1/reviews", body).json()["id"].as_str().unwrap().to_owned();
    let done = stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
    assert_eq!(
        stage.post("/api/v1/reviews", body).json()["id"],
        done["id"],
        "the same is not computed twice"
    );
    drop(stage);
    let stage = Stage::in_folder(folder);
    let found = |moves: &str| stage.get(&format!("/api/v1/reviews?moves={moves}")).json();
    assert_eq!(found("e2e4,g8f6,g1f3,e7e5"), done);
    // The game continued, or only its beginning is known, or it left the reviewed one in the middle.
    for moves in ["e2e4,g8f6,g1f3,e7e5,b1c3", "e2e4,g8f6", "e2e4,g8f6,d2d4"] {
        assert_eq!(found(moves)["id"], done["id"], "{moves}");
    }
    for moves in ["e2e4", "d2d4,g8f6", ""] {
        assert_eq!(found(moves), Value::Null, "{moves}");
    }
    let elsewhere = "/api/v1/reviews?fen=8/8/4k3/8/4K3/4P3/8/8%20w%20-%20-%200%201&moves=e2e4,g8f6";
    assert_eq!(stage.get(elsewhere).json(), Value::Null);
    assert_eq!(stage.get("/api/v1/reviews?fen=nonsense&moves=e2e4").code(), "invalid_game");
    assert_eq!(stage.get("/api/v1/reviews").code(), "invalid_query");
    let next = stage.post("/api/v1/reviews", r#"{"moves":["d2d4"],"nodes":5}"#).json();
    assert!(next["id"].as_str().unwrap().parse::<u64>().unwrap() > id.parse().unwrap(), "{next}");
}

/// Reviews of older versions have marks that rest on one look.
#[test]
fn a_review_of_an_older_version_is_shown_and_made_again_on_request() {
    let stage = Stage::new();
    let folder = stage.folder.clone();
    let body = r#"{"moves":["e2e4","g8f6"],"nodes":5}"#;
    let id = stage.post("/api/v1/reviews", body).json()["id"].as_str().unwrap().to_owned();
    stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
    drop(stage);
    let file = folder.path().join(format!("games/reviews/{id}.json"));
    let mut old: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    old.as_object_mut().unwrap().remove("second_looks");
    for point in old["points"].as_array_mut().unwrap() {
        point.as_object_mut().unwrap().remove("second_look");
    }
    fs::write(&file, old.to_string()).unwrap();
    let stage = Stage::in_folder(folder);
    assert_eq!(stage.get("/api/v1/reviews?moves=e2e4,g8f6").json()["id"], id.as_str());
    assert_ne!(stage.post("/api/v1/reviews", body).json()["id"], id.as_str());
}

/// A file that could not be read kept the server from starting, and the next review might have replaced a damaged one.
#[test]
fn a_damaged_review_is_told_with_the_games_and_kept() {
    let stage = Stage::new();
    let folder = stage.folder.clone();
    let body = r#"{"moves":["e2e4","g8f6"],"nodes":5}"#;
    let id = stage.post("/api/v1/reviews", body).json()["id"].as_str().unwrap().to_owned();
    let done = stage.wait(&format!("/api/v1/reviews/{id}"), |review| review["running"] == false);
    assert_eq!(stage.get("/api/v1/games").json()["problems"], serde_json::json!([]));
    drop(stage);
    let file = |number: u32| folder.path().join(format!("games/reviews/{number}.json"));
    fs::write(file(7), r#"{"id":"7","#).unwrap();
    fs::create_dir(file(8)).unwrap();
    let stage = Stage::in_folder(folder.clone());
    assert_eq!(stage.get("/api/v1/reviews?moves=e2e4,g8f6").json(), done);
    let problems = stage.get("/api/v1/games").json()["problems"].clone();
    for (problem, number) in problems.as_array().unwrap().iter().zip([7, 8]) {
        let told = format!("review {} cannot be read: ", file(number).display());
        assert!(problem.as_str().unwrap().starts_with(&told), "{problem}");
    }
    assert_eq!(problems.as_array().unwrap().len(), 2);
    assert_eq!(stage.post("/api/v1/reviews", r#"{"moves":["d2d4","d7d5"]}"#).json()["id"], "9");
    assert_eq!(fs::read_to_string(file(7)).unwrap(), r#"{"id":"7","#);
    fs::remove_dir(file(8)).unwrap();
    assert_eq!(stage.get("/api/v1/games").json()["problems"].as_array().unwrap().len(), 1);
}

/// Two pages that asked for a review while the network of another one was opened kept the threads that carry messages from
/// everything else.
#[test]
fn a_network_that_takes_long_to_open_keeps_nobody_waiting_but_reviews() {
    let stage = Stage::new();
    let opens = stage.content.lock().unwrap();
    let begun = |request: &str, body: &str| {
        let mut client = TcpStream::connect(stage.address).unwrap();
        let head =
            format!("{request} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", stage.address);
        write!(client, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        client
    };
    let first = begun("POST /api/v1/reviews", r#"{"moves":["e2e4"]}"#);
    thread::sleep(Duration::from_millis(200));
    let others = [0; 4].map(|_| begun("GET /api/v1/reviews/1", ""));
    thread::sleep(Duration::from_millis(200));
    assert_eq!(stage.get("/api/v1/openapi.json").status, 200);
    drop((opens, first, others));
    stage.wait("/api/v1/reviews/1", |review| review["running"] == false);
}
