//! A network of planes in training: every step updates every parameter.

use std::borrow::Cow;

use dataset::Batch;
use kernels::Operations;

use crate::{
    NetworkError, TrainingPrecision,
    architecture::PlaneArchitecture,
    container::{Container, Matrix},
    optimiser::{DeadUnits, OptimiserConfig, OptimiserState, PARTS, clip, gradient_squares},
    passes::{Forward, LossGradients, NormStatistics, Outputs, Parameters, PlanePasses},
    trainable::{BatchLosses, LossFunctions, Trainable},
};

/// Parameters, optimiser and passes of a network of planes.
pub(crate) struct PlaneTrainable {
    architecture: PlaneArchitecture,
    parameters: Parameters,
    optimiser: OptimiserState,
    passes: PlanePasses,
    /// The gradients of the last batch, and their sums of squares; empty after a step.
    gradients: Parameters,
    squares: Vec<f64>,
}

impl PlaneTrainable {
    /// A network before its first step.
    ///
    /// # Errors
    /// As [`PlanePasses::new`].
    pub(crate) fn new(
        architecture: &PlaneArchitecture,
        parameters: Parameters,
        config: OptimiserConfig,
    ) -> Result<Self, NetworkError> {
        Ok(Self {
            passes: PlanePasses::new(architecture, TrainingPrecision::default())?,
            optimiser: OptimiserState::new(&parameters, config)?,
            architecture: architecture.clone(),
            parameters,
            gradients: Parameters::new(),
            squares: Vec::new(),
        })
    }
}

impl Forward for PlaneTrainable {
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        self.passes.forward(parameters, statistics, batch)
    }
}

impl Trainable for PlaneTrainable {
    fn describe(&self) -> String {
        self.passes.describe()
    }

    fn operations(&self) -> Option<(Operations, f64)> {
        self.passes.operations()
    }

    fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError> {
        self.passes = PlanePasses::new(&self.architecture, precision)?;
        Ok(())
    }

    fn steps(&self) -> u64 {
        self.optimiser.steps
    }

    fn values(&self) -> Vec<Cow<'_, [f32]>> {
        self.parameters.iter().map(|values| Cow::Borrowed(&values[..])).collect()
    }

    fn averaged(&self) -> Parameters {
        self.optimiser.averaged(&self.parameters).clone()
    }

    fn start_from(&mut self, parameters: Parameters) {
        self.optimiser.start_from(&parameters);
        self.parameters = parameters;
    }

    fn gradients(
        &mut self,
        batch: &Batch,
        losses: &dyn LossFunctions,
        noise: u64,
    ) -> Result<BatchLosses, NetworkError> {
        let found = self.passes.gradients(&self.parameters, batch, losses.of_outputs(), noise)?;
        let LossGradients { policy_loss, value_loss, illegal_move_loss, gradients, times } = found;
        // The sums of squares serve three times: as a check that nothing overflowed, as the norm for clipping, and in the
        // trainer's log.
        self.squares = gradient_squares(&gradients);
        self.gradients = gradients;
        let is_bounded = (self.squares.iter().sum::<f64>().sqrt() as f32).is_finite();
        Ok(BatchLosses { policy_loss, value_loss, illegal_move_loss, is_bounded, times })
    }

    fn step(&mut self, learning_rate: f32) -> Result<Vec<f64>, NetworkError> {
        let mut gradients = std::mem::take(&mut self.gradients);
        let squares = std::mem::take(&mut self.squares);
        let norm = squares.iter().sum::<f64>().sqrt() as f32;
        clip(&mut gradients, norm, self.optimiser.config.clip_norm);
        self.optimiser.step(self.architecture.parameters(), &mut self.parameters, &gradients, learning_rate);
        self.passes.give_back(gradients);
        Ok(squares)
    }

    fn matrices(&self) -> Vec<Matrix> {
        let average = self.optimiser.averaged(&self.parameters);
        let parts = [&self.parameters, &self.optimiser.first, &self.optimiser.second, average];
        let mut matrices = Vec::new();
        for (part, parameters) in PARTS.iter().zip(parts) {
            for (shape, values) in self.architecture.parameters().iter().zip(parameters) {
                matrices.push(Matrix {
                    name: format!("{part}/{}", shape.name),
                    shape: [shape.rows, shape.columns],
                    values: values.clone(),
                });
            }
        }
        matrices
    }

    fn restore(&mut self, steps: u64, container: &mut Container, place: &str) -> Result<(), NetworkError> {
        // Nothing is replaced until all matrices were read: after an error the network is the one from before.
        let mut parts: [Parameters; 4] = Default::default();
        for (part, parameters) in PARTS.iter().zip(&mut parts) {
            for shape in self.architecture.parameters() {
                let name = format!("{part}/{}", shape.name);
                parameters.push(container.take(&name, [shape.rows, shape.columns], place)?);
            }
        }
        let [parameters, first, second, average] = parts;
        self.parameters = parameters;
        self.optimiser.first = first;
        self.optimiser.second = second;
        self.optimiser.set_average(average);
        self.optimiser.steps = steps;
        Ok(())
    }

    fn dead_units(&self) -> Vec<DeadUnits> {
        self.optimiser.dead_units(self.architecture.parameters())
    }
}
