//! Every kind of network obeys the laws of [`Trainable`], and the laws find broken implementations.

use std::borrow::Cow;

use super::{laws, *};
use crate::{
    OptimiserConfig, OptimiserKind, Spec,
    architecture::Architecture,
    passes::{NormStatistics, Outputs},
    synthetic::{batch, positions, tiny_sparse_spec, tiny_spec},
};

fn made(spec: &Spec, optimiser: OptimiserConfig) -> Box<dyn Trainable> {
    let architecture = Architecture::new(spec).unwrap();
    architecture.trainable(architecture.initial_parameters(3).unwrap(), optimiser).unwrap()
}

fn batches(spec: &Spec) -> Vec<Batch> {
    (1..4).map(|seed| batch(spec, &positions(12, seed), seed)).collect()
}

fn obeys(spec: &Spec, optimiser: OptimiserConfig) {
    laws::check(&|| made(spec, optimiser), &batches(spec));
}

#[test]
fn towers_obey_the_laws_with_every_optimiser() {
    for kind in [OptimiserKind::AdamW, OptimiserKind::Adam, OptimiserKind::Sgd, OptimiserKind::Muon] {
        obeys(&tiny_spec(), OptimiserConfig { kind, ..OptimiserConfig::default() });
    }
}

#[test]
fn lists_of_layers_obey_the_laws() {
    let text = r#"
        policy = { kind = "layers", layers = [] }
        value = { kind = "scalar", layers = [{ kind = "dense", units = 4 }, { kind = "activation" }] }
        body = [
            { kind = "convolution", channels = 6, size = 5 }, { kind = "group-norm", groups = 2 }, { kind = "activation" },
            { kind = "dropout", rate = 0.2 }, { kind = "pool", method = "average" },
        ]
    "#;
    obeys(
        &Spec::from_toml(text).unwrap(),
        OptimiserConfig { average_decay: 0.0, ..OptimiserConfig::default() },
    );
}

#[test]
fn sparse_networks_obey_the_laws() {
    obeys(&tiny_sparse_spec(), OptimiserConfig::default());
    obeys(&tiny_sparse_spec(), OptimiserConfig { clip_norm: 0.1, ..OptimiserConfig::default() });
}

/// A network that loses a part of its state when it is restored.
struct Forgetful(Box<dyn Trainable>);

impl Forward for Forgetful {
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        self.0.forward(parameters, statistics, batch)
    }
}

impl Trainable for Forgetful {
    fn describe(&self) -> String {
        self.0.describe()
    }

    fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError> {
        self.0.set_precision(precision)
    }

    fn steps(&self) -> u64 {
        self.0.steps()
    }

    fn values(&self) -> Vec<Cow<'_, [f32]>> {
        self.0.values()
    }

    fn averaged(&self) -> Parameters {
        self.0.averaged()
    }

    fn start_from(&mut self, parameters: Parameters) {
        self.0.start_from(parameters);
    }

    fn gradients(
        &mut self,
        batch: &Batch,
        losses: &dyn LossFunctions,
        noise: u64,
    ) -> Result<BatchLosses, NetworkError> {
        self.0.gradients(batch, losses, noise)
    }

    fn step(&mut self, learning_rate: f32) -> Result<Vec<f64>, NetworkError> {
        self.0.step(learning_rate)
    }

    fn matrices(&self) -> Vec<Matrix> {
        self.0.matrices()
    }

    fn restore(&mut self, steps: u64, container: &mut Container, place: &str) -> Result<(), NetworkError> {
        for matrix in container.matrices.iter_mut().filter(|matrix| matrix.name.starts_with("second/")) {
            matrix.values.fill(0.0);
        }
        self.0.restore(steps, container, place)
    }
}

#[test]
#[should_panic(expected = "the parameters of a resumed run")]
fn a_network_that_resumes_with_other_averages_breaks_a_law() {
    let spec = tiny_spec();
    let make = || -> Box<dyn Trainable> { Box::new(Forgetful(made(&spec, OptimiserConfig::default()))) };
    laws::check(&make, &batches(&spec));
}
