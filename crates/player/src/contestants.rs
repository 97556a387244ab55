//! Players as users name them, from text to something that plays.
//!
//! `default`, `net=PATH,nodes=800`, `uci=stockfish,option.UCI_Elo=1500,movetime=100`, `random`, `material`: the same
//! names in every command.

mod identity;
mod specification;

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use chess::{Evaluator, Search, SearchOptions};
use protocol::process::UciProcessConfig;
use search::SearchKind;
use strength::{
    Contestant, Pace, Player, PlayerError,
    player::{FirstMovePlayer, MaterialPlayer, RandomPlayer, SearchPlayer, UciPlayer},
};

pub(crate) use identity::identity;
pub(crate) use specification::{Kind, PlayerSpecification, help, of_recipe};

use crate::engine::{Computation, SearchSetup, open_evaluator};

impl PlayerSpecification {
    /// The player, ready to be built as often as a match needs it. A network is opened here, once for all copies; an
    /// engine is started when it is built.
    pub(crate) fn contestant(&self) -> Result<Contestant> {
        self.kind_of_contestant().with_context(|| format!("player {self}"))
    }

    /// The player, to be asked about positions that belong to no game.
    pub(crate) fn contestant_for_positions(&self) -> Result<Contestant> {
        ensure!(
            self.pace.clock.is_none(),
            "player {self}: tc is a clock for a game; positions need nodes, depth or movetime"
        );
        self.contestant()
    }

    /// How to start the player's engine, with its options.
    pub(crate) fn process(&self, command: &str, arguments: &[String]) -> UciProcessConfig {
        UciProcessConfig {
            command: command.into(),
            arguments: arguments.into(),
            options: self.options.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect(),
            ..UciProcessConfig::default()
        }
    }

    fn kind_of_contestant(&self) -> Result<Contestant> {
        let name = self.name.clone();
        let contestant = match &self.kind {
            Kind::Random => Contestant::new(name, || Ok(Box::new(RandomPlayer::new(0)))),
            Kind::First => Contestant::new(name, || Ok(Box::new(FirstMovePlayer))),
            Kind::Material => Contestant::new(name, || Ok(Box::new(MaterialPlayer::new(0)))),
            Kind::Uci(command, arguments) => {
                let config = self.process(command, arguments);
                Contestant::new(name, move || start(&config))
            }
            Kind::Network(_) => return Ok(self.network()?.contestant(name, |_| ())),
        };
        Ok(contestant.with_pace(self.pace))
    }
}

impl PlayerSpecification {
    /// A network with its search, to be made into players that differ in their options.
    pub(crate) fn network(&self) -> Result<NetworkPlayers> {
        let Kind::Network(net) = &self.kind else {
            bail!("player {self} has no search of ours; expected net=PATH or default")
        };
        let setup = SearchSetup::new(&self.options)?;
        let computation = Computation { device: self.device, precision: self.precision };
        let evaluator = open_evaluator(net, computation)?.evaluator;
        Ok(NetworkPlayers { evaluator, setup, kind: self.search, pace: self.pace })
    }
}

/// An opened network with everything that its players have in common.
pub(crate) struct NetworkPlayers {
    evaluator: Arc<dyn Evaluator>,
    setup: SearchSetup,
    kind: &'static SearchKind,
    pace: Pace,
}

impl NetworkPlayers {
    /// The options of the specification.
    pub(crate) fn options(&self) -> &SearchOptions {
        &self.setup.options
    }

    /// The network alone.
    pub(crate) fn into_evaluator(self) -> Arc<dyn Evaluator> {
        self.evaluator
    }

    /// Builds searches with the options of the specification.
    pub(crate) fn into_searches(self) -> impl Fn() -> Box<dyn Search> + Send + Sync {
        move || self.setup.make(self.kind, Arc::clone(&self.evaluator))
    }

    /// A player whose options `change` has changed.
    pub(crate) fn contestant(&self, name: String, change: impl FnOnce(&mut SearchOptions)) -> Contestant {
        let (evaluator, kind) = (Arc::clone(&self.evaluator), self.kind);
        let mut setup = self.setup.clone();
        change(&mut setup.options);
        let contestant = Contestant::new(name, move || {
            let search = setup.make(kind, Arc::clone(&evaluator));
            Ok(Box::new(SearchPlayer::new(search.describe(), search)))
        });
        contestant.with_pace(self.pace)
    }
}

fn start(config: &UciProcessConfig) -> Result<Box<dyn Player>, PlayerError> {
    Ok(Box::new(UciPlayer::start(config)?))
}
