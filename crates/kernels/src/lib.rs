//! CPU arithmetic for networks on 8x8 boards, forward and backward: residual towers, lists of layers and sparse networks. This is the
//! only crate with `unsafe` code.
//!
//! A [`Plan`] describes a residual network in plain `f32` weights. [`Program::compile`] packs it for one instruction set ([`Isa`])
//! and one number format ([`Precision`]); running the program on a batch allocates nothing. The instruction set is detected at run
//! time ([`Isa::chosen`]); every kernel needs a token that can only be created if the processor supports it.
//!
//! The parts, from the bottom:
//! 1. `simd`: vectors of floats for one instruction set, and dot products of one element type.
//! 2. `gemm`, `winograd`, `epilogue`: the parts of a layer, written once for all instruction sets.
//! 3. `tiles`: matrix products on the AMX tile unit, or on its emulation.
//! 4. `backend`: the convolutions of one instruction set and element type; `network` runs those of a residual tower in order.
//!    [`layers`] trains networks of every kind of layer, and plays those that are not residual towers.
//! 5. [`sparse`]: networks whose first layer adds rows of a table, in play ([`sparse::SparseNetwork`], [`sparse::NnueNetwork`]) and in
//!    [training](sparse::training).
//!
//! # Examples
//! ```
//! use chess::encoding::Plane;
//! use kernels::{Activation, Convolution, Dense, Head, Isa, Plan, Policy, Precision, Program};
//!
//! // One plane, one channel, no blocks: the value is a quarter of the sum over the squares.
//! let activation = Activation::Relu;
//! let convolution = || Convolution { kernel: 1, inputs: 1, outputs: 1, weights: vec![1.0], bias: vec![0.0] };
//! let dense = |inputs| Dense { inputs, outputs: 1, weights: vec![0.5; inputs], bias: vec![0.0] };
//! let plan = Plan {
//!     stem: convolution(),
//!     activation,
//!     blocks: Vec::new(),
//!     policy: Policy::Dense { convolution: convolution(), activation, dense: dense(64) },
//!     value: Head { convolution: convolution(), hidden: dense(64), activation, output: dense(1) },
//!     moves_left: None,
//! };
//! let program = Program::compile(&plan, Isa::chosen()?, Precision::F32, None)?;
//! let boards = [Plane::constant(1.0), Plane::squares(0b11)];
//! program.run(&mut program.arena(), &boards, &mut |board, answer| {
//!     assert_eq!(answer.value[0], [16.0, 0.5][board]);
//! });
//! # Ok::<_, kernels::KernelError>(())
//! ```

#![allow(unsafe_code, reason = "vector instructions; every other crate denies it")]
#![allow(
    clippy::inline_always,
    reason = "a kernel is compiled for an instruction set only where it is inlined into a function that enables it"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "loops over constants unroll, and what they index stays in registers; iterators of arrays do not always"
)]

mod activation;
mod aligned;
mod backend;
mod columns;
mod dispatch;
mod epilogue;
mod error;
mod free_list;
mod gemm;
mod gradient;
mod isa;
mod large_pages;
pub mod layers;
mod layout;
mod network;
pub mod peak;
mod plan;
mod precision;
mod program;
mod quantisation;
mod simd;
pub mod sparse;
mod tiles;
mod winograd;

pub use activation::{Activation, GELU, LEAK, SELU};
pub use error::KernelError;
pub use free_list::FreeList;
pub use isa::{ISA_VARIABLE, ISAS, Isa};
pub use large_pages::use_large_pages;
pub use plan::{Block, Convolution, Dense, Head, KernelSize, Plan, Policy, SqueezeExcite};
pub use precision::{PRECISIONS, Precision};
pub use program::{Arena, Operations, Outputs, Program};
pub use quantisation::Calibration;

#[cfg(test)]
extern crate self as kernels;
