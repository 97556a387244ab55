//! A compiled network: one type for all instruction sets and precisions.

use std::any::Any;

use chess::encoding::Plane;

use crate::{
    Calibration, Isa, KernelError, Plan, Precision,
    backend::Backend,
    layout::SQUARES,
    network::{Network, Watch},
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

/// Runs a network with its backend's type erased.
pub(crate) trait Run: Send + Sync {
    fn operations(&self) -> Operations;
    /// Values per square in the policy's output; 0 if the output is a list of moves.
    fn policy_width(&self) -> usize;
    fn memory(&self) -> Box<dyn Any + Send>;
    /// Runs the network on positions, whose planes follow one another in `planes`, and calls `each` with the outputs of
    /// every position, in order.
    fn run(
        &self,
        memory: &mut (dyn Any + Send),
        planes: &[Plane],
        each: &mut dyn FnMut(usize, Outputs<'_>),
        watch: &mut Watch<'_>,
    );
}

/// A network packed for one backend.
pub(crate) type Compiled = Box<dyn Run>;

/// Packs a plan for a backend.
pub(crate) fn compile<G: Backend>(
    backend: G,
    plan: &Plan,
    calibration: Option<&Calibration>,
) -> Result<Compiled, KernelError> {
    Ok(Box::new(Network::new(backend, plan, calibration)?))
}

/// Multiply-adds of one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// The nominal count: every weight of a convolution for every square.
    pub nominal: u64,
    /// The count executed in GEMMs: fewer with Winograd's algorithm and without the stem, whose products depend on the position,
    /// more with padded channels.
    pub executed: u64,
}

/// The outputs of a network for one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs<'a> {
    /// Policy logits; `Program::policy_slot` gives the index of a move.
    pub policy: &'a [f32],
    /// The value head's outputs, before softmax or tanh.
    pub value: &'a [f32],
    /// Plies until the game ends; never negative.
    pub moves_left: Option<f32>,
}
