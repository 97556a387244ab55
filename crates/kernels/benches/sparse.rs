//! CPU time per position of each part of a sparse network with random weights, for every instruction set of this
//! machine. `cargo bench -p kernels --bench sparse -- [SECONDS] [WIDTH] [POLICY_WIDTH]`.
//!
//! The last two columns measure the alternative, accumulators updated along the path of a search: the time to add all
//! rows of a position, and the time to subtract or add only the rows that a move changes. Finding those rows is not
//! included.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a measurement prints its table")]

#[path = "../../../benches/support/processor.rs"]
mod processor;

use std::hint::black_box;

use chess::{
    Game, Position,
    encoding::{
        FeatureList, FeatureSet,
        features::feature_set,
        policy_rows::{KIND_ROWS, MOVE_ROWS, PolicyRows},
    },
    laws,
};
use kernels::{
    Isa,
    sparse::{Clipping, LayerPlan, RowsPlan, SparseNetwork, SparsePlan, TablePlan},
};
use processor::thread_seconds;

const BUCKETS: usize = 8;

/// A position as the kernels see it.
struct Sample {
    game: Game,
    value: Vec<u32>,
    policy: Vec<u32>,
    /// The rows that the last two moves removed or added.
    changed: Vec<u32>,
    rows: Vec<(u16, u16)>,
    bucket: usize,
}

fn active(set: &dyn FeatureSet, game: &Game) -> Vec<u32> {
    let mut list = FeatureList::new();
    set.active(game.position(), &mut list);
    list.as_slice().to_vec()
}

fn samples() -> Vec<Sample> {
    let (value, policy) = (feature_set("threats-kings").unwrap(), feature_set("threats").unwrap());
    let games = laws::sample_games(1, 6000).into_iter();
    let middle = games.filter(|game| {
        game.ply() > 2 && game.position().board().occupied().count() > 16 && !game.legal_moves().is_empty()
    });
    let sample = |game: Game| {
        let mut before = game.clone();
        // The same side to move, so that both are the same side's accumulator.
        before.undo();
        before.undo();
        let (own, earlier) = (active(policy, &game), active(policy, &before));
        let only =
            |a: &[u32], b: &[u32]| a.iter().filter(|row| !b.contains(row)).copied().collect::<Vec<_>>();
        let rows = PolicyRows::new(game.position());
        Sample {
            value: active(value, &game),
            changed: [only(&own, &earlier), only(&earlier, &own)].concat(),
            policy: own,
            rows: game.legal_moves().into_iter().map(|one| rows.of(one)).collect(),
            bucket: (game.position().board().occupied().count() - 2) * BUCKETS / 31,
            game,
        }
    };
    middle.take(1500).map(sample).collect()
}

/// Numbers from a linear congruential generator (Knuth, MMIX), between `-reach` and `reach`.
fn numbers(count: usize, reach: f32) -> Vec<f32> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        reach * ((state >> 40) as f32 / (1 << 23) as f32 - 1.0)
    };
    (0..count).map(|_| next()).collect()
}

fn main() {
    let arguments: Vec<f64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let argument = |at: usize, default: f64| arguments.get(at).copied().unwrap_or(default);
    let (time, width, policy_width) =
        (argument(0, 0.3), argument(1, 512.0) as usize, argument(2, 512.0) as usize);
    let samples = samples();
    let mean = |count: &dyn Fn(&Sample) -> usize| {
        samples.iter().map(count).sum::<usize>() as f64 / samples.len() as f64
    };
    println!(
        "{} positions, {:.0} + {:.0} features, {:.0} rows changed by two moves, {:.0} moves; microseconds a position",
        samples.len(),
        mean(&|sample| sample.value.len()),
        mean(&|sample| sample.policy.len()),
        mean(&|sample| sample.changed.len()),
        mean(&|sample| sample.rows.len()),
    );
    let each = |work: &mut dyn FnMut(&Sample)| microseconds(time, &samples, work);
    let mut list = FeatureList::new();
    for name in ["threats-kings", "threats"] {
        let set = feature_set(name).unwrap();
        println!(
            "{name:14} {:6.2}",
            each(&mut |sample| set.active(sample.game.position(), black_box(&mut list)))
        );
    }
    let policy_rows = each(&mut |sample| {
        let rows = PolicyRows::new(sample.game.position());
        for one in sample.game.legal_moves() {
            black_box(rows.of(one));
        }
    });
    println!("policy rows, legal moves included {policy_rows:6.2}");
    networks(&samples, time, (width, policy_width));
}

/// Measures the parts of a network with random weights, on every instruction set.
fn networks(samples: &[Sample], time: f64, (width, policy_width): (usize, usize)) {
    let each = |work: &mut dyn FnMut(&Sample)| microseconds(time, samples, work);
    println!("kernels        value  moves  all rows  changed rows");
    let (table, bias) = (numbers(24_576 * width, 0.2), numbers(width, 0.5));
    let (policy_table, policy_bias) = (numbers(12_288 * policy_width, 0.2), numbers(policy_width, 0.5));
    let (first, second, last) =
        (numbers(BUCKETS * 8 * width, 0.1), numbers(BUCKETS * 512, 0.2), numbers(BUCKETS * 96, 0.2));
    let biases = numbers(BUCKETS * 32, 0.2);
    let (moves, kinds) =
        (numbers(MOVE_ROWS * policy_width / 2, 0.1), numbers(KIND_ROWS * policy_width / 2, 0.1));
    let row_bias = numbers(MOVE_ROWS, 0.1);
    let direct = numbers(24_576, 0.1);
    let clipping = Clipping::Pairwise;
    let plan = SparsePlan {
        table: TablePlan { weights: &table, bias: &bias, clipping },
        direct: &direct,
        layers: vec![
            LayerPlan { weights: &first, bias: &biases[..BUCKETS * 16] },
            LayerPlan { weights: &second, bias: &biases },
            LayerPlan { weights: &last, bias: &biases[..BUCKETS * 3] },
        ],
        buckets: BUCKETS,
        policy: Some(TablePlan { weights: &policy_table, bias: &policy_bias, clipping }),
        moves: RowsPlan { weights: &moves, bias: &row_bias },
        kinds: RowsPlan { weights: &kinds, bias: &row_bias[..KIND_ROWS] },
    };
    for isa in Isa::available() {
        let network = SparseNetwork::compile(&plan, isa).unwrap();
        let (mut arena, mut logits) = (network.arena(), Vec::new());
        let value = each(&mut |sample| {
            black_box(network.value(&mut arena, &sample.value, sample.bucket));
        });
        let scored = each(&mut |sample| {
            logits.resize(sample.rows.len(), 0.0);
            network.logits(&mut arena, &sample.policy, &sample.rows, black_box(&mut logits));
        });
        let mut rows = |list: &dyn Fn(&Sample) -> &[u32]| {
            each(&mut |sample| network.logits(&mut arena, list(sample), &[], &mut []))
        };
        let (all, changed) = (rows(&|sample| &sample.policy), rows(&|sample| &sample.changed));
        println!("{:12} {value:7.2} {scored:6.2} {all:9.2} {changed:13.2}", network.kernels());
    }
}

/// CPU time of this thread per position, in microseconds.
fn microseconds(time: f64, samples: &[Sample], work: &mut dyn FnMut(&Sample)) -> f64 {
    samples.iter().for_each(&mut *work);
    let (start, mut runs) = (thread_seconds(), 0);
    while thread_seconds() - start < time {
        samples.iter().for_each(&mut *work);
        runs += samples.len();
    }
    1e6 * (thread_seconds() - start) / runs as f64
}
