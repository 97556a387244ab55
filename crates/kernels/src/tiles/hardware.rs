//! AMX through inline assembly, because its intrinsics are not stable in Rust.

use std::{
    arch::{asm, x86_64},
    sync::OnceLock,
};

use super::{TileConfig, TileUnit};

/// Proof that the processor has AMX with BF16 and INT8, and that the operating system lets this process use it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hardware(());

impl Hardware {
    /// The token, or the reason why it is not available. The request to the operating system is made once per process.
    pub(crate) fn new() -> Result<Self, String> {
        static ANSWER: OnceLock<Result<(), String>> = OnceLock::new();
        ANSWER.get_or_init(ask).clone().map(|()| Self(()))
    }
}

/// The reason why AMX may not be used although the processor has it; `None` if the processor lacks AMX or it may be
/// used.
pub(crate) fn refusal() -> Option<String> {
    if is_present() { Hardware::new().err() } else { None }
}

fn is_present() -> bool {
    let avx512 = is_x86_feature_detected!("avx512bf16") && is_x86_feature_detected!("avx512vnni");
    // Intel's manual, CPUID leaf 7: EDX bits 22 AMX-BF16, 24 AMX-TILE, 25 AMX-INT8.
    let leaf = x86_64::__cpuid_count(7, 0).edx;
    avx512 && [22, 24, 25].iter().all(|bit| leaf >> bit & 1 == 1)
}

fn ask() -> Result<(), String> {
    if !is_present() {
        return Err("the processor lacks AMX (TILE, BF16, INT8) or AVX-512 BF16 and VNNI".to_owned());
    }
    request_permission()
}

/// Linux gives a process the 8 KB of tile state only on request, before the first tile instruction; without it, that
/// instruction kills the process (Documentation/arch/x86/xstate.rst).
#[cfg(target_os = "linux")]
fn request_permission() -> Result<(), String> {
    // The permission belongs to the process: threads that exist already have it too, so one request before the first `ldtilecfg`
    // of any thread is enough. The kernel refuses it while a thread has an alternative signal stack that is too small for a frame
    // with tiles.
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
    const XFEATURE_XTILEDATA: u64 = 18;
    let answer: i64;
    // SAFETY: a system call that touches no memory of this process; the kernel overwrites rcx and r11.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => answer,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    match answer {
        0 => Ok(()),
        error => Err(format!("the system refuses the tile state (arch_prctl: error {})", -error)),
    }
}

#[cfg(not(target_os = "linux"))]
fn request_permission() -> Result<(), String> {
    Err("only on Linux is it known how to ask for the tile state".to_owned())
}

// The compiler never allocates tile registers, so they need no clobbers: a statement finds in a tile the value that an
// earlier one left there. `asm!` without `pure` is neither removed nor reordered with other such statements, and
// without `nomem` it is a barrier for the memory it reads or writes.
impl TileUnit for Hardware {
    type Tiles = ();

    fn tiles(&self) {}

    #[inline(always)]
    fn configure(&self, (): &mut (), config: &TileConfig) {
        // SAFETY: the token proves that the instruction exists and is permitted; it reads the 64 bytes of `config`.
        unsafe { asm!("ldtilecfg [{}]", in(reg) config, options(nostack, preserves_flags)) }
    }

    #[inline(always)]
    fn release(&self, (): &mut ()) {
        // SAFETY: proven by the token.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) }
    }

    #[inline(always)]
    unsafe fn zero<const TILE: usize>(&self, (): &mut ()) {
        // SAFETY: proven by the token; configured by the caller's promise.
        unsafe { asm!("tilezero tmm{}", const TILE, options(nostack, nomem, preserves_flags)) }
    }

    #[inline(always)]
    unsafe fn load<const TILE: usize>(&self, (): &mut (), from: *const u8, stride: usize) {
        // SAFETY: proven by the token; the rows are readable by the caller's promise.
        unsafe {
            asm!(
                "tileloadd tmm{tile}, [{from} + {stride}*1]",
                tile = const TILE,
                from = in(reg) from,
                stride = in(reg) stride,
                options(nostack, readonly, preserves_flags),
            );
        }
    }

    #[inline(always)]
    unsafe fn store<const TILE: usize>(&self, (): &mut (), to: *mut u8, stride: usize) {
        // SAFETY: proven by the token; the rows are writable by the caller's promise.
        unsafe {
            asm!(
                "tilestored [{to} + {stride}*1], tmm{tile}",
                tile = const TILE,
                to = in(reg) to,
                stride = in(reg) stride,
                options(nostack, preserves_flags),
            );
        }
    }

    #[inline(always)]
    fn prefetch(&self, from: *const u8) {
        // SAFETY: part of every x86-64 processor; a prefetch accesses nothing, so any address is good.
        unsafe { x86_64::_mm_prefetch::<{ x86_64::_MM_HINT_T0 }>(from.cast()) }
    }

    #[inline(always)]
    unsafe fn dot_bf16<const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(&self, (): &mut ()) {
        // SAFETY: proven by the token; configured by the caller's promise.
        unsafe {
            asm!(
                "tdpbf16ps tmm{}, tmm{}, tmm{}",
                const SUMS, const INPUT, const WEIGHTS,
                options(nostack, nomem, preserves_flags),
            );
        }
    }

    #[inline(always)]
    unsafe fn dot_u8<const SUMS: usize, const INPUT: usize, const WEIGHTS: usize>(&self, (): &mut ()) {
        // SAFETY: proven by the token; configured by the caller's promise.
        unsafe {
            asm!(
                "tdpbusd tmm{}, tmm{}, tmm{}",
                const SUMS, const INPUT, const WEIGHTS,
                options(nostack, nomem, preserves_flags),
            );
        }
    }
}
