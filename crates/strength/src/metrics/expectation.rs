//! Expected scores with the actual scores.

/// An expected score with what the mover then scored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The game it comes from.
    pub game_number: usize,
    /// Expected score of the mover, 0 to 1.
    pub expected: f64,
    /// Score of the mover: 0, 1/2 or 1.
    pub score: f64,
}
