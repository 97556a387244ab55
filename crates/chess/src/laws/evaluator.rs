//! The laws of [`Evaluator`] and of its [`PositionEvaluator`], if it has one.

use shakmaty::Move;

use super::games::{colour_flipped, queen_ahead};
use crate::{Evaluation, EvaluationRequest, Evaluator, Game, PositionEvaluator, Wdl};

/// Largest distance of a sum of probabilities from one.
const SUM_TOLERANCE: f32 = 1e-4;

/// Checks the laws of an evaluator on the games that are not over. `tolerance` is the largest difference between two
/// evaluations of one request (0 for exact arithmetic).
///
/// # Panics
/// If a law is broken, with the evaluator, the law and the position.
pub fn check(evaluator: &dyn Evaluator, games: &[Game], tolerance: f32) {
    assert!(!evaluator.describe().is_empty(), "an evaluator says what it is");
    assert!(evaluator.preferred_batch() >= 1, "{}: batches hold at least one", evaluator.describe());
    assert_eq!(evaluate(evaluator, &[]), [], "law 1 (empty batch): {}", evaluator.describe());

    let legal_moves: Vec<Vec<Move>> = games.iter().map(|game| game.legal_moves().to_vec()).collect();
    let requests: Vec<EvaluationRequest<'_>> = games
        .iter()
        .zip(&legal_moves)
        .filter(|(_, moves)| !moves.is_empty())
        .map(|(game, legal_moves)| EvaluationRequest { game, legal_moves })
        .collect();
    assert!(!requests.is_empty(), "the laws need at least one game that is not over");

    let comparison = Comparison { evaluator, tolerance };
    let together = evaluate(evaluator, &requests);
    for (request, answer) in requests.iter().zip(&together) {
        are_probabilities(evaluator, request, answer);
        says_what_is_missing(evaluator, request, answer);
        let alone = evaluate(evaluator, &[*request]);
        comparison.are_equal(request, answer, &alone[0], "law 3 (batch of one)");
        comparison.follows_move_order(request, answer);
        let tail = request.game.tail(evaluator.history());
        let alone = evaluate(evaluator, &[EvaluationRequest { game: &tail, ..*request }]);
        comparison.are_equal(request, answer, &alone[0], "law 4 (nothing before the history)");
    }

    let reversed: Vec<EvaluationRequest<'_>> = requests.iter().rev().copied().collect();
    let answers = evaluate(evaluator, &reversed);
    for (place, request) in reversed.iter().enumerate() {
        let expected = &together[together.len() - 1 - place];
        comparison.are_equal(request, &answers[place], expected, "law 3 (order in the batch)");
    }
    let values = evaluator.values(&requests).expect("a legal request never fails");
    assert_eq!(values.len(), requests.len(), "law 5 (one value each): {}", evaluator.describe());
    for (place, wdl) in values.into_iter().enumerate() {
        let answer = &together[place];
        let valued = Evaluation { wdl, ..answer.clone() };
        comparison.are_equal(&requests[place], answer, &valued, "law 5 (values without priors)");
    }
    if let Some(mut positions) = evaluator.position_evaluator() {
        assert_eq!(evaluator.history(), 1, "position law 1 (history): {}", evaluator.describe());
        // Backwards as well, to find answers that depend on the previous call.
        let answered = requests.iter().zip(&together);
        for (request, answer) in answered.clone().chain(answered.rev()) {
            comparison.agrees_with(positions.as_mut(), request, answer);
        }
    }
}

/// Checks law 6 on the games that are not over, for an evaluator that sees the board from the side to move.
///
/// # Panics
/// If the law is broken, with the evaluator and the position.
pub fn sees_sides_alike(evaluator: &dyn Evaluator, games: &[Game], tolerance: f32) {
    let comparison = Comparison { evaluator, tolerance };
    for game in games {
        let legal_moves = game.legal_moves();
        if legal_moves.is_empty() {
            continue;
        }
        let twin = colour_flipped(game);
        let mirrored: Vec<Move> = legal_moves.iter().map(|chess_move| chess_move.to_mirrored()).collect();
        let request = EvaluationRequest { game, legal_moves: &legal_moves };
        let answer = evaluate(evaluator, &[request]).remove(0);
        let of_twin = EvaluationRequest { game: &twin, legal_moves: &mirrored };
        let twins = evaluate(evaluator, &[of_twin]).remove(0);
        comparison.are_equal(&request, &answer, &twins, "law 6 (sides)");
    }
}

/// Checks law 7 with either colour a queen up and either side to move.
///
/// # Panics
/// If the law is broken, with the evaluator and the position.
pub fn counts_a_queen(evaluator: &dyn Evaluator) {
    for (game, owner) in queen_ahead() {
        let request = EvaluationRequest { game: &game, legal_moves: &game.legal_moves() };
        let wdl = evaluate(evaluator, &[request]).remove(0).wdl;
        let of_owner = if game.turn() == owner { wdl } else { wdl.flipped() };
        assert!(
            of_owner.expected_score() > 0.5,
            "law 7 (a queen more): {} in {}: {wdl:?}",
            evaluator.describe(),
            game.fen()
        );
    }
}

fn evaluate(evaluator: &dyn Evaluator, batch: &[EvaluationRequest<'_>]) -> Vec<Evaluation> {
    let answers = evaluator.evaluate(batch).expect("a legal request never fails");
    assert_eq!(answers.len(), batch.len(), "law 1 (one answer each): {}", evaluator.describe());
    answers
}

/// Evaluator, position and answer, for the message of a broken law.
fn place(evaluator: &dyn Evaluator, request: &EvaluationRequest<'_>, answer: &Evaluation) -> String {
    format!("{} in {}: {answer:?}", evaluator.describe(), request.game.fen())
}

/// Laws 1 and 2.
fn are_probabilities(evaluator: &dyn Evaluator, request: &EvaluationRequest<'_>, answer: &Evaluation) {
    assert_eq!(
        answer.priors.len(),
        request.legal_moves.len(),
        "law 1 (a prior for each move): {}",
        place(evaluator, request, answer)
    );
    let wdl = [answer.wdl.win, answer.wdl.draw, answer.wdl.loss];
    for probabilities in [&wdl[..], &answer.priors] {
        assert!(
            probabilities.iter().all(|p| p.is_finite() && *p >= 0.0),
            "law 2 (probabilities): {}",
            place(evaluator, request, answer)
        );
        let sum: f32 = probabilities.iter().sum();
        assert!(
            (sum - 1.0).abs() <= SUM_TOLERANCE,
            "law 2 (sum {sum} is not 1): {}",
            place(evaluator, request, answer)
        );
    }
}

/// Law 8.
fn says_what_is_missing(evaluator: &dyn Evaluator, request: &EvaluationRequest<'_>, answer: &Evaluation) {
    let heads = evaluator.heads();
    let equal = answer.priors.iter().all(|prior| (prior - answer.priors[0]).abs() <= SUM_TOLERANCE);
    assert!(heads.policy || equal, "law 8 (priors without a policy): {}", place(evaluator, request, answer));
    assert!(
        heads.value || answer.wdl == Wdl::DRAW,
        "law 8 (value without a value head): {}",
        place(evaluator, request, answer)
    );
}

/// Largest difference between two evaluations of the same request.
struct Comparison<'a> {
    evaluator: &'a dyn Evaluator,
    tolerance: f32,
}

impl Comparison<'_> {
    fn follows_move_order(&self, request: &EvaluationRequest<'_>, answer: &Evaluation) {
        let moves: Vec<Move> = request.legal_moves.iter().rev().copied().collect();
        let reversed = EvaluationRequest { legal_moves: &moves, ..*request };
        let mut other = evaluate(self.evaluator, &[reversed]).remove(0);
        other.priors.reverse();
        self.are_equal(request, answer, &other, "law 1 (priors in the order of the moves)");
    }

    /// Laws 1 and 2 of [`PositionEvaluator`].
    fn agrees_with(
        &self,
        positions: &mut dyn PositionEvaluator,
        request: &EvaluationRequest<'_>,
        answer: &Evaluation,
    ) {
        let position = request.game.position();
        // Old contents of the caller's buffer must be overwritten.
        let mut priors = vec![0.5; 3];
        let wdl = positions.value(position);
        positions.priors(position, request.legal_moves, 1.0, &mut priors);
        let alone = Evaluation { wdl, priors, moves_left: answer.moves_left };
        are_probabilities(self.evaluator, request, &alone);
        self.are_equal(request, answer, &alone, "position law 1 (agrees with the batch)");
        let as_it_stands = positions.static_value(position);
        are_probabilities(self.evaluator, request, &Evaluation { wdl: as_it_stands, ..alone.clone() });
        for temperature in [0.5, 1.4, 3.0] {
            let raised: Vec<f32> = answer.priors.iter().map(|prior| prior.powf(1.0 / temperature)).collect();
            let total: f32 = raised.iter().sum();
            let expected =
                Evaluation { priors: raised.iter().map(|raised| raised / total).collect(), ..answer.clone() };
            let mut tempered = alone.clone();
            positions.priors(position, request.legal_moves, temperature, &mut tempered.priors);
            are_probabilities(self.evaluator, request, &tempered);
            // The reference raises rounded probabilities to a power, which costs it a few more bits.
            let looser = Self { tolerance: self.tolerance.max(1e-5), ..*self };
            looser.are_equal(request, &expected, &tempered, "position law 2 (temperature)");
        }
        let again = (positions.static_value(position), positions.value(position));
        assert_eq!(again, (as_it_stands, wdl), "position law 3 (deterministic) in {}", request.game.fen());
    }

    fn are_equal(&self, request: &EvaluationRequest<'_>, left: &Evaluation, right: &Evaluation, law: &str) {
        let are_near = numbers(left)
            .into_iter()
            .zip(numbers(right))
            .all(|(left, right)| (left - right).abs() <= self.tolerance);
        let both_have_moves_left = left.moves_left.is_some() == right.moves_left.is_some();
        assert!(
            are_near && both_have_moves_left,
            "{law}: {left:?} and {right:?} differ by more than {}: {} in {}",
            self.tolerance,
            self.evaluator.describe(),
            request.game.fen()
        );
    }
}

fn numbers(answer: &Evaluation) -> Vec<f32> {
    let mut all = vec![answer.wdl.win, answer.wdl.draw, answer.wdl.loss];
    all.extend(&answer.priors);
    all
}
