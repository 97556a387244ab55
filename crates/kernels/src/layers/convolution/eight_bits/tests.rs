//! Compares single layers with their sums in double precision.

use super::*;

/// Rows of the kinds that networks have: spread around zero, positive, far from zero, with one large number, equal, all zero.
fn rows_of(count: usize, channels: usize, width: usize) -> Vec<f32> {
    let mut values = vec![0.0; count * width];
    for (row, values) in values.chunks_exact_mut(width).enumerate() {
        for (channel, value) in values[..channels].iter_mut().enumerate() {
            let number = ((row * 31 + channel * 17) % 101) as f32 / 50.0 - 1.0;
            *value = match row % 6 {
                1 => number.max(0.0).powi(2),
                2 => 40.0 + number,
                3 if channel == row % channels => 300.0,
                0 | 3 => number,
                4 => 0.7,
                _ => 0.0,
            };
        }
    }
    values
}

/// A layer from 37 channels to 50, neither of which are whole vectors.
struct Example {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

const INPUTS: usize = 37;
const OUTPUTS: usize = 50;

impl Example {
    fn new() -> Self {
        let number = |place: usize| ((place * 7919) % 1009) as f32 / 504.0 - 1.0;
        let mut weights: Vec<f32> = (0..INPUTS * OUTPUTS).map(number).collect();
        for row in weights.chunks_exact_mut(OUTPUTS) {
            // One output without weights, one whose weights are a thousand times as large.
            row[3] = 0.0;
            row[4] *= 1000.0;
        }
        Self { weights, bias: (0..OUTPUTS).map(number).collect() }
    }

    fn run(&self, isa: Isa, input: &[f32], activation: Activation) -> Vec<f32> {
        let shapes = [Shape::flat(INPUTS), Shape::flat(OUTPUTS)];
        let mut layer = eight_bit_convolutions(isa).unwrap()(shapes);
        let mut bias = self.bias.clone();
        bias.resize(shapes[1].width(), 0.0);
        layer.pack(&self.weights, &bias);
        let mut output = vec![f32::NAN; input.len() / shapes[0].width() * shapes[1].width()];
        layer.forward(input, &mut Levels::default(), activation, &mut output);
        output
    }
}

fn isas() -> impl Iterator<Item = Isa> {
    Isa::available().into_iter().filter(|isa| isa.precisions().contains(&Precision::Int8))
}

/// A product is off by at most half a step of the activation times the weight, and half a step of the weight times the activation.
#[test]
fn sums_are_off_by_half_a_step_of_each_factor() {
    let (example, shape) = (Example::new(), Shape::flat(INPUTS));
    for isa in isas() {
        for count in [1, 3, 8, 70] {
            let input = rows_of(count, INPUTS, shape.width());
            let found = example.run(isa, &input, Activation::Identity);
            let rows =
                input.chunks_exact(shape.width()).zip(found.chunks_exact(Shape::flat(OUTPUTS).width()));
            for (row, (input, found)) in rows.enumerate() {
                assert!(found[OUTPUTS..].iter().all(|value| *value == 0.0), "{isa}: padding");
                let least = input.iter().copied().fold(f32::INFINITY, f32::min);
                let most = input.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let step = f64::from(most - least) / 255.0;
                for output in 0..OUTPUTS {
                    let column = || example.weights[output..].iter().step_by(OUTPUTS).copied().map(f64::from);
                    let of_weight = column().fold(0.0, |most: f64, weight| most.max(weight.abs())) / 127.0;
                    let (mut sum, mut bound) = (f64::from(example.bias[output]), 1e-5);
                    for (value, weight) in input.iter().copied().map(f64::from).zip(column()) {
                        sum += value * weight;
                        bound +=
                            (weight.abs() + of_weight / 2.0) * step / 2.0 + value.abs() * of_weight / 2.0;
                        bound += 1e-6 * (value * weight).abs();
                    }
                    let off = (f64::from(found[output]) - sum).abs();
                    assert!(off <= bound, "{isa}, row {row} of {count}, output {output}: {off} over {bound}");
                }
            }
        }
    }
}

#[test]
fn a_row_gives_the_same_bits_in_every_batch() {
    let (example, width) = (Example::new(), Shape::flat(INPUTS).width());
    for isa in isas() {
        let input = rows_of(70, INPUTS, width);
        let together = example.run(isa, &input, Activation::Mish);
        for (input, expected) in input.chunks_exact(width).zip(together.chunks_exact(64)) {
            assert_eq!(example.run(isa, input, Activation::Mish), expected, "{isa}");
        }
    }
}

/// An overflow in one layer must not end as a plausible number in the next.
#[test]
fn a_number_that_is_not_finite_spoils_its_row_and_no_other() {
    let (example, width) = (Example::new(), Shape::flat(INPUTS).width());
    for isa in isas() {
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in [0, 20, INPUTS - 1] {
                let mut input = rows_of(9, INPUTS, width);
                let activations = [Activation::Identity, Activation::Relu, Activation::Mish];
                let plain = activations.map(|activation| example.run(isa, &input, activation));
                input[4 * width + place] = number;
                for (activation, plain) in activations.into_iter().zip(&plain) {
                    let found = example.run(isa, &input, activation);
                    for (row, (found, plain)) in
                        found.chunks_exact(64).zip(plain.chunks_exact(64)).enumerate()
                    {
                        if row == 4 {
                            let is_spoilt = found[..OUTPUTS].iter().all(|value| !value.is_finite());
                            assert!(is_spoilt, "{isa}: {number}, {activation:?}");
                        } else {
                            assert_eq!(found, plain, "{isa}: {number} in another row, {activation:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_row_of_zeros_gives_the_bias() {
    let (example, width) = (Example::new(), Shape::flat(INPUTS).width());
    for isa in isas() {
        let found = example.run(isa, &vec![0.0; 3 * width], Activation::Identity);
        for found in found.chunks_exact(64) {
            assert_eq!(found[..OUTPUTS], example.bias, "{isa}");
        }
    }
}
