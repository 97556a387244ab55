//! Layout of a sparse network's parameters: the indices of tables, layers and rows of moves.

use chess::encoding::policy_rows::{KIND_ROWS, MOVE_ROWS};
use dataset::Batch;
use kernels::sparse::{
    Clipping,
    training::{Gather, Layer, LayerGradient, Lists, MoveRows, NumbersRef, Table},
};

use super::{Body, Network, Policy, Sources, Value, lists, micro_batch::Memory};
use crate::{
    NetworkError,
    architecture::{Pair, SparseArchitecture},
    spec::SparseSpec,
};

/// A table with a row for each feature, and the function applied to the sums of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyRows {
    /// Index of the parameter with the rows, `[rows][width]`.
    pub table: usize,
    /// Index of the parameter with the bias, `[1][width]`.
    pub bias: usize,
    /// Index of the feature lists, among those of the batch, that select the table's rows.
    pub list: usize,
    /// Number of rows, one per feature.
    pub rows: usize,
    /// Elements per row.
    pub width: usize,
    /// The function from sums to hidden units.
    pub clipping: Clipping,
}

impl BodyRows {
    /// Number of hidden units.
    pub fn units(&self) -> usize {
        self.clipping.units(self.width)
    }
}

/// The layers from the hidden units of a body to the logits of win, draw and loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueLayers {
    /// Index of the body that they read.
    pub body: usize,
    /// The layers, starting at the hidden units.
    pub layers: Vec<LayerParameters>,
    /// Index of the parameter with each feature's direct contribution, added to the logit of a win and subtracted from that
    /// of a loss, `[rows][1]`.
    pub direct: usize,
}

/// A small layer of the value; there is a copy of it for each bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct LayerParameters {
    /// Parameter indices of its weights and of its bias.
    pub pair: Pair,
    pub inputs: usize,
    pub outputs: usize,
}

/// The rows of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTables {
    /// Index of the body whose hidden units they are multiplied with.
    pub body: usize,
    /// Parameter indices of the rows of moves.
    pub moves: Pair,
    /// Parameter indices of the rows of kinds of moves.
    pub kinds: Pair,
}

/// The indices of a sparse network's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SparseLayout {
    spec: SparseSpec,
    /// The tables of features: one shared table, or one for the value and one for the policy.
    pub bodies: Vec<BodyRows>,
    pub value: ValueLayers,
    /// The rows that score moves.
    pub policy: MoveTables,
    /// Number of rows and columns of all parameters.
    pub shapes: Vec<[usize; 2]>,
}

impl SparseLayout {
    /// The layout of a sparse network.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn new(architecture: &SparseArchitecture) -> Result<Self, NetworkError> {
        let spec = architecture.spec();
        let shapes: Vec<[usize; 2]> =
            architecture.parameters().iter().map(|shape| [shape.rows, shape.columns]).collect();
        let sets = spec.feature_sets()?;
        let mut bodies = Vec::new();
        // A table of the policy with the features of the value reads the same list of the batch.
        for (pair, list) in [(Some(architecture.table), 0), (architecture.policy_table, sets.len() - 1)] {
            let Some(Pair { weight, bias }) = pair else { continue };
            let ([rows, width], clipping) = (shapes[weight], spec.clipping);
            bodies.push(BodyRows { table: weight, bias, list, rows, width, clipping });
        }
        let mut layers = Vec::with_capacity(architecture.layers.len());
        for &pair in &architecture.layers {
            // The bias is `[buckets, outputs]`, and the weight of each bucket `[outputs, inputs]`.
            let ([_, inputs], [_, outputs]) = (shapes[pair.weight], shapes[pair.bias]);
            layers.push(LayerParameters { pair, inputs, outputs });
        }
        Ok(Self {
            spec: spec.clone(),
            value: ValueLayers { body: 0, layers, direct: architecture.direct },
            policy: MoveTables {
                body: bodies.len() - 1,
                moves: architecture.moves,
                kinds: architecture.kinds,
            },
            bodies,
            shapes,
        })
    }

    pub(super) fn check(&self, batch: &Batch) -> Result<(), NetworkError> {
        let sparse = &batch.sparse;
        let needed = self.bodies.iter().map(|body| body.list + 1).max().unwrap_or(0);
        if sparse.features.len() != needed || sparse.pieces.len() != batch.size {
            let found = sparse.features.len();
            return Err(unfit(&format!("{found} lists of features for a network that reads {needed}")));
        }
        for body in &self.bodies {
            let list = &sparse.features[body.list];
            if let Some(row) = list.numbers.iter().find(|row| **row as usize >= body.rows) {
                return Err(unfit(&format!("features up to {row} for a table of {}", body.rows)));
            }
        }
        let tables = [(&sparse.move_rows, MOVE_ROWS), (&sparse.kind_rows, KIND_ROWS)];
        for (rows, most) in tables {
            if rows.len() != batch.policy.len() {
                let found = format!("{} policy rows for {} legal moves", rows.len(), batch.policy.len());
                return Err(unfit(&found));
            }
            if let Some(row) = rows.iter().find(|row| **row as usize >= most) {
                return Err(unfit(&format!("policy rows up to {row} for a table of {most}")));
            }
        }
        Ok(())
    }

    /// Zeros for the gradient of every parameter that all samples read, and an empty vector for each parameter of which a batch
    /// reads only some rows.
    pub(super) fn whole_gradients(&self) -> Vec<Vec<f32>> {
        let mut gradients = Vec::with_capacity(self.shapes.len());
        for (number, [rows, columns]) in self.shapes.iter().enumerate() {
            let size = if self.list_of(number).is_some() { 0 } else { rows * columns };
            gradients.push(vec![0.0; size]);
        }
        gradients
    }

    /// The tables that training reads in its own number format: those of the bodies, of moves and of kinds of moves.
    pub(super) fn tables(&self) -> Vec<usize> {
        let bodies = self.bodies.iter().map(|body| body.table);
        bodies.chain([self.policy.moves.weight, self.policy.kinds.weight]).collect()
    }

    /// For each of [`SparseLayout::tables`], the lists of a batch that read it.
    pub(super) fn lists<'a>(&self, batch: &'a Batch) -> Vec<Lists<'a>> {
        let sparse = &batch.sparse;
        let mut found: Vec<Lists<'a>> =
            self.bodies.iter().map(|body| lists(&sparse.features[body.list])).collect();
        found.push(Lists { offsets: &batch.legal_offsets, rows: &sparse.move_rows });
        found.push(Lists { offsets: &batch.legal_offsets, rows: &sparse.kind_rows });
        found
    }

    /// Index in [`SparseLayout::lists`] of the lists that read a parameter, if a batch reads only some of its rows.
    pub(super) fn list_of(&self, parameter: usize) -> Option<usize> {
        let (moves, kinds) = (self.policy.moves, self.policy.kinds);
        if parameter == self.value.direct {
            return Some(self.value.body);
        }
        if [moves.bias, kinds.bias].contains(&parameter) {
            return Some(self.bodies.len() + usize::from(parameter == kinds.bias));
        }
        self.tables().into_iter().position(|table| table == parameter)
    }

    /// The network with these parameters, ready for a batch; `tables` are the values of [`SparseLayout::tables`].
    pub(super) fn of<'a>(
        &self,
        parameters: &[&'a [f32]],
        tables: &[NumbersRef<'a>],
        batch: &'a Batch,
    ) -> Network<'a> {
        // The tables of the bodies, then those of moves and of kinds of moves; the lists that read them are in the same order.
        let lists = self.lists(batch);
        let mut bodies = Vec::with_capacity(self.bodies.len());
        for (number, body) in self.bodies.iter().enumerate() {
            bodies.push(Body {
                shape: *body,
                table: Table { values: tables[number], width: body.width },
                bias: parameters[body.bias],
                features: lists[number],
            });
        }
        let mut layers = Vec::with_capacity(self.value.layers.len());
        for &LayerParameters { pair, inputs, outputs } in &self.value.layers {
            let (weights, bias) = (parameters[pair.weight], parameters[pair.bias]);
            layers.push(Layer { weights, bias, inputs, outputs });
        }
        let pieces = batch.sparse.pieces.iter();
        let value = Value {
            body: self.value.body,
            layers,
            direct: column(parameters[self.value.direct]),
            buckets: pieces.map(|pieces| self.spec.bucket(usize::from(*pieces)) as u8).collect(),
        };
        let width = self.bodies[self.policy.body].units();
        let mut rows = Vec::with_capacity(2);
        for (number, pair) in (self.bodies.len()..).zip([self.policy.moves, self.policy.kinds]) {
            let table = Table { values: tables[number], width };
            rows.push(MoveRows { table, bias: parameters[pair.bias], lists: lists[number] });
        }
        let policy = Policy { body: self.policy.body, tables: rows };
        Network { bodies, value, policy, legal: &batch.legal_offsets }
    }

    /// Adds the gradients of a parameter of the value's layers over all micro-batches.
    pub(super) fn add_up(&self, parameter: usize, memory: &Memory, gradient: &mut [f32]) {
        for (number, LayerParameters { pair, .. }) in self.value.layers.iter().enumerate() {
            for layers in &memory.micro_batches {
                let LayerGradient { weights, bias } = &layers[number];
                let found = match parameter {
                    _ if parameter == pair.weight => weights,
                    _ if parameter == pair.bias => bias,
                    _ => continue,
                };
                gradient.iter_mut().zip(found).for_each(|(to, from)| *to += from);
            }
        }
    }

    /// The gradients of samples whose sum is the gradient of a body's bias; `None` for other parameters.
    pub(super) fn samples_of_bias<'a>(&self, parameter: usize, sources: Sources<'a>) -> Option<Gather<'a>> {
        let body = self.bodies.iter().position(|body| body.bias == parameter)?;
        let readers = &sources.tables.biases[body];
        Some(Gather { gradients: self.samples_of_body(body, sources), readers, factors: None })
    }

    /// The gradients of samples whose sums are the gradients of a parameter's rows; `None` if every sample reads all of
    /// it.
    ///
    /// Each kind of row has its own term: a feature's row in a table gets the gradient of the sums, and its direct contribution
    /// that of the win logit minus that of the loss logit. The row of a move gets the hidden units of its sample, because its
    /// logit is their product, times the gradient of the logit; and its bias gets a one in their place.
    pub(super) fn samples_of<'a>(&self, parameter: usize, sources: Sources<'a>) -> Option<Gather<'a>> {
        let Sources { samples, memory, tables } = sources;
        let list = self.list_of(parameter)?;
        let (gradients, factors) = if parameter == self.value.direct {
            (column(&memory.direct[..samples]), None)
        } else if list < self.bodies.len() {
            (self.samples_of_body(list, sources), None)
        } else if self.shapes[parameter][1] == 1 {
            (column(&memory.ones[..samples]), Some(&memory.logits[..]))
        } else {
            let width = self.bodies[self.policy.body].units();
            (Table { values: memory.hidden.first(samples * width), width }, Some(&memory.logits[..]))
        };
        Some(Gather { gradients, readers: &tables.readers[list], factors })
    }

    fn samples_of_body<'a>(&self, body: usize, sources: Sources<'a>) -> Table<'a> {
        let width = self.bodies[body].width;
        Table { values: sources.memory.bodies[body].first(sources.samples * width), width }
    }
}

/// A table with rows of one number.
fn column(values: &[f32]) -> Table<'_> {
    Table { values: NumbersRef::Single(values), width: 1 }
}

fn unfit(found: &str) -> NetworkError {
    NetworkError::Data(format!("a batch of {found}"))
}

/// Number of logits of the value: win, draw and loss.
pub(super) const OUTPUTS: usize = 3;
