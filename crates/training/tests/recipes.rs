//! The networks of the repository's recipes have the parameter counts that their projects state.
#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::path::Path;

use training::Recipe;

/// Number of parameters of a recipe's network.
fn parameters(name: &str) -> usize {
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    Recipe::read(&recipes.join(name)).unwrap().network.parameter_count().unwrap()
}

/// Number of parameters of a fully connected layer.
fn dense(inputs: usize, outputs: usize) -> usize {
    inputs * outputs + outputs
}

/// The sheet's count for SL V3 is 10.6 million parameters.
#[test]
fn knights_sl_has_10_6_million_parameters() {
    let expected = 6 * 64 * 64 + 64 + dense(64, 1024) + dense(1024, 2048) + dense(2048, 4096);
    assert_eq!(parameters("knights-sl"), expected);
}

/// The sheet's counts for the generations before the last (E8, knights-el).
#[test]
fn the_generations_of_knights_and_kernels_have_their_parameters() {
    let after = dense(1024, 2048) + dense(2048, 4096);
    let (first_policy, last_policy) = (dense(66, 1024) + after, dense(3 * 64, 64) + dense(64, 1024) + after);
    let second_policy = dense(9, 64) + dense(64 * 64, 1024) + after;
    for (name, expected) in [
        ("knights-e1", 52_305),
        ("knights-e3", 297_377),
        ("knights-e4", 299_377),
        ("knights-e7", 298_353),
        ("knights-el", 230_153),
        ("knights-report", 422_255),
        ("knights-sl-1", first_policy),
        ("knights-sl-2", second_policy),
        ("knights-sl-4", last_policy),
    ] {
        assert_eq!(parameters(name), expected, "{name}");
    }
}
