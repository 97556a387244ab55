//! Networks for programs that build them from their own layers (PyTorch), and weights files of the networks
//! those programs train.

use std::path::PathBuf;

use network::{
    Origin, Provenance, Spec, ValueKind, Weights,
    architecture::{Architecture, PlaneArchitecture},
    container::Matrix,
};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray2};
use player::network_hash;
use pyo3::{prelude::*, types::PyDict};
use serde_json::{Value, json};
use training::RecipeChanges;

use crate::{failure::failure, named::Named, statistics::json as text_of};

/// A network laid out, JSON: `spec`, `value` (what the value's numbers mean), `blueprint` (nothing for a sparse network),
/// `provenance`, `recipe` (with every default; nothing unless it was given by its recipe); and its matrices by name, float32
/// `[rows, columns]`: those that a weights file holds, else random ones.
#[pyfunction]
pub(crate) fn describe_network<'py>(
    py: Python<'py>,
    text: &str,
    seed: u64,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let named = Named::read(text)?;
    let spec = named.spec().clone();
    let architecture = Architecture::new(&spec).map_err(failure)?;
    let blueprint = architecture.planes().ok().map(PlaneArchitecture::blueprint);
    let recipe = if let Named::Recipe(recipe) = &named { Some(recipe.clone()) } else { None };
    let (weights, provenance) = match named {
        Named::Weights(weights) => {
            let hash = network_hash(text).map_err(failure)?.unwrap_or_default();
            let origin = Origin { name: weights.provenance.name.clone(), hash };
            let name = weights.provenance.name.clone();
            (*weights, Provenance { name, origin: Some(origin), ..Provenance::default() })
        }
        Named::Recipe(recipe) => {
            let recipe = recipe.to_toml().map_err(failure)?;
            (
                Weights::initial(&spec, seed).map_err(failure)?,
                Provenance { recipe, seed, ..Provenance::default() },
            )
        }
        Named::Spec(_) => {
            (Weights::initial(&spec, seed).map_err(failure)?, Provenance { seed, ..Provenance::default() })
        }
    };
    let description = json!({
        "spec": spec,
        "value": value_of(spec.value_kind()),
        "blueprint": blueprint,
        "provenance": provenance,
        "recipe": recipe,
    });
    let matrices = PyDict::new(py);
    for Matrix { name, shape, values } in weights.matrices() {
        matrices.set_item(name, PyArray1::from_slice(py, values).reshape(*shape)?)?;
    }
    Ok((text_of(&description)?, matrices))
}

/// The learning rates of the steps of a recipe, from step 1 on, float32 `[steps]`: for the recipe's number of steps, or another
/// number, for which a warm-up that is too long is shortened as in training.
///
/// # Errors
/// For a network or a specification, which have no schedule.
#[pyfunction]
pub(crate) fn learning_rates<'py>(
    py: Python<'py>,
    text: &str,
    steps: Option<u64>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let Named::Recipe(mut recipe) = Named::read(text)? else {
        return Err(failure("recipe: found a network, which has no schedule, expected a recipe"));
    };
    RecipeChanges { steps, ..RecipeChanges::default() }.apply(&mut recipe);
    let steps = recipe.training.steps;
    Ok(PyArray1::from_iter(py, (1..=steps).map(|step| recipe.schedule.rate(step, steps))))
}

fn value_of(kind: ValueKind) -> Value {
    match kind {
        ValueKind::Wdl => json!({ "kind": "wdl" }),
        ValueKind::Scalar => json!({ "kind": "scalar" }),
        ValueKind::Pawns { limit, squash } => json!({ "kind": "pawns", "limit": limit, "squash": squash }),
        ValueKind::None => json!({ "kind": "none" }),
    }
}

/// Writes a weights file of a specification and a provenance (both JSON) and all matrices by name, in eight bits if wanted.
#[pyfunction]
pub(crate) fn save_network(
    py: Python<'_>,
    path: PathBuf,
    texts: (String, String),
    matrices: Vec<(String, PyReadonlyArray2<'_, f32>)>,
    eight_bit: bool,
) -> PyResult<()> {
    let (spec, provenance) = texts;
    let spec: Spec =
        serde_json::from_str(&spec).map_err(|error| failure(format_args!("specification: {error}")))?;
    let provenance: Provenance =
        serde_json::from_str(&provenance).map_err(|error| failure(format_args!("provenance: {error}")))?;
    let matrices = matrices.into_iter().map(|(name, array)| {
        let view = array.as_array();
        Matrix { name, shape: [view.nrows(), view.ncols()], values: view.iter().copied().collect() }
    });
    let matrices = matrices.collect();
    let written = py.detach(|| {
        let weights = Weights::of_matrices(spec, provenance, matrices, "module")?;
        let bytes = if eight_bit { weights.to_eight_bit_bytes()? } else { weights.to_bytes()? };
        network::write_file(&path, &bytes)
    });
    written.map_err(failure)
}
