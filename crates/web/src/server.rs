//! The server from its start to its end.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use chess::Tablebases;
use files::remove_partial;
use tokio::{runtime, sync::watch};

use crate::{
    AllowedHost,
    app::{ANALYSES, App, REVIEWS},
    connections::Connections,
    engine::Engines,
    error::ServerError,
    router,
};

/// Threads that carry messages. Searches have their own, so two are plenty for dozens of pages.
const MESSAGE_THREADS: usize = 2;
/// Time that open requests have to finish after the server was stopped.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Time that a client has to send a request; browsers on a bad line need a second or two.
pub const SLOWEST_REQUEST: Duration = Duration::from_secs(15);

/// Address, folders and timeouts of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The address; port 0 takes any free one.
    pub address: SocketAddr,
    /// Names accepted as `Host` besides this machine's own addresses.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Folder of games played, created if missing.
    pub games: PathBuf,
    /// Folder of training runs; may be missing.
    pub runs: PathBuf,
    /// Folder of reports of matches and ladders; may be missing.
    pub results: PathBuf,
    /// Folder of the person's own games, created when the person consents.
    pub personal: PathBuf,
    /// Folders in which sources of opening tables are searched for.
    pub data: Vec<PathBuf>,
    /// Folder of opening tables, created when one is made.
    pub openings: PathBuf,
    /// The endgame tables of the searches, from which the page lists the moves of a position; `None` without any.
    pub tables: Option<Arc<Tablebases>>,
    /// Version of the program, as `/server` reports it.
    pub version: String,
    /// Time that a connection has to send a request before it is closed: [`SLOWEST_REQUEST`].
    pub slowest_request: Duration,
}

/// A server that listens but does not yet accept connections.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    config: ServerConfig,
    engines: Arc<dyn Engines>,
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
        let (listener, address) = listen(config.address)
            .map_err(|source| ServerError::Listen { address: config.address, source })?;
        std::fs::create_dir_all(&config.games)
            .map_err(|source| ServerError::Folder { folder: config.games.clone(), source })?;
        for written in [&config.games, &config.games.join(REVIEWS), &config.games.join(ANALYSES)] {
            // Partial files of a killed server. Leftovers that cannot be removed do no harm.
            let _ = remove_partial(written);
        }
        Ok(Self { listener, address, config, engines, ending: watch::Sender::new(false) })
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
        let app = App::new(self.config, self.address, self.engines, ending.clone(), runtime.handle().clone())
            .map_err(ServerError::Reviews)?;
        let result = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let connections = Connections { router: router::router(app), slowest, ending: ending.clone() };
            tokio::select! {
                () = connections.serve(listener) => Ok(()),
                () = async { ended(ending).await; tokio::time::sleep(SHUTDOWN_GRACE).await } => Ok(()),
            }
        });
        // Without waiting for the threads of searches: every game is on disk after each move and every finished review when it ends,
        // so a search that is still running holds nothing that needs to be closed.
        runtime.shutdown_background();
        result.map_err(ServerError::Failed)
    }
}

/// A socket that listens, as the runtime needs it, and its address with the actual port.
fn listen(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn ended(mut ending: watch::Receiver<bool>) {
    // An error means that the sender was dropped: nothing can stop the server, so it keeps running.
    if ending.wait_for(|ending| *ending).await.is_err() {
        std::future::pending::<()>().await;
    }
}
