//! The Python package `tabiya`: networks, searches, matches and stores of the program, in a Python process.
//!
//! This crate converts values and calls the functions that the program calls; it has no chess, search or
//! learning of its own. Its module `_tabiya` accepts and returns plain values (FEN, moves in UCI notation,
//! NumPy arrays, JSON); the package around it, in `python/tabiya`, converts them to boards and moves of
//! python-chess and documents each class and function. `docs/python.md` has examples.
//!
//! Calls that take longer than a millisecond run on their own thread without the GIL (`waiting`), so that
//! Ctrl-C and other Python threads are served meanwhile.

#![expect(clippy::needless_pass_by_value, reason = "what Python hands over is converted into a value first")]

mod arrays;
mod building;
mod encoding;
mod engine;
mod failure;
mod matches;
mod modules;
mod named;
mod network;
mod record;
mod statistics;
mod store;
mod torch;
mod train;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
mod _tabiya {
    #[pymodule_export]
    use super::{
        building::{add_personal_games, build},
        encoding::encode,
        engine::{Engine, search_options, searches},
        failure::Error,
        matches::play_match,
        modules::{describe_network, learning_rates, save_network},
        named::encodings,
        network::{Network, networks},
        statistics::{elo, sprt},
        store::{Batches, Store},
        train::train,
    };
    use pyo3::{prelude::*, types::PyModule};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
