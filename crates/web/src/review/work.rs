//! Searching all positions of a game.

use std::sync::{Arc, Mutex};

use chess::{Color, Game, Search, StopSignal, guarded};
use review::{GameReview, PlayedLevel, ReviewScale};
use serde::Deserialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::{permitted::PermittedSearch, store::ReviewStore, view::ReviewView};
use crate::{
    engine::{Engines, SearchSettings, judge_of},
    error::ApiError,
    frame::Frame,
    game::replayed,
    limits::{LONGEST_GAME, MOST_REVIEW_NODES, REVIEW_TREE_MEMORY},
    portrait,
    threads::{ThreadBudget, locked},
};

/// A game to review.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewRequest {
    /// The network's id; the first of the list if omitted.
    network: Option<String>,
    /// The position before the moves, FEN; the usual start if omitted.
    fen: Option<String>,
    /// The moves, UCI.
    moves: Vec<String>,
    /// Visits of each position, 1600 if omitted; the positions around marked moves are searched again with ten times as many.
    nodes: Option<u64>,
}

pub(super) struct Review {
    pub(super) frames: watch::Sender<Frame>,
    pub(super) latest: Mutex<ReviewView>,
    pub(super) stop: StopSignal,
    game: Game,
    nodes: u64,
}

impl ReviewRequest {
    /// The game with all its moves, and the visits of each position.
    fn parse(&self) -> Result<(Game, u64), ApiError> {
        let nodes = self.nodes.unwrap_or(GameReview::NODES);
        if !(1..=MOST_REVIEW_NODES).contains(&nodes) {
            let message = format!("nodes: found {nodes}, expected 1 to {MOST_REVIEW_NODES}");
            return Err(ApiError::invalid_game(message));
        }
        if !(1..=LONGEST_GAME).contains(&self.moves.len()) {
            let message = format!("moves: found {}, expected 1 to {LONGEST_GAME}", self.moves.len());
            return Err(ApiError::invalid_game(message));
        }
        let game = replayed(self.fen.as_deref(), &self.moves).map_err(ApiError::invalid_game)?;
        Ok((game, nodes))
    }
}

impl Review {
    pub(super) fn ended(latest: ReviewView) -> Self {
        let frame = Frame::new(&format!("review/{}", latest.id), &latest);
        let nodes = latest.nodes;
        Self {
            frames: watch::Sender::new(frame),
            latest: Mutex::new(latest),
            stop: StopSignal::default(),
            game: Game::default(),
            nodes,
        }
    }

    /// A review with no position searched yet; opens the network.
    pub(super) fn new(request: &ReviewRequest, id: String, engines: &dyn Engines) -> Result<Self, ApiError> {
        let (game, nodes) = request.parse()?;
        let network = match &request.network {
            Some(network) => network.clone(),
            None => engines.networks().first().map(|first| first.id.clone()).unwrap_or_default(),
        };
        let latest = ReviewView {
            id,
            fen: game.start_fen(),
            moves: request.moves.clone(),
            engine: judge_of(engines, &network)?.describe(),
            network_hash: engines.content(&network)?,
            network,
            nodes,
            positions: game.history().len(),
            running: true,
            failure: None,
            points: Vec::new(),
            second_looks: None,
            limits: ReviewScale::CALIBRATED.limits,
            white: None,
            black: None,
            white_level: None,
            black_level: None,
        };
        let frames = watch::Sender::new(Frame::empty());
        let stop = StopSignal::default();
        Ok(Self { frames, latest: Mutex::new(latest), stop, game, nodes })
    }

    /// Reviews the game and always publishes a final state, even after a failure, because pages wait for it.
    pub(super) fn work(&self, engines: &Arc<dyn Engines>, threads: &ThreadBudget, store: &ReviewStore) {
        if let Err(panicked) = guarded(|| self.search(engines, threads, store)) {
            self.fail(format!("the review {panicked}"));
        }
    }

    /// Searches all positions and then those on which a mark rests, on as many threads as may compute at the same time.
    fn search(&self, engines: &Arc<dyn Engines>, threads: &ThreadBudget, store: &ReviewStore) {
        let network = self.change(|view| view.network.clone());
        let mut opened = Vec::with_capacity(threads.number());
        for _ in 0..threads.number() {
            match engines.search(&network, &SearchSettings::analysis(REVIEW_TREE_MEMORY, 0)) {
                Ok(search) => opened.push(PermittedSearch { search, threads: threads.clone() }),
                Err(error) => return self.fail(error.to_string()),
            }
        }
        let mut searches: Vec<&mut dyn Search> =
            opened.iter_mut().map(|search| search as &mut dyn Search).collect();
        let mut review = GameReview::new(self.game.clone(), self.nodes, ReviewScale::CALIBRATED);
        let mut publish = |review: &GameReview| self.change(|view| view.take(review));
        match review.run(&mut searches, &self.stop, &mut publish) {
            Ok(true) => {}
            Ok(false) => return self.fail("stopped".into()),
            Err(error) => return self.fail(error.to_string()),
        }
        let _permit = threads.acquire();
        match self.levels(engines.as_ref()) {
            Ok(levels) => self.end(&review, levels, store),
            Err(error) => self.fail(error),
        }
    }

    /// The levels of people that White's and Black's moves are most like, or what went wrong.
    fn levels(&self, engines: &dyn Engines) -> Result<[Option<PlayedLevel>; 2], String> {
        // Shorter games have no level, so no network is opened for them.
        if self.game.moves().len() < PlayedLevel::LEAST_MOVES {
            return Ok([None, None]);
        }
        let mut people = Vec::new();
        for person in portrait::people(engines).map_err(|error| error.to_string())? {
            people.push((f64::from(person.level.rating), person.evaluator));
        }
        PlayedLevel::of_game(&self.game, &people).map_err(|error| error.to_string())
    }

    fn end(&self, review: &GameReview, levels: [Option<PlayedLevel>; 2], store: &ReviewStore) {
        let summaries = [Color::White, Color::Black].map(|side| review.summary(side));
        let done = self.change(|view| {
            [view.white, view.black] = summaries.map(Some);
            [view.white_level, view.black_level] = levels;
            view.take(review);
            ReviewView { running: false, ..view.clone() }
        });
        // Stored before it is reported as done.
        let kept = store.keep(&done);
        self.change(|view| {
            view.running = false;
            view.failure = kept.err().map(|error| format!("the review is not kept on disk: {error}"));
        });
    }

    fn fail(&self, reason: String) {
        self.change(|view| {
            view.running = false;
            view.failure = Some(reason);
        });
    }

    /// Changes the state and publishes it.
    fn change<T>(&self, act: impl FnOnce(&mut ReviewView) -> T) -> T {
        let mut view = locked(&self.latest);
        let result = act(&mut view);
        self.frames.send_replace(Frame::new(&format!("review/{}", view.id), &*view));
        result
    }
}
