//! The network that a run starts from instead of random weights.

use network::{NetworkError, Origin, Spec, Weights};

use crate::recipe::differences;

/// The origin that a run with this network's weights has.
pub(crate) fn origin_of(weights: &Weights) -> Result<Origin, NetworkError> {
    let hash = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&weights.to_bytes()?));
    Ok(Origin { name: weights.provenance.name.clone(), hash })
}

/// The weights with which a recipe's network starts from a network: its own or, where the recipe's is the same with additions that
/// change no answer, as [`Weights::grown`]. The value of a sparse network may be static from here on and not before: it has the same
/// parameters, and learns from other labels.
///
/// # Errors
/// [`NetworkError::Invalid`] with the first key that differs.
pub(crate) fn fitted(recipe: &Spec, weights: &Weights) -> Result<Weights, NetworkError> {
    let mut fitted = weights.grown(recipe)?.unwrap_or_else(|| weights.clone());
    if let (Spec::Sparse(before), Spec::Sparse(after)) = (&mut fitted.spec, recipe) {
        before.static_value = after.static_value;
    }
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
