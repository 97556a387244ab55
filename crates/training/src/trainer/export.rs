//! The results at the end of a run: the weights file and the summary.

use std::path::{Path, PathBuf};

use network::{ActivationRanges, CALIBRATION_POSITIONS, NetworkError, Provenance, Weights, container};

use super::{Checkpoint, EndReason, SummaryProvenance, Trainer, TrainingOutcome};
use crate::{TrainingError, usage::hardware, validation::Validation};

impl Trainer<'_> {
    /// Exports the best weights and writes the summary.
    pub(super) fn finish(
        &mut self,
        ending: EndReason,
        validated: Option<Validation>,
    ) -> Result<TrainingOutcome, TrainingError> {
        let validation = match (validated, self.state.best) {
            (Some(validation), Some((_, step))) if step == self.state.step => validation,
            _ => {
                // The best weights are not the last ones, or the run was already complete when it was resumed.
                Checkpoint::read(&self.checkpoints.best(), &mut self.learner)?;
                self.validate()?
            }
        };
        // From here on the learner has the step of the best weights, while the state is still that of the end of the run: the weights
        // file names the step of its weights, and the positions and seconds of the whole run.
        let exported_step = self.learner.steps();
        let path = self.folder.join(files::run::NETWORK);
        let provenance = self.provenance(&validation)?;
        let repetition = SummaryProvenance::from(&provenance);
        self.export(&path, provenance)?;
        let mut outcome = self.outcome(ending, Some(validation));
        outcome.exported_step = Some(exported_step);
        outcome.provenance = Some(repetition);
        // The summary moves with the run's folder, so it names the file without folders.
        outcome.network = path.file_name().map(PathBuf::from);
        let summary = serde_json::to_vec_pretty(&outcome).map_err(|error| NetworkError::Syntax {
            place: files::run::SUMMARY.into(),
            reason: error.to_string(),
        })?;
        container::write(&self.folder.join(files::run::SUMMARY), &summary)?;
        outcome.network = Some(path);
        Ok(outcome)
    }

    pub(super) fn outcome(&self, ending: EndReason, validation: Option<Validation>) -> TrainingOutcome {
        TrainingOutcome {
            ending,
            step: self.state.step,
            positions: self.state.positions,
            seconds: self.state.seconds,
            exported_step: None,
            network: None,
            validation,
            provenance: None,
        }
    }

    fn provenance(&self, validation: &Validation) -> Result<Provenance, TrainingError> {
        let Checkpoint { data, commit, positions, seconds, origin, changes, .. } = self.state.clone();
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Provenance {
            name: name.unwrap_or_else(|| "network".into()),
            recipe: self.recipe.portable().to_toml()?,
            data,
            commit: if commit.is_empty() { "unknown".into() } else { commit },
            hardware: hardware(rayon::current_num_threads()),
            seed: self.recipe.training.seed,
            steps: self.learner.steps(),
            positions,
            seconds,
            metrics: validation.metrics(),
            origin,
            changes,
            source: None,
        })
    }

    fn export(&mut self, path: &Path, provenance: Provenance) -> Result<(), TrainingError> {
        let statistics = self.statistics()?;
        let architecture = &self.learner.architecture;
        let mut weights =
            Weights::new(architecture, &self.learner.network.averaged(), &statistics, provenance);
        weights.calibration = self.ranges(&weights)?;
        Ok(weights.write(path)?)
    }

    /// Activation ranges measured on training samples, so that the network can run in int8; `None` for a network that
    /// the kernels do not compute as a tower.
    fn ranges(&self, weights: &Weights) -> Result<Option<ActivationRanges>, TrainingError> {
        if weights.plan().is_err() {
            return Ok(None);
        }
        let enough = (CALIBRATION_POSITIONS as usize).div_ceil(self.recipe.training.batch);
        let batches = &self.measured_on[..enough.min(self.measured_on.len())];
        Ok(Some(network::calibrate(weights, batches, self.samples.hash())?))
    }
}
