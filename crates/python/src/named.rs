//! Arguments that name a recipe, a network, a specification or an encoding.

use std::path::Path;

use chess::encoding::{
    features::{FEATURES, feature_set},
    input::{INPUTS, input_encoding},
    moves::{MOVES, move_encoding},
};
use network::{Inputs, Spec, ValueKind, Weights};
use player::read_weights;
use pyo3::PyResult;
use training::{LossConfig, Recipe};

use crate::failure::failure;

/// A network, or the description of one.
pub(crate) enum Named {
    /// A recipe: a TOML file, a folder with one, or a table with `network`.
    Recipe(Box<Recipe>),
    /// A weights file or a bundled network.
    Weights(Box<Weights>),
    /// The section `network` of a recipe.
    Spec(Box<Spec>),
}

impl Named {
    /// Reads the name of a bundled network, the path of a recipe or a weights file, or a table as JSON.
    ///
    /// # Errors
    /// The error of reading it.
    pub(crate) fn read(text: &str) -> PyResult<Self> {
        if text.starts_with('{') {
            return Self::of_table(table(text)?);
        }
        let path = Path::new(text);
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "toml") {
            return Ok(Self::Recipe(Box::new(Recipe::read(path).map_err(failure)?)));
        }
        Ok(Self::Weights(Box::new(read_weights(text).map_err(failure)?)))
    }

    fn of_table(table: toml::Table) -> PyResult<Self> {
        if table.contains_key("network") {
            let recipe = Recipe::from_table(table, None, "recipe").map_err(failure)?;
            return Ok(Self::Recipe(Box::new(recipe)));
        }
        let text = toml::to_string(&table).map_err(failure)?;
        Ok(Self::Spec(Box::new(Spec::from_toml(&text).map_err(failure)?)))
    }

    pub(crate) fn spec(&self) -> &Spec {
        match self {
            Self::Recipe(recipe) => &recipe.network,
            Self::Weights(weights) => &weights.spec,
            Self::Spec(spec) => spec,
        }
    }
}

/// A table of TOML that Python handed over as JSON.
///
/// # Errors
/// For values that TOML lacks, such as `null`.
pub(crate) fn table(json: &str) -> PyResult<toml::Table> {
    serde_json::from_str(json).map_err(|error| failure(format_args!("recipe: {error}")))
}

/// The move encoding of an input that is named without a network.
const MOVE_ENCODING: &str = "lc0-1858";

/// Encoding of samples, and the targets computed from their labels.
pub(crate) struct Encoding {
    pub(crate) inputs: Inputs,
    pub(crate) losses: LossConfig,
    /// The value head that the targets are for.
    pub(crate) value: ValueKind,
    /// True if samples are mirrored at random.
    pub(crate) mirrored: bool,
}

impl Encoding {
    /// The input encoding of this name with the move encoding `moves`; or the encodings of the recipe or
    /// network that the text names.
    ///
    /// # Errors
    /// If it names nothing, and for `moves` together with something that has its own.
    pub(crate) fn read(text: &str, moves: Option<&str>) -> PyResult<Self> {
        // Names of encodings come first: they are few and never reused, and a file of the same name can be given as `./NAME`.
        if INPUTS.iter().any(|input| input.name() == text) {
            let input = input_encoding(text).map_err(failure)?;
            let moves = move_encoding(moves.unwrap_or(MOVE_ENCODING)).map_err(failure)?;
            return Ok(Self::with_default_losses(Inputs::Planes(input, moves), ValueKind::Wdl));
        }
        if let Some(moves) = moves {
            return Err(failure(format_args!(
                "moves: found {moves:?} with input {text:?}, expected no moves unless the input is the name of planes"
            )));
        }
        if FEATURES.iter().any(|set| set.name() == text) {
            let sets = vec![feature_set(text).map_err(failure)?];
            return Ok(Self::with_default_losses(Inputs::Features(sets), ValueKind::Wdl));
        }
        let named = Named::read(text)?;
        if let Named::Recipe(recipe) = &named {
            return Self::of_recipe(recipe);
        }
        let spec = named.spec();
        Ok(Self::with_default_losses(spec.inputs().map_err(failure)?, spec.value_kind()))
    }

    /// An encoding without a recipe: its targets are those of the default losses.
    fn with_default_losses(inputs: Inputs, value: ValueKind) -> Self {
        Self { inputs, losses: LossConfig::default(), value, mirrored: false }
    }

    /// The encoding of a recipe, with its targets.
    pub(crate) fn of_recipe(recipe: &Recipe) -> PyResult<Self> {
        Ok(Self {
            inputs: recipe.network.inputs().map_err(failure)?,
            losses: recipe.losses,
            value: recipe.network.value_kind(),
            mirrored: recipe.training.mirror,
        })
    }
}

/// Name, planes, channels and history of every input encoding, then names of the sets of features and of the move encodings.
type Encodings = (Vec<(&'static str, usize, usize, usize)>, Vec<&'static str>, Vec<(&'static str, usize)>);

/// Every encoding.
#[pyo3::pyfunction]
pub(crate) fn encodings() -> Encodings {
    let inputs = INPUTS.iter().map(|input| (input.name(), input.planes(), input.channels(), input.history()));
    let features = FEATURES.iter().map(|set| set.name());
    let moves = MOVES.iter().map(|moves| (moves.name(), moves.size()));
    (inputs.collect(), features.collect(), moves.collect())
}
