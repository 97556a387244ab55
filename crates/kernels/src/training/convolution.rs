//! Convolutions of a batch, forward and backward, on the engines that networks play on.
//!
//! An engine needs three things more to be trained on ([`Learning`]): its own number format for a share of a batch, weights
//! packed anew in every step, and the gradient of the weights. Layers see none of this: they hold [`Filters`].

mod direct;
mod mixed;
mod tiles;
mod winograd;

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    shape::Reach,
    tensor::{Layout, Tensor},
};
use crate::{
    engine::{Engine, Sizes},
    layout::{Boards, CHANNEL_BLOCK, Grid, RANK, padded},
    product::Matrix,
    simd::GradientLanes,
};

/// The gradient of a convolution's weights over some boards.
pub(crate) struct FilterGradient<'a> {
    pub(crate) reach: Reach,
    /// Channels of the input that count.
    pub(crate) inputs: usize,
    pub(crate) input: &'a Tensor,
    /// With respect to the sums.
    pub(crate) gradient: &'a Tensor,
    pub(crate) boards: &'a Range<usize>,
    /// `[taps][inputs][width of the gradient]`; zero before, or what is to be added to.
    pub(crate) result: &'a mut [f32],
}

impl FilterGradient<'_> {
    fn check(&self) {
        let boards = (self.input.layout, self.gradient.layout);
        assert_eq!(boards, (Layout::Boards, Layout::Boards), "convolutions are of boards");
        let room = self.reach.taps() * self.inputs * self.gradient.width;
        assert!(self.result.len() == room && self.inputs <= self.input.width, "another layer's gradient");
    }
}

/// An engine that can be trained on. Sums are floats.
pub(crate) trait Learning:
    Engine<Simd: GradientLanes<f32>, Element: crate::element::Element<Sum = f32>>
{
    /// Room for the gradient of the weights.
    type GradientRoom: Send;

    /// Packs weights as [`Engine::pack_convolution`] does.
    fn pack(&self, matrix: &Matrix<'_>, width: usize) -> Self::Convolution {
        self.pack_convolution(matrix, width)
    }

    /// Room for [`Engine::BOARDS`] boards in the engine's format, where that is not the one of tensors.
    fn boards(&self, width: usize) -> Boards<Self::Element>;

    /// Some boards of a tensor in the engine's format, where they lie or in the room made for them.
    fn grid<'a>(
        &self,
        input: &'a Tensor,
        boards: &Range<usize>,
        room: &'a mut Boards<Self::Element>,
    ) -> Grid<'a, Self::Element>;

    /// Makes room for layers with so many channels in memory before and after.
    fn gradient_room(&self, width: usize, outputs: usize) -> Self::GradientRoom;

    /// Adds the gradient of the weights.
    fn filter_gradient(&self, request: FilterGradient<'_>, room: &mut Self::GradientRoom);
}

/// A layer's weights, packed.
pub(crate) trait Filters: Send + Sync {
    /// The sums of some boards into the numbers of theirs.
    fn convolve(&self, input: &Tensor, boards: &Range<usize>, output: &mut [f32]);
}

/// Rooms of one kind that threads take and give back, by the sizes they were made for.
struct Rooms<R>(Mutex<Vec<((usize, usize), R)>>);

impl<R> Rooms<R> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn with<T>(&self, sizes: (usize, usize), make: impl FnOnce() -> R, work: impl FnOnce(&mut R) -> T) -> T {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut free = free();
            free.iter().position(|(of, _)| *of == sizes).map(|index| free.swap_remove(index).1)
        };
        let mut room = found.unwrap_or_else(make);
        let result = work(&mut room);
        free().push((sizes, room));
        result
    }
}

/// Room for sums.
struct Room<G: Engine> {
    work: G::Work,
    boards: Boards<G::Element>,
}

/// An engine and the rooms its threads use.
pub(crate) struct Convolutions<G: Learning> {
    pub(crate) engine: G,
    rooms: Rooms<Room<G>>,
    gradient_rooms: Rooms<G::GradientRoom>,
}

impl<G: Learning> Convolutions<G> {
    pub(crate) fn new(engine: G) -> Self {
        Self { engine, rooms: Rooms::new(), gradient_rooms: Rooms::new() }
    }

    /// Packs a layer's weights.
    pub(crate) fn filters(self: &Arc<Self>, matrix: &Matrix<'_>) -> Box<dyn Filters> {
        let width = padded(matrix.inputs, G::CHANNELS);
        let outputs = padded(matrix.outputs, CHANNEL_BLOCK);
        let weights = self.engine.pack(matrix, width);
        Box::new(Layer { convolutions: Arc::clone(self), weights, width, outputs })
    }

    /// Adds the gradient of a layer's weights.
    pub(crate) fn filter_gradient(&self, request: FilterGradient<'_>) {
        request.check();
        let (width, outputs) = (padded(request.inputs, G::CHANNELS), request.gradient.width);
        let make = || self.engine.gradient_room(width, outputs);
        self.gradient_rooms.with((width, outputs), make, |room| self.engine.filter_gradient(request, room));
    }
}

/// A layer's packed weights with their engine.
struct Layer<G: Learning> {
    convolutions: Arc<Convolutions<G>>,
    weights: G::Convolution,
    /// Channels in memory before and after.
    width: usize,
    outputs: usize,
}

impl<G: Learning> Filters for Layer<G> {
    fn convolve(&self, input: &Tensor, boards: &Range<usize>, output: &mut [f32]) {
        let Self { convolutions, weights, width, outputs } = self;
        let (width, outputs, engine) = (*width, *outputs, &convolutions.engine);
        let make = || Room { work: engine.work(Sizes { width, outputs }), boards: engine.boards(width) };
        convolutions.rooms.with((width, outputs), make, |Room { work, boards: room }| {
            engine.begin(work);
            let stride = output.len() / boards.len();
            for first in boards.clone().step_by(G::BOARDS) {
                let some = first..boards.end.min(first + G::BOARDS);
                let output = &mut output[(first - boards.start) * stride..];
                engine.convolve(
                    weights,
                    (engine.grid(input, &some, room), some.len()),
                    work,
                    |board, sums| {
                        copy_squares(sums, &mut output[board * stride..], outputs);
                    },
                );
            }
            engine.end(work);
        });
    }
}

/// Copies the squares of a board and leaves the zeros between ranks as they are.
fn copy_squares<T: Copy>(from: &[T], to: &mut [T], width: usize) {
    for rank in 0..8 {
        let squares = rank * RANK * width..(rank * RANK + 8) * width;
        to[squares.clone()].copy_from_slice(&from[squares]);
    }
}

/// A tensor's boards where they lie, for engines of floats.
fn in_place<'a>(input: &'a Tensor, boards: &Range<usize>) -> Grid<'a, f32> {
    Grid { width: input.width, data: &input.data, board: boards.start }
}

#[cfg(test)]
mod tests;
