//! Compares the vector operations of every instruction set with plain loops.

use super::{Kernel, Simd, element::Bf16};
use crate::Isa;

/// The inputs of the operations on pairs.
struct Pairs<'a> {
    halves: &'a [Bf16],
    singles: &'a [f32],
}

/// The results: halves read as floats, floats read in pairs, floats plus halves, and the totals of the floats at even
/// and odd indices.
#[derive(Debug, PartialEq)]
struct Found {
    halves: Vec<f32>,
    singles: Vec<f32>,
    sums: Vec<f32>,
    totals: [f32; 2],
}

impl<S: Simd> Kernel<S, Found> for Pairs<'_> {
    #[inline(always)]
    fn call(self, simd: S) -> Found {
        let count = 2 * S::LANES;
        assert!(count <= self.halves.len() && count <= self.singles.len());
        let mut found = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
        // SAFETY: two vectors of each.
        let totals = unsafe {
            let (halves, singles) = (self.halves.as_ptr(), simd.load_pairs(self.singles.as_ptr()));
            simd.store_pairs(found[0].as_mut_ptr(), simd.load_half_pairs(halves));
            simd.store_pairs(found[1].as_mut_ptr(), singles);
            simd.store_pairs(found[2].as_mut_ptr(), simd.add_half_pairs(singles, halves));
            [simd.total(singles[0]), simd.total(singles[1])]
        };
        let [halves, singles, sums] = found;
        Found { halves, singles, sums, totals }
    }
}

/// The reference results, computed one number at a time.
fn plain(pairs: &Pairs<'_>, count: usize) -> Found {
    let halves: Vec<f32> = pairs.halves[..count].iter().map(|half| half.to_f32()).collect();
    let singles = pairs.singles[..count].to_vec();
    let sums = singles.iter().zip(&halves).map(|(single, half)| single + half).collect();
    let total = |first: usize| {
        let mut lanes: Vec<f32> = singles.iter().copied().skip(first).step_by(2).collect();
        while lanes.len() > 1 {
            let upper = lanes.split_off(lanes.len() / 2);
            lanes.iter_mut().zip(upper).for_each(|(to, from)| *to += from);
        }
        lanes[0]
    };
    let totals = [total(0), total(1)];
    Found { halves, singles, sums, totals }
}

#[test]
fn pairs_are_taken_apart_and_put_together_without_a_change() {
    for shift in 0..50_usize {
        // Numbers of both signs and many magnitudes, whose sums are rounded.
        let number = |place: usize| {
            let size = (2.0_f32).powi((place * 7 + shift) as i32 % 40 - 20);
            (1.0 + (place * 13 + shift) as f32 / 97.0) * if place.is_multiple_of(3) { -size } else { size }
        };
        let halves: Vec<Bf16> = (0..32).map(|place| Bf16::from_f32(number(place + 5))).collect();
        let singles: Vec<f32> = (0..32).map(number).collect();
        let pairs = || Pairs { halves: &halves, singles: &singles };
        for isa in Isa::available() {
            // With and without the bf16 instructions.
            for found in [isa.run(pairs()), isa.run_on_halves(pairs())] {
                let expected = plain(&pairs(), found.halves.len());
                assert_eq!(found, expected, "{isa}");
            }
        }
    }
}
