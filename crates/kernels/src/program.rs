//! A compiled network: one type for all instruction sets and precisions.

use std::any::Any;

use chess::encoding::Plane;

use crate::{
    Calibration, Isa, KernelError, Operations, Outputs, Plan, Precision, compiled::Compiled, layout::SQUARES,
};

/// A network compiled for one instruction set and precision.
pub struct Program {
    compiled: Compiled,
    isa: Isa,
    precision: Precision,
}

/// Scratch memory of one thread, created by [`Program::arena`], so that running allocates nothing.
pub struct Arena(Box<dyn Any + Send>);

impl Program {
    /// Compiles a plan. Only int8 needs `calibration`.
    ///
    /// # Errors
    /// [`KernelError`] if sizes do not match, or if the machine lacks the instruction set or precision.
    pub fn compile(
        plan: &Plan,
        isa: Isa,
        precision: Precision,
        calibration: Option<&Calibration>,
    ) -> Result<Self, KernelError> {
        plan.check()?;
        Ok(Self { compiled: isa.compile(plan, precision, calibration)?, isa, precision })
    }

    /// The instruction set it was compiled for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The precision it was compiled for.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Multiply-adds of one position.
    pub fn operations(&self) -> Operations {
        self.compiled.operations()
    }

    /// Positions per pass through the layers; larger batches are split.
    pub fn piece(&self) -> usize {
        self.compiled.piece()
    }

    /// Index in [`Outputs::policy`] of the logit for `plane * 64 + square`, or for a move index of a dense policy.
    pub fn policy_slot(&self, index: usize) -> usize {
        match self.compiled.policy_width() {
            0 => index,
            width => index % SQUARES * width + index / SQUARES,
        }
    }

    /// Allocates scratch memory for a thread.
    pub fn arena(&self) -> Arena {
        Arena(self.compiled.memory())
    }

    /// Runs the network on positions and calls `each` with the index and the outputs of every position, in order.
    ///
    /// # Shapes
    /// `planes` is `[positions][planes]`.
    ///
    /// # Panics
    /// If `arena` belongs to another program, or `planes` is not a whole number of positions.
    pub fn run(&self, arena: &mut Arena, planes: &[Plane], each: &mut dyn FnMut(usize, Outputs<'_>)) {
        self.compiled.run(arena.0.as_mut(), planes, each, &mut None);
    }

    /// Like [`Program::run`], but passes on the activations between layers instead of the outputs: their index in
    /// [`Plan::tensors`], and the values for one position. Used for calibration; unlike `run`, it allocates.
    ///
    /// # Panics
    /// As [`Program::run`].
    pub fn watch(&self, arena: &mut Arena, planes: &[Plane], watch: &mut dyn FnMut(usize, &[f32])) {
        self.compiled.run(arena.0.as_mut(), planes, &mut |_, _| {}, &mut Some(watch));
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Program({} {})", self.precision, self.isa)
    }
}
