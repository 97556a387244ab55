//! The network that a run starts from instead of random weights.

use serde::{Deserialize, Serialize};

use crate::{NetworkError, Spec, Weights, recipe::differences};

/// Which network a run started from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Its name.
    pub name: String,
    /// XXH3 of its weights file, 128 bits, hexadecimal.
    pub hash: String,
}

impl Origin {
    /// The origin that a run with this network's weights has.
    ///
    /// # Errors
    /// As [`Weights::to_bytes`].
    pub(crate) fn of(weights: &Weights) -> Result<Self, NetworkError> {
        let hash = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&weights.to_bytes()?));
        Ok(Self { name: weights.provenance.name.clone(), hash })
    }
}

/// That a network has the shape a recipe asks for.
///
/// # Errors
/// [`NetworkError::Invalid`] with the first key that differs.
pub(crate) fn check_same_spec(recipe: &Spec, weights: &Weights) -> Result<(), NetworkError> {
    let name = &weights.provenance.name;
    match differences(&weights.spec.to_toml()?, &recipe.to_toml()?)?.into_iter().next() {
        None => Ok(()),
        Some(difference) => Err(NetworkError::Invalid {
            place: "recipe".into(),
            field: format!("network.{}", difference.key),
            found: difference.after,
            expected: format!("{}, as in the network {name} that the run starts from", difference.before),
        }),
    }
}
