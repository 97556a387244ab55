//! The outputs of a network for one position.

/// The outputs of a network for one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs<'a> {
    /// Policy logits; `Program::policy_slot` gives the index of a move.
    pub policy: &'a [f32],
    /// The value head's outputs, before softmax or tanh.
    pub value: &'a [f32],
    /// Plies until the game ends; never negative.
    pub moves_left: Option<f32>,
}
