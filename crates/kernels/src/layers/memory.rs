//! Activations and statistics of a batch, kept between the forward and the backward pass.

use std::collections::HashMap;

use chess::encoding::Plane;

use super::{
    convolution::Levels,
    list::{List, Shape},
    normalise::Folded,
    rearrange,
};
use crate::aligned::Aligned;

/// The values at every place, and the state that layers need in the backward pass.
///
/// Every place has memory of its own instead of sharing that of places no longer read: the backward pass reads them all once
/// more, in reverse. (Play uses the same code, with at most 16 boards at a time.) Only places inside a chain have none; their
/// values are computed again (see `compiled::backward`).
pub(crate) struct Memory {
    /// Number of boards in the last batch.
    pub(super) boards: usize,
    /// Number of boards there is room for.
    room: usize,
    /// `[places][boards][squares][width]`.
    values: Vec<Aligned<f32>>,
    /// True for each place whose values are not kept.
    skipped: Vec<bool>,
    /// For each place, the place in whose memory its values are: its own, unless it is a view.
    homes: Vec<usize>,
    /// The values of each place rounded to eight bits, if a layer has read them so in this pass.
    pub(super) levels: Vec<Levels>,
    /// Statistics of each batch normalisation, `[2][channels]`.
    pub(super) statistics: Vec<Vec<f32>>,
    /// Folded statistics of each layer, empty for one that is not a batch normalisation.
    pub(super) folded: Vec<Folded>,
    /// The factors that each dropout layer applied in the last pass; empty if it was not applied.
    pub(super) factors: Vec<Vec<f32>>,
    /// Gradient buffers that are free for reuse, by length.
    spare: HashMap<usize, Vec<Aligned<f32>>>,
}

impl Memory {
    pub(super) fn new(list: &List) -> Self {
        let places = list.inputs.len() + list.steps.len();
        let mut skipped = vec![false; places];
        for (number, chain) in list.chains().into_iter().enumerate() {
            let head = list.inputs.len() + number;
            skipped[head..head + chain.followers].fill(true);
        }
        Self {
            boards: 0,
            room: 0,
            values: vec![Aligned::filled(0, 0.0); places],
            skipped,
            homes: (0..places).collect(),
            levels: (0..places).map(|_| Levels::default()).collect(),
            statistics: vec![Vec::new(); list.statistics()],
            folded: vec![Folded::default(); list.steps.len()],
            factors: vec![Vec::new(); list.steps.len()],
            spare: HashMap::new(),
        }
    }

    /// As [`Memory::new`], for a list whose views are not computed ([`List::is_view`]).
    pub(super) fn with_views(list: &List) -> Self {
        let mut memory = Self::new(list);
        for (number, step) in list.steps.iter().enumerate().filter(|(_, step)| list.is_view(step)) {
            let place = list.inputs.len() + number;
            memory.homes[place] = memory.homes[step.inputs[0]];
            memory.skipped[place] = true;
        }
        memory
    }

    /// Loads a batch: the channels of the board, and the extra numbers, which are read from square a1 of their planes.
    pub(super) fn set_planes(&mut self, list: &List, planes: &[Plane]) {
        let boards = planes.len() / list.channels.len();
        if boards > self.room {
            self.room = boards;
            let kept = self.values.iter_mut().enumerate().filter(|(place, _)| !self.skipped[*place]);
            for (place, values) in kept {
                *values = Aligned::filled(boards * list.shape(place).room(), 0.0);
            }
            self.spare.clear();
        }
        self.boards = boards;
        self.levels.iter_mut().for_each(Levels::clear);
        let on_board = list.inputs[0];
        for (board, planes) in planes.chunks_exact(list.channels.len()).enumerate() {
            let squares = &mut self.values[0][board * on_board.room()..][..on_board.room()];
            squares.fill(0.0);
            for (plane, channel) in planes.iter().zip(&list.channels) {
                if *channel >= on_board.channels {
                    break;
                }
                for square in plane.occupied() {
                    squares[square * on_board.width() + channel] += plane.value;
                }
            }
            let Some(numbers) = list.inputs.get(1) else { continue };
            let row = &mut self.values[1][board * numbers.room()..][..numbers.channels];
            for (number, plane) in row.iter_mut().zip(&planes[planes.len() - numbers.channels..]) {
                *number = if plane.mask & 1 == 1 { plane.value } else { 0.0 };
            }
        }
    }

    pub(super) fn at(&self, place: usize, shape: Shape) -> &[f32] {
        &self.values[self.homes[place]][..self.boards * shape.room()]
    }

    /// The values of a place, to be filled, and those of the places before it.
    pub(super) fn filling(&mut self, place: usize, shape: Shape) -> (Before<'_>, &mut [f32]) {
        // A step reads only places before its own (`List::check`), so one split of the vector separates what is read from what is
        // written.
        let (before, after) = self.values.split_at_mut(place);
        let before = Before { boards: self.boards, values: before, homes: &self.homes };
        (before, &mut after[0][..self.boards * shape.room()])
    }

    /// The values of a flat place, `[boards][channels]`.
    pub(super) fn flat(&self, place: usize, shape: Shape) -> Vec<f32> {
        let mut numbers = vec![0.0; self.boards * shape.channels];
        rearrange::flatten(self.at(place, shape), shape, &mut numbers);
        numbers
    }

    /// A buffer for a place of this shape, with unspecified contents.
    pub(super) fn take(&mut self, shape: Shape) -> Aligned<f32> {
        let length = self.boards * shape.room();
        // By exact length: a network has few different shapes, and each recurs in every step of training. While batches have the
        // same size, nothing is allocated after the first.
        let found = self.spare.get_mut(&length).and_then(Vec::pop);
        found.unwrap_or_else(|| Aligned::filled(length, 0.0))
    }

    /// Returns a buffer from [`Memory::take`] for reuse.
    pub(super) fn give(&mut self, numbers: Aligned<f32>) {
        self.spare.entry(numbers.len()).or_default().push(numbers);
    }
}

/// The values of the places before the one that is being filled.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    boards: usize,
    values: &'a [Aligned<f32>],
    homes: &'a [usize],
}

impl<'a> Before<'a> {
    pub(super) fn at(self, place: usize, shape: Shape) -> &'a [f32] {
        &self.values[self.homes[place]][..self.boards * shape.room()]
    }
}
