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
    error::mismatch,
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
        let mut trained = Vec::with_capacity(shapes.len());
        for (number, (shape, values)) in shapes.iter().zip(parameters).enumerate() {
            let is_table = layout.bodies.iter().any(|body| body.table == number);
            let adam = config.adam(shape, if is_table { TABLE_LIMIT } else { f32::INFINITY });
            let (columns, taken) = (shape.columns, vec![0; shape.rows]);
            trained.push(Trained { columns, adam, parts: begun(values), taken });
        }
        Self { config, steps: Vec::new(), parameters: trained }
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
                for Row { number, state, taken } in chunk.rows(columns) {
                    if readers.is_read(number) {
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
            let mut sum = 0.0_f64;
            for (parameter, gradient) in self.parameters.iter_mut().zip(gradients) {
                sum += parameter.for_each_gradient(isa, gradient, |_, _, _| ());
            }
            let norm = sum.sqrt() as f32;
            scale = if norm > limit { limit / norm } else { 1.0 };
        }
        let steps = self.steps() + 1;
        let step = self.config.step(steps, learning_rate);
        self.steps.push(step);
        let mut squares = Vec::with_capacity(gradients.len());
        for (parameter, gradient) in self.parameters.iter_mut().zip(gradients) {
            let adam = parameter.adam;
            squares.push(parameter.for_each_gradient(isa, gradient, |gradient, state, taken| {
                // The row was brought up to date before the batch read it, so it has missed no step.
                adam.step(isa, &[], GradientStep { settings: step, gradient, scale }, state);
                *taken = steps as u32;
            }));
        }
        squares
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
                // Copies, because the averages are exported in the middle of a run, which must not change by it.
                let [mut values, mut first, mut second] =
                    [values, first, second].map(|part| part[row * columns..][..*columns].to_vec());
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
        let mut values = Vec::with_capacity(4 * self.steps.len());
        for AdamStep { rate, first_correction, second_correction, average_decay } in &self.steps {
            values.extend([rate, first_correction, second_correction, average_decay]);
        }
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
                let expected = format!("0 to {steps}, the steps of the run");
                return Err(mismatch(place, format!("matrix `{name}`"), found.to_string(), expected));
            }
            parameter.taken = taken.into_iter().map(|taken| taken as u32).collect();
        }
        self.steps.clear();
        for &[rate, first_correction, second_correction, average_decay] in settings.as_chunks::<4>().0 {
            self.steps.push(AdamStep { rate, first_correction, second_correction, average_decay });
        }
        Ok(())
    }
}

impl Trained {
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
            for (row, of_row) in chunk.rows(columns).zip(gradients.chunks_exact(columns)) {
                if matches!(gradient, Gradient::Rows(gradient) if !gradient.is_read(row.number)) {
                    continue;
                }
                sum += f64::from(squares(isa, of_row));
                each(of_row, row.state, row.taken);
            }
            sum
        });
        // Summed in chunk order, so that the sum does not depend on the threads.
        chunks.collect::<Vec<f64>>().into_iter().sum()
    }

    /// The rows, in chunks.
    fn chunks(&mut self) -> impl IndexedParallelIterator<Item = Chunk<'_>> {
        let rows = (CHUNK / self.columns).max(1);
        let size = rows * self.columns;
        let mut parts = self.parts.each_mut().map(|part| part.chunks_mut(size));
        let mut chunks = Vec::with_capacity(self.taken.len().div_ceil(rows));
        for taken in self.taken.chunks_mut(rows) {
            let parts = parts.each_mut().map(Iterator::next);
            let [Some(values), Some(first), Some(second), Some(average)] = parts else { break };
            let state = RowState { values, first, second, average };
            chunks.push(Chunk { first: chunks.len() * rows, state, taken });
        }
        chunks.into_par_iter()
    }
}

/// Some rows of a parameter.
struct Chunk<'a> {
    /// Index of the first row.
    first: usize,
    state: RowState<'a>,
    taken: &'a mut [u32],
}

/// One row of a parameter.
struct Row<'a> {
    /// Its index in the parameter.
    number: usize,
    state: RowState<'a>,
    /// Number of steps that it has taken.
    taken: &'a mut u32,
}

impl<'a> Chunk<'a> {
    fn rows(self, columns: usize) -> impl Iterator<Item = Row<'a>> {
        let Self { first: start, state, taken } = self;
        let mut first = state.first.chunks_exact_mut(columns);
        let mut second = state.second.chunks_exact_mut(columns);
        let mut average = state.average.chunks_exact_mut(columns);
        let rows = state.values.chunks_exact_mut(columns).zip(taken).enumerate();
        rows.map_while(move |(row, (values, taken))| {
            let (first, second, average) = (first.next()?, second.next()?, average.next()?);
            Some(Row { number: start + row, state: RowState { values, first, second, average }, taken })
        })
    }
}

/// Values, averages of gradient and squared gradient, and averages of the values, before the first step.
fn begun(values: &[f32]) -> [Floats; 4] {
    let count = values.len();
    let mut parts = [values.into(), Floats::zeros(count), Floats::zeros(count), values.into()];
    for part in &mut parts {
        use_large_pages(part);
    }
    parts
}
