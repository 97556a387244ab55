//! Tests of lists whose products are those of eight-bit integers.

use super::*;

const CHANNELS: usize = 48;

/// An attention body with scores from the whole board, an attention policy and a value, as lc0's networks have them.
pub(super) fn attention_body() -> List {
    let map = |channels| Shape { channels, ranks: 8, files: 8 };
    let dense = Operation::Convolution { patch: Patch::SQUARE, bias: true };
    let norm = Operation::LayerNorm { epsilon: 1e-3 };
    let heads = 4;
    let steps = [
        // 1 to 5: embedding, queries, keys, values.
        (dense, vec![0], map(CHANNELS)),
        (Operation::Activation(Activation::Mish), vec![1], map(CHANNELS)),
        (dense, vec![2], map(CHANNELS)),
        (dense, vec![2], map(CHANNELS)),
        (dense, vec![2], map(CHANNELS)),
        // 6 to 13: scores of pairs of squares.
        (dense, vec![2], map(8)),
        (Operation::Flatten, vec![6], Shape::flat(512)),
        (dense, vec![7], Shape::flat(64)),
        (norm, vec![8], Shape::flat(64)),
        (Operation::Unflatten, vec![9], Shape { channels: 16, ranks: heads, files: 1 }),
        (dense, vec![10], Shape { channels: 4096, ranks: heads, files: 1 }),
        (Operation::Flatten, vec![11], Shape::flat(heads * 4096)),
        (Operation::Attention { heads, bias: true }, vec![3, 4, 5, 12], map(CHANNELS)),
        // 14 to 21: the rest of the encoder.
        (dense, vec![13], map(CHANNELS)),
        (Operation::Sum, vec![14, 2], map(CHANNELS)),
        (norm, vec![15], map(CHANNELS)),
        (dense, vec![16], map(80)),
        (Operation::Activation(Activation::ReluSquared), vec![17], map(80)),
        (dense, vec![18], map(CHANNELS)),
        (Operation::Sum, vec![19, 16], map(CHANNELS)),
        (norm, vec![20], map(CHANNELS)),
        // 22 to 25: the policy.
        (dense, vec![21], map(32)),
        (dense, vec![21], map(32)),
        (dense, vec![23], map(4)),
        (Operation::MoveScores, vec![22, 23, 24], Shape::flat(MOVE_SCORES)),
        // 26 to 30: the value.
        (dense, vec![21], map(16)),
        (Operation::Flatten, vec![26], Shape::flat(1024)),
        (dense, vec![27], Shape::flat(32)),
        (Operation::Activation(Activation::Relu), vec![28], Shape::flat(32)),
        (dense, vec![29], Shape::flat(20)),
    ];
    list_of(8, &steps, vec![25, 30])
}

/// A list that reads this many planes, with a parameter for each that its steps have.
fn list_of(planes: usize, steps: &[(Operation, Vec<usize>, Shape)], outputs: Vec<usize>) -> List {
    let inputs = vec![Shape { channels: planes, ranks: 8, files: 8 }];
    let mut list = List { inputs, channels: (0..planes).collect(), steps: Vec::new(), outputs };
    let mut parameter = 0;
    for (operation, inputs, shape) in steps.iter().cloned() {
        let count = operation.parameters(list.shape(inputs[0]), shape).len();
        let parameters = parameter..parameter + count;
        parameter += count;
        list.steps.push(Step { operation, inputs, shape, parameters, statistics: None });
    }
    list
}

/// Weights that keep the scale of the values.
pub(super) fn weights(list: &List) -> Vec<Vec<f32>> {
    let mut weights = parameters(list);
    for step in &list.steps {
        let inputs = list.input(step).channels;
        for (part, place) in step.parameters.clone().enumerate() {
            for weight in &mut weights[place] {
                *weight = match (step.operation, part) {
                    (Operation::LayerNorm { .. }, 0) => 1.0 + *weight,
                    (Operation::Convolution { .. }, 0) => *weight * 8.0 / (inputs as f32).sqrt(),
                    _ => *weight,
                };
            }
        }
    }
    weights
}

fn eight_bit_isas() -> impl Iterator<Item = Isa> {
    Isa::available().into_iter().filter(|isa| isa.precisions().contains(&Precision::Int8))
}

fn played(list: &List, isa: Isa, precision: Precision, planes: &[Plane]) -> Vec<Vec<f32>> {
    let layers = PlayLayers::new(list, isa, precision, &weights(list), &[]).unwrap();
    layers.run(&mut layers.arena(), planes).unwrap()
}

/// The length of the difference of two outputs as a part of their length around the mean.
fn distance(found: &[f32], expected: &[f32]) -> f32 {
    let mean = expected.iter().sum::<f32>() / expected.len() as f32;
    let off: f32 = found.iter().zip(expected).map(|(found, expected)| (found - expected).powi(2)).sum();
    let length: f32 = expected.iter().map(|value| (value - mean).powi(2)).sum();
    (off / length).sqrt()
}

/// A factor rounded to 255 levels is off by a third of a percent of the largest; a few layers of them add up to one or two percent.
#[test]
fn eight_bit_outputs_are_near_those_of_32_bits() {
    let list = attention_body();
    let planes = planes(32);
    let expected = played(&list, Isa::Portable, Precision::F32, &planes);
    let portable = played(&list, Isa::Portable, Precision::Int8, &planes);
    for isa in eight_bit_isas() {
        let found = played(&list, isa, Precision::Int8, &planes);
        for (number, found) in found.iter().enumerate() {
            let off = distance(found, &expected[number]);
            assert!(off > 1e-4 && off < 0.03, "{isa}, output {number}: {off}");
            // Sums in a different order are occasionally rounded to a different level.
            let off = distance(found, &portable[number]);
            assert!(off < 0.02, "{isa}, output {number}, against portable: {off}");
        }
    }
}

#[test]
fn eight_bit_outputs_do_not_depend_on_the_batch() {
    let list = attention_body();
    for isa in eight_bit_isas() {
        let layers = PlayLayers::new(&list, isa, Precision::Int8, &weights(&list), &[]).unwrap();
        let mut arena = layers.arena();
        for boards in [1, 3, 8, 32] {
            let planes = planes(boards);
            let together = layers.run(&mut arena, &planes).unwrap();
            for (board, planes) in planes.chunks_exact(8).enumerate() {
                let alone = layers.run(&mut arena, planes).unwrap();
                for (alone, together) in alone.iter().zip(&together) {
                    assert_eq!(alone[..], together[board * alone.len()..][..alone.len()], "{isa}, {boards}");
                }
            }
        }
    }
}

/// The first layer reads planes, one has sixteen inputs, two have eight or four outputs, and one computes the value.
#[test]
fn layers_next_to_input_and_output_and_narrow_ones_stay_in_32_bits() {
    let list = attention_body();
    let layers = PlayLayers::new(&list, Isa::Portable, Precision::Int8, &weights(&list), &[]).unwrap();
    let share = layers.eight_bits().unwrap();
    assert_eq!((share.layers, share.all_layers), (11, 16));
    assert!(share.multiply_adds > 0.8 && share.multiply_adds < 1.0, "{share:?}");
    let exact = PlayLayers::new(&list, Isa::Portable, Precision::F32, &weights(&list), &[]).unwrap();
    assert_eq!(exact.eight_bits(), None);
}

/// A counter up to a hundred among planes of zeros and ones would leave those a few levels. lc0's dense embedding is built so.
#[test]
fn a_layer_that_reads_planes_joined_with_learned_channels_stays_in_32_bits() {
    let map = |channels| Shape { channels, ranks: 8, files: 8 };
    let dense = Operation::Convolution { patch: Patch::SQUARE, bias: true };
    let steps = [
        (dense, vec![0], map(32)),
        (Operation::Join, vec![0, 1], map(64)),
        (Operation::Squares { scale: true, shift: false }, vec![2], map(64)),
        (dense, vec![3], map(CHANNELS)),
        // The only one whose inputs have one scale.
        (dense, vec![4], map(CHANNELS)),
        (dense, vec![5], map(16)),
        (Operation::Flatten, vec![6], Shape::flat(1024)),
    ];
    let list = list_of(32, &steps, vec![7]);
    let layers = PlayLayers::new(&list, Isa::Portable, Precision::Int8, &weights(&list), &[]).unwrap();
    let share = layers.eight_bits().unwrap();
    assert_eq!((share.layers, share.all_layers), (1, 4));
}

#[test]
fn a_network_without_eight_bit_layers_is_refused_in_eight_bits() {
    let refused = |list: &List, isa, precision| {
        let error = PlayLayers::new(list, isa, precision, &parameters(list), &[]).err().unwrap();
        error.to_string()
    };
    let map = Shape { channels: 32, ranks: 8, files: 8 };
    let three = Patch { ranks: 3, files: 3, stride: 1, margin: 1 };
    let convolution = Operation::Convolution { patch: three, bias: false };
    let flat = (Operation::Flatten, Shape::flat(2048), 2..2);
    let plain = chain([(convolution, map, 0..1), (convolution, map, 1..2), flat]);
    assert_eq!(PlayLayers::precisions(&plain), [Precision::F32]);
    let message = refused(&plain, Isa::Portable, Precision::Int8);
    assert!(message.contains("int8") && message.contains("no layer of the network"), "{message}");
    let attention = attention_body();
    assert_eq!(PlayLayers::precisions(&attention), [Precision::F32, Precision::Int8]);
    assert!(refused(&attention, Isa::Portable, Precision::Bf16).contains("bf16"));
    for isa in Isa::available().into_iter().filter(|isa| !isa.precisions().contains(&Precision::Int8)) {
        let message = refused(&attention, isa, Precision::Int8);
        assert!(message.contains(&format!("int8 cannot be used with instruction set {isa}")), "{message}");
    }
}
