//! All reviews of this server.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use tokio::sync::watch;

use super::{
    view::ReviewView,
    work::{Review, ReviewRequest},
};
use crate::{
    engine::Engines,
    error::ApiError,
    jobs::{JobKind, Jobs},
    live::Frame,
    threads::ThreadBudget,
};

/// Most reviews that are remembered; the oldest goes first.
const MOST_REVIEWS: usize = 32;
/// Most reviews that work or wait for their turn at the same time.
const MOST_RUNNING: usize = 8;

/// The reviews, by their numbers.
pub(crate) struct ReviewQueue {
    engines: Arc<dyn Engines>,
    threads: ThreadBudget,
    jobs: Jobs,
    reviews: Mutex<BTreeMap<u64, Arc<Review>>>,
}

impl ReviewQueue {
    pub(crate) fn new(engines: Arc<dyn Engines>, threads: ThreadBudget, jobs: Jobs) -> Self {
        Self { engines, threads, jobs, reviews: Mutex::default() }
    }

    /// Begins a review. Opens the network, which may take a moment.
    pub(crate) fn start(&self, request: &ReviewRequest) -> Result<ReviewView, ApiError> {
        let mut reviews = self.reviews();
        let running = reviews.values().filter(|review| view(review).running).count();
        if running >= MOST_RUNNING {
            let message = format!("{running} reviews are at work already; wait for one or stop it");
            return Err(ApiError::conflict("too_many_reviews", message));
        }
        let number = reviews.last_key_value().map_or(1, |(last, _)| last + 1);
        let review = Arc::new(Review::new(request, number.to_string(), self.engines.as_ref())?);
        let (worker, engines, threads) =
            (Arc::clone(&review), Arc::clone(&self.engines), self.threads.clone());
        let job = self.jobs.begin(JobKind::Review, &view(&review).network, Some(review.stop.clone()));
        thread::Builder::new()
            .name("review".into())
            .spawn(move || {
                worker.work(&engines, &threads);
                drop(job);
            })
            .map_err(|error| ApiError::failed(format!("no thread for the review: {error}")))?;
        let begun = view(&review);
        reviews.insert(number, review);
        while reviews.len() > MOST_REVIEWS {
            if let Some((_, oldest)) = reviews.pop_first() {
                oldest.stop.stop();
            }
        }
        Ok(begun)
    }

    /// A review as it stands.
    pub(crate) fn find(&self, id: &str) -> Result<ReviewView, ApiError> {
        self.review(id).map(|review| view(&review))
    }

    /// The states of a review from now on.
    pub(crate) fn watch(&self, id: &str) -> Result<watch::Receiver<Frame>, ApiError> {
        self.review(id).map(|review| review.frames.subscribe())
    }

    /// Ends a review; what it has found stays.
    pub(crate) fn stop(&self, id: &str) -> Result<ReviewView, ApiError> {
        let review = self.review(id)?;
        review.stop.stop();
        Ok(view(&review))
    }

    fn review(&self, id: &str) -> Result<Arc<Review>, ApiError> {
        let number: Option<u64> = id.parse().ok();
        let found = number.and_then(|number| self.reviews().get(&number).map(Arc::clone));
        found.ok_or_else(|| ApiError::missing("review", id))
    }

    fn reviews(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Review>>> {
        self.reviews.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn view(review: &Review) -> ReviewView {
    review.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
