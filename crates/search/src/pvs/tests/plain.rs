//! Plain alpha-beta against minimax without any cut.

use std::collections::HashMap;

use chess::{
    Chess, PlayerRatings, laws::HashedEvaluator, played, position_key, quiescence::captures,
    static_exchange::StaticExchange,
};

use super::*;
use crate::{alpha_beta::MATED, pvs::numbers::LARGEST};

/// Positions that minimax may look at. Of the sample games few have more of them within two half-moves and the captures after them.
const MOST_NODES: u64 = 20_000;

/// Values by their definition, of which nothing is cut off.
#[derive(Default)]
struct Minimax {
    /// Values at the horizon by key and half-move: captures reach the same positions in many orders.
    known: HashMap<(u64, i32), i32>,
    nodes: u64,
}

impl Minimax {
    /// The value of a position in which no rule but mate, stalemate and too little material ends the game.
    fn value(&mut self, position: &Chess, depth: u32, ply: i32) -> i32 {
        if depth == 0 {
            return self.quiet(position, ply);
        }
        self.nodes += 1;
        let moves = position.legal_moves();
        if position.is_insufficient_material() || self.nodes > MOST_NODES {
            return 0;
        }
        if moves.is_empty() {
            return if position.is_check() { MATED + ply } else { 0 };
        }
        let mut best = MATED;
        for chess_move in moves {
            best = best.max(-self.value(&played(position, chess_move), depth - 1, ply + 1));
        }
        best
    }

    /// The value after the captures that do not lose material and, in check, after all evasions.
    fn quiet(&mut self, position: &Chess, ply: i32) -> i32 {
        let key = (position_key(position), ply);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        self.nodes += 1;
        if position.is_insufficient_material() || self.nodes > MOST_NODES {
            return 0;
        }
        let check = position.is_check();
        let mut best = if check { MATED + ply } else { evaluate(position) };
        let moves = if check { position.legal_moves() } else { captures(position) };
        let exchanges = StaticExchange::new(position);
        for chess_move in moves {
            if check || exchanges.is_safe(chess_move) {
                best = best.max(-self.quiet(&played(position, chess_move), ply + 1));
            }
        }
        self.known.insert(key, best);
        best
    }
}

fn evaluate(position: &Chess) -> i32 {
    let wdl = Values::of(&HashedEvaluator, PlayerRatings::default()).value(position);
    ((UNITS * wdl.log_odds()) as i32).clamp(-LARGEST, LARGEST)
}

/// The value by plain alpha-beta to this depth, and its nodes.
fn with_cuts(game: &Game, depth: u32) -> (i32, u64) {
    let search = Pvs::plain(Arc::new(HashedEvaluator), &SearchOptions::default(), None);
    let shared = Shared {
        evaluator: search.evaluator.as_ref(),
        tables: None,
        table: &search.table,
        prunes: search.prunes,
        game,
        moves: search.root_moves(game, &Limits::default()).unwrap(),
        keys: keys_before(game),
        counts: SharedCounts::default(),
    };
    let (mut histories, is_over) = (Histories::default(), |_: u64| false);
    let mut run = Run::new(&shared, &mut histories, &is_over);
    assert!((1..=depth).all(|depth| run.deepen(depth as i32, 1).is_ok()), "nothing ends it");
    (run.best_value(), run.nodes)
}

#[test]
fn the_cuts_change_nothing_but_the_number_of_nodes() {
    let (mut compared, mut all, mut cut) = (0, 0, 0);
    for game in laws::sample_games(11, 40) {
        let position = game.position();
        let is_small = position.board().occupied().count() <= 16;
        if game.outcome().is_some() || position.halfmoves() > 80 || !is_small {
            continue;
        }
        // Without the game before it no position is a repetition.
        let game = Game::from_position(position.clone(), game.castling_mode());
        for depth in 1..=2 {
            let mut minimax = Minimax::default();
            let expected = minimax.value(game.position(), depth, 0);
            if minimax.nodes > MOST_NODES {
                continue;
            }
            let (found, nodes) = with_cuts(&game, depth);
            assert_eq!(found, expected, "depth {depth} in {}", game.fen());
            (compared, all, cut) = (compared + 1, all + minimax.nodes, cut + nodes);
        }
    }
    assert!(compared > 10 && cut < all, "{compared} values, {cut} nodes instead of {all}");
}

#[test]
fn mates_are_found_with_their_length() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 2, Score::Mate(1), "d1d8"),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 4, Score::Mate(2), ""),
        ("7K/8/8/8/8/8/r7/1r5k b - - 0 1", 4, Score::Mate(2), ""),
    ];
    for (fen, depth, score, best) in mates {
        let search = &mut Pvs::plain(Arc::new(MaterialEvaluator), &SearchOptions::default(), None);
        let decision = run(search, &game(fen), &to_depth(depth));
        assert_eq!(decision.info.variations[0].score, score, "{fen}");
        assert!(best.is_empty() || uci(decision.best) == best, "{fen}: {}", uci(decision.best));
    }
}

#[test]
fn quiescence_sees_that_a_protected_pawn_is_poisoned() {
    let search = &mut Pvs::plain(Arc::new(MaterialEvaluator), &SearchOptions::default(), None);
    let decision = run(search, &game("4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1"), &to_depth(1));
    assert_ne!(uci(decision.best), "d2d5");
}
