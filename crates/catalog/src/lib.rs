//! Networks, opening tables and personal games that the page offers from the folders of its machine.
//!
//! The server in crate `web` uses three traits: [`web::Engines`], [`web::Openings`] and
//! [`web::PersonalGames`]. This crate implements them with files: [`NetworkCatalog`] finds networks and their
//! levels, [`OpeningTables`] the tables of openings, and [`PersonalFolder`] keeps the games of the person at
//! the board.
//!
//! ```
//! use catalog::{CatalogFolders, NetworkCatalog};
//! use player::SearchSetup;
//! use web::Engines as _;
//!
//! let folders = CatalogFolders { runs: "no/runs".into(), nets: "no/nets".into() };
//! let networks = NetworkCatalog::open("material", None, SearchSetup::new(&[])?, folders)?;
//! assert_eq!(networks.networks()[0].id, "material");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod networks;
mod opening_tables;
mod personal_games;

pub use networks::{CatalogFolders, NetworkCatalog};
pub use opening_tables::OpeningTables;
pub use personal_games::PersonalFolder;
