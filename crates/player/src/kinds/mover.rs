//! Players that do not think.

use strength::{
    Contestant,
    player::{MOVERS, Mover},
};

use super::{PlayerForm, PlayerKind, help_row};
use crate::{error::SpecificationError, specification::PlayerSpecification};

/// A player by its name alone.
pub(super) const FORM: PlayerForm = PlayerForm {
    help: || MOVERS.iter().map(|mover| help_row(mover.name, mover.help)).collect(),
    parse: |text| find(text).map(|_| Ok(PlayerSpecification::new(&MOVER, text))),
};

static MOVER: PlayerKind = PlayerKind {
    plural: "players that do not think",
    complete,
    contestant: |player| Ok(contestant(player)),
    identity: |_| Vec::new(),
    net: |_| None,
    process: |_| None,
};

fn find(name: &str) -> Option<&'static Mover> {
    MOVERS.iter().find(|mover| mover.name == name)
}

fn complete(player: &mut PlayerSpecification) -> Result<(), SpecificationError> {
    if player.is_limited() {
        return Err(SpecificationError::NoLimits);
    }
    if player.options.is_empty() { Ok(()) } else { Err(SpecificationError::NoOptions) }
}

fn contestant(player: &PlayerSpecification) -> Contestant {
    let mover = find(&player.subject).expect("its form has found it");
    Contestant::new(player.name.clone(), move || Ok(mover.build()))
}
