//! The laws of [`Trainable`], for tests of its implementations.

use std::{borrow::Cow, ops::Range};

use dataset::Batch;

use super::{BatchLosses, LossFunctions, Trainable};
use crate::{
    NetworkError, TrainingPrecision,
    architecture::PlaneArchitecture,
    container::Container,
    passes::{HeadOutputs, NormStatistics, Objective, OutputGradients, Outputs, Parameters, SparseObjective},
};

/// Checks the laws on a network before its first step, made by `make`, and batches for it.
///
/// # Panics
/// If a law does not hold.
pub fn check(make: &dyn Fn() -> Box<dyn Trainable>, batches: &[Batch]) {
    gradients_change_nothing(&mut *make(), &batches[0]);
    gradients_are_slopes(&mut *make(), &batches[0]);
    steps_lower_the_loss(&mut *make(), &batches[0]);
    resumed_steps_are_those_of_an_uninterrupted_run(make, batches);
    a_new_start_forgets_the_steps(make, batches);
    outputs_depend_only_on_what_is_given(&mut *make(), batches);
    sixteen_bits_are_near_32(make, &batches[0]);
}

/// The mean of `output + output^2 / 2` over the outputs of each head, without targets.
pub struct Parabolas;

impl LossFunctions for Parabolas {
    fn of_outputs(&self) -> &dyn Objective {
        self
    }

    fn of_samples<'a>(&'a self, batch: &'a Batch) -> Box<dyn SparseObjective + 'a> {
        Box::new(OfSamples(batch))
    }
}

impl Objective for Parabolas {
    fn gradients(&self, _: &PlaneArchitecture, outputs: HeadOutputs<'_>) -> OutputGradients {
        let HeadOutputs { policy, value, .. } = outputs;
        let [(policy_loss, policy), (value_loss, value)] = [policy, value].map(|outputs| {
            let mut gradient = outputs.to_vec();
            (parabolas(&mut gradient, outputs.len()) as f32, gradient)
        });
        OutputGradients { policy_loss, value_loss, illegal_move_loss: None, policy, value }
    }
}

/// The sum of `output + output^2 / 2` over `count`; replaces the outputs by its gradient.
fn parabolas(outputs: &mut [f32], count: usize) -> f64 {
    let share = 1.0 / count.max(1) as f32;
    let sum: f64 = outputs.iter().map(|output| f64::from(output + output * output / 2.0)).sum();
    for output in outputs.iter_mut() {
        *output = (1.0 + *output) * share;
    }
    f64::from(share) * sum
}

struct OfSamples<'a>(&'a Batch);

impl SparseObjective for OfSamples<'_> {
    fn value(&self, samples: Range<usize>, outputs: &[f32], gradient: &mut [f32]) -> f64 {
        gradient.copy_from_slice(outputs);
        parabolas(gradient, self.0.size * outputs.len() / samples.len().max(1))
    }

    fn policy(&self, _: Range<usize>, logits: &mut [f32]) -> f64 {
        parabolas(logits, self.0.policy.len())
    }
}

fn losses(trainable: &mut dyn Trainable, batch: &Batch) -> BatchLosses {
    trainable.gradients(batch, &Parabolas, 1).expect("a batch of the network's encoding")
}

fn total(trainable: &mut dyn Trainable, batch: &Batch) -> f64 {
    let BatchLosses { policy_loss, value_loss, .. } = losses(trainable, batch);
    f64::from(policy_loss) + f64::from(value_loss)
}

fn values(trainable: &dyn Trainable) -> Parameters {
    trainable.values().into_iter().map(Cow::into_owned).collect()
}

fn step(trainable: &mut dyn Trainable, batch: &Batch) {
    let found = losses(trainable, batch);
    assert!(found.is_bounded, "the gradients of {found:?}");
    trainable.step(RATE).expect("a step");
}

const RATE: f32 = 1e-3;

fn gradients_change_nothing(trainable: &mut dyn Trainable, batch: &Batch) {
    let before = values(trainable);
    let [first, second] = [0, 1].map(|_| total(trainable, batch));
    assert_eq!(first, second, "the losses of one batch");
    assert!(before == values(trainable), "gradients alone change no parameter");
    assert_eq!(trainable.steps(), 0);
}

/// The sum of squares of the gradient of each small parameter is that of the slopes of the loss.
fn gradients_are_slopes(trainable: &mut dyn Trainable, batch: &Batch) {
    /// Elements of a parameter that is checked, and half the distance of the two points of a slope.
    const MOST: usize = 24;
    const STEP: f32 = 1e-2;
    // The gradients are kept inside the network, which returns only their sums of squares; a step at rate 0 moves nothing and
    // returns them. A slope costs two passes for each element, so only parameters of few elements are checked, biases above all:
    // a bias is reached by the same gradients as the matrix that it is added to.
    let start = values(trainable);
    total(trainable, batch);
    let squares = trainable.step(0.0).expect("a step");
    assert_eq!(squares.len(), start.len(), "a sum of squares for each parameter");
    let mut checked = 0;
    for (number, values) in start.iter().enumerate().filter(|(_, values)| values.len() <= MOST) {
        let slopes = (0..values.len()).map(|place| {
            let [before, after] = [-STEP, STEP].map(|change| {
                let mut moved = start.clone();
                moved[number][place] += change;
                trainable.start_from(moved);
                total(trainable, batch)
            });
            (after - before) / f64::from(2.0 * STEP)
        });
        let (expected, found) =
            (slopes.map(|slope| slope * slope).sum::<f64>().sqrt(), squares[number].sqrt());
        let allowed = 1e-4 + 0.03 * expected;
        assert!((found - expected).abs() < allowed, "parameter {number}: {found}, slopes {expected}");
        checked += usize::from(expected > 1e-3);
    }
    assert!(checked > 0, "a parameter of at most {MOST} elements with a slope");
}

fn steps_lower_the_loss(trainable: &mut dyn Trainable, batch: &Batch) {
    let first = total(trainable, batch);
    (0..20).for_each(|_| step(trainable, batch));
    let last = total(trainable, batch);
    assert!(last < first, "{first} and after 20 steps {last}");
    assert_eq!(trainable.steps(), 20);
}

fn resumed_steps_are_those_of_an_uninterrupted_run(make: &dyn Fn() -> Box<dyn Trainable>, batches: &[Batch]) {
    let (mut whole, mut resumed) = (make(), make());
    for batch in batches {
        step(&mut *whole, batch);
    }
    let mut container = Container { header: [].into(), matrices: whole.matrices() };
    resumed.restore(whole.steps(), &mut container, "law").expect("the same network");
    assert!(container.matrices.is_empty(), "every matrix is read");
    for trainable in [&mut whole, &mut resumed] {
        batches.iter().rev().for_each(|batch| step(&mut **trainable, batch));
    }
    assert_eq!(whole.steps(), resumed.steps());
    assert!(values(&*whole) == values(&*resumed), "the parameters of a resumed run");
    assert!(whole.averaged() == resumed.averaged(), "their averages");
    assert!(whole.matrices() == resumed.matrices(), "the state of a resumed run");
    // Each matrix must be needed: a state that is read without one would continue another run.
    let mut cut = Container { header: [].into(), matrices: whole.matrices() };
    cut.matrices.pop();
    let refused = make().restore(whole.steps(), &mut cut, "law");
    assert!(matches!(refused, Err(NetworkError::Format { .. })), "a missing matrix: {refused:?}");
}

fn a_new_start_forgets_the_steps(make: &dyn Fn() -> Box<dyn Trainable>, batches: &[Batch]) {
    let (mut fresh, mut used) = (make(), make());
    let start = values(&*fresh);
    for batch in batches {
        step(&mut *used, batch);
    }
    used.start_from(start.clone());
    assert_eq!(used.steps(), 0);
    assert!(used.averaged() == start, "nothing is averaged yet");
    for trainable in [&mut fresh, &mut used] {
        for batch in batches {
            step(&mut **trainable, batch);
        }
    }
    assert!(values(&*fresh) == values(&*used), "the steps of a new start");
}

fn outputs_depend_only_on_what_is_given(trainable: &mut dyn Trainable, batches: &[Batch]) {
    let given = values(trainable);
    let before = outputs(trainable, &given, &batches[0]);
    for batch in batches {
        step(trainable, batch);
    }
    assert!(before == outputs(trainable, &given, &batches[0]), "the outputs for given parameters");
    let legal = batches[0].legal_offsets[batches[0].size] as usize;
    assert_eq!(before.logits.len(), legal, "a logit for each legal move");
}

fn outputs(trainable: &mut dyn Trainable, parameters: &Parameters, batch: &Batch) -> Outputs {
    let found = trainable.forward(parameters, NormStatistics::Batch, batch);
    found.expect("a batch of the network's encoding")
}

/// Holds for networks that train in 16 bits on this machine.
fn sixteen_bits_are_near_32(make: &dyn Fn() -> Box<dyn Trainable>, batch: &Batch) {
    let (mut exact, mut rounded) = (make(), make());
    match rounded.set_precision(TrainingPrecision::Bf16) {
        Ok(()) => {}
        Err(NetworkError::Precision { .. } | NetworkError::Kernel(_)) => return,
        Err(error) => panic!("{error}"),
    }
    for _ in 0..5 {
        let [exact, rounded] = [&mut exact, &mut rounded].map(|trainable| {
            let loss = total(&mut **trainable, batch);
            trainable.step(RATE).expect("a step");
            loss
        });
        assert!((exact - rounded).abs() < 0.02 * (1.0 + exact.abs()), "{exact} and {rounded}");
    }
}
