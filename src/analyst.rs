//! What labels positions: a UCI engine in a process of its own, or a network in this process, with a search or alone.

mod engine;
mod policy;
mod search;

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use chess::{Game, StopSignal};
use dataset::{Label, store::manifest};
use player::{Kind, PlayerSpecification, identity};

use self::{engine::EngineAnalyst, policy::PolicyAnalyst, search::SearchAnalyst};

/// Labels positions, one after another.
pub(crate) trait Analyst: Send {
    /// Who it is, with its version.
    fn name(&self) -> &str;

    /// Forgets all positions so far: what follows is as from a new analyst.
    fn forget(&mut self) -> Result<()>;

    /// The label of the current position of `game`, which has a legal move. `stop` ends the work early; the label is then
    /// worth nothing.
    fn label(&mut self, game: &Game, stop: &StopSignal) -> Result<Label>;

    /// The labels of several positions, in order; fewer where `stop` ended the work.
    fn label_all(&mut self, games: &[Game], stop: &StopSignal) -> Result<Vec<Label>> {
        one_by_one(games, stop, &mut |game| self.label(game, stop))
    }
}

/// Labels positions with an analyst that takes one at a time.
fn one_by_one(
    games: &[Game],
    stop: &StopSignal,
    label: &mut dyn FnMut(&Game) -> Result<Label>,
) -> Result<Vec<Label>> {
    let mut labels = Vec::with_capacity(games.len());
    for game in games {
        labels.push(label(game).with_context(|| format!("cannot label {}", game.fen()))?);
        if stop.is_stopped() {
            break;
        }
    }
    Ok(labels)
}

/// Builds an analyst.
type Make = Box<dyn Fn() -> Result<Box<dyn Analyst>> + Send + Sync>;

/// Builds analysts of one kind, as many as are to work at the same time.
pub(crate) struct Analysts {
    make: Make,
    limits: String,
}

/// The option by which engines report several lines.
const MULTI_PV: &str = "MultiPV";

/// The kind of search that asks a network without one: its labels are the whole policy.
const POLICY: &str = "policy";

impl Analysts {
    /// Analysts that are what the user calls a player. A network is opened here, an engine when the first is built.
    /// `ahead`: positions written to a UCI engine before it has answered the first.
    pub(crate) fn of(player: &PlayerSpecification, lines: Option<u16>, ahead: u16) -> Result<Self> {
        Self::of_kind(player, lines, usize::from(ahead)).with_context(|| format!("engine {player}"))
    }

    fn of_kind(player: &PlayerSpecification, lines: Option<u16>, ahead: usize) -> Result<Self> {
        ensure!(
            player.pace.clock.is_none(),
            "tc is a clock for a game; positions need nodes, depth or movetime"
        );
        let limits = player.pace.limits();
        let mut player = player.clone();
        if let Some(lines) = lines {
            let is_set = player.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(MULTI_PV));
            ensure!(!is_set, "{MULTI_PV} is given twice, as an option and by --multipv");
            player.options.push((MULTI_PV.into(), lines.to_string()));
        }
        let mut limits_in_words = in_words(&player);
        let make: Make = match &player.kind {
            Kind::Mover(_) => bail!("it evaluates nothing, expected a UCI engine or a network"),
            Kind::Uci(command, arguments) => {
                let config = player.process(command, arguments);
                Box::new(move || Ok(Box::new(EngineAnalyst::start(&config, limits.clone(), ahead)?)))
            }
            Kind::Network(net) => {
                ensure!(ahead < 2, "--ahead is for UCI engines: a network has no pipe to wait for");
                ensure!(
                    lines.is_none(),
                    "--multipv is for UCI engines: a search on a network gives the visits of all moves"
                );
                let (network, name) = (player.network()?, name_of_network(net, &player));
                if player.search.name == POLICY {
                    ensure!(
                        player.options.is_empty(),
                        "search={POLICY} labels with the whole policy, which options do not change: found {limits_in_words}, \
                         expected none"
                    );
                    limits_in_words = "policy without search".into();
                    let evaluator = network.into_evaluator();
                    Box::new(move || Ok(Box::new(PolicyAnalyst::new(name.clone(), Arc::clone(&evaluator)))))
                } else {
                    let searches = network.into_searches();
                    Box::new(move || {
                        Ok(Box::new(SearchAnalyst::new(name.clone(), searches(), limits.clone())))
                    })
                }
            }
        };
        Ok(Self { make, limits: limits_in_words })
    }

    /// A new analyst.
    pub(crate) fn build(&self) -> Result<Box<dyn Analyst>> {
        (self.make)()
    }

    /// How the manifest of a store names `analyst`.
    pub(crate) fn describe(&self, analyst: &dyn Analyst) -> manifest::Engine {
        manifest::Engine { name: analyst.name().into(), limits: self.limits.clone() }
    }
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
