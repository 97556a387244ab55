//! Batches of playouts: gather leaves, evaluate them together, back them up.

use chess::{EvaluationRequest, Evaluator, EvaluatorError, Game, Move, Wdl};

use super::{
    backup::{back_up, cancel, leaf_of},
    evaluate::{evaluate, open},
    packed::PackedMove,
    position::{Board, Leaf},
    select::{Path, Selected, walk},
    tree::{NodeId, ROOT, State, Tree},
};
use crate::{PuctOptions, score::wdl_from};

// Visits of leaves whose value is known cost no evaluation; after this many the loop asks again whether to stop.
const KNOWN_PER_BATCH: u32 = 64;
// In-tree batches cost strength while the tree is small (1,600 visits: -67 to -135 Elo in Go for batches of 5 and 10,
// leela-zero pull request 2253), so a batch may not be larger than this share of the tree.
const TREE_SHARE: u64 = 16;

/// What the playouts of one search amount to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    /// Visits of the root by this search.
    pub(crate) visits: u64,
    /// Sum of the depths of all leaves visited.
    pub(crate) depth_sum: u64,
    /// Depth of the deepest leaf.
    pub(crate) max_depth: u32,
    /// Positions that the evaluator was asked about.
    pub(crate) evaluations: u64,
    /// Visits since the last one that was evaluated.
    pub(crate) visits_since_growth: u64,
}

/// A leaf that waits for its evaluation.
struct Pending {
    ordinals: Vec<u8>,
    moves: Vec<Move>,
    game: Game,
}

/// One search's playouts in a tree.
pub(crate) struct Playouts<'a> {
    pub(crate) tree: &'a mut Tree,
    evaluator: &'a dyn Evaluator,
    options: &'a PuctOptions,
    pub(crate) candidates: &'a [Move],
    board: Board,
    pub(crate) statistics: Statistics,
    /// The evaluator's own priors of the root moves, where this search evaluated the root.
    pub(crate) root_priors: Vec<(PackedMove, f32)>,
    pending: Vec<Pending>,
    collisions: Vec<Vec<u8>>,
    path: Path,
    nodes: Vec<NodeId>,
}

impl<'a> Playouts<'a> {
    /// Playouts from the current position of `game`, which is the tree's root, over the root moves `candidates`.
    pub(crate) fn new(
        tree: &'a mut Tree,
        evaluator: &'a dyn Evaluator,
        options: &'a PuctOptions,
        game: &Game,
        candidates: &'a [Move],
    ) -> Self {
        Self {
            tree,
            evaluator,
            options,
            candidates,
            board: Board::new(game),
            statistics: Statistics::default(),
            root_priors: Vec::new(),
            pending: Vec::new(),
            collisions: Vec::new(),
            path: Path::default(),
            nodes: Vec::new(),
        }
    }

    /// Makes up to `visits_left` visits: at most one batch of evaluations. After an error the tree is of no more use.
    pub(crate) fn batch(&mut self, visits_left: u64) -> Result<(), EvaluatorError> {
        let target = self.batch_size().min(visits_left).max(1) as usize;
        let mut known = 0;
        let last = self.statistics.visits.saturating_add(visits_left);
        while self.pending.len() < target
            && self.collisions.len() < target
            && known < KNOWN_PER_BATCH
            && self.statistics.visits + (self.pending.len() as u64) < last
        {
            match walk(self.tree, self.options, &mut self.path) {
                Selected::Fresh => {
                    if self.visit_leaf() {
                        known += 1;
                    }
                }
                Selected::Known => {
                    self.visit_known();
                    known += 1;
                }
                Selected::Collision => self.collisions.push(self.path.ordinals.clone()),
            }
        }
        let evaluated = self.evaluate_pending();
        for ordinals in std::mem::take(&mut self.collisions) {
            cancel(self.tree, &ordinals, &mut self.nodes);
        }
        evaluated
    }

    /// Visits the root move with this ordinal, which has no child yet and ends the game at once.
    pub(crate) fn visit_final_move(&mut self, ordinal: usize) {
        self.path.ordinals.clear();
        self.path.line.clear();
        self.path.ordinals.push(ordinal as u8);
        self.path.line.push(self.tree.edges(ROOT)[ordinal].chess_move);
        let child = self.tree.add_child(ROOT);
        self.tree.node_mut(ROOT).in_flight += 1;
        self.tree.node_mut(child).in_flight += 1;
        self.visit_leaf();
    }

    fn batch_size(&self) -> u64 {
        let wanted = match self.options.mini_batch_size {
            0 => self.evaluator.preferred_batch() as u64,
            size => size,
        };
        wanted.min(1 + u64::from(self.tree.node(ROOT).visits) / TREE_SHARE)
    }

    /// Looks at a leaf that the walk reached for the first time: ends it by the rules (then returns true) or queues it.
    fn visit_leaf(&mut self) -> bool {
        self.board.go_to(&self.path.line);
        let at_root = self.path.ordinals.is_empty();
        let moves: Vec<Move> = if at_root {
            self.candidates.to_vec()
        } else {
            self.board.game().legal_moves().iter().copied().collect()
        };
        // The root is searched whatever the rules say: somebody asked for a move.
        let leaf = if at_root { Leaf::Open } else { self.board.leaf(&moves) };
        match leaf {
            Leaf::Terminal(state, plies) => {
                let id = leaf_of(self.tree, &self.path.ordinals);
                let node = self.tree.node_mut(id);
                node.state = state;
                node.plies = plies;
                self.visit_known();
                true
            }
            Leaf::Open => {
                let game = self.board.game().clone();
                self.pending.push(Pending { ordinals: self.path.ordinals.clone(), moves, game });
                false
            }
        }
    }

    /// Visits a leaf whose value needs no evaluation.
    fn visit_known(&mut self) {
        let node = self.tree.node(leaf_of(self.tree, &self.path.ordinals));
        let wdl = match node.state {
            State::Won => Wdl::WIN,
            State::Lost => Wdl::LOSS,
            State::Drawn | State::Repeated => Wdl::DRAW,
            State::Open | State::Fresh => wdl_from(node.value, node.draw).flipped(),
        };
        back_up(self.tree, &self.path.ordinals, wdl, &mut self.nodes);
        self.statistics.visits_since_growth += 1;
        self.count_visit(self.path.ordinals.len());
    }

    fn evaluate_pending(&mut self) -> Result<(), EvaluatorError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let requests: Vec<EvaluationRequest<'_>> = self
            .pending
            .iter()
            .map(|leaf| EvaluationRequest { game: &leaf.game, legal_moves: &leaf.moves })
            .collect();
        let evaluations = evaluate(self.evaluator, &requests)?;
        self.statistics.evaluations += requests.len() as u64;
        for (leaf, evaluation) in std::mem::take(&mut self.pending).iter().zip(evaluations) {
            let id = leaf_of(self.tree, &leaf.ordinals);
            if leaf.ordinals.is_empty() {
                let moves = leaf.moves.iter().map(|&chess_move| PackedMove::pack(chess_move));
                self.root_priors = moves.zip(evaluation.priors.iter().copied()).collect();
            }
            let temperature = self.options.policy_temperature;
            open(self.tree, id, (&leaf.moves, leaf.game.turn()), &evaluation.priors, temperature);
            back_up(self.tree, &leaf.ordinals, evaluation.wdl, &mut self.nodes);
            self.statistics.visits_since_growth = 0;
            self.count_visit(leaf.ordinals.len());
        }
        Ok(())
    }

    fn count_visit(&mut self, depth: usize) {
        self.statistics.visits += 1;
        self.statistics.depth_sum += depth as u64;
        self.statistics.max_depth = self.statistics.max_depth.max(depth as u32);
    }
}
