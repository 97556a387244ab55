//! Compares the row optimiser with the dense one, which updates every parameter in every step.

use super::*;
use crate::{
    Spec,
    architecture::Architecture,
    optimiser::{OptimiserState, clip, squares},
    passes::Gradient,
    synthetic::{batch, positions, tiny_sparse_spec},
    trainable::laws::Parabolas,
};

fn batches(spec: &Spec, count: usize) -> Vec<Batch> {
    // Few positions at a time, so that most rows have no gradient in most steps.
    let games = positions(4 * count, 1);
    games.chunks(4).enumerate().map(|(number, games)| batch(spec, games, number as u64)).collect()
}

#[test]
fn rows_move_as_by_the_optimiser_of_all_numbers() {
    let spec = tiny_sparse_spec();
    let architecture = Architecture::new(&spec).unwrap();
    let parameters = architecture.initial_parameters(1).unwrap();
    for clip_norm in [0.0, 0.3] {
        let config = OptimiserConfig { clip_norm, weight_decay: 0.1, ..OptimiserConfig::default() };
        let mut rows = SparseTrainable::new(architecture.sparse().unwrap(), &parameters, config).unwrap();
        let mut whole = OptimiserState::new(&parameters, config).unwrap();
        let mut values = parameters.clone();
        for (step, batch) in batches(&spec, 60).iter().enumerate() {
            let rate = 0.01 / (1.0 + step as f32 / 20.0);
            assert!(rows.gradients(batch, &Parabolas, 0).unwrap().is_bounded);
            let mut gradients = dense(&rows, &architecture);
            let squares: Vec<f64> = gradients.iter().map(|values| squares(values)).collect();
            let norm = squares.iter().sum::<f64>().sqrt() as f32;
            clip(&mut gradients, norm, clip_norm);
            for (found, expected) in rows.step(rate).unwrap().into_iter().zip(squares) {
                assert!((found - expected).abs() <= 1e-5 * expected, "{found} for {expected}");
            }
            whole.step(architecture.parameters(), &mut values, &gradients, rate);
        }
        for (number, (found, expected)) in rows.averaged().iter().zip(whole.averaged(&values)).enumerate() {
            let name = &architecture.parameters()[number].name;
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-6 + 1e-5 * expected.abs(),
                    "{name}: {found} for {expected}"
                );
            }
        }
    }
}

fn dense(rows: &SparseTrainable, architecture: &Architecture) -> Parameters {
    let dense = |(gradient, shape): (Gradient<'_>, &ParameterShape)| match gradient {
        Gradient::Whole(values) => values.to_vec(),
        Gradient::Rows(gradient) => {
            let mut values = vec![0.0; shape.rows * shape.columns];
            gradient.write(0..shape.rows, &mut values);
            values
        }
    };
    rows.passes.last().into_iter().zip(architecture.parameters()).map(dense).collect()
}
