/// The value to which the first terms of a sum are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Overwrite: the memory counts as zero.
    Fresh,
    /// The sums already stored there.
    Continued,
}

impl Start {
    /// Overwrites the sums with `terms`, or adds `terms` to them.
    pub(crate) fn add(self, sums: &mut [f32], terms: &[f32]) {
        match self {
            Self::Fresh => sums.copy_from_slice(terms),
            Self::Continued => sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term),
        }
    }
}
