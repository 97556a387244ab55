//! State shared by all request handlers.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use axum::{Json, http::StatusCode};
use files::OutputError;
use tokio::{
    runtime::Handle,
    sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, watch},
    task,
};

use crate::{
    allowed_host::AllowedHost,
    analyses::AnalysisStore,
    analysis::{Analysis, TreeStore},
    api::{Answer, Uploads},
    config::ServerConfig,
    engine::Engines,
    error::ApiError,
    game::{GameRegistry, GameServices, Store},
    jobs::Jobs,
    openings::Openings,
    personal::PersonalGames,
    review::{ReviewQueue, ReviewStore},
    runs::Watchers,
    threads::ThreadBudget,
};

/// Most pages with a live connection. Chosen, not measured.
const MOST_SOCKETS: usize = 64;
/// Maximum parallel searches; more would only slow each other down.
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

/// Parts of the page that the program provides.
pub(crate) struct Dependencies {
    pub(crate) engines: Arc<dyn Engines>,
    pub(crate) personal: Arc<dyn PersonalGames>,
    pub(crate) openings: Arc<dyn Openings>,
}

struct Inner {
    address: SocketAddr,
    config: ServerConfig,
    dependencies: Dependencies,
    games: GameRegistry,
    reviews: ReviewQueue,
    kept: AnalysisStore,
    watchers: Watchers,
    jobs: Jobs,
    analyses: ThreadBudget,
    trees: TreeStore,
    uploads: Uploads,
    imports: Arc<tokio::sync::Mutex<()>>,
    sockets: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    ending: watch::Receiver<bool>,
}

impl App {
    /// The state of a server at its start, with the reviews that an earlier server kept.
    ///
    /// # Errors
    /// If the folder of reviews cannot be listed.
    pub(crate) fn new(
        config: ServerConfig,
        address: SocketAddr,
        dependencies: Dependencies,
        ending: watch::Receiver<bool>,
        runtime: Handle,
    ) -> Result<Self, OutputError> {
        // Games have separate threads, so that endless analyses do not delay the engine's moves.
        let jobs = Jobs::default();
        let games = GameRegistry::new(GameServices {
            engines: Arc::clone(&dependencies.engines),
            threads: ThreadBudget::new(MOST_SEARCHES),
            jobs: jobs.clone(),
            store: Store::new(config.games.clone()),
            personal: Arc::clone(&dependencies.personal),
            runtime: runtime.clone(),
        });
        let stored = ReviewStore::new(config.games.join(REVIEWS));
        let reviews =
            ReviewQueue::new(Arc::clone(&dependencies.engines), ThreadBudget::new(1), jobs.clone(), stored)?;
        let kept = AnalysisStore::new(config.games.join(ANALYSES));
        let watchers = Watchers::new(runtime);
        Ok(Self(Arc::new(Inner {
            address,
            config,
            dependencies,
            games,
            reviews,
            kept,
            watchers,
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

    /// The address the server listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address
    }

    pub(crate) fn version(&self) -> &str {
        &self.0.config.version
    }

    /// The names accepted as `Host`.
    pub(crate) fn allowed_hosts(&self) -> &[AllowedHost] {
        &self.0.config.allowed_hosts
    }

    /// The folder of games, and of files that are being sent.
    pub(crate) fn games_folder(&self) -> &Path {
        &self.0.config.games
    }

    /// The folder of training runs.
    pub(crate) fn runs(&self) -> &Path {
        &self.0.config.runs
    }

    /// The folder of reports of matches and ladders.
    pub(crate) fn results(&self) -> &Path {
        &self.0.config.results
    }

    pub(crate) fn watchers(&self) -> &Watchers {
        &self.0.watchers
    }

    pub(crate) fn engines(&self) -> &Arc<dyn Engines> {
        &self.0.dependencies.engines
    }

    pub(crate) fn personal(&self) -> &Arc<dyn PersonalGames> {
        &self.0.dependencies.personal
    }

    pub(crate) fn openings(&self) -> &Arc<dyn Openings> {
        &self.0.dependencies.openings
    }

    pub(crate) fn games(&self) -> &GameRegistry {
        &self.0.games
    }

    pub(crate) fn reviews(&self) -> &ReviewQueue {
        &self.0.reviews
    }

    /// The analyses that people made and keep.
    pub(crate) fn analyses(&self) -> &AnalysisStore {
        &self.0.kept
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    /// A new analysis under a name chosen by the page.
    pub(crate) fn analysis(&self, name: &str) -> Result<Analysis, ApiError> {
        let (engines, threads) = (Arc::clone(self.engines()), self.0.analyses.clone());
        Analysis::new(name, engines, threads, &self.0.trees, self.0.jobs.clone())
    }

    /// Files that are being sent.
    pub(crate) fn uploads(&self) -> &Uploads {
        &self.0.uploads
    }

    /// Waits until no other network is being imported: a file of a few megabytes can unpack to many times its size.
    pub(crate) async fn import_permit(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.0.imports).lock_owned().await
    }

    /// Time a client has to send a request.
    pub(crate) fn slowest_request(&self) -> Duration {
        self.0.config.slowest_request
    }

    /// Changes when the server ends.
    pub(crate) fn ending(&self) -> watch::Receiver<bool> {
        self.0.ending.clone()
    }

    /// A permit for a live connection; `None` if all are in use.
    pub(crate) fn socket_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.sockets).try_acquire_owned().ok()
    }

    /// Pages with a live connection.
    pub(crate) fn open_sockets(&self) -> usize {
        MOST_SOCKETS - self.0.sockets.available_permits()
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
        let Ok(permit) = Arc::clone(&self.0.waiting).try_acquire_owned() else {
            return Err(ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "too many requests are waiting; try again in a moment",
            ));
        };
        let app = self.clone();
        let done = task::spawn_blocking(move || {
            // The work continues, and counts, even if its client leaves and nobody waits for it any more.
            let _permit = permit;
            work(&app)
        })
        .await;
        done.unwrap_or_else(|_| {
            Err(ApiError::failed("the request failed in the server, which keeps running"))
        })
    }
}
