//! The server's address, folders and timeouts.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use crate::AllowedHost;

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
    /// Version of the program, as `/server` reports it.
    pub version: String,
    /// Time that a connection has to send a request before it is closed: [`SLOWEST_REQUEST`].
    pub slowest_request: Duration,
}
