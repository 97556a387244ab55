//! Compares the losses with a slow version, and their gradients with finite differences.

use chess::Wdl;
use network::{ValueKind, probabilities::PositionValue};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| random.random_range(-2.0..2.0)).collect()
}

fn slow_cross_entropy(logits: &[f32], target: &[f32]) -> f64 {
    let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
    logits
        .iter()
        .zip(target)
        .map(|(logit, target)| -f64::from(*target) * (f64::from(*logit).exp() / sum).ln())
        .sum()
}

/// Checks a loss: its value against the slow version, and each gradient against the slow version's slope.
fn check(inputs: &[f32], fast: impl Fn(&[f32]) -> (f32, Vec<f32>), slow: impl Fn(&[f32]) -> f64) {
    let (loss, gradient) = fast(inputs);
    assert!((f64::from(loss) - slow(inputs)).abs() < 1e-5);
    assert_eq!(gradient.len(), inputs.len());
    for (index, &gradient) in gradient.iter().enumerate() {
        let shifted = |step: f32| {
            let mut shifted = inputs.to_vec();
            shifted[index] += step;
            slow(&shifted)
        };
        let slope = (shifted(1e-3) - shifted(-1e-3)) / 2e-3;
        assert!((f64::from(gradient) - slope).abs() < 1e-3, "{index}: {gradient} against {slope}");
    }
}

#[test]
fn policy_loss_equals_the_slow_one() {
    // A distribution, a single move, and a position with only one legal move.
    let (target, offsets) = ([0.2, 0.3, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0], [0, 5, 7, 8]);
    check(
        &random(8, 1),
        |logits| policy_loss(logits, &target, &offsets, &[1.0; 3]),
        |logits| {
            let rows = offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
            rows.map(|row| slow_cross_entropy(&logits[row.clone()], &target[row])).sum::<f64>() / 3.0
        },
    );
}

#[test]
fn illegal_moves_cost_what_separates_both_cross_entropies() {
    // One of the eight outputs has no move.
    let (width, moves, legal) = (8, [0, 1, 2, 3, 5, 6, 7], [1, 5, 6, 0, 2]);
    let (offsets, target) = ([0, 3, 5], [0.5, 0.0, 0.5, 0.0, 1.0]);
    let logits = random(2 * width, 6);
    let policy = PolicyLogits {
        logits: &[],
        width,
        moves: &moves,
        legal: &legal,
        offsets: &offsets,
        weights: &[1.0; 2],
    };
    let row = |logits: &[f32], board: usize, slots: &[u32]| -> Vec<f32> {
        slots.iter().map(|slot| logits[board * width + *slot as usize]).collect()
    };
    let slow = |logits: &[f32]| {
        let boards = [(0, &legal[..3], &target[..3]), (1, &legal[3..], &target[3..])];
        let difference = |(board, legal, target): (usize, &[u32], &[f32])| {
            let mut spread = vec![0.0; moves.len()];
            for (slot, share) in legal.iter().zip(target) {
                spread[moves.iter().position(|place| place == slot).unwrap()] = *share;
            }
            slow_cross_entropy(&row(logits, board, &moves), &spread)
                - slow_cross_entropy(&row(logits, board, legal), target)
        };
        boards.into_iter().map(difference).sum::<f64>() / 2.0
    };
    check(
        &logits,
        |logits| {
            let mut gradient = vec![0.0; logits.len()];
            (illegal_move_loss(PolicyLogits { logits, ..policy }, 1.0, &mut gradient), gradient)
        },
        slow,
    );
    let mut halves = vec![1.0; logits.len()];
    illegal_move_loss(PolicyLogits { logits: &logits, ..policy }, 0.5, &mut halves);
    let mut whole = vec![0.0; logits.len()];
    illegal_move_loss(PolicyLogits { logits: &logits, ..policy }, 1.0, &mut whole);
    assert!(halves.iter().zip(&whole).all(|(half, whole)| (half - 1.0 - whole / 2.0).abs() < 1e-6));
}

#[test]
fn value_losses_equal_the_slow_ones_and_skip_unlabelled_samples() {
    let targets =
        [Some(PositionValue::from(Wdl { win: 0.6, draw: 0.3, loss: 0.1 })), None, Some(Wdl::LOSS.into())];
    let mean = |terms: Vec<f64>| terms.iter().sum::<f64>() / 2.0;
    check(
        &random(3 * 3, 2),
        |logits| value_loss(ValueKind::Wdl, ValueLoss::CrossEntropy, logits, &targets, &[1.0; 3]),
        |logits| {
            let rows = logits.chunks(3).zip(&targets);
            let labelled = rows.filter_map(|(logits, target)| Some((logits, (*target)?)));
            mean(
                labelled
                    .map(|(logits, PositionValue { wdl, .. })| {
                        slow_cross_entropy(logits, &[wdl.win, wdl.draw, wdl.loss])
                    })
                    .collect(),
            )
        },
    );
    let slow_term = |loss: ValueLoss, error: f64| match loss {
        ValueLoss::CrossEntropy => unreachable!("compared above"),
        ValueLoss::Squared => error * error,
        ValueLoss::Huber { delta } => {
            let delta = f64::from(delta);
            if error.abs() < delta { error * error / 2.0 } else { delta * (error.abs() - delta / 2.0) }
        }
        ValueLoss::Absolute => error.abs(),
    };
    let slow_value = |kind: ValueKind, output: &[f32]| match kind {
        ValueKind::Scalar => f64::from(output[0]).tanh(),
        ValueKind::Pawns { limit, squash: true } => f64::from(limit) * f64::from(output[0]).tanh(),
        ValueKind::Pawns { squash: false, .. } => output[0].into(),
        ValueKind::None => unreachable!("has no loss"),
        ValueKind::Wdl => {
            let powers: Vec<f64> = output.iter().map(|logit| f64::from(*logit).exp()).collect();
            (powers[0] - powers[2]) / powers.iter().sum::<f64>()
        }
    };
    let small = ValueLoss::Huber { delta: 0.2 };
    for loss in [ValueLoss::Squared, ValueLoss::Huber { delta: 1.0 }, small, ValueLoss::Absolute] {
        let pawns = [false, true].map(|squash| ValueKind::Pawns { limit: 3.0, squash });
        for kind in [ValueKind::Wdl, ValueKind::Scalar].into_iter().chain(pawns) {
            check(
                &random(3 * kind.outputs(), 3),
                |outputs| value_loss(kind, loss, outputs, &targets, &[1.0; 3]),
                |outputs| {
                    let rows = outputs.chunks(kind.outputs()).zip(&targets);
                    let error = |(output, target): (&[f32], &Option<PositionValue>)| {
                        Some(slow_value(kind, output) - f64::from((*target)?.number))
                    };
                    mean(rows.filter_map(error).map(|error| slow_term(loss, error)).collect())
                },
            );
        }
    }
}

#[test]
fn a_batch_without_value_labels_has_a_value_loss_of_zero() {
    let loss = |kind, outputs: &[f32], count| {
        value_loss(kind, ValueLoss::Squared, outputs, &vec![None; count], &vec![1.0; count])
    };
    assert_eq!(loss(ValueKind::Wdl, &[1.0; 6], 2), (0.0, vec![0.0; 6]));
    assert_eq!(loss(ValueKind::Scalar, &[1.0; 3], 3), (0.0, vec![0.0; 3]));
    let labelled = [Some(PositionValue::from(Wdl::WIN))];
    assert_eq!(value_loss(ValueKind::None, ValueLoss::Squared, &[], &labelled, &[1.0]), (0.0, Vec::new()));
}

/// Rows of `width` values, with row i repeated `times[i]` times.
fn repeated<T: Clone>(rows: &[T], width: usize, times: [usize; 3]) -> Vec<T> {
    let rows = rows.chunks(width).zip(times);
    rows.flat_map(|(row, times)| std::iter::repeat_n(row, times).flatten().cloned().collect::<Vec<_>>())
        .collect()
}

fn close(found: f32, expected: f32) -> bool {
    (found - expected).abs() < 1e-5
}

/// Asserts that the gradient of a sample that counts n times is n times that of one of its copies.
fn assert_as_repeated(weighted: &[f32], width: usize, times: [usize; 3], copies: &[f32]) {
    let mut first = 0;
    for (row, times) in weighted.chunks(width).zip(times) {
        for (column, &found) in row.iter().enumerate() {
            let copy = if times == 0 { 0.0 } else { copies[first * width + column] };
            assert!(close(found, times as f32 * copy), "{found} against {times} times {copy}");
        }
        first += times;
    }
}

#[test]
fn a_sample_that_counts_n_times_is_learned_like_n_copies_of_it() {
    const TIMES: [usize; 3] = [3, 0, 1];
    let weights = TIMES.map(|times| times as f32);
    let (logits, targets) = (random(3 * 4, 11), [0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4]);
    let (loss, gradient) = policy_loss(&logits, &targets, &[0, 4, 8, 12], &weights);
    let copies = [repeated(&logits, 4, TIMES), repeated(&targets, 4, TIMES)];
    let offsets = [0, 4, 8, 12, 16];
    let (expected, of_copies) = policy_loss(&copies[0], &copies[1], &offsets, &[1.0; 4]);
    assert!(close(loss, expected) && loss > 0.1, "{loss} against {expected}");
    assert_as_repeated(&gradient, 4, TIMES, &of_copies);

    let legal = [0, 1, 2, 3, 0, 3];
    let boards = |logits, legal, offsets, weights| PolicyLogits {
        logits,
        width: 4,
        moves: &[0, 1, 2, 3],
        legal,
        offsets,
        weights,
    };
    let mut gradient = vec![0.0; 12];
    let loss = illegal_move_loss(boards(&logits, &legal, &[0, 2, 4, 6], &weights), 0.5, &mut gradient);
    let mut of_copies = vec![0.0; 16];
    let legal = repeated(&legal, 2, TIMES);
    let copied = boards(&copies[0], &legal, &[0, 2, 4, 6, 8], &[1.0; 4]);
    let expected = illegal_move_loss(copied, 0.5, &mut of_copies);
    assert!(close(loss, expected) && loss > 0.1, "{loss} against {expected}");
    assert_as_repeated(&gradient, 4, TIMES, &of_copies);

    let targets = [Some(PositionValue::from(Wdl::WIN)), Some(Wdl::DRAW.into()), None];
    for (kind, loss) in [(ValueKind::Wdl, ValueLoss::CrossEntropy), (ValueKind::Scalar, ValueLoss::Squared)] {
        let outputs = random(3 * kind.outputs(), 12);
        let times = [2, 1, 5];
        let (found, gradient) = value_loss(kind, loss, &outputs, &targets, &[2.0, 1.0, 5.0]);
        let copied = (repeated(&outputs, kind.outputs(), times), repeated(&targets, 1, times));
        let (expected, of_copies) = value_loss(kind, loss, &copied.0, &copied.1, &[1.0; 8]);
        assert!(close(found, expected) && found > 0.1, "{found} against {expected}");
        assert_as_repeated(&gradient, kind.outputs(), times, &of_copies);
    }
}

#[test]
fn a_batch_in_which_nothing_counts_teaches_nothing() {
    let (loss, gradient) = policy_loss(&random(4, 13), &[0.25; 4], &[0, 2, 4], &[0.0; 2]);
    assert_eq!((loss, gradient), (0.0, vec![0.0; 4]));
    let targets = [Some(PositionValue::from(Wdl::WIN))];
    let (loss, gradient) =
        value_loss(ValueKind::Wdl, ValueLoss::CrossEntropy, &random(3, 14), &targets, &[0.0]);
    assert_eq!((loss, gradient), (0.0, vec![0.0; 3]));
}
