//! The UCI engine: its evaluator, search and levels, before a session begins.

use network::Precision;
use search::SearchKind;
use strength::StrengthTable;

use crate::{
    error::OpenError,
    evaluators::{OpenedEvaluator, open_evaluator},
    levels::levels,
    search_setup::SearchSetup,
};

/// An engine before its conversation with a GUI.
pub struct UciEngine {
    pub(super) evaluator: OpenedEvaluator,
    pub(super) precision: Option<Precision>,
    pub(super) setup: SearchSetup,
    pub(super) kind: &'static SearchKind,
    pub(super) strength: Option<StrengthTable>,
}

impl UciEngine {
    /// Opens a network by name, with the levels at which it can be played against.
    ///
    /// # Errors
    /// [`OpenError`] if the network or its strength table cannot be used.
    pub fn open(
        net: &str,
        precision: Option<Precision>,
        kind: &'static SearchKind,
        setup: SearchSetup,
    ) -> Result<Self, OpenError> {
        let evaluator = open_evaluator(net, precision)?;
        Ok(Self { evaluator, precision, setup, kind, strength: levels(net)? })
    }
}
