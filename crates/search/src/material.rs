//! A quick alpha-beta search over material alone. It finds sacrifices and hanging pieces that a network
//! overlooks, and is hundreds of times as fast.
//!
//! Unlike [`crate::pvs`] it needs no evaluator, ignores history, fits a cache and names all moves that reach the best balance, so its
//! results are used only as hints ([`crate::hints`]). The two share the bounds and the scores of captures.

mod numbers;
mod order;
mod quiescence;
mod table;

use chess::{Chess, Move, Position, Window, evaluator::material_balance, position_key};

use self::numbers::{
    LATE, LEAST_REDUCED_DEPTH, MATE_RANGE_IN_PAWNS, MATED_IN_PAWNS, MAX_CHECK_PLY, MAX_DEPTH, MAX_PLIES,
    NODES_A_QUESTION, NULL_REDUCTION, UNBOUNDED,
};
use self::{
    order::{Order, Picker},
    quiescence::quiet_balance,
    table::{Entry, Table},
};
use crate::{
    alpha_beta::{Bound, Distance, NullMove},
    moves::{is_quiet, played},
    packed::PackedMove,
};

/// The search and its state between positions: table, killers, history.
#[derive(Default)]
pub(crate) struct MaterialSearch {
    table: Table,
    order: Order,
}

/// Limits of one material search.
#[derive(Clone, Copy)]
pub(crate) struct SearchBudget<'a> {
    /// Nodes, captures at the horizon not counted.
    pub(crate) nodes: u64,
    /// Polled every [`NODES_A_QUESTION`] nodes; true ends the search.
    pub(crate) is_over: &'a dyn Fn() -> bool,
}

/// State of one search in progress.
struct Run<'a> {
    table: &'a mut Table,
    order: &'a mut Order,
    nodes: u64,
    budget: SearchBudget<'a>,
}

/// The budget is used up.
struct Stopped;

impl MaterialSearch {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Searches the legal `moves` of a position with iterative deepening, one half-move at a time. Returns the indices of the
    /// moves that share the best balance; empty if not even depth 1 was completed.
    pub(crate) fn run(&mut self, position: &Chess, moves: &[Move], budget: SearchBudget<'_>) -> Vec<usize> {
        self.order.age();
        let mut run = Run { table: &mut self.table, order: &mut self.order, nodes: 0, budget };
        let mut places: Vec<usize> = (0..moves.len()).collect();
        let mut found = Vec::new();
        for depth in 1..=MAX_DEPTH {
            let Ok(values) = run.iteration(position, moves, &places, depth) else { break };
            let best = values.iter().copied().max().unwrap_or(0);
            found = (0..moves.len()).filter(|&place| values[place] == best).collect();
            places.sort_by_key(|&place| -values[place]);
            if best.abs() > MATE_RANGE_IN_PAWNS {
                break;
            }
        }
        found
    }

    /// A move that was found to win material or to mate in a position, if any.
    pub(crate) fn winning_move(&self, position: &Chess) -> Option<Move> {
        let entry = self.table.get(position_key(position))?;
        let wins = entry.lower().is_some_and(|value| value > material_balance(position));
        entry.best_move.filter(|_| wins)?.unpack(position)
    }
}

impl Run<'_> {
    /// The values of all moves, tried in the order of `places`: exact for the best, bounds below them for the others.
    fn iteration(
        &mut self,
        position: &Chess,
        moves: &[Move],
        places: &[usize],
        depth: i32,
    ) -> Result<Vec<i32>, Stopped> {
        let mut values = vec![-UNBOUNDED; moves.len()];
        let mut best = -UNBOUNDED;
        for &place in places {
            let after = played(position, moves[place]);
            // Moves that only equal the best are wanted, too.
            let distance = Distance { ply: 1, depth: depth - 1 };
            let mut window = Window { alpha: -best, beta: 1 - best };
            let mut value = -self.value(&after, distance, window, NullMove::Allowed)?;
            if value >= best {
                window.alpha = -UNBOUNDED;
                value = -self.value(&after, distance, window, NullMove::Allowed)?;
            }
            values[place] = value;
            best = best.max(value);
        }
        Ok(values)
    }

    /// The balance for the side to move after a search of this depth, `ply` half-moves below the root.
    ///
    /// Draws, the horizon and the table decide at once, and so does a null move that reaches `beta`. Otherwise the
    /// moves are tried: the first with the full window, the others with a null window (principal variation search;
    /// Marsland and Campbell 1982), late quiet ones at reduced depth first.
    fn value(
        &mut self,
        position: &Chess,
        Distance { ply, depth }: Distance,
        Window { mut alpha, beta }: Window,
        null: NullMove,
    ) -> Result<i32, Stopped> {
        self.enter()?;
        if position.is_insufficient_material() {
            return Ok(0);
        }
        let check = position.is_check();
        let depth = depth + i32::from(check && ply < MAX_CHECK_PLY);
        if depth <= 0 {
            return Ok(quiet_balance(position, Window { alpha, beta }, MAX_PLIES));
        }
        let key = position_key(position);
        let known = self.table.get(key);
        if let Some(value) = known.and_then(|entry| entry.cutoff(depth, Window { alpha, beta })) {
            return Ok(value);
        }
        let remembered = known.and_then(|entry| entry.best_move?.unpack(position));
        if !check
            && null == NullMove::Allowed
            && self.null_move_prunes(position, Distance { ply, depth }, beta)?
        {
            return Ok(beta);
        }
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return Ok(if check { MATED_IN_PAWNS + ply as i32 } else { 0 });
        }
        let picker = Picker::new(self.order, &mut moves, position.turn(), ply, remembered);
        let (original, mut best, mut best_move) = (alpha, -UNBOUNDED, None);
        for (tried, chess_move) in picker.enumerate() {
            let after = played(position, chess_move);
            let may_reduce =
                depth >= LEAST_REDUCED_DEPTH && !check && is_quiet(chess_move) && !after.is_check();
            let reduction = if may_reduce { LATE.iter().filter(|&&late| tried >= late).count() } else { 0 };
            let (distance, window) = (Distance { ply, depth }, Window { alpha, beta });
            let reduction = (tried > 0).then_some(reduction as i32);
            let value = self.move_value(&after, distance, window, reduction)?;
            if value > best {
                (best, best_move) = (value, Some(chess_move));
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                if is_quiet(chess_move) {
                    self.order.note(chess_move, position.turn(), depth, ply);
                }
                break;
            }
        }
        let bound = Bound::of(best, Window { alpha: original, beta });
        self.table.put(key, Entry::new(best_move.map(PackedMove::pack), best, bound, depth));
        Ok(best)
    }

    fn enter(&mut self) -> Result<(), Stopped> {
        let SearchBudget { nodes, is_over } = self.budget;
        if self.nodes == nodes || (self.nodes.is_multiple_of(NODES_A_QUESTION) && is_over()) {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(())
    }

    /// The value of a move, from the position `after` it: exact inside the window. The first move has no `reduction`.
    fn move_value(
        &mut self,
        after: &Chess,
        Distance { ply, depth }: Distance,
        Window { alpha, beta }: Window,
        reduction: Option<i32>,
    ) -> Result<i32, Stopped> {
        let full = Distance { ply: ply + 1, depth: depth - 1 };
        let whole = Window { alpha, beta };
        let Some(reduction) = reduction else { return self.reply(after, full, whole) };
        let narrow = Window { alpha, beta: alpha + 1 };
        let reduced = Distance { depth: full.depth - reduction, ..full };
        let mut value = self.reply(after, reduced, narrow)?;
        if reduction > 0 && value > alpha {
            value = self.reply(after, full, narrow)?;
        }
        if value > alpha && value < beta {
            value = self.reply(after, full, whole)?;
        }
        Ok(value)
    }

    /// The value of the position `after` a move, for the side that played it and with its window.
    fn reply(&mut self, after: &Chess, distance: Distance, window: Window) -> Result<i32, Stopped> {
        Ok(-self.value(after, distance, window.reversed(), NullMove::Allowed)?)
    }

    /// Null-move pruning: true if a reduced search after a pass still reaches `beta`. Skipped in pawn endings, where
    /// zugzwang makes it unsound.
    fn null_move_prunes(
        &mut self,
        position: &Chess,
        Distance { ply, depth }: Distance,
        beta: i32,
    ) -> Result<bool, Stopped> {
        let board = position.board();
        let only_pawns = (position.us() & !(board.pawns() | board.kings())).is_empty();
        let hopeless = beta.abs() > MATE_RANGE_IN_PAWNS || material_balance(position) < beta;
        if depth < 2 || only_pawns || hopeless {
            return Ok(false);
        }
        let Ok(passed) = position.clone().swap_turn() else { return Ok(false) };
        let distance = Distance { ply: ply + 1, depth: depth - 1 - NULL_REDUCTION };
        let window = Window { alpha: -beta, beta: 1 - beta };
        Ok(-self.value(&passed, distance, window, NullMove::Forbidden)? >= beta)
    }
}

#[cfg(test)]
mod tests;
