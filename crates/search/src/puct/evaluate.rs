//! Asks the evaluator and opens leaves with its answers.

use chess::{Color, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Move, Wdl};

use super::{
    packed::{PackedMove, PackedPrior, sort_edges},
    tactics::MoveSet,
    tree::Edge,
};
use crate::{PuctOptions, score::wdl_from};

// Looser than the law of the trait (1e-4): the tree only needs to be protected from nonsense.
const TOLERANCE: f32 = 0.01;
// A value beyond this is a certainty to which nothing can be added.
const SURE: f32 = 0.9999;

/// Evaluates a batch and checks the answers, so that a broken evaluator is an error here and not nonsense in the tree.
pub(crate) fn evaluate(
    evaluator: &dyn Evaluator,
    requests: &[EvaluationRequest<'_>],
) -> Result<Vec<Evaluation>, EvaluatorError> {
    let failed =
        |reason: String| EvaluatorError { evaluator: evaluator.describe(), batch: requests.len(), reason };
    let evaluations = evaluator.evaluate(requests)?;
    if evaluations.len() != requests.len() {
        return Err(failed(format!("{} evaluations for {} positions", evaluations.len(), requests.len())));
    }
    for (evaluation, request) in evaluations.iter().zip(requests) {
        if let Some(defect) = defect(evaluation, request.legal_moves.len()) {
            return Err(failed(format!("{defect} in position {}", request.game.fen())));
        }
    }
    Ok(evaluations)
}

fn defect(evaluation: &Evaluation, moves: usize) -> Option<String> {
    let priors = &evaluation.priors;
    if priors.len() != moves {
        return Some(format!("{} priors for {moves} legal moves", priors.len()));
    }
    let total: f32 = priors.iter().sum();
    // A negative or undefined prior makes the comparison fail, too.
    if !((total - 1.0).abs() <= TOLERANCE && priors.iter().all(|&prior| prior >= 0.0)) {
        return Some(format!("priors are no probabilities (sum {total}, expected 1)"));
    }
    let wdl = evaluation.wdl;
    let total = wdl.win + wdl.draw + wdl.loss;
    if !((total - 1.0).abs() <= TOLERANCE && wdl.win.min(wdl.draw).min(wdl.loss) >= 0.0) {
        return Some(format!("win, draw and loss are no probabilities (sum {total}, expected 1)"));
    }
    None
}

/// What a position's mover can do: its legal moves, and what the rules and the counting of material say of them.
pub(crate) struct Choices {
    pub(crate) moves: Vec<Move>,
    /// Those that check, capture or queen.
    pub(crate) forcing: MoveSet,
    /// The places of those that the material search prefers; empty where it has nothing to say.
    pub(crate) advised: MoveSet,
}

impl Choices {
    /// The evaluator's priors, one for each move, as the tree uses them: under the policy temperature, with a share for the
    /// moves that are forcing and one for those that are advised.
    fn priors(&self, own: &[f32], options: &PuctOptions) -> Vec<f32> {
        let mut priors = under_temperature(own, 1.0 / options.policy_temperature);
        favour(&mut priors, &self.forcing, options.forcing_prior);
        follow(&mut priors, &self.advised, options.material_prior);
        priors
    }

    /// The edges of a leaf, as the tree wants them sorted.
    pub(crate) fn edges(&self, turn: Color, own: &[f32], options: &PuctOptions) -> Vec<Edge> {
        let priors = self.priors(own, options);
        let mut edges: Vec<Edge> = self
            .moves
            .iter()
            .zip(priors)
            .map(|(&chess_move, prior)| Edge::new(PackedMove::pack(chess_move), PackedPrior::pack(prior)))
            .collect();
        sort_edges(&mut edges, turn);
        edges
    }
}

/// Takes `share` of every prior and gives it in equal parts to the moves in `favoured`.
fn favour(priors: &mut [f32], favoured: &MoveSet, share: f32) {
    let count = favoured.len();
    if count == 0 || share == 0.0 {
        return;
    }
    for (place, prior) in priors.iter_mut().enumerate() {
        *prior *= 1.0 - share;
        if favoured.contains(place) {
            *prior += share / count as f32;
        }
    }
}

/// Takes `share` of the priors of all moves that are not `advised` and gives it to those that are: half of it in proportion to
/// their own priors, half in equal parts, so that a move of no prior is tried and a large set stays in its order.
fn follow(priors: &mut [f32], advised: &MoveSet, share: f32) {
    if advised.is_empty() || share == 0.0 {
        return;
    }
    let inside: f32 =
        (0..priors.len()).filter(|&place| advised.contains(place)).map(|place| priors[place]).sum();
    let (taken, equal) = (share * (1.0 - inside).max(0.0), 1.0 / advised.len() as f32);
    for (place, prior) in priors.iter_mut().enumerate() {
        if advised.contains(place) {
            let proportion = if inside > 0.0 { *prior / inside } else { equal };
            *prior += taken * f32::midpoint(proportion, equal);
        } else {
            *prior *= 1.0 - share;
        }
    }
}

/// The evaluator's answer for a leaf whose mover wins `gain` pawns by captures: the log-odds of its expected score rise by
/// `weight` for each, and what is left is drawn in the same proportion as before.
///
/// The functions are libm's, so that a search makes the same choices on every machine.
pub(crate) fn corrected(wdl: Wdl, gain: i32, weight: f32) -> Wdl {
    if gain == 0 || weight == 0.0 {
        return wdl;
    }
    let value = wdl.value().clamp(-SURE, SURE);
    let moved = libm::tanhf(libm::atanhf(value) + 0.5 * weight * gain as f32);
    wdl_from(moved, wdl.draw * (1.0 - moved.abs()) / (1.0 - value.abs()))
}

/// Probabilities raised to a power and normalised. An exponent of 1 / T is a softmax at temperature T.
fn under_temperature(priors: &[f32], exponent: f32) -> Vec<f32> {
    if exponent == 1.0 {
        return priors.to_vec();
    }
    let mut raised: Vec<f32> = priors.iter().map(|prior| prior.powf(exponent)).collect();
    let total: f32 = raised.iter().sum();
    if total > 0.0 && total.is_finite() {
        for prior in &mut raised {
            *prior /= total;
        }
        raised
    } else {
        priors.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use chess::Game;

    use super::*;
    use crate::puct::tactics::forcing;

    #[test]
    fn forcing_moves_get_their_share() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let game = Game::from_fen(fen, chess::CastlingMode::Standard).unwrap();
        let moves: Vec<Move> = game.legal_moves().into_iter().collect();
        let favoured = forcing(game.position(), &moves);
        assert_eq!(favoured.len(), 8, "as perft counts the captures of Kiwipete");
        let total: f32 = (1..=moves.len()).map(|place| place as f32).sum();
        let own: Vec<f32> = (1..=moves.len()).map(|place| place as f32 / total).collect();
        let mut priors = under_temperature(&own, 1.0 / 1.5);
        let before = priors.clone();
        favour(&mut priors, &favoured, 0.3);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        for place in 0..moves.len() {
            let part = if favoured.contains(place) { 0.3 / 8.0 } else { 0.0 };
            assert!((priors[place] - 0.7 * before[place] - part).abs() < 1e-6);
        }
    }

    #[test]
    fn advised_moves_get_what_the_others_lose() {
        let mut priors = [0.5, 0.25, 0.25, 0.0];
        follow(&mut priors, &MoveSet::of(&[2, 3]), 0.4);
        // 0.3 is taken; the third gets all of one half of it and half of the other.
        for (prior, expected) in priors.iter().zip([0.3, 0.15, 0.25 + 0.15 + 0.075, 0.075]) {
            assert!((prior - expected).abs() < 1e-6, "{priors:?}");
        }
        let mut unknown = [1.0, 0.0];
        follow(&mut unknown, &MoveSet::of(&[1]), 1.0);
        assert_eq!(unknown, [0.0, 1.0]);
    }

    #[test]
    fn captures_move_the_log_odds() {
        let log_odds = |wdl: Wdl| {
            let score = f32::midpoint(1.0, wdl.value());
            (score / (1.0 - score)).ln()
        };
        for wdl in
            [Wdl { win: 0.3, draw: 0.3, loss: 0.4 }, Wdl { win: 0.05, draw: 0.0, loss: 0.95 }, Wdl::DRAW]
        {
            assert_eq!((corrected(wdl, 0, 0.5), corrected(wdl, 9, 0.0)), (wdl, wdl));
            for gain in [-9, -1, 1, 3, 5] {
                let moved = corrected(wdl, gain, 0.25);
                assert!(
                    (log_odds(moved) - log_odds(wdl) - 0.25 * gain as f32).abs() < 1e-4,
                    "{wdl:?} {gain}"
                );
                let drawn = |wdl: Wdl| wdl.draw / (1.0 - wdl.value().abs());
                assert!((drawn(moved) - drawn(wdl)).abs() < 1e-4);
                assert!((moved.win + moved.draw + moved.loss - 1.0).abs() < 1e-6);
            }
        }
        let sure = corrected(Wdl::LOSS, 100, 2.0);
        assert!(sure.win <= 1.0 && sure.value().is_finite(), "{sure:?}");
    }

    #[test]
    fn without_forcing_moves_priors_stay() {
        let mut priors = [0.75, 0.25];
        favour(&mut priors, &MoveSet::default(), 0.5);
        assert_eq!(priors, [0.75, 0.25]);
        follow(&mut priors, &MoveSet::default(), 0.5);
        assert_eq!(priors, [0.75, 0.25]);
    }
}
