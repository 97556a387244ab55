//! Searching a game position by position.

use std::sync::Arc;

use chess::{CastlingMode, Color, Game, GameError, NotationError, StopSignal};
use serde::Deserialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::{accuracy::ReviewScale, game::GameReview, view::ReviewView};
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
            limits: ReviewScale::CALIBRATED.limits,
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
            human_time: false,
            seed: 0,
            memory: TREE_MEMORY,
            branches: 0,
        };
        let mut search = match engines.search(&network, &settings) {
            Ok(search) => search,
            Err(error) => return self.fail(error.to_string()),
        };
        let mut review = GameReview::new(self.game.clone(), self.nodes, ReviewScale::CALIBRATED);
        loop {
            let _permit = threads.acquire();
            if self.stop.is_stopped() {
                return self.end(&review, Some("stopped".into()));
            }
            match review.advance(search.as_mut(), &self.stop) {
                Ok(true) => self.change(|view| view.points = review.points().to_vec()),
                Ok(false) => return self.end(&review, None),
                Err(error) => return self.end(&review, Some(error.to_string())),
            }
        }
    }

    fn end(&self, review: &GameReview, failure: Option<String>) {
        let summaries = [Color::White, Color::Black].map(|side| review.summary(side));
        self.change(|view| {
            if failure.is_none() {
                [view.white, view.black] = summaries.map(Some);
            }
        });
        match failure {
            Some(reason) => self.fail(reason),
            None => self.change(|view| view.running = false),
        }
    }

    fn fail(&self, reason: String) {
        self.change(|view| {
            view.running = false;
            view.failure = Some(reason);
        });
    }

    /// Changes the state and publishes it.
    fn change<T>(&self, act: impl FnOnce(&mut ReviewView) -> T) -> T {
        let mut view = self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let result = act(&mut view);
        self.frames.send_replace(Frame::new(&format!("review/{}", view.id), &*view));
        result
    }
}
