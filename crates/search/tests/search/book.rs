//! Opening books before a search.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::sync::Arc;

use chess::{
    CastlingMode, Game, Limits, MaterialEvaluator, PolyglotBook, Search, SearchOptions, StopSignal, laws,
    parse_san, polyglot::BookEntry,
};
use search::search_kind;

use crate::support::options;

/// e4 with weight 6, d4 with 3, c4 with 1, a3 with 0, and after e4 only e5.
fn book() -> Arc<PolyglotBook> {
    let start = Game::default();
    let mut after = Game::default();
    after.play_san("e4").unwrap();
    let entry = |game: &Game, san: &str, weight| {
        BookEntry::new(game.position(), parse_san(game.position(), san).unwrap(), weight)
    };
    Arc::new(PolyglotBook::new(vec![
        entry(&start, "e4", 6),
        entry(&start, "d4", 3),
        entry(&start, "c4", 1),
        entry(&start, "a3", 0),
        entry(&after, "e5", 1),
    ]))
}

fn search(options: &SearchOptions) -> Box<dyn Search> {
    let kind = search_kind("puct").unwrap();
    kind.build_with_book(Arc::new(MaterialEvaluator), options, None, book())
}

fn played(search: &mut dyn Search, game: &Game, limits: &Limits) -> (String, u64) {
    let decision = search.run(game, limits, &StopSignal::default(), &mut |_| ()).unwrap();
    (decision.best.to_uci(CastlingMode::Standard).to_string(), decision.info.nodes)
}

fn few() -> Limits {
    Limits { nodes: Some(10), ..Limits::default() }
}

#[test]
fn a_search_with_a_book_obeys_the_laws() {
    let mut games = laws::sample_games(5, 4);
    games.push(Game::default());
    let own = options("OwnBook=true BookTemperature=0");
    let (plain, other) = (options("Hash=1"), options("OwnBook=true BookVariety=true Seed=3"));
    laws::search::check(&mut |options: &SearchOptions| search(options), &own, &games);
    laws::search::check_options(&mut |options| search(options), [&plain, &other], &games);
    laws::search::check_options(&mut |options| search(options), [&other, &plain], &games);
}

#[test]
fn book_moves_are_played_at_the_rates_of_their_weights() {
    let mut search = search(&options("OwnBook=true"));
    let mut counts = [0_u32; 3];
    for seed in 0..2000 {
        search.new_game();
        search.reseed(seed);
        let (best, nodes) = played(search.as_mut(), &Game::default(), &few());
        assert_eq!(nodes, 0, "nothing was searched");
        counts[["e2e4", "d2d4", "c2c4"].iter().position(|each| *each == best).unwrap()] += 1;
    }
    let rates = counts.map(|count| f64::from(count) / 2000.0);
    // Three standard errors are 0.034 at most.
    assert!(rates.iter().zip([0.6, 0.3, 0.1]).all(|(rate, share)| (rate - share).abs() < 0.034), "{rates:?}");
}

#[test]
fn the_choice_is_an_option() {
    let heaviest = |settings: &str| {
        (0..200).all(|seed| {
            let mut search = search(&options(&format!("OwnBook=true {settings}")));
            search.reseed(seed);
            played(search.as_mut(), &Game::default(), &few()).0 == "e2e4"
        })
    };
    assert!(heaviest("BookTemperature=0"));
    assert!(!heaviest("BookTemperature=0 BookVariety=true"));
}

#[test]
fn the_search_answers_where_the_book_is_silent() {
    let nodes = |settings: &str, game: &Game, limits: Limits| {
        let mut search = search(&options(settings));
        played(search.as_mut(), game, &limits).1
    };
    let start = Game::default();
    assert!(nodes("", &start, few()) > 0, "the book is off unless asked for");
    let mut unknown = Game::default();
    unknown.play_san("a3").unwrap();
    assert!(nodes("OwnBook=true", &unknown, few()) > 0);
    let mut known = Game::default();
    known.play_san("e4").unwrap();
    assert_eq!(nodes("OwnBook=true BookPlies=2", &known, few()), 0);
    assert!(nodes("OwnBook=true BookPlies=1", &known, few()) > 0);
    let mut repeated = Game::default();
    for san in ["Nf3", "Nf6", "Ng1", "Ng8"] {
        repeated.play_san(san).unwrap();
    }
    assert!(nodes("OwnBook=true", &repeated, few()) > 0, "a book would repeat it for ever");
    let freestyle = Game::from_position(start.position().clone(), CastlingMode::Chess960);
    assert!(nodes("OwnBook=true", &freestyle, few()) > 0);
    assert!(nodes("OwnBook=true", &start, Limits { mate: Some(1), ..few() }) > 0);
}

#[test]
fn only_the_moves_asked_for_are_considered_and_a_weight_of_0_is_never_played() {
    let start = Game::default();
    let only = |san: &str| Limits { search_moves: vec![parse_san(start.position(), san).unwrap()], ..few() };
    let mut search = search(&options("OwnBook=true"));
    assert_eq!(played(search.as_mut(), &start, &only("c4")), ("c2c4".into(), 0));
    let (best, nodes) = played(search.as_mut(), &start, &only("a3"));
    assert!(best == "a2a3" && nodes > 0, "{nodes}");
}
