//! AdamW and the moving average of the weights for tables of which a step touches only some rows.
//!
//! The invariant: a row holds the numbers that it had after `taken` steps of the run. It is behind until something reads it, and
//! whatever reads it brings it up to date first: a batch by [`RowOptimiser::catch_up`], the export by [`RowOptimiser::average`].
//! A row then takes the steps that it missed with the rates that held at those steps, which is why all of them are kept (16 bytes
//! each). A reader that forgets this sees a row that decayed too little and did not follow its momentum; no number looks wrong.

use rayon::prelude::*;

use crate::{
    Isa, NetworkError,
    container::{Container, Matrix},
    optimiser::{OptimiserConfig, PARTS},
    parameter::ParameterShape,
    passes::{
        AdamStep, AdamW, Floats, Gradient, GradientStep, Parameters, Readers, RowState, SparseLayout,
        squares, use_large_pages,
    },
};
/// Limit on the weights of feature tables, so that they fit the eight bits of a weights file
/// ([`SparseArchitecture`](crate::architecture::SparseArchitecture)).
const TABLE_LIMIT: f32 = 127.0 / 128.0;

/// Number of values that a thread updates at a time: few enough for their gradients to stay in a core's cache, and enough rows
/// to be read by the same samples.
const CHUNK: usize = 1 << 15;

/// All parameters, with their averages.
pub(super) struct RowOptimiser {
    config: OptimiserConfig,
    /// The settings of every step so far, because a row may have missed all of them.
    steps: Vec<AdamStep>,
    parameters: Vec<Trained>,
}

/// A parameter in row-major order.
struct Trained {
    columns: usize,
    adam: AdamW,
    /// Values, averages of the gradient, of the squared gradient, and of the values.
    parts: [Floats; 4],
    /// Number of steps that each row has taken.
    taken: Vec<u32>,
}

impl RowOptimiser {
    pub(super) fn new(
        shapes: &[ParameterShape],
        layout: &SparseLayout,
        parameters: &Parameters,
        config: OptimiserConfig,
    ) -> Self {
        let trained = |(number, (shape, values)): (usize, (&ParameterShape, &Vec<f32>))| {
            let first_layer = layout.bodies.iter().any(|body| body.table == number);
            let adam = config.adam(shape, if first_layer { TABLE_LIMIT } else { f32::INFINITY });
            Trained { columns: shape.columns, adam, parts: begun(values), taken: vec![0; shape.rows] }
        };
        let parameters = shapes.iter().zip(parameters).enumerate().map(trained).collect();
        Self { config, steps: Vec::new(), parameters }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.len() as u64
    }

    /// The values as stored; rows of tables lack the steps that they missed.
    pub(super) fn values(&self) -> Vec<&[f32]> {
        self.parameters.iter().map(|parameter| &parameter.parts[0][..]).collect()
    }

    /// Applies the missed steps of the rows that a batch reads.
    pub(super) fn catch_up(&mut self, isa: Isa, readers: &[Option<&Readers>]) {
        let steps = &self.steps[..];
        for (parameter, readers) in self.parameters.iter_mut().zip(readers) {
            let Some(readers) = readers else { continue };
            let adam = parameter.adam;
            let columns = parameter.columns;
            parameter.chunks().for_each(|chunk| {
                for (row, state, taken) in chunk.rows(columns) {
                    if readers.is_read(row) {
                        adam.catch_up(isa, &steps[*taken as usize..], state);
                        *taken = steps.len() as u32;
                    }
                }
            });
        }
    }

    /// Updates the parameters with the gradients of a batch, whose rows must have been given to [`RowOptimiser::catch_up`];
    /// returns the sum of squares of each gradient.
    pub(super) fn step(&mut self, isa: Isa, gradients: &[Gradient<'_>], learning_rate: f32) -> Vec<f64> {
        let limit = self.config.clip_norm;
        let mut scale = 1.0;
        if limit > 0.0 {
            // Row gradients are computed twice, first for their norm: storing them would take longer.
            let squares = self.parameters.iter_mut().zip(gradients);
            let squares = squares.map(|(parameter, gradient)| parameter.squares(isa, gradient));
            let norm = squares.sum::<f64>().sqrt() as f32;
            scale = if norm > limit { limit / norm } else { 1.0 };
        }
        let steps = self.steps() + 1;
        let step = self.config.step(steps, learning_rate);
        self.steps.push(step);
        let moved = self.parameters.iter_mut().zip(gradients);
        moved
            .map(|(parameter, gradient)| {
                let adam = parameter.adam;
                parameter.for_each_gradient(isa, gradient, |gradient, state, taken| {
                    adam.step(isa, &[], GradientStep { settings: step, gradient, scale }, state);
                    *taken = steps as u32;
                })
            })
            .collect()
    }

    /// The averaged values, including the missed steps of rows; the stored state does not change.
    pub(super) fn average(&self, isa: Isa) -> Parameters {
        self.parameters.iter().map(|parameter| self.averaged(isa, parameter)).collect()
    }

    /// The averaged values of one parameter.
    fn averaged(&self, isa: Isa, parameter: &Trained) -> Vec<f32> {
        let Trained { columns, adam, parts: [values, first, second, average], taken } = parameter;
        let mut found = average.to_vec();
        found.par_chunks_mut(*columns).zip(taken).enumerate().for_each(|(row, (average, taken))| {
            let missed = &self.steps[*taken as usize..];
            if !missed.is_empty() {
                let part = |part: &[f32]| part[row * columns..][..*columns].to_vec();
                let (mut values, mut first, mut second) = (part(values), part(first), part(second));
                let state = RowState { values: &mut values, first: &mut first, second: &mut second, average };
                adam.catch_up(isa, missed, state);
            }
        });
        found
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
                    values: values.to_vec(),
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

    /// Restores the state that [`RowOptimiser::matrices`] returned after `steps` steps.
    ///
    /// # Errors
    /// [`NetworkError::Format`] with the matrix that is missing or differs.
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
                let name = format!("{part}/{}", shape.name);
                *values = container.take(&name, [shape.rows, shape.columns], place)?.as_slice().into();
                use_large_pages(values);
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
    fn squares(&mut self, isa: Isa, gradient: &Gradient<'_>) -> f64 {
        self.for_each_gradient(isa, gradient, |_, _, _| ())
    }

    /// Calls `each` with the gradient, the state and the number of taken steps of every row that has a gradient, on all
    /// threads; returns the gradient's sum of squares.
    fn for_each_gradient(
        &mut self,
        isa: Isa,
        gradient: &Gradient<'_>,
        each: impl Fn(&[f32], RowState<'_>, &mut u32) + Sync,
    ) -> f64 {
        let columns = self.columns;
        let chunks = self.chunks().map_init(Vec::new, |memory, chunk| {
            let gradients = match gradient {
                Gradient::Whole(gradient) => {
                    &gradient[chunk.first * columns..][..chunk.taken.len() * columns]
                }
                Gradient::Rows(gradient) => {
                    memory.resize(chunk.taken.len() * columns, 0.0);
                    gradient.write(chunk.first..chunk.first + chunk.taken.len(), memory);
                    &memory[..]
                }
            };
            let mut sum = 0.0;
            for ((row, state, taken), of_row) in chunk.rows(columns).zip(gradients.chunks_exact(columns)) {
                if matches!(gradient, Gradient::Rows(gradient) if !gradient.is_read(row)) {
                    continue;
                }
                sum += f64::from(squares(isa, of_row));
                each(of_row, state, taken);
            }
            sum
        });
        // Summed in chunk order, so that the sum does not depend on the threads.
        chunks.collect::<Vec<f64>>().into_iter().sum()
    }

    /// The rows, in chunks.
    fn chunks(&mut self) -> impl IndexedParallelIterator<Item = Chunk<'_>> {
        let Self { columns, parts: [values, first, second, average], taken, .. } = self;
        let rows = (CHUNK / *columns).max(1);
        let size = rows * *columns;
        let averages = first.par_chunks_mut(size).zip(second.par_chunks_mut(size));
        let parts = values.par_chunks_mut(size).zip(averages).zip(average.par_chunks_mut(size));
        let chunks = parts.zip(taken.par_chunks_mut(rows)).enumerate();
        chunks.map(move |(chunk, (((values, (first, second)), average), taken))| Chunk {
            first: chunk * rows,
            parts: [values, first, second, average],
            taken,
        })
    }
}

/// Some rows of a parameter.
struct Chunk<'a> {
    /// Index of the first row.
    first: usize,
    /// The four parts listed at [`Trained`].
    parts: [&'a mut [f32]; 4],
    taken: &'a mut [u32],
}

impl<'a> Chunk<'a> {
    /// The index, the state and the number of taken steps of every row.
    fn rows(self, columns: usize) -> impl Iterator<Item = (usize, RowState<'a>, &'a mut u32)> {
        let Self { first: start, parts, taken } = self;
        let [values, first, second, average] = parts.map(|part| part.chunks_exact_mut(columns));
        let rows = values.zip(first.zip(second)).zip(average).zip(taken).enumerate();
        rows.map(move |(row, (((values, (first, second)), average), taken))| {
            (start + row, RowState { values, first, second, average }, taken)
        })
    }
}

/// Values, averages of gradient and squared gradient, and averages of the values, before the first step.
fn begun(values: &[f32]) -> [Floats; 4] {
    let zeros = || Floats::zeros(values.len());
    let mut parts = [values.into(), zeros(), zeros(), values.into()];
    for part in &mut parts {
        use_large_pages(part);
    }
    parts
}
