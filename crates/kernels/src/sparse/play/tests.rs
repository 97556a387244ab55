use super::*;
use crate::{Isa, KernelError, sparse::Clipping};

/// Random numbers from a linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn numbers(&mut self, count: usize, reach: f32) -> Vec<f32> {
        (0..count).map(|_| reach * ((self.next() % 20_001) as f32 / 10_000.0 - 1.0)).collect()
    }
}

const FEATURES: usize = 300;
const BUCKETS: usize = 3;
const MOVES: usize = 40;
const KINDS: usize = 7;

struct Numbers {
    width: usize,
    clipping: Clipping,
    hidden: Vec<usize>,
    table: [Vec<f32>; 2],
    direct: Vec<f32>,
    layers: Vec<[Vec<f32>; 2]>,
    policy: Option<[Vec<f32>; 2]>,
    moves: [Vec<f32>; 2],
    kinds: [Vec<f32>; 2],
}

impl Numbers {
    fn new(width: usize, clipping: Clipping, hidden: &[usize], policy: Option<usize>) -> Self {
        let mut random = Random(width as u64 + hidden.len() as u64);
        let mut inputs = clipping.units(width);
        let mut layers = Vec::new();
        for &outputs in hidden.iter().chain(&[3]) {
            let reach = 2.0 / (inputs as f32).sqrt();
            layers.push([
                random.numbers(BUCKETS * outputs * inputs, reach),
                random.numbers(BUCKETS * outputs, 0.4),
            ]);
            inputs = outputs;
        }
        let scored = clipping.units(policy.unwrap_or(width));
        // Already in eight bits, as in files.
        let rounded =
            |numbers: Vec<f32>| numbers.iter().map(|number| (number * 128.0).round() / 128.0).collect();
        let mut table =
            |width: usize| [rounded(random.numbers(FEATURES * width, 0.2)), random.numbers(width, 0.4)];
        let (own, policy) = (table(width), policy.map(table));
        let mut rows = |count: usize| [random.numbers(count * scored, 0.3), random.numbers(count, 0.5)];
        let (moves, kinds) = (rows(MOVES), rows(KINDS));
        let direct = random.numbers(FEATURES, 0.1);
        Self { width, clipping, hidden: hidden.to_vec(), table: own, direct, layers, policy, moves, kinds }
    }

    fn plan(&self) -> SparsePlan<'_> {
        SparsePlan {
            table: TablePlan { weights: &self.table[0], bias: &self.table[1], clipping: self.clipping },
            direct: &self.direct,
            layers: self.layers.iter().map(|[weights, bias]| LayerPlan { weights, bias }).collect(),
            buckets: BUCKETS,
            policy: self.policy.as_ref().map(|[weights, bias]| TablePlan {
                weights,
                bias,
                clipping: self.clipping,
            }),
            moves: RowsPlan { weights: &self.moves[0], bias: &self.moves[1] },
            kinds: RowsPlan { weights: &self.kinds[0], bias: &self.kinds[1] },
        }
    }

    /// The definition in 64-bit floats.
    fn hidden_units(&self, [weights, bias]: &[Vec<f32>; 2], features: &[u32]) -> Vec<f64> {
        let width = bias.len();
        let sum = |column: usize| {
            let rows = features.iter().map(|&feature| f64::from(weights[feature as usize * width + column]));
            (f64::from(bias[column]) + rows.sum::<f64>()).clamp(0.0, 1.0)
        };
        match self.clipping {
            Clipping::Pairwise => (0..width / 2).map(|unit| sum(unit) * sum(width / 2 + unit)).collect(),
            Clipping::Squared => (0..width).map(|unit| sum(unit).powi(2)).collect(),
        }
    }

    fn value(&self, features: &[u32], bucket: usize) -> [f64; 3] {
        let mut units = self.hidden_units(&self.table, features);
        for (number, [weights, bias]) in self.layers.iter().enumerate() {
            if number > 0 {
                for sum in &mut units {
                    *sum = sum.clamp(0.0, 1.0).powi(2);
                }
            }
            let outputs = bias.len() / BUCKETS;
            let row = |output: usize| {
                let row = bucket * outputs + output;
                let weights = &weights[row * units.len()..][..units.len()];
                f64::from(bias[row]) + weights.iter().zip(&units).map(|(w, u)| f64::from(*w) * u).sum::<f64>()
            };
            units = (0..outputs).map(row).collect();
        }
        let direct: f64 = features.iter().map(|&feature| f64::from(self.direct[feature as usize])).sum();
        [units[0] + direct, units[1], units[2] - direct]
    }

    fn logits(&self, features: &[u32], rows: &[(u16, u16)]) -> Vec<f64> {
        let units = self.hidden_units(self.policy.as_ref().unwrap_or(&self.table), features);
        let score = |[weights, bias]: &[Vec<f32>; 2], row: u16| {
            let row = usize::from(row);
            let weights = &weights[row * units.len()..][..units.len()];
            f64::from(bias[row]) + weights.iter().zip(&units).map(|(w, u)| f64::from(*w) * u).sum::<f64>()
        };
        rows.iter().map(|&(row, kind)| score(&self.moves, row) + score(&self.kinds, kind)).collect()
    }
}

fn networks() -> Vec<Numbers> {
    let pairwise = Clipping::Pairwise;
    vec![
        Numbers::new(64, pairwise, &[16, 32], Some(192)),
        Numbers::new(512, pairwise, &[16, 32], Some(512)),
        Numbers::new(960, pairwise, &[8], None),
        Numbers::new(192, Clipping::Squared, &[16, 5, 7], None),
        Numbers::new(1088, Clipping::Squared, &[3], Some(64)),
    ]
}

/// Features, bucket and rows of moves.
type Sample = (Vec<u32>, usize, Vec<(u16, u16)>);

fn positions() -> Vec<Sample> {
    let mut random = Random(5);
    let lists = [0, 1, 2, 30, 90, 250];
    lists
        .into_iter()
        .map(|count| {
            let features = (0..count).map(|_| (random.next() % FEATURES as u64) as u32).collect();
            let moves = random.next() % 50;
            let row = |random: &mut Random, below: usize| (random.next() % below as u64) as u16;
            let rows = (0..moves).map(|_| (row(&mut random, MOVES), row(&mut random, KINDS))).collect();
            (features, count % BUCKETS, rows)
        })
        .collect()
}

fn answers(network: &SparseNetwork) -> Vec<f32> {
    let mut arena = network.arena();
    let mut all = Vec::new();
    for (features, bucket, rows) in positions() {
        all.extend(network.value(&mut arena, &features, bucket));
        let mut logits = vec![f32::NAN; rows.len()];
        network.logits(&mut arena, &features, &rows, &mut logits);
        all.extend(logits);
    }
    all
}

/// The largest allowed difference of a logit from the definition, for logits of up to 5: units are rounded to 1/128, weights of rows
/// to 1/127 of the row's largest weight.
const BOUND: f64 = 0.06;

#[test]
fn every_instruction_set_gives_the_same_bits_near_the_definition() {
    for numbers in networks() {
        let expected: Vec<f64> = positions()
            .iter()
            .flat_map(|(features, bucket, rows)| {
                let mut all = numbers.value(features, *bucket).to_vec();
                all.extend(numbers.logits(features, rows));
                all
            })
            .collect();
        let portable = answers(&SparseNetwork::compile(&numbers.plan(), Isa::Portable).unwrap());
        let far =
            portable.iter().zip(&expected).map(|(found, expected)| (f64::from(*found) - expected).abs());
        let far = far.fold(0.0, f64::max);
        assert!(far < BOUND, "{} {:?} {:?}: {far}", numbers.width, numbers.clipping, numbers.hidden);
        for isa in Isa::available() {
            let network = SparseNetwork::compile(&numbers.plan(), isa).unwrap();
            assert_eq!(answers(&network), portable, "{network:?} of {isa}");
        }
    }
}

#[test]
fn a_table_of_large_weights_takes_a_coarser_step_and_one_of_too_large_ones_is_refused() {
    let mut numbers = Numbers::new(64, Clipping::Pairwise, &[16], None);
    numbers.table[0][7] = -3.5;
    let coarse = answers(&SparseNetwork::compile(&numbers.plan(), Isa::Portable).unwrap());
    for isa in Isa::available() {
        assert_eq!(answers(&SparseNetwork::compile(&numbers.plan(), isa).unwrap()), coarse, "{isa}");
    }
    numbers.table[0][7] = 8.5;
    let error = SparseNetwork::compile(&numbers.plan(), Isa::Portable).unwrap_err();
    assert_eq!(error.to_string(), "value table: found 8.5, expected weights from -7.9375 to 7.9375");
}

#[test]
fn sums_stay_at_the_end_of_sixteen_bits() {
    let mut numbers = Numbers::new(64, Clipping::Squared, &[3], None);
    numbers.hidden.clear();
    numbers.table[0].fill(0.99);
    let network = SparseNetwork::compile(&numbers.plan(), Isa::Portable).unwrap();
    let (mut arena, all) = (network.arena(), vec![0; 300]);
    let many = network.value(&mut arena, &all, 0);
    let direct = 297.0 * numbers.direct[0];
    let few = network.value(&mut arena, &all[..3], 0);
    assert!((many[0] - few[0] - direct).abs() < 1e-2 && many[1] == few[1], "{many:?} {few:?}");
}

#[test]
fn numbers_that_do_not_fit_are_refused_by_part() {
    let numbers = Numbers::new(128, Clipping::Pairwise, &[16, 32], None);
    let refusal = |change: &dyn Fn(&mut SparsePlan<'_>)| {
        let mut plan = numbers.plan();
        change(&mut plan);
        SparseNetwork::compile(&plan, Isa::Portable).unwrap_err()
    };
    let shape = |part: &str, found, expected| KernelError::Shape { part: part.into(), found, expected };
    assert_eq!(
        refusal(&|plan| plan.table.bias = &plan.table.bias[..100]),
        shape("value table, width", 100, 128)
    );
    assert_eq!(
        refusal(&|plan| plan.table.weights = &plan.table.weights[1..]),
        shape("value table", 38_399, 38_400)
    );
    assert_eq!(refusal(&|plan| plan.direct = &plan.direct[1..]), shape("direct numbers", 299, 300));
    assert_eq!(refusal(&|plan| plan.layers.clear()), shape("layers", 0, 1));
    assert_eq!(refusal(&|plan| plan.layers.truncate(2)), shape("outputs", 32, 3));
    assert_eq!(refusal(&|plan| plan.layers[1].bias = &[]), shape("layer 1", 3 * 32 * 16, 0));
    assert_eq!(refusal(&|plan| plan.moves.bias = &plan.moves.bias[1..]), shape("moves", 40 * 64, 39 * 64));
}
