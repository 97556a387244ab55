//! The server from its start to its end.

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use files::remove_partial;
use tokio::{runtime, sync::watch};

use crate::{
    app::{ANALYSES, App, Dependencies, REVIEWS},
    config::ServerConfig,
    connections::Connections,
    engine::Engines,
    error::ServerError,
    openings::{NoOpenings, Openings},
    personal::{NoPersonalGames, PersonalGames},
    router,
};

/// Threads that carry messages. Searches have their own, so two are plenty for dozens of pages.
const MESSAGE_THREADS: usize = 2;
/// Time that open requests have to finish after the server was stopped.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// A server that listens but does not yet accept connections.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    config: ServerConfig,
    dependencies: Dependencies,
    ending: watch::Sender<bool>,
}

/// Ends a server from another thread.
#[derive(Clone, Debug)]
pub struct ServerHandle(watch::Sender<bool>);

impl ServerHandle {
    /// Tells the server to end; [`Server::run`] returns shortly afterwards.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Begins to listen, so that a port in use is reported before anything else happens.
    ///
    /// # Errors
    /// [`ServerError::Listen`], [`ServerError::Folder`].
    pub fn bind(config: ServerConfig, engines: Arc<dyn Engines>) -> Result<Self, ServerError> {
        let refused = |source| ServerError::Listen { address: config.address, source };
        let listener = TcpListener::bind(config.address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        std::fs::create_dir_all(&config.games)
            .map_err(|source| ServerError::Folder { folder: config.games.clone(), source })?;
        for written in [&config.games, &config.games.join(REVIEWS), &config.games.join(ANALYSES)] {
            // Partial files of a killed server. Leftovers that cannot be removed do no harm.
            let _ = remove_partial(written);
        }
        let dependencies =
            Dependencies { engines, personal: Arc::new(NoPersonalGames), openings: Arc::new(NoOpenings) };
        Ok(Self { listener, address, config, dependencies, ending: watch::Sender::new(false) })
    }

    /// Offers games that end on the page to a person's own store, which decides.
    #[must_use]
    pub fn with_personal_games(mut self, personal: Arc<dyn PersonalGames>) -> Self {
        self.dependencies.personal = personal;
        self
    }

    /// Shows opening tables.
    #[must_use]
    pub fn with_openings(mut self, openings: Arc<dyn Openings>) -> Self {
        self.dependencies.openings = openings;
        self
    }

    /// The address the server listens on, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A handle for stopping it.
    pub fn handle(&self) -> ServerHandle {
        ServerHandle(self.ending.clone())
    }

    /// Answers until [`ServerHandle::stop`].
    ///
    /// # Errors
    /// [`ServerError::Reviews`] if the folder of reviews cannot be listed, [`ServerError::Failed`] if threads or sockets fail.
    pub fn run(self) -> Result<(), ServerError> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(MESSAGE_THREADS)
            .thread_name("page")
            .enable_io()
            .enable_time()
            .build()
            .map_err(ServerError::Failed)?;
        let ending = self.ending.subscribe();
        let slowest = self.config.slowest_request;
        let app =
            App::new(self.config, self.address, self.dependencies, ending.clone(), runtime.handle().clone())
                .map_err(ServerError::Reviews)?;
        let result = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let connections = Connections { router: router::router(app), slowest, ending: ending.clone() };
            tokio::select! {
                () = connections.serve(listener) => Ok(()),
                () = async { ended(ending).await; tokio::time::sleep(SHUTDOWN_GRACE).await } => Ok(()),
            }
        });
        // A search that is still running holds nothing that needs to be closed.
        runtime.shutdown_background();
        result.map_err(ServerError::Failed)
    }
}

async fn ended(mut ending: watch::Receiver<bool>) {
    // An error means that the sender was dropped: nothing can stop the server, so it keeps running.
    if ending.wait_for(|ending| *ending).await.is_err() {
        std::future::pending::<()>().await;
    }
}
