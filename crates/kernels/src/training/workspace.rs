//! Tensors that come and go during a pass, kept so that no pass asks the system for memory twice.

use super::tensor::{Layout, Tensor};

/// The gradients of the parameters, in their order.
#[derive(Debug)]
pub(crate) struct Gradients(pub(crate) Vec<Vec<f32>>);

impl Gradients {
    /// The gradients of one layer, whose parameters begin at a place.
    pub(crate) fn put<const COUNT: usize>(&mut self, place: usize, gradients: [Vec<f32>; COUNT]) {
        for (number, gradient) in gradients.into_iter().enumerate() {
            self.0[place + number] = gradient;
        }
    }
}

/// What a backward pass works with: memory, and where it leaves the gradients of the parameters.
pub(crate) struct BackwardPass<'a> {
    pub(crate) workspace: &'a mut Workspace,
    pub(crate) gradients: Gradients,
}

/// Free tensors of one batch size.
pub(crate) struct Workspace {
    boards: usize,
    free: Vec<Tensor>,
}

impl Workspace {
    pub(crate) fn new(boards: usize) -> Self {
        Self { boards, free: Vec::new() }
    }

    /// A tensor with any numbers in its rows; what is no row is zero.
    pub(crate) fn take(&mut self, layout: Layout, columns: usize) -> Tensor {
        let fresh = || match layout {
            Layout::Boards => Tensor::boards(self.boards, columns),
            Layout::Flat => Tensor::flat(self.boards, columns),
        };
        let width = crate::layout::padded(columns, crate::layout::CHANNEL_BLOCK);
        let found = self.free.iter().position(|tensor| tensor.layout == layout && tensor.width == width);
        found.map_or_else(fresh, |index| self.free.swap_remove(index))
    }

    /// Takes a tensor back.
    pub(crate) fn give(&mut self, tensor: Tensor) {
        self.free.push(tensor);
    }
}
