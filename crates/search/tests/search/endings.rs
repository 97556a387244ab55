//! Won endings are won with the tables. Needs the folder named by `TABIYA_DATA`, with `syzygy/`.

use std::{path::PathBuf, sync::Arc};

use chess::{CastlingMode, Color, Game, MaterialEvaluator, Score, StopSignal, TableResult, Tablebases};
use rand::RngExt as _;
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
use search::search_kind;

use crate::support::{nodes, options};

/// Won positions of each ending.
const POSITIONS: usize = 200;

fn tables() -> Arc<Tablebases> {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the data folder");
    let folder = PathBuf::from(data).join("syzygy");
    let (tables, problems) = Tablebases::open(&folder.display().to_string());
    assert_eq!(problems, Vec::<String>::new());
    Arc::new(tables)
}

/// A random legal position of these pieces, White's in capitals, with either side to move.
fn random_position(pieces: &str, random: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let mut squares = ['.'; 64];
    for piece in pieces.chars() {
        let free: Vec<usize> = (0..64).filter(|&square| squares[square] == '.').collect();
        squares[free[random.random_range(0..free.len())]] = piece;
    }
    let ranks: Vec<String> = squares
        .chunks(8)
        .map(|rank| rank.iter().map(|&square| if square == '.' { '1' } else { square }).collect())
        .collect();
    let turn = if random.random::<bool>() { 'w' } else { 'b' };
    Game::from_fen(&format!("{} {turn} - - 0 1", ranks.join("/")), CastlingMode::Standard).ok()
}

fn is_won(tables: &Tablebases, game: &Game) -> bool {
    let expected = if game.turn().is_white() { TableResult::Win } else { TableResult::Loss };
    game.outcome().is_none() && tables.probe(game.position()) == Some(expected)
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_every_won_ending_is_won() {
    let tables = tables();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let kinds = ["puct", "pvs"].map(|name| search_kind(name).expect("a known search"));
    for (pieces, kind) in
        ["KQk", "KRk", "KBBk", "KPk"].iter().flat_map(|pieces| kinds.map(|kind| (*pieces, kind)))
    {
        let mut search =
            kind.build(Arc::new(MaterialEvaluator), &options("Hash=4"), Some(Arc::clone(&tables)));
        let mut played = 0;
        while played < POSITIONS {
            let Some(mut game) = random_position(pieces, &mut random).filter(|game| is_won(&tables, game))
            else {
                continue;
            };
            played += 1;
            let start = game.fen();
            search.new_game();
            while game.outcome().is_none() {
                let chosen = if game.turn() == Color::White {
                    let decision = search.run(&game, &nodes(20), &StopSignal::default(), &mut |_| {});
                    decision.expect("a decision").best
                } else {
                    // The defence that puts the end off longest.
                    tables.best_moves(&game).expect("the tables know")[0]
                };
                game.play(chosen).expect("legal");
            }
            let winner = game.outcome().and_then(|outcome| outcome.winner);
            assert_eq!(winner, Some(Color::White), "{start} ended in {}", game.fen());
        }
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_results_from_the_tables_reach_the_tree() {
    // Taking the pawn leaves the win of a queen; with the pawn on the board the network would have to judge.
    let game = Game::from_fen("8/8/8/3k4/8/8/p7/K2Q4 b - - 3 60", CastlingMode::Standard).expect("legal");
    for name in ["puct", "pvs"] {
        let kind = search_kind(name).expect("a known search");
        let mut search =
            kind.build(Arc::new(MaterialEvaluator), &options("SyzygyFastPlay=false"), Some(tables()));
        let found = search.run(&game, &nodes(2000), &StopSignal::default(), &mut |_| {});
        let info = found.expect("a decision").info;
        assert!(info.table_hits > 0, "{name}: {info:?}");
    }
}

/// The moves were restricted to the best ones, and the score was still the evaluator's: +1.3 for a win and for a draw.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_known_results_are_told() {
    let tables = tables();
    for (fen, result) in [
        ("1N6/8/2B5/8/8/3K4/8/4k3 w - - 1 80", 1.0),
        // Won, but not within the fifty moves.
        ("1N6/8/2B5/8/8/3K4/8/4k3 w - - 96 80", 0.0),
        ("1N6/8/2B5/8/8/3K4/8/4k3 b - - 2 80", -1.0),
        ("1N6/8/2B5/8/8/3K4/8/4k3 b - - 97 80", 0.0),
        ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", 0.0),
        ("8/8/8/4k3/8/8/8/K2Q4 w - - 3 60", 1.0),
    ] {
        let game = Game::from_fen(fen, CastlingMode::Standard).expect("legal");
        let known = tables.results(&game).expect("the tables know");
        for (name, fast) in [
            ("puct", true),
            ("puct", false),
            ("pvs", true),
            ("pvs", false),
            ("alpha-beta", true),
            ("policy", true),
        ] {
            let kind = search_kind(name).expect("a known search");
            let text = format!("MultiPV=3 SyzygyFastPlay={fast}");
            let mut search =
                kind.build(Arc::new(MaterialEvaluator), &options(&text), Some(Arc::clone(&tables)));
            let mut last = None;
            let decision =
                search.run(&game, &nodes(300), &StopSignal::default(), &mut |info| last = Some(info.clone()));
            let info = decision.expect("a decision").info;
            assert!(info.table_hits >= game.legal_moves().len() as u64, "{name}: {info:?}");
            assert_eq!(
                last.as_ref().map(|last| &last.variations),
                Some(&info.variations),
                "{fen} {name}: as reported"
            );
            for line in &info.variations {
                let own = known.iter().find(|(chess_move, _)| *chess_move == line.moves[0]).expect("legal").1;
                let expected = [-1.0, 0.0, 1.0][own as usize];
                assert_eq!(line.wdl.value(), expected, "{fen} {name}: {line:?}");
                let agrees = match line.score {
                    Score::Mate(moves) => (moves > 0) == (expected > 0.0),
                    Score::Centipawns(centipawns) => {
                        centipawns.signum() == expected as i32 && centipawns.abs() != 1
                    }
                };
                assert!(agrees, "{fen} {name}: {line:?}");
            }
            if fast && ["puct", "pvs"].contains(&name) {
                assert_eq!(info.variations[0].wdl.value(), result, "{fen} {name}: {info:?}");
            }
        }
    }
}
