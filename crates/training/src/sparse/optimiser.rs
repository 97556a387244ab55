//! AdamW, and the average of the weights, on tables of which a step touches some rows.

use network::{
    Isa, NetworkError,
    container::{Container, Matrix},
    parameter::ParameterShape,
    passes::{AdamStep, AdamW, Gradient, Parameters, RowLayout, RowState},
};
use rayon::prelude::*;

use crate::optimiser::{OptimiserConfig, PARTS, average_decay};

/// Numbers of tables of features stay as small as the eight-bit ones of a weights file ([`network::sparse::SparseArchitecture`]).
const TABLE_LIMIT: f32 = 127.0 / 128.0;

/// Numbers that a thread moves at a time.
const CHUNK: usize = 1 << 15;

/// All parameters with their averages.
pub(super) struct RowOptimiser {
    config: OptimiserConfig,
    /// Settings of every step so far: a row may have missed all of them.
    steps: Vec<AdamStep>,
    parameters: Vec<Trained>,
}

/// A parameter, row by row.
struct Trained {
    columns: usize,
    adam: AdamW,
    /// Numbers, averages of gradient, of squared gradient, and of the numbers.
    parts: [Vec<f32>; 4],
    /// Steps that each row has taken.
    taken: Vec<u32>,
}

impl RowOptimiser {
    pub(super) fn new(
        shapes: &[ParameterShape],
        layout: &RowLayout,
        parameters: &Parameters,
        config: OptimiserConfig,
    ) -> Self {
        let trained = |(number, (shape, values)): (usize, (&ParameterShape, &Vec<f32>))| {
            let first_layer = layout.bodies.iter().any(|body| body.table == number);
            let adam = AdamW {
                beta1: config.beta1,
                beta2: config.beta2,
                epsilon: config.epsilon,
                weight_decay: if shape.is_weight() { config.weight_decay } else { 0.0 },
                limit: if first_layer { TABLE_LIMIT } else { f32::INFINITY },
            };
            Trained { columns: shape.columns, adam, parts: begun(values), taken: vec![0; shape.rows] }
        };
        let parameters = shapes.iter().zip(parameters).enumerate().map(trained).collect();
        Self { config, steps: Vec::new(), parameters }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.len() as u64
    }

    /// The numbers as stored; rows of tables lack the steps that they missed.
    pub(super) fn values(&self) -> Vec<&[f32]> {
        self.parameters.iter().map(|parameter| &parameter.parts[0][..]).collect()
    }

    /// Takes the steps that the rows missed which a batch reads.
    pub(super) fn catch_up(&mut self, isa: Isa, gradients: &[Gradient]) {
        let steps = &self.steps[..];
        for (parameter, gradient) in self.parameters.iter_mut().zip(gradients) {
            let Gradient::Rows(gradient) = gradient else { continue };
            let (adam, touched) = (parameter.adam, gradient.touched());
            parameter.for_each_row(|row, state, taken| {
                if touched[row] {
                    adam.catch_up(isa, &steps[*taken as usize..], state);
                    *taken = steps.len() as u32;
                }
            });
        }
    }

    /// Moves against gradients, of which a batch has touched the rows that [`RowOptimiser::catch_up`] was given.
    pub(super) fn step(&mut self, isa: Isa, gradients: &[Gradient], learning_rate: f32, norm: f32) {
        let limit = self.config.clip_norm;
        let scale = if limit > 0.0 && norm > limit { limit / norm } else { 1.0 };
        let steps = self.steps() + 1;
        let correction = |beta: f32| (1.0 - f64::from(beta).powf(steps as f64)) as f32;
        let step = AdamStep {
            rate: learning_rate,
            first_correction: correction(self.config.beta1),
            second_correction: correction(self.config.beta2),
            average_decay: average_decay(self.config.average_decay, steps),
        };
        self.steps.push(step);
        for (parameter, gradient) in self.parameters.iter_mut().zip(gradients) {
            let (adam, columns) = (parameter.adam, parameter.columns);
            parameter.for_each_row(|row, state, taken| match gradient {
                Gradient::Whole(gradient) => {
                    let gradient = &gradient[row * columns..][..columns];
                    adam.step(isa, &[], (step, gradient, scale), state);
                    *taken = steps as u32;
                }
                Gradient::Rows(gradient) if gradient.touched()[row] => {
                    adam.step(isa, &[], (step, gradient.row(row), scale), state);
                    *taken = steps as u32;
                }
                Gradient::Rows(_) => {}
            });
        }
    }

    /// The averaged numbers, with all that rows missed; nothing changes.
    pub(super) fn average(&self, isa: Isa) -> Parameters {
        let average = |parameter: &Trained| {
            let Trained { columns, adam, parts: [values, first, second, average], taken } = parameter;
            let mut found = average.clone();
            found.par_chunks_mut(*columns).zip(taken).enumerate().for_each(|(row, (average, taken))| {
                let missed = &self.steps[*taken as usize..];
                if !missed.is_empty() {
                    let part = |part: &[f32]| part[row * columns..][..*columns].to_vec();
                    let (mut values, mut first, mut second) = (part(values), part(first), part(second));
                    let state =
                        RowState { values: &mut values, first: &mut first, second: &mut second, average };
                    adam.catch_up(isa, missed, state);
                }
            });
            found
        };
        self.parameters.iter().map(average).collect()
    }

    pub(super) fn start_from(&mut self, parameters: &Parameters) {
        self.steps.clear();
        for (parameter, values) in self.parameters.iter_mut().zip(parameters) {
            parameter.parts = begun(values);
            parameter.taken.fill(0);
        }
    }

    /// Parameters, averages, steps taken by each row, and the settings of those steps: enough to continue exactly.
    pub(super) fn matrices(&self, shapes: &[ParameterShape]) -> Vec<Matrix> {
        let mut matrices = Vec::new();
        for (shape, parameter) in shapes.iter().zip(&self.parameters) {
            for (part, values) in PARTS.iter().zip(&parameter.parts) {
                matrices.push(Matrix {
                    name: format!("{part}/{}", shape.name),
                    shape: [shape.rows, shape.columns],
                    values: values.clone(),
                });
            }
            // Exact as floats: a run has fewer than 2^24 steps.
            let values = parameter.taken.iter().map(|taken| *taken as f32).collect();
            matrices.push(Matrix { name: format!("taken/{}", shape.name), shape: [shape.rows, 1], values });
        }
        let steps = self
            .steps
            .iter()
            .flat_map(|step| [step.rate, step.first_correction, step.second_correction, step.average_decay]);
        let values = steps.collect();
        matrices.push(Matrix { name: "moments".into(), shape: [self.steps.len(), 4], values });
        matrices
    }

    pub(super) fn restore(
        &mut self,
        shapes: &[ParameterShape],
        steps: u64,
        container: &mut Container,
        place: &str,
    ) -> Result<(), NetworkError> {
        let settings = container.take("moments", [steps as usize, 4], place)?;
        for (shape, parameter) in shapes.iter().zip(&mut self.parameters) {
            for (part, values) in PARTS.iter().zip(&mut parameter.parts) {
                *values =
                    container.take(&format!("{part}/{}", shape.name), [shape.rows, shape.columns], place)?;
            }
            let name = format!("taken/{}", shape.name);
            let taken = container.take(&name, [shape.rows, 1], place)?;
            if let Some(found) = taken.iter().find(|taken| !(0.0..=steps as f32).contains(*taken)) {
                return Err(NetworkError::Format {
                    place: place.into(),
                    what: format!("matrix `{name}`"),
                    found: found.to_string(),
                    expected: format!("0 to {steps}, the steps of the run"),
                });
            }
            parameter.taken = taken.into_iter().map(|taken| taken as u32).collect();
        }
        let step = |numbers: &[f32]| AdamStep {
            rate: numbers[0],
            first_correction: numbers[1],
            second_correction: numbers[2],
            average_decay: numbers[3],
        };
        self.steps = settings.chunks_exact(4).map(step).collect();
        Ok(())
    }
}

impl Trained {
    /// Calls `each` with the number, the state and the taken steps of every row, on all threads.
    fn for_each_row(&mut self, each: impl Fn(usize, RowState<'_>, &mut u32) + Sync) {
        let Self { columns, parts: [values, first, second, average], taken, .. } = self;
        let rows = (CHUNK / *columns).max(1);
        let size = rows * *columns;
        let averages =
            first.par_chunks_mut(size).zip(second.par_chunks_mut(size)).zip(average.par_chunks_mut(size));
        let chunks = values.par_chunks_mut(size).zip(averages).zip(taken.par_chunks_mut(rows));
        chunks.enumerate().for_each(|(chunk, ((values, ((first, second), average)), taken))| {
            let averages = first.chunks_exact_mut(*columns).zip(second.chunks_exact_mut(*columns));
            let averages = averages.zip(average.chunks_exact_mut(*columns));
            let states = values.chunks_exact_mut(*columns).zip(averages).zip(taken);
            for (row, ((values, ((first, second), average)), taken)) in states.enumerate() {
                each(chunk * rows + row, RowState { values, first, second, average }, taken);
            }
        });
    }
}

/// Numbers, averages of gradient and of squared gradient, and averages of the numbers, before the first step.
fn begun(values: &[f32]) -> [Vec<f32>; 4] {
    let zeros = vec![0.0; values.len()];
    [values.to_vec(), zeros.clone(), zeros, values.to_vec()]
}

/// The sum of squares of each gradient.
pub(super) fn gradient_squares(gradients: &[Gradient]) -> Vec<f64> {
    let squares = |values: &[f32]| f64::from(values.iter().map(|value| value * value).sum::<f32>());
    let of = |gradient: &Gradient| -> f64 {
        match gradient {
            Gradient::Whole(values) => values.iter().map(|value| f64::from(value * value)).sum(),
            Gradient::Rows(rows) => {
                let touched: Vec<usize> =
                    (0..rows.touched().len()).filter(|row| rows.touched()[*row]).collect();
                let squares: Vec<f64> = touched.par_iter().map(|row| squares(rows.row(*row))).collect();
                squares.iter().sum()
            }
        }
    };
    gradients.iter().map(of).collect()
}
