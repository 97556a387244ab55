//! The laws of [`Search`].

use std::{thread, time::Duration};

use shakmaty::Move;

use super::games::{colour_flipped, queen_ahead};
use crate::{Decision, Game, Limits, Search, SearchError, SearchInfo, SearchOptions, StopSignal, Wdl};

/// Nodes of one search: enough to expand the root and walk below it.
const NODES: u64 = 60;

/// Time after which an endless search is stopped.
const ENDLESS: Duration = Duration::from_millis(20);

/// Builds a new search with these options.
pub type Make<'a> = &'a mut dyn FnMut(&SearchOptions) -> Box<dyn Search>;

/// Checks the laws of a search with these options on every game.
///
/// # Panics
/// If a law is broken: names the search, the law and the position.
pub fn check(make: Make<'_>, options: &SearchOptions, games: &[Game]) {
    let make: &mut dyn FnMut() -> Box<dyn Search> = &mut || make(options);
    assert!(!make().describe().is_empty(), "a search says what it is");
    for game in games {
        if game.legal_moves().is_empty() {
            refuses_finished_games(make().as_mut(), game);
        } else {
            obeys_node_limit(make, game);
            obeys_search_moves(make().as_mut(), game);
            obeys_stop(make().as_mut(), game);
        }
    }
}

/// Checks law 6 on every game that is not over: a search created with one set of options and then given the other decides as
/// one created with the other, and setting the same options again changes nothing.
///
/// # Panics
/// If the law is broken: names the search and the position.
pub fn check_options(make: Make<'_>, [before, after]: [&SearchOptions; 2], games: &[Game]) {
    for game in games.iter().filter(|game| !game.legal_moves().is_empty()) {
        let expected = decide_timeless(make(after).as_mut(), game);
        let mut search = make(before);
        decide_timeless(search.as_mut(), game);
        search.set_options(after);
        search.new_game();
        let found = decide_timeless(search.as_mut(), game);
        assert_eq!(found, expected, "law 6 (options): {} in {}", search.describe(), game.fen());
        let mut twin = make(after);
        decide_timeless(twin.as_mut(), game);
        search.set_options(after);
        let [again, other] = [search, twin].map(|mut search| decide_timeless(search.as_mut(), game));
        assert_eq!(again, other, "law 6 (equal options change nothing) in {}", game.fen());
    }
}

/// A decision without the time that it took.
fn decide_timeless(search: &mut dyn Search, game: &Game) -> Decision {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let mut decision = decide(search, game, &limits, &StopSignal::default());
    decision.info.elapsed = Duration::ZERO;
    decision
}

/// Checks law 7 with either colour a queen up and either side to move. The search's evaluator counts
/// material.
///
/// # Panics
/// If the law is broken: names the search and the position.
pub fn check_sides(make: Make<'_>, options: &SearchOptions) {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    for (game, owner) in queen_ahead() {
        let mut search = make(options);
        let decision = decide(search.as_mut(), &game, &limits, &StopSignal::default());
        let lines = decision.info.variations.iter().map(|line| line.wdl).take(1);
        let best = decision.info.root_moves.iter().filter_map(|root_move| root_move.wdl).take(1);
        for wdl in lines.chain(best) {
            let of_owner = if game.turn() == owner { wdl } else { wdl.flipped() };
            let advantage = of_owner.expected_score();
            assert!(advantage > 0.5, "law 7 (a queen more): {}", place(search.as_ref(), &game, &decision));
        }
    }
}

/// The parts of a search's result that must agree between a position and its colour-flipped twin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// Everything: the search tries moves in an order that both sides share, so each root move is the image of the twin's move in
    /// the same place, with equal visits and value.
    Exact,
    /// Visits and values of all root moves; those with equal visits come in the generator's order, which differs between the
    /// sides.
    UpToOrder,
    /// The best value, to within this difference of expected scores: among moves that it considers equal, the generator's first
    /// may be the best. The twin's best move, searched alone, is worth as much.
    UpToTies(f32),
}

/// Checks law 8 on every game that is not over, for a search with one thread on an evaluator that sees both sides alike.
///
/// # Panics
/// If the law is broken: names the search and the position.
pub fn sees_sides_alike(
    make: Make<'_>,
    options: &SearchOptions,
    limits: &Limits,
    symmetry: Symmetry,
    games: &[Game],
) {
    for game in games.iter().filter(|game| !game.legal_moves().is_empty()) {
        let mut search = make(options);
        let seen = decide(search.as_mut(), game, limits, &StopSignal::default());
        let twins = decide(make(options).as_mut(), &colour_flipped(game), limits, &StopSignal::default());
        let place = format!("{} in {}", search.describe(), game.fen());
        match symmetry {
            Symmetry::Exact => {
                assert_eq!(seen.best, twins.best.to_mirrored(), "law 8 (best move): {place}");
                assert_eq!(found(&seen), images(&twins), "law 8 (root moves): {place}");
            }
            Symmetry::UpToOrder => {
                let (mut seen, mut twins) = (found(&seen), images(&twins));
                let best = [&seen, &twins].map(|moves| moves.first().map(|best| best.visits));
                assert_eq!(best[0], best[1], "law 8 (visits of the best move): {place}");
                for moves in [&mut seen, &mut twins] {
                    moves.sort_by_key(|one| format!("{:?}", one.chess_move));
                }
                assert_eq!(seen, twins, "law 8 (root moves): {place}");
            }
            Symmetry::UpToTies(tolerance) => {
                let image = Limits { search_moves: vec![twins.best.to_mirrored()], ..limits.clone() };
                let alone = decide(make(options).as_mut(), game, &image, &StopSignal::default());
                let [value, twins, alone] = [&seen, &twins, &alone].map(best_score);
                let distance = (value - twins).abs().max((value - alone).abs());
                assert!(distance <= tolerance, "law 8 (best value): {place}: {value}, {twins} and {alone}");
            }
        }
    }
}

/// The parts of a root move that both sides must share.
#[derive(Debug, PartialEq)]
struct Found {
    chess_move: Move,
    visits: u64,
    wdl: Option<Wdl>,
}

fn found(decision: &Decision) -> Vec<Found> {
    let moves = decision.info.root_moves.iter();
    moves.map(|one| Found { chess_move: one.chess_move, visits: one.visits, wdl: one.wdl }).collect()
}

fn images(twins: &Decision) -> Vec<Found> {
    let moves = found(twins).into_iter();
    moves.map(|one| Found { chess_move: one.chess_move.to_mirrored(), ..one }).collect()
}

/// Search, position and decision, for the message of a broken law.
fn place(search: &dyn Search, game: &Game, decision: &Decision) -> String {
    format!("{} in {}: {decision:?}", search.describe(), game.fen())
}

fn best_score(decision: &Decision) -> f32 {
    decision.info.variations.first().map_or(f32::NAN, |line| line.wdl.expected_score())
}

/// Runs one search under limits that end it, and checks law 4 on the way.
fn decide(search: &mut dyn Search, game: &Game, limits: &Limits, stop: &StopSignal) -> Decision {
    let mut last: Option<SearchInfo> = None;
    let decision = search
        .run(game, limits, stop, &mut |info| {
            lists_root_moves(game, info);
            last = Some(info.clone());
        })
        .unwrap_or_else(|error| panic!("{} in {}: {error}", search.describe(), game.fen()));
    assert_eq!(
        last.as_ref(),
        Some(&decision.info),
        "law 4 (final report): {}",
        place(search, game, &decision)
    );
    let is_legal = game.legal_moves().contains(&decision.best);
    assert!(is_legal, "law 1 (legal move): {}", place(search, game, &decision));
    decision
}

/// Law 5.
fn lists_root_moves(game: &Game, info: &SearchInfo) {
    for (number, root_move) in info.root_moves.iter().enumerate() {
        let earlier = &info.root_moves[..number];
        let is_new = earlier.iter().all(|other| other.chess_move != root_move.chess_move);
        let begins_line = root_move.variation.first() == Some(&root_move.chess_move);
        let mut line = game.clone();
        let is_legal = root_move.variation.iter().all(|&chess_move| line.play(chess_move).is_ok());
        let is_right = is_new && begins_line && is_legal;
        assert!(is_right, "law 5 (root moves) in {}, move {number}: {info:?}", game.fen());
    }
}

/// Laws 1 and 3.
fn obeys_node_limit(make: &mut dyn FnMut() -> Box<dyn Search>, game: &Game) {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let mut search = make();
    let first = decide(search.as_mut(), game, &limits, &StopSignal::default());
    let place = place(search.as_ref(), game, &first);
    let visits: u64 = first.info.root_moves.iter().map(|root_move| root_move.visits).sum();
    let counted = visits == 0 || visits == first.info.nodes || visits + 1 == first.info.nodes;
    assert!(counted, "law 3 (visits {visits} add up to the nodes, with or without the root's own): {place}");
    let known =
        first.info.root_moves.iter().all(|root_move| game.legal_moves().contains(&root_move.chess_move));
    assert!(known, "law 1 (legal root moves): {place}");
    assert_eq!(
        first.info.root_moves.first().map(|root_move| root_move.chess_move),
        Some(first.best),
        "best first: {place}"
    );

    let mut again = decide(make().as_mut(), game, &limits, &StopSignal::default());
    // Time is the only thing that may differ.
    again.info.elapsed = first.info.elapsed;
    assert_eq!(first, again, "law 3 (deterministic): {place}");
    search.new_game();
    let mut forgotten = decide(search.as_mut(), game, &limits, &StopSignal::default());
    forgotten.info.elapsed = first.info.elapsed;
    assert_eq!(first, forgotten, "new_game forgets: {}", search.describe());
}

/// Law 1 with `search_moves`.
fn obeys_search_moves(search: &mut dyn Search, game: &Game) {
    let moves = game.legal_moves();
    let wanted: Vec<Move> = moves.iter().rev().take(2).copied().collect();
    let limits = Limits { nodes: Some(NODES), search_moves: wanted.clone(), ..Limits::default() };
    let decision = decide(search, game, &limits, &StopSignal::default());
    let is_wanted = wanted.contains(&decision.best);
    assert!(is_wanted, "law 1 (search_moves {wanted:?}): {}", place(search, game, &decision));
}

/// Law 2: checks only that the search returns; the delay is left to benchmarks.
fn obeys_stop(search: &mut dyn Search, game: &Game) {
    let stopped = StopSignal::default();
    stopped.stop();
    decide(search, game, &Limits { infinite: true, ..Limits::default() }, &stopped);

    let stop = StopSignal::default();
    let later = stop.clone();
    thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(ENDLESS);
            later.stop();
        });
        decide(search, game, &Limits { infinite: true, ..Limits::default() }, &stop);
        assert!(stop.is_stopped(), "law 2 (infinite ends only when stopped): {}", search.describe());
    });
}

fn refuses_finished_games(search: &mut dyn Search, game: &Game) {
    let answer = search.run(game, &Limits::default(), &StopSignal::default(), &mut |_| {});
    assert!(
        matches!(answer, Err(SearchError::NoLegalMove { .. })),
        "a finished game has no move: {} in {}: {answer:?}",
        search.describe(),
        game.fen()
    );
}
