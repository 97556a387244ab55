//! Compares the passes with plain sums in double precision, and the optimiser with one that updates every parameter in
//! every step.

use super::*;
use crate::{Isa, sparse::Clipping};

/// A gradient of zeros, of the layer's shape.
fn no_gradient(layer: &Layer<'_>) -> LayerGradient {
    LayerGradient { weights: vec![0.0; layer.weights.len()], bias: vec![0.0; layer.bias.len()] }
}

/// Random numbers from -1 to 1, the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    }

    fn values(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| ((self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0) * scale).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 20) as usize % limit
    }
}

/// A network with all parts: rows, clipping, two buckets of three layers, direct outputs, and moves of two tables.
struct Network {
    clipping: Clipping,
    width: usize,
    table: Vec<f32>,
    bias: Vec<f32>,
    layers: Vec<(Vec<f32>, Vec<f32>, [usize; 2])>,
    moves: [(Vec<f32>, Vec<f32>); 2],
}

const ROWS: usize = 40;
const BUCKETS: usize = 2;
const MOVES: [usize; 2] = [9, 5];

/// Samples, and the weight of each of their outputs in the sum whose gradient is compared.
struct Samples {
    features: (Vec<u32>, Vec<u32>),
    buckets: Vec<u8>,
    moves: [(Vec<u32>, Vec<u32>); 2],
    outputs: Vec<f32>,
    logits: Vec<f32>,
}

fn lists(random: &mut Numbers, lengths: &[usize], rows: usize) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0];
    let mut list = Vec::new();
    for length in lengths {
        list.extend((0..*length).map(|_| random.below(rows) as u32));
        offsets.push(list.len() as u32);
    }
    (offsets, list)
}

impl Network {
    fn new(random: &mut Numbers, clipping: Clipping, width: usize) -> Self {
        let units = clipping.units(width);
        let layer = |random: &mut Numbers, inputs: usize, outputs: usize| {
            let scale = 2.0 / (inputs as f32).sqrt();
            let weights = random.values(BUCKETS * outputs * inputs, scale);
            (weights, random.values(BUCKETS * outputs, 0.3), [inputs, outputs])
        };
        Self {
            clipping,
            width,
            table: random.values(ROWS * width, 0.5),
            bias: random.values(width, 0.5),
            layers: vec![layer(random, units, 6), layer(random, 6, 10), layer(random, 10, 3)],
            moves: MOVES.map(|rows| (random.values(rows * units, 0.5), random.values(rows, 0.5))),
        }
    }

    /// The weighted sum of all outputs, computed one operation at a time.
    fn plain(&self, samples: &Samples) -> f64 {
        let cut = |value: f64| value.clamp(0.0, 1.0);
        let mut sum = 0.0;
        for sample in 0..samples.buckets.len() {
            let list = |(offsets, rows): &(Vec<u32>, Vec<u32>)| {
                rows[offsets[sample] as usize..offsets[sample + 1] as usize].to_vec()
            };
            let mut sums: Vec<f64> = self.bias.iter().map(|value| f64::from(*value)).collect();
            for row in list(&samples.features) {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum += f64::from(self.table[row as usize * self.width + column]);
                }
            }
            let half = self.width / 2;
            let hidden: Vec<f64> = match self.clipping {
                Clipping::Pairwise => {
                    (0..half).map(|unit| cut(sums[unit]) * cut(sums[unit + half])).collect()
                }
                Clipping::Squared => sums.iter().map(|sum| cut(*sum) * cut(*sum)).collect(),
            };
            let mut values = hidden.clone();
            for (number, (weights, bias, [inputs, outputs])) in self.layers.iter().enumerate() {
                let next = (0..*outputs).map(|output| {
                    let row = usize::from(samples.buckets[sample]) * outputs + output;
                    let terms =
                        (0..*inputs).map(|input| f64::from(weights[row * inputs + input]) * values[input]);
                    let value = f64::from(bias[row]) + terms.sum::<f64>();
                    if number + 1 < self.layers.len() { cut(value) * cut(value) } else { value }
                });
                values = next.collect();
            }
            let weights = &samples.outputs[sample * 3..][..3];
            sum += values.iter().zip(weights).map(|(value, weight)| value * f64::from(*weight)).sum::<f64>();
            let first = samples.moves[0].0[sample] as usize;
            for (table, (weights, bias)) in samples.moves.iter().zip(&self.moves) {
                for (number, row) in list(table).into_iter().map(|row| row as usize).enumerate() {
                    let dot = hidden.iter().enumerate();
                    let dot = dot.map(|(unit, value)| value * f64::from(weights[row * hidden.len() + unit]));
                    let logit = f64::from(bias[row]) + dot.sum::<f64>();
                    sum += logit * f64::from(samples.logits[first + number]);
                }
            }
        }
        sum
    }

    fn layers(&self) -> Vec<Layer<'_>> {
        let layers = self.layers.iter();
        layers
            .map(|(weights, bias, [inputs, outputs])| Layer {
                weights,
                bias,
                inputs: *inputs,
                outputs: *outputs,
            })
            .collect()
    }

    fn move_rows<'a>(&'a self, samples: &'a Samples, units: usize) -> Vec<MoveRows<'a>> {
        let rows = self.moves.iter().zip(&samples.moves).map(|((table, bias), (offsets, rows))| MoveRows {
            table: Table { values: NumbersRef::Single(table), width: units },
            bias,
            lists: Lists { offsets, rows },
        });
        rows.collect()
    }

    /// The weighted sum of all outputs, and the gradients of the table, its bias, the first layer's weights, the last bias and the
    /// rows of the first table of moves.
    fn passes(&self, isa: Isa, samples: &Samples) -> (f64, [Vec<f32>; 5]) {
        let (width, units, count) = (self.width, self.clipping.units(self.width), samples.buckets.len());
        let features = Lists { offsets: &samples.features.0, rows: &samples.features.1 };
        let mut sums = vec![0.0; count * width];
        accumulate(
            isa,
            Table { values: NumbersRef::Single(&self.table), width },
            &self.bias,
            features,
            &mut sums,
        );
        let mut hidden = vec![0.0; count * units];
        self.clipping.forward(isa, width, &sums, &mut hidden);
        let list = self.layers();
        let layers = Layers { layers: &list, buckets: &samples.buckets };
        let (mut kept, mut outputs) = (vec![0.0; count * layers.kept()], vec![0.0; count * 3]);
        layers.forward(isa, &hidden, &mut kept, &mut outputs);
        let rows = self.move_rows(samples, units);
        let mut logits = vec![0.0; samples.logits.len()];
        Moves(&rows).forward(isa, &hidden, &mut logits);
        let weighted = |values: &[f32], weights: &[f32]| -> f64 {
            values.iter().zip(weights).map(|(value, weight)| f64::from(*value) * f64::from(*weight)).sum()
        };
        let sum = weighted(&outputs, &samples.outputs) + weighted(&logits, &samples.logits);

        let mut gradients: Vec<_> = list.iter().map(no_gradient).collect();
        let mut hidden_gradient = vec![f32::NAN; count * units];
        layers.backward(isa, (&hidden, &kept, &samples.outputs), &mut gradients, &mut hidden_gradient);
        Moves(&rows).backward(isa, &samples.logits, &mut hidden_gradient);
        self.clipping.backward(isa, width, &mut sums, &hidden_gradient);
        let gathered = |(gradients, width): (&[f32], usize), lists, factors, rows: usize| -> Vec<f32> {
            let mut readers = Readers::default();
            readers.find_places(lists, rows);
            let gradients = Table { values: NumbersRef::Single(gradients), width };
            let mut found = vec![0.0; rows * width];
            // In two parts, as threads divide the rows.
            let half = rows / 2;
            let (first, second) = found.split_at_mut(half * width);
            let from = Gather { gradients, readers: &readers, factors };
            gather(isa, from, 0..half, first);
            gather(isa, from, half..rows, second);
            found
        };
        let mut bias = vec![0.0; width];
        sums.chunks_exact(width)
            .for_each(|sums| bias.iter_mut().zip(sums).for_each(|(to, from)| *to += from));
        let table = gathered((&sums, width), features, None, ROWS);
        let moves = gathered((&hidden, units), rows[0].lists, Some(&samples.logits), MOVES[0]);
        let (first, last) = (gradients[0].weights.clone(), gradients[2].bias.clone());
        (sum, [table, bias, first, last, moves])
    }

    fn parameters(&mut self) -> [&mut Vec<f32>; 5] {
        let [first, _, last] = &mut self.layers[..] else { panic!("three layers") };
        [&mut self.table, &mut self.bias, &mut first.0, &mut last.1, &mut self.moves[0].0]
    }
}

fn samples(random: &mut Numbers) -> Samples {
    let lengths = [1, 7, 0, 3, 12, 5];
    let legal = [4, 1, 6, 2, 0, 9];
    Samples {
        features: lists(random, &lengths, ROWS),
        buckets: vec![0, 1, 1, 0, 0, 1],
        moves: MOVES.map(|rows| lists(random, &legal, rows)),
        outputs: random.values(3 * lengths.len(), 1.0),
        logits: random.values(legal.iter().sum(), 1.0),
    }
}

#[test]
fn passes_agree_with_plain_sums_and_gradients_with_finite_differences() {
    const STEP: f64 = 1e-3;
    for (clipping, width) in [
        (Clipping::Pairwise, 64),
        (Clipping::Squared, 48),
        (Clipping::Pairwise, 22),
        (Clipping::Pairwise, 272),
    ] {
        let mut random = Numbers(width as u64);
        let mut network = Network::new(&mut random, clipping, width);
        let samples = samples(&mut random);
        let expected = network.plain(&samples);
        let found =
            Isa::available().into_iter().map(|isa| (isa, network.passes(isa, &samples))).collect::<Vec<_>>();
        for (isa, (sum, _)) in &found {
            assert!((sum - expected).abs() < 1e-4, "{isa} {clipping:?} {width}: {sum} for {expected}");
        }
        let mut slopes = [0; 5];
        for part in 0..5 {
            for at in 0..network.parameters()[part].len() {
                let mut moved = |by: f64| {
                    let value = network.parameters()[part][at];
                    network.parameters()[part][at] = (f64::from(value) + by) as f32;
                    let (sum, exact) = (network.plain(&samples), f64::from(network.parameters()[part][at]));
                    network.parameters()[part][at] = value;
                    (sum, exact)
                };
                let ((above, high), (below, low)) = (moved(STEP), moved(-STEP));
                let expected = (above - below) / (high - low);
                // Between two points on different sides of a clipping bound the sum has a kink, and the two one-sided
                // slopes differ.
                let one_sided = (above - self::middle(&mut moved)) / (high - moved(0.0).1);
                if (one_sided - expected).abs() > 2e-3 {
                    continue;
                }
                slopes[part] += usize::from(expected != 0.0);
                for (isa, (_, gradients)) in &found {
                    let gradient = f64::from(gradients[part][at]);
                    let close = (gradient - expected).abs() < 2e-3 + 2e-3 * expected.abs();
                    assert!(
                        close,
                        "{isa} {clipping:?} {width}, part {part}, {at}: {gradient} for {expected}"
                    );
                }
            }
        }
        assert!(slopes.into_iter().all(|count| count > 2), "{clipping:?} {width}: slopes {slopes:?}");
    }
}

fn middle(moved: &mut impl FnMut(f64) -> (f64, f64)) -> f64 {
    moved(0.0).0
}

#[test]
fn a_row_without_gradient_ends_where_moving_it_in_every_step_ends() {
    let mut random = Numbers(5);
    for (length, limit) in [(64, f32::INFINITY), (35, 0.4), (3, 1.98)] {
        let adam =
            AdamW { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weight_decay: 0.02, is_coupled: false, limit };
        let start = random.values(length, 0.5);
        for isa in Isa::available() {
            let mut dense = [start.clone(), vec![0.0; length], vec![0.0; length], start.clone()];
            let mut lazy = dense.clone();
            let mut missed = Vec::new();
            // Long enough for the average gradient to fall below the smallest value that is kept.
            for number in 1..=1500_u64 {
                let rate = 0.01 * (1.0 + (number as f32 / 50.0).sin());
                let step = AdamStep {
                    rate,
                    first_correction: 1.0 - 0.9_f32.powi(number as i32),
                    second_correction: 1.0 - 0.98_f32.powi(number as i32),
                    average_decay: ((1 + number) as f32 / (10 + number) as f32).min(0.999),
                };
                let touched = number < 20 || number.is_multiple_of(7) && number < 100 || number == 1490;
                let gradient = if touched { random.values(length, 0.3) } else { vec![0.0; length] };
                plain(&adam, &step, &gradient, 0.5, &mut dense);
                if touched {
                    let last = GradientStep { settings: step, gradient: &gradient, scale: 0.5 };
                    adam.step(isa, &missed, last, state(&mut lazy));
                    missed.clear();
                } else {
                    missed.push(step);
                }
            }
            adam.catch_up(isa, &missed, state(&mut lazy));
            for (lazy, dense) in lazy.iter().flatten().zip(dense.iter().flatten()) {
                assert_eq!(lazy, dense, "{isa} {length}");
            }
        }
    }
}

fn state(numbers: &mut [Vec<f32>; 4]) -> RowState<'_> {
    let [values, first, second, average] = numbers;
    RowState { values, first, second, average }
}

/// One step for all parameters, as in the paper.
fn plain(adam: &AdamW, step: &AdamStep, gradient: &[f32], scale: f32, numbers: &mut [Vec<f32>; 4]) {
    let [values, firsts, seconds, averages] = numbers;
    for (at, gradient) in gradient.iter().enumerate() {
        let gradient = gradient * scale;
        let tiny = |value: f32| if value.abs() < 1e-36 { 0.0 } else { value };
        firsts[at] = tiny(firsts[at] * adam.beta1 + gradient * (1.0 - adam.beta1));
        seconds[at] = tiny(seconds[at] * adam.beta2 + gradient * gradient * (1.0 - adam.beta2));
        let root = (seconds[at] * (1.0 / step.second_correction)).sqrt() + adam.epsilon;
        let direction = step.rate / step.first_correction * firsts[at] / root;
        let value = values[at] * (1.0 - step.rate * adam.weight_decay) - direction;
        values[at] = value.clamp(-adam.limit, adam.limit);
        averages[at] = averages[at] * step.average_decay + values[at] * (1.0 - step.average_decay);
    }
}

#[test]
fn samples_that_go_through_the_layers_together_end_as_one_by_one() {
    for (clipping, width) in [(Clipping::Pairwise, 64), (Clipping::Squared, 45)] {
        let mut random = Numbers(width as u64);
        let network = Network::new(&mut random, clipping, width);
        let (list, units, count) = (network.layers(), clipping.units(width), 23);
        // Groups of four and single samples of both buckets, in any order.
        let buckets: Vec<u8> = (0..count).map(|_| random.below(BUCKETS) as u8).collect();
        let hidden: Vec<f32> = random.values(count * units, 1.0).into_iter().map(f32::abs).collect();
        let mut outputs = random.values(count * 3, 1.0);
        outputs[9..15].fill(0.0);
        for isa in Isa::available() {
            let passes = |samples: std::ops::Range<usize>, gradients: &mut [LayerGradient]| {
                let layers = Layers { layers: &list, buckets: &buckets[samples.clone()] };
                let hidden = &hidden[samples.start * units..samples.end * units];
                let mut kept = vec![f32::NAN; samples.len() * layers.kept()];
                let mut found = vec![f32::NAN; samples.len() * 3];
                layers.forward(isa, hidden, &mut kept, &mut found);
                let outputs = &outputs[samples.start * 3..samples.end * 3];
                let mut gradient = vec![f32::NAN; samples.len() * units];
                layers.backward(isa, (hidden, &kept, outputs), gradients, &mut gradient);
                (found, gradient)
            };
            let none = || list.iter().map(no_gradient).collect::<Vec<_>>();
            let (mut together, mut alone) = (none(), none());
            let found = passes(0..count, &mut together);
            for sample in 0..count {
                let (outputs, gradient) = passes(sample..sample + 1, &mut alone);
                assert_eq!(found.0[sample * 3..][..3], outputs, "{isa} {width}: {sample}");
                assert_eq!(found.1[sample * units..][..units], gradient, "{isa} {width}: {sample}");
            }
            assert!(together == alone, "{isa} {width}");
        }
    }
}

#[test]
fn a_row_that_many_samples_read_is_summed_in_their_order() {
    const SAMPLES: usize = 1000;
    // Several blocks of samples for the rows that many samples read, and columns that do not fill a vector.
    const WIDTH: usize = 601;
    let mut random = Numbers(3);
    // The samples that read each row: all, many of the last ones, a few, none, and one twice.
    let reads = |row: usize, sample: usize| match row {
        0 => 1,
        1 => usize::from(sample >= 650),
        2 => usize::from(sample % 100 == 7),
        4 => 2 * usize::from(sample == 500),
        _ => 0,
    };
    let (mut offsets, mut list) = (vec![0], Vec::new());
    for sample in 0..SAMPLES {
        list.extend((0..5).flat_map(|row| std::iter::repeat_n(row as u32, reads(row, sample))));
        offsets.push(list.len() as u32);
    }
    let lists = Lists { offsets: &offsets, rows: &list };
    let factors = random.values(list.len(), 1.0);
    let gradients = random.values(SAMPLES * WIDTH, 1.0);
    for factors in [None, Some(&factors[..])] {
        let mut expected = vec![0.0; 5 * WIDTH];
        let mut exact = vec![0.0; 5 * WIDTH];
        for sample in 0..SAMPLES {
            for place in offsets[sample] as usize..offsets[sample + 1] as usize {
                let factor = factors.map_or(1.0, |factors| factors[place]);
                for column in 0..WIDTH {
                    let (at, gradient) =
                        (list[place] as usize * WIDTH + column, gradients[sample * WIDTH + column]);
                    expected[at] += factor * gradient;
                    exact[at] += f64::from(factor) * f64::from(gradient);
                }
            }
        }
        for isa in Isa::available() {
            let mut readers = Readers::default();
            if factors.is_some() {
                readers.find_places(lists, 5);
            } else {
                readers.find(lists, 5);
            }
            let table = Table { values: NumbersRef::Single(&gradients), width: WIDTH };
            let from = Gather { gradients: table, readers: &readers, factors };
            let mut found = vec![0.0; 5 * WIDTH];
            gather(isa, from, 0..5, &mut found);
            // Without factors there are no operations that an instruction set could fuse.
            assert!(factors.is_some() || found == expected, "{isa}");
            for (found, exact) in found.iter().zip(&exact) {
                assert!((f64::from(*found) - exact).abs() < 1e-4, "{isa}: {found} for {exact}");
            }
            let mut part = vec![f32::NAN; 2 * WIDTH];
            gather(isa, from, 3..5, &mut part);
            assert!(
                part[..WIDTH].iter().all(|value| value.is_nan()),
                "a row that none reads is left as it is"
            );
            assert_eq!(part[WIDTH..], found[4 * WIDTH..]);
        }
    }
}

#[test]
fn numbers_of_sixteen_bits_give_the_sums_of_the_rounded_ones() {
    let mut random = Numbers(8);
    let lengths = [3, 0, 17, 1, 40];
    let (offsets, rows) = lists(&mut random, &lengths, ROWS);
    let lists = Lists { offsets: &offsets, rows: &rows };
    let factors = random.values(rows.len(), 1.0);
    for width in [1, 24, 272] {
        let values = random.values(ROWS * width, 1.0);
        let bias = random.values(width, 1.0);
        for isa in Isa::available() {
            let mut halves = super::Numbers::zeros(super::NumberFormat::Half, values.len());
            halves.chunks_mut(values.len())[0].write(isa, 0, &values);
            let NumbersRef::Half(kept) = halves.first(values.len()) else { panic!("asked for halves") };
            let rounded: Vec<f32> = kept.iter().map(|half| half.to_f32()).collect();
            for (value, rounded) in values.iter().zip(&rounded) {
                assert!((value - rounded).abs() <= value.abs() / 256.0, "{value} became {rounded}");
            }
            let sums = |values| {
                let mut sums = vec![0.0; lengths.len() * width];
                accumulate(isa, Table { values, width }, &bias, lists, &mut sums);
                sums
            };
            assert_eq!(sums(halves.first(values.len())), sums(NumbersRef::Single(&rounded)), "{isa} {width}");
            let mut readers = Readers::default();
            readers.find_places(lists, ROWS);
            let gathered = |values| {
                let gradients = Table { values, width };
                let mut found = vec![0.0; ROWS * width];
                let from = Gather { gradients, readers: &readers, factors: Some(&factors) };
                gather(isa, from, 0..ROWS, &mut found);
                found
            };
            let found = gathered(halves.first(values.len()));
            assert_eq!(found, gathered(NumbersRef::Single(&rounded)), "{isa} {width}");
            for row in 0..ROWS {
                let is_read = rows.contains(&(row as u32));
                assert_eq!(readers.is_read(row), is_read);
                assert!(is_read || found[row * width..][..width].iter().all(|value| *value == 0.0));
            }
        }
    }
}
