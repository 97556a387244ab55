//! The moves of a position as the endgame tables judge them.

use std::path::PathBuf;

use chess::Tablebases;
use serde_json::Value;

use crate::stage::{Answer, Stage};

fn asked(stage: &Stage, fen: &str) -> Answer {
    stage.get(&format!("/api/v1/endgames?fen={}", fen.replace(' ', "%20")))
}

#[test]
fn without_tables_the_answer_says_so_and_a_broken_position_is_refused() {
    let stage = Stage::new();
    let answer = asked(&stage, "8/4P3/8/8/8/k7/8/4K3 w - - 7 60");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let view = answer.json();
    assert_eq!((view["pieces"].as_u64(), view["halfmoves"].as_u64()), (Some(0), Some(7)), "{view}");
    assert_eq!(view["moves"], serde_json::json!([]));
    assert_eq!(view["problem"], "the server has no endgame tables");
    let refused = asked(&stage, "8/8/8 w");
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid_fen"));
    assert_eq!(stage.get("/api/v1/endgames").code(), "invalid_query");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_every_move_has_its_outcome_distance_and_reason() {
    let data = PathBuf::from(std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the data folder"));
    let (tables, _) = Tablebases::open(&data.join("syzygy").display().to_string());
    let most = tables.max_pieces();
    let stage = Stage::with_tables(tables);
    let view = asked(&stage, "8/8/8/8/4k3/8/4pK2/8 w - - 0 1").json();
    assert_eq!((view["pieces"].as_u64(), &view["problem"]), (Some(most as u64), &Value::Null), "{view}");
    let told = |san: &str, outcome: &str, distance: Option<u32>, reason: Option<&str>| {
        let found = view["moves"].as_array().unwrap().iter().find(|one| one["san"] == san).unwrap();
        assert_eq!(found["outcome"], outcome, "{found}");
        assert_eq!((&found["distance"], &found["reason"]), (&distance.into(), &reason.into()), "{found}");
    };
    assert_eq!((&view["moves"][0]["uci"], view["moves"].as_array().unwrap().len()), (&"f2e2".into(), 5));
    told("Kxe2", "draw", None, Some("insufficient_material"));
    told("Ke1", "loss", Some(6), None);
    told("Kg2", "loss", Some(2), None);

    let late = asked(&stage, "8/8/8/4k3/8/8/8/KBN5 w - - 60 90").json();
    let best = &late["moves"][0];
    assert_eq!((&best["outcome"], &best["reason"]), (&"cursed_win".into(), &"fifty_moves".into()), "{best}");
    assert_eq!((late["halfmoves"].as_u64(), best["distance"].as_u64()), (Some(60), Some(58)), "{best}");
    let many = asked(&stage, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").json();
    assert!(many["problem"].as_str().unwrap().contains("32 pieces"), "{many}");
}
