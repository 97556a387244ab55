//! Players as users name them, from text to something that plays.
//!
//! `default`, `net=PATH,nodes=800`, `uci=stockfish,option.UCI_Elo=1500,movetime=100`, `random`, `material`: the same
//! names in every command.

mod specification;

use chess::uci::process::UciProcessConfig;
use strength::{
    Contestant, Player, PlayerError,
    player::{MaterialPlayer, RandomPlayer, UciPlayer},
};

use specification::Kind;
pub(crate) use specification::{PlayerSpecification, help};

impl PlayerSpecification {
    /// The player, ready to be built as often as a match needs it.
    pub(crate) fn contestant(&self) -> Contestant {
        let pace = self.pace;
        let name = self.name.clone();
        let contestant = match &self.kind {
            Kind::Random => Contestant::new(name, || Ok(Box::new(RandomPlayer::new(0)))),
            Kind::Material => Contestant::new(name, || Ok(Box::new(MaterialPlayer::new(0)))),
            Kind::Uci(command, arguments) => {
                let config = UciProcessConfig {
                    command: command.clone(),
                    arguments: arguments.clone(),
                    options: self
                        .options
                        .iter()
                        .map(|(name, value)| (name.clone(), Some(value.clone())))
                        .collect(),
                    ..UciProcessConfig::default()
                };
                Contestant::new(name, move || start(&config))
            }
        };
        contestant.with_pace(pace)
    }
}

fn start(config: &UciProcessConfig) -> Result<Box<dyn Player>, PlayerError> {
    Ok(Box::new(UciPlayer::start(config)?))
}
