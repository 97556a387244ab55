//! The instruction set on which integer networks run.

#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512Vnni};
use crate::{
    Isa,
    simd::{Kernel, Portable, Simd},
};

/// The instruction set in use.
#[derive(Clone, Copy)]
pub(super) enum Level {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Vnni(Avx512Vnni),
}

impl Level {
    /// The best kernels that an instruction set allows. AVX-512 without VNNI does not have kernels of its own.
    pub(super) fn of(isa: Isa) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let vnni = Avx512Vnni::new().filter(|_| isa >= Isa::Avx512).map(Self::Vnni);
            let avx2 = Avx2::new().filter(|_| isa >= Isa::Avx2).map(Self::Avx2);
            if let Some(level) = vnni.or(avx2) {
                return level;
            }
        }
        let _ = isa;
        Self::Portable(Portable)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Vnni(_) => "avx512 vnni",
        }
    }

    #[cfg(target_arch = "x86_64")]
    pub(super) fn run<K, R>(self, kernel: K) -> R
    where
        K: Kernel<Portable, R> + Kernel<Avx2, R> + Kernel<Avx512Vnni, R>,
    {
        match self {
            Self::Portable(simd) => simd.run(kernel),
            Self::Avx2(simd) => simd.run(kernel),
            Self::Vnni(simd) => simd.run(kernel),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn run<K: Kernel<Portable, R>, R>(self, kernel: K) -> R {
        let Self::Portable(simd) = self;
        simd.run(kernel)
    }
}
