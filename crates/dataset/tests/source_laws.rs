//! The laws of `Source`, which every format of `SOURCES` obeys.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use dataset::{
    DatasetError,
    record::Record,
    source::{self, SOURCES, input::Location},
};
use proptest::prelude::*;

/// Example texts of one format.
struct Example {
    /// Name of the format in `SOURCES`.
    format: &'static str,
    /// Text before the first record, such as a line of column names.
    header: &'static str,
    /// Two good records; of one line each, or lines that end with an empty one.
    good: [&'static str; 2],
    /// A record that cannot be read, and the line of it on which that shows.
    broken: (&'static str, u64),
    /// Encodes a text as a file; `None` if the file is the text.
    encode: Option<fn(&str) -> Vec<u8>>,
}

impl Example {
    /// The file with a broken record between the good ones.
    fn file(&self) -> Vec<u8> {
        self.encode.map_or_else(|| text(self).into_bytes(), |encode| encode(&text(self)))
    }

    fn is_text(&self) -> bool {
        self.encode.is_none()
    }
}

const EXAMPLES: &[Example] = &[
    Example {
        format: "Lichess evaluations as JSON lines",
        header: "",
        good: [
            "{\"fen\":\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\",\"evals\":[{\"depth\":5,\"pvs\":[{\"cp\":1,\"line\":\"e2e4\"}]}]}\n",
            "{\"fen\":\"k7/8/8/8/8/8/8/K6Q w - -\",\"evals\":[{\"depth\":5,\"pvs\":[{\"mate\":9,\"line\":\"h1g1\"}]}]}\n",
        ],
        broken: ("{\"fen\":\"k7/8/8/8/8/8/8/K6Q w - -\",\"evals\":[]}\n", 1),
        encode: None,
    },
    Example {
        format: "Lichess puzzles as CSV",
        header: "PuzzleId,FEN,Moves,Rating\n",
        good: [
            "a,r1b1k1nr/pppp1ppp/8/2q5/4P3/2N5/PPP3PP/R1BQ1BKR w kq - 2 9,c1e3 c5e3,400\n",
            "b,\"r1b1k1nr/pppp1ppp/8/2q5/4P3/2N5/PPP3PP/R1BQ1BKR w kq - 2 9\",c1e3 c5e3,400\n",
        ],
        broken: ("c,r1b1k1nr/pppp1ppp/8/2q5/4P3/2N5/PPP3PP/R1BQ1BKR w kq - 2 9,c1e3 c5e4,400\n", 1),
        encode: None,
    },
    Example {
        format: "Lichess games as CSV",
        header: "id,turns,winner,increment_code,white_rating,black_rating,moves,opening_eco\n",
        good: ["a,4,white,15+2,1500,1191,d4 d5 c4 c6,D10\n", "b,2,draw,5+10,1322,1261,e4 e5,C20\n"],
        broken: ("c,3,black,5+10,1322,1261,e4 e5 Ke3,C20\n", 1),
        encode: None,
    },
    Example {
        format: "EPD positions",
        header: "# a comment\n",
        good: [
            "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";\n",
            "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - bm d5; ce 35; acd 12;\n",
        ],
        broken: ("3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - bm Qh8;\n", 1),
        encode: None,
    },
    Example {
        format: "PGN games",
        header: "",
        good: ["[White \"A\"]\n\n1. e4 e5 *\n\n", "[White \"B\"]\n\n1. d4 {nothing} d5 2. c4 1-0\n\n"],
        broken: ("[White \"C\"]\n\n1. e4 e5\n2. Ke3 *\n\n", 4),
        encode: None,
    },
    Example {
        format: "Lichess evaluations as CSV",
        header: "fen,line,depth,knodes,cp,mate\n",
        good: [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,e2e4 e7e5,30,900,25.0,\n",
            "k7/8/8/8/8/8/8/K6Q w - -,h1g1,30,900,,9\n",
        ],
        broken: ("k7/8/8/8/8/8/8/K6Q w - -,h1h9,30,900,5,\n", 1),
        encode: None,
    },
    Example {
        format: "Lichess evaluations as Parquet",
        header: "",
        good: [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -;e2e4 e7e5;25\n",
            "k7/8/8/8/8/8/8/K6Q w - -;h1g1;\n",
        ],
        broken: ("k7/8/8/8/8/8/8/K6Q w - -;h1h9;3\n", 1),
        encode: Some(parquet),
    },
    Example {
        format: "Lichess half-moves as CSV",
        header: "game_id,result,white_elo,black_elo,time_control,move,cp,clock,board\n",
        good: [
            "a,1-0,1500,1600,300+0,e2e4,0.1,300,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
            "b,0-1,1500,1600,300+0,d2d4,None,300,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
        ],
        broken: (
            "c,0-1,1500,1600,300+0,d2d5,0.1,300,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
            1,
        ),
        encode: None,
    },
    Example {
        format: "moves of games as CSV",
        header: "game_id,move_no,player,notation,move,color,fen\n",
        good: [
            "a,1,\"Steinitz, W\",e4,e2e4,White,rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR\n",
            "b,1,Zukertort,d4,d2d4,White,rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR\n",
        ],
        broken: ("c,1,Zukertort,d4,d2d4,White,rnbqkbnr/pppppppp/8/8/8/3P4/PPP1PPPP/RNBQKBNR\n", 1),
        encode: None,
    },
    Example {
        format: "World Championship games as CSV",
        header: "game_id,date_played,white,black,result,white_elo,black_elo,eco\n",
        good: [
            "a,2021.11.26,\"Nepomniachtchi,I\",\"Carlsen,M\",1/2-1/2,2782,2855,C88\n",
            "b,1886.??.??,Zukertort,Steinitz,0-1,,,D11\n",
        ],
        broken: ("c,1886.??.??,Zukertort,Steinitz,2-1,,,D11\n", 1),
        encode: None,
    },
    Example {
        format: "a graph of positions as CSV",
        header: ",GameNumber,Move,Side,ending_position,starting_position\n",
        good: [
            "0,1,d5,black,rnbqkbnrppp1pppp83p43P48PPP1PPPPRNBQKBNR,rnbqkbnrpppppppp883P48PPP1PPPPRNBQKBNR\n",
            "1,2,e4,white,rnbqkbnrpppppppp884P38PPPP1PPPRNBQKBNR,rnbqkbnrppp1pppp83p43P48PPP1PPPPRNBQKBNR\n",
        ],
        broken: (
            "2,3,e4,white,rnbqkbnrpppppppp884P38PPPPPPPPRNBQKBNR,rnbqkbnrppp1pppp83p43P48PPP1PPPPRNBQKBNR\n",
            1,
        ),
        encode: None,
    },
    Example {
        format: "ECO openings as CSV",
        header: "eco,eco_name,eco_example,eco_type,eco_group\n",
        good: ["A01,Nimzovich-Larsen Attack,1 b3,A,Flank\n", "C20,King's Pawn Game,1 e4 e5,C,Open\n"],
        broken: ("A00,Uncommon Opening,\"1 g4, a3, h3, etc.\",A,Flank\n", 1),
        encode: None,
    },
];

/// A table of positions, variations and centipawns, one row group of two rows and one of the rest.
fn parquet(text: &str) -> Vec<u8> {
    use parquet::{
        data_type::{ByteArrayType, DoubleType},
        file::writer::SerializedFileWriter,
        schema::parser::parse_message_type,
    };
    let schema = "message rows { REQUIRED BYTE_ARRAY fen; OPTIONAL BYTE_ARRAY line; OPTIONAL DOUBLE cp; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(';').collect()).collect();
    for rows in rows.chunks(2) {
        let mut group = writer.next_row_group().unwrap();
        for field in 0..2 {
            let values: Vec<_> = rows.iter().map(|row| row[field].into()).collect();
            let levels = vec![1; rows.len()];
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        let numbers: Vec<Option<f64>> = rows.iter().map(|row| row[2].parse().ok()).collect();
        let levels: Vec<i16> = numbers.iter().map(|number| i16::from(number.is_some())).collect();
        let values: Vec<f64> = numbers.into_iter().flatten().collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&values, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The results of a source: the line of each good record, the line and text of each finding, perhaps an error at the
/// end.
fn read(path: &Path) -> Vec<String> {
    let locations = Location::all(path).unwrap();
    let mut found = Vec::new();
    for location in &locations {
        let mut source = source::open_at(location).unwrap();
        for record in source.by_ref() {
            found.push(match record {
                Ok(Ok(Record::Game(game))) => format!("{} {} moves", game.place.line, game.moves.len()),
                Ok(Ok(Record::Position(position))) => {
                    format!("{} {:?}", position.place.line, position.best_move)
                }
                Ok(Ok(Record::Unlabelled(position))) => format!("{} unlabelled", position.place.line),
                Ok(Err(bad)) => format!("{} {}", bad.line, bad.reason.name()),
                Err(error) => format!("error {error}"),
            });
        }
        assert!(source.next().is_none(), "a source that is over stays so");
    }
    found
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (index, (name, bytes)) in members.iter().enumerate() {
        let method = [zip::CompressionMethod::Deflated, zip::CompressionMethod::Stored][index % 2];
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn text(example: &Example) -> String {
    let [first, second] = example.good;
    format!("{}{first}{}{second}", example.header, example.broken.0)
}

#[test]
fn every_format_has_an_example() {
    let names = |names: &mut dyn Iterator<Item = &'static str>| {
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names
    };
    assert_eq!(
        names(&mut SOURCES.iter().map(|format| format.name)),
        names(&mut EXAMPLES.iter().map(|example| example.format))
    );
}

#[test]
fn a_broken_record_is_an_item_with_its_line_and_the_next_one_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for example in EXAMPLES {
        let found = read(&write(folder.path(), "games", &example.file()));
        let lines: Vec<u64> =
            found.iter().map(|one| one.split(' ').next().unwrap().parse().unwrap()).collect();
        let length = |text: &str| text.matches('\n').count() as u64;
        let first = 1 + length(example.header);
        let second = first + length(example.good[0]);
        let (broken, inside) = example.broken;
        assert_eq!(
            lines,
            [first, second + inside - 1, second + length(broken)],
            "{}: {found:?}",
            example.format
        );
    }
}

#[test]
fn name_compression_line_ends_and_byte_order_mark_play_no_part() {
    let folder = tempfile::tempdir().unwrap();
    for example in EXAMPLES.iter().filter(|example| example.is_text()) {
        let plain = text(example);
        let expected = read(&write(folder.path(), "plain", plain.as_bytes()));
        let bytes = plain.as_bytes();
        for (name, written) in [
            ("a.csv.gz", gzip(bytes)),
            ("two members.gz", [gzip(&bytes[..20]), gzip(&bytes[20..])].concat()),
            ("a.pgn", bzip2(bytes)),
            ("a.jsonl", zstd::encode_all(bytes, 1).unwrap()),
            ("a.zip", zip(&[("inner/games.txt", bytes)])),
            ("mark", [b"\xef\xbb\xbf", bytes].concat()),
            ("windows", plain.replace('\n', "\r\n").into_bytes()),
            ("mac", plain.replace('\n', "\r").into_bytes()),
        ] {
            assert_eq!(read(&write(folder.path(), name, &written)), expected, "{} as {name}", example.format);
        }
    }
}

#[test]
fn folders_and_archives_give_all_their_files_in_order() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("folder");
    std::fs::create_dir_all(folder.join("b")).unwrap();
    let [first, second] = [&EXAMPLES[0], &EXAMPLES[1]].map(text);
    write(&folder, "b/2.pgn", second.as_bytes());
    write(&folder, "a.jsonl", first.as_bytes());
    write(&folder, ".hidden", b"neither games nor positions");
    let archive = write(outer.path(), "all.zip", &zip(&[("1", first.as_bytes()), ("2", second.as_bytes())]));
    let expected = [read(&folder.join("a.jsonl")), read(&folder.join("b/2.pgn"))].concat();
    assert_eq!(read(&folder), expected);
    assert_eq!(read(&archive), expected);
    let several = source::open(&archive).err().unwrap().to_string();
    assert!(several.contains("all.zip") && several.contains("2 files"), "{several}");
}

/// Either would keep a command from ending.
#[cfg(unix)]
#[test]
fn a_folder_with_a_pipe_and_links_back_to_it_gives_its_files_once() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("folder");
    std::fs::create_dir_all(folder.join("b")).unwrap();
    let game = write(&folder, "b/game.pgn", text(&EXAMPLES[0]).as_bytes());
    assert!(std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    for link in ["up", "b/up", "b/again"] {
        std::os::unix::fs::symlink(&folder, folder.join(link)).unwrap();
    }
    let paths: Vec<_> = Location::all(&folder).unwrap().iter().map(Location::path).collect();
    assert_eq!(paths, [game]);
}

#[test]
fn a_stream_that_is_cut_off_ends_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for example in EXAMPLES.iter().filter(|example| example.is_text()) {
        let whole = gzip(text(example).repeat(2000).as_bytes());
        let mut cut = source::open(&write(folder.path(), "cut.gz", &whole[..whole.len() / 2])).unwrap();
        let last = cut.by_ref().last().unwrap();
        assert!(matches!(last, Err(DatasetError::BrokenStream { .. })), "{}: {last:?}", example.format);
        assert!(cut.next().is_none());
    }
}

#[test]
fn a_damaged_archive_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let games = EXAMPLES.iter().find(|example| example.format == "PGN games").unwrap();
    let bytes = text(games);
    let mut archive = zip(&[("a", b"*\n"), ("b", bytes.as_bytes())]);
    let place = archive.windows(9).position(|window| window == b"1. e4 e5 ").unwrap();
    archive[place + 4] = b'5';
    let path = write(folder.path(), "damaged.zip", &archive);
    let locations = Location::all(&path).unwrap();
    let last = source::open_at(&locations[1])
        .and_then(|mut source| source.find_map(Result::err).map_or(Ok(()), Err));
    assert!(last.unwrap_err().to_string().contains("checksum"), "a flipped letter in a stored file");
}

#[test]
fn the_digest_is_that_of_the_whole_file_and_progress_reaches_its_end() {
    let folder = tempfile::tempdir().unwrap();
    for example in EXAMPLES {
        let bytes = if example.is_text() { gzip(&example.file()) } else { example.file() };
        let mut source = source::open(&write(folder.path(), "games", &bytes)).unwrap();
        assert_eq!(source.by_ref().count(), 3);
        assert_eq!(source.digest(), format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes)));
        assert_eq!(source.progress().file_bytes, bytes.len() as u64);
    }
}

#[test]
fn what_no_format_recognises_is_shown_with_what_could_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, bytes: &[u8]| {
        let path = write(folder.path(), name, bytes);
        source::open(&path).err().unwrap_or_else(|| panic!("{name} was opened")).to_string()
    };
    let table = refused("table.pgn", b"name,age\nmagnus,33\n");
    assert!(table.contains("begins with \"name,age\"") && table.contains("PGN games"), "{table}");
    let parquet = refused("a.pgn", b"PAR1\x15\x04");
    assert!(parquet.contains("cannot read") && parquet.contains("Parquet"), "{parquet}");
    let inside = refused("parquet.zip", &zip(&[("a.parquet", b"PAR1\x15\x04")]));
    assert!(inside.contains("a Parquet file inside another file"), "{inside}");
    assert!(refused("a.7z", b"7z\xbc\xaf\x27\x1c\0\0").contains("7z archive"));
    assert!(refused("empty", b"").contains("an empty file"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_to_a_file_makes_a_source_panic(
        index in 0..EXAMPLES.len(),
        damage in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6),
        cut in any::<usize>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = EXAMPLES[index].file();
        for (place, byte) in damage {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        bytes.truncate(cut % (bytes.len() + 1));
        if let Ok(source) = source::open(&write(folder.path(), "damaged", &bytes)) {
            prop_assert!(source.count() <= 1000);
        }
    }

    #[test]
    fn no_bytes_make_a_source_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        if let Ok(source) = source::open(&write(folder.path(), "bytes", &bytes)) {
            prop_assert!(source.count() <= 1000);
        }
    }
}
