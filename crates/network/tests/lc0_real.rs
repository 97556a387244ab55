//! Real lc0 networks against what lc0 itself answers with them.
//!
//! lc0's printed numbers went through its approximations, so ours do too before they are compared; the tolerances are
//! those approximations' rounding (policies were rounded to 1e-4), not an allowance for another network.
//!
//! Needs the folder named by `TABIYA_DATA`, with `nets/maia-*.pb.gz` and the reference outputs `nets/maia-*.lc0.json`
//! beside them.

#![expect(clippy::unwrap_used, reason = "a helper of tests may fail as a test does")]

use std::{collections::BTreeMap, fs, path::PathBuf};

use chess::{CastlingMode, EvaluationRequest, Evaluator, Game, shakmaty::uci::UciMove};
use network::lc0;
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    position: String,
    policy: BTreeMap<String, f32>,
    wl_d: [f32; 2],
}

impl Case {
    fn game(&self) -> Game {
        let (start, moves) = self.position.split_once(" moves ").unwrap_or((&self.position, ""));
        let mut game = match start.strip_prefix("fen ") {
            Some(fen) => Game::from_fen(fen, CastlingMode::Standard).unwrap(),
            None => Game::default(),
        };
        for uci in moves.split_whitespace() {
            let uci: UciMove = uci.parse().unwrap();
            game.play(uci.to_move(game.position()).unwrap()).unwrap();
        }
        game
    }
}

fn net_file(name: &str) -> PathBuf {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    PathBuf::from(data).join("nets").join(name)
}

/// lc0 stores priors in 16 bits (11 of them fraction) and the files round them to 1e-4.
const POLICY_TOLERANCE: f32 = 2e-4;

/// The files round to 1e-5.
const VALUE_TOLERANCE: f32 = 2e-5;

/// The files round to 1e-3.
const DRAW_TOLERANCE: f32 = 6e-4;

fn check(name: &str) {
    let path = net_file(&format!("{name}.lc0.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let reference: Reference = serde_json::from_str(&text).unwrap();
    assert_eq!(reference.cases.len(), 60);
    let network = lc0::read(&net_file(&format!("{name}.pb.gz"))).unwrap().network;
    let games: Vec<Game> = reference.cases.iter().map(Case::game).collect();
    assert!(games.iter().any(|game| game.ply() > 8) && games.iter().any(|game| game.ply() == 0));
    let legal: Vec<_> = games.iter().map(Game::legal_moves).collect();
    let requests = games.iter().zip(&legal);
    let requests: Vec<_> =
        requests.map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    let evaluations = network.evaluate(&requests).unwrap();
    for ((case, request), evaluation) in reference.cases.iter().zip(&requests).zip(&evaluations) {
        let evaluation = lc0::report::as_reported(evaluation);
        assert_eq!(case.policy.len(), request.legal_moves.len(), "{}", case.position);
        for (chess_move, prior) in request.legal_moves.iter().zip(&evaluation.priors) {
            let uci = chess_move.to_uci(CastlingMode::Chess960).to_string();
            let expected = case.policy[&uci];
            assert!(
                (prior - expected).abs() <= POLICY_TOLERANCE,
                "{} {uci}: {prior}, lc0 {expected}",
                case.position
            );
        }
        let [win_minus_loss, draw] = case.wl_d;
        let wdl = evaluation.wdl;
        assert!(
            (wdl.value() - win_minus_loss).abs() <= VALUE_TOLERANCE,
            "{}: {wdl:?}, lc0 {:?}",
            case.position,
            case.wl_d
        );
        assert!((wdl.draw - draw).abs() <= DRAW_TOLERANCE, "{}: {wdl:?}, lc0 {:?}", case.position, case.wl_d);
        assert_eq!(evaluation.moves_left, None);
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_1100_agrees_with_lc0() {
    check("maia-1100");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_1500_agrees_with_lc0() {
    check("maia-1500");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_maia_1900_agrees_with_lc0() {
    check("maia-1900");
}
