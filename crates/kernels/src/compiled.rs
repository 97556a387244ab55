//! A network packed for one engine, with the engine's type erased.

use std::any::Any;

use chess::encoding::Plane;

use crate::{
    Answer, Calibration, KernelError, Operations, Plan,
    engine::Engine,
    network::{Memory, Network, Watch},
};

/// Runs a network with its engine's type erased.
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

/// A network packed for one engine.
pub(crate) type Compiled = Box<dyn Run>;

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
