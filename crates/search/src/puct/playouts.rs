//! Batches of playouts by one thread: gather leaves, evaluate them together, back them up.

use std::time::Duration;

use chess::{Evaluation, EvaluationRequest, EvaluatorError, Game, Move, TableResult, Wdl};

use super::{
    backup::{back_up, cancel},
    position::{Board, Leaf},
    priors::edges,
    select::{Path, Selected, walk},
    shared::{Shared, Statistics},
    tree::{Allocator, Edge, NodeId, ROOT, State, TABLE_PLIES},
};
use crate::{
    cache::{Remembered, evaluation_key},
    evaluate::evaluate,
    hints::HintContext,
    packed::PackedPrior,
    score::wdl_from,
};

// Visits of leaves whose value is known cost no evaluation; after this many the loop asks again whether to stop.
const KNOWN_PER_BATCH: u32 = 64;
// In-tree batches cost strength while the tree is small (1,600 visits: -67 to -135 Elo in Go for batches of 5 and 10,
// leela-zero pull request 2253), so what is in flight may not be more than this share of the tree.
const TREE_SHARE: u64 = 16;
// How long a helper with nothing to do sleeps.
const IDLE: Duration = Duration::from_micros(50);

/// A leaf that waits for its evaluation.
struct Pending {
    nodes: Vec<NodeId>,
    moves: Vec<Move>,
    game: Game,
    key: u64,
}

/// A walk that ended at a leaf in evaluation, with the number of visits in flight it counts for.
struct Collision {
    nodes: Vec<NodeId>,
    count: u32,
}

/// One thread's playouts in the tree of a search.
pub(crate) struct Playouts<'a> {
    shared: &'a Shared<'a>,
    board: Board,
    stock: Allocator,
    pending: Vec<Pending>,
    collisions: Vec<Collision>,
    path: Path,
    /// Of the present batch.
    statistics: Statistics,
}

impl<'a> Playouts<'a> {
    /// Playouts from the root of the shared tree.
    pub(crate) fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            shared,
            board: Board::new(shared.parts.game),
            stock: Allocator::default(),
            pending: Vec::new(),
            collisions: Vec::new(),
            path: Path::default(),
            statistics: Statistics::default(),
        }
    }

    /// Makes playouts until the search is over; how a helper spends its life. In a full tree it waits: the main thread, which
    /// makes room, may not run for a while on a busy machine, and what the arenas have grown beyond the limit is never given back.
    pub(crate) fn help(mut self) {
        while !self.shared.is_finished() {
            let visits = if self.shared.parts.tree.is_full() { Ok(0) } else { self.batch() };
            match visits {
                Ok(0) => std::thread::sleep(IDLE),
                Ok(_visits) => {}
                Err(error) => {
                    self.shared.fail(error);
                    break;
                }
            }
        }
        self.rest();
    }

    /// Gives unused memory back.
    pub(crate) fn rest(self) {
        self.shared.parts.tree.give_back(self.stock);
    }

    /// Makes visits with at most one batch of evaluations and returns their number. After an error the tree is unusable.
    pub(crate) fn batch(&mut self) -> Result<u64, EvaluatorError> {
        let parts = self.shared.parts;
        let target = self.batch_size() as usize;
        let formula = self.shared.formula();
        let (mut known, mut collided) = (0, 0);
        while self.pending.len() < target
            && collided < target as u64
            && known < KNOWN_PER_BATCH
            && self.shared.reserve()
        {
            match walk(parts.tree, formula, &mut self.path, &mut self.stock) {
                Selected::Fresh => known += u32::from(self.visit_leaf()),
                Selected::Known => {
                    self.visit_known();
                    known += 1;
                }
                Selected::Collision => {
                    self.shared.unreserve();
                    collided += self.collide(target as u64 - collided);
                }
            }
        }
        let evaluated = self.evaluate_pending();
        for collision in self.collisions.drain(..) {
            cancel(parts.tree, &collision.nodes, collision.count);
        }
        let batch = std::mem::take(&mut self.statistics);
        self.shared.count(&batch);
        evaluated.map(|()| batch.visits)
    }

    /// Visits the root move with this ordinal, which has no child yet and ends the game at once.
    pub(crate) fn visit_final_move(&mut self, ordinal: usize) {
        if !self.shared.reserve() {
            return;
        }
        let tree = self.shared.parts.tree;
        let child = tree.child_or_new(ROOT, ordinal, &mut self.stock);
        self.path.clear();
        self.path.nodes.extend([ROOT, child]);
        self.path.line.push(Edge::load(&tree.run(ROOT)[ordinal]).chess_move);
        self.path.nodes.iter().for_each(|&id| tree.raw(id).depart(1));
        self.visit_leaf();
        let batch = std::mem::take(&mut self.statistics);
        self.shared.count(&batch);
    }

    fn batch_size(&self) -> u64 {
        let parts = self.shared.parts;
        let wanted = match parts.settings.puct.mini_batch_size {
            0 => parts.evaluator.preferred_batch() as u64,
            size => size,
        };
        let allowed = u64::from(parts.tree.node(ROOT).visits) / TREE_SHARE / self.shared.threads;
        wanted.div_ceil(self.shared.threads).min(1 + allowed).max(1)
    }

    /// Notes a collision. The walks that would follow would meet the same one: as many as the path repeats itself, and at
    /// most `room`, are counted with it instead of being made (lc0's multivisits). Returns how many it stands for.
    fn collide(&mut self, room: u64) -> u64 {
        let count = self.path.repeats.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1);
        let tree = self.shared.parts.tree;
        self.path.nodes.iter().for_each(|&id| tree.raw(id).depart(count - 1));
        self.collisions.push(Collision { nodes: self.path.nodes.clone(), count });
        u64::from(count)
    }

    /// Looks at a leaf that this thread has claimed: ends it by the rules or the tables, or opens it from memory (then
    /// returns true), or queues it.
    fn visit_leaf(&mut self) -> bool {
        let parts = self.shared.parts;
        self.board.go_to(&self.path.line);
        let at_root = self.path.line.is_empty();
        let moves: Vec<Move> = if at_root {
            parts.candidates.to_vec()
        } else {
            self.board.game().legal_moves().iter().copied().collect()
        };
        // The root is searched even if the game is drawn there, because the caller needs a move.
        let leaf = if at_root { Leaf::Open } else { self.end_of_game(&moves) };
        if let Leaf::Terminal(state, plies) = leaf {
            parts.tree.raw(self.path.leaf()).settle(state, plies);
            self.visit_known();
            return true;
        }
        let key = evaluation_key(self.board.game(), self.shared.history);
        // Another choice of root moves has other priors.
        let remembered = if at_root { None } else { parts.cache.get(key, moves.len()) };
        let game = self.board.game().tail(self.shared.history);
        let leaf = Pending { nodes: self.path.nodes.clone(), moves, game, key };
        if let Some(remembered) = remembered {
            self.open_leaf(&leaf, recall(&remembered));
            self.statistics.cache_hits += 1;
            return true;
        }
        self.pending.push(leaf);
        false
    }

    /// What the rules or the tables say about the leaf.
    fn end_of_game(&mut self, moves: &[Move]) -> Leaf {
        let by_rules = self.board.leaf(moves);
        if let (Leaf::Open, Some(tables)) = (&by_rules, self.shared.parts.tables)
            && let Some(result) = tables.probe(self.board.game().position())
        {
            self.statistics.table_hits += 1;
            return match result {
                TableResult::Win => Leaf::Terminal(State::Won, TABLE_PLIES),
                TableResult::Draw => Leaf::Terminal(State::Drawn, 0),
                TableResult::Loss => Leaf::Terminal(State::Lost, TABLE_PLIES),
            };
        }
        by_rules
    }

    /// Visits a leaf whose value needs no evaluation.
    fn visit_known(&mut self) {
        let tree = self.shared.parts.tree;
        let node = tree.node(self.path.leaf());
        back_up(tree, &self.path.nodes, wdl_from(node.value, node.draw).flipped());
        self.count_visit(self.path.line.len());
    }

    /// Opens a claimed leaf with what the hints make of the evaluator's answer, and visits it.
    fn open_leaf(&mut self, leaf: &Pending, evaluation: Evaluation) {
        let parts = self.shared.parts;
        let place = HintContext { game: &leaf.game, moves: &leaf.moves, is_root: leaf.nodes.len() == 1 };
        let hinted = parts.hints.apply(&place, evaluation);
        let edges = edges(&leaf.moves, &hinted.priors, leaf.game.turn());
        parts.tree.open(leaf.nodes.last().copied().unwrap_or(ROOT), &edges, &mut self.stock);
        back_up(parts.tree, &leaf.nodes, hinted.wdl);
        self.count_visit(leaf.nodes.len() - 1);
    }

    fn evaluate_pending(&mut self) -> Result<(), EvaluatorError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let parts = self.shared.parts;
        let pending = std::mem::take(&mut self.pending);
        let requests: Vec<EvaluationRequest<'_>> = pending
            .iter()
            .map(|leaf| EvaluationRequest { game: &leaf.game, legal_moves: &leaf.moves })
            .collect();
        let evaluations = evaluate(parts.evaluator, &requests)?;
        self.statistics.evaluations += requests.len() as u64;
        for (leaf, evaluation) in pending.iter().zip(evaluations) {
            if leaf.nodes.len() == 1 {
                self.shared.keep_root_priors(&leaf.moves, &evaluation.priors);
                self.open_leaf(leaf, evaluation);
            } else {
                let remembered = remembered(evaluation.wdl, &evaluation.priors);
                parts.cache.put(leaf.key, &remembered);
                self.open_leaf(leaf, recall(&remembered));
            }
        }
        Ok(())
    }

    fn count_visit(&mut self, depth: usize) {
        self.statistics.visits += 1;
        self.statistics.depth_sum += depth as u64;
        self.statistics.max_depth = self.statistics.max_depth.max(depth as u32);
    }
}

/// An evaluation as it is kept: what comes from memory must be what came from the evaluator.
fn remembered(wdl: Wdl, priors: &[f32]) -> Remembered {
    Remembered { wdl, priors: priors.iter().map(|&prior| PackedPrior::pack(prior)).collect() }
}

/// The evaluation that is remembered.
pub(crate) fn recall(remembered: &Remembered) -> Evaluation {
    let priors = remembered.priors.iter().map(|prior| prior.get()).collect();
    Evaluation { wdl: remembered.wdl, priors, moves_left: None }
}
