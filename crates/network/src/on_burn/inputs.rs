//! Converts encoded positions to tensors.

use burn::tensor::Tensor;
use chess::encoding::{Plane, SQUARES};
use rayon::prelude::*;

use crate::{device::BurnDevice, layers::LayerList};

/// Planes of many positions as tensors: the board's channels, and the extra numbers, which are read from square a1 of
/// the last planes.
///
/// # Shapes
/// planes `[boards][planes]` -> as the list's inputs, `[boards, channels, ranks, files]`.
pub(crate) fn inputs(planes: &[Plane], list: &LayerList, device: &BurnDevice) -> Vec<Tensor<4>> {
    let on_board = list.inputs[0].channels;
    let count = list.channels.len();
    let boards = planes.len() / count;
    let mut squares = vec![0.0_f32; boards * on_board * SQUARES];
    squares.par_chunks_mut(SQUARES * on_board).zip(planes.par_chunks(count)).with_min_len(16).for_each(
        |(board, planes)| {
            for (plane, &channel) in planes.iter().zip(&list.channels) {
                // The planes of the extra numbers are past the end.
                let Some(squares) = board.get_mut(channel * SQUARES..(channel + 1) * SQUARES) else { break };
                plane.add_to(squares);
            }
        },
    );
    let mut inputs = vec![device.tensor(squares, [boards, on_board, 8, 8])];
    if let Some(numbers) = list.inputs.get(1) {
        let numbers = numbers.channels;
        let on_a1 = |plane: &Plane| if plane.mask & 1 == 1 { plane.value } else { 0.0 };
        let values = planes.chunks_exact(count).flat_map(|board| board[count - numbers..].iter().map(on_a1));
        inputs.push(device.tensor(values.collect(), [boards, numbers, 1, 1]));
    }
    inputs
}
