//! From a specification to something that plays.

use std::sync::Arc;

use chess::{Evaluator, Search, SearchOptions};
use files::Inputs;
use search::{SEARCHES, SearchKind, tree_search};
use strength::{
    Contestant, Pace,
    campaign::Entrant,
    player::{Mover, SearchPlayer, UciPlayer},
};

use crate::{
    error::OpenError,
    evaluators::open_evaluator,
    identity::{fact, identity},
    search_setup::SearchSetup,
    specification::{PlayerSpecification, Subject},
};

impl PlayerSpecification {
    /// The player, ready to be built as often as a match needs it. A network is opened here, once for all copies; an
    /// engine is started when it is built.
    ///
    /// # Errors
    /// [`OpenError`] if the network or a search option cannot be used.
    pub fn contestant(&self) -> Result<Contestant, OpenError> {
        let name = self.name.clone();
        let contestant = match (&self.subject, self.process()) {
            (Subject::Mover(mover), _) => {
                let mover: &'static Mover = mover;
                Contestant::new(name, move || Ok(mover.build()))
            }
            (_, Some(config)) => Contestant::new(name, move || Ok(Box::new(UciPlayer::start(&config)?))),
            (_, None) => self.network()?.contestant(name, |_| ()),
        };
        Ok(contestant.with_pace(self.pace))
    }

    /// The player with its description for the reports of a campaign.
    ///
    /// # Errors
    /// As [`PlayerSpecification::contestant`].
    pub fn entrant(&self) -> Result<Entrant, OpenError> {
        let (contestant, mut identity) = (self.contestant()?, identity(self));
        if self.process().is_some() {
            // The name that the engine gives itself has its version, which the command does not show. A program that has been removed
            // since cannot be asked, and its earlier results must stay readable.
            let is_gone = identity.contains(&fact("program", Inputs::GONE));
            let name = if is_gone { Inputs::GONE.to_owned() } else { contestant.own_name() };
            identity.push(fact("engine", name));
        }
        Ok(Entrant { contestant, specification: self.to_string(), identity })
    }

    /// The player for single positions instead of games.
    ///
    /// # Errors
    /// [`OpenError`] as [`PlayerSpecification::contestant`], and if its limit is the clock of a game.
    pub fn contestant_for_positions(&self) -> Result<Contestant, OpenError> {
        if self.pace.clock.is_some() {
            return Err(self.error(OpenError::ClockWithoutGame));
        }
        self.contestant()
    }

    /// A network with its search, from which players with different options are built.
    ///
    /// # Errors
    /// [`OpenError`] if the player is not a network, or the network or a search option cannot be used.
    pub fn network(&self) -> Result<NetworkPlayers, OpenError> {
        self.opened().map_err(|error| self.error(error))
    }

    fn opened(&self) -> Result<NetworkPlayers, OpenError> {
        let net = self.net().ok_or(OpenError::NoSearch)?;
        let setup = SearchSetup::new(&self.options)?;
        let evaluator = open_evaluator(net, self.precision)?.evaluator;
        Ok(NetworkPlayers { evaluator, setup, kind: self.search, pace: self.pace })
    }

    fn error(&self, error: OpenError) -> OpenError {
        OpenError::Player { player: self.text.clone(), error: Box::new(error) }
    }
}

/// An opened network with everything that its players have in common.
pub struct NetworkPlayers {
    evaluator: Arc<dyn Evaluator>,
    setup: SearchSetup,
    kind: &'static SearchKind,
    pace: Pace,
}

impl NetworkPlayers {
    /// The options of the specification.
    pub fn options(&self) -> &SearchOptions {
        &self.setup.options
    }

    /// The network without its search.
    pub fn into_evaluator(self) -> Arc<dyn Evaluator> {
        self.evaluator
    }

    /// Uses tree search, which counts visits, if no search was named.
    #[must_use]
    pub fn counting_visits(self) -> Self {
        let kind = if self.kind.name == SEARCHES[0].name { tree_search() } else { self.kind };
        Self { kind, ..self }
    }

    /// Builds searches with the options of the specification.
    pub fn into_searches(self) -> impl Fn() -> Box<dyn Search> + Send + Sync {
        move || self.setup.make(self.kind, Arc::clone(&self.evaluator))
    }

    /// A player with options modified by `change`.
    pub fn contestant(&self, name: String, change: impl FnOnce(&mut SearchOptions)) -> Contestant {
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
