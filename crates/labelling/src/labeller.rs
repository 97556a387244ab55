//! Labellers: a UCI engine in a process of its own, or a network in this process, with a search or alone.

mod engine;
mod nnue;
mod policy;
mod search;

use std::sync::Arc;

use chess::{Game, StopSignal};
use dataset::{Label, store::manifest};
use player::{PlayerKind, PlayerSpecification, identity, is_nnue, open_nnue};

use self::{
    engine::EngineLabeller,
    nnue::{NnueLabeller, Question},
    policy::PolicyLabeller,
    search::SearchLabeller,
};
use crate::LabellingError;

/// Labels positions, one after another.
///
/// # Laws
/// 1. The name is not empty and does not change.
/// 2. The moves of a label are legal in its position.
/// 3. [`Labeller::label_all`] gives the labels that [`Labeller::label`] gives one after another.
/// 4. After [`Labeller::forget`] the labels are those of a new labeller.
/// 5. Once `stop` is signalled, no further position is begun, and `label_all` returns the labels that it has.
///
/// `labelling::laws` (feature `laws`) checks them; with a limit of time the third and the fourth do not hold.
pub trait Labeller: Send {
    /// Its name with its version.
    fn name(&self) -> &str;

    /// Forgets all positions so far: the following labels are those of a new labeller.
    ///
    /// # Errors
    /// [`LabellingError`] if the engine is gone.
    fn forget(&mut self) -> Result<(), LabellingError>;

    /// The label of the current position of `game`, which has a legal move. `stop` ends the work early; the label is then
    /// worth nothing, or missing.
    ///
    /// # Errors
    /// [`LabellingError`] without a usable answer, [`LabellingError::Stopped`] if `stop` came before one.
    fn label(&mut self, game: &Game, stop: &StopSignal) -> Result<Label, LabellingError>;

    /// The labels of several positions, in order; fewer where `stop` ended the work.
    ///
    /// # Errors
    /// As [`Labeller::label`], with the position.
    fn label_all(&mut self, games: &[Game], stop: &StopSignal) -> Result<Vec<Label>, LabellingError> {
        one_by_one(games, stop, &mut |game| self.label(game, stop))
    }
}

/// Labels positions with a labeller that takes one at a time.
fn one_by_one(
    games: &[Game],
    stop: &StopSignal,
    label: &mut dyn FnMut(&Game) -> Result<Label, LabellingError>,
) -> Result<Vec<Label>, LabellingError> {
    let mut labels = Vec::with_capacity(games.len());
    for game in games {
        labels.push(
            label(game)
                .map_err(|error| LabellingError::Position { fen: game.fen(), source: Box::new(error) })?,
        );
        if stop.is_stopped() {
            break;
        }
    }
    Ok(labels)
}

type Make = Box<dyn Fn() -> Result<Box<dyn Labeller>, LabellingError> + Send + Sync>;

/// Builds labellers of one kind, one for each thread.
pub struct Labellers {
    make: Make,
    limits: String,
}

/// The option by which engines report several lines.
const MULTI_PV: &str = "MultiPV";

/// The kind of search that asks a network without one: its labels are the whole policy.
const POLICY: &str = "policy";

/// The kind of search that asks a network of Stockfish's for the value alone.
const VALUE: &str = "value";

impl Labellers {
    /// Labellers that are this player; `lines` is the number of lines asked of a UCI engine. A network is opened here, an engine
    /// when the first is built.
    /// `ahead`: positions written to a UCI engine before it has answered the first.
    ///
    /// # Errors
    /// [`LabellingError::Unsuitable`] for players and settings without labels, [`LabellingError::Open`] if a network cannot be
    /// used.
    pub fn of(player: &PlayerSpecification, lines: Option<u16>, ahead: u16) -> Result<Self, LabellingError> {
        check(player, lines, ahead)
            .map_err(|problem| LabellingError::Unsuitable { player: player.to_string(), problem })?;
        Self::of_kind(player, lines, usize::from(ahead))
    }

    fn of_kind(
        player: &PlayerSpecification,
        lines: Option<u16>,
        ahead: usize,
    ) -> Result<Self, LabellingError> {
        let limits = player.pace.limits();
        let mut player = player.clone();
        player.options.extend(lines.map(|lines| (MULTI_PV.into(), lines.to_string())));
        let mut limits_in_words = in_words(&player);
        let make: Make = match &player.kind {
            PlayerKind::Network(net) if is_nnue(net) => {
                let question =
                    Question::of(player.search.name, player.pace.nodes).ok_or_else(|| LabellingError::Unsuitable {
                        player: player.to_string(),
                        problem: format!(
                            "a network of Stockfish's labels with search={POLICY}, search={VALUE} or search={VALUE},nodes=1"
                        ),
                    })?;
                limits_in_words = question.in_words().into();
                let (network, name) = (open_nnue(net)?, name_of_network(net, &player));
                Box::new(move || {
                    Ok(Box::new(NnueLabeller::new(name.clone(), Arc::clone(&network), question)))
                })
            }
            PlayerKind::Network(net) => {
                let (network, name) = (player.network()?, name_of_network(net, &player));
                if player.search.name == POLICY {
                    limits_in_words = "policy without search".into();
                    let evaluator = network.into_evaluator();
                    Box::new(move || Ok(Box::new(PolicyLabeller::new(name.clone(), Arc::clone(&evaluator)))))
                } else {
                    let searches = network.counting_visits().into_searches();
                    Box::new(move || {
                        Ok(Box::new(SearchLabeller::new(name.clone(), searches(), limits.clone())))
                    })
                }
            }
            PlayerKind::Uci(command, arguments) => {
                let config = player.process(command, arguments);
                Box::new(move || Ok(Box::new(EngineLabeller::start(&config, limits.clone(), ahead)?)))
            }
            PlayerKind::Mover(_) => {
                let problem = "it gives no evaluations; label with a UCI engine or a network".into();
                return Err(LabellingError::Unsuitable { player: player.to_string(), problem });
            }
        };
        Ok(Self { make, limits: limits_in_words })
    }

    /// A new labeller.
    ///
    /// # Errors
    /// [`LabellingError::Process`] if an engine does not start.
    pub fn build(&self) -> Result<Box<dyn Labeller>, LabellingError> {
        (self.make)()
    }

    /// The entry for `labeller` in the manifest of a store.
    pub fn describe(&self, labeller: &dyn Labeller) -> manifest::Engine {
        manifest::Engine { name: labeller.name().into(), limits: self.limits.clone() }
    }
}

/// Refuses players and settings that give no labels, with what is wrong.
fn check(player: &PlayerSpecification, lines: Option<u16>, ahead: u16) -> Result<(), String> {
    let is_given_twice =
        lines.is_some() && player.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(MULTI_PV));
    let is_network = matches!(player.kind, PlayerKind::Network(_));
    Err(if player.pace.clock.is_some() {
        "tc is a clock for a game; positions need nodes, depth or movetime".into()
    } else if is_given_twice {
        format!("{MULTI_PV} is given twice, as an option and by --multipv")
    } else if is_network && ahead > 1 {
        "--ahead is for UCI engines: a network has no pipe to wait for".into()
    } else if is_network && lines.is_some() {
        "--multipv is for UCI engines: a search on a network gives the visits of all moves".into()
    } else if is_network && player.search.name == POLICY && !player.options.is_empty() {
        format!(
            "search={POLICY} labels with the whole policy, which options do not change: found {}, expected none",
            in_words(player)
        )
    } else {
        return Ok(());
    })
}

/// Limits and options, such as `3000 nodes, MultiPV=4`.
fn in_words(player: &PlayerSpecification) -> String {
    let options = player.options.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once(player.pace.to_string()).chain(options).collect::<Vec<_>>().join(", ")
}

/// Program, search and network; the network by the hash of its file, because names are reused.
fn name_of_network(net: &str, player: &PlayerSpecification) -> String {
    let facts = identity(player);
    let fact = |wanted: &str| {
        facts
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| format!(" {value}"))
            .unwrap_or_default()
    };
    format!("Tabiya {}{} {net}{}", env!("CARGO_PKG_VERSION"), fact("search"), fact("network hash"))
}
