//! Networks asked for their judgement without search, and files sent as networks.

use std::{io::Write as _, net::TcpStream};

use crate::{
    double::{BROKEN, NETWORK, PANICKING},
    stage::Stage,
};

#[test]
fn networks_judge_positions_and_a_broken_one_says_so() {
    let stage = Stage::new();
    let request = format!(
        r#"{{"networks":["{NETWORK}","{BROKEN}"],"positions":[{{"moves":["e2e4"]}},{{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}}]}}"#
    );
    let answer = stage.post("/api/v1/judgements", &request);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let judged = answer.json();
    let first = &judged[0]["positions"][0];
    assert_eq!(first["moves"].as_array().unwrap().len(), 20);
    let sum = |name: &str| -> f64 {
        let moves = first["moves"].as_array().unwrap();
        moves.iter().map(|one| one[name].as_f64().unwrap()).sum()
    };
    assert!((sum("prior") - 1.0).abs() < 1e-3);
    assert!(first["moves"][0]["san"].is_string() && first["wdl"][0].is_number(), "{first}");
    let over = &judged[0]["positions"][1];
    assert!(over["wdl"].is_null() && over["moves"].as_array().unwrap().is_empty(), "{over}");
    assert!(judged[1]["problem"].as_str().unwrap().contains("broken"), "{judged}");
}

/// A network without a policy listed every move with the same share.
#[test]
fn a_network_without_a_policy_says_so_and_lists_no_moves() {
    let stage = Stage::new();
    let request = format!(r#"{{"networks":["{PANICKING}","{NETWORK}"],"positions":[{{}}]}}"#);
    let judged = stage.post("/api/v1/judgements", &request).json();
    let [blind, seeing] = [&judged[0], &judged[1]];
    assert_eq!((&blind["has_policy"], &blind["has_value"]), (&false.into(), &true.into()));
    assert_eq!(blind["positions"][0]["moves"], serde_json::json!([]));
    assert!(blind["positions"][0]["wdl"][1].is_number(), "{blind}");
    assert_eq!((&seeing["has_policy"], &seeing["has_value"]), (&true.into(), &true.into()));
}

#[test]
fn what_cannot_be_judged_is_named() {
    let stage = Stage::new();
    for (request, part) in [
        (r#"{"networks":[],"positions":[{}]}"#.to_owned(), "networks: found 0"),
        (format!(r#"{{"networks":["{NETWORK}"],"positions":[]}}"#), "positions: found 0"),
        (format!(r#"{{"networks":["{NETWORK}"],"positions":[{{"fen":"x"}}]}}"#), "position 1: fen"),
        (
            format!(r#"{{"networks":["{NETWORK}"],"positions":[{{}},{{"moves":["e2e5"]}}]}}"#),
            "position 2: move 1",
        ),
    ] {
        let answer = stage.post("/api/v1/judgements", &request);
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid_judgement"), "{request}");
        assert!(answer.text().contains(part), "{}", answer.text());
    }
}

/// Defect N7: an import that stalled kept all others waiting.
#[test]
fn a_stalled_import_keeps_nobody_waiting() {
    let stage = Stage::new();
    let mut stalled = TcpStream::connect(stage.address).unwrap();
    let host = stage.address;
    write!(
        stalled,
        "POST /api/v1/networks?file=a.tabiya HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nabc"
    )
    .unwrap();
    // An answer to a later request shows that the server had accepted the stalled one.
    assert_eq!(stage.get("/api/v1/server").status, 200);
    let other = stage.request("POST", "/api/v1/networks?file=maia-1500.pb.gz", "", "network");
    assert_eq!(other.status, 200);
    drop(stalled);
}

#[test]
fn a_file_is_recognised_before_it_is_kept() {
    let stage = Stage::new();
    let send = |query: &str, body: &str| stage.request("POST", &format!("/api/v1/networks{query}"), "", body);
    let known = send("?file=maia-1500.pb.gz", "network");
    assert_eq!((known.status, known.json()["id"].as_str()), (200, Some("maia-1500.pb.gz")));
    assert_eq!(send("?file=maia-1500.pb.gz&keep=true", "network").status, 200);
    let refused = send("?file=a.tabiya", "noise");
    assert_eq!((refused.status, refused.code().as_str()), (422, "refused_file"));
    assert!(refused.text().contains("offset 0"), "{}", refused.text());
    assert_eq!(send("", "network").code(), "invalid_query");
    let large = "x".repeat(300_000);
    assert_eq!(
        send("?file=a.tabiya", &large).code(),
        "refused_file",
        "networks may be larger than other requests"
    );
}
