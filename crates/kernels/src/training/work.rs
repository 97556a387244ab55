//! Scratch memory of a thread, which it reuses for one layer of one micro-batch after another, so that it stays in the
//! cache.

use super::backend::TrainingBackend;
use crate::{FreeList, backend::Sizes, layout::Boards, simd::element::Element};

/// Number of boards whose gradients are processed together.
pub(crate) const GROUP: usize = 16;

/// A thread's backend and buffers.
pub(crate) struct Work<G: TrainingBackend> {
    /// Number of boards in the current micro-batch.
    pub(crate) boards: usize,
    pub(crate) backend: G,
    pub(crate) convolution: G::Work,
    pub(crate) filter_gradient: G::GradientWork,
    /// Gradients of the sums of [`GROUP`] boards, one buffer for each width that a layer has.
    gradients: Vec<Boards<G::Element>>,
}

impl<G: TrainingBackend> Work<G> {
    fn new(backend: &G, sizes: Sizes) -> Self {
        Self {
            boards: 0,
            backend: backend.clone(),
            convolution: backend.work(sizes),
            filter_gradient: backend.gradient_work(sizes),
            gradients: Vec::new(),
        }
    }

    pub(crate) fn simd(&self) -> G::Simd {
        self.backend.simd()
    }

    /// Boards of a width, with unspecified values on their squares and zeros elsewhere.
    pub(crate) fn take(&mut self, width: usize) -> Boards<G::Element> {
        let found = self.gradients.iter().position(|boards| boards.width == width);
        found.map_or_else(
            || Boards::new(GROUP, width, <G::Element as Element>::nearest(0.0)),
            |index| self.gradients.swap_remove(index),
        )
    }

    /// Returns boards from [`Work::take`] for the next layer.
    pub(crate) fn give(&mut self, boards: Boards<G::Element>) {
        self.gradients.push(boards);
    }
}

/// The backends and buffers of a network's threads; each thread borrows one.
pub(crate) struct Pool<G: TrainingBackend> {
    backend: G,
    sizes: Sizes,
    free: FreeList<Work<G>>,
}

impl<G: TrainingBackend> Pool<G> {
    pub(crate) fn new(backend: G, sizes: Sizes) -> Self {
        Self { backend, sizes, free: FreeList::default() }
    }

    pub(crate) fn backend(&self) -> &G {
        &self.backend
    }

    /// Calls `run` with the memory of one thread, for a micro-batch of this many boards.
    pub(crate) fn with<T>(&self, boards: usize, run: impl FnOnce(&mut Work<G>) -> T) -> T {
        self.free.with(
            || Work::new(&self.backend, self.sizes),
            |work| {
                work.boards = boards;
                run(work)
            },
        )
    }
}
