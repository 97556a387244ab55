//! Graphs with one of this program's encodings as input: those of lc0's converter, those that this program
//! writes, and those whose metadata name the encodings.

use chess::{
    Evaluation, EvaluationRequest, Heads, Wdl,
    encoding::{
        InputEncoding, MoveEncoding, Plane,
        input::{HistoryFill, Lc0Planes112, input_encoding, write_channels},
        moves::{Lc0Moves1858, move_encoding},
    },
};

use super::{
    Contract, ContractKind, Recognised,
    graph::{Signature, Tensor},
    priors,
};
use crate::{
    Spec,
    passes::Outputs,
    planes::{inference::encode, lc0::EmbeddedGraph},
    probabilities::PositionValue,
    spec::ValueKind,
};

/// Graphs of lc0's converter (`leela2onnx`, lc0 `src/neural/onnx/converter.h`).
pub(super) const LC0: ContractKind = ContractKind {
    name: "lc0",
    signs: "input /input/planes [batch, 112, 8, 8]; outputs /output/policy and /output/wdl or /output/value, /output/mlh",
    recognise: |signature| {
        signature.has_input("/input/planes").then(|| {
            let value = signature.output("/output/wdl").map(|name| (name, ValueForm::Probabilities));
            let contract = PlanesContract {
                input: ("/input/planes".into(), &Lc0Planes112 { fill: HistoryFill::FenOnly }),
                moves: &Lc0Moves1858,
                policy: signature.output("/output/policy"),
                value: value.or_else(|| Some((signature.output("/output/value")?, ValueForm::Expected))),
                moves_left: signature.output("/output/mlh"),
            };
            contract.checked(signature)
        })
    },
};

/// Graphs that `tabiya net convert NET out.onnx` writes (docs/formats.md).
pub(super) const OWN: ContractKind = ContractKind {
    name: "tabiya",
    signs: "input planes, outputs policy, wdl or pawns, moves_left, as `tabiya net convert NET out.onnx` writes them; metadata input and moves",
    recognise: |signature| {
        let (input, moves) = (signature.metadata.get("input")?, signature.metadata.get("moves")?);
        signature.has_input("planes").then(|| {
            // The specification says what a loss compares; to play, the outputs are enough.
            let spec = signature.metadata.get("spec").and_then(|spec| Spec::from_toml(spec).ok());
            let (probabilities, limit) = match spec.map(|spec| spec.value_kind()) {
                Some(ValueKind::Scalar) => (ValueForm::Decided, None),
                Some(ValueKind::Pawns { limit, .. }) => (ValueForm::Probabilities, Some(limit)),
                _ => (ValueForm::Probabilities, None),
            };
            let probabilities = signature.output("wdl").map(|name| (name, probabilities));
            let contract = PlanesContract {
                input: ("planes".into(), input_encoding(input).map_err(|error| error.to_string())?),
                moves: move_encoding(moves).map_err(|error| error.to_string())?,
                policy: signature.output("policy"),
                value: probabilities
                    .or_else(|| Some((signature.output("pawns")?, ValueForm::Pawns { limit }))),
                moves_left: signature.output("moves_left"),
            };
            contract.checked(signature)
        })
    },
};

/// The contract of a graph in a weights file of lc0's, which names encodings, input and outputs.
pub(super) fn of_lc0(graph: &EmbeddedGraph, signature: &Signature) -> Recognised {
    let wdl = graph.wdl.clone().map(|name| (name, ValueForm::Probabilities));
    let contract = PlanesContract {
        input: (graph.planes.clone(), input_encoding(graph.input).map_err(|error| error.to_string())?),
        moves: move_encoding(graph.moves).map_err(|error| error.to_string())?,
        policy: graph.policy.clone(),
        value: wdl.or_else(|| Some((graph.value.clone()?, ValueForm::Expected))),
        moves_left: graph.moves_left.clone(),
    };
    let outputs = [&graph.policy, &graph.wdl, &graph.value, &graph.moves_left].into_iter().flatten();
    let mut absent = outputs.filter(|name| signature.output(name).is_none()).collect::<Vec<_>>();
    if !signature.has_input(&graph.planes) {
        absent.push(&graph.planes);
    }
    match absent.first() {
        Some(name) => {
            Err(format!("{name}: found nothing in the graph, expected what the file around it names"))
        }
        None => contract.checked(signature),
    }
}

/// Other graphs whose metadata name the encodings.
pub(super) const NAMED: ContractKind = ContractKind {
    name: "named",
    signs: "one input and outputs policy and value, or one of them; metadata tabiya.input (such as tabiya), tabiya.moves (such as lc0-1858), \
            tabiya.value (probabilities, logits, expected or pawns)",
    recognise: |signature| {
        let input = signature.metadata.get("tabiya.input")?;
        Some(named(signature, input))
    },
};

fn named(signature: &Signature, input: &str) -> Recognised {
    let [port] = &signature.inputs[..] else {
        return Err(format!("{} inputs, expected one", signature.inputs.len()));
    };
    let policy = signature.output("policy");
    let moves = match &policy {
        Some(_) => move_encoding(metadata(signature, "tabiya.moves", "the name of a move encoding")?),
        None => Ok(&Lc0Moves1858 as &dyn MoveEncoding),
    };
    let value = match signature.output("value") {
        Some(name) => Some((name, ValueForm::of(metadata(signature, "tabiya.value", ValueForm::NAMES)?)?)),
        None => None,
    };
    let contract = PlanesContract {
        input: (port.name.clone(), input_encoding(input).map_err(|error| format!("tabiya.input: {error}"))?),
        moves: moves.map_err(|error| format!("tabiya.moves: {error}"))?,
        policy,
        value,
        moves_left: None,
    };
    contract.checked(signature)
}

fn metadata<'a>(signature: &'a Signature, key: &str, expected: &str) -> Result<&'a str, String> {
    match signature.metadata.get(key) {
        Some(value) => Ok(value),
        None => Err(format!("{key} is missing in the metadata, expected {expected}")),
    }
}

/// Form of the value output, from the point of view of the input encoding's viewer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ValueForm {
    /// Win, draw and loss, adding up to one.
    Probabilities,
    /// The same for an expected result, without a share of draws.
    Decided,
    /// Win, draw and loss before the softmax.
    Logits,
    /// The expected result, from -1 to 1.
    Expected,
    /// An evaluation in pawns.
    Pawns {
        /// The largest one, if the file says it.
        limit: Option<f32>,
    },
}

impl ValueForm {
    const NAMES: &str = "probabilities, logits, expected or pawns";

    fn of(name: &str) -> Result<Self, String> {
        match name {
            "probabilities" => Ok(Self::Probabilities),
            "logits" => Ok(Self::Logits),
            "expected" => Ok(Self::Expected),
            "pawns" => Ok(Self::Pawns { limit: None }),
            other => Err(format!("tabiya.value: found {other:?}, expected {}", Self::NAMES)),
        }
    }

    fn numbers(self) -> usize {
        match self {
            Self::Probabilities | Self::Decided | Self::Logits => 3,
            Self::Expected | Self::Pawns { .. } => 1,
        }
    }

    fn wdl(self, numbers: &[f32]) -> Wdl {
        match (self, numbers) {
            (Self::Probabilities | Self::Decided, &[win, draw, loss]) => Wdl { win, draw, loss },
            (Self::Expected, &[expected]) => {
                let expected = expected.clamp(-1.0, 1.0);
                Wdl { win: f32::midpoint(1.0, expected), draw: 0.0, loss: f32::midpoint(1.0, -expected) }
            }
            _ => PositionValue::of(self.kind(f32::INFINITY), numbers).wdl,
        }
    }

    /// The kind of value head with these outputs; evaluations in pawns are at most `limit`.
    fn kind(self, limit: f32) -> ValueKind {
        match self {
            Self::Probabilities | Self::Logits => ValueKind::Wdl,
            Self::Decided | Self::Expected => ValueKind::Scalar,
            Self::Pawns { .. } => ValueKind::Pawns { limit, squash: false },
        }
    }

    /// The outputs of such a head, before softmax or tanh.
    fn head_outputs(self, numbers: &[f32]) -> Vec<f32> {
        match (self, numbers) {
            (Self::Probabilities, _) => {
                numbers.iter().map(|probability| probability.max(f32::MIN_POSITIVE).ln()).collect()
            }
            (Self::Decided, &[win, _, loss]) => vec![(win - loss).clamp(-1.0, 1.0).atanh()],
            (Self::Expected, &[expected]) => vec![expected.clamp(-1.0, 1.0).atanh()],
            _ => numbers.to_vec(),
        }
    }
}

pub(super) struct PlanesContract {
    /// The name of the graph's input, and the encoding.
    pub(super) input: (String, &'static dyn InputEncoding),
    pub(super) moves: &'static dyn MoveEncoding,
    policy: Option<String>,
    value: Option<(String, ValueForm)>,
    moves_left: Option<String>,
}

impl PlanesContract {
    /// The contract, if the graph's shapes satisfy it.
    fn checked(self, signature: &Signature) -> Recognised {
        let (name, input) = &self.input;
        if self.policy.is_none() && self.value.is_none() {
            return Err("neither a policy nor a value among the outputs".into());
        }
        let port = signature.inputs.iter().find(|port| port.name == *name);
        let expected = [None, Some(input.channels()), Some(8), Some(8)];
        if let Some(port) = port.filter(|port| !port.shape.is_empty()) {
            // A dimension without a size fits any; the batch may have one of its own.
            let mut sizes = port.shape.iter().zip(expected).skip(1);
            let fits = sizes.all(|(found, expected)| found.is_none() || *found == expected);
            if !fits || port.shape.len() != 4 {
                let (channels, name) = (input.channels(), input.name());
                return Err(format!("the input {port}, expected [batch, {channels}, 8, 8], as {name} has"));
            }
        }
        for (name, width) in self.outputs() {
            let port = signature.outputs.iter().find(|port| port.name == name);
            let sizes =
                port.and_then(|port| port.shape.iter().skip(1).copied().collect::<Option<Vec<usize>>>());
            if let (Some(port), Some(sizes)) = (port, sizes.filter(|sizes| !sizes.is_empty()))
                && sizes.iter().try_fold(1, |product: usize, size| product.checked_mul(*size)) != Some(width)
            {
                return Err(format!("the output {port}, expected {width} numbers for each position"));
            }
        }
        Ok(Box::new(self))
    }

    /// The kind of value that a loss compares with labels; `None` for evaluations in pawns of which the file does not say the largest.
    pub(super) fn value_kind(&self) -> Option<ValueKind> {
        match self.value {
            None => Some(ValueKind::None),
            Some((_, form @ ValueForm::Pawns { limit })) => limit.map(|limit| form.kind(limit)),
            Some((_, form)) => Some(form.kind(f32::INFINITY)),
        }
    }

    /// The input for positions that are encoded already.
    pub(super) fn tensor(&self, planes: &[Plane]) -> Vec<(&str, Tensor)> {
        let (name, input) = &self.input;
        let board = input.channels() * 64;
        let boards = planes.chunks_exact(input.planes());
        let mut values = vec![0.0; boards.len() * board];
        for (planes, values) in boards.zip(values.chunks_exact_mut(board)) {
            write_channels(*input, planes, values);
        }
        vec![(name, Tensor { shape: vec![input.channels(), 8, 8], values })]
    }

    /// Adds the outputs for a position, of which these are the numbers and the indices of the legal moves.
    pub(super) fn add(&self, numbers: &[&[f32]], legal: &[u16], outputs: &mut Outputs) {
        let [policy, value, _] = self.parts(numbers);
        let logit = |index: &u16| policy.map_or(0.0, |logits| logits[usize::from(*index)]);
        outputs.logits.extend(legal.iter().map(logit));
        if let (Some((_, form)), Some(numbers)) = (&self.value, value) {
            outputs.values.extend(form.head_outputs(numbers));
        }
    }

    /// A position's numbers of policy, value and moves left, as far as the graph has them.
    fn parts<'a>(&self, outputs: &[&'a [f32]]) -> [Option<&'a [f32]>; 3] {
        // In the order of `PlanesContract::outputs`.
        let mut outputs = outputs.iter().copied();
        [self.policy.is_some(), self.value.is_some(), self.moves_left.is_some()]
            .map(|is_there| is_there.then(|| outputs.next()).flatten())
    }
}

impl Contract for PlanesContract {
    fn describe(&self) -> String {
        format!("{} -> {}", self.input.1.name(), self.moves.name())
    }

    fn of_planes(&self) -> Option<&PlanesContract> {
        Some(self)
    }

    fn shows_ratings(&self) -> bool {
        self.input.1.shows_ratings()
    }

    fn heads(&self) -> Heads {
        Heads { policy: self.policy.is_some(), value: self.value.is_some() }
    }

    fn history(&self) -> usize {
        self.input.1.history()
    }

    fn inputs(&self, batch: &[EvaluationRequest<'_>]) -> Vec<(&str, Tensor)> {
        let mut planes = Vec::new();
        encode(self.input.1, batch.iter().map(|request| request.game), &mut planes);
        self.tensor(&planes)
    }

    fn outputs(&self) -> Vec<(&str, usize)> {
        let policy = self.policy.iter().map(|name| (name.as_str(), self.moves.size()));
        let value = self.value.iter().map(|(name, form)| (name.as_str(), form.numbers()));
        let moves_left = self.moves_left.iter().map(|name| (name.as_str(), 1));
        policy.chain(value).chain(moves_left).collect()
    }

    fn evaluation(&self, request: &EvaluationRequest<'_>, outputs: &[&[f32]]) -> Evaluation {
        let [policy, value, moves_left] = self.parts(outputs);
        let value = self.value.as_ref().zip(value).map(|((_, form), numbers)| form.wdl(numbers));
        let position = request.game.position();
        let priors = priors(request, |chess_move| {
            policy.map_or(0.0, |logits| logits[self.moves.index(position, chess_move)])
        });
        let (wdl, moves_left) = (value.unwrap_or(Wdl::DRAW), moves_left.map(|plies| plies[0].max(0.0)));
        let (input, turn) = (self.input.1, request.game.turn());
        let is_movers = input.value_viewer(turn) == turn;
        Evaluation { wdl: if is_movers { wdl } else { wdl.flipped() }, priors, moves_left }
    }
}
