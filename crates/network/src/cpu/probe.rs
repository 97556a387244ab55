//! Short measurements that choose precision and batch size if the user does not.

use std::time::{Duration, Instant};

use chess::encoding::Plane;
use kernels::{Calibration, Isa, Plan, Precision, Program};

use crate::NetworkError;

/// How much quicker a coarser precision must be to be taken instead of the finest.
const WORTH_ROUNDING: f64 = 1.3;
/// How much of the best speed a smaller batch must reach to be preferred: a search profits from small batches.
const WORTH_WAITING: f64 = 0.9;
/// The batch sizes that are tried.
const BATCHES: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Positions that precisions are compared on.
const SAMPLE: usize = 16;
/// How long each of them is measured at least.
const TIME: Duration = Duration::from_millis(15);
/// How often each is run at least: of several runs one is left alone even on a busy machine, which would otherwise choose now
/// this, now that.
const RUNS: usize = 4;

/// Compiles for the precision that suits the machine: the finest, unless a coarser one is much quicker. Eight-bit numbers
/// are considered only where the network was calibrated for them, and not on a tile unit.
pub(super) fn quickest(
    plan: &Plan,
    isa: Isa,
    calibration: Option<&Calibration>,
) -> Result<Program, NetworkError> {
    let mut best = Program::compile(plan, isa, Precision::F32, calibration)?;
    let coarser = isa.precisions().into_iter().filter(|&precision| match precision {
        // The portable kernels are there to be compared with, not to be quick.
        _ if isa == Isa::Portable => false,
        Precision::F32 => false,
        Precision::Bf16 => true,
        // On tiles they are a quarter quicker than bf16 (`docs/measurements.md`): too near the limit for the same choice in
        // every run.
        Precision::Int8 => calibration.is_some() && isa != Isa::Amx,
    });
    let mut reference = None;
    for precision in coarser {
        let candidate = Program::compile(plan, isa, precision, calibration)?;
        let planes = plan.stem.inputs;
        let to_beat = *reference.get_or_insert_with(|| positions_per_second(&best, planes, SAMPLE));
        let rate = positions_per_second(&candidate, planes, SAMPLE);
        if rate > WORTH_ROUNDING * to_beat {
            (best, reference) = (candidate, Some(rate));
        }
    }
    Ok(best)
}

/// The smallest batch at which the program is nearly as quick as at its best.
pub(super) fn batch(program: &Program, planes: usize) -> usize {
    let rates = BATCHES.map(|size| positions_per_second(program, planes, size));
    let best = rates.into_iter().fold(0.0, f64::max);
    let nearly = rates.into_iter().position(|rate| rate >= WORTH_WAITING * best);
    nearly.map_or(1, |place| BATCHES[place])
}

/// Positions a second in batches of a size: the quickest of several runs, because others may use the processor, too.
fn positions_per_second(program: &Program, planes: usize, size: usize) -> f64 {
    let boards: Vec<Plane> = (0..size * planes)
        .map(|plane| Plane::squares(0x0102_0408_1020_4081_u64.rotate_left(plane as u32)))
        .collect();
    let mut arena = program.arena();
    let (start, mut best, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < RUNS || start.elapsed() < TIME {
        let run = Instant::now();
        program.run(&mut arena, &boards, &mut |_, _| {});
        best = best.min(run.elapsed().as_secs_f64());
        runs += 1;
    }
    size as f64 / best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::tests::network;

    #[test]
    fn what_is_chosen_is_one_of_the_choices() {
        let plan = network(7).plan;
        for isa in Isa::available() {
            let program = quickest(&plan, isa, None).unwrap();
            assert!(program.isa() == isa && isa.precisions().contains(&program.precision()));
            assert_ne!(program.precision(), Precision::Int8, "not without calibration");
            assert!(BATCHES.contains(&batch(&program, plan.stem.inputs)));
            let calibration = Calibration { ranges: vec![1.0; plan.tensors().len()] };
            let calibrated = quickest(&plan, isa, Some(&calibration)).unwrap().precision();
            let may_be_coarse = !matches!(isa, Isa::Amx | Isa::Portable);
            assert!(calibrated != Precision::Int8 || may_be_coarse, "{isa:?}");
        }
    }
}
