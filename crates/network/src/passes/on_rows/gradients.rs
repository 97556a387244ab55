//! Gradients of parameters of which a batch reads some rows, and of those that every sample reads.

use kernels::{
    Isa,
    sparse::training::{Block, Scatter, block_columns, scatter},
};

/// The gradient of a parameter.
#[derive(Clone, Debug)]
pub enum Gradient {
    /// Of all numbers, row by row.
    Whole(Vec<f32>),
    /// Of some rows; it is zero in all others.
    Rows(RowGradient),
}

/// The gradient of a table of which a batch reads some rows. Columns are kept in blocks, so that what threads write and caches hold
/// together lies together.
#[derive(Clone, Debug)]
pub struct RowGradient {
    width: usize,
    columns: usize,
    /// `[blocks][rows][columns]`.
    values: Vec<f32>,
    touched: Vec<bool>,
}

impl RowGradient {
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Self {
            width,
            columns: block_columns(width),
            values: vec![0.0; rows * width],
            touched: vec![false; rows],
        }
    }

    pub(super) fn mark(&mut self, rows: &[u32]) {
        for row in rows {
            self.touched[*row as usize] = true;
        }
    }

    /// The rows that the batch reads.
    pub fn touched(&self) -> &[bool] {
        &self.touched
    }

    /// The gradient of a row, in the order of its columns.
    ///
    /// # Panics
    /// If there is no such row, or the slice is not as wide.
    pub fn row(&self, row: usize, to: &mut [f32]) {
        assert_eq!(to.len(), self.width, "a whole row");
        let size = self.touched.len() * self.columns;
        for (block, to) in to.chunks_exact_mut(self.columns).enumerate() {
            to.copy_from_slice(&self.values[block * size + row * self.columns..][..self.columns]);
        }
    }

    /// The sum of the squares of a row.
    pub fn squares(&self, row: usize) -> f64 {
        let size = self.touched.len() * self.columns;
        let blocks = 0..self.width / self.columns;
        let parts = blocks.map(|block| &self.values[block * size + row * self.columns..][..self.columns]);
        parts.map(|part| f64::from(part.iter().map(|value| value * value).sum::<f32>())).sum()
    }

    fn clear(&mut self) {
        let size = self.touched.len() * self.columns;
        for block in self.values.chunks_exact_mut(size) {
            for (row, touched) in block.chunks_exact_mut(self.columns).zip(&self.touched) {
                if *touched {
                    row.fill(0.0);
                }
            }
        }
        self.touched.fill(false);
    }
}

impl Gradient {
    pub(super) fn clear(&mut self) {
        match self {
            Self::Whole(values) => values.fill(0.0),
            Self::Rows(gradient) => gradient.clear(),
        }
    }

    /// Adds up the gradients of shares.
    pub(super) fn add_up<'a>(&mut self, shares: impl Iterator<Item = &'a [f32]>) {
        if let Self::Whole(values) = self {
            for share in shares {
                values.iter_mut().zip(share).for_each(|(to, from)| *to += from);
            }
        }
    }

    /// Plans how the gradients of samples reach it.
    pub(super) fn spread<'a>(&'a mut self, from: Scatter<'a>, spreads: &mut Vec<Spread<'a>>) {
        match self {
            Self::Whole(values) => {
                // Rows as wide as the gradients of samples are: one, or one number for each row.
                let columns = from.gradients.width;
                spreads.push(Spread { from, block: Block { values, first: 0, columns } });
            }
            Self::Rows(RowGradient { width, columns, values, touched }) => {
                let blocks =
                    values.chunks_exact_mut(touched.len() * *columns).zip((0..*width).step_by(*columns));
                spreads.extend(blocks.map(|(values, first)| Spread {
                    from,
                    block: Block { values, first, columns: *columns },
                }));
            }
        }
    }
}

/// The gradients of samples on their way to some columns of a table.
pub(super) struct Spread<'a> {
    from: Scatter<'a>,
    block: Block<'a>,
}

impl Spread<'_> {
    pub(super) fn run(self, isa: Isa) {
        scatter(isa, self.from, self.block);
    }
}
