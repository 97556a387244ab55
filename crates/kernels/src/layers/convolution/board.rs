//! 3x3 convolutions of a whole board by Winograd's algorithm. Without a margin the outermost squares of the result are left out.

use std::ops::Range;

use super::unpadded;
use crate::{
    engine::Winograd,
    layers::{list::Shape, rows::Add, work::Crew},
    layout::{Boards, RANK, position},
    simd::GradientLanes,
    training::{GROUP, GradientFlow, Linear, PackedConvolution, Pool, Reach, Work, shares},
};

/// A layer in training or play.
pub(super) struct Board<S: GradientLanes<f32>> {
    from: Shape,
    to: Shape,
    learns: bool,
    packed: Option<PackedConvolution<Winograd<S>>>,
}

impl<S: GradientLanes<f32>> Board<S> {
    pub(super) fn new(from: Shape, to: Shape, learns: bool) -> Self {
        Self { from, to, learns, packed: None }
    }

    pub(super) fn pack(&mut self, engine: &Winograd<S>, weights: &[f32]) {
        let linear = Linear { reach: Reach::Board, inputs: self.from.channels, outputs: self.to.channels };
        self.packed = Some(PackedConvolution::new(engine, linear, weights, self.learns));
    }

    fn packed(&self) -> &PackedConvolution<Winograd<S>> {
        self.packed.as_ref().expect(super::super::PACKED)
    }

    /// Where a square of the output is on the board.
    fn place(&self, square: usize) -> usize {
        let cut = (8 - self.to.ranks) / 2;
        (square / self.to.files + cut) * RANK + square % self.to.files + cut
    }

    /// Fills the output of all boards and passes it, piece by piece, to `finish`.
    pub(super) fn forward(
        &self,
        crew: Crew<S>,
        pool: &Pool<Winograd<S>>,
        (input, output): (&[f32], &mut [f32]),
        finish: impl Fn(&mut [f32]) + Sync + Send,
    ) {
        let room = [self.from.room(), self.to.room()];
        let pieces = output.chunks_mut(GROUP * room[1]).zip(input.chunks(GROUP * room[0])).collect();
        crew.each(pieces, |(output, input): (&mut [f32], &[f32])| {
            pool.with(|work| self.forward_group(work, input, output));
            finish(output);
        });
    }

    fn forward_group(&self, work: &mut Work<Winograd<S>>, input: &[f32], output: &mut [f32]) {
        let (width, outputs) = (self.from.width(), self.to.width());
        let mut boards = work.take(width);
        let mut count = 0;
        for (number, squares) in input.chunks_exact(self.from.room()).enumerate() {
            place_squares(squares, width, boards.board_mut(number));
            count = number + 1;
        }
        self.packed().forward(work, count, &boards, |board, sums| {
            let to = &mut output[board * self.to.room()..][..self.to.room()];
            for (square, numbers) in to.chunks_exact_mut(outputs).enumerate() {
                numbers.copy_from_slice(&sums[self.place(square) * outputs..][..outputs]);
            }
        });
        work.give(boards);
    }

    /// The gradient of the weights, and that of the input where it is asked for.
    pub(super) fn backward<'a>(
        &self,
        crew: Crew<S>,
        pool: &Pool<Winograd<S>>,
        (input, gradient): (&'a [f32], &'a [f32]),
        input_gradient: Option<&mut [f32]>,
    ) -> Vec<f32> {
        let shares = shares(input.len() / self.from.room());
        let part = |range: &Range<usize>, values: &'a [f32], shape: Shape| {
            &values[range.start * shape.room()..range.end * shape.room()]
        };
        let mut tasks = Vec::new();
        let mut rest = input_gradient;
        for range in &shares {
            let own = rest.take().map(|values| values.split_at_mut(range.len() * self.from.room()));
            let (own, others) = own.map_or((None, None), |(own, others)| (Some(own), Some(others)));
            rest = others;
            tasks.push((part(range, input, self.from), part(range, gradient, self.to), own));
        }
        let parts = crew.each(tasks, |(input, gradient, input_gradient)| {
            pool.with(|work| self.backward_share(work, (input, gradient), input_gradient))
        });
        let summed = parts.into_iter().reduce(|mut sums, terms| {
            crew.simd.run(Add { sum: &mut sums, term: &terms });
            sums
        });
        unpadded(summed.unwrap_or_default(), self.to.channels)
    }

    /// The gradient of the weights over some boards, `[taps][inputs][padded outputs]`; fills that of their input.
    fn backward_share(
        &self,
        work: &mut Work<Winograd<S>>,
        (input, gradient): (&[f32], &[f32]),
        mut input_gradient: Option<&mut [f32]>,
    ) -> Vec<f32> {
        let (width, outputs) = (self.from.width(), self.to.width());
        let count = input.len() / self.from.room();
        let mut boards = Boards::new(count, width, 0.0);
        for (number, squares) in input.chunks_exact(self.from.room()).enumerate() {
            place_squares(squares, width, boards.board_mut(number));
        }
        let mut result = Vec::new();
        let flow = GradientFlow {
            of_sums: |board: usize, to: &mut [f32]| {
                if self.to.ranks < 8 {
                    to.fill(0.0);
                }
                let squares = gradient[board * self.to.room()..][..self.to.room()].chunks_exact(outputs);
                for (square, numbers) in squares.enumerate() {
                    to[self.place(square) * outputs..][..outputs].copy_from_slice(numbers);
                }
            },
            of_input: |board: usize, sums: &[f32]| {
                let Some(to) = &mut input_gradient else { return };
                let squares = to[board * self.from.room()..][..self.from.room()].chunks_exact_mut(width);
                for (square, numbers) in squares.enumerate() {
                    numbers.copy_from_slice(&sums[position(square) * width..][..width]);
                }
            },
        };
        self.packed().backward(work, (&boards, count), &mut result, flow);
        result
    }
}

/// Puts the squares of a map of 8x8 on a board with zeros around it.
fn place_squares(squares: &[f32], width: usize, board: &mut [f32]) {
    for (square, numbers) in squares.chunks_exact(width).enumerate() {
        board[position(square) * width..][..width].copy_from_slice(numbers);
    }
}
