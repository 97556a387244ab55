//! The number formats of activations, of weights and of sums.

use super::Simd;
use crate::aligned::Plain;

/// The upper half of an `f32`: 8 bits of exponent, 7 of fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(pub(crate) u16);

// SAFETY: a transparent u16.
unsafe impl Plain for Bf16 {}

impl Bf16 {
    /// Rounds to nearest, ties to even, as the processor's own conversion does. The value must be finite.
    pub(crate) fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        Self((bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16)
    }

    pub(crate) fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

/// A number format of activations.
pub(crate) trait Element: Plain + std::fmt::Debug {
    /// The format of the weights it is multiplied with.
    type Weight: Plain;
    /// The format of sums of products.
    type Sum: Sum;
    /// Number of consecutive inputs that one instruction multiplies and adds.
    const GROUP: usize;
    /// True if values are quantised, in which case the layer needs their scale.
    const QUANTISED: bool;

    /// The nearest weight. Weights to be quantised are already scaled to the range of the levels.
    fn weight(value: f32) -> Self::Weight;

    /// The value, or the level if the format is quantised.
    fn to_f32(self) -> f32;

    /// The nearest value or level.
    fn nearest(value: f32) -> Self;

    fn no_weight() -> Self::Weight {
        Self::weight(0.0)
    }
}

/// The format of sums of products.
pub(crate) trait Sum: Plain {
    const ZERO: Self;

    /// Loads a vector of sums as floats.
    ///
    /// # Safety
    /// `from` must be readable for [`Simd::LANES`] sums.
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats;
}

impl Sum for f32 {
    const ZERO: Self = 0.0;

    #[inline(always)]
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats {
        // SAFETY: readable by the caller's promise.
        unsafe { simd.load(from) }
    }
}

impl Sum for i32 {
    const ZERO: Self = 0;

    #[inline(always)]
    unsafe fn load<S: Simd>(simd: S, from: *const Self) -> S::Floats {
        // SAFETY: readable by the caller's promise.
        unsafe { simd.load_integers(from) }
    }
}

impl Element for f32 {
    type Weight = Self;
    type Sum = Self;
    const GROUP: usize = 1;
    const QUANTISED: bool = false;

    fn weight(value: f32) -> Self {
        value
    }

    fn to_f32(self) -> f32 {
        self
    }

    fn nearest(value: f32) -> Self {
        value
    }
}

impl Element for Bf16 {
    type Weight = Self;
    type Sum = f32;
    const GROUP: usize = 2;
    const QUANTISED: bool = false;

    fn weight(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn to_f32(self) -> f32 {
        Self::to_f32(self)
    }

    fn nearest(value: f32) -> Self {
        Self::from_f32(value)
    }
}

/// Levels 0 to 255 times weights -127 to 127, added up in 32 bits without saturation. A term is at most 255 x 127, so up to
/// 66,311 inputs (all taps together) cannot overflow a sum, whatever the numbers; the largest layers have some thousands.
/// `pmaddubsw` of AVX2 cannot replace `dpbusd`: it adds pairs in 16 bits, where two such terms saturate.
impl Element for u8 {
    type Weight = i8;
    type Sum = i32;
    const GROUP: usize = 4;
    const QUANTISED: bool = true;

    fn weight(value: f32) -> i8 {
        value.round_ties_even() as i8
    }

    fn to_f32(self) -> f32 {
        Self::into(self)
    }

    fn nearest(value: f32) -> Self {
        value.round_ties_even() as Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_rounds_to_the_nearest_even() {
        // One unit in the last place of 1 is 1/128.
        for (value, expected) in
            [(1.0, 1.0), (257.0 / 256.0, 1.0), (259.0 / 256.0, 130.0 / 128.0), (-0.1, -205.0 / 2048.0)]
        {
            assert_eq!(Bf16::from_f32(value).to_f32(), expected, "{value}");
        }
    }

    #[test]
    fn weights_saturate() {
        assert_eq!(u8::weight(200.0), 127);
        assert_eq!(u8::weight(-2.5), -2);
    }
}
