//! UCI engines.

use protocol::process::UciProcessConfig;
use strength::{
    Contestant,
    player::{UciPlayer, program_hash},
};

use super::{PlayerForm, PlayerKind, help_row};
use crate::{error::SpecificationError, identity::fact, specification::PlayerSpecification};

/// An engine by its command.
pub(super) const FORM: PlayerForm = PlayerForm {
    help: || vec![help_row("uci=COMMAND", "a UCI engine")],
    parse: |text| {
        let command = text.strip_prefix("uci=").filter(|command| !command.is_empty())?;
        Some(Ok(PlayerSpecification::new(&ENGINE, command)))
    },
};

/// The subject is the command.
pub(crate) static ENGINE: PlayerKind = PlayerKind {
    plural: "UCI engines",
    complete,
    contestant: |player| Ok(contestant(player)),
    identity: |player| {
        let command: Vec<&str> =
            std::iter::once(&player.subject).chain(&player.arguments).map(String::as_str).collect();
        vec![fact("command", command.join(" ")), fact("program", program_hash(&player.subject))]
    },
    net: |_| None,
    process: |player| Some(process(player)),
};

fn complete(player: &mut PlayerSpecification) -> Result<(), SpecificationError> {
    if !player.is_limited() {
        return Err(SpecificationError::Unlimited);
    }
    let value_of = |wanted: &str| {
        let option = player.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        option.map(|(_, value)| value.as_str())
    };
    // Engines ignore a rating unless the option that limits their strength is set.
    let plays_at_full_strength = value_of("UCI_LimitStrength") != Some("true");
    if value_of("UCI_Elo").is_some() && plays_at_full_strength {
        return Err(SpecificationError::FullStrength);
    }
    Ok(())
}

fn contestant(player: &PlayerSpecification) -> Contestant {
    let config = process(player);
    Contestant::new(player.name.clone(), move || Ok(Box::new(UciPlayer::start(&config)?)))
}

fn process(player: &PlayerSpecification) -> UciProcessConfig {
    UciProcessConfig {
        command: player.subject.clone(),
        arguments: player.arguments.clone(),
        options: player.options.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect(),
        ..UciProcessConfig::default()
    }
}
