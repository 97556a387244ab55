use rayon::ThreadPoolBuilder;

use super::*;
use crate::{Activation, Isa, Precision};
use chess::encoding::Plane;

/// Pseudo-random numbers from -1 to 1.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn list(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.next()).collect()
    }
}

/// A network that is smooth everywhere, with every kind of layer.
fn shape(activation: Activation) -> TrainingShape {
    TrainingShape {
        planes: 5,
        channels: 20,
        activation,
        stem: KernelSize::ThreeByThree,
        blocks: vec![None, Some(6)],
        policy: PolicyShape::Planes { kernel_size: KernelSize::ThreeByThree, channels: 18, planes: 7 },
        value: PooledShape { channels: 3, hidden: 9, outputs: 3 },
        moves_left: None,
    }
}

fn dense(activation: Activation) -> TrainingShape {
    TrainingShape {
        stem: KernelSize::OneByOne,
        blocks: vec![Some(3)],
        policy: PolicyShape::Dense { channels: 4, outputs: 21 },
        value: PooledShape { channels: 2, hidden: 5, outputs: 1 },
        ..shape(activation)
    }
}

/// Weights of a size that roughly preserves the size of sums, and scales around one.
fn parameters(shape: &TrainingShape, numbers: &mut Numbers) -> Vec<Vec<f32>> {
    let sizes = shape.parameters();
    let weights = |size: &shape::ParameterSize| size.rows > 1;
    sizes
        .iter()
        .enumerate()
        .map(|(index, size)| {
            let scale = index > 0
                && weights(&sizes[index - 1])
                && sizes.get(index + 1).is_some_and(|next| next.rows == 1);
            let deviation = if weights(size) { (3.0 / size.rows as f32).sqrt() } else { 0.3 };
            let middle = if scale && !weights(size) { 1.0 } else { 0.0 };
            numbers
                .list(size.rows * size.columns)
                .into_iter()
                .map(|value| middle + deviation * value)
                .collect()
        })
        .collect()
}

fn planes(shape: &TrainingShape, boards: usize, numbers: &mut Numbers) -> Vec<Plane> {
    let plane = |numbers: &mut Numbers| Plane {
        mask: u64::from(numbers.next().to_bits()) << 32 | u64::from(numbers.next().to_bits()),
        value: numbers.next(),
    };
    (0..boards * shape.planes).map(|_| plane(numbers)).collect()
}

/// A network and a batch, with a loss that is a random linear combination of the network's outputs.
struct Case {
    shape: TrainingShape,
    parameters: Vec<Vec<f32>>,
    planes: Vec<Plane>,
    policy: Vec<f32>,
    value: Vec<f32>,
    boards: usize,
}

impl Case {
    fn new(shape: TrainingShape, boards: usize) -> Self {
        let mut numbers = Numbers(7);
        let parameters = parameters(&shape, &mut numbers);
        let planes = planes(&shape, boards, &mut numbers);
        let policy = numbers.list(boards * shape.policy_width()).iter().map(|value| value / 20.0).collect();
        let value = numbers.list(boards * shape.value.outputs);
        Self { shape, parameters, planes, policy, value, boards }
    }

    fn network(&self, isa: Isa) -> TrainingNetwork {
        self.network_in(isa, Precision::F32)
    }

    fn network_in(&self, isa: Isa, precision: Precision) -> TrainingNetwork {
        TrainingNetwork::new(&self.shape, isa, precision, self.boards).unwrap()
    }

    fn loss(&self, network: &mut TrainingNetwork, parameters: &[Vec<f32>]) -> f64 {
        let answer = network.forward(parameters, &self.planes, NormStatistics::Batch).unwrap();
        let sum = |answers: &[f32], weights: &[f32]| -> f64 {
            answers.iter().zip(weights).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        sum(&answer.policy, &self.policy) + sum(&answer.value, &self.value)
    }

    fn gradients(&self, network: &mut TrainingNetwork) -> Vec<Vec<f32>> {
        self.loss(network, &self.parameters);
        network.backward(&self.policy, &self.value).unwrap()
    }
}

fn length(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(value * value)).sum::<f64>().sqrt()
}

/// Along each parameter's gradient, the loss must rise with a slope of the gradient's squared length.
#[test]
fn gradients_are_the_slopes_of_the_loss() {
    for shape in [shape(Activation::Mish), shape(Activation::Swish), dense(Activation::Swish)] {
        let case = Case::new(shape, 6);
        let mut network = case.network(Isa::Portable);
        let gradients = case.gradients(&mut network);
        for (number, gradient) in gradients.iter().enumerate() {
            let length = length(gradient);
            // A weight before a normalisation may have almost no gradient along itself, but the gradient as a whole is
            // not zero.
            assert!(length > 1e-4, "parameter {number} has no gradient");
            let step = 2e-3;
            let moved = |sign: f64| {
                let mut parameters = case.parameters.clone();
                for (value, slope) in parameters[number].iter_mut().zip(gradient) {
                    *value += (sign * step * f64::from(*slope) / length) as f32;
                }
                parameters
            };
            let rise = case.loss(&mut network, &moved(1.0)) - case.loss(&mut network, &moved(-1.0));
            let slope = rise / (2.0 * step);
            assert!(
                (slope / length - 1.0).abs() < 0.02,
                "parameter {number}: slope {slope}, gradient {length}"
            );
        }
    }
}

/// Directions in which the gradient is zero must be flat: the slope along a random direction is the projection of the
/// gradient.
#[test]
fn random_directions_see_the_projection_of_the_gradient() {
    let case = Case::new(shape(Activation::Mish), 6);
    let mut network = case.network(Isa::Portable);
    let gradients = case.gradients(&mut network);
    let mut numbers = Numbers(99);
    for (number, gradient) in gradients.iter().enumerate() {
        let direction = numbers.list(gradient.len());
        let scale = 2e-3 / length(&direction);
        let moved = |sign: f64| {
            let mut parameters = case.parameters.clone();
            for (value, slope) in parameters[number].iter_mut().zip(&direction) {
                *value += (sign * scale * f64::from(*slope)) as f32;
            }
            parameters
        };
        let rise = case.loss(&mut network, &moved(1.0)) - case.loss(&mut network, &moved(-1.0));
        let found = rise / (2.0 * scale);
        let expected: f64 = gradient.iter().zip(&direction).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        let tolerance = 0.02 * length(gradient) * length(&direction) / (gradient.len() as f64).sqrt() + 1e-3;
        assert!((found - expected).abs() < tolerance, "parameter {number}: {found}, expected {expected}");
    }
}

#[test]
fn every_instruction_set_gives_the_portable_gradients() {
    for shape in [shape(Activation::Relu), dense(Activation::Mish)] {
        let case = Case::new(shape, 19);
        let expected = case.gradients(&mut case.network(Isa::Portable));
        for isa in Isa::available() {
            let found = case.gradients(&mut case.network(isa));
            for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let difference: Vec<f32> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
                let relative = length(&difference) / length(expected);
                assert!(relative < 1e-4, "{isa}, parameter {number}: {relative}");
            }
        }
    }
}

fn relative_difference(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f64 {
    let (found, expected) = (found.concat(), expected.concat());
    let difference: Vec<f32> = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
    length(&difference) / length(&expected)
}

/// bf16 rounds a number to within 1/256, which adds up to a few hundredths over the layers of a small network. A ReLU
/// would switch on and off with the rounding.
#[test]
fn sixteen_bit_gradients_are_near_those_of_32_bits() {
    for shape in [shape(Activation::Swish), dense(Activation::Mish)] {
        let case = Case::new(shape, 40);
        let expected = case.gradients(&mut case.network(Isa::Portable));
        let portable = case.gradients(&mut case.network_in(Isa::Portable, Precision::Bf16));
        let off = relative_difference(&portable, &expected);
        assert!(off > 1e-4 && off < 0.1, "portable: {off}");
        let has = |isa: &Isa| isa.precisions().contains(&Precision::Bf16);
        for isa in Isa::available().into_iter().filter(has) {
            let found = case.gradients(&mut case.network_in(isa, Precision::Bf16));
            // Sums in a different order are occasionally rounded to a different neighbour.
            let off = relative_difference(&found, &portable);
            assert!(off < 0.02, "{isa}: {off}");
        }
    }
}

#[test]
fn a_precision_that_cannot_be_had_is_refused() {
    let shape = shape(Activation::Relu);
    let refused =
        |isa, precision| TrainingNetwork::new(&shape, isa, precision, 2).err().map(|e| e.to_string());
    let message = refused(Isa::Portable, Precision::Int8).unwrap();
    assert!(message.contains("precision int8") && message.contains("trained in f32 or bf16"), "{message}");
    if Isa::available().contains(&Isa::Avx2) {
        let message = refused(Isa::Avx2, Precision::Bf16).unwrap();
        assert!(message.contains("precision bf16 cannot be used with instruction set avx2"), "{message}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let case = Case::new(shape(Activation::Relu), 37);
    let isa = *Isa::available().last().unwrap();
    for precision in [Precision::F32, Precision::Bf16] {
        if !isa.precisions().contains(&precision) {
            continue;
        }
        let with_threads = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.gradients(&mut case.network_in(isa, precision)))
        };
        assert_eq!(with_threads(1), with_threads(3), "{precision}");
    }
}

#[test]
fn a_network_used_before_and_a_smaller_batch_give_the_same() {
    let case = Case::new(shape(Activation::Mish), 9);
    let small = Case { boards: 4, ..Case::new(shape(Activation::Mish), 4) };
    let mut used = case.network(Isa::Portable);
    case.gradients(&mut used);
    assert_eq!(small.gradients(&mut used), small.gradients(&mut small.network(Isa::Portable)));
}

#[test]
fn stored_moments_of_the_batch_give_the_batchs_answer() {
    let case = Case::new(shape(Activation::Relu), 5);
    let mut network = case.network(Isa::Portable);
    let batch = network.forward(&case.parameters, &case.planes, NormStatistics::Batch).unwrap();
    let stored =
        network.forward(&case.parameters, &case.planes, NormStatistics::Stored(&batch.statistics)).unwrap();
    assert_eq!(batch, stored);
}

#[test]
fn a_moves_left_head_keeps_its_place_and_is_not_trained() {
    let with_head = TrainingShape {
        moves_left: Some(PooledShape { channels: 2, hidden: 4, outputs: 1 }),
        ..shape(Activation::Relu)
    };
    let (without, with) = (Case::new(shape(Activation::Relu), 4), Case::new(with_head, 4));
    let mut parameters = without.parameters.clone();
    parameters.extend_from_slice(&with.parameters[parameters.len()..]);
    let with = Case {
        parameters,
        planes: without.planes.clone(),
        policy: without.policy.clone(),
        value: without.value.clone(),
        ..with
    };
    let mut network = with.network(Isa::Portable);
    let gradients = with.gradients(&mut network);
    let expected = without.gradients(&mut without.network(Isa::Portable));
    assert_eq!(gradients[..expected.len()], expected);
    assert!(
        gradients.len() == expected.len() + 7
            && gradients[expected.len()..].iter().flatten().all(|g| *g == 0.0)
    );
    let answer = network.forward(&with.parameters, &with.planes, NormStatistics::Batch).unwrap();
    assert_eq!(answer.statistics.len(), 1 + 2 * 2 + 3);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let case = Case::new(shape(Activation::Relu), 2);
    let mut network = case.network(Isa::Portable);
    let mut refused = |parameters: &[Vec<f32>], planes: &[Plane]| {
        network.forward(parameters, planes, NormStatistics::Batch).unwrap_err().to_string()
    };
    let message = refused(&case.parameters[1..], &case.planes);
    assert!(message.contains("parameters"), "{message}");
    let mut shorter = case.parameters.clone();
    shorter[3].pop();
    assert!(refused(&shorter, &case.planes).contains("parameter 3"));
    assert!(refused(&case.parameters, &case.planes[1..]).contains("planes of a batch"));
    assert!(
        refused(&case.parameters, &[case.planes.clone(), case.planes.clone()].concat()).contains("planes")
    );
    let message = network.backward(&case.policy, &case.value).unwrap_err().to_string();
    assert!(message.contains("policy gradient"), "{message}");
}

#[test]
fn operations_are_those_of_the_layers() {
    let shape = TrainingShape { blocks: vec![None], moves_left: None, ..dense(Activation::Relu) };
    let network = TrainingNetwork::new(&shape, Isa::Portable, Precision::Bf16, 1).unwrap();
    let board = 3 * 2 * 9 * 64 * 20 * 20;
    let rest = 2 * 64 * 5 * 20 + 3 * (64 * 20 * 4 + 64 * 4 * 21) + 3 * (64 * 20 * 2 + 64 * 2 * 5 + 5);
    let found = network.operations();
    assert_eq!((found.nominal, found.executed), (board + rest, board + rest));
    let by_winograd = shape.operations(true);
    assert_eq!((by_winograd.nominal, by_winograd.executed), (board + rest, board / 4 + rest));
}
