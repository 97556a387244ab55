//! CPU arithmetic for residual networks on 8x8 boards: the only crate with `unsafe`.
//!
//! A [`Plan`] describes a network in plain `f32` weights. [`Program::compile`] packs it for one instruction set ([`Isa`])
//! and one number format ([`Precision`]); running the program on a batch allocates nothing. The
//! instruction set is detected at run time ([`Isa::chosen`]); every kernel needs a token that exists only if the processor
//! supports it.
//!
//! The parts, from the bottom:
//! 1. `simd`: vectors of floats on one instruction set, and dot products of one element type.
//! 2. `product`, `winograd`, `stem`, `finish`: the parts of a layer, written once for all instruction sets.
//! 3. `tiles`: matrix products on the AMX tile unit, or on its emulation.
//! 4. `engine`: how one instruction set and element type compute convolutions; `network` runs them in order.

#![allow(unsafe_code, reason = "vector instructions; every other crate denies it")]
#![allow(
    clippy::inline_always,
    reason = "a kernel is compiled for an instruction set only where it is inlined into a function that enables it"
)]

mod activation;
mod aligned;
mod answer;
mod compiled;
mod dispatch;
mod element;
mod engine;
mod error;
mod finish;
mod layout;
mod network;
mod operations;
pub mod peak;
mod plan;
mod product;
mod program;
mod quantise;
mod simd;
mod softmax;
mod stem;
mod tiles;
pub mod training;
mod winograd;

pub use activation::Activation;
pub use answer::Answer;
pub use dispatch::{ISA_VARIABLE, ISAS, Isa, PRECISIONS, Precision};
pub use error::KernelError;
pub use operations::Operations;
pub use plan::{Block, Convolution, Dense, Head, Plan, Policy, SqueezeExcite};
pub use program::{Arena, Program};
pub use quantise::Calibration;
pub use softmax::softmax;

#[cfg(test)]
extern crate self as kernels;
