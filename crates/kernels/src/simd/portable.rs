//! Plain Rust on short arrays: runs on any processor with bit-identical results, and is the reference for the others.

use super::{GradientLanes, Kernel, Lanes, Simd};
use crate::simd::element::{Bf16, Element};

const LANES: usize = 8;

/// Arrays that the compiler vectorises as best it can; runs on every processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

#[inline(always)]
fn each<T: Copy, R>(a: [T; LANES], mut result: [R; LANES], function: impl Fn(T) -> R) -> [R; LANES] {
    for (to, from) in result.iter_mut().zip(a) {
        *to = function(from);
    }
    result
}

/// Functions of [`Simd`] that combine the values in the same lane.
macro_rules! pairwise {
    ($($name:ident($a:ident, $b:ident) = $result:expr;)+) => {
        $(
            #[inline(always)]
            fn $name(self, mut a: Self::Floats, b: Self::Floats) -> Self::Floats {
                for (a, b) in a.iter_mut().zip(b) {
                    let ($a, $b) = (*a, b);
                    *a = $result;
                }
                a
            }
        )+
    };
}

impl Simd for Portable {
    type Floats = [f32; LANES];
    const LANES: usize = LANES;
    // Two rows of two vectors share loads better than four rows of one vector.
    const FLOAT_BLOCK: [usize; 2] = [2, 2];

    fn run<K: Kernel<Self, R>, R>(self, kernel: K) -> R {
        kernel.call(self)
    }

    #[inline(always)]
    unsafe fn load(self, from: *const f32) -> Self::Floats {
        // SAFETY: readable by the caller's promise.
        unsafe { from.cast::<Self::Floats>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32, values: Self::Floats) {
        // SAFETY: writable by the caller's promise.
        unsafe { to.cast::<Self::Floats>().write_unaligned(values) }
    }

    #[inline(always)]
    unsafe fn load_integers(self, from: *const i32) -> Self::Floats {
        // SAFETY: readable by the caller's promise.
        let integers = unsafe { from.cast::<[i32; LANES]>().read_unaligned() };
        each(integers, [0.0; LANES], |integer| integer as f32)
    }

    #[inline(always)]
    unsafe fn load_halves(self, from: *const Bf16) -> Self::Floats {
        // SAFETY: readable by the caller's promise.
        let halves = unsafe { from.cast::<[Bf16; LANES]>().read_unaligned() };
        each(halves, [0.0; LANES], Bf16::to_f32)
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        [value; LANES]
    }

    pairwise! {
        add(a, b) = a + b;
        sub(a, b) = a - b;
        mul(a, b) = a * b;
        div(a, b) = a / b;
        // As `maxps` and `minps`: the second operand if either is NaN or both are zeros. `f32::max` would differ from the vector
        // units for NaN, and costs more instructions.
        max(a, b) = if a > b { a } else { b };
        min(a, b) = if a < b { a } else { b };
    }

    #[inline(always)]
    fn fma(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
        self.add(self.mul(a, b), c)
    }

    #[inline(always)]
    fn fnma(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats {
        self.sub(c, self.mul(a, b))
    }

    #[inline(always)]
    fn round(self, values: Self::Floats) -> Self::Floats {
        each(values, [0.0; LANES], f32::round_ties_even)
    }

    #[inline(always)]
    fn pow2(self, exponents: Self::Floats) -> Self::Floats {
        each(exponents, [0.0; LANES], |exponent| f32::from_bits(((exponent as i32 + 127) << 23) as u32))
    }

    #[inline(always)]
    fn where_positive(self, gate: Self::Floats, values: Self::Floats) -> Self::Floats {
        let mut result = values;
        for (value, gate) in result.iter_mut().zip(gate) {
            *value = if gate > 0.0 { *value } else { 0.0 };
        }
        result
    }
}

impl GradientLanes<Bf16> for Portable {
    #[inline(always)]
    unsafe fn interleave(self, from: *const Bf16, stride: usize, to: *mut Bf16) {
        for lane in 0..LANES {
            for member in 0..Bf16::GROUP {
                // SAFETY: the caller's promise.
                unsafe { *to.add(Bf16::GROUP * lane + member) = *from.add(member * stride + lane) };
            }
        }
    }
}

impl Lanes<Bf16> for Portable {
    type Sums = [f32; LANES];
    type Weights = [[Bf16; Bf16::GROUP]; LANES];
    const ROWS: usize = 4;
    const COLUMNS: usize = 1;

    #[inline(always)]
    fn no_sums(self) -> Self::Sums {
        [0.0; LANES]
    }

    #[inline(always)]
    unsafe fn load_weights(self, from: *const Bf16) -> Self::Weights {
        // SAFETY: readable by the caller's promise.
        unsafe { from.cast::<Self::Weights>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn dot(self, sums: Self::Sums, activations: *const Bf16, weights: Self::Weights) -> Self::Sums {
        // SAFETY: readable by the caller's promise.
        let [first, second] = unsafe { activations.cast::<[Bf16; Bf16::GROUP]>().read_unaligned() };
        let mut result = sums;
        for (sum, pair) in result.iter_mut().zip(weights) {
            // The processor's own instruction adds a pair in this order, the second product first.
            *sum += second.to_f32() * pair[1].to_f32();
            *sum += first.to_f32() * pair[0].to_f32();
        }
        result
    }

    #[inline(always)]
    unsafe fn store_sums(self, to: *mut f32, sums: Self::Sums) {
        // SAFETY: writable by the caller's promise.
        unsafe { self.store(to, sums) }
    }

    #[inline(always)]
    unsafe fn load_elements(self, from: *const Bf16) -> Self::Floats {
        // SAFETY: readable by the caller's promise.
        unsafe { self.load_halves(from) }
    }

    #[inline(always)]
    unsafe fn store_elements(self, to: *mut Bf16, values: Self::Floats) {
        let elements = each(values, [Bf16(0); LANES], Bf16::from_f32);
        // SAFETY: writable by the caller's promise.
        unsafe { to.cast::<[Bf16; LANES]>().write_unaligned(elements) }
    }
}

impl Lanes<u8> for Portable {
    type Sums = [i32; LANES];
    type Weights = [[i8; u8::GROUP]; LANES];
    const ROWS: usize = 4;
    const COLUMNS: usize = 1;

    #[inline(always)]
    fn no_sums(self) -> Self::Sums {
        [0; LANES]
    }

    #[inline(always)]
    unsafe fn load_weights(self, from: *const i8) -> Self::Weights {
        // SAFETY: readable by the caller's promise.
        unsafe { from.cast::<Self::Weights>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn dot(self, sums: Self::Sums, activations: *const u8, weights: Self::Weights) -> Self::Sums {
        // SAFETY: readable by the caller's promise.
        let group = unsafe { activations.cast::<[u8; u8::GROUP]>().read_unaligned() };
        let mut result = sums;
        for (sum, weights) in result.iter_mut().zip(weights) {
            for (activation, weight) in group.into_iter().zip(weights) {
                *sum += i32::from(activation) * i32::from(weight);
            }
        }
        result
    }

    #[inline(always)]
    unsafe fn store_sums(self, to: *mut i32, sums: Self::Sums) {
        // SAFETY: writable by the caller's promise.
        unsafe { to.cast::<Self::Sums>().write_unaligned(sums) }
    }

    #[inline(always)]
    unsafe fn load_elements(self, from: *const u8) -> Self::Floats {
        // SAFETY: readable by the caller's promise.
        let elements = unsafe { from.cast::<[u8; LANES]>().read_unaligned() };
        each(elements, [0.0; LANES], f32::from)
    }

    #[inline(always)]
    unsafe fn store_elements(self, to: *mut u8, values: Self::Floats) {
        let elements = each(values, [0; LANES], |value| value.round_ties_even() as u8);
        // SAFETY: writable by the caller's promise.
        unsafe { to.cast::<[u8; LANES]>().write_unaligned(elements) }
    }
}
