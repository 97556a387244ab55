//! Builds sample stores from games, as `tabiya data build` does.

use std::path::PathBuf;

use chess::StopSignal;
use dataset::{BuildConfig, BuildObserver, Filters, source::BadRecord, store::manifest::Counts};
use files::FolderLock;
use personal::{AddedGames, PersonalStore};
use pyo3::prelude::*;
use serde_json::json;

use crate::{
    failure::failure,
    statistics::json as text_of,
    waiting::{caller, watched},
};

/// The options of `tabiya data build`, by the names of its flags; `None` where the command's default applies.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BuildValues {
    validation: Option<f64>,
    history: Option<usize>,
    seed: Option<u64>,
    min_rating: Option<u16>,
    player: Option<String>,
    evaluated: bool,
    samples_per_game: Option<usize>,
    max_positions: Option<u64>,
    drop_leaks: bool,
}

/// Builds a store; returns its manifest as JSON. `report` is called now and then with JSON: games, positions and bytes read, or
/// a broken record.
#[pyfunction]
pub(crate) fn build(
    py: Python<'_>,
    output: PathBuf,
    inputs: Vec<PathBuf>,
    values: BuildValues,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let config = values.config(output, inputs);
    let stop = StopSignal::default();
    let built = watched(
        py,
        &stop,
        |send: &mut (dyn FnMut(String) + Send)| {
            dataset::build(&config, &mut BuildReporter { stop: stop.clone(), send })
        },
        caller(report.as_ref()),
    );
    text_of(&built?.map_err(failure)?)
}

impl BuildValues {
    fn config(&self, output: PathBuf, inputs: Vec<PathBuf>) -> BuildConfig {
        BuildConfig {
            filters: Filters {
                min_rating: self.min_rating,
                player: self.player.clone(),
                evaluated: self.evaluated,
                samples_per_game: self.samples_per_game,
                max_positions: self.max_positions,
                ..Filters::default()
            },
            validation_share: self.validation.unwrap_or(BuildConfig::VALIDATION_SHARE),
            history: self.history.unwrap_or(BuildConfig::HISTORY),
            seed: self.seed.unwrap_or(BuildConfig::SEED),
            without_leaks: self.drop_leaks,
            ..BuildConfig::new(output, inputs)
        }
    }
}

/// Adds the games of a player to a folder of personal games, which is created if missing; returns counts as JSON.
#[pyfunction]
pub(crate) fn add_personal_games(
    py: Python<'_>,
    folder: PathBuf,
    inputs: Vec<PathBuf>,
    player: &str,
) -> PyResult<String> {
    if let Some(missing) = inputs.iter().find(|input| !input.exists()) {
        // A mistyped file must not leave an empty store behind.
        return Err(failure(format_args!(
            "{}: found nothing, expected a file or folder of games",
            missing.display()
        )));
    }
    py.detach(|| {
        let _lock = FolderLock::take(&folder).map_err(failure)?;
        let store = PersonalStore::open_or_make(&folder).map_err(failure)?;
        let mut sum = AddedGames::default();
        for input in &inputs {
            sum = sum + store.add(input, player, &mut |_| ()).map_err(failure)?;
        }
        let games = store.count().map_err(failure)?;
        Ok(json!({ "games": games, "last": sum }).to_string())
    })
}

/// Sends the events of a build to the interpreter's thread.
struct BuildReporter<'a> {
    stop: StopSignal,
    send: &'a mut (dyn FnMut(String) + Send),
}

impl BuildObserver for BuildReporter<'_> {
    fn progress(&mut self, counts: &Counts, bytes_read: u64) {
        let Counts { games, positions, .. } = counts;
        (self.send)(json!({ "games": games, "positions": positions, "bytes": bytes_read }).to_string());
    }

    fn rejected(&mut self, record: &BadRecord) {
        (self.send)(json!({ "rejected": record.to_string() }).to_string());
    }

    fn stopped(&self) -> bool {
        self.stop.is_stopped()
    }
}
