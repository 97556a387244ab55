//! AVX2 with FMA: eight floats per vector, sixteen registers.

#![allow(
    clippy::wildcard_imports,
    reason = "the intrinsics are named by the instructions; a list would be the file again"
)]

use std::arch::x86_64::*;

use super::element::Bf16;
use super::{Kernel, Simd};

/// Proof that the processor has AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The token; `None` if the processor lacks the instructions.
    pub(crate) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

impl Simd for Avx2 {
    type Floats = __m256;
    const LANES: usize = 8;
    // 4 x 2 sums are enough to keep two multiply-add units busy. 4 x 3 sums, weights and the activation would fill all 16
    // registers, and the compiler would then spill sums to the stack.
    const FLOAT_BLOCK: [usize; 2] = [4, 2];

    fn run<K: Kernel<Self, R>, R>(self, kernel: K) -> R {
        #[target_feature(enable = "avx2,fma")]
        fn enabled<K: Kernel<Avx2, R>, R>(simd: Avx2, kernel: K) -> R {
            kernel.call(simd)
        }
        // SAFETY: the token proves that the processor has AVX2 and FMA.
        unsafe { enabled(self, kernel) }
    }

    in_memory! {
        fn load(from: *const f32) -> __m256 { _mm256_loadu_ps(from) }
        fn store(to: *mut f32, values: __m256) { _mm256_storeu_ps(to, values) }
        fn load_integers(from: *const i32) -> __m256 { _mm256_cvtepi32_ps(_mm256_loadu_si256(from.cast())) }
        fn load_halves(from: *const Bf16) -> __m256 {
            let halves = _mm_loadu_si128(from.cast());
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
        }
        fn load_half_pairs(from: *const Bf16) -> [__m256; 2] {
            let pairs = _mm256_loadu_si256(from.cast());
            let odd = _mm256_and_si256(pairs, _mm256_set1_epi32(!0xffff));
            [_mm256_castsi256_ps(_mm256_slli_epi32::<16>(pairs)), _mm256_castsi256_ps(odd)]
        }
        fn load_pairs(from: *const f32) -> [__m256; 2] {
            let (first, second) = (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8)));
            // Each 128-bit half yields two numbers from each vector.
            let even = _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
            let odd = _mm256_castps_pd(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
            [
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(even)),
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(odd)),
            ]
        }
        fn store_pairs(to: *mut f32, [even, odd]: [__m256; 2]) {
            let (lower, upper) = (_mm256_unpacklo_ps(even, odd), _mm256_unpackhi_ps(even, odd));
            _mm256_storeu_ps(to, _mm256_permute2f128_ps::<0x20>(lower, upper));
            _mm256_storeu_ps(to.add(8), _mm256_permute2f128_ps::<0x31>(lower, upper));
        }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        proven!(_mm256_set1_ps(value))
    }

    operations! {
        __m256;
        add(a, b) = _mm256_add_ps;
        sub(a, b) = _mm256_sub_ps;
        mul(a, b) = _mm256_mul_ps;
        div(a, b) = _mm256_div_ps;
        max(a, b) = _mm256_max_ps;
        min(a, b) = _mm256_min_ps;
        fma(a, b, c) = _mm256_fmadd_ps;
        fnma(a, b, c) = _mm256_fnmadd_ps;
    }

    #[inline(always)]
    fn round(self, values: __m256) -> __m256 {
        proven!(_mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(values))
    }

    #[inline(always)]
    fn total(self, values: __m256) -> f32 {
        proven!({
            let four = _mm_add_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps::<1>(values));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        })
    }

    #[inline(always)]
    fn largest(self, values: __m256) -> f32 {
        proven!({
            let four = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps::<1>(values));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
        })
    }

    #[inline(always)]
    fn pow2(self, exponents: __m256) -> __m256 {
        proven!(_mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_add_epi32(
            _mm256_cvtps_epi32(exponents),
            _mm256_set1_epi32(127)
        ))))
    }

    #[inline(always)]
    fn where_positive(self, gate: __m256, values: __m256) -> __m256 {
        proven!(_mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(gate, _mm256_setzero_ps()), values))
    }
}
