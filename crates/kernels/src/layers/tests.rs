//! Tests that results do not depend on threads, instruction sets or the rest of a batch. The layers are tested against
//! their definition in the crate that describes networks.

mod attention;
mod eight_bits;
mod layer_norm;

use std::ops::Range;

use chess::encoding::Plane;

use super::*;
use crate::{Activation, Isa, Precision};

/// Layers of many kinds and sizes, including a dense layer whose weights are read strip by strip.
fn list() -> List {
    let mut list = List {
        inputs: vec![Shape { channels: 5, ranks: 8, files: 8 }, Shape::flat(3)],
        channels: (0..8).collect(),
        steps: Vec::new(),
        outputs: Vec::new(),
    };
    let board = Patch { ranks: 3, files: 3, stride: 1, margin: 1 };
    let convolution = |patch: Patch| Operation::Convolution { patch, bias: true };
    let square = |channels, side| Shape { channels, ranks: side, files: side };
    let mut step = |operation, inputs: &[usize], shape, (first, count): (usize, usize), statistics| {
        let parameters = first..first + count;
        list.steps.push(Step { operation, inputs: inputs.to_vec(), shape, parameters, statistics });
    };
    step(convolution(board), &[0], square(20, 8), (0, 2), None);
    step(Operation::BatchNorm, &[2], square(20, 8), (2, 2), Some(0));
    step(Operation::Activation(Activation::Mish), &[3], square(20, 8), (4, 0), None);
    step(convolution(Patch { margin: 0, ..board }), &[4], square(7, 6), (4, 2), None);
    step(convolution(Patch { ranks: 5, files: 5, stride: 1, margin: 1 }), &[4], square(7, 6), (6, 2), None);
    step(Operation::Sum, &[5, 6], square(7, 6), (8, 0), None);
    let patch = Patch { ranks: 2, files: 2, stride: 2, margin: 0 };
    step(Operation::Pool { method: Pooling::Max, patch }, &[7], square(7, 3), (8, 0), None);
    step(Operation::Flatten, &[8], Shape::flat(63), (8, 0), None);
    step(Operation::Join, &[9, 1], Shape::flat(66), (8, 0), None);
    step(convolution(Patch::SQUARE), &[10], Shape::flat(4100), (8, 2), None);
    step(Operation::Activation(Activation::Tanh), &[11], Shape::flat(4100), (10, 0), None);
    step(convolution(Patch::SQUARE), &[12], Shape::flat(9), (10, 2), None);
    list.outputs = vec![13];
    list
}

fn numbers(count: usize, scale: f32) -> Vec<f32> {
    let mut state = count as u64 + 1;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| scale * random()).collect()
}

fn parameters(list: &List) -> Vec<Vec<f32>> {
    list.parameter_lengths().into_iter().map(|count| numbers(count, 0.2)).collect()
}

fn planes(boards: usize) -> Vec<Plane> {
    let plane = |number: u64| Plane { mask: number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, value: 1.0 };
    (0..boards as u64 * 8).map(|number| plane(number + 1)).collect()
}

/// The outputs, and the gradients of all parameters when every output has a gradient of one.
fn pass(isa: Isa, threads: usize, boards: usize) -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let list = list();
    let parameters = parameters(&list);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut layers = TrainingLayers::new(&list, isa, Precision::F32).unwrap();
        let outputs = layers.forward(&parameters, &planes(boards), NormStatistics::Batch, None).unwrap();
        let gradient = vec![1.0; boards * 9];
        (outputs, layers.backward(&parameters, &[&gradient]).unwrap())
    })
}

fn assert_close(found: &[Vec<f32>], expected: &[Vec<f32>], what: &str) {
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        // The gradient of a bias before a normalisation is zero up to rounding.
        let most = expected.iter().fold(0.1_f32, |most, value| most.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3 * most, "{what}, {number}: {found} and {expected}");
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for isa in Isa::available() {
        assert_eq!(pass(isa, 1, 37), pass(isa, 3, 37), "{isa}");
    }
}

#[test]
fn instruction_sets_agree() {
    let (outputs, gradients) = pass(Isa::Portable, 2, 19);
    for isa in Isa::available() {
        let found = pass(isa, 2, 19);
        assert_close(&found.0, &outputs, &format!("{isa}: outputs"));
        assert_close(&found.1, &gradients, &format!("{isa}: gradients"));
    }
}

/// In play, where the normalisation is folded into the weights, a network gives the same outputs as in training, bit
/// for bit and independent of the rest of the batch.
#[test]
fn play_answers_as_training_does_with_stored_statistics() {
    let list = list();
    let parameters = parameters(&list);
    let statistics = vec![[vec![0.1; 20], vec![0.7; 20]].concat()];
    for isa in Isa::available() {
        let mut training = TrainingLayers::new(&list, isa, Precision::F32).unwrap();
        let stored = NormStatistics::Stored(&statistics);
        let expected = training.forward(&parameters, &planes(21), stored, None).unwrap();
        let layers = PlayLayers::new(&list, isa, Precision::F32, &parameters, &statistics).unwrap();
        let mut arena = layers.arena();
        let together = layers.run(&mut arena, &planes(21)).unwrap();
        assert_close(&together, &expected, &isa.to_string());
        for (board, planes) in planes(21).chunks_exact(8).enumerate() {
            let alone = layers.run(&mut arena, planes).unwrap();
            assert_eq!(alone[0], together[0][board * 9..(board + 1) * 9], "{isa}, board {board}");
        }
    }
}

/// Layers over eight planes of the board, each of which reads the one before it.
fn chain<const LAYERS: usize>(steps: [(Operation, Shape, Range<usize>); LAYERS]) -> List {
    let step = |(place, (operation, shape, parameters))| Step {
        operation,
        inputs: vec![place],
        shape,
        parameters,
        statistics: None,
    };
    List {
        inputs: vec![Shape { channels: 8, ranks: 8, files: 8 }],
        channels: (0..8).collect(),
        steps: steps.into_iter().enumerate().map(step).collect(),
        outputs: vec![LAYERS],
    }
}

/// A normalisation and a gate, each with a skip connection and an activation, over maps of one square, so that every value can be an
/// output. `shown` are outputs beside the last.
fn residual(shown: &[usize]) -> List {
    let (one, everything) = (Shape::flat(20), Patch { ranks: 8, files: 8, stride: 1, margin: 0 });
    let dense = |bias| Operation::Convolution { patch: Patch::SQUARE, bias };
    let convolution = Operation::Convolution { patch: everything, bias: false };
    let steps = [
        (convolution, vec![0], one, 0..1),
        (Operation::BatchNorm, vec![1], one, 1..3),
        (Operation::Activation(Activation::Mish), vec![2], one, 3..3),
        (dense(false), vec![3], one, 3..4),
        (Operation::BatchNorm, vec![4], one, 4..6),
        (Operation::Sum, vec![5, 3], one, 6..6),
        (Operation::Activation(Activation::Swish), vec![6], one, 6..6),
        (dense(true), vec![7], Shape::flat(40), 6..8),
        (dense(false), vec![7], one, 8..9),
        (Operation::Gate, vec![9, 8], one, 9..9),
        (Operation::Sum, vec![7, 10], one, 9..9),
        (Operation::Activation(Activation::Mish), vec![11], one, 9..9),
    ];
    let mut normalisations = 0..;
    let step = |(operation, inputs, shape, parameters)| Step {
        statistics: (operation == Operation::BatchNorm).then(|| normalisations.next()).flatten(),
        operation,
        inputs,
        shape,
        parameters,
    };
    List {
        inputs: vec![Shape { channels: 8, ranks: 8, files: 8 }],
        channels: (0..8).collect(),
        steps: steps.into_iter().map(step).collect(),
        outputs: [&[12], shown].concat(),
    }
}

/// Values that are outputs too are computed one layer after the other.
#[test]
fn layers_computed_together_give_what_they_give_alone() {
    const BOARDS: usize = 11;
    let (together, alone) = (residual(&[]), residual(&[2, 5, 6, 10, 11]));
    assert_eq!(together.chains().iter().map(|chain| chain.followers).sum::<usize>(), 5);
    assert!(alone.chains().iter().all(|chain| chain.followers == 0));
    let (parameters, planes) = (parameters(&together), planes(BOARDS));
    let (gradient, nothing) = (numbers(BOARDS * 20, 1.0), vec![0.0; BOARDS * 20]);
    for isa in Isa::available() {
        let run = |list: &List, gradients: &[&[f32]]| {
            let mut layers = TrainingLayers::new(list, isa, Precision::F32).unwrap();
            let outputs = layers.forward(&parameters, &planes, NormStatistics::Batch, None).unwrap();
            let statistics = layers.statistics().to_vec();
            let played = PlayLayers::new(list, isa, Precision::F32, &parameters, &statistics).unwrap();
            let played = played.run(&mut played.arena(), &planes).unwrap();
            assert_close(&played, &outputs, &format!("{isa}: play"));
            (outputs[0].clone(), layers.backward(&parameters, gradients).unwrap())
        };
        let found = run(&together, &[&gradient]);
        let expected = run(&alone, &[&gradient, &nothing, &nothing, &nothing, &nothing, &nothing]);
        assert_close(&[found.0], &[expected.0], &format!("{isa}: outputs"));
        assert_close(&found.1, &expected.1, &format!("{isa}: gradients"));
    }
}

/// A layer with too many weights for the cache, before a layer that has only one tap on the map.
fn wide() -> List {
    let square = |channels, side| Shape { channels, ranks: side, files: side };
    let board = Patch { ranks: 3, files: 3, stride: 1, margin: 1 };
    let everything = Patch { ranks: 8, files: 8, stride: 1, margin: 0 };
    let convolution = |patch| Operation::Convolution { patch, bias: false };
    let pool = Operation::Pool { method: Pooling::Average, patch: everything };
    let steps = [
        (convolution(Patch::SQUARE), square(370, 8), 0..1),
        (convolution(board), square(360, 8), 1..2),
        (pool, square(360, 1), 2..2),
        (convolution(board), Shape::flat(4), 2..3),
    ];
    chain(steps)
}

#[test]
fn wide_layers_give_what_they_give_for_each_board() {
    const BOARDS: usize = 33;
    let list = wide();
    let (parameters, planes) = (parameters(&list), planes(BOARDS));
    let gradient = numbers(BOARDS * 4, 1.0);
    let run = |planes: &[Plane], gradient: &[f32], threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut layers = TrainingLayers::new(&list, Isa::chosen().unwrap(), Precision::F32).unwrap();
            let outputs = layers.forward(&parameters, planes, NormStatistics::Batch, None).unwrap();
            (outputs, layers.backward(&parameters, &[gradient]).unwrap())
        })
    };
    let (outputs, gradients) = run(&planes, &gradient, 1);
    assert_eq!((&outputs, &gradients), (&run(&planes, &gradient, 3).0, &run(&planes, &gradient, 2).1));
    let mut sums: Vec<Vec<f32>> = gradients.iter().map(|gradient| vec![0.0; gradient.len()]).collect();
    for board in 0..BOARDS {
        let (planes, gradient) = (&planes[board * 8..][..8], &gradient[board * 4..][..4]);
        let (alone, terms) = run(planes, gradient, 1);
        assert_eq!(alone[0], outputs[0][board * 4..][..4], "board {board}");
        for (sum, term) in sums.iter_mut().flatten().zip(terms.iter().flatten()) {
            *sum += term;
        }
    }
    assert_close(&gradients, &sums, "sums over the boards");
}

/// A list whose batches are computed in parts: a convolution and a dense layer.
fn narrow() -> List {
    let patch = Patch { ranks: 5, files: 5, stride: 1, margin: 1 };
    let map = Shape { channels: 9, ranks: 6, files: 6 };
    let convolution = |patch| Operation::Convolution { patch, bias: true };
    let steps = [
        (convolution(patch), map, 0..2),
        (Operation::Activation(Activation::Mish), map, 2..2),
        (Operation::Flatten, Shape::flat(324), 2..2),
        (convolution(Patch::SQUARE), Shape::flat(3), 2..4),
    ];
    chain(steps)
}

/// As many parts as have sums of their own, more, and a last one that is not full; after a larger batch a smaller one.
#[test]
fn a_batch_in_parts_gives_what_its_boards_give() {
    let list = narrow();
    let parameters = parameters(&list);
    let run = |layers: &mut TrainingLayers, planes: &[Plane], gradient: &[f32]| {
        let outputs = layers.forward(&parameters, planes, NormStatistics::Batch, None).unwrap();
        (outputs, layers.backward(&parameters, &[gradient]).unwrap())
    };
    let new = || TrainingLayers::new(&list, Isa::chosen().unwrap(), Precision::F32).unwrap();
    let (mut parts, mut alone) = (new(), new());
    for boards in [256 * 32 + 70, 700] {
        let (planes, gradient) = (planes(boards), numbers(boards * 3, 1.0));
        let found = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&mut parts, &planes, &gradient))
        });
        assert_eq!(found[0], found[1], "{boards} boards");
        let [(outputs, gradients), _] = found;
        let mut sums: Vec<Vec<f32>> = gradients.iter().map(|gradient| vec![0.0; gradient.len()]).collect();
        // No batch of up to 256 boards is divided.
        for (number, planes) in planes.chunks(8 * 250).enumerate() {
            let place = number * 250 * 3..(number * 250 + planes.len() / 8) * 3;
            let (expected, terms) = run(&mut alone, planes, &gradient[place.clone()]);
            assert_eq!(expected[0], outputs[0][place], "{boards} boards, {number}");
            for (sum, term) in sums.iter_mut().flatten().zip(terms.iter().flatten()) {
                *sum += term;
            }
        }
        assert_close(&gradients, &sums, &format!("gradients of {boards} boards"));
        parts.give_back(gradients);
    }
}

#[test]
fn gradients_in_the_place_of_others_are_the_same() {
    let list = wide();
    let (parameters, planes, gradient) = (parameters(&list), planes(3), numbers(12, 1.0));
    let mut layers = TrainingLayers::new(&list, Isa::chosen().unwrap(), Precision::F32).unwrap();
    let mut gradients = |others: Vec<Vec<f32>>| {
        layers.give_back(others);
        layers.forward(&parameters, &planes, NormStatistics::Batch, None).unwrap();
        layers.backward(&parameters, &[&gradient]).unwrap()
    };
    let expected = gradients(Vec::new());
    let others: Vec<Vec<f32>> = expected.iter().map(|values| vec![f32::NAN; values.len()]).collect();
    assert_eq!(gradients(others), expected);
    // Only the centre tap of a 3x3 kernel over one square has a gradient.
    let taps = expected[2].chunks_exact(360 * 4).map(|tap| tap.iter().any(|value| *value != 0.0));
    assert_eq!(taps.collect::<Vec<_>>(), [false, false, false, false, true, false, false, false, false]);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut List)| {
        let mut list = list();
        change(&mut list);
        TrainingLayers::new(&list, Isa::Portable, Precision::F32).err().unwrap().to_string()
    };
    assert_eq!(refused(&|list| list.steps[5].inputs = vec![5, 4]), "layer 5: found size 252, expected 0");
    assert_eq!(
        refused(&|list| list.steps[1].statistics = None),
        "layer 1: statistics: found size 0, expected 1"
    );
    assert_eq!(refused(&|list| list.outputs = vec![8]), "place of an output: found size 8, expected 14");
    let list = list();
    let mut layers = TrainingLayers::new(&list, Isa::Portable, Precision::F32).unwrap();
    let mut short = parameters(&list);
    short[4].pop();
    let message = layers.forward(&short, &planes(1), NormStatistics::Batch, None).unwrap_err().to_string();
    assert_eq!(message, "parameter 4: found size 1259, expected 1260");
    let parameters = parameters(&list);
    let message = layers.forward(&parameters, &planes(1)[1..], NormStatistics::Batch, None).unwrap_err();
    assert_eq!(message.to_string(), "planes of a batch (8 each): found size 7, expected 8");
    layers.forward(&parameters, &planes(2), NormStatistics::Batch, None).unwrap();
    let message = layers.backward(&parameters, &[&[1.0; 9]]).unwrap_err().to_string();
    assert_eq!(message, "gradients of the outputs: found size 9, expected 18");
}

/// Convolutions over the board, a normalisation between them, a mean and a dense layer.
fn board(activation: Activation) -> List {
    let map = |channels| Shape { channels, ranks: 8, files: 8 };
    let three = Patch { ranks: 3, files: 3, stride: 1, margin: 1 };
    let everything = Patch { ranks: 8, files: 8, stride: 1, margin: 0 };
    let convolution = |patch| Operation::Convolution { patch, bias: false };
    let pool = Operation::Pool { method: Pooling::Average, patch: everything };
    let mut list = chain([
        (convolution(three), map(24), 0..1),
        (Operation::BatchNorm, map(24), 1..3),
        (Operation::Activation(activation), map(24), 3..3),
        (convolution(three), map(20), 3..4),
        (Operation::Activation(activation), map(20), 4..4),
        (convolution(Patch::SQUARE), map(40), 4..5),
        (pool, Shape::flat(40), 5..5),
        (convolution(Patch::SQUARE), Shape::flat(120), 5..6),
    ]);
    list.steps[1].statistics = Some(0);
    list
}

/// A bf16 rounds a number to within 1/256, which adds up to a few hundredths over the layers. A ReLU would switch on and off with the
/// rounding.
#[test]
fn sixteen_bit_gradients_are_near_those_of_32_bits() {
    const BOARDS: usize = 40;
    let list = board(Activation::Mish);
    let (parameters, planes, gradient) = (parameters(&list), planes(BOARDS), numbers(BOARDS * 120, 1.0));
    let gradients = |isa: Isa, precision: Precision, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut layers = TrainingLayers::new(&list, isa, precision).unwrap();
            layers.forward(&parameters, &planes, NormStatistics::Batch, None).unwrap();
            layers.backward(&parameters, &[&gradient]).unwrap().concat()
        })
    };
    let length =
        |values: &mut dyn Iterator<Item = f32>| values.map(|value| value * value).sum::<f32>().sqrt();
    let far = |found: &[f32], expected: &[f32]| {
        let off = length(&mut found.iter().zip(expected).map(|(found, expected)| found - expected));
        off / length(&mut expected.iter().copied())
    };
    let expected = gradients(Isa::Portable, Precision::F32, 2);
    let portable = gradients(Isa::Portable, Precision::Bf16, 2);
    let off = far(&portable, &expected);
    assert!(off > 1e-4 && off < 0.1, "portable: {off}");
    for isa in Isa::available().into_iter().filter(|isa| isa.precisions().contains(&Precision::Bf16)) {
        let found = gradients(isa, Precision::Bf16, 1);
        // Sums in a different order are occasionally rounded to a different neighbour.
        let off = far(&found, &portable);
        assert!(off < 0.02, "{isa}: {off}");
        assert_eq!(found, gradients(isa, Precision::Bf16, 3), "{isa}: the number of threads");
    }
}

#[test]
fn a_precision_that_cannot_be_had_is_refused() {
    let refused =
        |list: &List, isa, precision| TrainingLayers::new(list, isa, precision).err().unwrap().to_string();
    let list = board(Activation::Relu);
    let message = refused(&list, Isa::Portable, Precision::Int8);
    assert!(message.contains("precision int8") && message.contains("trained in f32 or bf16"), "{message}");
    if Isa::available().contains(&Isa::Avx2) {
        let message = refused(&list, Isa::Avx2, Precision::Bf16);
        assert!(message.contains("precision bf16 cannot be used with instruction set avx2"), "{message}");
    }
    let message = refused(&narrow(), Isa::Portable, Precision::Bf16);
    assert!(message.contains("only convolutions") && message.contains("the network has none"), "{message}");
}

#[test]
fn operations_are_those_of_the_layers() {
    let list = board(Activation::Relu);
    let operations = |precision| TrainingLayers::new(&list, Isa::Portable, precision).unwrap().operations();
    // The first layer passes no gradient back.
    let (board, rest) = (64 * 9 * (2 * 8 * 24 + 3 * 24 * 20), 3 * (64 * 20 * 40 + 40 * 120));
    let half = operations(Precision::Bf16);
    assert_eq!((half.nominal, half.executed), (board + rest, board + rest));
    let single = operations(Precision::F32);
    assert_eq!((single.nominal, single.executed), (board + rest, board / 4 + rest));
}
