//! A compiled network behind one type, whatever it was compiled for.

use std::any::Any;

use chess::encoding::Plane;

use crate::{
    Calibration, Isa, KernelError, Operations, Plan, Precision,
    engine::Engine,
    layout::SQUARES,
    network::{Memory, Network, Watch},
};

/// A network, compiled for one instruction set and precision.
pub struct Program {
    compiled: Compiled,
    isa: Isa,
    precision: Precision,
}

/// What an instruction set made of a plan.
pub(crate) type Compiled = Box<dyn Run>;

/// Room for one thread's run of a program; made by [`Program::arena`], so that running allocates nothing.
pub struct Arena(Box<dyn Any + Send>);

/// What a network says about one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer<'a> {
    /// Before softmax; [`Program::policy_slot`] tells where a move is.
    pub policy: &'a [f32],
    /// The value head's outputs, before softmax or tanh.
    pub value: &'a [f32],
    /// Half-moves until the game ends; never negative.
    pub moves_left: Option<f32>,
}

impl Program {
    /// Compiles a plan. `calibration` is needed for eight-bit numbers only.
    ///
    /// # Errors
    /// [`KernelError`] when sizes do not fit, or this machine does not have what is asked for.
    pub fn compile(
        plan: &Plan,
        isa: Isa,
        precision: Precision,
        calibration: Option<&Calibration>,
    ) -> Result<Self, KernelError> {
        plan.check()?;
        Ok(Self { compiled: isa.compile(plan, precision, calibration)?, isa, precision })
    }

    /// Which instruction set it was compiled for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Which precision it was compiled for.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Multiply-adds of one position.
    pub fn operations(&self) -> Operations {
        self.compiled.operations()
    }

    /// How many positions go through the layers together; larger batches are cut into such pieces.
    pub fn piece(&self) -> usize {
        self.compiled.piece()
    }

    /// Where the logit of `plane * 64 + square` (or, with a dense policy, of a move index) is in [`Answer::policy`].
    pub fn policy_slot(&self, index: usize) -> usize {
        match self.compiled.policy_width() {
            0 => index,
            width => index % SQUARES * width + index / SQUARES,
        }
    }

    /// Makes room for a run.
    pub fn arena(&self) -> Arena {
        Arena(self.compiled.memory())
    }

    /// Runs the network on positions and calls `each` with the number of every position and its answer, in order.
    ///
    /// # Shapes
    /// `planes` is `[positions][planes]`.
    ///
    /// # Panics
    /// When `arena` was made by another program, or `planes` holds no whole number of positions.
    pub fn run(&self, arena: &mut Arena, planes: &[Plane], each: &mut dyn FnMut(usize, Answer<'_>)) {
        self.compiled.run(arena.0.as_mut(), planes, each, &mut None);
    }

    /// As [`Program::run`], but shows the activations between layers instead of the answers: their number in
    /// [`Plan::tensors`] and the values of one position. For calibration; this one allocates.
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

/// Runs a network whose engine the caller does not know.
pub(crate) trait Run: Send + Sync {
    fn operations(&self) -> Operations;
    fn piece(&self) -> usize;
    fn policy_width(&self) -> usize;
    fn memory(&self) -> Box<dyn Any + Send>;
    fn run(
        &self,
        memory: &mut (dyn Any + Send),
        planes: &[Plane],
        each: &mut dyn FnMut(usize, Answer<'_>),
        watch: &mut Watch<'_>,
    );
}

/// Packs a plan for an engine.
pub(crate) fn compile<G: Engine>(
    engine: G,
    plan: &Plan,
    calibration: Option<&Calibration>,
) -> Result<Compiled, KernelError> {
    Ok(Box::new(Network::new(engine, plan, calibration)?))
}

impl<G: Engine> Run for Network<G> {
    fn operations(&self) -> Operations {
        Network::operations(self)
    }

    fn piece(&self) -> usize {
        G::BOARDS
    }

    fn policy_width(&self) -> usize {
        Network::policy_width(self)
    }

    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(Memory::new(self))
    }

    fn run(
        &self,
        memory: &mut (dyn Any + Send),
        planes: &[Plane],
        each: &mut dyn FnMut(usize, Answer<'_>),
        watch: &mut Watch<'_>,
    ) {
        let memory =
            memory.downcast_mut::<Memory<G>>().expect("an arena is used with the program that made it");
        Network::run(self, memory, planes, each, watch);
    }
}
