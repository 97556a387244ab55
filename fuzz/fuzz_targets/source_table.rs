//! Any text below the heading of a table; the heading decides which reader gets it.
#![no_main]

use std::{io::Write as _, sync::LazyLock};

use dataset::source;
use libfuzzer_sys::fuzz_target;
use tempfile::NamedTempFile;

/// A heading for each table of `SOURCES`.
const HEADINGS: [&str; 8] = [
    "fen,line,depth,knodes,cp,mate\n",
    "PuzzleId,FEN,Moves\n",
    "id,turns,winner,increment_code,white_rating,black_rating,moves,opening_eco\n",
    "game_id,result,white_elo,time_control,move,cp,clock,board\n",
    "game_id,date_played,result,white_elo,black_elo,eco\n",
    "GameNumber,HalfMoves,Result,WhiteElo,BlackElo,ECO\n",
    "GameNumber,Move,Side,ending_position,starting_position\n",
    "eco,eco_name,eco_example\n",
];

static FILE: LazyLock<NamedTempFile> = LazyLock::new(|| NamedTempFile::new().expect("a temporary file"));

fuzz_target!(|input: (u8, &[u8])| {
    let (table, rows) = input;
    let mut file = std::fs::File::create(FILE.path()).expect("the temporary file can be written");
    let heading = HEADINGS[usize::from(table) % HEADINGS.len()];
    file.write_all(heading.as_bytes()).and_then(|()| file.write_all(rows)).expect("it can be written");
    // Rows with a zero byte make it a binary file.
    if let Ok(source) = source::open(FILE.path()) {
        let errors = source.filter(Result::is_err).count();
        assert!(errors <= 1, "{errors} errors that each end the source");
    }
});
