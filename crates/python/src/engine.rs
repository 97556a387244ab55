//! Searches that play and analyse.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chess::{
    Clock, Decision, Evaluator, Game, Limits, Move, Search, SearchInfo, SearchTrace, StopSignal,
    parse_uci_move, print_uci_move,
};
use player::{PlayerSpecification, SearchSetup, SystemNetwork};
use pyo3::prelude::*;
use search::{SEARCHES, SearchKind, options, search_kind, tree_search};
use serde_json::json;

use crate::{
    failure::failure,
    network::Network,
    record::Record,
    waiting::{caller, watched},
};

/// Name and method of every search.
#[pyfunction]
pub(crate) fn searches() -> Vec<(&'static str, &'static str)> {
    SEARCHES.iter().map(|kind| (kind.name, kind.help)).collect()
}

/// Name, default, accepted values and meaning of every option of the searches.
#[pyfunction]
pub(crate) fn search_options() -> Vec<(&'static str, String, String, &'static str)> {
    options::tunables()
        .map(|tunable| (tunable.name, tunable.default_value().to_string(), tunable.expected(), tunable.help))
        .collect()
}

/// A search on a network, with its memory from move to move.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub(crate) struct Engine {
    evaluator: Arc<dyn Evaluator>,
    kind: &'static SearchKind,
    /// Nodes of a search without limits, if the network is that of a system.
    nodes: Option<u64>,
    /// The idle search; empty during a search and after `close`.
    idle: Mutex<State>,
    /// Ends the running search.
    stop: Mutex<StopSignal>,
}

struct State {
    setup: SearchSetup,
    search: Availability,
    /// Number of games started; the seed of each game's randomness.
    games: u64,
}

enum Availability {
    Idle(Box<dyn Search>),
    Searching,
    Closed,
}

/// Limits of a search, as in [`Limits`]; durations in seconds.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LimitValues {
    nodes: Option<u64>,
    depth: Option<u32>,
    mate: Option<u32>,
    time: Option<f64>,
    /// Seconds left, seconds added with each move, moves until the next time control.
    clock: Option<(f64, f64, Option<u32>)>,
    root_moves: Vec<String>,
}

#[pymethods]
impl Engine {
    /// A search of this kind; by default that of the network's system, otherwise tree search. `pairs` are
    /// names and values of UCI options, and override those of the system.
    #[new]
    fn new(network: &Network, kind: Option<&str>, pairs: Vec<(String, String)>) -> PyResult<Self> {
        let chosen = kind.map(search_kind).transpose().map_err(failure)?;
        let is_system = SystemNetwork::find(network.net()).is_some();
        let chosen = chosen.or_else(|| (!is_system).then(tree_search));
        let player = PlayerSpecification::of_net(network.net(), chosen);
        let (kind, nodes) = (player.search, player.pace.nodes);
        let setup = SearchSetup::new(&player.options_with(&pairs)).map_err(failure)?;
        let evaluator = network.evaluator();
        let search = Availability::Idle(setup.make(kind, Arc::clone(&evaluator)));
        let state = State { setup, search, games: 0 };
        Ok(Self { evaluator, kind, nodes, idle: Mutex::new(state), stop: Mutex::default() })
    }

    /// Search, options and network.
    fn describe(&self) -> PyResult<String> {
        match &self.state().search {
            Availability::Idle(search) => Ok(search.describe()),
            other => Err(other.refusal()),
        }
    }

    /// Changes options of the search by name; returns the values that they had.
    fn set_options(&self, pairs: Vec<(String, String)>) -> PyResult<Vec<(String, String)>> {
        let mut state = self.state();
        let State { setup, search, .. } = &mut *state;
        let Availability::Idle(search) = search else { return Err(search.refusal()) };
        let mut changed = setup.options.clone();
        let mut before = Vec::new();
        for (name, value) in pairs {
            if let Some(tunable) = options::find(&name) {
                before.push((name.clone(), setup.options.get(tunable).to_string()));
            }
            options::set(&mut changed, &name, &value).map_err(failure)?;
        }
        setup.options = changed;
        search.set_options(&setup.options);
        Ok(before)
    }

    /// Forgets everything learnt; the search's random choices differ from those in other games.
    fn new_game(&self) -> PyResult<()> {
        let mut state = self.state();
        let State { search, games, .. } = &mut *state;
        let Availability::Idle(search) = search else { return Err(search.refusal()) };
        search.new_game();
        search.reseed(*games);
        *games += 1;
        Ok(())
    }

    /// Searches. `report` is called with each report, JSON text like the result: `trace`, the contents of
    /// [`SearchTrace`], and `variations`, `MultiPV` lines; the result also has `best` and `ponder`.
    fn run(
        &self,
        py: Python<'_>,
        record: Record,
        values: LimitValues,
        report: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let game = record.game("board")?;
        let limits = values.limits(&game, self.nodes)?;
        let stop = StopSignal::default();
        // The search leaves the state while it runs. So `stop` and `close` need the lock only for a moment, and a second call of `run`
        // is refused at once instead of waiting for the first.
        let mut search = self.take(&stop)?;
        let wanted = report.is_some();
        let searched = watched(
            py,
            &stop,
            |send: &mut (dyn FnMut(String) + Send)| {
                let result = search.run(&game, &limits, &stop, &mut |info| {
                    if wanted {
                        send(report_of(&game, info).to_string());
                    }
                });
                (search, result)
            },
            caller(report.as_ref()),
        );
        match searched {
            Ok((search, result)) => {
                self.put_back(search);
                Ok(decision_of(&game, &result.map_err(failure)?))
            }
            Err(error) => {
                // Interrupted or broken: its memory is lost, and the next search starts empty.
                let search = self.state().setup.make(self.kind, Arc::clone(&self.evaluator));
                self.put_back(search);
                Err(error)
            }
        }
    }

    /// Ends the running search, if there is one, which then returns its current result.
    fn stop(&self) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).stop();
    }

    /// Ends the running search and frees the memory.
    fn close(&self) {
        self.stop();
        self.state().search = Availability::Closed;
    }
}

impl Engine {
    fn state(&self) -> MutexGuard<'_, State> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search, for one call of `run` that this signal ends.
    fn take(&self, stop: &StopSignal) -> PyResult<Box<dyn Search>> {
        let mut state = self.state();
        match std::mem::replace(&mut state.search, Availability::Searching) {
            Availability::Idle(search) => {
                *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
                Ok(search)
            }
            other => {
                let refusal = other.refusal();
                state.search = other;
                Err(refusal)
            }
        }
    }

    fn put_back(&self, search: Box<dyn Search>) {
        let mut state = self.state();
        if matches!(state.search, Availability::Searching) {
            state.search = Availability::Idle(search);
        }
    }
}

impl Availability {
    fn refusal(&self) -> PyErr {
        failure(match self {
            Self::Closed => "engine: found a closed engine, expected an open one",
            Self::Searching | Self::Idle(_) => {
                "engine: found a search in progress, expected an idle engine (use one engine for each thread)"
            }
        })
    }
}

impl LimitValues {
    /// The limits; if none is set, `own` nodes.
    fn limits(&self, game: &Game, own: Option<u64>) -> PyResult<Limits> {
        let limited = self.nodes.is_some()
            || self.depth.is_some()
            || self.mate.is_some()
            || self.time.is_some()
            || self.clock.is_some();
        if !limited && own.is_none() {
            return Err(failure(
                "limit: found none, expected time, nodes, depth, mate or the clock of the side to move",
            ));
        }
        let search_moves = self.root_moves.iter().map(|text| {
            parse_uci_move(game.position(), text)
                .map_err(|error| failure(format_args!("root_moves: {error}")))
        });
        let move_time = self.time.map(|seconds| duration("time", seconds)).transpose()?;
        let mut clock = None;
        if let Some((remaining, increment, moves_to_go)) = self.clock {
            // The remaining time of a clock that has run out is zero.
            let remaining = duration("clock", remaining.max(0.0))?;
            clock = Some(Clock { remaining, increment: duration("increment", increment)?, moves_to_go });
        }
        Ok(Limits {
            nodes: if limited { self.nodes } else { own },
            depth: self.depth,
            mate: self.mate,
            move_time,
            clock,
            search_moves: search_moves.collect::<PyResult<Vec<Move>>>()?,
            ..Limits::default()
        })
    }
}

pub(crate) fn duration(what: &str, seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| failure(format_args!("{what}: found {seconds} seconds, expected a number from 0")))
}

fn report_of(game: &Game, info: &SearchInfo) -> serde_json::Value {
    let mode = game.castling_mode();
    let mut variations = Vec::with_capacity(info.variations.len());
    for line in &info.variations {
        let moves: Vec<String> = line.moves.iter().map(|&one| print_uci_move(one, mode)).collect();
        // Without a value head, an exact draw is the evaluator's constant and no opinion about the position.
        let judged = info.heads.judge(line.wdl);
        let (score, wdl) = (judged.then_some(line.score), judged.then_some(line.wdl));
        variations.push(json!({ "moves": moves, "score": score, "wdl": wdl }));
    }
    json!({ "trace": SearchTrace::new(game, info), "variations": variations })
}

fn decision_of(game: &Game, decision: &Decision) -> String {
    let mode = game.castling_mode();
    let mut report = report_of(game, &decision.info);
    report["best"] = print_uci_move(decision.best, mode).into();
    report["ponder"] = decision.ponder.map(|ponder| print_uci_move(ponder, mode)).into();
    report.to_string()
}
