//! The loop from games to networks. For each generation it waits for the games, has a network trained on the newest ones and
//! judged, and records the result.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use chess::StopSignal;
use files::{OutputError, if_there, read_text, remove_folder};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    generation::{GameStatistics, GateResult, Generation, NetworkName, WindowSummary},
    replay::{ReplayError, ReplayStore, RunState},
    samples::{WindowError, WindowRequest, collect_window},
    settings::ReplaySettings,
    storage::PutResult,
};

/// The samples of a window, in the folder of its generation.
const SAMPLES: &str = "samples";

/// Why the loop stopped.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum LearningError {
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The samples of a window could not be made.
    #[error("generation {number}: {source}")]
    Window { number: u32, source: WindowError },
    /// Error of the trainer or of the threads that play.
    #[error("generation {number}: {source}")]
    Step { number: u32, source: AnyError },
    /// The working folder of the loop cannot be read or written.
    #[error(transparent)]
    Folder(#[from] OutputError),
}

impl LearningError {
    /// Adds the generation to an error of its trainer or its games.
    fn step(number: u32) -> impl FnOnce(AnyError) -> Self {
        move |source| Self::Step { number, source }
    }
}

/// Has a network trained on the games of each generation and judged, and begins the next generation with the better network.
pub struct LearningLoop<'a> {
    /// The store of the run.
    pub replay: &'a ReplayStore,
    /// Window and size of generations.
    pub settings: &'a ReplaySettings,
    /// Working folder; only this loop uses it.
    pub folder: PathBuf,
    /// Positions that the network sees, including the current one.
    pub history: usize,
    /// Generations after which the run ends.
    pub generations: u32,
}

/// Record of a window, kept until its generation ends.
#[derive(Serialize, Deserialize)]
struct ReplayWindow {
    summary: WindowSummary,
    newest: GameStatistics,
}

/// Record of a training, stored next to the weights of its network.
#[derive(Serialize, Deserialize)]
struct TrainingReport {
    losses: BTreeMap<String, f64>,
    seconds: f64,
}

impl LearningLoop<'_> {
    /// Default number of generations after which a run ends.
    pub const GENERATIONS: u32 = 100;

    /// Runs until its generations have ended, or the signal comes. `gather_games` is called until the games of a
    /// generation are complete: it plays some, or waits for the workers that do. `ended` is called with each generation.
    ///
    /// # Errors
    /// [`LearningError`]. All work finished before stays, and the next run continues from there.
    pub fn run(
        &self,
        gather_games: &mut dyn FnMut(&RunState) -> Result<(), AnyError>,
        trainer: &mut dyn GenerationTrainer,
        stop: &StopSignal,
        ended: &mut dyn FnMut(&Generation),
    ) -> Result<(), LearningError> {
        let mut done = self.replay.generations()?;
        while (done.len() as u32) < self.generations && !stop.is_stopped() {
            let state = ReplayStore::state(&done);
            let number = state.generation + 1;
            if self.replay.games(state.generation)?.len() < self.settings.games as usize {
                gather_games(&state).map_err(LearningError::step(number))?;
                continue;
            }
            // What `learn` finishes (window, weights, gate) is kept in the folder piece by piece, so a restart repeats only the
            // piece that was cut off.
            let Some(generation) = self.learn(&state, trainer, stop)? else { break };
            // The order is what makes a kill harmless at any point. The record in the store ends the generation, for all machines at
            // once; before it everything can be repeated from the folder, and after it nothing is repeated.
            self.replay.end_generation(&generation)?;
            // After the end is written: until then a restart continues from the content of the folder.
            self.clear(number)?;
            ended(&generation);
            done.push(generation);
        }
        if done.len() as u32 >= self.generations {
            self.replay.end_run()?;
        }
        Ok(())
    }

    /// From the games of the state's generation to the decision about the network learned; `None` if the signal came first.
    fn learn(
        &self,
        state: &RunState,
        trainer: &mut dyn GenerationTrainer,
        stop: &StopSignal,
    ) -> Result<Option<Generation>, LearningError> {
        let number = state.generation + 1;
        let folder = self.folder_of(number);
        let window = self.window(state.generation, &folder)?;
        let Some((weights, training)) = self.network(number, &folder, trainer, stop)? else {
            return Ok(None);
        };
        // The challenger has learned from its predecessor's weights, but plays against the network that plays the games: a predecessor
        // that failed its own match is no measure of progress.
        let in_force = self.replay.weights(state.network)?;
        let request = GateRequest {
            number,
            challenger: &weights,
            in_force: state.network,
            in_force_weights: in_force.as_deref(),
            folder: &folder.join("gate"),
        };
        let Some(gate) = trainer.judge(&request, stop).map_err(LearningError::step(number))? else {
            return Ok(None);
        };
        Ok(Some(Generation {
            number,
            played_by: state.network,
            games: window.newest,
            window: window.summary,
            losses: training.losses,
            seconds: training.seconds,
            gate,
        }))
    }

    /// The samples of the newest generations. Once they are collected they stay the same, even if the training is interrupted:
    /// games that come later belong to the next window.
    fn window(&self, newest: u32, folder: &Path) -> Result<ReplayWindow, LearningError> {
        let report = folder.join("window.json");
        if let Some(window) = read(&report)? {
            return Ok(window);
        }
        let samples = folder.join(SAMPLES);
        // Without `window.json` the samples are unfinished: a run was killed while it wrote them.
        remove_folder(&samples).map_err(failed("remove", &samples))?;
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let request = WindowRequest {
            output: &samples,
            // The window is shorter in the first generations.
            generations: [(newest + 1).saturating_sub(self.settings.window), newest],
            history: self.history,
            validation_share: self.settings.validation_share,
        };
        let (summary, newest) = collect_window(self.replay, request)
            .map_err(|source| LearningError::Window { number: newest + 1, source })?;
        let window = ReplayWindow { summary, newest };
        write(&report, &window)?;
        Ok(window)
    }

    /// The network learned, which is trained unless it already was.
    fn network(
        &self,
        number: u32,
        folder: &Path,
        trainer: &mut dyn GenerationTrainer,
        stop: &StopSignal,
    ) -> Result<Option<(Vec<u8>, TrainingReport)>, LearningError> {
        let name = NetworkName(number);
        // docs/formats.md says why this name.
        let report = folder.join("lesson.json");
        if let Some(training) = read(&report)?
            // Both are needed: weights are stored before the report is written, so weights without a report are from a run
            // that was killed in between.
            && let Some(weights) = self.replay.weights(name)?
        {
            return Ok(Some((weights, training)));
        }
        let request = TrainRequest {
            number,
            samples: &folder.join(SAMPLES),
            folder: &folder.join("training"),
            // The last network learned, even if it was not promoted: learning continues, only play waits for the gate.
            from: self.replay.weights(NetworkName(number - 1))?,
        };
        let trained = trainer.train(&request, stop).map_err(LearningError::step(number))?;
        let Some(TrainedGeneration { mut weights, losses, seconds }) = trained else { return Ok(None) };
        if self.replay.put_weights(name, weights.clone())? == PutResult::Taken
            && let Some(first) = self.replay.weights(name)?
        {
            // A run was killed between weights and report. Those in the store count: learning again may give other bytes.
            weights = first;
        }
        let training = TrainingReport { losses, seconds };
        write(&report, &training)?;
        Ok(Some((weights, training)))
    }

    /// Removes the files that are not needed after the end of a generation.
    fn clear(&self, number: u32) -> Result<(), LearningError> {
        let folder = self.folder_of(number);
        remove_folder(&folder).map_err(failed("remove", &folder))
    }

    fn folder_of(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:05}"))
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LearningError> {
    let text = if_there(read_text(path)).map_err(failed("read", path))?;
    text.map(|text| serde_json::from_str(&text).map_err(|error| failed("read", path)(error.into())))
        .transpose()
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), LearningError> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| failed("write", path)(error.into()))?;
    files::write(path, text).map_err(failed("write", path))
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LearningError {
    let refused = OutputError::io(action, path);
    move |source| LearningError::Folder(refused(source))
}

/// A request to train a network: the samples of one generation's window.
#[derive(Clone, Debug)]
pub struct TrainRequest<'a> {
    /// The generation, which names the network learned.
    pub number: u32,
    /// Path of the sample store.
    pub samples: &'a Path,
    /// A folder for the training; an interrupted training finds its earlier files there.
    pub folder: &'a Path,
    /// The weights to continue from, promoted or not; `None` to begin with random weights.
    pub from: Option<Vec<u8>>,
}

/// A network fresh from training, before any match.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedGeneration {
    /// The bytes of its file.
    pub weights: Vec<u8>,
    /// Its losses on the held-out games, by name.
    pub losses: BTreeMap<String, f64>,
    /// Seconds of training.
    pub seconds: f64,
}

/// A challenging network, and the current one.
#[derive(Clone, Debug)]
pub struct GateRequest<'a> {
    /// The generation, which names the challenger.
    pub number: u32,
    /// The weights just learned, as the bytes of a file.
    pub challenger: &'a [u8],
    /// The network that plays unless the challenger beats it.
    pub in_force: NetworkName,
    /// Its weights; `None` for a start without a network.
    pub in_force_weights: Option<&'a [u8]>,
    /// A folder for the games of the match; an interrupted match finds its earlier games there.
    pub folder: &'a Path,
}

/// Boxed error of a [`GenerationTrainer`] or of the thread that plays.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Trains networks and gates them by a match. Both may be interrupted and are then called again.
pub trait GenerationTrainer {
    /// Trains a network; `None` if the signal came first.
    ///
    /// # Errors
    /// Any error that prevents training.
    fn train(
        &mut self,
        request: &TrainRequest<'_>,
        stop: &StopSignal,
    ) -> Result<Option<TrainedGeneration>, AnyError>;

    /// Lets a network play against the current one; `None` if the signal came first.
    ///
    /// # Errors
    /// Any error that prevents judging.
    fn judge(&mut self, request: &GateRequest<'_>, stop: &StopSignal)
    -> Result<Option<GateResult>, AnyError>;
}
