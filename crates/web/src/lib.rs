//! The page: an HTTP and WebSocket server for the board in the browser.
//!
//! [`Server`] listens on loopback, serves the embedded page and the API under `/api/v1` (described by
//! `/api/v1/openapi.json`, generated from the code). Networks and searches come from the program, through
//! [`Engines`]. Searches run on their own threads; the server's threads only carry messages.
//!
//! # Examples
//! ```
//! let description: serde_json::Value = serde_json::from_str(&web::openapi()?)?;
//! assert!(description["paths"]["/networks"]["get"].is_object());
//! # Ok::<_, serde_json::Error>(())
//! ```

mod allowed_host;
mod analyses;
mod analysis;
mod api;
mod app;
mod compress;
mod config;
mod connections;
mod engine;
mod error;
mod first_paint;
mod frame;
mod game;
mod guard;
mod jobs;
mod limits;
mod live;
mod openings;
mod page;
mod personal;
mod portrait;
mod review;
mod router;
mod runs;
mod server;
mod threads;

pub use allowed_host::{AllowedHost, HostError};
pub use api::openapi;
pub use config::{SLOWEST_REQUEST, ServerConfig};
pub use engine::{
    CalibrationBin, CalibrationCurve, EngineError, Engines, Expectation, Interval, Level, Measurement,
    NetworkDetail, NetworkKind, NetworkSummary, SearchPurpose, SearchSettings, SeenPlanes, shortened,
};
pub use error::ServerError;
pub use openings::{OpeningMove, OpeningSource, OpeningTable, Openings, OpeningsError, OpeningsView};
pub use page::report_page;
pub use personal::{FinishedGame, PersonalGames, PersonalRefusal, PersonalView};
pub use server::{Server, ServerHandle};
