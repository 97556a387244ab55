//! Won endings are won with the tables. Needs the folder named by `TABIYA_DATA`, with `syzygy/`.

use std::{path::PathBuf, sync::Arc};

use chess::{CastlingMode, Color, Game, MaterialEvaluator, StopSignal, TableResult, Tablebases};
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
