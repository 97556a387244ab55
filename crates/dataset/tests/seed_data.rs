//! The files of the older projects, counted to the last row.

use std::path::{Path, PathBuf};

use chess::{CastlingMode, Chess, Position as _, Score, print_san, print_uci_move};
use dataset::{
    record::{GameRecord, PositionRecord, Record, Winner},
    source::{self, BadRecord, PositionRules, input::Location, position_graph::decode_placement},
};

fn path(name: &str) -> PathBuf {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    Path::new(&data).join("seeds").join(name)
}

fn read(name: &str, rules: PositionRules) -> Vec<Result<Record, BadRecord>> {
    source::open_with(&Location::File(path(name)), rules).unwrap().map(Result::unwrap).collect()
}

fn games(name: &str) -> (Vec<GameRecord>, Vec<BadRecord>) {
    let (mut games, mut broken) = (Vec::new(), Vec::new());
    for record in read(name, PositionRules::Strict) {
        match record {
            Ok(Record::Game(game)) => games.push(game),
            Ok(other) => panic!("{other:?}"),
            Err(bad) => broken.push(bad),
        }
    }
    (games, broken)
}

fn evaluations(rules: PositionRules) -> (Vec<PositionRecord>, Vec<BadRecord>) {
    let (mut positions, mut broken) = (Vec::new(), Vec::new());
    for record in read("aichess-example-evals.parquet", rules) {
        match record {
            Ok(Record::Position(position)) => positions.push(*position),
            Ok(other) => panic!("{other:?}"),
            Err(bad) => broken.push(bad),
        }
    }
    (positions, broken)
}

fn castlings(positions: &[PositionRecord], text: &str) -> usize {
    let named = |record: &&PositionRecord| {
        record.best_move.is_castle() && print_uci_move(record.best_move, CastlingMode::Chess960) == text
    };
    positions.iter().filter(named).count()
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_98_positions_of_the_evaluations_break_the_rules_and_castling_is_repaired() {
    let (positions, broken) = evaluations(PositionRules::Strict);
    assert_eq!(positions.len() + broken.len(), 10_000);
    // One has nine pawns; in 97 king or rook are not at home, which Chess960 allows.
    assert_eq!(broken.iter().map(|bad| bad.line).collect::<Vec<_>>(), [1_796]);
    let (chess960, positions): (Vec<_>, Vec<_>) =
        positions.into_iter().partition(|record| record.castling_mode.is_chess960());
    assert_eq!(chess960.len(), 97);
    assert!([2_752, 5_462].iter().all(|line| chess960.iter().any(|record| record.place.line == *line)));
    let castled = ["e1h1", "e8h8", "e8a8", "e1a1"].map(|text| castlings(&positions, text));
    assert_eq!((castled, castled.iter().sum::<usize>()), ([57, 55, 9, 8], 129));
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_the_repaired_evaluations_give_the_figures_of_their_project() {
    let (positions, broken) = evaluations(PositionRules::Repaired);
    // c8g8 of a Chess960 position stays illegal; f8h8 becomes f8g8.
    assert_eq!((positions.len(), broken.len(), broken[0].line), (9_999, 1, 5_462), "{broken:?}");
    let rows = positions.len() as f64;
    let legal = positions.iter().map(|record| record.position.legal_moves().len() as f64);
    let cross_entropy = legal.clone().map(f64::ln).sum::<f64>() / rows;
    let top_1 = legal.map(f64::recip).sum::<f64>() / rows;
    assert_eq!((format!("{cross_entropy:.4}"), format!("{top_1:.4}")), ("3.0673".into(), "0.0837".into()));
    let white = positions.iter().filter(|record| record.position.turn().is_white()).count();
    let unevaluated = positions.iter().filter(|record| record.evaluation.is_none()).count();
    // The row left out is Black's and has an evaluation.
    assert_eq!((white, positions.len() - white, unevaluated), (5_050, 4_949, 1_291));
    let values: Vec<f64> = positions.iter().filter_map(white_value).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
    let huber = variance / 2.0;
    let found = [mean, variance, huber].map(|number| format!("{number:.4}"));
    assert_eq!(found, ["0.0913", "0.1618", "0.0809"]);
}

/// tanh(cp / 600) as White sees it.
fn white_value(record: &PositionRecord) -> Option<f64> {
    let Some(Score::Centipawns(centipawns)) = record.evaluation else { return None };
    let sign = if record.position.turn().is_white() { 1.0 } else { -1.0 };
    Some((sign * f64::from(centipawns) / 600.0).tanh())
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_every_lichess_game_replays_and_repeated_rows_are_recognised() {
    let (games, broken) = games("cogs188-lichess-games.csv");
    assert!(broken.is_empty(), "{broken:?}");
    let distinct = |key: fn(&GameRecord) -> Option<u64>| {
        games.iter().map(|game| key(game).unwrap()).collect::<std::collections::HashSet<_>>().len()
    };
    assert_eq!(games.len() - distinct(|game| game.identity.name), 945);
    assert_eq!(games.len() - distinct(|game| game.identity.row), 429);
    for game in games.iter().step_by(50) {
        let mut position = Chess::default();
        for recorded in &game.moves {
            let san = print_san(&position, recorded.played);
            assert_eq!(chess::parse_san(&position, &san).unwrap(), recorded.played, "{san}");
            position.play_unchecked(recorded.played);
        }
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_world_championship_headings_and_openings_are_counted() {
    let (headings, broken) = games("cogs188-wcc-games.csv");
    assert_eq!((headings.len(), broken.len()), (2_938, 0), "{broken:?}");
    let won = |winner| headings.iter().filter(|game| game.winner == Some(winner)).count();
    assert_eq!([Winner::Draw, Winner::White, Winner::Black].map(won), [1_515, 907, 516]);
    let unrated = |rating: fn(&GameRecord) -> Option<u16>| {
        headings.iter().filter(|game| rating(game).is_none()).count()
    };
    assert_eq!((unrated(|game| game.white_rating), unrated(|game| game.black_rating)), (587, 588));
    assert_eq!(headings.iter().filter(|game| game.eco.is_none()).count(), 1);
    assert_eq!(games("cogs188-wcgraph-games.csv").0.len(), 684);
    let (openings, broken) = games("cogs188-eco-codes.csv");
    let lines: Vec<u64> = broken.iter().map(|bad| bad.line).collect();
    // A00 is in the first row; C69 is the 270th.
    assert_eq!((openings.len(), lines), (498, vec![2, 271]), "{broken:?}");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_the_graph_of_positions_decodes_and_its_games_replay() {
    let text = std::fs::read_to_string(path("cogs188-wcgraph-positions.csv")).unwrap();
    let placements: Vec<&str> = text.lines().skip(1).filter_map(|row| row.split(',').nth(1)).collect();
    assert_eq!(placements.len(), 51_718);
    for placement in placements {
        let board = decode_placement(placement).unwrap();
        assert_eq!(board.to_string().replace('/', ""), placement);
    }
    let (graph, broken) = games("cogs188-wcgraph-moves.csv");
    assert_eq!((graph.len(), broken.len()), (684, 0), "{:?}", broken.first());
    // 60,180 edges and the one that the first game lacks.
    assert_eq!(graph.iter().map(|game| game.moves.len()).sum::<usize>(), 60_181);
}
