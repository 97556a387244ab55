//! The kinds of players and the forms of text that name them: a file each, and a row in [`PLAYER_FORMS`].

mod engine;
mod mover;
mod network;

use files::Facts;
use protocol::process::UciProcessConfig;
use strength::Contestant;

pub(crate) use self::{
    engine::ENGINE,
    network::{NETWORK, evaluator_facts},
};
use crate::{
    error::{OpenError, SpecificationError},
    recipe,
    specification::PlayerSpecification,
    systems,
};

/// A kind of player: a static in its file, identified by its address. Its functions accept specifications of
/// this kind only.
#[derive(Debug)]
pub(crate) struct PlayerKind {
    /// All players of this kind, in errors.
    pub(crate) plural: &'static str,
    /// Adds the default limits and refuses keys that the kind does not have.
    pub(crate) complete: fn(&mut PlayerSpecification) -> Result<(), SpecificationError>,
    pub(crate) contestant: fn(&PlayerSpecification) -> Result<Contestant, OpenError>,
    /// The facts needed to reproduce it besides its options, as names and values.
    pub(crate) identity: fn(&PlayerSpecification) -> Facts,
    /// The name of its evaluator; `None` for kinds without one.
    pub(crate) net: fn(&PlayerSpecification) -> Option<&str>,
    /// The process to start; `None` for kinds that run in this one.
    pub(crate) process: fn(&PlayerSpecification) -> Option<UciProcessConfig>,
}

/// A form of the text before the first comma.
pub(crate) struct PlayerForm {
    /// The rows for `--help`: texts of this form, each with its meaning.
    pub(crate) help: fn() -> Vec<(String, String)>,
    /// The player before its keys; `None` if the text does not have this form.
    pub(crate) parse: fn(&str) -> Option<Result<PlayerSpecification, SpecificationError>>,
}

/// Every form, in the order in which they are tried and shown in `--help`.
pub(crate) const PLAYER_FORMS: &[PlayerForm] =
    &[network::BUNDLED_FORM, network::FORM, recipe::FORM, engine::FORM, systems::FORM, mover::FORM];

/// A row of a form's help.
pub(crate) fn help_row(form: &str, help: &str) -> (String, String) {
    (form.to_owned(), help.to_owned())
}
