//! Default precision and batch size of a network on the CPU. These are tables, not measurements at run time, so that
//! the program plays the same at every start on a machine, busy or not. The speeds behind the tables are in
//! `docs/experiments/inference-instruction-sets.md`.

use kernels::{Isa, Precision};

/// The precision of a tower of convolutions on an instruction set, among those `available` on the processor: the
/// finest, unless a coarser one is much faster on every processor measured.
///
/// - AMX: bf16, 3.6 to 6 times as fast as f32. int8 is another third faster, but not worth its rounding errors.
/// - AVX-512: int8 for calibrated networks on processors with VNNI, 1.2 to 1.8 times as fast as f32 in batches and 1.3
///   to 3.5 times at single positions. bf16 is slower than f32, which Winograd's algorithm computes with a quarter of
///   the multiplications.
/// - AVX2: f32, its only precision.
/// - Portable: f32; it serves as a reference.
pub(super) fn precision(isa: Isa, available: &[Precision], is_calibrated: bool) -> Precision {
    let wanted = match isa {
        Isa::Amx => Precision::Bf16,
        Isa::Avx512 if is_calibrated => Precision::Int8,
        Isa::Avx512 | Isa::Avx2 | Isa::Portable => Precision::F32,
    };
    if available.contains(&wanted) { wanted } else { Precision::F32 }
}

/// The smallest batch at which the kernels are nearly as fast as at their best, because a search benefits from small batches.
/// Winograd's algorithm and a tile unit read a layer's weights once for eight boards; direct products on vectors are as fast
/// with one board.
pub(super) fn batch(isa: Isa, precision: Precision) -> usize {
    match (isa, precision) {
        (Isa::Amx, _) | (_, Precision::F32) => 8,
        (_, Precision::Bf16 | Precision::Int8) => 1,
    }
}

#[cfg(test)]
mod tests {
    use kernels::{ISAS, PRECISIONS};

    use super::*;

    #[test]
    fn the_table_is_the_one_of_the_documentation() {
        let on = |isa, is_calibrated| precision(isa, PRECISIONS, is_calibrated);
        for (isa, calibrated, uncalibrated) in [
            (Isa::Portable, Precision::F32, Precision::F32),
            (Isa::Avx2, Precision::F32, Precision::F32),
            (Isa::Avx512, Precision::Int8, Precision::F32),
            (Isa::Amx, Precision::Bf16, Precision::Bf16),
        ] {
            assert_eq!((on(isa, true), on(isa, false)), (calibrated, uncalibrated), "{isa}");
        }
        let methods = include_str!("../../../../../docs/methods.md");
        for row in [
            "| `portable`, `avx2` | f32 | 8 |",
            "| `avx512`, calibrated network, VNNI | int8 | 1 |",
            "| `avx512`, else | f32 | 8 |",
            "| `amx` | bf16 | 8 |",
        ] {
            assert!(methods.contains(row), "docs/methods.md lacks {row}");
        }
        assert_eq!(ISAS.len(), 4, "each has a row");
    }

    #[test]
    fn what_a_processor_lacks_is_not_chosen() {
        for &isa in ISAS {
            assert_eq!(precision(isa, &[Precision::F32], true), Precision::F32, "{isa}");
        }
    }
}
