//! The learner: waits for the games of a generation, has a network trained on the newest ones and judged, and writes down what
//! came of it, generation after generation.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use chess::StopSignal;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    generation::{GameStatistics, GateResult, Generation, NetworkName, WindowSummary},
    replay::{ReplayError, ReplayStore, Standing},
    samples::{WindowError, WindowRequest, collect_window},
    settings::ReplaySettings,
    storage::PutResult,
};

/// Task of a teacher: the samples of one generation's window.
#[derive(Clone, Debug)]
pub struct Lesson<'a> {
    /// The generation, which names the network learned.
    pub number: u32,
    /// Path of the sample store.
    pub samples: &'a Path,
    /// A folder for the training; a lesson that was broken off finds there what it left.
    pub folder: &'a Path,
    /// The weights to continue from, promoted or not; `None` to begin with random ones.
    pub from: Option<Vec<u8>>,
}

/// The result of one training.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The bytes of its file.
    pub weights: Vec<u8>,
    /// Its losses on the games that are held out, by name.
    pub losses: BTreeMap<String, f64>,
    /// Seconds of training.
    pub seconds: f64,
}

/// A network that wants to take over, and the one in force.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// Number of the generation.
    pub number: u32,
    /// The weights just learned, as the bytes of a file.
    pub challenger: &'a [u8],
    /// The network that plays unless the challenger beats it.
    pub in_force: NetworkName,
    /// Its weights; `None` for a start without a network.
    pub in_force_weights: Option<&'a [u8]>,
    /// A folder for the games of the match; a trial that was broken off finds there what it left.
    pub folder: &'a Path,
}

/// Boxed error of a [`Teacher`] or of the thread that plays.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Trains networks and gates them by a match. Both may be interrupted and are then called again.
pub trait Teacher {
    /// Trains a network; `None` if the signal came first.
    ///
    /// # Errors
    /// Whatever keeps it from learning.
    fn learn(&mut self, lesson: &Lesson<'_>, stop: &StopSignal) -> Result<Option<Learned>, AnyError>;

    /// Has a network play against the one in force; `None` if the signal came first.
    ///
    /// # Errors
    /// Whatever keeps it from judging.
    fn judge(&mut self, trial: &Trial<'_>, stop: &StopSignal) -> Result<Option<GateResult>, AnyError>;
}

/// Why a learner stopped.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum LearnerError {
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The samples of a window could not be made.
    #[error("generation {number}: {source}")]
    Window { number: u32, source: WindowError },
    /// Error of the teacher or of the threads that play.
    #[error("generation {number}: {source}")]
    Step { number: u32, source: AnyError },
    /// The folder in which the learner works.
    #[error("cannot {action} {}: {source}", path.display())]
    Folder {
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        source: io::Error,
    },
}

/// Closes the loop from games to networks.
pub struct Learner<'a> {
    /// The store of the run.
    pub replay: &'a ReplayStore,
    /// Window and size of generations.
    pub settings: &'a ReplaySettings,
    /// Working folder; only this learner uses it.
    pub folder: PathBuf,
    /// Positions that the network sees, the current one included.
    pub history: usize,
}

/// Record of a window, kept until its generation ends.
#[derive(Serialize, Deserialize)]
struct Window {
    summary: WindowSummary,
    newest: GameStatistics,
}

/// Record of a network learned, kept beside its weights.
#[derive(Serialize, Deserialize)]
struct LessonReport {
    losses: BTreeMap<String, f64>,
    seconds: f64,
}

impl Learner<'_> {
    /// Generations after which a run ends, unless another number is asked for.
    pub const GENERATIONS: u32 = 100;

    /// Runs until `generations` have ended, or the signal comes. `see_to_games` is called until the games of a
    /// generation are there: it plays some, or waits for those who do. `ended` hears of each generation.
    ///
    /// # Errors
    /// [`LearnerError`]. Whatever was finished before stays, and the next run continues from there.
    pub fn run(
        &self,
        generations: u32,
        see_to_games: &mut dyn FnMut(&Standing) -> Result<(), AnyError>,
        teacher: &mut dyn Teacher,
        (stop, ended): (&StopSignal, &mut dyn FnMut(&Generation)),
    ) -> Result<(), LearnerError> {
        let mut done = self.replay.generations()?;
        while (done.len() as u32) < generations && !stop.is_stopped() {
            let standing = ReplayStore::standing(&done);
            let number = standing.generation + 1;
            let step = |source| LearnerError::Step { number, source };
            if self.replay.games(standing.generation)?.len() < self.settings.games as usize {
                see_to_games(&standing).map_err(step)?;
                continue;
            }
            let Some(generation) = self.learn(&standing, teacher, stop)? else { break };
            self.replay.end_generation(&generation)?;
            // After the end is written: until then a restart continues from what is in the folder.
            self.clear(number)?;
            ended(&generation);
            done.push(generation);
        }
        if done.len() as u32 >= generations {
            self.replay.end_run()?;
        }
        Ok(())
    }

    /// From the games of the standing's generation to the decision about the network learned; `None` if the signal came first.
    fn learn(
        &self,
        standing: &Standing,
        teacher: &mut dyn Teacher,
        stop: &StopSignal,
    ) -> Result<Option<Generation>, LearnerError> {
        let number = standing.generation + 1;
        let folder = self.folder_of(number);
        let step = |source| LearnerError::Step { number, source };
        let window = self.window(standing.generation, &folder)?;
        let Some((weights, lesson)) = self.network(number, &folder, teacher, stop)? else { return Ok(None) };
        let in_force = self.replay.weights(standing.network)?;
        let trial = Trial {
            number,
            challenger: &weights,
            in_force: standing.network,
            in_force_weights: in_force.as_deref(),
            folder: &folder.join("gate"),
        };
        let Some(gate) = teacher.judge(&trial, stop).map_err(step)? else { return Ok(None) };
        Ok(Some(Generation {
            number,
            played_by: standing.network,
            games: window.newest,
            window: window.summary,
            losses: lesson.losses,
            seconds: lesson.seconds,
            gate,
        }))
    }

    /// The samples of the newest generations. Once they are collected they stay the same, however the lesson is broken off: games
    /// that come later belong to the next window.
    fn window(&self, newest: u32, folder: &Path) -> Result<Window, LearnerError> {
        let report = folder.join("window.json");
        if let Some(window) = read(&report)? {
            return Ok(window);
        }
        let samples = folder.join("samples");
        // Without `window.json` they are unfinished: a run was killed while it wrote them.
        remove(&samples)?;
        fs::create_dir_all(folder).map_err(failed("make", folder))?;
        let request = WindowRequest {
            output: &samples,
            // The window is shorter in the first generations.
            generations: [(newest + 1).saturating_sub(self.settings.window), newest],
            history: self.history,
            validation_share: self.settings.validation_share,
        };
        let (summary, newest) = collect_window(self.replay, request)
            .map_err(|source| LearnerError::Window { number: newest + 1, source })?;
        let window = Window { summary, newest };
        write(&report, &window)?;
        Ok(window)
    }

    /// The network learned, which is trained unless it was before.
    fn network(
        &self,
        number: u32,
        folder: &Path,
        teacher: &mut dyn Teacher,
        stop: &StopSignal,
    ) -> Result<Option<(Vec<u8>, LessonReport)>, LearnerError> {
        let name = NetworkName(number);
        let report = folder.join("lesson.json");
        if let Some(lesson) = read(&report)?
            // Both are needed: weights are put before the report is written, so those without one are of a run that was
            // killed between.
            && let Some(weights) = self.replay.weights(name)?
        {
            return Ok(Some((weights, lesson)));
        }
        let lesson = Lesson {
            number,
            samples: &folder.join("samples"),
            folder: &folder.join("training"),
            // The last network learned, even where it did not take over: learning continues, only play waits for the gate.
            from: self.replay.weights(NetworkName(number - 1))?,
        };
        let learned = teacher.learn(&lesson, stop).map_err(|source| LearnerError::Step { number, source })?;
        let Some(Learned { mut weights, losses, seconds }) = learned else { return Ok(None) };
        if self.replay.put_weights(name, weights.clone())? == PutResult::Taken
            && let Some(first) = self.replay.weights(name)?
        {
            // A run was killed between weights and report. Those in the store count: learning again may give other bytes.
            weights = first;
        }
        let lesson = LessonReport { losses, seconds };
        write(&report, &lesson)?;
        Ok(Some((weights, lesson)))
    }

    /// Removes what the end of a generation makes superfluous.
    fn clear(&self, number: u32) -> Result<(), LearnerError> {
        remove(&self.folder_of(number))
    }

    fn folder_of(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:05}"))
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LearnerError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", path)(error)),
    };
    serde_json::from_str(&text).map(Some).map_err(|error| failed("read", path)(error.into()))
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), LearnerError> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| failed("write", path)(error.into()))?;
    output::write(path, text).map_err(failed("write", path))
}

fn remove(folder: &Path) -> Result<(), LearnerError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", folder)(error)),
        _ => Ok(()),
    }
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LearnerError {
    move |source| LearnerError::Folder { action, path: path.into(), source }
}
