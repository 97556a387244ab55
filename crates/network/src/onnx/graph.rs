//! A graph on the runtime.

use std::{collections::BTreeMap, fmt, sync::Arc};

use kernels::FreeList;
use prost::{Message as _, bytes::Bytes};
use rten::{DataType, Dimension, Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView, ValueType};

use super::claims;
use crate::{
    NetworkError,
    error::mismatch,
    planes::{onnx_graph, wire::MOST_PARTS},
};

/// An input or output of a graph.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) name: String,
    /// `None` for a dimension that the caller chooses.
    pub(super) shape: Vec<Option<usize>>,
    pub(super) is_integer: bool,
}

/// `tokens [batch, 64, 12]`.
impl fmt::Display for Port {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = Vec::with_capacity(self.shape.len());
        for size in &self.shape {
            shape.push(size.map_or_else(|| "batch".into(), |size| size.to_string()));
        }
        write!(formatter, "{} [{}]", self.name, shape.join(", "))
    }
}

/// Inputs and outputs of a graph, and the metadata of its file.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    pub(super) metadata: BTreeMap<String, String>,
}

impl Signature {
    pub(super) fn has_input(&self, name: &str) -> bool {
        self.inputs.iter().any(|port| port.name == name)
    }

    /// The name, if an output has it.
    pub(super) fn output(&self, name: &str) -> Option<String> {
        self.outputs.iter().any(|port| port.name == name).then(|| name.to_owned())
    }
}

/// The numbers of one input for a batch.
pub(super) struct Tensor {
    /// Without the batch.
    pub(super) shape: Vec<usize>,
    /// `[batch][shape]`.
    pub(super) values: Vec<f32>,
}

/// A graph that was loaded once and is run by any number of threads at the same time.
pub(super) struct Graph {
    model: Model,
    signature: Signature,
    /// Idle pools of one thread each: threads of a search would block each other in the runtime's shared
    /// pool.
    pools: FreeList<Arc<ThreadPool>>,
}

impl Graph {
    /// Loads the bytes of a file; `place` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if the runtime cannot read the graph or lacks one of its operators, if the graph has too many
    /// parts or a weight that is no number, or if its constants ask for too many numbers.
    pub(super) fn load(bytes: &[u8], place: &str) -> Result<Self, NetworkError> {
        let expected = "an ONNX file of operators that the runtime rten has, with its weights inside, in FLOAT or FLOAT16";
        if onnx_graph::MODEL.has_too_many_parts(bytes) {
            let found = format!("more than {MOST_PARTS} messages and texts");
            return Err(mismatch(place, "graph", found, "a graph with fewer operators"));
        }
        let bytes = Bytes::copy_from_slice(bytes);
        // The constants are parts of the same memory, which then becomes the runtime's: a network of a gigabyte is in memory
        // once. Nothing of the file reaches the runtime before the sizes in it are checked.
        let constants = onnx_graph::Model::decode(bytes.clone())
            .map_err(|error| mismatch(place, "graph", error.to_string(), expected))?;
        claims::check(&constants, place)?;
        // A ReLU would hide them. Infinities are left: some graphs mask scores with them.
        for tensor in constants.graph.iter().flat_map(|graph| &graph.initializer) {
            if let Some(index) = tensor.not_a_number() {
                let what = format!("tensor {:?}", tensor.name);
                return Err(mismatch(place, what, format!("NaN as number {index}"), "numbers"));
            }
        }
        drop(constants);
        let bytes = Vec::from(bytes);
        let model = guarded(|| Model::load(bytes).map_err(|error| error.to_string()))
            .map_err(|found| mismatch(place, "graph", found, expected))?;
        let metadata = model.metadata().fields().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let signature = Signature {
            inputs: model.input_ids().iter().map(|id| port(&model, *id)).collect(),
            outputs: model.output_ids().iter().map(|id| port(&model, *id)).collect(),
            metadata: metadata.collect(),
        };
        Ok(Self { model, signature, pools: FreeList::default() })
    }

    pub(super) fn signature(&self) -> &Signature {
        &self.signature
    }

    pub(super) fn parameters(&self) -> usize {
        self.model.total_params()
    }

    /// Runs the graph on a batch of `boards` positions; returns the values of each output, `[batch][numbers]`.
    ///
    /// # Errors
    /// The runtime's message.
    pub(super) fn run(
        &self,
        boards: usize,
        inputs: Vec<(&str, Tensor)>,
        outputs: &[&str],
    ) -> Result<Vec<Vec<f32>>, String> {
        let mut values: Vec<(NodeId, ValueOrView<'_>)> = Vec::with_capacity(inputs.len());
        for (name, tensor) in inputs {
            values.push((self.id(name)?, self.value(name, boards, tensor)?));
        }
        let outputs = outputs.iter().map(|name| self.id(name)).collect::<Result<Vec<NodeId>, String>>()?;
        let found = self.pools.with(
            || Arc::new(ThreadPool::with_num_threads(1)),
            |pool| {
                let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
                guarded(|| self.model.run(values, &outputs, Some(options)).map_err(|error| error.to_string()))
            },
        )?;
        found.into_iter().map(numbers).collect()
    }

    fn id(&self, name: &str) -> Result<NodeId, String> {
        self.model.node_id(name).map_err(|error| error.to_string())
    }

    fn value(&self, name: &str, boards: usize, tensor: Tensor) -> Result<ValueOrView<'static>, String> {
        let shape = [&[boards][..], &tensor.shape].concat();
        let is_integer = self.signature.inputs.iter().any(|port| port.name == name && port.is_integer);
        let value = if is_integer {
            let whole: Vec<i32> = tensor.values.iter().map(|value| value.round() as i32).collect();
            Value::from_shape(&shape, whole).map_err(|error| error.to_string())
        } else {
            Value::from_shape(&shape, tensor.values).map_err(|error| error.to_string())
        };
        Ok(value?.into())
    }
}

fn port(model: &Model, id: NodeId) -> Port {
    let node = model.node_info(id);
    let shape = node.as_ref().and_then(rten::NodeInfo::shape).unwrap_or_default();
    let shape = shape.iter().map(|size| match size {
        Dimension::Fixed(size) => Some(*size),
        Dimension::Symbolic(_) => None,
    });
    Port {
        name: node.as_ref().and_then(rten::NodeInfo::name).unwrap_or_default().to_owned(),
        shape: shape.collect(),
        is_integer: node.and_then(|node| node.dtype()) == Some(ValueType::Tensor(DataType::Int32)),
    }
}

fn numbers(value: Value) -> Result<Vec<f32>, String> {
    let kind = value.dtype();
    match value {
        Value::FloatTensor(tensor) => Ok(tensor.into_data()),
        _ => Err(format!("found an output of {kind}, expected 32-bit floats")),
    }
}

/// Calls the runtime; a panic is an error. Files from anywhere are read here, and the runtime checks less than this program does.
fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    chess::guarded(call).unwrap_or_else(|panic| Err(format!("the ONNX runtime {panic}")))
}
