//! Playouts for evaluators of single positions: one leaf at a time, its value at the first visit, its priors at the second.
//! A third of the leaves are never visited again, and their priors never computed.

use chess::{
    EvaluatorError, Move, Position, PositionEvaluator,
    shakmaty::{EnPassantMode, fen::Fen},
};

use super::{
    super::{
        backup::{cancel, settle_visited},
        numbers::{TREE_SHARE, VISITS_A_BATCH},
        position::{Leaf, by_the_rules},
        positions::Positions,
        priors::fill_edges,
        select::Selected,
        shared::Shared,
        tree::{Edge, ROOT, State},
    },
    Playouts, probe,
    walker::Walker,
};
use crate::{
    evaluate::not_probabilities,
    hints::HintContext,
    moves::{can_move, mating_move},
};

/// One thread's playouts, one position at a time.
pub(super) struct Direct<'a> {
    walker: Walker<'a>,
    evaluator: Box<dyn PositionEvaluator + 'a>,
    positions: Positions,
    priors: Vec<f32>,
    edges: Vec<Edge>,
}

impl<'a> Direct<'a> {
    /// Playouts from the root of the shared tree.
    pub(super) fn new(shared: &'a Shared<'a>, evaluator: Box<dyn PositionEvaluator + 'a>) -> Self {
        Self {
            walker: Walker::new(shared),
            evaluator,
            positions: Positions::new(shared.parts.game),
            priors: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Makes one visit; false if another thread is evaluating the leaf.
    fn visit(&mut self) -> Result<bool, EvaluatorError> {
        let mut selected = self.walker.walk();
        loop {
            match selected {
                Selected::Fresh => self.value_leaf()?,
                Selected::Valued if self.open_leaf()? => {
                    selected = self.walker.walk_on();
                    continue;
                }
                Selected::Valued | Selected::Known => self.walker.visit_known(),
                Selected::Collision => {
                    cancel(self.walker.tree(), &self.walker.path.nodes, 1, self.walker.shared.writers());
                    return Ok(false);
                }
            }
            return Ok(true);
        }
    }

    /// The first visit of a leaf that this thread has claimed: ends it by the rules or the tables, or requests its value. At the
    /// root, which is searched even if the game is drawn there because the caller needs a move, also for its priors.
    fn value_leaf(&mut self) -> Result<(), EvaluatorError> {
        let parts = self.walker.shared.parts;
        let raw = parts.tree.raw(self.walker.path.leaf());
        self.positions.go_to(&self.walker.path.line);
        let position = self.positions.current();
        let at_root = self.walker.path.line.is_empty();
        if !at_root {
            let mut leaf = by_the_rules(position, can_move(position), self.positions.repetition());
            if matches!(leaf, Leaf::Open) {
                leaf = probe(parts.tables, position, &mut self.walker.statistics);
            }
            if let Leaf::Terminal(state, plies) = leaf {
                raw.settle(state, plies);
                self.walker.visit_known();
                return Ok(());
            }
        }
        let wdl = self.evaluator.value(position);
        if let Some(defect) = not_probabilities("win, draw and loss", &[wdl.win, wdl.draw, wdl.loss]) {
            return Err(self.failed(&defect));
        }
        self.walker.statistics.evaluations += 1;
        if at_root {
            self.open_root()?;
        } else {
            raw.settle(State::Valued, 0);
        }
        self.walker.visit(wdl);
        Ok(())
    }

    /// The second visit of a leaf that this thread has claimed: gives it edges. False if a move mates instead.
    fn open_leaf(&mut self) -> Result<bool, EvaluatorError> {
        let parts = self.walker.shared.parts;
        self.positions.go_to(&self.walker.path.line);
        let position = self.positions.current();
        let moves = position.legal_moves();
        if mating_move(position, &moves).is_some() {
            settle_visited(parts.tree, &self.walker.path.nodes, State::Won, 1, self.walker.shared.writers());
            return Ok(false);
        }
        self.open(&moves)?;
        Ok(true)
    }

    fn open_root(&mut self) -> Result<(), EvaluatorError> {
        let candidates = self.walker.shared.parts.candidates;
        self.evaluator.priors(self.positions.current(), candidates, 1.0, &mut self.priors);
        self.check_priors(candidates.len())?;
        self.walker.shared.keep_root_priors(candidates, &self.priors);
        self.open(candidates)
    }

    /// Gives the claimed node at the end of the path an edge for each of `moves`.
    fn open(&mut self, moves: &[Move]) -> Result<(), EvaluatorError> {
        let parts = self.walker.shared.parts;
        let position = self.positions.current();
        self.evaluator.priors(position, moves, parts.hints.temperature(), &mut self.priors);
        self.check_priors(moves.len())?;
        let place =
            HintContext { position: self.positions.current(), moves, depth: self.walker.path.line.len() };
        parts.hints.apply_to_tempered(&place, &mut self.priors);
        fill_edges(moves, &self.priors, place.position.turn(), &mut self.edges);
        parts.tree.open(self.walker.path.leaf(), &self.edges, &mut self.walker.stock);
        Ok(())
    }

    fn check_priors(&self, moves: usize) -> Result<(), EvaluatorError> {
        if self.priors.len() != moves {
            return Err(self.failed(&format!("{} priors for {moves} legal moves", self.priors.len())));
        }
        not_probabilities("priors", &self.priors).map_or(Ok(()), |defect| Err(self.failed(&defect)))
    }

    fn failed(&self, defect: &str) -> EvaluatorError {
        let fen = Fen::from_position(self.positions.current(), EnPassantMode::Legal);
        EvaluatorError {
            evaluator: self.walker.shared.parts.evaluator.describe(),
            batch: 1,
            reason: format!("{defect} in position {fen}"),
        }
    }
}

impl Playouts for Direct<'_> {
    fn batch(&mut self) -> Result<u64, EvaluatorError> {
        let tree = self.walker.tree();
        let wanted = VISITS_A_BATCH.min(1 + u64::from(tree.node(ROOT).visits) / TREE_SHARE);
        let reserved = self.walker.shared.reserve_up_to(wanted);
        let mut outcome = Ok(());
        for _ in 0..reserved {
            match self.visit() {
                Ok(true) => {}
                // The other thread's evaluation takes microseconds, less than a sleep; the reserved visit is not made and goes
                // back below.
                Ok(false) => std::hint::spin_loop(),
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        self.walker.shared.unreserve(reserved - self.walker.statistics.visits);
        let visits = self.walker.report();
        outcome.map(|()| visits)
    }

    fn visit_final_move(&mut self, ordinal: usize) {
        if !self.walker.go_below_root(ordinal) {
            return;
        }
        self.positions.go_to(&self.walker.path.line);
        let position = self.positions.current();
        let Leaf::Terminal(state, plies) =
            by_the_rules(position, can_move(position), self.positions.repetition())
        else {
            return;
        };
        self.walker.tree().raw(self.walker.path.leaf()).settle(state, plies);
        self.walker.visit_known();
        self.walker.report();
    }

    fn rest(self: Box<Self>) {
        self.walker.rest();
    }
}
