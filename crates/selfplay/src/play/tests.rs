use std::sync::Arc;

use chess::{Evaluator, MaterialEvaluator, RootMove, SearchInfo};

use super::*;
use crate::{Effort, NetworkName, engine::visit_counts};

/// A search whose decision is scripted by the half-move: the first legal move, with this expected score for White.
struct Scripted(fn(usize) -> f32);

impl Search for Scripted {
    fn describe(&self) -> String {
        "scripted".into()
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        _: &StopSignal,
        _: &mut dyn FnMut(&chess::SearchInfo),
    ) -> Result<Decision, SearchError> {
        let white = (self.0)(game.ply());
        let score = if game.turn().is_white() { white } else { 1.0 - white };
        let wdl = Wdl { win: score, draw: 0.0, loss: 1.0 - score };
        let nodes = limits.nodes.unwrap_or(0);
        let moves: Vec<RootMove> = game
            .legal_moves()
            .iter()
            .enumerate()
            .map(|(place, &chess_move)| RootMove {
                visits: if place == 0 { nodes - 1 } else { 0 },
                wdl: (place == 0).then_some(wdl),
                ..RootMove::unvisited(chess_move, 1.0 / game.legal_moves().len() as f32)
            })
            .collect();
        let info = SearchInfo { nodes, evaluations: nodes, root_moves: moves, ..SearchInfo::default() };
        Ok(Decision { best: info.root_moves[0].chess_move, ponder: None, info })
    }
}

struct Double;

impl Engines for Double {
    fn evaluator(&self, _: &NetworkName, _: Option<&[u8]>) -> Result<Arc<dyn Evaluator>, String> {
        Ok(Arc::new(MaterialEvaluator))
    }

    fn search(&self, _: Arc<dyn Evaluator>, _: Effort) -> Box<dyn Search> {
        Box::new(Scripted(|_| 0.5))
    }

    fn policy(&self, moves: &[RootMove]) -> Vec<(Move, u32)> {
        visit_counts(moves)
    }

    fn opening(&self, _: u64) -> Game {
        let mut game = Game::default();
        game.play_uci("e2e4").unwrap();
        game
    }
}

fn played(settings: &str, script: fn(usize) -> f32, seed: u64) -> UnnamedGame {
    let settings: PlaySettings = toml::from_str(settings).unwrap();
    settings.check().unwrap();
    let quick = (settings.quick_nodes > 0).then(|| Box::new(Scripted(script)) as Box<dyn Search>);
    let mut searches = Searches { full: Box::new(Scripted(script)), quick };
    play(&mut searches, &Double, &settings, seed, &StopSignal::default()).unwrap().unwrap()
}

#[test]
fn a_game_keeps_its_opening_and_what_each_search_found() {
    let game = played("nodes = 11\nmost_plies = 30", |_| 0.75, 1);
    assert_eq!((game.end, game.winner, game.moves.len()), (GameEnd::Length, Winner::Draw, 30));
    assert_eq!(game.start, Game::default().fen());
    assert!(game.moves[0].search.is_none(), "the opening was not searched");
    for (ply, played) in game.moves.iter().enumerate().skip(1) {
        let found = played.search.as_ref().unwrap();
        assert_eq!(found.policy, [(played.chess_move, 10)]);
        let expected = if ply.is_multiple_of(2) { 0.75 } else { 0.25 };
        assert!((found.value.expected_score() - expected).abs() < 1e-6, "seen by the side to move");
        assert!(found.surprise.unwrap() > 0.0, "all visits on one of many equal moves");
    }
    assert_eq!(game.evaluations, 29 * 11);
}

#[test]
fn quick_searches_choose_moves_and_are_not_learned() {
    let settings = "nodes = 11\nquick_nodes = 3\nfull_share = 0.25\nmost_plies = 301";
    let game = played(settings, |_| 0.5, 2);
    let full = game
        .moves
        .iter()
        .filter_map(|played| played.search.as_ref())
        .filter(|found| !found.policy.is_empty());
    let full = full.count() as f64;
    let searched = (game.moves.len() - 1) as f64;
    // Four standard deviations of a binomial variate.
    let deviation = (searched * 0.25 * 0.75).sqrt();
    assert!((full - 0.25 * searched).abs() < 4.0 * deviation, "{full} of {searched}");
    assert_eq!(game.evaluations, full as u64 * 11 + (searched - full) as u64 * 3);
}

#[test]
fn a_side_gives_up_after_hopeless_moves_in_a_row() {
    let rule = "nodes = 3\nmost_plies = 60\nresignation = { below = 0.1, moves = 3, verified = 0.0 }";
    // Hopeless for Black from half-move 9 on, with one better move at 13: the row starts over.
    let script = |ply: usize| if ply >= 9 && ply != 13 { 0.95 } else { 0.6 };
    let game = played(rule, script, 3);
    assert_eq!((game.end, game.winner, game.doubted), (GameEnd::Resignation, Winner::White, None));
    // Black's moves at 9 and 11 count, not 13; then 15, 17 and 19, where it no longer moves.
    assert_eq!(game.moves.len(), 19);
}

#[test]
fn a_verified_game_is_played_on_and_says_where_it_would_have_ended() {
    let rule = "nodes = 3\nmost_plies = 60\nresignation = { below = 0.1, moves = 3, verified = 1.0 }";
    let game = played(rule, |ply| if ply >= 9 { 0.95 } else { 0.6 }, 3);
    assert_eq!((game.end, game.winner), (GameEnd::Length, Winner::Draw));
    let doubted = game.doubted.unwrap();
    assert_eq!((doubted.ply, doubted.white), (13, false));
}

#[test]
fn a_stopped_game_is_none() {
    let settings: PlaySettings = toml::from_str("nodes = 3").unwrap();
    let mut searches = Searches { full: Box::new(Scripted(|_| 0.5)), quick: None };
    let stop = StopSignal::default();
    stop.stop();
    assert_eq!(play(&mut searches, &Double, &settings, 1, &stop).unwrap(), None);
}
