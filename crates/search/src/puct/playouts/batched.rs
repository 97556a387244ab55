//! Playouts for evaluators that work on batches: gather leaves, evaluate them together, back them up. If priors are costly, a leaf
//! gets its value at the first visit and its priors at the second.

use chess::{Evaluation, EvaluationRequest, EvaluatorError, Game, Move};

use super::{
    super::{
        backup::cancel,
        numbers::{KNOWN_PER_BATCH, TREE_SHARE},
        position::{Board, Leaf},
        priors::edges,
        select::Selected,
        shared::Shared,
        tree::{NodeId, ROOT, State},
    },
    Playouts, probe,
    walker::Walker,
};
use crate::{
    cache::{Remembered, evaluation_key},
    evaluate::{evaluate, evaluate_one, values},
    hints::HintContext,
};

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
    walker: Walker<'a>,
    board: Board,
    pending: Vec<Pending>,
    collisions: Vec<Collision>,
}

impl<'a> Batched<'a> {
    /// Playouts from the root of the shared tree.
    pub(super) fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            walker: Walker::new(shared),
            board: Board::new(shared.parts.game),
            pending: Vec::new(),
            collisions: Vec::new(),
        }
    }

    fn batch_size(&self) -> u64 {
        let parts = self.walker.shared.parts;
        let wanted = match parts.settings.puct.mini_batch_size {
            0 => parts.evaluator.preferred_batch() as u64,
            size => size,
        };
        // A batch is for all threads together: each gathers its share, and shares are evaluated apart, because joining them would
        // make threads wait for each other. A tree with fewer than [`TREE_SHARE`] visits for each thread is searched one leaf at a time.
        let allowed = u64::from(parts.tree.node(ROOT).visits) / TREE_SHARE / self.walker.shared.threads;
        wanted.div_ceil(self.walker.shared.threads).min(1 + allowed).max(1)
    }

    /// Walks to a leaf. Nodes that only have a value so far get their priors on the way, if priors are requested later
    /// than values.
    fn select(&mut self) -> Result<Selected, EvaluatorError> {
        let mut selected = self.walker.walk();
        while selected == Selected::Valued {
            self.open_valued()?;
            selected = self.walker.walk_on();
        }
        Ok(selected)
    }

    /// The second visit of a leaf that this thread has claimed: gives it edges. Its value is known, so no visit ends here.
    fn open_valued(&mut self) -> Result<(), EvaluatorError> {
        let parts = self.walker.shared.parts;
        self.board.go_to(&self.walker.path.line);
        let leaf = self.leaf(self.board.game().legal_moves().to_vec());
        let evaluation = evaluate_one(parts.evaluator, &leaf.game, &leaf.moves)?;
        let remembered = Remembered::new(&evaluation);
        parts.cache.put(leaf.key, &remembered);
        self.open(&leaf, remembered.recall());
        Ok(())
    }

    /// The leaf at which board and path stand.
    fn leaf(&self, moves: Vec<Move>) -> Pending {
        let key = evaluation_key(self.board.game(), self.walker.shared.history);
        let game = self.board.game().tail(self.walker.shared.history);
        Pending { nodes: self.walker.path.nodes.clone(), moves, game, key }
    }

    /// Notes a collision. The walks that would follow would meet the same one: as many as the path repeats itself, and at
    /// most `room`, are counted with it instead of being made (lc0's multivisits). Returns how many it stands for.
    fn collide(&mut self, room: u64) -> u64 {
        let count = self.walker.path.repeats.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1);
        let tree = self.walker.shared.parts.tree;
        self.walker
            .path
            .nodes
            .iter()
            .for_each(|&id| tree.raw(id).depart(count - 1, self.walker.shared.writers()));
        self.collisions.push(Collision { nodes: self.walker.path.nodes.clone(), count });
        u64::from(count)
    }

    /// Looks at a leaf that this thread has claimed: ends it by the rules or the tables, or opens it from memory (then
    /// returns true), or queues it.
    fn visit_leaf(&mut self) -> bool {
        let parts = self.walker.shared.parts;
        self.board.go_to(&self.walker.path.line);
        let at_root = self.walker.path.line.is_empty();
        let moves: Vec<Move> = if at_root {
            parts.candidates.to_vec()
        } else {
            self.board.game().legal_moves().iter().copied().collect()
        };
        // The root is searched even if the game is drawn there, because the caller needs a move.
        let mut leaf = if at_root { Leaf::Open } else { self.board.leaf(&moves) };
        if !at_root && matches!(leaf, Leaf::Open) {
            leaf = probe(parts.tables, self.board.game().position(), &mut self.walker.statistics);
        }
        if let Leaf::Terminal(state, plies) = leaf {
            parts.tree.raw(self.walker.path.leaf()).settle(state, plies);
            self.walker.visit_known();
            return true;
        }
        let leaf = self.leaf(moves);
        // A different choice of root moves has different priors.
        let remembered = if at_root { None } else { parts.cache.get(leaf.key, leaf.moves.len()) };
        if let Some(remembered) = remembered {
            self.open_leaf(&leaf, remembered.recall());
            self.walker.statistics.cache_hits += 1;
            return true;
        }
        self.pending.push(leaf);
        false
    }

    /// Opens a claimed leaf with what the hints make of the evaluator's priors.
    fn open(&mut self, leaf: &Pending, mut evaluation: Evaluation) {
        let parts = self.walker.shared.parts;
        let place =
            HintContext { position: leaf.game.position(), moves: &leaf.moves, depth: leaf.nodes.len() - 1 };
        parts.hints.apply(&place, &mut evaluation.priors);
        let edges = edges(&leaf.moves, &evaluation.priors, leaf.game.turn());
        parts.tree.open(leaf.node(), &edges, &mut self.walker.stock);
    }

    /// Opens a claimed leaf, and visits it.
    fn open_leaf(&mut self, leaf: &Pending, evaluation: Evaluation) {
        let wdl = evaluation.wdl;
        self.open(leaf, evaluation);
        self.walker.visit_earlier(&leaf.nodes, wdl);
    }

    fn evaluate_pending(&mut self) -> Result<(), EvaluatorError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let parts = self.walker.shared.parts;
        let pending = std::mem::take(&mut self.pending);
        let requests: Vec<EvaluationRequest<'_>> = pending
            .iter()
            .map(|leaf| EvaluationRequest { game: &leaf.game, legal_moves: &leaf.moves })
            .collect();
        self.walker.statistics.evaluations += requests.len() as u64;
        // Without priors no search can begin, so the root gets them at once.
        if parts.evaluator.has_costly_priors() && pending.iter().all(|leaf| leaf.node() != ROOT) {
            for (leaf, wdl) in pending.iter().zip(values(parts.evaluator, &requests)?) {
                parts.tree.raw(leaf.node()).settle(State::Valued, 0);
                self.walker.visit_earlier(&leaf.nodes, wdl);
            }
            return Ok(());
        }
        let evaluations = evaluate(parts.evaluator, &requests)?;
        for (leaf, evaluation) in pending.iter().zip(evaluations) {
            if leaf.node() == ROOT {
                self.walker.shared.keep_root_priors(&leaf.moves, &evaluation.priors);
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
        let parts = self.walker.shared.parts;
        let target = self.batch_size() as usize;
        let (mut known, mut collided) = (0, 0);
        while self.pending.len() < target
            && collided < target as u64
            && known < KNOWN_PER_BATCH
            && self.walker.shared.reserve()
        {
            match self.select()? {
                Selected::Fresh => known += u32::from(self.visit_leaf()),
                // Valued leaves are opened on the way.
                Selected::Known | Selected::Valued => {
                    self.walker.visit_known();
                    known += 1;
                }
                Selected::Collision => {
                    self.walker.shared.unreserve(1);
                    collided += self.collide(target as u64 - collided);
                }
            }
        }
        // Collisions are cancelled after the evaluation, also after a failed one: until then they keep other threads away from
        // these leaves.
        let evaluated = self.evaluate_pending();
        for collision in self.collisions.drain(..) {
            cancel(parts.tree, &collision.nodes, collision.count, self.walker.shared.writers());
        }
        let visits = self.walker.report();
        evaluated.map(|()| visits)
    }

    fn visit_final_move(&mut self, ordinal: usize) {
        if self.walker.go_below_root(ordinal) {
            self.visit_leaf();
            self.walker.report();
        }
    }

    fn rest(self: Box<Self>) {
        self.walker.rest();
    }
}
