//! SQL over sample stores, with chess functions.
//!
//! A [`SqlSession`] shows one or more stores as the tables of [`TABLES`], computes with the [`FUNCTIONS`] of
//! chess, and streams the rows of a query to a [`RowObserver`]: [`ResultWriter`] writes them as text,
//! [`StoreRows`] as another store. [`QUERIES`] are named queries for any store. The engine is Apache
//! DataFusion: it reads only the columns and row groups that a query needs, on all cores, and spills to
//! temporary files. With the feature `cluster`, the same queries run on several machines.
//!
//! # Examples
//! ```
//! use dataset::{BuildConfig, Store, NoObserver, build};
//! use query::{Format, ResultWriter, Resources, SqlSession};
//!
//! let folder = tempfile::tempdir()?;
//! let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
//! std::fs::write(&games, "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")?;
//! build(&BuildConfig { validation_share: 0.0, ..BuildConfig::new(&output, [&games]) }, &mut NoObserver)?;
//!
//! let session = SqlSession::open(&[Store::open(&output)?], Resources::default())?;
//! let mut rows = ResultWriter::new(Format::Csv, Vec::new());
//! session.run("SELECT ply, san(position, best_move) AS move FROM positions ORDER BY ply DESC LIMIT 1", &mut rows)?;
//! assert_eq!(rows.finish()?, b"ply,move\n6,Qxf7#\n");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod addresses;
mod answer;
mod arguments;
#[cfg(feature = "cluster")]
pub mod cluster;
mod error;
pub mod functions;
mod list;
pub mod queries;
mod resources;
mod result_writer;
mod session;
mod store_columns;
mod store_rows;
pub mod tables;

pub use answer::{Columns, RowObserver, Rows};
pub use error::QueryError;
pub use functions::{FUNCTIONS, Function};
pub use list::list;
pub use queries::{QUERIES, Query};
pub use resources::Resources;
pub use result_writer::{Format, ResultWriter};
pub use session::SqlSession;
pub use store_rows::{Derived, StoreRows};
pub use tables::{TABLES, Table};
