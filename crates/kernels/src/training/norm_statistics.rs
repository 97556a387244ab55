/// The source of a normalisation's mean and variance.
#[derive(Clone, Copy, Debug)]
pub enum NormStatistics<'a> {
    /// The batch itself.
    Batch,
    /// Stored statistics: mean and variance, `[2][channels]`, for every normalisation.
    Stored(&'a [Vec<f32>]),
}
