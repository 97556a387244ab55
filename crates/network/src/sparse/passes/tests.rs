//! Compares the passes of whole networks with the plain reference, and their gradients with finite differences of its
//! outputs.

use std::sync::Mutex;

use super::*;
use crate::{
    Provenance, Spec, Weights,
    architecture::Architecture,
    sparse::tests::reference::SparseReference,
    synthetic::{batch, positions, tiny_sparse_spec},
};

/// An objective that is a weighted sum of all outputs of the network.
struct Weighted<'a> {
    batch: &'a Batch,
    outputs: Vec<f32>,
    logits: Vec<f32>,
}

impl<'a> Weighted<'a> {
    fn new(batch: &'a Batch) -> Self {
        let wave = |count: usize| (0..count).map(|number| (number as f32 * 1.7).sin()).collect();
        Self { batch, outputs: wave(3 * batch.size), logits: wave(batch.policy.len()) }
    }

    fn of(&self, outputs: &Outputs) -> f64 {
        let sum = |values: &[f32], weights: &[f32]| -> f64 {
            values.iter().zip(weights).map(|(value, weight)| f64::from(value * weight)).sum()
        };
        sum(&outputs.values, &self.outputs) + sum(&outputs.logits, &self.logits)
    }
}

impl SparseObjective for Weighted<'_> {
    fn value(&self, samples: Range<usize>, outputs: &[f32], gradient: &mut [f32]) -> f64 {
        let weights = &self.outputs[3 * samples.start..3 * samples.end];
        gradient.copy_from_slice(weights);
        outputs.iter().zip(weights).map(|(value, weight)| f64::from(value * weight)).sum()
    }

    fn policy(&self, samples: Range<usize>, logits: &mut [f32]) -> f64 {
        let moves =
            self.batch.legal_offsets[samples.start] as usize..self.batch.legal_offsets[samples.end] as usize;
        let sum = logits
            .iter()
            .zip(&self.logits[moves.clone()])
            .map(|(value, weight)| f64::from(value * weight))
            .sum();
        logits.copy_from_slice(&self.logits[moves]);
        sum
    }
}

fn architecture(spec: &Spec) -> (Architecture, Parameters) {
    let architecture = Architecture::new(spec).unwrap();
    let mut parameters = architecture.initial_parameters(3).unwrap();
    // Heads that start close to zero would hide errors.
    for (number, value) in parameters.iter_mut().flatten().enumerate() {
        *value += 0.1 * (number as f32).sin();
    }
    (architecture, parameters)
}

fn specs() -> [Spec; 2] {
    let shared = r#"
        kind = "sparse"
        features = "threats"
        width = 64
        clipping = "squared"
        hidden = [16]
        buckets = 8
    "#;
    [tiny_sparse_spec(), Spec::from_toml(shared).unwrap()]
}

fn passes(isa: Isa, architecture: &Architecture) -> SparsePasses {
    passes_in(TrainingPrecision::F32, isa, architecture)
}

fn passes_in(precision: TrainingPrecision, isa: Isa, architecture: &Architecture) -> SparsePasses {
    SparsePasses::on(isa, SparseLayout::new(architecture.sparse().unwrap()).unwrap(), precision)
}

#[test]
fn answers_are_those_of_the_reference() {
    let games = positions(70, 4);
    for spec in specs() {
        let (architecture, parameters) = architecture(&spec);
        let weights = Weights::new(&architecture, &parameters, &Parameters::new(), Provenance::default());
        let reference = SparseReference::new(&weights).unwrap();
        let batch = batch(&spec, &games, 1);
        for isa in Isa::available() {
            let outputs =
                passes(isa, &architecture).forward(&parameters, NormStatistics::Batch, &batch).unwrap();
            for (number, game) in games.iter().enumerate() {
                let close = |found: &[f32], expected: &[f32]| {
                    let pairs = found.iter().zip(expected);
                    found.len() == expected.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-4)
                };
                let values = &outputs.values[3 * number..3 * number + 3];
                let expected = reference.value_logits(game.position());
                assert!(close(values, &expected), "{isa}: {values:?} for {expected:?}");
                let moves = batch.legal_offsets[number] as usize..batch.legal_offsets[number + 1] as usize;
                let legal: Vec<_> = game.legal_moves().into_iter().collect();
                let expected = reference.move_logits(game.position(), &legal);
                assert!(close(&outputs.logits[moves], &expected), "{isa}: moves of {}", game.fen());
            }
        }
    }
}

#[test]
fn gradients_are_differences_of_answers() {
    const STEP: f32 = 2e-3;
    for spec in specs() {
        let (architecture, mut parameters) = architecture(&spec);
        let batch = batch(&spec, &positions(50, 9), 1);
        let objective = Weighted::new(&batch);
        let mut passes = passes(Isa::Portable, &architecture);
        passes.begin(&batch).unwrap();
        let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        let losses = passes.gradients(&slices, &batch, &objective);
        let outputs = passes.forward(&parameters, NormStatistics::Batch, &batch).unwrap();
        assert!((losses.value + losses.policy - objective.of(&outputs)).abs() < 1e-3);
        passes.begin(&batch).unwrap();
        let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        passes.gradients(&slices, &batch, &objective);
        let gradients = dense(&passes);
        for (number, gradient) in gradients.iter().enumerate() {
            // The largest element, and some others.
            let largest =
                (0..gradient.len()).max_by(|a, b| gradient[*a].abs().total_cmp(&gradient[*b].abs()));
            let (mut close, mut seen) = (0, 0);
            for at in [largest.unwrap()].into_iter().chain((0..8).map(|part| part * gradient.len() / 8)) {
                let mut moved = |by: f32| {
                    let value = parameters[number][at];
                    parameters[number][at] = value + by;
                    let sum =
                        objective.of(&passes.forward(&parameters, NormStatistics::Batch, &batch).unwrap());
                    parameters[number][at] = value;
                    sum
                };
                let expected = (moved(STEP) - moved(-STEP)) / f64::from(2.0 * STEP);
                let found = f64::from(gradient[at]);
                seen += 1;
                close += usize::from((found - expected).abs() < 0.02 + 0.03 * expected.abs());
            }
            // A finite difference across a kink, where a sum is clipped, is not a gradient.
            let name = &architecture.parameters()[number].name;
            assert!(close + 1 >= seen, "{name}: {close} of {seen} agree");
            assert!(gradient.iter().any(|value| *value != 0.0), "{name} has no gradient");
        }
    }
}

/// The gradients of the last batch, with all rows.
fn dense(passes: &SparsePasses) -> Vec<Vec<f32>> {
    let shapes = &passes.layout().shapes;
    let dense = |(gradient, [rows, columns]): (Gradient<'_>, &[usize; 2])| match gradient {
        Gradient::Whole(values) => values.to_vec(),
        Gradient::Rows(gradient) => {
            let mut values = vec![0.0; rows * columns];
            gradient.write(0..*rows, &mut values);
            values
        }
    };
    passes.last().into_iter().zip(shapes).map(dense).collect()
}

#[test]
fn threads_change_nothing() {
    let spec = tiny_sparse_spec();
    let (architecture, parameters) = architecture(&spec);
    let batch = batch(&spec, &positions(333, 2), 1);
    let found = Mutex::new(Vec::new());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut passes = passes(Isa::chosen().unwrap(), &architecture);
            passes.begin(&batch).unwrap();
            let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
            let losses = passes.gradients(&slices, &batch, &Weighted::new(&batch));
            found.lock().unwrap().push((losses.policy, losses.value, dense(&passes)));
        });
    }
    let found = found.into_inner().unwrap();
    assert!(found[0] == found[1]);
}

#[test]
fn samples_without_moves_are_left_out_of_the_policy() {
    let spec = tiny_sparse_spec();
    let (architecture, parameters) = architecture(&spec);
    let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
    let whole = batch(&spec, &positions(200, 2), 1);
    let mut without_moves = whole.clone();
    let mut without_features = whole.clone();
    for sample in (0..200).rev().filter(|sample| sample % 3 != 0) {
        for batch in [&mut without_moves, &mut without_features] {
            let moves = batch.legal_offsets[sample] as usize..batch.legal_offsets[sample + 1] as usize;
            batch.policy.drain(moves.clone());
            batch.sparse.move_rows.drain(moves.clone());
            batch.sparse.kind_rows.drain(moves.clone());
            batch.legal_offsets[sample + 1..].iter_mut().for_each(|offset| *offset -= moves.len() as u32);
        }
        let features = &mut without_features.sparse.features[1];
        let read = features.offsets[sample] as usize..features.offsets[sample + 1] as usize;
        features.numbers.drain(read.clone());
        features.offsets[sample + 1..].iter_mut().for_each(|offset| *offset -= read.len() as u32);
    }
    for precision in [TrainingPrecision::F32, TrainingPrecision::Bf16] {
        let found = |batch: &Batch| {
            let mut passes = passes_in(precision, Isa::chosen().unwrap(), &architecture);
            // State left by an earlier batch does not matter.
            for batch in [&whole, batch] {
                passes.begin(batch).unwrap();
                passes.gradients(&slices, batch, &Weighted::new(batch));
            }
            dense(&passes)
        };
        let found = [&without_moves, &without_features].map(found);
        assert!(found[0] == found[1]);
        let bias = architecture.parameters().iter().position(|shape| shape.name == "policy.table.bias");
        assert!(found[0][bias.unwrap()].iter().any(|value| *value != 0.0));
    }
}

#[test]
fn gradients_beyond_the_limit_are_reported() {
    let spec = tiny_sparse_spec();
    let (architecture, parameters) = architecture(&spec);
    let batch = batch(&spec, &positions(70, 2), 1);
    let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
    let is_bounded = |objective: &Weighted<'_>| {
        let mut passes = passes(Isa::chosen().unwrap(), &architecture);
        passes.begin(&batch).unwrap();
        passes.gradients(&slices, &batch, objective).is_bounded
    };
    let objective = Weighted::new(&batch);
    assert!(is_bounded(&objective));
    for beyond in [2.0 * GRADIENT_LIMIT, f32::NAN] {
        let mut objective = Weighted::new(&batch);
        objective.outputs[3 * 66] = beyond;
        assert!(!is_bounded(&objective), "value {beyond}");
        let mut objective = Weighted::new(&batch);
        objective.logits[7] = beyond;
        assert!(!is_bounded(&objective), "policy {beyond}");
    }
}

#[test]
fn batches_of_other_networks_are_refused() {
    let (architecture, _) = architecture(&tiny_sparse_spec());
    let mut passes = passes(Isa::Portable, &architecture);
    let games = positions(3, 1);
    let planes = batch(&crate::synthetic::tiny_spec(), &games, 1);
    let refused = passes.begin(&planes).unwrap_err().to_string();
    assert!(refused.contains("0 lists of features for a network that reads 2"), "{refused}");
    let mut other = batch(&tiny_sparse_spec(), &games, 1);
    other.sparse.features[1].numbers[0] = 5000;
    let refused = passes.begin(&other).unwrap_err().to_string();
    assert!(refused.contains("features up to 5000 for a table of 768"), "{refused}");
}

#[test]
fn gradients_of_sixteen_bits_point_where_exact_ones_do() {
    for spec in specs() {
        let (architecture, parameters) = architecture(&spec);
        let batch = batch(&spec, &positions(200, 3), 1);
        let slices: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        let found = |precision, isa| {
            let mut passes = passes_in(precision, isa, &architecture);
            // State left by an earlier batch does not matter.
            for batch in [&crate::synthetic::batch(&spec, &positions(50, 8), 2), &batch] {
                passes.begin(batch).unwrap();
                passes.gradients(&slices, batch, &Weighted::new(batch));
            }
            dense(&passes)
        };
        for isa in Isa::available() {
            let exact = found(TrainingPrecision::F32, isa);
            let rounded = found(TrainingPrecision::Bf16, isa);
            for ((exact, rounded), shape) in exact.iter().zip(&rounded).zip(architecture.parameters()) {
                let sum = |a: &[f32], b: &[f32]| -> f64 {
                    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
                };
                let cosine = sum(exact, rounded) / (sum(exact, exact) * sum(rounded, rounded)).sqrt();
                // Rounding moves some sums across the clipping bounds, where their gradients appear or vanish.
                assert!(cosine > 0.99, "{isa}: cosine of {}: {cosine}", shape.name);
            }
            assert!(exact != rounded, "{isa}: nothing was rounded");
        }
    }
}
