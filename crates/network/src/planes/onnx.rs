//! Networks as ONNX files, for any program that runs them. The inputs and outputs are described in `docs/formats.md`.

mod export;

use prost::Message as _;

use super::onnx_graph::{Entry, GraphBuilder, Model, OperatorSet};
use crate::{NetworkError, Weights, architecture::PlaneArchitecture, spec::ValueKind};

/// Version of ONNX's operator set: that of ONNX 1.8 from 2020, which every runtime in use supports.
const OPERATORS: i64 = 13;

/// Version of the file format in the same release.
const FORMAT: i64 = 7;

/// The bytes of an ONNX file of the network.
///
/// # Errors
/// [`NetworkError::UnknownEncoding`]; [`NetworkError::Kind`] for a sparse network, because a file with fixed inputs cannot look
/// up rows; [`NetworkError::Syntax`] if the origin cannot be serialised.
pub fn to_bytes(weights: &Weights) -> Result<Vec<u8>, NetworkError> {
    let architecture = PlaneArchitecture::new(weights.spec.planes()?)?;
    let (parameters, statistics) = weights.values();
    let list = &architecture.list;
    let mut builder = GraphBuilder::default();
    let input = builder.input(
        "planes",
        &[list.inputs.iter().map(|shape| shape.channels).sum(), 8, 8],
        "the position as the side to move sees it, encoded as `input` of the metadata says; ranks from its own side",
    );
    let values = builder.layers(&architecture, &parameters, &statistics, &input);
    if let Some(place) = list.policy {
        builder.policy(&architecture.policy_map, architecture.moves, &values[place]);
        let meaning = "a logit for each index of the move encoding, legal or not";
        builder.output("policy", &[architecture.moves], meaning);
    }
    if let Some(place) = list.value {
        let kind = weights.spec.value_kind();
        builder.value(kind, &values[place]);
        if let ValueKind::Pawns { .. } = kind {
            builder.output("pawns", &[1], "evaluation in pawns for the side to move");
        } else {
            builder.output("wdl", &[3], "probabilities of win, draw and loss for the side to move");
        }
    }
    if let Some(place) = list.moves_left {
        let plies = builder.flatten("moves_left.row", &values[place]);
        builder.node("Relu", "moves_left", &[&plies]);
        builder.output("moves_left", &[1], "half-moves until the game ends");
    }
    let model = Model {
        ir_version: FORMAT,
        producer_name: "tabiya".into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        doc_string: format!("{} {}", weights.provenance.name, weights.spec.shape_name()),
        graph: Some(builder.finish(&weights.provenance.name)),
        opset_import: vec![OperatorSet { domain: String::new(), version: OPERATORS }],
        metadata_props: metadata(weights)?,
    };
    Ok(model.encode_to_vec())
}

/// The metadata: the weights file's header and the names of the encodings.
fn metadata(weights: &Weights) -> Result<Vec<Entry>, NetworkError> {
    let spec = weights.spec.planes()?;
    let provenance = serde_json::to_string(&weights.provenance)
        .map_err(|error| NetworkError::Syntax { place: "provenance".into(), reason: error.to_string() })?;
    let entries = [
        ("input", spec.input.clone()),
        ("moves", spec.moves.clone()),
        ("spec", weights.spec.to_toml()?),
        ("provenance", provenance),
    ];
    Ok(entries.into_iter().map(|(key, value)| Entry { key: key.into(), value }).collect())
}

#[cfg(test)]
mod tests;
