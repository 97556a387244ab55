use super::{
    element_wise::ColumnSums,
    im2col::Im2Col,
    list::Shape,
    operation::{Patch, Pooling},
};
use crate::simd::GradientLanes;

/// The mean of each channel over all squares of a board.
pub(super) fn mean<S: GradientLanes<f32>>(simd: S, input: &[f32], output: &mut [f32]) {
    let squares = (input.len() / output.len()) as f32;
    simd.run(ColumnSums { rows: input, sums: &mut *output });
    for sum in output {
        *sum /= squares;
    }
}

#[derive(Clone, Debug)]
pub(super) struct Pool {
    method: Pooling,
    im2col: Im2Col,
    /// Number of squares in a patch, including those beyond the edge.
    count: f32,
}

impl Pool {
    pub(super) fn new(method: Pooling, patch: Patch, (from, to): (Shape, Shape)) -> Self {
        Self { method, im2col: Im2Col::new(patch, from, to), count: (patch.ranks * patch.files) as f32 }
    }

    /// Pools the patches of one board, `[squares][width]` on both sides.
    pub(super) fn forward(&self, input: &[f32], output: &mut [f32]) {
        let width = self.im2col.from.width();
        for (square, output) in output.chunks_exact_mut(width).enumerate() {
            let start = if self.method == Pooling::Max { f32::NEG_INFINITY } else { 0.0 };
            output.fill(start);
            for seen in self.im2col.seen(square) {
                let numbers = output.iter_mut().zip(&input[seen * width..]);
                match self.method {
                    Pooling::Max => numbers.for_each(|(most, value)| *most = most.max(*value)),
                    Pooling::Average => numbers.for_each(|(sum, value)| *sum += value),
                }
            }
            if self.method == Pooling::Average {
                for sum in output.iter_mut() {
                    *sum /= self.count;
                }
            }
        }
    }

    /// The gradient of a board's input. The gradient of a maximum goes to the first square that has this value.
    pub(super) fn backward(&self, input: &[f32], gradient: &[f32], input_gradient: &mut [f32]) {
        let width = self.im2col.from.width();
        input_gradient.fill(0.0);
        for (square, gradient) in gradient.chunks_exact(width).enumerate() {
            if self.method == Pooling::Average {
                for seen in self.im2col.seen(square) {
                    let sums = input_gradient[seen * width..].iter_mut();
                    sums.zip(gradient).for_each(|(sum, upstream)| *sum += upstream / self.count);
                }
                continue;
            }
            for (channel, upstream) in gradient.iter().enumerate() {
                let mut most: Option<usize> = None;
                for seen in self.im2col.seen(square) {
                    let at = seen * width + channel;
                    if most.is_none_or(|most| input[at] > input[most]) {
                        most = Some(at);
                    }
                }
                if let Some(most) = most {
                    input_gradient[most] += upstream;
                }
            }
        }
    }
}
