//! The UCI engine: its evaluator, search and levels, before a session begins.

use network::Precision;
use search::SearchKind;
use strength::StrengthTable;

use crate::{
    error::OpenError,
    evaluators::{OpenedEvaluator, open_evaluator},
    levels::levels,
    search_setup::SearchSetup,
    specification::PlayerSpecification,
};

/// An engine before its conversation with a GUI.
pub struct UciEngine {
    pub(super) evaluator: OpenedEvaluator,
    pub(super) precision: Option<Precision>,
    pub(super) setup: SearchSetup,
    /// The search that the user has chosen instead of the player's own.
    pub(super) chosen: Option<&'static SearchKind>,
    pub(super) player: PlayerSpecification,
    pub(super) strength: Option<StrengthTable>,
}

impl UciEngine {
    /// Opens the player that a name stands for, with its levels. `search` and `options`, by names and values,
    /// replace those of the player.
    ///
    /// # Errors
    /// [`OpenError`] if the network, its strength table or an option cannot be used.
    pub fn open(
        net: &str,
        precision: Option<Precision>,
        search: Option<&'static SearchKind>,
        options: &[(String, String)],
    ) -> Result<Self, OpenError> {
        let player = PlayerSpecification::of_net(net, search);
        let setup = SearchSetup::new(&player.options_with(options))?;
        let evaluator = open_evaluator(net, precision)?;
        Ok(Self { evaluator, precision, setup, chosen: search, player, strength: levels(net)? })
    }
}
