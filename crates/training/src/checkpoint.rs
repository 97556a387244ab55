//! Checkpoints: everything that determines the next step, in one file.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use dataset::LoaderState;
use network::{
    NetworkError, Origin, RecipeChange,
    container::{self, Container},
};
use serde::{Deserialize, Serialize};

use crate::Learner;

/// Value of `format` in the header of a checkpoint.
const FORMAT: &str = "tabiya-checkpoint";

/// State of a run besides parameters, optimiser averages and averaged weights. After the initial weights, only the
/// loader draws random numbers, and its order is determined by its seed and position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Number of optimiser steps taken so far.
    pub step: u64,
    /// Position of the loader at the next batch.
    pub position: LoaderState,
    /// Number of samples seen, including repetitions.
    pub positions: u64,
    /// Seconds spent in training.
    pub seconds: f64,
    /// The best validation loss so far, and its step.
    pub best: Option<(f64, u64)>,
    /// Number of validations since the best one.
    pub stale: u64,
    /// The resolved recipe. A resumed run must have the same values for all settings that affect the weights.
    pub recipe: String,
    /// Hash of the sample store; a resumed run must use the same store.
    pub data: String,
    /// Commit of the program; if several commits ran parts of the run, all of them in order.
    #[serde(default)]
    pub commit: String,
    /// The network the run started from; `None` for random weights.
    #[serde(default)]
    pub origin: Option<Origin>,
    /// Changes made to the recipe while the run was interrupted.
    #[serde(default)]
    pub changes: Vec<RecipeChange>,
}

impl Checkpoint {
    pub(crate) fn write(&self, learner: &Learner, path: &Path) -> Result<(), NetworkError> {
        let state = serde_json::to_string(self).map_err(|error| NetworkError::Syntax {
            place: "checkpoint".into(),
            reason: error.to_string(),
        })?;
        let header = HashMap::from([("state".into(), state)]);
        let container = Container { header, matrices: learner.network.matrices() };
        container::write(path, &container.to_bytes(FORMAT)?)
    }

    /// Reads the state of a checkpoint without its matrices.
    pub(crate) fn read_state(path: &Path) -> Result<Self, NetworkError> {
        let place = path.display().to_string();
        Self::from_header(&container_of(path, &place)?, &place)
    }

    fn from_header(container: &Container, place: &str) -> Result<Self, NetworkError> {
        serde_json::from_str(container.text("state", place)?).map_err(|error| NetworkError::Syntax {
            place: format!("{place}: header key `state`"),
            reason: error.to_string(),
        })
    }

    /// Reads a checkpoint into a learner of the same architecture.
    pub(crate) fn read(path: &Path, learner: &mut Learner) -> Result<Self, NetworkError> {
        let place = path.display().to_string();
        let mut container = container_of(path, &place)?;
        // The steps come from the state: the optimiser's bias corrections and the noise of layers depend on them.
        let state = Self::from_header(&container, &place)?;
        learner.network.restore(state.step, &mut container, &place)?;
        Ok(state)
    }
}

fn container_of(path: &Path, place: &str) -> Result<Container, NetworkError> {
    let bytes = container::read(path, "a checkpoint of tabiya train", container::is_container)?;
    Container::from_bytes(&bytes, place, FORMAT)
}

/// The folder of a run's checkpoints.
pub(crate) struct Checkpoints {
    folder: PathBuf,
}

impl Checkpoints {
    pub(crate) fn new(run: &Path) -> Result<Self, NetworkError> {
        let folder = run.join(files::run::CHECKPOINTS);
        std::fs::create_dir_all(&folder).map_err(NetworkError::file(&folder, "create the folder"))?;
        Ok(Self { folder })
    }

    pub(crate) fn path(&self, step: u64) -> PathBuf {
        self.folder.join(format!("step-{step:08}.safetensors"))
    }

    pub(crate) fn best(&self) -> PathBuf {
        self.folder.join("best.safetensors")
    }

    /// Path of the checkpoint kept at the end of an epoch; epochs count from 1.
    pub(crate) fn epoch(&self, epoch: u64) -> PathBuf {
        self.folder.join(format!("epoch-{epoch:04}.safetensors"))
    }

    /// The checkpoints in order of step, oldest first.
    pub(crate) fn all(&self) -> Result<Vec<PathBuf>, NetworkError> {
        let entries = std::fs::read_dir(&self.folder).map_err(NetworkError::file(&self.folder, "list"))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(NetworkError::file(&self.folder, "list"))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with("step-") && name.ends_with(".safetensors") {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Removes all checkpoints except the newest `keep`.
    pub(crate) fn prune(&self, keep: usize) -> Result<(), NetworkError> {
        let all = self.all()?;
        for path in all.iter().rev().skip(keep) {
            std::fs::remove_file(path).map_err(NetworkError::file(path, "remove the old checkpoint"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a run that resumes after its last step writes another network.
    #[test]
    fn all_seconds_are_read_back_as_they_were_written() {
        for count in 1..10_000 {
            let state = Checkpoint { seconds: f64::from(count) / 7919.0, ..Checkpoint::default() };
            let text = serde_json::to_string(&state).unwrap();
            assert_eq!(serde_json::from_str::<Checkpoint>(&text).unwrap(), state);
        }
    }
}
