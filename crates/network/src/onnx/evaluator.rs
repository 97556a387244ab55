//! A graph that plays.

use std::{fmt, path::Path};

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, encoding::InputEncoding};
use files::{LARGEST_FILE, read_at_most};

use super::{
    CONTRACTS, Contract, ContractKind,
    graph::{Graph, Port, Tensor},
    of_planes::{LC0, of_lc0},
};
use crate::{
    NetworkError,
    error::mismatch,
    planes::{
        inference::{check_finite, finite},
        lc0::{self, EmbeddedGraph},
    },
};

/// Batch size at which a position costs little more than in a large batch.
const PREFERRED_BATCH: usize = 8;

/// A network from an ONNX file. It is loaded once, and any number of threads may evaluate at the same time.
///
/// ```no_run
/// use std::path::Path;
///
/// use network::onnx::OnnxNetwork;
///
/// let network = OnnxNetwork::read(Path::new("maia3.onnx"))?;
/// println!("{network}");
/// # Ok::<_, network::NetworkError>(())
/// ```
pub struct OnnxNetwork {
    pub(super) place: String,
    kind: &'static ContractKind,
    pub(super) contract: Box<dyn Contract>,
    graph: Graph,
}

impl OnnxNetwork {
    /// True for the file extension `.onnx` (the format has no magic number) and for a weights file of lc0
    /// with an ONNX graph.
    pub fn is_one(path: &Path) -> bool {
        Self::is_named_so(path) || EmbeddedGraph::is_in(path)
    }

    /// As [`OnnxNetwork::is_one`], for content that need not be on the disk under its name.
    pub fn is_content(bytes: &[u8], file: &str) -> bool {
        Self::is_named_so(Path::new(file)) || EmbeddedGraph::is_in_bytes(bytes, file)
    }

    /// True for the file extension `.onnx`; the file is not looked at.
    pub fn is_named_so(path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("onnx"))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`OnnxNetwork::from_bytes`], and if the file cannot be read or is larger than [`LARGEST_FILE`].
    pub fn read(path: &Path) -> Result<Self, NetworkError> {
        let bytes = read_at_most(path, LARGEST_FILE).map_err(NetworkError::file(path, "read"))?;
        Self::from_bytes(&bytes, &path.display().to_string())
    }

    /// Reads the bytes of a file; `place` names it in errors.
    ///
    /// # Errors
    /// [`NetworkError::Format`] if the runtime cannot compute the graph, if it fits no contract or breaks the
    /// contract that it fits, or if its outputs for the starting position are not finite.
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, NetworkError> {
        let embedded =
            lc0::is_network(bytes, place).then(|| EmbeddedGraph::from_bytes(bytes, place)).transpose()?;
        let graph = Graph::load(embedded.as_ref().map_or(bytes, |embedded| &embedded.model), place)?;
        let signature = graph.signature();
        let recognised = match &embedded {
            Some(embedded) => Some((&LC0, of_lc0(embedded, signature))),
            None => CONTRACTS.iter().find_map(|kind| Some((*kind, (kind.recognise)(signature)?))),
        };
        let Some((kind, contract)) = recognised else {
            let known: Vec<String> =
                CONTRACTS.iter().map(|kind| format!("{} ({})", kind.name, kind.signs)).collect();
            let found = format!("inputs {}; outputs {}", list(&signature.inputs), list(&signature.outputs));
            return Err(mismatch(place, "contract", found, format!("one of {}", known.join("; "))));
        };
        let contract = contract
            .map_err(|reason| mismatch(place, format!("contract {}", kind.name), reason, kind.signs))?;
        let network = Self { place: place.into(), kind, contract, graph };
        check_finite(&network)?;
        Ok(network)
    }

    /// The name of its contract.
    pub fn contract(&self) -> &'static str {
        self.kind.name
    }

    /// The encoding of its input; `None` for a graph whose contract has a form of its own (`maia-3`).
    pub fn input(&self) -> Option<&'static dyn InputEncoding> {
        Some(self.contract.of_planes()?.input.1)
    }

    /// True if it is told the players' ratings, so that it plays like people of a rating.
    pub fn shows_ratings(&self) -> bool {
        self.contract.shows_ratings()
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.graph.parameters()
    }

    /// The metadata of its file, by key.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        self.graph.signature().metadata.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Positions of one run: one where the graph has a fixed batch of one.
    pub(super) fn most_at_once(&self) -> usize {
        let fixed = self.graph.signature().inputs.iter().any(|port| port.shape.first() == Some(&Some(1)));
        if fixed { 1 } else { usize::MAX }
    }

    fn run(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, String> {
        let outputs = self.numbers(batch.len(), self.contract.inputs(batch))?;
        let mut evaluations = Vec::with_capacity(batch.len());
        for (board, request) in batch.iter().enumerate() {
            evaluations.push(finite(self.contract.evaluation(request, &outputs.of(board)), request)?);
        }
        Ok(evaluations)
    }

    /// The numbers of the outputs that the contract reads.
    pub(super) fn numbers(&self, boards: usize, inputs: Vec<(&str, Tensor)>) -> Result<Numbers, String> {
        let outputs = self.contract.outputs();
        let names: Vec<&str> = outputs.iter().map(|(name, _)| *name).collect();
        let found = self.graph.run(boards, inputs, &names)?;
        for ((name, width), values) in outputs.iter().zip(&found) {
            let (found, expected) = (values.len(), width * boards);
            if found != expected {
                return Err(format!(
                    "{name}: found {found} numbers for {boards} positions, expected {expected}"
                ));
            }
        }
        Ok(Numbers(outputs.into_iter().map(|(_, width)| width).zip(found).collect()))
    }
}

/// The numbers of some positions: for each output, how many a position has, and all of them.
pub(super) struct Numbers(Vec<(usize, Vec<f32>)>);

impl Numbers {
    /// Those of one position in each output.
    pub(super) fn of(&self, board: usize) -> Vec<&[f32]> {
        self.0.iter().map(|(width, values)| &values[board * width..(board + 1) * width]).collect()
    }
}

/// Contract, encodings, inputs and outputs, and number of weights.
impl fmt::Display for OnnxNetwork {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signature = self.graph.signature();
        write!(
            formatter,
            "{}: ONNX, {} parameters\n\ncontract  {}\nencoding  {}\ninputs    {}\noutputs   {}",
            self.place,
            self.parameters(),
            self.contract(),
            self.contract.describe(),
            list(&signature.inputs),
            list(&signature.outputs),
        )
    }
}

impl Evaluator for OnnxNetwork {
    fn describe(&self) -> String {
        format!("{} ({}), f32 on cpu (rten)", self.place, self.kind.name)
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut evaluations = Vec::with_capacity(batch.len());
        for part in batch.chunks(self.most_at_once().min(batch.len().max(1))) {
            let found = self.run(part).map_err(|reason| EvaluatorError {
                evaluator: self.describe(),
                batch: part.len(),
                reason,
            })?;
            evaluations.extend(found);
        }
        Ok(evaluations)
    }

    fn heads(&self) -> Heads {
        self.contract.heads()
    }

    fn history(&self) -> usize {
        self.contract.history()
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH.min(self.most_at_once())
    }
}

fn list(ports: &[Port]) -> String {
    ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
