//! Live analysis: a search on its own thread that sends its newest state to pages. It is kept, so that after a move on the board
//! the tree below that move is reused.

mod trees;
mod view;

use std::{
    sync::{Arc, Mutex, mpsc},
    thread,
};

use chess::{
    Game, Limits, Move, Score, Search, SearchInfo, SearchTrace, StopSignal, Thinker, guarded, parse_uci_move,
};
use serde::Deserialize;
use tokio::sync::watch;

pub(crate) use self::trees::TreeStore;
use self::{
    trees::{TreeNetwork, TreeOwner, TreePermit},
    view::{AnalysisView, Publisher, Stage},
};
use crate::{
    engine::{EngineError, Engines, SearchSettings},
    error::ApiError,
    frame::Frame,
    game::replayed,
    jobs::{JobKind, Jobs},
    limits::{ANALYSIS_TREE_MEMORY, LONGEST_ANALYSED_GAME},
    threads::{ThreadBudget, locked},
};

/// Most nodes of the tree that pages draw; chosen, not measured.
const BRANCHES: u32 = 200;
/// Most moves of each line in a state; longer lines are cut.
const LONGEST_LINE: usize = 12;

/// Position, network and budget of an analysis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisRequest {
    /// Number that the page gives the position.
    key: u64,
    /// The network's id; the first of the list if omitted.
    network: Option<String>,
    /// The position before `moves`; the usual start if omitted.
    fen: Option<String>,
    /// The moves that lead to the position searched, UCI.
    #[serde(default)]
    moves: Vec<String>,
    /// Visits of the root at which to stop; never if omitted.
    nodes: Option<u64>,
    /// Only these root moves, UCI; all if it is empty.
    #[serde(default)]
    only: Vec<String>,
    /// Begin with an empty tree, so that a budget of one visit is the network's judgement without search.
    #[serde(default)]
    fresh: bool,
}

/// A request that was understood.
struct Task {
    key: u64,
    network: String,
    game: Game,
    nodes: Option<u64>,
    only: Vec<Move>,
    fresh: bool,
    stop: StopSignal,
}

/// An analysis. Dropping it stops the search and ends the thread.
pub(crate) struct Analysis {
    tasks: mpsc::Sender<Task>,
    stop: Mutex<StopSignal>,
    frames: watch::Sender<Frame>,
    tree_frames: watch::Sender<Frame>,
}

impl Analysis {
    /// An analysis that waits for its first request, under the page's name for it.
    pub(crate) fn new(
        name: &str,
        engines: Arc<dyn Engines>,
        threads: ThreadBudget,
        trees: &TreeStore,
        jobs: Jobs,
    ) -> Result<Self, ApiError> {
        let (tasks, requests) = mpsc::channel();
        let frames = watch::Sender::new(Frame::empty());
        let tree_frames = watch::Sender::new(Frame::empty());
        let publisher = Publisher::new(name, frames.clone(), tree_frames.clone());
        let mut worker = Worker { engines, threads, jobs, publisher, tree: trees.owner() };
        thread::Builder::new()
            .name("analysis".into())
            .spawn(move || worker.work(&requests))
            .map_err(|error| ApiError::failed(format!("cannot start a thread for the analysis: {error}")))?;
        Ok(Self { tasks, stop: Mutex::default(), frames, tree_frames })
    }

    /// The states from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<Frame> {
        self.frames.subscribe()
    }

    /// The most visited nodes of its tree from now on, at most once a second.
    pub(crate) fn watch_tree(&self) -> watch::Receiver<Frame> {
        self.tree_frames.subscribe()
    }

    /// Searches a different position from now on.
    pub(crate) fn start(&self, request: &AnalysisRequest, default_network: &str) -> Result<(), ApiError> {
        // A request that is refused leaves the present search running; an accepted one stops it before the next is queued, so the worker
        // never has more than one task that is still wanted.
        let stop = StopSignal::default();
        let task = request.parse(default_network, stop.clone());
        let task = task.map_err(|message| ApiError::invalid("invalid_position", message))?;
        self.replace(stop);
        self.tasks.send(task).map_err(|_| ApiError::failed("the analysis failed"))
    }

    /// Stops searching; the tree stays.
    pub(crate) fn stop(&self) {
        self.replace(StopSignal::default());
    }

    fn replace(&self, next: StopSignal) {
        std::mem::replace(&mut *locked(&self.stop), next).stop();
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}

impl AnalysisRequest {
    /// Id of the requested network; `None` for the first of the list.
    pub(crate) fn network(&self) -> Option<&str> {
        self.network.as_deref()
    }

    /// The task, or which part of the request is wrong.
    fn parse(&self, default_network: &str, stop: StopSignal) -> Result<Task, String> {
        let found = self.moves.len();
        if found > LONGEST_ANALYSED_GAME {
            return Err(format!("moves: found {found}, expected at most {LONGEST_ANALYSED_GAME}"));
        }
        let game = replayed(self.fen.as_deref(), &self.moves)?;
        let mut only = Vec::with_capacity(self.only.len());
        for uci in &self.only {
            only.push(parse_uci_move(game.position(), uci).map_err(|error| format!("only: {error}"))?);
        }
        if self.nodes == Some(0) {
            return Err("nodes: found 0, expected at least 1".into());
        }
        let network = self.network.clone().unwrap_or_else(|| default_network.to_owned());
        Ok(Task { key: self.key, network, game, nodes: self.nodes, only, fresh: self.fresh, stop })
    }
}

struct Worker {
    engines: Arc<dyn Engines>,
    threads: ThreadBudget,
    jobs: Jobs,
    publisher: Publisher,
    tree: TreeOwner,
}

impl Worker {
    fn work(&mut self, requests: &mpsc::Receiver<Task>) {
        while let Ok(task) = requests.recv() {
            if !task.stop.is_stopped() {
                self.run(&task);
            }
        }
    }

    fn run(&mut self, task: &Task) {
        let mut view = AnalysisView {
            key: task.key,
            stage: Stage::Waiting,
            network: task.network.clone(),
            engine: String::new(),
            budget: task.nodes,
            visits: 0,
            kept: 0,
            trace: None,
            branches: Vec::new(),
            message: None,
        };
        if task.game.legal_moves().is_empty()
            || task.game.outcome().is_some_and(|end| !end.ending.needs_claim())
        {
            view.stage = Stage::Over;
            return self.publisher.publish_with_tree(&view);
        }
        // Published before the wait for a permit, which may take as long as the searches of others: the page shows that it waits.
        self.publisher.publish_with_tree(&view);
        let _permit = self.threads.acquire();
        let (permit, kept) = self.tree.take(self.tree_network(&task.network));
        let failure = match guarded(|| self.open(&task.network, kept.filter(|_| !task.fresh))) {
            Ok(Ok((engine, search))) => {
                view.engine = engine;
                return self.search(task, view, permit, search);
            }
            Ok(Err(error)) => error.to_string(),
            Err(panicked) => format!("network {:?} {panicked}", task.network),
        };
        view.stage = Stage::Failed;
        view.message = Some(failure);
        self.publisher.publish_with_tree(&view);
    }

    /// Searches and publishes every report; the last one has the reason for the end.
    fn search(&mut self, task: &Task, mut view: AnalysisView, permit: TreePermit, search: Box<dyn Search>) {
        let _job = self.jobs.begin(JobKind::Analysis, &task.network, Some(task.stop.clone()));
        let publisher = &mut self.publisher;
        view.stage = Stage::Running;
        let limits = Limits { nodes: task.nodes, search_moves: task.only.clone(), ..Limits::default() };
        // A page asks for visits of the root in total, because that is what it shows, and the tree may hold most of them already: from
        // the position before, or from the same position before a pause. The search's own limit counts new visits only, so it is just
        // an upper bound, and the report that first reaches the total stops the search from here. A proven mate stops it too, since
        // more visits would not change it. The same signal stops the search when the page wants something else; hence the two flags,
        // which say that it was stopped from here, and why.
        let (mut spent, mut proven) = (false, false);
        let thinker = Thinker { game: task.game.clone(), limits, stop: task.stop.clone() };
        let thought = thinker.think(|| Ok(search), &mut |info| {
            describe(&mut view, &task.game, info);
            let enough = task.nodes.is_some_and(|budget| view.visits >= budget);
            let solved = matches!(info.variations.first().map(|line| line.score), Some(Score::Mate(_)));
            if (enough || solved) && !task.stop.is_stopped() {
                (spent, proven) = (enough, solved);
                task.stop.stop();
            }
            publisher.publish(&view);
        });
        match thought.result {
            Ok(decision) => {
                describe(&mut view, &task.game, &decision.info);
                let own_limit = task.nodes.is_some_and(|budget| decision.info.nodes >= budget);
                view.stage = if proven {
                    Stage::Proven
                } else if spent || own_limit {
                    Stage::Spent
                } else if task.stop.is_stopped() {
                    Stage::Stopped
                } else {
                    Stage::Proven
                };
                if let Some(search) = thought.search {
                    self.tree.keep(permit, search);
                }
            }
            Err(error) => {
                view.stage = Stage::Failed;
                view.message = Some(error.to_string());
            }
        }
        publisher.publish_with_tree(&view);
    }

    /// A network that cannot be opened has no content hash; opening it reports the error.
    fn tree_network(&self, network: &str) -> TreeNetwork {
        TreeNetwork { id: network.to_owned(), content: self.engines.content(network).ok().flatten() }
    }

    /// Opens the network: its display name, and the kept search or a new one.
    fn open(
        &self,
        network: &str,
        kept: Option<Box<dyn Search>>,
    ) -> Result<(String, Box<dyn Search>), EngineError> {
        let search = match kept {
            Some(search) => search,
            None => {
                self.engines.search(network, &SearchSettings::analysis(ANALYSIS_TREE_MEMORY, BRANCHES))?
            }
        };
        Ok((self.engines.evaluator(network)?.describe(), search))
    }
}

fn describe(view: &mut AnalysisView, game: &Game, info: &SearchInfo) {
    let mut trace = SearchTrace::new(game, info);
    view.branches = std::mem::take(&mut trace.branches);
    for line in &mut trace.moves {
        line.variation_uci.truncate(LONGEST_LINE);
        line.variation_san.truncate(LONGEST_LINE);
    }
    let below: u64 = trace.moves.iter().map(|line| line.visits).sum();
    // The root's own evaluation is a visit too.
    view.visits = (below + 1).max(info.nodes);
    view.kept = view.visits.saturating_sub(info.nodes);
    view.trace = Some(trace);
}
