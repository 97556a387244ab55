//! State shared by all request handlers.

use std::{net::SocketAddr, num::NonZero, ops::Deref, sync::Arc, thread};

use axum::{Json, http::StatusCode};
use files::OutputError;
use tokio::{
    runtime::Handle,
    sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, watch},
    task,
};

use crate::{
    analyses::AnalysisStore,
    analysis::{Analysis, TreeStore},
    api::{Answer, Uploads},
    engine::Engines,
    error::ApiError,
    game::{GameRegistry, GameServices, GameStore},
    jobs::Jobs,
    openings::OpeningTables,
    personal::PersonalFolder,
    review::{ReviewQueue, ReviewStore},
    runs::Watchers,
    server::ServerConfig,
    threads::ThreadBudget,
};

/// Most pages with a live connection. Chosen, not measured.
const MOST_SOCKETS: usize = 64;
/// Maximum parallel searches, of games, of analyses and of reviews; more would only slow each other down.
const MOST_SEARCHES: usize = 4;
/// The folder of reviews inside the folder of games.
pub(crate) const REVIEWS: &str = "reviews";
/// The folder of analyses inside the folder of games.
pub(crate) const ANALYSES: &str = "analyses";
/// Most requests that wait for a disk or a search at the same time.
const MOST_WAITING: usize = 64;

/// The server's state, shared by all requests.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

/// The parts of an [`App`].
pub(crate) struct Inner {
    /// The address the server listens on.
    pub(crate) address: SocketAddr,
    pub(crate) config: ServerConfig,
    pub(crate) engines: Arc<dyn Engines>,
    pub(crate) personal: PersonalFolder,
    pub(crate) openings: OpeningTables,
    pub(crate) games: GameRegistry,
    pub(crate) reviews: ReviewQueue,
    /// The analyses that people made and keep.
    pub(crate) kept: AnalysisStore,
    pub(crate) watchers: Watchers,
    pub(crate) jobs: Jobs,
    analyses: ThreadBudget,
    trees: TreeStore,
    /// Files that are being sent.
    pub(crate) uploads: Uploads,
    imports: Arc<tokio::sync::Mutex<()>>,
    sockets: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Changes when the server ends.
    pub(crate) ending: watch::Receiver<bool>,
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    /// The state of a server at its start, with the reviews that an earlier server kept.
    ///
    /// # Errors
    /// If the folder of reviews cannot be listed.
    pub(crate) fn new(
        config: ServerConfig,
        address: SocketAddr,
        engines: Arc<dyn Engines>,
        ending: watch::Receiver<bool>,
        runtime: Handle,
    ) -> Result<Self, OutputError> {
        // Games have separate threads, so that endless analyses do not delay the engine's moves.
        let jobs = Jobs::default();
        let personal = PersonalFolder(config.personal.clone());
        let games = GameRegistry::new(GameServices {
            engines: Arc::clone(&engines),
            threads: ThreadBudget::new(MOST_SEARCHES),
            jobs: jobs.clone(),
            store: GameStore::new(config.games.clone()),
            personal: personal.clone(),
            runtime: runtime.clone(),
        });
        let stored = ReviewStore::new(config.games.join(REVIEWS));
        let review_threads = ThreadBudget::new(review_threads());
        let reviews = ReviewQueue::new(Arc::clone(&engines), review_threads, jobs.clone(), stored)?;
        let kept = AnalysisStore::new(config.games.join(ANALYSES));
        Ok(Self(Arc::new(Inner {
            address,
            openings: OpeningTables::new(&config.openings, config.data.clone(), config.games.clone()),
            config,
            engines,
            personal,
            games,
            reviews,
            kept,
            watchers: Watchers::new(runtime),
            jobs,
            analyses: ThreadBudget::new(MOST_SEARCHES),
            trees: TreeStore::default(),
            uploads: Uploads::default(),
            imports: Arc::default(),
            sockets: Arc::new(Semaphore::new(MOST_SOCKETS)),
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
            ending,
        })))
    }

    /// A new analysis under a name chosen by the page.
    pub(crate) fn analysis(&self, name: &str) -> Result<Analysis, ApiError> {
        let engines = Arc::clone(&self.engines);
        Analysis::new(name, engines, self.analyses.clone(), &self.trees, self.jobs.clone())
    }

    /// Waits until no other network is being imported: a file of a few megabytes can unpack to many times its size.
    pub(crate) async fn import_permit(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.imports).lock_owned().await
    }

    /// A permit for a live connection; `None` if all are in use.
    pub(crate) fn socket_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).try_acquire_owned().ok()
    }

    /// Pages with a live connection.
    pub(crate) fn open_sockets(&self) -> usize {
        MOST_SOCKETS - self.sockets.available_permits()
    }

    /// As [`App::blocking`], with the result as JSON.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Answer<T> {
        self.blocking(work).await.map(Json)
    }

    /// Runs a function that waits for a disk, a lock or a search, away from the threads that carry messages.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        // All pages share two threads that carry messages, so a handler that blocked one of them on a slow disk would stop the live
        // states of every page. tokio's pool for blocking work has hundreds of threads and lets further requests wait without an
        // answer; the limit here refuses them at once, with a status that a client can tell from a defect.
        let Ok(permit) = Arc::clone(&self.waiting).try_acquire_owned() else {
            return Err(ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "too many requests are waiting; try again in a moment",
            ));
        };
        let app = self.clone();
        let done = task::spawn_blocking(move || {
            // The work continues, and counts, even if its client leaves and nobody waits for it.
            let _permit = permit;
            work(&app)
        })
        .await;
        done.unwrap_or_else(|_| {
            Err(ApiError::failed("the request failed in the server, which keeps running"))
        })
    }
}

/// Threads of all reviews together: a reader waits for a review, so it takes all cores up to the limit, and the system divides them
/// among it and the searches of games and analyses.
fn review_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_SEARCHES)
}
