/// Source of a normalisation's mean and variance.
#[derive(Clone, Copy, Debug)]
pub enum NormStatistics<'a> {
    /// The batch itself.
    Batch,
    /// Stored statistics: for every normalisation `[2][channels]`, mean and variance.
    Stored(&'a [Vec<f32>]),
}
