//! Encoded samples as NumPy arrays. A vector becomes the memory of its array: nothing is copied with the interpreter's lock held.

use chess::encoding::{InputEncoding, Plane};
use dataset::Batch;
use network::Inputs;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::{IntoPyObjectExt as _, prelude::*, types::PyDict};
use training::ValueLabel;

use crate::named::Encoding;

/// Names and arrays, on the way to Python.
#[derive(Default)]
pub(crate) struct Arrays(Vec<(&'static str, Column)>);

/// One array, with the sizes of its axes after the first; a list of arrays where they differ in length.
enum Column {
    Floats(Vec<f32>, Vec<usize>),
    Masks(Vec<u64>, usize),
    Integers(Vec<i64>),
    Bytes(Vec<u8>),
    Lists(Vec<[Vec<i64>; 2]>),
}

impl Arrays {
    /// Adds the network's input: `planes`, float32 `[n, channels, 8, 8]`; if `packed`, instead `masks` and `values`, and
    /// `channels`, float32 `[channels, planes]` with a 1 where a plane is part of a channel, unless each plane is a channel of its
    /// own.
    pub(crate) fn with_planes(&mut self, planes: &[Plane], input: &'static dyn InputEncoding, packed: bool) {
        let count = input.planes();
        // A packed plane, a mask and a value, has 12 bytes instead of the 256 of its floats: less to copy to a GPU, which unpacks it.
        if packed {
            self.0.push(("masks", Column::Masks(planes.iter().map(|plane| plane.mask).collect(), count)));
            let values = planes.iter().map(|plane| plane.value).collect();
            self.0.push(("values", Column::Floats(values, vec![count])));
            if input.channels() != count {
                let mut parts = vec![0.0; input.channels() * count];
                for plane in 0..count {
                    parts[input.channel(plane) * count + plane] = 1.0;
                }
                self.0.push(("channels", Column::Floats(parts, vec![count])));
            }
            return;
        }
        let length = input.channels() * 64;
        let mut tensor = vec![0.0; planes.len() / count * length];
        for (position, planes) in tensor.chunks_exact_mut(length).zip(planes.chunks_exact(count)) {
            input.add_to(planes, position);
        }
        self.0.push(("planes", Column::Floats(tensor, vec![input.channels(), 8, 8])));
    }

    /// Adds the legal moves: `offsets`, `[n + 1]`, the start of each position's moves, and the policy index of every legal move,
    /// `[m]`.
    pub(crate) fn with_moves(
        &mut self,
        offsets: impl IntoIterator<Item = u32>,
        moves: impl IntoIterator<Item = u16>,
    ) {
        self.0.push(("offsets", Column::Integers(offsets.into_iter().map(i64::from).collect())));
        self.0.push(("moves", Column::Integers(moves.into_iter().map(i64::from).collect())));
    }

    /// A batch of samples with the targets that the encoding names.
    pub(crate) fn of_batch(batch: Batch, encoding: &Encoding, packed: bool) -> Self {
        let mut arrays = Self::default();
        match &encoding.inputs {
            Inputs::Planes(input, _) => {
                arrays.with_planes(&batch.planes, *input, packed);
                arrays.with_moves(batch.legal_offsets.iter().copied(), batch.legal_indices.iter().copied());
            }
            Inputs::Features(_) => arrays.with_features(&batch),
        }
        let ValueTargets { wdl, numbers, weights } = ValueTargets::of(&batch, encoding);
        arrays.0.push(("policy", Column::Floats(batch.policy, Vec::new())));
        arrays.0.push(("wdl", Column::Floats(wdl, vec![3])));
        arrays.0.push(("numbers", Column::Floats(numbers, Vec::new())));
        arrays.0.push(("policy_weights", Column::Floats(batch.policy_weights, Vec::new())));
        arrays.0.push(("value_weights", Column::Floats(weights, Vec::new())));
        arrays
    }

    /// Features and rows of moves, as a sparse network reads them.
    pub(crate) fn with_features(&mut self, batch: &Batch) {
        let sparse = &batch.sparse;
        let features = sparse.features.iter().map(|lists| [wide(&lists.offsets), wide(&lists.numbers)]);
        self.0.push(("features", Column::Lists(features.collect())));
        self.0.push(("pieces", Column::Bytes(sparse.pieces.clone())));
        self.0.push(("offsets", Column::Integers(wide(&batch.legal_offsets))));
        self.0.push(("moves", Column::Integers(wide(&sparse.move_rows))));
        self.0.push(("kinds", Column::Integers(wide(&sparse.kind_rows))));
    }

    pub(crate) fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in self.0 {
            dict.set_item(name, column.into_array(py)?)?;
        }
        Ok(dict)
    }
}

impl Column {
    fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Floats(values, axes) => shaped(py, values, &axes),
            Self::Masks(values, planes) => shaped(py, values, &[planes]),
            Self::Integers(values) => shaped(py, values, &[]),
            Self::Bytes(values) => shaped(py, values, &[]),
            Self::Lists(lists) => {
                let arrays = lists.into_iter().map(|[offsets, numbers]| {
                    Ok((PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, numbers)))
                });
                arrays.collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
            }
        }
    }
}

/// Indices in the type that PyTorch requires of them.
fn wide(numbers: &[u32]) -> Vec<i64> {
    numbers.iter().map(|&number| i64::from(number)).collect()
}

/// An array of `[n, axes...]`.
fn shaped<'py, T: Element>(py: Python<'py>, values: Vec<T>, axes: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let each: usize = axes.iter().product();
    let mut shape = vec![values.len() / each.max(1)];
    shape.extend(axes);
    PyArray1::from_vec(py, values).reshape(shape)?.into_bound_py_any(py)
}

/// The value targets of samples; all zero for a sample without a label.
struct ValueTargets {
    /// Win, draw and loss, `[n][3]`.
    wdl: Vec<f32>,
    /// The same as one number, `[n]`: win - loss, or pawns for a network whose value is in pawns.
    numbers: Vec<f32>,
    /// `[n]`.
    weights: Vec<f32>,
}

impl ValueTargets {
    fn of(batch: &Batch, encoding: &Encoding) -> Self {
        let mut targets = Self {
            wdl: Vec::with_capacity(3 * batch.size),
            numbers: Vec::with_capacity(batch.size),
            weights: Vec::with_capacity(batch.size),
        };
        for sample in 0..batch.size {
            let label = ValueLabel::of(batch, sample);
            let found = encoding.losses.value_target.of_head(label, encoding.value);
            targets
                .wdl
                .extend(found.map_or([0.0; 3], |value| [value.wdl.win, value.wdl.draw, value.wdl.loss]));
            targets.numbers.push(found.map_or(0.0, |value| value.number));
            targets.weights.push(found.map_or(0.0, |_| batch.value_weights[sample]));
        }
        targets
    }
}
