//! Support shared by several test files: positions, short forms of searches, and evaluators for a purpose.

use std::sync::Arc;

use chess::{
    CastlingMode, Decision, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Limits, Move,
    Search, SearchOptions, StopSignal,
};
use search::Puct;

/// A game that starts in a position.
pub(crate) fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect("a legal position")
}

/// The moves of a line in UCI notation, played.
pub(crate) fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let chess_move = legal(game, text);
        game.play(chess_move).expect("a legal move");
    }
}

/// A legal move by its UCI notation.
pub(crate) fn legal(game: &Game, text: &str) -> Move {
    let found = game.legal_moves().into_iter().find(|&chess_move| uci(chess_move) == text);
    found.unwrap_or_else(|| panic!("{text} is not legal in {}", game.fen()))
}

/// A move in UCI notation.
pub(crate) fn uci(chess_move: Move) -> String {
    chess_move.to_uci(CastlingMode::Standard).to_string()
}

/// The defaults changed by settings such as `Hash=4 Threads=2`.
pub(crate) fn options(settings: &str) -> SearchOptions {
    search::options::parse(settings).expect("known options")
}

pub(crate) fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// A search with default settings.
pub(crate) fn puct(evaluator: impl Evaluator + 'static) -> Puct {
    Puct::new(Arc::new(evaluator), &SearchOptions::default())
}

/// Runs a search that nobody stops.
pub(crate) fn run(puct: &mut Puct, game: &Game, limits: &Limits) -> Decision {
    puct.run(game, limits, &StopSignal::default(), &mut |_| {}).expect("a decision")
}

/// Sum of the visits of the root moves.
pub(crate) fn visits_below_root(decision: &Decision) -> u64 {
    decision.info.root_moves.iter().map(|root_move| root_move.visits).sum()
}

/// An evaluator that does something on the side whenever it is asked.
pub(crate) struct Watched<E, F> {
    pub(crate) inner: E,
    pub(crate) watch: F,
}

impl<E: Evaluator, F: Fn(&[EvaluationRequest<'_>]) + Send + Sync> Evaluator for Watched<E, F> {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        (self.watch)(batch);
        self.inner.evaluate(batch)
    }

    fn preferred_batch(&self) -> usize {
        self.inner.preferred_batch()
    }
}

/// An evaluator that answers what a function says.
pub(crate) struct Scripted<F>(pub(crate) F);

impl<F: Fn(&EvaluationRequest<'_>) -> Evaluation + Send + Sync> Evaluator for Scripted<F> {
    fn describe(&self) -> String {
        "scripted".to_owned()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch.iter().map(&self.0).collect())
    }
}
