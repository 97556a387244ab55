//! Tables as training reads them, and the samples of a batch that read each row.

use dataset::Batch;
use kernels::{
    Isa,
    sparse::training::{Lists, NumberFormat, Numbers, NumbersRef, Readers},
};
use rayon::prelude::*;

use super::SparseLayout;

/// Number of rows that a thread rounds at a time.
const ROUNDED: usize = 64;

pub(super) struct Tables {
    /// Copies of [`SparseLayout::tables`] in 16 bits, in which the rows that a batch reads are up to date; `None` if training
    /// reads the parameters themselves.
    halves: Option<Vec<Numbers>>,
    /// The readers of each of [`SparseLayout::tables`].
    pub(super) readers: Vec<Readers>,
    /// For each body, the readers of its bias, which is a table of one row: the samples whose hidden units are read.
    pub(super) biases: Vec<Readers>,
}

impl Tables {
    pub(super) fn new(layout: &SparseLayout, format: NumberFormat) -> Self {
        let tables = layout.tables();
        let zeros = |table: &usize| {
            let mut numbers = Numbers::zeros(NumberFormat::Half, layout.shapes[*table].iter().product());
            numbers.use_large_pages();
            numbers
        };
        Self {
            halves: (format == NumberFormat::Half).then(|| tables.iter().map(zeros).collect()),
            readers: vec![Readers::default(); tables.len()],
            biases: vec![Readers::default(); layout.bodies.len()],
        }
    }

    pub(super) fn find_readers(&mut self, layout: &SparseLayout, batch: &Batch) {
        let rows = layout.tables().into_iter().map(|table| layout.shapes[table][0]).collect::<Vec<_>>();
        let found = self.readers.par_iter_mut().zip(layout.lists(batch)).zip(rows);
        found.enumerate().for_each(|(table, ((readers, lists), rows))| {
            // The gradient of a move's row is the hidden units times the gradient of its logit.
            if table < layout.bodies.len() {
                readers.find(lists, rows);
            } else {
                readers.find_places(lists, rows);
            }
        });
        for (body, readers) in self.biases.iter_mut().enumerate() {
            let is_read = |legal: &[u32]| u32::from(body == layout.value.body || legal[0] < legal[1]);
            let mut offsets = vec![0];
            offsets.extend(batch.legal_offsets.windows(2).scan(0, |read, legal| {
                *read += is_read(legal);
                Some(*read)
            }));
            let rows = vec![0; offsets[batch.size] as usize];
            readers.find(Lists { offsets: &offsets, rows: &rows }, 1);
        }
    }

    /// Rounds the rows that the batch reads, if tables are kept in 16 bits.
    pub(super) fn round(&mut self, isa: Isa, layout: &SparseLayout, parameters: &[&[f32]]) {
        let Some(halves) = &mut self.halves else { return };
        for ((table, readers), parameter) in halves.iter_mut().zip(&self.readers).zip(layout.tables()) {
            let (values, [rows, width]) = (parameters[parameter], layout.shapes[parameter]);
            let chunks = table.chunks_mut(ROUNDED * width);
            chunks.into_par_iter().enumerate().for_each(|(chunk, mut numbers)| {
                let first = chunk * ROUNDED;
                for row in (first..rows.min(first + ROUNDED)).filter(|row| readers.is_read(*row)) {
                    numbers.write(isa, (row - first) * width, &values[row * width..][..width]);
                }
            });
        }
    }

    /// The values of [`SparseLayout::tables`] as training reads them.
    pub(super) fn numbers<'a>(
        &'a self,
        layout: &SparseLayout,
        parameters: &[&'a [f32]],
    ) -> Vec<NumbersRef<'a>> {
        match &self.halves {
            Some(halves) => {
                let sizes = layout.tables().into_iter().map(|table| parameters[table].len());
                halves.iter().zip(sizes).map(|(numbers, size)| numbers.first(size)).collect()
            }
            None => exact(layout, parameters),
        }
    }
}

/// The values of [`SparseLayout::tables`] without rounding.
pub(super) fn exact<'a>(layout: &SparseLayout, parameters: &[&'a [f32]]) -> Vec<NumbersRef<'a>> {
    layout.tables().into_iter().map(|table| NumbersRef::Single(parameters[table])).collect()
}
