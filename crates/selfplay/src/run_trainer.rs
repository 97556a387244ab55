//! The teacher of a run: the trainer and the match runner.

use std::{collections::BTreeMap, path::Path};

use chess::StopSignal;
use network::{Device, Weights};
use output::OutputError;
use training::{EndReason, Metrics, NoObserver, Outcome, Recipe, Samples, StoreSamples, Trainer};

use crate::{
    GateResult, MixedSamples, Supervised, Teacher,
    error::RunError,
    gate::Gate,
    learner::{AnyError, Learned, Lesson, Trial},
};

/// Trains by the recipe and judges by the gate.
pub struct RunTeacher<'a> {
    /// The training of one generation.
    pub recipe: &'a Recipe,
    /// Samples from elsewhere.
    pub supervised: Option<&'a Supervised>,
    /// Device that training runs on.
    pub device: Device,
    /// The commit that the program was built from.
    pub commit: &'static str,
    /// Match of a new network against the one in force.
    pub gate: Gate<'a>,
    /// Hears what is going on, in words.
    pub say: &'a dyn Fn(&str),
}

impl RunTeacher<'_> {
    fn train(&self, lesson: &Lesson<'_>, stop: &StopSignal) -> Result<Option<Learned>, RunError> {
        let mut recipe = self.recipe.clone();
        recipe.data = lesson.samples.to_path_buf();
        recipe.title = format!("{}, generation {}", recipe.title, lesson.number);
        let samples = self.samples(&recipe)?;
        let place = format!("network {} of the run", lesson.number.saturating_sub(1));
        let from = lesson.from.as_ref().map(|bytes| Weights::from_bytes(bytes, &place)).transpose()?;
        let mut trainer =
            self.trainer(recipe, samples.as_ref(), lesson.folder, from.as_ref())?.built_from(self.commit);
        let outcome = trainer.run(&mut NoObserver, stop)?;
        if outcome.ending == EndReason::Interrupted {
            return Ok(None);
        }
        let Outcome { network: Some(path), validation: Some(validation), seconds, .. } = outcome else {
            let place = lesson.folder.display();
            return Err(RunError::Unexpected(format!("{place}: the training ended without a network")));
        };
        let weights = std::fs::read(&path).map_err(OutputError::io("read", &path))?;
        Ok(Some(Learned { weights, losses: losses(&validation.overall), seconds }))
    }

    fn samples(&self, recipe: &Recipe) -> Result<Box<dyn Samples>, RunError> {
        let open = |path: &Path| -> Result<StoreSamples, RunError> {
            Ok(StoreSamples::open(path, &recipe.network)?
                .with_policy_temperature(recipe.losses.policy_temperature)
                .with_weights(recipe.losses.sample_weights()))
        };
        let own = open(&recipe.data)?;
        Ok(match self.supervised {
            None => Box::new(own),
            Some(Supervised { data, share }) => {
                let other = open(data).map_err(RunError::at("[supervised] data"))?;
                Box::new(MixedSamples { own, other, share: *share })
            }
        })
    }

    /// The trainer where a broken-off lesson left it. A lesson whose checkpoints cannot be used is restarted, which costs time and
    /// nothing else.
    fn trainer<'s>(
        &self,
        recipe: Recipe,
        samples: &'s dyn Samples,
        folder: &Path,
        from: Option<&Weights>,
    ) -> Result<Trainer<'s>, RunError> {
        if folder.exists() {
            match Trainer::resume(recipe.clone(), samples, folder, &self.device) {
                Ok(trainer) => return Ok(trainer),
                // As where the kill came before the first checkpoint.
                Err(error) => (self.say)(&format!("the lesson is restarted: {error}")),
            }
            std::fs::remove_dir_all(folder).map_err(OutputError::io("remove", folder))?;
        }
        std::fs::create_dir_all(folder).map_err(OutputError::io("make", folder))?;
        Ok(Trainer::start(recipe, samples, folder, &self.device, from)?)
    }
}

impl Teacher for RunTeacher<'_> {
    fn learn(&mut self, lesson: &Lesson<'_>, stop: &StopSignal) -> Result<Option<Learned>, AnyError> {
        (self.say)(&format!("generation {}: learning", lesson.number));
        Ok(self.train(lesson, stop)?)
    }

    fn judge(&mut self, trial: &Trial<'_>, stop: &StopSignal) -> Result<Option<GateResult>, AnyError> {
        (self.say)(&format!("generation {}: playing against generation {}", trial.number, trial.in_force.0));
        Ok(self.gate.judge(trial, stop)?)
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
