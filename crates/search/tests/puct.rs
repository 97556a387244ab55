//! PUCT on real positions with evaluators that need no network.

use std::sync::Arc;

use chess::{
    CastlingMode, Decision, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, Score,
    Search, StopSignal, Wdl,
};
use search::{Puct, PuctOptions};

struct Uniform;

impl Evaluator for Uniform {
    fn describe(&self) -> String {
        "uniform".to_owned()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch
            .iter()
            .map(|request| Evaluation {
                wdl: Wdl { win: 0.3, draw: 0.4, loss: 0.3 },
                priors: vec![1.0 / request.legal_moves.len() as f32; request.legal_moves.len()],
                moves_left: None,
            })
            .collect())
    }
}

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect("a legal position")
}

fn search(game: &Game, nodes: u64) -> Decision {
    let mut puct = Puct::new(Arc::new(Uniform), PuctOptions::default());
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    puct.run(game, &limits, &StopSignal::default(), &mut |_| {}).expect("a decision")
}

#[test]
fn finds_a_mate_in_one() {
    let decision = search(&game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), 200);
    assert_eq!(decision.best.to_uci(CastlingMode::Standard).to_string(), "a1a8");
    assert_eq!(decision.info.variations[0].score, Score::Mate(1));
}

#[test]
fn finds_a_mate_in_two() {
    let decision = search(&game("7k/8/5K2/8/8/8/8/R7 w - - 0 1"), 20_000);
    assert_eq!(decision.info.variations[0].score, Score::Mate(2), "{decision:?}");
}

#[test]
fn nodes_are_exact_and_visits_add_up() {
    for nodes in [1, 2, 3, 17, 1000] {
        let decision = search(&Game::default(), nodes);
        assert_eq!(decision.info.nodes, nodes);
        assert_eq!(decision.root_moves.iter().map(|root_move| root_move.visits).sum::<u64>(), nodes - 1);
    }
}
