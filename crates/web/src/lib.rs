//! The page: an HTTP and WebSocket server for the board in the browser.
//!
//! [`Server`] listens on loopback, serves the embedded page and the API under `/api/v1` (described by
//! `/api/v1/openapi.json`, generated from the code). Networks and searches come from a [`NetworkCatalog`], for which tests put
//! others behind [`Engines`]. Searches run on their own threads; the server's threads only carry messages.
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
mod connections;
mod documents;
mod engine;
mod error;
mod first_paint;
mod frame;
mod game;
mod guard;
mod jobs;
mod limits;
mod live;
mod networks;
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
pub use engine::{
    EngineError, Engines, Level, Measurement, NetworkDetail, NetworkKind, NetworkLayer, NetworkSummary,
    SearchPurpose, SearchSettings, SeenPlanes,
};
pub use error::ServerError;
pub use networks::{CatalogFolders, NetworkCatalog};
pub use page::report_page;
pub use server::{SLOWEST_REQUEST, Server, ServerConfig, ServerHandle};
