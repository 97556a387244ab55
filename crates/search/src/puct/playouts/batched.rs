//! Playouts for evaluators that work on batches: gather leaves, evaluate them together, back them up. Where priors are costly, a leaf
//! gets its value at the first visit and its priors at the second.

use chess::{Evaluation, EvaluationRequest, EvaluatorError, Game, Move, Wdl};

use super::{
    super::{
        backup::{back_up, cancel},
        position::{Board, Leaf},
        priors::edges,
        select::{Path, Selected, walk, walk_on},
        shared::{Shared, Statistics},
        tree::{Allocator, NodeId, ROOT, State},
    },
    Playouts, TREE_SHARE, probe,
};
use crate::{
    cache::{Remembered, evaluation_key},
    evaluate::{evaluate, evaluate_one, values},
    hints::HintContext,
    score::wdl_from,
};

// Visits of leaves whose value is known cost no evaluation; after this many the loop asks again whether to stop.
const KNOWN_PER_BATCH: u32 = 64;

/// A leaf that waits for its evaluation.
struct Pending {
    nodes: Vec<NodeId>,
    moves: Vec<Move>,
    game: Game,
    key: u64,
}

impl Pending {
    fn node(&self) -> NodeId {
        self.nodes.last().copied().unwrap_or(ROOT)
    }
}

/// A walk that ended at a leaf in evaluation, with the number of visits in flight it counts for.
struct Collision {
    nodes: Vec<NodeId>,
    count: u32,
}

/// One thread's playouts in batches.
pub(super) struct Batched<'a> {
    shared: &'a Shared<'a>,
    board: Board,
    stock: Allocator,
    pending: Vec<Pending>,
    collisions: Vec<Collision>,
    path: Path,
    /// Of the present batch.
    statistics: Statistics,
}

impl<'a> Batched<'a> {
    /// Playouts from the root of the shared tree.
    pub(super) fn new(shared: &'a Shared<'a>) -> Self {
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

    fn batch_size(&self) -> u64 {
        let parts = self.shared.parts;
        let wanted = match parts.settings.puct.mini_batch_size {
            0 => parts.evaluator.preferred_batch() as u64,
            size => size,
        };
        let allowed = u64::from(parts.tree.node(ROOT).visits) / TREE_SHARE / self.shared.threads;
        wanted.div_ceil(self.shared.threads).min(1 + allowed).max(1)
    }

    /// Walks to a leaf. What was only valued before gets its priors on the way, if they are asked for later than values.
    fn select(&mut self) -> Result<Selected, EvaluatorError> {
        let tree = self.shared.parts.tree;
        let (formula, writers) = (self.shared.formula(), self.shared.writers());
        let mut selected = walk(tree, formula, &mut self.path, &mut self.stock, writers);
        while selected == Selected::Valued {
            self.open_valued()?;
            selected = walk_on(tree, formula, &mut self.path, &mut self.stock, writers);
        }
        Ok(selected)
    }

    /// The second visit of a leaf that this thread has claimed: gives it edges. Its value is known, so that no visit ends here.
    fn open_valued(&mut self) -> Result<(), EvaluatorError> {
        let parts = self.shared.parts;
        self.board.go_to(&self.path.line);
        let leaf = self.leaf(self.board.game().legal_moves().to_vec());
        let evaluation = evaluate_one(parts.evaluator, &leaf.game, &leaf.moves)?;
        let remembered = Remembered::new(&evaluation);
        parts.cache.put(leaf.key, &remembered);
        self.open(&leaf, remembered.recall());
        Ok(())
    }

    /// The leaf where board and path stand.
    fn leaf(&self, moves: Vec<Move>) -> Pending {
        let key = evaluation_key(self.board.game(), self.shared.history);
        let game = self.board.game().tail(self.shared.history);
        Pending { nodes: self.path.nodes.clone(), moves, game, key }
    }

    /// Notes a collision. The walks that would follow would meet the same one: as many as the path repeats itself, and at
    /// most `room`, are counted with it instead of being made (lc0's multivisits). Returns how many it stands for.
    fn collide(&mut self, room: u64) -> u64 {
        let count = self.path.repeats.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1);
        let tree = self.shared.parts.tree;
        self.path.nodes.iter().for_each(|&id| tree.raw(id).depart(count - 1, self.shared.writers()));
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
        let mut leaf = if at_root { Leaf::Open } else { self.board.leaf(&moves) };
        if !at_root && matches!(leaf, Leaf::Open) {
            leaf = probe(parts.tables, self.board.game().position(), &mut self.statistics);
        }
        if let Leaf::Terminal(state, plies) = leaf {
            parts.tree.raw(self.path.leaf()).settle(state, plies);
            self.visit_known();
            return true;
        }
        let leaf = self.leaf(moves);
        // Another choice of root moves has other priors.
        let remembered = if at_root { None } else { parts.cache.get(leaf.key, leaf.moves.len()) };
        if let Some(remembered) = remembered {
            self.open_leaf(&leaf, remembered.recall());
            self.statistics.cache_hits += 1;
            return true;
        }
        self.pending.push(leaf);
        false
    }

    /// Visits a leaf whose value needs no evaluation.
    fn visit_known(&mut self) {
        let tree = self.shared.parts.tree;
        let node = tree.node(self.path.leaf());
        let wdl = wdl_from(node.value, node.draw).flipped();
        back_up(tree, &self.path.nodes, wdl, self.shared.writers());
        self.statistics.count_visit(self.path.line.len());
    }

    /// Opens a claimed leaf with what the hints make of the evaluator's priors.
    fn open(&mut self, leaf: &Pending, mut evaluation: Evaluation) {
        let parts = self.shared.parts;
        let place =
            HintContext { position: leaf.game.position(), moves: &leaf.moves, depth: leaf.nodes.len() - 1 };
        parts.hints.apply(&place, &mut evaluation.priors);
        let edges = edges(&leaf.moves, &evaluation.priors, leaf.game.turn());
        parts.tree.open(leaf.node(), &edges, &mut self.stock);
    }

    /// Opens a claimed leaf, and visits it.
    fn open_leaf(&mut self, leaf: &Pending, evaluation: Evaluation) {
        let wdl = evaluation.wdl;
        self.open(leaf, evaluation);
        self.visit(leaf, wdl);
    }

    /// Visits a leaf that has just been evaluated.
    fn visit(&mut self, leaf: &Pending, wdl: Wdl) {
        back_up(self.shared.parts.tree, &leaf.nodes, wdl, self.shared.writers());
        self.statistics.count_visit(leaf.nodes.len() - 1);
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
        self.statistics.evaluations += requests.len() as u64;
        // Without priors no search can begin, so that the root gets them at once.
        if parts.evaluator.has_costly_priors() && pending.iter().all(|leaf| leaf.node() != ROOT) {
            for (leaf, wdl) in pending.iter().zip(values(parts.evaluator, &requests)?) {
                parts.tree.raw(leaf.node()).settle(State::Valued, 0);
                self.visit(leaf, wdl);
            }
            return Ok(());
        }
        let evaluations = evaluate(parts.evaluator, &requests)?;
        for (leaf, evaluation) in pending.iter().zip(evaluations) {
            if leaf.node() == ROOT {
                self.shared.keep_root_priors(&leaf.moves, &evaluation.priors);
                self.open_leaf(leaf, evaluation);
            } else {
                let remembered = Remembered::new(&evaluation);
                parts.cache.put(leaf.key, &remembered);
                self.open_leaf(leaf, remembered.recall());
            }
        }
        Ok(())
    }
}

impl Playouts for Batched<'_> {
    fn batch(&mut self) -> Result<u64, EvaluatorError> {
        let parts = self.shared.parts;
        let target = self.batch_size() as usize;
        let (mut known, mut collided) = (0, 0);
        while self.pending.len() < target
            && collided < target as u64
            && known < KNOWN_PER_BATCH
            && self.shared.reserve()
        {
            match self.select()? {
                Selected::Fresh => known += u32::from(self.visit_leaf()),
                // Valued leaves are opened on the way.
                Selected::Known | Selected::Valued => {
                    self.visit_known();
                    known += 1;
                }
                Selected::Collision => {
                    self.shared.unreserve(1);
                    collided += self.collide(target as u64 - collided);
                }
            }
        }
        let evaluated = self.evaluate_pending();
        for collision in self.collisions.drain(..) {
            cancel(parts.tree, &collision.nodes, collision.count, self.shared.writers());
        }
        let batch = std::mem::take(&mut self.statistics);
        self.shared.count(&batch);
        evaluated.map(|()| batch.visits)
    }

    fn visit_final_move(&mut self, ordinal: usize) {
        if !self.shared.reserve() {
            return;
        }
        self.path.go_below_root(self.shared.parts.tree, ordinal, &mut self.stock);
        self.visit_leaf();
        let batch = std::mem::take(&mut self.statistics);
        self.shared.count(&batch);
    }

    fn rest(self: Box<Self>) {
        self.shared.parts.tree.give_back(self.stock);
    }
}
