//! Starting a run: from random weights, from those of a network, or at a checkpoint.

use std::path::Path;

use dataset::{LoaderState, Split};
use network::{NetworkError, Origin, RecipeChange, Spec, Weights, container};

use super::{Trainer, request};
use crate::{
    Learner, Recipe, TrainingError,
    checkpoint::{Checkpoint, Checkpoints},
    probes::Probes,
    recipe::differences,
    samples::{HeldOut, Samples, first_batches, spread_batches},
};

/// The settings that may change when a run is resumed: all that affect neither the network nor its training data, and paths to
/// files whose hash is compared. The name of a table includes everything in it.
const CHANGEABLE: &[&str] = &[
    "title",
    "purpose",
    "data",
    "schedule",
    "stream.network",
    "training.steps",
    "training.threads",
    "training.precision",
    "training.validation_interval",
    "training.validation_positions",
    "training.statistics_positions",
    "training.patience",
    "training.checkpoint_interval",
    "training.keep",
    "training.epoch_checkpoints",
    "training.log_interval",
    "optimiser.average_decay",
];

/// Number of positions on which imported weights are given normalisations.
const NORMALISATION_POSITIONS: usize = 1024;

impl<'a> Trainer<'a> {
    /// Starts a run in an empty or new folder, from random weights or from those of a network with the recipe's
    /// specification or one that it extends ([`Weights::grown`]).
    ///
    /// # Errors
    /// The errors of [`Trainer::expect_no_run`]; [`NetworkError::Invalid`](network::NetworkError::Invalid) with the first key in which the
    /// network differs from the recipe; any error of recipe or data.
    pub fn start(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        from: Option<&Weights>,
    ) -> Result<Self, TrainingError> {
        let learner = Learner::of_recipe(&recipe)?;
        Self::start_with(recipe, samples, folder, from, learner)
    }

    /// As [`Trainer::start`], with a given network of the recipe.
    ///
    /// # Errors
    /// As [`Trainer::start`].
    pub fn start_with(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        from: Option<&Weights>,
        mut learner: Learner,
    ) -> Result<Self, TrainingError> {
        Self::expect_no_run(folder)?;
        let fitted = from.map(|weights| fitted(&recipe.network, weights)).transpose()?;
        let origin = from.map(origin_of).transpose()?;
        let state =
            Checkpoint { recipe: recipe.to_toml()?, data: samples.hash(), origin, ..Checkpoint::default() };
        container::write(&folder.join(files::run::RECIPE), state.recipe.as_bytes())?;
        if let Some(weights) = &fitted {
            let measured = request(&recipe, Split::Train, LoaderState::default());
            learner.start_from(weights, &first_batches(samples, measured, NORMALISATION_POSITIONS)?)?;
        }
        let trainer = Self::with_state(recipe, samples, folder, learner, state)?;
        // From here on there is always a checkpoint to resume from, however early the run is interrupted.
        trainer.save()?;
        Ok(trainer)
    }

    /// Refuses a folder that already contains a run, for callers that write into it before the run begins.
    ///
    /// # Errors
    /// [`TrainingError::Run`] if the folder contains the run of a network or of learners.
    pub fn expect_no_run(folder: &Path) -> Result<(), TrainingError> {
        let advice = if folder.join(files::run::LEARNERS).exists() {
            "the learners of a run: choose another --name"
        } else if folder.join(files::run::LOG).exists() || !Checkpoints::new(folder)?.all()?.is_empty() {
            "a run already: continue it with --resume or choose another --name"
        } else {
            return Ok(());
        };
        Err(TrainingError::Run(format!("{} holds {advice}", folder.display())))
    }

    /// Continues a run from its newest checkpoint: the next loss is the one that would have come without the
    /// interruption. Length, schedule and the settings of validations, checkpoints and the log may change; changes are
    /// kept in the checkpoints and the weights file.
    ///
    /// # Errors
    /// [`TrainingError::Run`] if there is no checkpoint, if it belongs to another store, or if a setting that may not
    /// change differs.
    pub fn resume(recipe: Recipe, samples: &'a dyn Samples, folder: &Path) -> Result<Self, TrainingError> {
        let learner = Learner::of_recipe(&recipe)?;
        Self::resume_with(recipe, samples, folder, learner)
    }

    /// As [`Trainer::resume`], with a given network of the recipe.
    ///
    /// # Errors
    /// As [`Trainer::resume`].
    pub fn resume_with(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        mut learner: Learner,
    ) -> Result<Self, TrainingError> {
        let mut checkpoints = Checkpoints::new(folder)?.all()?;
        let newest = checkpoints.pop().ok_or_else(|| {
            TrainingError::Run(format!(
                "{} has no checkpoint to resume from; start the run without --resume, which begins it again",
                folder.display()
            ))
        })?;
        // The state is read first: otherwise a network of another shape would be refused because of its matrices,
        // whereas comparing recipes names the key.
        let state = Checkpoint::read_state(&newest).map_err(|error| match checkpoints.last() {
            Some(before) => TrainingError::Run(format!(
                "{error}; deleting it lets the run resume from {}, the checkpoint before",
                before.display()
            )),
            None => error.into(),
        })?;
        let changes = changes(&state, &recipe, &newest)?;
        if state.data != samples.hash() {
            return Err(TrainingError::Run(format!(
                "{}: the run was trained on another store or with other labels: its data hash is {}, that of {} is {}; a network \
                 learns from another store in a new run (--from NETWORK)",
                newest.display(),
                state.data,
                recipe.data.display(),
                samples.hash()
            )));
        }
        let mut state = Checkpoint::read(&newest, &mut learner)?;
        let has_other_samples = changes.iter().any(|change| change.difference.key.ends_with("_positions"));
        let remeasure = state.best.is_some() && has_other_samples;
        let is_changed = !changes.is_empty();
        state.changes.extend(changes);
        state.recipe = recipe.to_toml()?;
        let mut trainer = Self::with_state(recipe, samples, folder, learner, state)?;
        // A best loss is only worth comparing with if this run can reach it and if it was measured on the samples of the validations to
        // come: otherwise the first lucky sample set would stay the best for ever, or weights of another schedule would be exported.
        if is_changed && trainer.has_best_ahead()? {
            trainer.state.best = None;
        } else if remeasure {
            trainer.remeasure_best(&newest)?;
        }
        container::write(&folder.join(files::run::RECIPE), trainer.state.recipe.as_bytes())?;
        Ok(trainer)
    }

    /// The settings changed since the run started, in order.
    pub fn changes(&self) -> &[RecipeChange] {
        &self.state.changes
    }

    /// True if the best weights are of a step after the newest checkpoint, which a killed run never wrote. With other settings, the
    /// run does not come to these weights again.
    fn has_best_ahead(&self) -> Result<bool, TrainingError> {
        let best = self.checkpoints.best();
        let is_kept = self.state.best.is_some() && best.exists();
        Ok(is_kept && Checkpoint::read_state(&best)?.step > self.state.step)
    }

    /// Measures the best weights again on the samples of the current validations, so that later validations are
    /// compared on the same samples.
    fn remeasure_best(&mut self, newest: &Path) -> Result<(), TrainingError> {
        Checkpoint::read(&self.checkpoints.best(), &mut self.learner)?;
        let loss = self.validate()?.overall.loss;
        self.state.best = self.state.best.map(|(_, step)| (loss, step));
        Checkpoint::read(newest, &mut self.learner)?;
        Ok(())
    }

    fn with_state(
        recipe: Recipe,
        samples: &'a dyn Samples,
        folder: &Path,
        learner: Learner,
        state: Checkpoint,
    ) -> Result<Self, TrainingError> {
        let training = &recipe.training;
        let validation = request(&recipe, Split::Validation, LoaderState::default());
        let held_out = spread_batches(samples, validation, training.validation_positions)?;
        let held_out = HeldOut::new(samples, held_out)?;
        // A sparse network has neither normalisations nor a calibration to measure.
        let measured_on = if recipe.network.learns_rows() {
            Vec::new()
        } else {
            let first = request(&recipe, Split::Train, LoaderState::default());
            first_batches(samples, first, training.statistics_positions)?
        };
        let checkpoints = Checkpoints::new(folder)?;
        let folder = folder.to_path_buf();
        let probes = Probes::new(&recipe.network)?;
        Ok(Self { recipe, samples, folder, learner, state, checkpoints, held_out, measured_on, probes })
    }
}

/// Changes of a resumed run's recipe, if they are allowed.
fn changes(state: &Checkpoint, recipe: &Recipe, place: &Path) -> Result<Vec<RecipeChange>, TrainingError> {
    // Recipes are compared after parsing: one that was stored before a setting existed has its default.
    let before = Recipe::from_toml(&state.recipe, &place.display().to_string())?;
    let mut changes = Vec::new();
    for difference in differences(&before.to_toml()?, &recipe.to_toml()?)? {
        if !is_changeable(&difference.key) {
            return Err(TrainingError::Run(format!(
                "{}: a run cannot be resumed with {difference}; take the old value, or begin a new run with the weights of this \
                 one (--from NETWORK)",
                place.display()
            )));
        }
        changes.push(RecipeChange { after_step: state.step, difference });
    }
    let steps = recipe.training.steps;
    if steps < state.step {
        return Err(TrainingError::Run(format!(
            "{}: training.steps = {steps}: expected at least {}, which the run has taken already",
            place.display(),
            state.step
        )));
    }
    Ok(changes)
}

/// True if [`CHANGEABLE`] names this key or a table that contains it.
fn is_changeable(key: &str) -> bool {
    CHANGEABLE
        .iter()
        .any(|name| key.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The origin of a run that starts from this network's weights.
fn origin_of(weights: &Weights) -> Result<Origin, NetworkError> {
    let hash = files::bytes_hash(&weights.to_bytes()?);
    Ok(Origin { name: weights.provenance.name.clone(), hash })
}

/// Initial weights of a recipe's network from a given network: equal weights for an equal specification,
/// [`Weights::grown`] if the recipe's network only has additions that do not change any output.
///
/// # Errors
/// [`NetworkError::Invalid`] with the first key that differs.
fn fitted(recipe: &Spec, weights: &Weights) -> Result<Weights, NetworkError> {
    let fitted = weights.grown(recipe)?.unwrap_or_else(|| weights.clone());
    match differences(&fitted.spec.to_toml()?, &recipe.to_toml()?)?.into_iter().next() {
        None => Ok(fitted),
        Some(difference) => Err(NetworkError::Invalid {
            place: "recipe".into(),
            field: format!("network.{}", difference.key),
            found: difference.after,
            expected: format!(
                "{}, as in the network {} that the run starts from",
                difference.before, fitted.provenance.name
            ),
        }),
    }
}
