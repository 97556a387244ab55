//! Searching a game position by position.

use std::sync::Arc;

use chess::{
    CastlingMode, Color, Game, GameError, Limits, NotationError, Position as _, Search, StopSignal, Wdl,
    print_san, print_uci_move,
};
use serde::Deserialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::{
    accuracy::{THRESHOLDS, game_accuracy, loss, move_accuracy},
    view::{Judgement, ReviewPoint, ReviewView, SideSummary},
};
use crate::{
    engine::{Engines, SearchPurpose, SearchSettings},
    error::ApiError,
    live::Frame,
    threads::ThreadBudget,
};

/// Most memory of a review's tree, mebibytes.
const TREE_MEMORY: u32 = 128;
/// Visits of each position where the request has no number.
const DEFAULT_NODES: u64 = 400;
/// Most visits of each position that a request may ask for.
const MOST_NODES: u64 = 100_000;
/// Longest game, half-moves.
const MOST_MOVES: usize = 1000;
/// Moves of the best line that are kept.
const LINE_LENGTH: usize = 8;

/// A game to review.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewRequest {
    /// The network's id; the first of the list where it is left out.
    network: Option<String>,
    /// The position before the moves, FEN; the usual start where it is left out.
    fen: Option<String>,
    /// The moves, UCI.
    moves: Vec<String>,
    /// Visits of each position, 400 where it is left out.
    nodes: Option<u64>,
}

/// A review at work.
pub(super) struct Review {
    pub(super) frames: watch::Sender<Frame>,
    pub(super) latest: std::sync::Mutex<ReviewView>,
    pub(super) stop: StopSignal,
    game: Game,
    nodes: u64,
}

impl ReviewRequest {
    /// The game with all its moves, and the visits of each position.
    fn parse(&self) -> Result<(Game, u64), ApiError> {
        let refuse = |message: String| ApiError::invalid("invalid_game", message);
        let nodes = self.nodes.unwrap_or(DEFAULT_NODES);
        if !(1..=MOST_NODES).contains(&nodes) {
            return Err(refuse(format!("nodes: found {nodes}, expected 1 to {MOST_NODES}")));
        }
        if !(1..=MOST_MOVES).contains(&self.moves.len()) {
            return Err(refuse(format!("moves: found {}, expected 1 to {MOST_MOVES}", self.moves.len())));
        }
        let mut game = match &self.fen {
            Some(fen) => Game::from_fen(fen, CastlingMode::Standard)
                .map_err(|error: GameError| refuse(format!("fen: {error}")))?,
            None => Game::default(),
        };
        for (index, uci) in self.moves.iter().enumerate() {
            game.play_uci(uci)
                .map_err(|error: NotationError| refuse(format!("move {}: {error}", index + 1)))?;
        }
        Ok((game, nodes))
    }
}

impl Review {
    /// A review that has not begun; opens the network.
    pub(super) fn new(request: &ReviewRequest, id: String, engines: &dyn Engines) -> Result<Self, ApiError> {
        let (game, nodes) = request.parse()?;
        let network = match &request.network {
            Some(network) => network.clone(),
            None => engines.networks().first().map(|first| first.id.clone()).unwrap_or_default(),
        };
        let latest = ReviewView {
            id,
            engine: engines.evaluator(&network)?.describe(),
            network,
            nodes,
            positions: game.history().len(),
            running: true,
            failure: None,
            points: Vec::new(),
            white: None,
            black: None,
        };
        let frames = watch::Sender::new(Frame::empty());
        let stop = StopSignal::default();
        Ok(Self { frames, latest: std::sync::Mutex::new(latest), stop, game, nodes })
    }

    /// Searches from the first position to the last; each search reuses the tree below the move played.
    pub(super) fn work(&self, engines: &Arc<dyn Engines>, threads: &ThreadBudget) {
        let network = self.change(|view| view.network.clone());
        let settings = SearchSettings {
            purpose: SearchPurpose::Analysis,
            temperature: 0.0,
            seed: 0,
            memory: TREE_MEMORY,
            branches: 0,
        };
        let mut search = match engines.search(&network, &settings) {
            Ok(search) => search,
            Err(error) => return self.end(Some(error.to_string())),
        };
        for ply in 0..self.game.history().len() {
            let _permit = threads.acquire();
            if self.stop.is_stopped() {
                return self.end(Some("stopped".into()));
            }
            match self.point(search.as_mut(), ply) {
                Ok(point) => self.add(point),
                Err(error) => return self.end(Some(error)),
            }
        }
        self.end(None);
    }

    fn point(&self, search: &mut dyn Search, ply: usize) -> Result<ReviewPoint, String> {
        let game = self.game_at(ply);
        let position = game.position();
        let turn = position.turn();
        let point = |wdl: Wdl, best, line, prior| {
            let white = wdl.for_white(turn);
            ReviewPoint {
                ply,
                white_wdl: [white.win, white.draw, white.loss],
                white_percent: 100.0 * f64::from(white.expected_score()),
                best,
                line,
                loss: None,
                accuracy: None,
                judgement: None,
                prior,
            }
        };
        let over = game
            .outcome()
            .filter(|_| position.legal_moves().is_empty() || ply + 1 == self.game.history().len());
        if let Some(outcome) = over {
            let wdl = if outcome.winner.is_some() { Wdl::LOSS } else { Wdl::DRAW };
            return Ok(point(wdl, None, Vec::new(), None));
        }
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let decision =
            search.run(&game, &limits, &self.stop, &mut |_| {}).map_err(|error| error.to_string())?;
        let wdl = decision.info.variations.first().map_or(Wdl::DRAW, |line| line.wdl);
        let played = self.game.moves().get(ply);
        let prior = played.and_then(|played| {
            decision.info.root_moves.iter().find(|root| root.chess_move == *played).map(|root| root.prior)
        });
        let best = print_uci_move(decision.best, CastlingMode::Standard);
        Ok(point(wdl, Some(best), best_line(&game, &decision.info), prior))
    }

    /// The game as it stood after so many half-moves, with its history.
    fn game_at(&self, ply: usize) -> Game {
        let mut game = self.game.clone();
        while game.ply() > ply {
            game.undo();
        }
        game
    }

    /// Adds a searched position; the move before it can be judged now.
    fn add(&self, point: ReviewPoint) {
        self.change(|view| {
            if let Some(before) = view.points.last_mut() {
                let entry = &self.game.history()[before.ply].position;
                let lost = loss(before.white_percent, point.white_percent, entry.turn());
                before.loss = Some(lost);
                before.accuracy = Some(move_accuracy(lost));
                before.judgement = Some(judge(lost, entry.legal_moves().len()));
            }
            view.points.push(point);
        });
    }

    fn end(&self, failure: Option<String>) {
        self.change(|view| {
            view.running = false;
            if failure.is_none() {
                view.white = Some(self.summary(view, Color::White));
                view.black = Some(self.summary(view, Color::Black));
            }
            view.failure = failure;
        });
    }

    fn summary(&self, view: &ReviewView, side: Color) -> SideSummary {
        let values: Vec<f64> = view.points.iter().map(|point| point.white_percent).collect();
        let first = self.game.history()[0].position.turn();
        let own: Vec<&ReviewPoint> = view
            .points
            .iter()
            .filter(|point| self.game.history()[point.ply].position.turn() == side && point.loss.is_some())
            .collect();
        let count = |kind| own.iter().filter(|point| point.judgement == Some(kind)).count();
        let judged: Vec<f64> = own
            .iter()
            .filter(|point| point.judgement != Some(Judgement::Forced))
            .filter_map(|point| point.loss)
            .collect();
        let mean = judged.iter().sum::<f64>() / judged.len() as f64;
        SideSummary {
            accuracy: game_accuracy(&values, first, side),
            mean_loss: (!judged.is_empty()).then_some(mean),
            inaccuracies: count(Judgement::Inaccuracy),
            mistakes: count(Judgement::Mistake),
            blunders: count(Judgement::Blunder),
            forced: count(Judgement::Forced),
        }
    }

    /// Changes the state and publishes it.
    fn change<T>(&self, act: impl FnOnce(&mut ReviewView) -> T) -> T {
        let mut view = self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let result = act(&mut view);
        self.frames.send_replace(Frame::new(&format!("review/{}", view.id), &*view));
        result
    }
}

fn best_line(game: &Game, info: &chess::SearchInfo) -> Vec<String> {
    let mut position = game.position().clone();
    let moves = info.variations.first().map(|line| line.moves.as_slice()).unwrap_or_default();
    let moves = moves.iter().take(LINE_LENGTH);
    moves
        .map(|&chess_move| {
            let san = print_san(&position, chess_move);
            position.play_unchecked(chess_move);
            san
        })
        .collect()
}

fn judge(lost: f64, choices: usize) -> Judgement {
    let [inaccuracy, mistake, blunder] = THRESHOLDS;
    match lost {
        _ if choices == 1 => Judgement::Forced,
        lost if lost >= blunder => Judgement::Blunder,
        lost if lost >= mistake => Judgement::Mistake,
        lost if lost >= inaccuracy => Judgement::Inaccuracy,
        _ => Judgement::Fine,
    }
}
