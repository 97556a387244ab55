//! Where the server listens, and what it reads and writes.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

/// How long a client may take to send a request; browsers on a bad line need a second or two.
pub const SLOWEST_REQUEST: Duration = Duration::from_secs(15);

/// Where the server listens and what it reads and writes.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The address; port 0 takes any free one.
    pub address: SocketAddr,
    /// Folder of games played, made where it is missing.
    pub games: PathBuf,
    /// Folder of training runs; may be missing.
    pub runs: PathBuf,
    /// Folder of reports of matches and ladders; may be missing.
    pub results: PathBuf,
    /// Version of the program.
    pub version: String,
    /// How long a connection may take to send a request before it is closed: [`SLOWEST_REQUEST`].
    pub slowest_request: Duration,
}
