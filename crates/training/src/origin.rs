//! The network from which a run starts, instead of random weights.

use network::{NetworkError, Origin, Spec, Weights};

use crate::recipe::differences;

/// The origin of a run that starts from this network's weights.
pub(crate) fn origin_of(weights: &Weights) -> Result<Origin, NetworkError> {
    let hash = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&weights.to_bytes()?));
    Ok(Origin { name: weights.provenance.name.clone(), hash })
}

/// Initial weights of a recipe's network from a given network: equal weights for an equal specification,
/// [`Weights::grown`] if the recipe's network only has additions that do not change any output.
///
/// # Errors
/// [`NetworkError::Invalid`] with the first key that differs.
pub(crate) fn fitted(recipe: &Spec, weights: &Weights) -> Result<Weights, NetworkError> {
    let fitted = weights.grown(recipe)?.unwrap_or_else(|| weights.clone());
    check_same_spec(recipe, &fitted)?;
    Ok(fitted)
}

/// Checks that a network has the specification of the recipe.
///
/// # Errors
/// [`NetworkError::Invalid`] with the first key that differs.
fn check_same_spec(recipe: &Spec, weights: &Weights) -> Result<(), NetworkError> {
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
