//! The recursion: a node ends by the rules or the table, by pruning without its moves, or takes the best of its moves.
//!
//! # Order of the steps
//!
//! Each step may end the node, and may assume what the steps before it have excluded:
//!
//! 1. *Rules and endgame tables*, before the transposition table: it is keyed by the position and knows neither the path
//!    (repetitions) nor the fifty-move counter. For the same reason its values are not used near the end of that counter.
//! 2. *Mate distance*: the window shrinks to what a mate could still change. Later steps see no window beyond a mate.
//! 3. *Transposition table*: values only outside the principal variation. Inside it they would cut the line to report, and hide
//!    repetitions where they matter most.
//! 4. *Static value*: from the table or the evaluator, the only place where a node is evaluated. Everything below compares with
//!    it.
//! 5. *Pruning without moves*, cheapest first: reverse futility (a comparison), razoring (a quiescence search), null move (a
//!    reduced search). Only with a null window, not in check, where the static value says nothing, and not near mates, where
//!    margins mean nothing.
//! 6. *Internal iterative reduction*: after the pruning, which should judge the node by its real depth.
//! 7. *Singular test*: has a hash move by then, and depth enough that half of it means something.
//! 8. *Moves*.
//!
//! # What holds for moves
//!
//! - No move is left out before one was found that is not mated: `best` is still -[`INFINITE`] after the loop only if there is no
//!   legal move, which is how mate and stalemate are recognised.
//! - Left-out moves are no evidence: they are not in `tried`, so their histories are not lowered.
//! - A reduced search that fails high is repeated at full depth with the null window, then with the full one. A value that leaves
//!   the node was never found at reduced depth alone, unless it failed low there.
//!
//! # Without pruning
//!
//! Plain alpha-beta takes the same way without check extensions and steps 5 to 7, leaves out and reduces no move, corrects no value
//! and trusts the table only at the same depth. What is left changes the number of nodes and not the value, which a test compares
//! with that of minimax.
//!
//! What was tried without gain (quiet checks kept, more reduction at expected cut nodes, ProbCut, deeper null moves) is in
//! `docs/experiments/principal-variation-search.md`, with the games.

use chess::{
    Chess, FIFTY_MOVES, Move, Position as _, Window, position_key, quiescence::mvv_lva,
    static_exchange::StaticExchange,
};

use super::numbers::{
    BAD_CAPTURE, CAPTURE_HISTORY_DIVISOR, FUTILITY_BASE, FUTILITY_DEPTH, FUTILITY_MARGIN, GOOD_CAPTURE,
    HASH_MOVE_SCORE, HISTORY_DEPTH, HISTORY_MARGIN, KILLER, LARGEST, LATE_MOVE_PRUNING_DEPTH, LATE_MOVES,
    LATE_NOT_IMPROVING, LEAST_DEPTH_WITHOUT_MOVE, LEAST_NULL_DEPTH, LESS_BY_SCORE, LESS_IMPROVING,
    LESS_IN_CHECK, LESS_IN_PV, LOSING_CAPTURE_DEPTH, LOSING_QUIET_DEPTH, MAX_PLY, MOST_BY_VALUE, NULL_DEPTHS,
    NULL_REDUCTION, NULL_VALUE, POLICY, POLICY_DEPTH, RAZOR_DEPTH, RAZOR_MARGIN, REDUCED_DEPTH, REDUCED_FROM,
    REDUCTION, REDUCTION_GROWTH, REVERSE_DEPTH, REVERSE_MARGIN, SCORE_OF_HALF_MOVE, SINGULAR_DEPTH,
    SINGULAR_DEPTH_DIVISOR, SINGULAR_DEPTH_MARGIN, SINGULAR_MARGIN, SINGULAR_PLIES, TABLE_HALFMOVE_LIMIT,
    VICTIM,
};
use super::{
    entry::{Entry, SearchedValue},
    order::{Picker, Refuted},
    quiescence::searched_or_static,
    run::{Run, Stopped},
};
use crate::{
    alpha_beta::{Bound, Distance, INFINITE, MATE_RANGE, MATED, NullMove},
    moves::{is_quiet, played},
};

/// A node and what is known of it before its moves are tried.
#[derive(Clone, Copy)]
struct Node<'a> {
    position: &'a Chess,
    key: u64,
    ply: usize,
    depth: i32,
    check: bool,
    /// Searched with the window of a principal variation.
    in_pv: bool,
    /// The static value is better than two half-moves before.
    improving: bool,
    /// The evaluator's static value, and the corrected one; [`NO_VALUE`] in check.
    static_value: i32,
    corrected: i32,
    /// The hash move.
    remembered: Option<Move>,
    /// A move that is not searched, to see whether the others are much worse.
    excluded: Option<Move>,
}

/// A move in its node.
#[derive(Clone, Copy)]
struct Candidate {
    chess_move: Move,
    score: i32,
    quiet: bool,
    /// Number of moves that were searched before it, and of quiet ones among them.
    place: usize,
    quiets: i32,
}

/// Result of the singular test of the hash move.
enum Singular {
    /// Half-moves by which it is searched deeper.
    Extension(i32),
    /// The position is refuted without it: a lower bound of the value.
    Beaten(i32),
}

impl Run<'_> {
    /// The value of a position for the side to move. Below beta it is an upper bound or exact, from beta on a lower bound.
    pub(super) fn value(
        &mut self,
        position: &Chess,
        Distance { ply, depth }: Distance,
        mut window: Window,
        null: NullMove,
    ) -> Result<i32, Stopped> {
        let check = position.is_check();
        let depth = depth + i32::from(check && self.shared.prunes);
        if depth <= 0 {
            return self.quiescence(position, ply, window);
        }
        self.enter()?;
        let key = position_key(position);
        // Not stored: a draw by repetition belongs to this path, and the endgame tables are probed before the transposition table
        // anyway.
        if let Some(value) = self.end(position, key, ply).or_else(|| self.probe_tables(position)) {
            return Ok(value);
        }
        // No line is better than a mate at the next half-move.
        window.alpha = window.alpha.max(MATED + ply as i32);
        window.beta = window.beta.min(-MATED - ply as i32 - 1);
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }
        let in_pv = window.is_open();
        let known = self.shared.table.get(key);
        if let Some(entry) = known.filter(|&entry| !in_pv && self.is_deep_enough(entry, depth))
            && position.halfmoves() < TABLE_HALFMOVE_LIMIT
            && entry.bound.decides(entry.value(ply), window)
        {
            return Ok(entry.value(ply));
        }
        // Two values from here on: the table keeps the evaluator's own, which does not age; decisions use the corrected one,
        // which changes as the correction history learns. A corrected value in the table would be corrected again by its next
        // reader.
        let (static_value, corrected) = self.static_values(position, known, check);
        self.stack[ply].value = corrected;
        let earlier = ply.checked_sub(2).map(|ply| self.stack[ply].value);
        let improving = !check && earlier.is_some_and(|earlier| corrected > earlier);
        let remembered = known.and_then(|entry| entry.best_move(position));
        let mut node = Node {
            position,
            key,
            ply,
            depth,
            check,
            in_pv,
            improving,
            static_value,
            corrected,
            remembered,
            excluded: None,
        };
        if self.shared.prunes && !in_pv && !check && window.beta.abs() < MATE_RANGE {
            // A bound that says more than the static value replaces it, but only for pruning: `improving` compares static values,
            // which are of one kind.
            let standing = searched_or_static(known, corrected, ply);
            if let Some(value) = self.without_moves(node, standing, window, null)? {
                return Ok(value);
            }
        }
        if self.shared.prunes && depth >= LEAST_DEPTH_WITHOUT_MOVE && remembered.is_none() {
            node.depth -= 1;
        }
        let extension = match known {
            Some(entry) => match self.singular(node, entry, window)? {
                Singular::Extension(extension) => extension,
                Singular::Beaten(value) => return Ok(value),
            },
            None => 0,
        };
        self.best_of_moves(node, window, extension)
    }

    /// Tests whether the hash move is the only good one (singular extension; Anantharaman, Campbell and Hsu 1988, in the form of
    /// Stockfish): the others are searched with half the depth against a value somewhat below its own.
    fn singular(&mut self, node: Node<'_>, known: Entry, window: Window) -> Result<Singular, Stopped> {
        let value = known.value(node.ply);
        let is_candidate = self.shared.prunes
            && node.depth >= SINGULAR_DEPTH
            && node.remembered.is_some()
            && known.depth() >= node.depth - SINGULAR_DEPTH_MARGIN
            && known.bound != Bound::Upper
            && value.abs() <= LARGEST
            && (node.ply as i32) < SINGULAR_PLIES * self.depth;
        if !is_candidate {
            return Ok(Singular::Extension(0));
        }
        let below = value - SINGULAR_MARGIN * node.depth;
        let others = Node {
            depth: (node.depth - 1) / SINGULAR_DEPTH_DIVISOR,
            in_pv: false,
            excluded: node.remembered,
            ..node
        };
        // Not through `value`: the table would answer with the hash move's own result, and the result without that move must not
        // be stored under the position's key. `best_of_moves` returns before it keeps anything if a move is excluded.
        let best = self.best_of_moves(others, Window { alpha: below - 1, beta: below }, 0)?;
        Ok(if best < below {
            Singular::Extension(1)
        } else if below >= window.beta {
            // More than one move refutes the position (multi-cut; Björnsson and Marsland 1999).
            Singular::Beaten(below)
        } else if value >= window.beta {
            Singular::Extension(-1)
        } else {
            Singular::Extension(0)
        })
    }

    /// The value if the rules or the length of the line end the search.
    fn end(&mut self, position: &Chess, key: u64, ply: usize) -> Option<i32> {
        if position.is_insufficient_material() || self.is_repeated(key, position) {
            return Some(0);
        }
        // A mate by the move that completes the fifty counts.
        if position.halfmoves() >= FIFTY_MOVES && !(position.is_check() && position.legal_moves().is_empty())
        {
            return Some(0);
        }
        (ply >= MAX_PLY).then(|| if position.is_check() { 0 } else { self.evaluate(position) })
    }

    /// The value of a node that is so good or so bad that its moves need not be tried: by reverse futility, razoring or a null
    /// move. Not used in check or in a principal variation.
    fn without_moves(
        &mut self,
        node: Node<'_>,
        standing: i32,
        Window { alpha, beta }: Window,
        null: NullMove,
    ) -> Result<Option<i32>, Stopped> {
        let Node { position, ply, depth, .. } = node;
        let margin = REVERSE_MARGIN * (depth - i32::from(node.improving));
        if depth <= REVERSE_DEPTH && standing - margin >= beta {
            // Nothing was searched, so less than the whole value is claimed.
            return Ok(Some(i32::midpoint(standing, beta)));
        }
        if depth <= RAZOR_DEPTH && standing + RAZOR_MARGIN * depth <= alpha {
            let value = self.quiescence(position, ply, Window { alpha, beta: alpha + 1 })?;
            if value <= alpha {
                return Ok(Some(value));
            }
        }
        // The assumption is that a move is worth more than a pass. It fails in zugzwang, hence `has_pieces`; and two passes in a
        // row would be the same node with less depth. The position after a pass has a key of its own (the other side to move), so
        // its entries in the table do no harm.
        if null == NullMove::Allowed
            && depth >= LEAST_NULL_DEPTH
            && standing >= beta
            && has_pieces(position)
            && let Ok(passed) = position.clone().swap_turn()
        {
            let by_depth = (NULL_REDUCTION + depth as f32 / NULL_DEPTHS) as i32;
            let reduction = by_depth + ((standing - beta) / NULL_VALUE).min(MOST_BY_VALUE);
            // Continuation histories of the replies would otherwise count a move of an earlier sibling.
            self.stack[ply].chess_move = None;
            self.keys.push(node.key);
            let distance = Distance { ply: ply + 1, depth: depth - 1 - reduction };
            let narrow = Window { alpha: beta - 1, beta };
            let value = self.value(&passed, distance, narrow.reversed(), NullMove::Forbidden);
            self.keys.pop();
            let value = -value?;
            if value >= beta {
                // A mate behind a pass is not proven.
                return Ok(Some(if value > MATE_RANGE { beta } else { value }));
            }
        }
        Ok(None)
    }

    /// The best move's value; the hash move is searched `extension` half-moves deeper.
    fn best_of_moves(
        &mut self,
        node: Node<'_>,
        Window { mut alpha, beta }: Window,
        extension: i32,
    ) -> Result<i32, Stopped> {
        let Node { position, ply, depth, .. } = node;
        let mover = position.turn();
        let prunes_moves = self.shared.prunes && !node.check;
        let (original, mut best, mut best_move) = (alpha, -INFINITE, None);
        let (mut tried, mut quiets) = (Vec::new(), 0);
        // The hash move refutes most positions before the others are generated.
        let mut first = node.remembered.filter(|_| node.excluded.is_none());
        let mut others = None;
        loop {
            // Generating moves, judging their exchanges and, from [`POLICY_DEPTH`] on, evaluating the policy are the expensive part
            // of a node: a cut by the hash move saves them. `others` is `None` until then, which also keeps the hash move out of
            // the pruning below.
            let (score, chess_move) = if let Some(chess_move) = first.take() {
                (HASH_MOVE_SCORE, chess_move)
            } else {
                let (picker, _) = match &mut others {
                    Some(others) => others,
                    None => others.insert(self.others(node)),
                };
                match picker.next() {
                    Some(next) => next,
                    None => break,
                }
            };
            let quiet = is_quiet(chess_move);
            let extension = if node.remembered == Some(chess_move) { extension } else { 0 };
            let candidate = Candidate { chess_move, score, quiet, place: tried.len(), quiets };
            if let Some((picker, exchanges)) = others.as_mut().filter(|_| prunes_moves && best > -MATE_RANGE)
            {
                // All quiet moves still to come go with it: their scores are lower, alpha only rises and the number of quiet
                // moves tried does not fall, so each of the three conditions would hold for them too. A new condition has to have
                // this property.
                if quiet && prunes_quiets(node, candidate, alpha) {
                    picker.drop_quiets();
                    continue;
                }
                if prunes(node, candidate, exchanges) {
                    continue;
                }
            }
            let after = played(position, chess_move);
            (self.stack[ply].chess_move, self.stack[ply].mover) = (Some(chess_move), mover);
            self.keys.push(node.key);
            let reduction = match candidate.place {
                0 => None,
                _ if self.shared.prunes => Some(reduction(&after, node, candidate)),
                _ => Some(0),
            };
            let distance = Distance { ply: ply + 1, depth: depth - 1 + extension };
            let value = self.move_value(&after, distance, Window { alpha, beta }, reduction);
            self.keys.pop();
            let value = value?;
            quiets += i32::from(quiet);
            if value > best {
                best = value;
                best_move = if value > alpha { Some(chess_move) } else { best_move };
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                let place = Refuted { mover, depth, line: &self.stack[..ply] };
                self.order.note(chess_move, &tried, place);
                break;
            }
            tried.push(chess_move);
        }
        if node.excluded.is_some() {
            return Ok(best.max(-LARGEST));
        }
        if best == -INFINITE {
            return Ok(if node.check { MATED + ply as i32 } else { 0 });
        }
        self.keep(node, best, Bound::of(best, Window { alpha: original, beta }), best_move);
        Ok(best)
    }

    /// Keeps the result of a node in the table, and notes how far the static value was from it, if a quiet move, or none, made the
    /// difference.
    fn keep(&mut self, node: Node<'_>, best: i32, bound: Bound, best_move: Option<Move>) {
        // A node that failed low has no best move; the one that was remembered is still the best guess for the next iteration.
        let kept = best_move.or(node.remembered);
        let searched = SearchedValue { value: best, bound, depth: node.depth, ply: node.ply };
        self.shared.table.put(node.key, Entry::new(kept, searched, node.static_value));
        // A capture that wins material is no error of the static value: quiescence would have found it. And a bound counts only
        // if it contradicts the static value, which is what `decides` checks: a lower bound below it proves nothing.
        let quiet = best_move.is_none_or(is_quiet);
        if self.shared.prunes
            && !node.check
            && quiet
            && best.abs() <= LARGEST
            && bound.decides(best, Window::at(node.corrected))
        {
            self.corrections.note(node.position, best - node.static_value, node.depth);
        }
    }

    /// The moves other than the hash move, ordered by their scores, and the exchanges that they begin.
    fn others(&mut self, node: Node<'_>) -> (Picker, StaticExchange) {
        let exchanges = StaticExchange::new(node.position);
        let legal = node.position.legal_moves();
        let by_policy = self.shared.prunes && node.depth >= POLICY_DEPTH;
        if by_policy && !legal.is_empty() {
            self.evaluator.priors(node.position, &legal, &mut self.priors);
        }
        let (mover, line) = (node.position.turn(), &self.stack[..node.ply]);
        let killers = self.order.killers(node.ply);
        let mut scored = Vec::with_capacity(legal.len());
        for (place, &chess_move) in legal.iter().enumerate() {
            if node.remembered == Some(chess_move) {
                continue;
            }
            let score = if is_quiet(chess_move) {
                let killer = if killers.contains(&Some(chess_move)) { KILLER } else { 0 };
                let prior = if by_policy { (self.priors[place] * POLICY) as i32 } else { 0 };
                self.order.quiet(chess_move, mover, line) + killer + prior
            } else {
                let victim = VICTIM * mvv_lva(chess_move);
                let history = self.order.capture(chess_move, mover) / CAPTURE_HISTORY_DIVISOR;
                let class = if exchanges.is_safe(chess_move) { GOOD_CAPTURE } else { BAD_CAPTURE };
                victim + history + class
            };
            scored.push((score, chess_move));
        }
        (Picker::new(scored), exchanges)
    }

    /// The value of a move for the side that plays it, from the position `after` it, whose full search has this distance: exact
    /// inside the window (principal variation search; Marsland and Campbell 1982).
    ///
    /// The first move of a node has no `reduction` and is searched with the whole window at once. Each later one is expected to be
    /// worse and must first beat alpha in a null window, at reduced depth if it is late. Full depth comes before the whole window,
    /// because a reduced search may fail high only for what it left out; the null window finds that out at less cost.
    pub(super) fn move_value(
        &mut self,
        after: &Chess,
        distance: Distance,
        window: Window,
        reduction: Option<i32>,
    ) -> Result<i32, Stopped> {
        let Some(reduction) = reduction else { return self.reply(after, distance, window) };
        let narrow = Window { alpha: window.alpha, beta: window.alpha + 1 };
        let reduced = Distance { depth: distance.depth - reduction, ..distance };
        let mut value = self.reply(after, reduced, narrow)?;
        if reduction > 0 && value > window.alpha {
            value = self.reply(after, distance, narrow)?;
        }
        if value > window.alpha && value < window.beta {
            value = self.reply(after, distance, window)?;
        }
        Ok(value)
    }

    /// The value of the position `after` a move, for the side that played it and with its window.
    fn reply(&mut self, after: &Chess, distance: Distance, window: Window) -> Result<i32, Stopped> {
        Ok(-self.value(after, distance, window.reversed(), NullMove::Allowed)?)
    }
}

/// True if neither this quiet move near the horizon nor a quiet one after it is likely to reach alpha.
fn prunes_quiets(node: Node<'_>, candidate: Candidate, alpha: i32) -> bool {
    let Node { depth, in_pv, .. } = node;
    let share = if node.improving { 1.0 } else { LATE_NOT_IMPROVING };
    let most = (LATE_MOVES + depth * depth) as f32 * share;
    let too_late = depth <= LATE_MOVE_PRUNING_DEPTH && candidate.quiets > most as i32;
    let margin = FUTILITY_BASE + FUTILITY_MARGIN * depth;
    let futile = !in_pv && depth <= FUTILITY_DEPTH && node.corrected + margin <= alpha;
    let disproved = !in_pv && depth <= HISTORY_DEPTH && candidate.score < -HISTORY_MARGIN * depth;
    too_late || futile || disproved
}

/// True for a move near the horizon that loses material.
fn prunes(node: Node<'_>, candidate: Candidate, exchanges: &StaticExchange) -> bool {
    if candidate.quiet {
        node.depth <= LOSING_QUIET_DEPTH && !exchanges.is_safe(candidate.chess_move)
    } else {
        !node.in_pv && node.depth <= LOSING_CAPTURE_DEPTH && candidate.score < 0
    }
}

/// The reduction, in half-moves, of a move's first search.
fn reduction(after: &Chess, node: Node<'_>, candidate: Candidate) -> i32 {
    let Candidate { score, quiet, place, .. } = candidate;
    if node.depth < REDUCED_DEPTH || place < REDUCED_FROM || !(quiet || score < 0) {
        return 0;
    }
    let product = (node.depth as f32).ln() * (place as f32).ln();
    let mut less = REDUCTION + REDUCTION_GROWTH * product;
    less -= if node.in_pv { LESS_IN_PV } else { 0.0 };
    less -= if node.improving { LESS_IMPROVING } else { 0.0 };
    less -= if node.check || after.is_check() { LESS_IN_CHECK } else { 0.0 };
    let (least, most) = LESS_BY_SCORE;
    less -= if quiet { (score as f32 / SCORE_OF_HALF_MOVE).clamp(least, most) } else { 0.0 };
    (less as i32).clamp(0, node.depth - 2)
}

/// True if the side to move has more than one piece besides pawns and king: with fewer it may be in zugzwang, and a null move
/// says nothing.
fn has_pieces(position: &Chess) -> bool {
    let board = position.board();
    (position.us() & !(board.pawns() | board.kings())).more_than_one()
}
