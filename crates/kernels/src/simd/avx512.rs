//! AVX-512: sixteen floats per vector, thirty-two registers; with BF16 and VNNI also dot products of pairs and groups
//! of four.

#![allow(
    clippy::wildcard_imports,
    reason = "the intrinsics are named by the instructions; a list would be the file again"
)]

use std::arch::x86_64::*;

use super::{GradientLanes, Kernel, Lanes, Simd};
use crate::simd::element::{Bf16, Element};

/// Defines a token, its float operations and its `f32` products. The three tokens differ only in the instructions that
/// the compiler may use inside `run`.
macro_rules! token {
    ($token:ident, $features:literal, [$($feature:tt),+], $documentation:literal $(, { $($special:tt)* })?) => {
        #[doc = $documentation]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $token(());

        impl $token {
            /// The token; `None` if the processor lacks the instructions.
            pub(crate) fn new() -> Option<Self> {
                (true $(&& is_x86_feature_detected!($feature))+).then_some(Self(()))
            }
        }

        impl Simd for $token {
            type Floats = __m512;
            const LANES: usize = 16;
            // 8 x 3 sums, 3 weights and the activation are 28 of the 32 registers.
            const FLOAT_BLOCK: [usize; 2] = [8, 3];

            fn run<K: Kernel<Self, R>, R>(self, kernel: K) -> R {
                #[target_feature(enable = $features)]
                fn enabled<K: Kernel<$token, R>, R>(simd: $token, kernel: K) -> R {
                    kernel.call(simd)
                }
                // SAFETY: the token proves that the processor has these features.
                unsafe { enabled(self, kernel) }
            }

            in_memory! {
                fn load(from: *const f32) -> __m512 { _mm512_loadu_ps(from) }
                fn store(to: *mut f32, values: __m512) { _mm512_storeu_ps(to, values) }
                fn load_integers(from: *const i32) -> __m512 {
                    _mm512_cvtepi32_ps(_mm512_loadu_si512(from.cast()))
                }
                fn load_halves(from: *const Bf16) -> __m512 {
                    let halves = _mm256_loadu_si256(from.cast());
                    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
                }
                fn load_half_pairs(from: *const Bf16) -> [__m512; 2] {
                    let pairs = _mm512_loadu_si512(from.cast());
                    let odd = _mm512_and_si512(pairs, _mm512_set1_epi32(!0xffff));
                    [_mm512_castsi512_ps(_mm512_slli_epi32::<16>(pairs)), _mm512_castsi512_ps(odd)]
                }
            }

            $($($special)*)?

            in_memory! {
                fn load_pairs(from: *const f32) -> [__m512; 2] {
                    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
                    let (first, second) = (_mm512_loadu_ps(from), _mm512_loadu_ps(from.add(16)));
                    [_mm512_permutex2var_ps(first, even, second), _mm512_permutex2var_ps(first, odd, second)]
                }
                fn store_pairs(to: *mut f32, [even, odd]: [__m512; 2]) {
                    let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                    let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
                    _mm512_storeu_ps(to, _mm512_permutex2var_ps(even, first, odd));
                    _mm512_storeu_ps(to.add(16), _mm512_permutex2var_ps(even, second, odd));
                }
            }

            #[inline(always)]
            fn splat(self, value: f32) -> __m512 {
                proven!(_mm512_set1_ps(value))
            }

            operations! {
                __m512;
                add(a, b) = _mm512_add_ps;
                sub(a, b) = _mm512_sub_ps;
                mul(a, b) = _mm512_mul_ps;
                div(a, b) = _mm512_div_ps;
                max(a, b) = _mm512_max_ps;
                min(a, b) = _mm512_min_ps;
                fma(a, b, c) = _mm512_fmadd_ps;
                fnma(a, b, c) = _mm512_fnmadd_ps;
            }

            #[inline(always)]
            fn round(self, values: __m512) -> __m512 {
                proven!(_mm512_roundscale_ps::<0>(values))
            }

            #[inline(always)]
            fn pow2(self, exponents: __m512) -> __m512 {
                proven!(_mm512_scalef_ps(_mm512_set1_ps(1.0), exponents))
            }

            #[inline(always)]
            fn where_positive(self, gate: __m512, values: __m512) -> __m512 {
                proven!(_mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(gate, _mm512_setzero_ps()), values))
            }

            #[inline(always)]
            fn total(self, values: __m512) -> f32 {
                proven!({
                    let halves = _mm512_castps_pd(values);
                    let upper = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(halves));
                    let eight = _mm256_add_ps(_mm512_castps512_ps256(values), upper);
                    let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
                    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
                    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
                })
            }

            #[inline(always)]
            fn largest(self, values: __m512) -> f32 {
                proven!(_mm512_reduce_max_ps(values))
            }

            in_memory! {
                fn transpose_block(from: *const f32, from_stride: usize, to: *mut f32, to_stride: usize) {
                    let mut rows = [_mm512_setzero_si512(); 16];
                    for (number, row) in rows.iter_mut().enumerate() {
                        *row = _mm512_loadu_si512(from.add(number * from_stride).cast());
                    }
                    for (number, column) in transpose_words(rows).into_iter().enumerate() {
                        _mm512_storeu_si512(to.add(number * to_stride).cast(), column);
                    }
                }
            }
        }

    };
}

token!(
    Avx512,
    "avx512f,avx512bw,avx512dq,avx512vl",
    ["avx512f", "avx512bw", "avx512dq", "avx512vl"],
    "Proof that the processor has the AVX-512 of servers since 2017 (F, BW, DQ, VL)."
);
token!(
    Avx512Bf16,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16",
    ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512bf16"],
    "Proof that the processor also has BF16.",
    {
        /// Dot products of pairs with (1, 0) and with (0, 1). Each has at most one nonzero term, so the results are the sums,
        /// rounded once. The instruction treats numbers below the smallest normal one as zero.
        #[inline(always)]
        unsafe fn add_half_pairs(self, [even, odd]: [__m512; 2], from: *const Bf16) -> [__m512; 2] {
            const ONE: i32 = 0x3f80;
            // SAFETY: proven by the token; readable by the caller's promise; the casts are between vectors of 64 bytes.
            unsafe {
                let pairs: __m512bh = std::mem::transmute(_mm512_loadu_si512(from.cast()));
                let ones: [__m512bh; 2] =
                    std::mem::transmute([_mm512_set1_epi32(ONE), _mm512_set1_epi32(ONE << 16)]);
                [_mm512_dpbf16_ps(even, pairs, ones[0]), _mm512_dpbf16_ps(odd, pairs, ones[1])]
            }
        }
    }
);
token!(
    Avx512Vnni,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni",
    ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni"],
    "Proof that the processor also has VNNI."
);

impl Lanes<Bf16> for Avx512Bf16 {
    type Sums = __m512;
    type Weights = __m512i;
    const ROWS: usize = 8;
    const COLUMNS: usize = 3;

    #[inline(always)]
    fn no_sums(self) -> __m512 {
        self.splat(0.0)
    }

    // Casts are between vectors of the same size.
    in_memory! {
        fn load_weights(from: *const Bf16) -> __m512i { _mm512_loadu_si512(from.cast()) }
        fn dot(sums: __m512, activations: *const Bf16, weights: __m512i) -> __m512 {
            let pair = activations.cast::<i32>().read_unaligned();
            let pair: __m512bh = std::mem::transmute(_mm512_set1_epi32(pair));
            _mm512_dpbf16_ps(sums, pair, std::mem::transmute::<__m512i, __m512bh>(weights))
        }
        fn store_sums(to: *mut f32, sums: __m512) { _mm512_storeu_ps(to, sums) }
        fn load_elements(from: *const Bf16) -> __m512 {
            let halves = _mm256_loadu_si256(from.cast());
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
        }
        fn store_elements(to: *mut Bf16, values: __m512) {
            let halves: __m256i = std::mem::transmute(_mm512_cvtneps_pbh(values));
            _mm256_storeu_si256(to.cast(), halves);
        }
        fn store_element_pair(to: *mut Bf16, first: __m512, second: __m512) {
            // The first operand is the upper half.
            let halves: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(second, first));
            _mm512_storeu_si512(to.cast(), halves);
        }
    }
}

/// Sixteen elements of a row, each interleaved with the corresponding element of the next row.
///
/// # Safety
/// The processor has AVX-512 BW; both rows must be readable.
#[inline(always)]
unsafe fn pairs(from: *const Bf16, stride: usize) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let first = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
        let second = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.add(stride).cast()));
        _mm512_or_si512(first, _mm512_slli_epi32::<16>(second))
    }
}

/// Transposes a matrix of 16 x 16 words by exchanging words, then pairs of words, then quarters of the vectors.
///
/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
unsafe fn transpose_words(rows: [__m512i; 16]) -> [__m512i; 16] {
    // SAFETY: the caller's promise; no memory is touched.
    unsafe {
        let mut words = rows;
        for pair in 0..8 {
            words[2 * pair] = _mm512_unpacklo_epi32(rows[2 * pair], rows[2 * pair + 1]);
            words[2 * pair + 1] = _mm512_unpackhi_epi32(rows[2 * pair], rows[2 * pair + 1]);
        }
        let mut doubles = words;
        for four in 0..4 {
            let (a, b, c, d) =
                (words[4 * four], words[4 * four + 1], words[4 * four + 2], words[4 * four + 3]);
            doubles[4 * four] = _mm512_unpacklo_epi64(a, c);
            doubles[4 * four + 1] = _mm512_unpackhi_epi64(a, c);
            doubles[4 * four + 2] = _mm512_unpacklo_epi64(b, d);
            doubles[4 * four + 3] = _mm512_unpackhi_epi64(b, d);
        }
        let mut halves = words;
        for row in 0..4 {
            halves[row] = _mm512_shuffle_i32x4::<0x88>(doubles[row], doubles[row + 4]);
            halves[row + 4] = _mm512_shuffle_i32x4::<0xdd>(doubles[row], doubles[row + 4]);
            halves[row + 8] = _mm512_shuffle_i32x4::<0x88>(doubles[row + 8], doubles[row + 12]);
            halves[row + 12] = _mm512_shuffle_i32x4::<0xdd>(doubles[row + 8], doubles[row + 12]);
        }
        let mut columns = words;
        for row in 0..4 {
            columns[row] = _mm512_shuffle_i32x4::<0x88>(halves[row], halves[row + 8]);
            columns[row + 8] = _mm512_shuffle_i32x4::<0xdd>(halves[row], halves[row + 8]);
            columns[row + 4] = _mm512_shuffle_i32x4::<0x88>(halves[row + 4], halves[row + 12]);
            columns[row + 12] = _mm512_shuffle_i32x4::<0xdd>(halves[row + 4], halves[row + 12]);
        }
        columns
    }
}

impl GradientLanes<Bf16> for Avx512Bf16 {
    in_memory! {
        fn interleave(from: *const Bf16, stride: usize, to: *mut Bf16) {
            _mm512_storeu_si512(to.cast(), pairs(from, stride))
        }
        // A board's squares in a row are a quarter of a vector, and the shifts stay within a quarter.
        fn transpose(from: [*const Bf16; 4], stride: usize, to: *mut Bf16, to_strides: [usize; 2]) {
            const { assert!(Bf16::GROUP == 2, "four pairs of squares in a rank") };
            let mut rows = [_mm512_setzero_si512(); 16];
            for (number, row) in rows.iter_mut().enumerate() {
                *row = pairs(from[number / 4].add(number % 4 * Bf16::GROUP * stride), stride);
            }
            let channels = transpose_words(rows);
            for (number, channel) in channels.into_iter().enumerate() {
                let to = to.add(number * to_strides[0]);
                _mm512_storeu_si512(to.cast(), _mm512_bslli_epi128::<2>(channel));
                _mm512_storeu_si512(to.add(to_strides[1]).cast(), channel);
                _mm512_storeu_si512(to.add(2 * to_strides[1]).cast(), _mm512_bsrli_epi128::<2>(channel));
            }
        }
    }
}

impl Lanes<u8> for Avx512Vnni {
    type Sums = __m512i;
    type Weights = __m512i;
    const ROWS: usize = 8;
    const COLUMNS: usize = 3;

    #[inline(always)]
    fn no_sums(self) -> __m512i {
        proven!(_mm512_setzero_si512())
    }

    in_memory! {
        fn load_weights(from: *const i8) -> __m512i { _mm512_loadu_si512(from.cast()) }
        fn dot(sums: __m512i, activations: *const u8, weights: __m512i) -> __m512i {
            const { assert!(u8::GROUP == size_of::<i32>()) };
            let group = _mm512_set1_epi32(activations.cast::<i32>().read_unaligned());
            _mm512_dpbusd_epi32(sums, group, weights)
        }
        fn store_sums(to: *mut i32, sums: __m512i) { _mm512_storeu_si512(to.cast(), sums) }
        fn load_elements(from: *const u8) -> __m512 {
            _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast())))
        }
        fn store_elements(to: *mut u8, values: __m512) {
            // Negative levels are raised to 0 first, because the saturating conversion treats its input as unsigned.
            let levels = _mm512_cvtps_epi32(_mm512_max_ps(values, _mm512_setzero_ps()));
            _mm_storeu_si128(to.cast(), _mm512_cvtusepi32_epi8(levels));
        }
    }
}
