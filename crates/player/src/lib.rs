//! Players: parses and opens the player that a text names, and runs the UCI engine.
//!
//! Only this crate connects weights, evaluator and search. All code that plays games or evaluates positions
//! opens its players here, by the same names: `default`, `net=PATH,nodes=800`, `uci=stockfish,movetime=100`,
//! `random`.
//!
//! ```
//! use player::PlayerSpecification;
//!
//! let player: PlayerSpecification = "net=material,nodes=50,option.Temperature=0.5".parse()?;
//! let contestant = player.contestant()?;
//! assert_eq!(contestant.pace.nodes, Some(50));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contestants;
mod error;
mod evaluators;
mod forms;
mod identity;
mod judge;
mod keys;
pub mod levels;
mod mean;
mod nnue;
mod rating;
mod recipe;
mod search_setup;
mod specification;
mod systems;
pub mod uci;

pub use contestants::NetworkPlayers;
pub use error::{OpenError, SpecificationError};
pub use evaluators::{
    EVALUATORS, NamedEvaluator, OpenedEvaluator, holds_learners, network_files, network_hash, open_evaluator,
    provenance_of, read_weights, weights_of,
};
pub use forms::{help, of_recipe};
pub use identity::{identity, with_network, with_player};
pub use nnue::{extract_nnue, is_nnue, open_nnue};
pub use rating::{PlayerRating, rating, rating_file};
pub use recipe::{RUNS, SearchSection, plain, recipe_file, recipe_name};
pub use search_setup::{BOOK_FILE, SYZYGY_PATH, SearchOverrides, SearchSetup};
pub use specification::PlayerSpecification;
pub use systems::{
    BUNDLED, BundledNetwork, CONVOLUTIONAL_NETWORK, DEFAULT_NETWORK, HUMAN_NETWORK, SYSTEMS, SystemNetwork,
    bundled, is_bundled, is_bundled_file,
};
