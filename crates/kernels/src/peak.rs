//! Peak throughput of this machine's arithmetic units: loops of products whose operands are in registers or the nearest
//! cache.

use std::time::{Duration, Instant};

use crate::{
    Isa, Precision,
    aligned::Aligned,
    gemm::sums,
    simd::element::{Bf16, Element},
    simd::{Kernel, Lanes, Portable},
};

/// Multiply-adds per second of one thread, the best of many short runs; `None` if the instruction set has no such
/// product on this machine.
pub fn multiply_adds_per_second(isa: Isa, precision: Precision) -> Option<f64> {
    if isa.check().is_err() || !isa.precisions().contains(&precision) {
        return None;
    }
    match (isa, precision) {
        (Isa::Portable, Precision::F32) => Some(vectors::<_, f32>(Portable)),
        (Isa::Portable, Precision::Bf16) => Some(vectors::<_, Bf16>(Portable)),
        (Isa::Portable, Precision::Int8) => Some(vectors::<_, u8>(Portable)),
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx2, _) => Some(vectors::<_, f32>(crate::simd::Avx2::new()?)),
        #[cfg(target_arch = "x86_64")]
        (_, Precision::F32) => Some(vectors::<_, f32>(crate::simd::Avx512::new()?)),
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Precision::Bf16) => Some(vectors::<_, Bf16>(crate::simd::Avx512Bf16::new()?)),
        #[cfg(target_arch = "x86_64")]
        (Isa::Avx512, Precision::Int8) => Some(vectors::<_, u8>(crate::simd::Avx512Vnni::new()?)),
        #[cfg(target_arch = "x86_64")]
        (Isa::Amx, Precision::Bf16) => Some(tiles::<Bf16>(crate::tiles::Hardware::new().ok()?)),
        #[cfg(target_arch = "x86_64")]
        (Isa::Amx, Precision::Int8) => Some(tiles::<u8>(crate::tiles::Hardware::new().ok()?)),
        #[cfg(not(target_arch = "x86_64"))]
        _ => None,
    }
}

/// Runs `work`, which does `amount` multiply-adds, for some tens of milliseconds, and returns the rate of the best run. A
/// run is shorter than a scheduler's time slice.
fn best(amount: u64, mut work: impl FnMut()) -> f64 {
    // Far above the clock's resolution, and shorter than a time slice, so that on a busy machine at least one of many
    // runs is not interrupted.
    const RUN: Duration = Duration::from_millis(1);
    let mut best = 0.0_f64;
    for _ in 0..60 {
        let (start, mut runs) = (Instant::now(), 0_u64);
        while start.elapsed() < RUN {
            work();
            runs += 1;
        }
        best = best.max((runs * amount) as f64 / start.elapsed().as_secs_f64());
    }
    best
}

/// Steps per loop, enough to make the loop's overhead negligible.
const STEPS: usize = 512;

/// Loops over as many sums as the GEMM keeps in registers: enough to hide the latency of an addition, few enough not to
/// spill.
fn vectors<S: Lanes<E>, E: Element>(simd: S) -> f64 {
    match S::ROWS * S::COLUMNS {
        ..8 => chains::<S, E, 4>(simd),
        8..16 => chains::<S, E, 8>(simd),
        _ => chains::<S, E, 16>(simd),
    }
}

fn chains<S: Lanes<E>, E: Element, const CHAINS: usize>(simd: S) -> f64 {
    let input = vec![E::nearest(1.0); E::GROUP];
    let weights = Aligned::filled(S::LANES * E::GROUP, E::weight(1.0));
    let mut output = sums::<E>(CHAINS * S::LANES);
    best((STEPS * CHAINS * S::LANES * E::GROUP) as u64, || {
        simd.run(Chains::<E, CHAINS> { input: &input, weights: &weights, output: &mut output });
    })
}

struct Chains<'a, E: Element, const CHAINS: usize> {
    input: &'a [E],
    weights: &'a [E::Weight],
    output: &'a mut [E::Sum],
}

impl<E: Element, S: Lanes<E>, const CHAINS: usize> Kernel<S> for Chains<'_, E, CHAINS> {
    #[inline(always)]
    fn call(self, simd: S) {
        assert!(self.input.len() >= E::GROUP && self.weights.len() >= S::LANES * E::GROUP);
        assert!(self.output.len() >= CHAINS * S::LANES);
        // SAFETY: the assertions found a group of inputs, a vector of weights and room for all sums.
        unsafe {
            let weights = simd.load_weights(self.weights.as_ptr());
            let mut sums = [simd.no_sums(); CHAINS];
            for _ in 0..STEPS {
                // Otherwise the compiler could replace repeated integer additions with one multiplication.
                let input = std::hint::black_box(self.input.as_ptr());
                for sum in &mut sums {
                    *sum = simd.dot(*sum, input, weights);
                }
            }
            for (chain, sum) in sums.into_iter().enumerate() {
                simd.store_sums(self.output.as_mut_ptr().add(chain * S::LANES), sum);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn tiles<E: crate::tiles::TileElement>(unit: crate::tiles::Hardware) -> f64 {
    use crate::tiles::{INPUT, TileConfig, TileUnit as _, WEIGHTS};
    unit.configure(&mut (), &TileConfig::BOARD);
    let amount = (STEPS * 4 * 16 * 16 * E::ROW) as u64;
    let rate = best(amount, || {
        for _ in 0..STEPS {
            // SAFETY: the tiles are configured above.
            unsafe {
                E::dot::<_, 0, INPUT, WEIGHTS>(&unit, &mut ());
                E::dot::<_, 1, INPUT, WEIGHTS>(&unit, &mut ());
                E::dot::<_, 2, INPUT, WEIGHTS>(&unit, &mut ());
                E::dot::<_, 3, INPUT, WEIGHTS>(&unit, &mut ());
            }
        }
    });
    unit.release(&mut ());
    rate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_of_this_machine_has_a_peak() {
        for isa in Isa::available() {
            for precision in isa.precisions() {
                assert!(
                    multiply_adds_per_second(isa, precision).is_some_and(|rate| rate > 0.0),
                    "{isa} {precision}"
                );
            }
        }
    }
}
