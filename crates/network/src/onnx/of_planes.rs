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
use crate::{planes::lc0::EmbeddedGraph, probabilities::PositionValue, spec::ValueKind};

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
            let probabilities = signature.output("wdl").map(|name| (name, ValueForm::Probabilities));
            let contract = PlanesContract {
                input: ("planes".into(), input_encoding(input).map_err(|error| error.to_string())?),
                moves: move_encoding(moves).map_err(|error| error.to_string())?,
                policy: signature.output("policy"),
                value: probabilities.or_else(|| Some((signature.output("pawns")?, ValueForm::Pawns))),
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
        return Err(format!("found {} inputs, expected one", signature.inputs.len()));
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
    /// Win, draw and loss, adding up to one.
    Probabilities,
    /// Win, draw and loss before the softmax.
    Logits,
    /// The expected result, from -1 to 1.
    Expected,
    /// An evaluation in pawns.
    Pawns,
}

impl ValueForm {
    const NAMES: &str = "probabilities, logits, expected or pawns";

    fn of(name: &str) -> Result<Self, String> {
        match name {
            "probabilities" => Ok(Self::Probabilities),
            "logits" => Ok(Self::Logits),
            "expected" => Ok(Self::Expected),
            "pawns" => Ok(Self::Pawns),
            other => Err(format!("tabiya.value: found {other:?}, expected {}", Self::NAMES)),
        }
    }

    fn numbers(self) -> usize {
        match self {
            Self::Probabilities | Self::Logits => 3,
            Self::Expected | Self::Pawns => 1,
        }
    }

    fn wdl(self, numbers: &[f32]) -> Wdl {
        match (self, numbers) {
            (Self::Probabilities, &[win, draw, loss]) => Wdl { win, draw, loss },
            (Self::Expected, &[expected]) => {
                let expected = expected.clamp(-1.0, 1.0);
                Wdl { win: f32::midpoint(1.0, expected), draw: 0.0, loss: f32::midpoint(1.0, -expected) }
            }
            (Self::Pawns, _) => {
                PositionValue::of(ValueKind::Pawns { limit: f32::INFINITY, squash: false }, numbers).wdl
            }
            _ => PositionValue::of(ValueKind::Wdl, numbers).wdl,
        }
    }
}

struct PlanesContract {
    input: (String, &'static dyn InputEncoding),
    moves: &'static dyn MoveEncoding,
    policy: Option<String>,
    value: Option<(String, ValueForm)>,
    moves_left: Option<String>,
}

impl PlanesContract {
    /// The contract, if the graph's shapes satisfy it.
    fn checked(self, signature: &Signature) -> Recognised {
        let (name, input) = &self.input;
        if self.policy.is_none() && self.value.is_none() {
            return Err("found neither a policy nor a value among the outputs".into());
        }
        let port = signature.inputs.iter().find(|port| port.name == *name);
        let expected = [None, Some(input.channels()), Some(8), Some(8)];
        if let Some(port) = port.filter(|port| !port.shape.is_empty()) {
            // A dimension without a size fits any; the batch may have one of its own.
            let mut sizes = port.shape.iter().zip(expected).skip(1);
            let fits = sizes.all(|(found, expected)| found.is_none() || *found == expected);
            if !fits || port.shape.len() != 4 {
                let (channels, name) = (input.channels(), input.name());
                return Err(format!(
                    "found the input {port}, expected [batch, {channels}, 8, 8], as {name} has"
                ));
            }
        }
        Ok(Box::new(self))
    }
}

impl Contract for PlanesContract {
    fn describe(&self) -> String {
        format!("{} -> {}", self.input.1.name(), self.moves.name())
    }

    fn input(&self) -> Option<&'static dyn InputEncoding> {
        Some(self.input.1)
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
        let (name, input) = &self.input;
        let board = input.channels() * 64;
        let mut planes = vec![Plane::EMPTY; input.planes()];
        let mut values = vec![0.0; batch.len() * board];
        for (request, values) in batch.iter().zip(values.chunks_exact_mut(board)) {
            input.encode(request.game, &mut planes);
            write_channels(*input, &planes, values);
        }
        vec![(name, Tensor { shape: vec![input.channels(), 8, 8], values })]
    }

    fn outputs(&self) -> Vec<(&str, usize)> {
        let policy = self.policy.iter().map(|name| (name.as_str(), self.moves.size()));
        let value = self.value.iter().map(|(name, form)| (name.as_str(), form.numbers()));
        let moves_left = self.moves_left.iter().map(|name| (name.as_str(), 1));
        policy.chain(value).chain(moves_left).collect()
    }

    fn evaluation(&self, request: &EvaluationRequest<'_>, outputs: &[&[f32]]) -> Evaluation {
        // The outputs that the graph has, in the order of `PlanesContract::outputs`.
        let mut outputs = outputs.iter();
        let policy = self.policy.as_ref().and_then(|_| outputs.next());
        let value = self.value.as_ref().and_then(|(_, form)| Some(form.wdl(outputs.next()?)));
        let moves_left = self.moves_left.as_ref().and_then(|_| outputs.next());
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
