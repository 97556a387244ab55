//! Training and judging the networks of a run, with the trainer and the match runner.

use std::{collections::BTreeMap, path::Path};

use chess::StopSignal;
use files::OutputError;
use network::Weights;
use training::{EndReason, Metrics, Recipe, Samples, StoreSamples, Trainer, TrainingOutcome, Unobserved};

use crate::{
    GateResult, GenerationTrainer, MixedSamples, Supervised,
    error::RunError,
    gate::Gate,
    learning_loop::{AnyError, GateRequest, TrainRequest, TrainedGeneration},
};

/// Trains by the recipe and judges by the gate.
pub struct RunTrainer<'a> {
    /// The training of one generation.
    pub recipe: &'a Recipe,
    /// Samples from elsewhere.
    pub supervised: Option<&'a Supervised>,
    /// The commit that the program was built from.
    pub commit: &'static str,
    /// Match of a new network against the current one.
    pub gate: Gate<'a>,
    /// Is called with messages about the progress.
    pub say: &'a dyn Fn(&str),
}

impl RunTrainer<'_> {
    fn train_by_recipe(
        &self,
        request: &TrainRequest<'_>,
        stop: &StopSignal,
    ) -> Result<Option<TrainedGeneration>, RunError> {
        let mut recipe = self.recipe.clone();
        recipe.data = request.samples.to_path_buf();
        recipe.title = format!("{}, generation {}", recipe.title, request.number);
        let samples = self.samples(&recipe)?;
        let place = format!("network {} of the run", request.number.saturating_sub(1));
        let from = request.from.as_ref().map(|bytes| Weights::from_bytes(bytes, &place)).transpose()?;
        let mut trainer =
            self.trainer(recipe, samples.as_ref(), request.folder, from.as_ref())?.built_from(self.commit);
        let outcome = trainer.run(&mut Unobserved, stop)?;
        if outcome.ending == EndReason::Interrupted {
            return Ok(None);
        }
        let TrainingOutcome { network: Some(path), validation: Some(validation), seconds, .. } = outcome
        else {
            let place = request.folder.display();
            return Err(RunError::Unexpected(format!("{place}: the training ended without a network")));
        };
        let weights = Weights::read_bytes(&path)?;
        Ok(Some(TrainedGeneration { weights, losses: losses(&validation.overall), seconds }))
    }

    fn samples(&self, recipe: &Recipe) -> Result<Box<dyn Samples>, RunError> {
        let own = StoreSamples::of_recipe(recipe)?;
        Ok(match self.supervised {
            None => Box::new(own),
            Some(Supervised { data, share }) => {
                let mut recipe = recipe.clone();
                recipe.data.clone_from(data);
                let other = StoreSamples::of_recipe(&recipe).map_err(RunError::at("[supervised] data"))?;
                Box::new(MixedSamples { own, other, share: *share })
            }
        })
    }

    /// The trainer at the point where an interrupted training left it. A training whose checkpoints cannot be used is restarted,
    /// which costs only time.
    fn trainer<'s>(
        &self,
        recipe: Recipe,
        samples: &'s dyn Samples,
        folder: &Path,
        from: Option<&Weights>,
    ) -> Result<Trainer<'s>, RunError> {
        if folder.exists() {
            match Trainer::resume(recipe.clone(), samples, folder) {
                Ok(trainer) => return Ok(trainer),
                // For example if the kill came before the first checkpoint.
                Err(error) => (self.say)(&format!("the training is restarted: {error}")),
            }
            std::fs::remove_dir_all(folder).map_err(OutputError::io("remove", folder))?;
        }
        std::fs::create_dir_all(folder).map_err(OutputError::io("make", folder))?;
        Ok(Trainer::start(recipe, samples, folder, from)?)
    }
}

impl GenerationTrainer for RunTrainer<'_> {
    fn train(
        &mut self,
        request: &TrainRequest<'_>,
        stop: &StopSignal,
    ) -> Result<Option<TrainedGeneration>, AnyError> {
        (self.say)(&format!("generation {}: learning", request.number));
        Ok(self.train_by_recipe(request, stop)?)
    }

    fn judge(
        &mut self,
        request: &GateRequest<'_>,
        stop: &StopSignal,
    ) -> Result<Option<GateResult>, AnyError> {
        (self.say)(&format!(
            "generation {}: playing against generation {}",
            request.number, request.in_force.0
        ));
        Ok(self.gate.judge(request, stop)?)
    }
}

fn losses(metrics: &Metrics) -> BTreeMap<String, f64> {
    let numbers = [
        ("loss", Some(metrics.loss)),
        ("policy", Some(metrics.policy_loss)),
        ("policy of a uniform choice", Some(metrics.baselines.policy_loss)),
        ("top-1", Some(metrics.top1)),
        ("value", metrics.value_loss),
        ("value of the mean", metrics.baselines.value_loss),
    ];
    numbers.into_iter().filter_map(|(name, number)| Some((name.to_owned(), number?))).collect()
}
