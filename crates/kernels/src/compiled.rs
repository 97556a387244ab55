//! A network packed for one backend, with the backend's type erased.

use std::any::Any;

use chess::encoding::Plane;

use crate::{
    Calibration, KernelError, Operations, Outputs, Plan,
    backend::Backend,
    network::{Memory, Network, Watch},
};

/// Runs a network with its backend's type erased.
pub(crate) trait Run: Send + Sync {
    fn operations(&self) -> Operations;
    fn piece(&self) -> usize;
    fn policy_width(&self) -> usize;
    fn memory(&self) -> Box<dyn Any + Send>;
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

impl<G: Backend> Run for Network<G> {
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
        each: &mut dyn FnMut(usize, Outputs<'_>),
        watch: &mut Watch<'_>,
    ) {
        let memory =
            memory.downcast_mut::<Memory<G>>().expect("an arena is used with the program that made it");
        Network::run(self, memory, planes, each, watch);
    }
}
