//! The recursion: a node ends by the rules or the table, by pruning without its moves, or takes the best of its moves.

use chess::{Chess, Move, Position as _, exchange::Exchanges, position_key};

use super::{
    INFINITE, MATE_RANGE, MATED, MAX_PLY, NO_VALUE, NullMove, Over, Run, Window,
    entry::Entry,
    order::{FIRST, Picker},
};
use crate::{
    bound::Bound,
    moves::{is_quiet, played, promise},
};

/// A position whose value exceeds beta by so much for each half-move still to search is not searched (reverse futility) ...
const REVERSE_MARGIN: i32 = 70;
/// ... up to this depth.
const REVERSE_DEPTH: i32 = 7;
/// A position whose value is so far below alpha for each half-move still to search is only quieted (razoring; Birmingham and Kent
/// 1977) ...
const RAZOR_MARGIN: i32 = 220;
/// ... up to this depth.
const RAZOR_DEPTH: i32 = 3;
/// Least depth at which a null move is tried.
const LEAST_NULL_DEPTH: i32 = 3;
/// Half-moves that a null move saves (Donninger 1993), one more for so much depth and for so much value above beta.
const NULL_REDUCTION: i32 = 3;
const NULL_DEPTHS: i32 = 4;
const NULL_VALUE: i32 = 120;
/// Quiet moves that are tried near the horizon beside the square of the depth, half as many where the position gets worse ...
const LATE_MOVES: i32 = 3;
/// ... up to this depth.
const LATE_DEPTH: i32 = 7;
/// Quiet moves cannot make up for a value below alpha by this and so much for each half-move still to search (futility pruning;
/// Heinz 1998) ...
const FUTILITY_BASE: i32 = 90;
const FUTILITY_MARGIN: i32 = 80;
/// ... up to this depth.
const FUTILITY_DEPTH: i32 = 6;
/// Up to this depth quiet moves that lose material on their square are left out, and captures that do up to the other.
const LOSING_QUIET_DEPTH: i32 = 4;
const LOSING_CAPTURE_DEPTH: i32 = 3;
/// A node of this depth without a remembered move is searched with a half-move less (internal iterative reduction; Schröder 2021).
const LEAST_DEPTH_WITHOUT_MOVE: i32 = 4;
/// Least depth at which late moves are reduced, and the number of moves before them.
const REDUCED_DEPTH: i32 = 3;
const REDUCED_FROM: usize = 2;
/// Parts of a half-move in which reductions are counted.
const PART: i32 = 1024;
/// Parts that late moves are reduced less in a principal variation, where the position gets better,
/// and at checks.
const OPEN: i32 = PART;
const IMPROVING: i32 = PART / 2;
const CHECK: i32 = PART;
/// Points of a quiet move's promise that count as one part less.
const PROMISES: i32 = 8;
/// Least depth at which the evaluator's priors order the moves: below it they cost more than they save.
const POLICY_DEPTH: i32 = 3;
/// Weight of a prior beside the histories.
const POLICY: f32 = 40_000.0;

/// Half-moves without capture or pawn move from which on the table decides nothing: it knows no counts.
const FEW_HALFMOVES_LEFT: u32 = 90;

// Promises of captures that do not lose, of killers, and of captures that lose; histories lie between the last two.
const GOOD_CAPTURE: i32 = 1 << 27;
const KILLER: i32 = 12_000;
const BAD_CAPTURE: i32 = -(1 << 27);

/// A node and what is known of it before its moves are tried.
#[derive(Clone, Copy)]
struct Node<'a> {
    position: &'a Chess,
    key: u64,
    ply: usize,
    depth: i32,
    check: bool,
    /// The window of a principal variation.
    open: bool,
    /// The static value is better than two half-moves before.
    improving: bool,
    /// Static value; [`NO_VALUE`] in check.
    fixed: i32,
    /// The move that the table remembers.
    remembered: Option<Move>,
}

/// A move in its node.
#[derive(Clone, Copy)]
struct Candidate {
    chess_move: Move,
    promise: i32,
    quiet: bool,
    /// Number of moves that were searched before it, and of quiet ones among them.
    place: usize,
    quiets: i32,
}

impl Run<'_> {
    /// The value of a position for the side to move, `ply` half-moves below the root, after so much depth. Below beta it is an
    /// upper bound or exact, from beta on a lower bound.
    pub(super) fn value(
        &mut self,
        position: &Chess,
        (ply, depth): (usize, i32),
        mut window: Window,
        null: NullMove,
    ) -> Result<i32, Over> {
        let check = position.is_check();
        let depth = depth + i32::from(check);
        if depth <= 0 {
            return self.quiet_value(position, ply, window);
        }
        self.enter()?;
        let key = position_key(position);
        if let Some(value) = self.end(position, key, ply) {
            return Ok(value);
        }
        // No line is better than a mate at the next half-move.
        window.alpha = window.alpha.max(MATED + ply as i32);
        window.beta = window.beta.min(-MATED - ply as i32 - 1);
        if window.alpha >= window.beta {
            return Ok(window.alpha);
        }
        let open = window.is_open();
        let known = self.table.get(key).copied();
        if let Some(entry) = known.filter(|entry| !open && entry.depth() >= depth)
            && position.halfmoves() < FEW_HALFMOVES_LEFT
            && entry.bound.decides(entry.value(ply), (window.alpha, window.beta))
        {
            return Ok(entry.value(ply));
        }
        let fixed = match known {
            _ if check => NO_VALUE,
            Some(entry) => entry.fixed(),
            None => self.evaluate(position),
        };
        self.stack[ply].value = fixed;
        let earlier = ply.checked_sub(2).map(|ply| self.stack[ply].value);
        let improving = !check && earlier.is_some_and(|earlier| fixed > earlier);
        let remembered = known.and_then(|entry| entry.best_move(position));
        let mut node = Node { position, key, ply, depth, check, open, improving, fixed, remembered };
        if !open && !check && window.beta.abs() < MATE_RANGE {
            // What was searched says more than what was evaluated.
            let standing = known
                .filter(|entry| entry.bound.decides(entry.value(ply), (fixed, fixed)))
                .map_or(fixed, |entry| entry.value(ply));
            if let Some(value) = self.without_moves(node, standing, window, null)? {
                return Ok(value);
            }
        }
        if depth >= LEAST_DEPTH_WITHOUT_MOVE && remembered.is_none() {
            node.depth -= 1;
        }
        self.best_of_moves(node, window)
    }

    /// The value where the rules or the length of the line end the search.
    fn end(&mut self, position: &Chess, key: u64, ply: usize) -> Option<i32> {
        let fifty_moves =
            || position.halfmoves() >= 100 && !(position.is_check() && position.legal_moves().is_empty());
        if position.is_insufficient_material() || self.is_repeated(key, position) || fifty_moves() {
            return Some(0);
        }
        (ply >= MAX_PLY).then(|| if position.is_check() { 0 } else { self.evaluate(position) })
    }

    /// The value of a node that is so good or so bad that its moves need not be tried: by reverse futility, razoring or a null
    /// move. Neither in check nor in a principal variation.
    fn without_moves(
        &mut self,
        node: Node<'_>,
        standing: i32,
        Window { alpha, beta }: Window,
        null: NullMove,
    ) -> Result<Option<i32>, Over> {
        let Node { position, ply, depth, .. } = node;
        let margin = REVERSE_MARGIN * (depth - i32::from(node.improving));
        if depth <= REVERSE_DEPTH && standing - margin >= beta {
            return Ok(Some(i32::midpoint(standing, beta)));
        }
        if depth <= RAZOR_DEPTH && standing + RAZOR_MARGIN * depth <= alpha {
            let value = self.quiet_value(position, ply, Window { alpha, beta: alpha + 1 })?;
            if value <= alpha {
                return Ok(Some(value));
            }
        }
        if null == NullMove::Allowed
            && depth >= LEAST_NULL_DEPTH
            && standing >= beta
            && has_pieces(position)
            && let Ok(passed) = position.clone().swap_turn()
        {
            let reduction = NULL_REDUCTION + depth / NULL_DEPTHS + ((standing - beta) / NULL_VALUE).min(3);
            self.stack[ply].chess_move = None;
            self.keys.push(node.key);
            let (distance, narrow) = ((ply + 1, depth - 1 - reduction), Window { alpha: beta - 1, beta });
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

    fn best_of_moves(&mut self, node: Node<'_>, Window { mut alpha, beta }: Window) -> Result<i32, Over> {
        let Node { position, ply, depth, .. } = node;
        let legal = position.legal_moves();
        if legal.is_empty() {
            return Ok(if node.check { MATED + ply as i32 } else { 0 });
        }
        let exchanges = Exchanges::new(position);
        let promises = self.promises(node, &legal, &exchanges);
        let white = position.turn().is_white();
        let (original, mut best, mut best_move) = (alpha, -INFINITE, None);
        let (mut tried, mut quiets) = (Vec::with_capacity(legal.len()), 0);
        for (promise, chess_move) in Picker::new(promises) {
            let quiet = is_quiet(chess_move);
            let candidate = Candidate { chess_move, promise, quiet, place: tried.len(), quiets };
            if best > -MATE_RANGE && leaves_out(node, candidate, alpha, &exchanges) {
                continue;
            }
            let after = played(position, chess_move);
            (self.stack[ply].chess_move, self.stack[ply].white) = (Some(chess_move), white);
            self.keys.push(node.key);
            let value = self.move_value(&after, node, Window { alpha, beta }, candidate);
            self.keys.pop();
            let value = value?;
            quiets += i32::from(quiet);
            if value > best {
                best = value;
                best_move = if value > alpha { Some(chess_move) } else { best_move };
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                self.order.note(chess_move, &tried, (white, depth, ply), &self.stack[..ply]);
                break;
            }
            tried.push(chess_move);
        }
        let bound = Bound::of(best, (original, beta));
        let kept = best_move.or(node.remembered);
        self.table.put(node.key, Entry::new(kept, depth, (best, bound), node.fixed, ply));
        Ok(best)
    }

    /// Each move with the promise by which it is ordered.
    fn promises(&mut self, node: Node<'_>, legal: &[Move], exchanges: &Exchanges) -> Vec<(i32, Move)> {
        let by_policy = node.depth >= POLICY_DEPTH;
        if by_policy {
            self.evaluator.priors(node.position, legal, &mut self.priors);
        }
        let (white, line) = (node.position.turn().is_white(), &self.stack[..node.ply]);
        let killers = self.order.killers(node.ply);
        let promise_of = |(place, &chess_move): (usize, &Move)| {
            let promise = if node.remembered == Some(chess_move) {
                FIRST
            } else if is_quiet(chess_move) {
                let killer = if killers.contains(&Some(chess_move)) { KILLER } else { 0 };
                let prior = if by_policy { (self.priors[place] * POLICY) as i32 } else { 0 };
                self.order.quiet(chess_move, white, line) + killer + prior
            } else {
                let count = 256 * promise(chess_move) + self.order.capture(chess_move, white) / 8;
                count + if exchanges.is_safe(chess_move) { GOOD_CAPTURE } else { BAD_CAPTURE }
            };
            (promise, chess_move)
        };
        legal.iter().enumerate().map(promise_of).collect()
    }

    /// The value of a move, from the position `after` it: exact inside the window. Late moves are first searched with less depth,
    /// all but the first with an empty window.
    fn move_value(
        &mut self,
        after: &Chess,
        node: Node<'_>,
        window: Window,
        candidate: Candidate,
    ) -> Result<i32, Over> {
        let mut look = |reduction: i32, window: Window| {
            let distance = (node.ply + 1, node.depth - 1 - reduction);
            Ok(-self.value(after, distance, window.reversed(), NullMove::Allowed)?)
        };
        if candidate.place == 0 {
            return look(0, window);
        }
        let narrow = Window { alpha: window.alpha, beta: window.alpha + 1 };
        let reduction = reduction(after, node, candidate);
        let mut value = look(reduction, narrow)?;
        if reduction > 0 && value > window.alpha {
            value = look(0, narrow)?;
        }
        if value > window.alpha && value < window.beta {
            value = look(0, window)?;
        }
        Ok(value)
    }
}

/// True for a move near the horizon that is unlikely to reach alpha.
fn leaves_out(node: Node<'_>, candidate: Candidate, alpha: i32, exchanges: &Exchanges) -> bool {
    let Node { depth, open, .. } = node;
    if node.check || node.remembered == Some(candidate.chess_move) {
        return false;
    }
    if !candidate.quiet {
        return !open && depth <= LOSING_CAPTURE_DEPTH && candidate.promise < 0;
    }
    let most = (LATE_MOVES + depth * depth) / if node.improving { 1 } else { 2 };
    let too_late = depth <= LATE_DEPTH && candidate.quiets > most;
    let futile =
        !open && depth <= FUTILITY_DEPTH && node.fixed + FUTILITY_BASE + FUTILITY_MARGIN * depth <= alpha;
    too_late || futile || (depth <= LOSING_QUIET_DEPTH && !exchanges.is_safe(candidate.chess_move))
}

/// Half-moves that a move is first searched with less.
fn reduction(after: &Chess, node: Node<'_>, candidate: Candidate) -> i32 {
    let Candidate { promise, quiet, place, .. } = candidate;
    if node.depth < REDUCED_DEPTH || place < REDUCED_FROM || !(quiet || promise < 0) {
        return 0;
    }
    let mut parts = late_parts(node.depth, place);
    parts -= if node.open { OPEN } else { 0 };
    parts -= if node.improving { IMPROVING } else { 0 };
    parts -= if node.check || after.is_check() { CHECK } else { 0 };
    parts -= if quiet { (promise / PROMISES).clamp(-PART, 2 * PART) } else { 0 };
    (parts / PART).clamp(0, node.depth - 2)
}

/// 0.8 + ln(depth) ln(place) / 2.2, in parts.
fn late_parts(depth: i32, place: usize) -> i32 {
    let product = f64::from(depth).ln() * (place as f64).ln();
    ((0.8 + product / 2.2) * f64::from(PART)) as i32
}

/// True if the side to move has more than one piece beside pawns and king: with fewer it may be in zugzwang, and a null move says
/// nothing.
fn has_pieces(position: &Chess) -> bool {
    let board = position.board();
    (position.us() & !(board.pawns() | board.kings())).more_than_one()
}
