//! Positions without a label in their source, and their treatment in a build.

use chess::Position as _;

use crate::{
    policy::PolicyLabel,
    record::{LabelDoubts, PositionRecord, SearchEffort, UnlabelledPosition},
    source::{BadReason, BadRecord},
};

/// Treatment of positions without a best move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unlabelled {
    /// Rejects them as broken records, because nothing can be learned from them.
    #[default]
    Reject,
    /// Stores them with their first legal move as best move, until [`crate::relabel`] replaces it.
    Await,
}

/// The record of a position that is to be labelled later; an error under [`Unlabelled::Reject`].
pub(super) fn awaiting(record: UnlabelledPosition, rule: Unlabelled) -> Result<PositionRecord, BadRecord> {
    let UnlabelledPosition { place, position, castling_mode } = record;
    let first = position.legal_moves().first().copied();
    match (rule, first) {
        (Unlabelled::Await, Some(best_move)) => Ok(PositionRecord {
            place,
            position,
            castling_mode,
            best_move,
            policy: PolicyLabel::BestMove,
            evaluation: None,
            effort: SearchEffort::default(),
            origin: None,
            doubts: LabelDoubts::default(),
        }),
        _ => Err(BadRecord {
            line: place.line,
            start: place,
            reason: BadReason::NoMoves,
            detail: "a position without a best move; `tabiya data label` finds one".into(),
        }),
    }
}
