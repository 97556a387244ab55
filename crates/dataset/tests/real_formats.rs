//! Real files of each format, read to the end.

use std::path::Path;

use dataset::{
    record::{Origin, Record, Winner},
    source::{self, BadRecord},
};

fn read(name: &str) -> Vec<Result<Record, BadRecord>> {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    source::open(&Path::new(&data).join(name)).unwrap().map(Result::unwrap).collect()
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_every_game_of_the_lichess_table_is_read() {
    let records = read("seeds/cogs188-lichess-games.csv");
    assert_eq!(records.len(), 20_058);
    let (mut plies, mut winners) = (0, [0; 3]);
    for record in records {
        let Ok(Record::Game(game)) = record else { panic!("{record:?}") };
        plies += game.moves.len();
        winners[match game.winner.unwrap() {
            Winner::White => 0,
            Winner::Draw => 1,
            Winner::Black => 2,
        }] += 1;
        assert!(game.white_rating.is_some() && game.time_control.is_some() && game.eco.is_some());
    }
    assert_eq!((plies, winners), (1_212_827, [10_001, 950, 9_107]));
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_every_puzzle_gives_the_positions_of_its_solver() {
    let records = read("puzzles/lichess-puzzles.csv.zst");
    let mut lines = std::collections::HashSet::new();
    for record in records {
        let Ok(Record::Position(position)) = record else { panic!("{record:?}") };
        assert_eq!(position.origin, Some(Origin::Puzzle));
        lines.insert(position.place.line);
    }
    assert_eq!(lines.len(), 25_000);
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_suites_of_epd_lines_are_read() {
    for (name, count) in [("epd/wac.epd", 300), ("epd/bratko-kopec.epd", 24), ("epd/sts.epd", 1_188)] {
        let records = read(name);
        assert_eq!(records.len(), count, "{name}");
        assert!(records.iter().all(Result::is_ok), "{name}: {:?}", records.iter().find(|one| one.is_err()));
    }
}
