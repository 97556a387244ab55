//! Layout of a sparse network's parameters: the indices of tables, layers and rows of moves.

use chess::encoding::{
    FeatureSet,
    policy_rows::{KIND_ROWS, MOVE_ROWS},
};
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
    /// Parameter indices, number of inputs and number of outputs of each layer, starting at the hidden units.
    pub layers: Vec<(Pair, [usize; 2])>,
    /// Index of the parameter with each feature's direct contribution, added to the logit of a win and subtracted from that
    /// of a loss, `[rows][1]`.
    pub direct: usize,
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
        let clipping = spec.clipping.into();
        let body = |Pair { weight, bias }: Pair, list, set: &dyn FeatureSet, width| BodyRows {
            table: weight,
            bias,
            list,
            rows: set.size(),
            width,
            clipping,
        };
        let sets = spec.feature_sets()?;
        let mut bodies = vec![body(architecture.table, 0, sets[0], spec.width)];
        if let (Some(pair), Some(table)) = (architecture.policy_table, &spec.policy) {
            let list = sets.len() - 1;
            bodies.push(body(pair, list, sets[list], table.width));
        }
        let outputs = spec.hidden.iter().copied().chain([OUTPUTS]);
        let inputs = [spec.units()].into_iter().chain(spec.hidden.iter().copied());
        let layers = architecture.layers.iter().copied().zip(inputs.zip(outputs));
        Ok(Self {
            spec: spec.clone(),
            value: ValueLayers {
                body: 0,
                layers: layers.map(|(pair, (inputs, outputs))| (pair, [inputs, outputs])).collect(),
                direct: architecture.direct,
            },
            policy: MoveTables {
                body: bodies.len() - 1,
                moves: architecture.moves,
                kinds: architecture.kinds,
            },
            bodies,
            shapes: architecture.parameters().iter().map(|shape| [shape.rows, shape.columns]).collect(),
        })
    }

    pub(super) fn check(&self, batch: &Batch) -> Result<(), NetworkError> {
        let sparse = &batch.sparse;
        let wrong = |found: String| Err(NetworkError::Data(format!("a batch of {found}")));
        let needed = self.bodies.iter().map(|body| body.list + 1).max().unwrap_or(0);
        if sparse.features.len() != needed || sparse.pieces.len() != batch.size {
            let found = sparse.features.len();
            return wrong(format!("{found} lists of features for a network that reads {needed}"));
        }
        for body in &self.bodies {
            let list = &sparse.features[body.list];
            if let Some(row) = list.numbers.iter().find(|row| **row as usize >= body.rows) {
                return wrong(format!("features up to {row} for a table of {}", body.rows));
            }
        }
        let tables = [(&sparse.move_rows, MOVE_ROWS), (&sparse.kind_rows, KIND_ROWS)];
        for (rows, most) in tables {
            if rows.len() != batch.policy.len() {
                return wrong(format!("{} policy rows for {} legal moves", rows.len(), batch.policy.len()));
            }
            if let Some(row) = rows.iter().find(|row| **row as usize >= most) {
                return wrong(format!("policy rows up to {row} for a table of {most}"));
            }
        }
        Ok(())
    }

    /// Zeros for the gradient of every parameter that all samples read, and an empty vector for each parameter of which a batch
    /// reads only some rows.
    pub(super) fn whole_gradients(&self) -> Vec<Vec<f32>> {
        let gradient = |(number, [rows, columns]): (usize, &[usize; 2])| match self.list_of(number) {
            Some(_) => Vec::new(),
            None => vec![0.0; rows * columns],
        };
        self.shapes.iter().enumerate().map(gradient).collect()
    }

    /// The tables that training reads in its own number format: those of the bodies, of moves and of kinds of moves.
    pub(super) fn tables(&self) -> Vec<usize> {
        let bodies = self.bodies.iter().map(|body| body.table);
        bodies.chain([self.policy.moves.weight, self.policy.kinds.weight]).collect()
    }

    /// For each of [`SparseLayout::tables`], the lists of a batch that read it.
    pub(super) fn lists<'a>(&self, batch: &'a Batch) -> Vec<Lists<'a>> {
        let sparse = &batch.sparse;
        let bodies = self.bodies.iter().map(|body| lists(&sparse.features[body.list]));
        let moves = [&sparse.move_rows, &sparse.kind_rows];
        let moves = moves.into_iter().map(|rows| Lists { offsets: &batch.legal_offsets, rows });
        bodies.chain(moves).collect()
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
        let sparse = &batch.sparse;
        let bodies = self.bodies.iter().zip(tables).map(|(body, table)| Body {
            shape: *body,
            table: Table { values: *table, width: body.width },
            bias: parameters[body.bias],
            features: lists(&sparse.features[body.list]),
        });
        let layer = |(pair, [inputs, outputs]): &(Pair, [usize; 2])| Layer {
            weights: parameters[pair.weight],
            bias: parameters[pair.bias],
            inputs: *inputs,
            outputs: *outputs,
        };
        let bucket = |pieces: &u8| self.spec.bucket(usize::from(*pieces)) as u8;
        let value = Value {
            body: self.value.body,
            layers: self.value.layers.iter().map(layer).collect(),
            direct: Table { values: NumbersRef::Single(parameters[self.value.direct]), width: 1 },
            buckets: sparse.pieces.iter().map(bucket).collect(),
        };
        let width = self.bodies[self.policy.body].units();
        let rows = |pair: Pair, rows: &'a [u32], values| MoveRows {
            table: Table { values, width },
            bias: parameters[pair.bias],
            lists: Lists { offsets: &batch.legal_offsets, rows },
        };
        let of_moves = self.bodies.len();
        let moves = rows(self.policy.moves, &sparse.move_rows, tables[of_moves]);
        let kinds = rows(self.policy.kinds, &sparse.kind_rows, tables[of_moves + 1]);
        let policy = Policy { body: self.policy.body, tables: vec![moves, kinds] };
        Network { bodies: bodies.collect(), value, policy, legal: &batch.legal_offsets }
    }

    /// Adds the gradients of a parameter of the value's layers over all micro-batches.
    pub(super) fn add_up(&self, parameter: usize, memory: &Memory, gradient: &mut [f32]) {
        for (number, (pair, _)) in self.value.layers.iter().enumerate() {
            for LayerGradient { weights, bias } in memory.micro_batches.iter().map(|layers| &layers[number]) {
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
    pub(super) fn samples_of<'a>(&self, parameter: usize, sources: Sources<'a>) -> Option<Gather<'a>> {
        let Sources { samples, memory, tables } = sources;
        let list = self.list_of(parameter)?;
        let single = |values| Table { values: NumbersRef::Single(values), width: 1 };
        let (gradients, factors) = if parameter == self.value.direct {
            (single(&memory.direct[..samples]), None)
        } else if list < self.bodies.len() {
            (self.samples_of_body(list, sources), None)
        } else if self.shapes[parameter][1] == 1 {
            (single(&memory.ones[..samples]), Some(&memory.logits[..]))
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

/// Number of logits of the value: win, draw and loss.
pub(super) const OUTPUTS: usize = 3;

impl SparseSpec {
    /// The feature sets that the network reads: the value's, and the policy's if it differs.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn feature_sets(&self) -> Result<Vec<&'static dyn FeatureSet>, NetworkError> {
        let mut sets = vec![self.feature_set()?];
        if self.policy.as_ref().is_some_and(|table| table.features != self.features) {
            sets.push(self.policy_feature_set()?);
        }
        Ok(sets)
    }
}
