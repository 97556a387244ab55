//! Reviews of whole games: waiting, running, and stored in a folder.

mod permitted;
mod store;
mod view;
mod work;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
};

use files::OutputError;
use tokio::sync::watch;

pub(crate) use self::{store::ReviewStore, view::ReviewView, work::ReviewRequest};
use self::{
    store::{DamagedReview, StoredReviews},
    work::Review,
};
use crate::{
    engine::Engines,
    error::ApiError,
    frame::Frame,
    jobs::{JobKind, Jobs},
    threads::{ThreadBudget, locked},
};

/// Most reviews that are remembered; the oldest is dropped first.
const MOST_REVIEWS: usize = 256;
/// Most reviews that run or wait at the same time.
const MOST_RUNNING: usize = 8;

/// The reviews, by their numbers. Every call may wait until the network of a new review is opened, so none is for a thread that must
/// not block.
pub(crate) struct ReviewQueue {
    engines: Arc<dyn Engines>,
    threads: ThreadBudget,
    jobs: Jobs,
    store: ReviewStore,
    reviews: Mutex<BTreeMap<u64, Arc<Review>>>,
    damaged: Vec<DamagedReview>,
}

impl ReviewQueue {
    /// A queue with the reviews that an earlier server stored.
    pub(crate) fn new(
        engines: Arc<dyn Engines>,
        threads: ThreadBudget,
        jobs: Jobs,
        store: ReviewStore,
    ) -> Result<Self, OutputError> {
        let StoredReviews { views, damaged } = store.load()?;
        let reviews = views.into_iter().map(|(number, view)| (number, Arc::new(Review::ended(view))));
        let reviews = Mutex::new(reviews.collect());
        Ok(Self { engines, threads, jobs, store, reviews, damaged })
    }

    /// Files of reviews that could not be read when the server started and still exist, each with its reason.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        self.damaged.iter().filter(|damaged| damaged.path.exists()).map(ToString::to_string)
    }

    /// Starts a review, or finds the existing one of the same game with the same network and budget. Opens the network, which
    /// may take a moment.
    pub(crate) fn start(&self, request: &ReviewRequest) -> Result<ReviewView, ApiError> {
        // Locked until the new review is in the list: of two equal requests that arrive together, as from two tabs, the second must
        // find the review of the first. The network is opened meanwhile, because the answer to "is it the same review?" includes the
        // hash of its content: a network whose file was replaced makes another review.
        let mut reviews = locked(&self.reviews);
        let taken = reviews.keys().copied().chain(self.damaged.iter().map(|damaged| damaged.number));
        let number = taken.max().map_or(1, |last| last + 1);
        let review = Arc::new(Review::new(request, number.to_string(), self.engines.as_ref())?);
        let wanted = view(&review);
        if let Some(known) = reviews.values().map(|known| view(known)).find(|known| known.answers(&wanted)) {
            return Ok(known);
        }
        let running = reviews.values().filter(|review| view(review).running).count();
        if running >= MOST_RUNNING {
            let message = format!("{running} reviews are at work already; wait for one or stop it");
            return Err(ApiError::conflict("too_many_reviews", message));
        }
        let worker = Arc::clone(&review);
        let engines = Arc::clone(&self.engines);
        let threads = self.threads.clone();
        let store = self.store.clone();
        let job = self.jobs.begin(JobKind::Review, &view(&review).network, Some(review.stop.clone()));
        thread::Builder::new()
            .name("review".into())
            .spawn(move || {
                worker.work(&engines, &threads, &store);
                drop(job);
            })
            .map_err(|error| ApiError::failed(format!("cannot start a thread for the review: {error}")))?;
        let begun = view(&review);
        reviews.insert(number, review);
        while reviews.len() > MOST_REVIEWS {
            if let Some((_, oldest)) = reviews.pop_first() {
                oldest.stop.stop();
                self.store.forget(&view(&oldest).id);
            }
        }
        Ok(begun)
    }

    pub(crate) fn find(&self, id: &str) -> Result<ReviewView, ApiError> {
        self.review(id).map(|review| view(&review))
    }

    /// The most informative review of a game: the one that shares the longest line with it, then the one with the larger
    /// budget, then the newer one. `None` if no review shares half of its moves with the game.
    pub(crate) fn of_game(&self, fen: &str, moves: &[String]) -> Option<ReviewView> {
        let reviews = locked(&self.reviews);
        let mut best: Option<((usize, u64), ReviewView)> = None;
        // From the oldest on, so that the newer one of two that are equal replaces the older.
        for review in reviews.values() {
            let view = view(review);
            let Some(shared) = view.shared_with(fen, moves) else { continue };
            let rank = (shared.min(view.points.len()), view.nodes);
            if best.as_ref().is_none_or(|(highest, _)| rank >= *highest) {
                best = Some((rank, view));
            }
        }
        best.map(|(_, view)| view)
    }

    /// The states of a review from now on.
    pub(crate) fn watch(&self, id: &str) -> Result<watch::Receiver<Frame>, ApiError> {
        self.review(id).map(|review| review.frames.subscribe())
    }

    /// Ends a review and keeps its results so far.
    pub(crate) fn stop(&self, id: &str) -> Result<ReviewView, ApiError> {
        let review = self.review(id)?;
        review.stop.stop();
        Ok(view(&review))
    }

    fn review(&self, id: &str) -> Result<Arc<Review>, ApiError> {
        let number: Option<u64> = id.parse().ok();
        let found = number.and_then(|number| locked(&self.reviews).get(&number).map(Arc::clone));
        found.ok_or_else(|| ApiError::missing("review", id))
    }
}

fn view(review: &Review) -> ReviewView {
    locked(&review.latest).clone()
}
