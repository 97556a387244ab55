//! The PGN source on good, strange and broken games.

use std::{
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
};

use chess::{
    Game, Score, Speed,
    shakmaty::{EnPassantMode, fen::Fen, san::SanPlus},
};
use dataset::{
    DatasetError, Filters, GameResult, Sample,
    record::{GameRecord, TimeControl, Winner},
    sampler::Sampler,
    source::{BadReason, BadRecord, PgnSource},
};

fn read(path: &Path) -> Vec<Result<GameRecord, BadRecord>> {
    PgnSource::open(path).unwrap().map(Result::unwrap).collect()
}

fn parse(text: &str) -> Vec<Result<GameRecord, BadRecord>> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    read(file.path())
}

fn samples_with(text: &str, filters: Filters) -> Vec<Sample> {
    let mut sampler = Sampler::new(1, 0, filters);
    let mut samples = Vec::new();
    for record in parse(text) {
        let record = record.unwrap();
        let game = sampler.game_hash(&record);
        sampler.sample(&record, game, 0, &mut samples);
    }
    samples
}

fn samples(text: &str) -> Vec<Sample> {
    samples_with(text, Filters::default())
}

/// A sample as `best move/played move evaluation result slips`.
fn label(sample: &Sample) -> String {
    let position = sample.chess().unwrap();
    let san = |packed: dataset::packed_move::PackedMove| {
        SanPlus::from_move(position.clone(), packed.unpack(&position).unwrap()).to_string()
    };
    let played = sample.played_move.map(|played| format!("/{}", san(played))).unwrap_or_default();
    let evaluation = match sample.evaluation {
        Some(Score::Centipawns(centipawns)) => centipawns.to_string(),
        Some(Score::Mate(moves)) => format!("#{moves}"),
        None => "-".into(),
    };
    let result = sample.result.map_or("?", |result| match result {
        GameResult::Win => "won",
        GameResult::Draw => "drawn",
        GameResult::Loss => "lost",
    });
    format!("{}{played} {evaluation} {result} {}", san(sample.best_move), sample.slips)
}

fn labels(text: &str) -> Vec<String> {
    samples(text).iter().map(label).collect()
}

fn reasons(text: &str) -> Vec<BadReason> {
    parse(text).into_iter().filter_map(Result::err).map(|bad| bad.reason).collect()
}

#[test]
fn the_comment_before_the_first_move_labels_the_starting_position() {
    assert_eq!(labels("{ [%eval 0.30] } 1. e4 { [%eval 0.10] } *"), ["e4 30 ? 0"]);
}

#[test]
fn a_comment_after_a_move_labels_the_position_after_it_for_its_mover() {
    assert_eq!(
        labels("1. e4 { [%eval 0.25] } e5 { [%eval #4] } 2. Nf3 *"),
        ["e4 - ? 0", "e5 -25 ? 0", "Nf3 #4 ? 0"]
    );
    assert_eq!(labels("1. f3 {[%eval #-3]} e5 *"), ["f3 - ? 0", "e5 #3 ? 0"]);
}

#[test]
fn the_variation_after_an_evaluated_position_names_the_better_move() {
    let text = "{ [%eval 0.2] } 1. f3 { [%eval -0.6] } ( 1. e4 ) 1... e5 { [%eval -0.5] } 2. Nc3 1-0";
    assert_eq!(labels(text), ["e4/f3 20 won 1", "e5 60 lost 0", "Nc3 -50 won 0"]);
}

#[test]
fn a_longer_variation_counts_by_its_first_move_and_a_second_one_not_at_all() {
    let text = "{ [%eval 0.2] } 1. f3 (1. e4 e5 (1... c5 2. Nf3) 2. Nf3) (1. d4) e5 *";
    assert_eq!(labels(text), ["e4/f3 20 ? 1", "e5 - ? 0"]);
}

#[test]
fn a_variation_that_repeats_the_move_played_is_no_slip() {
    assert_eq!(labels("{ [%eval 0.2] } 1. e4 (1. e4 e5) c5 *"), ["e4 20 ? 0", "c5 - ? 0"]);
}

#[test]
fn variations_without_evaluation_are_commentary() {
    assert_eq!(
        labels("1. f3 (1. e4) e5 (1... c5 {[%eval 3]}) 2. e4 *"),
        ["f3 - ? 0", "e5 - ? 0", "e4 - ? 0"]
    );
}

#[test]
fn slips_are_counted_from_each_position_to_the_end() {
    let text = "{[%eval 0]} 1. f3 {[%eval 0]} (1. e4) e5 {[%eval 0]} 2. g4 {[%eval 0]} (2. e4) Qh4# 0-1";
    let slips: Vec<u8> = samples(text).iter().map(|sample| sample.slips).collect();
    assert_eq!(slips, [2, 1, 1, 0]);
}

#[test]
fn results_come_from_the_marker_or_else_from_the_tag_for_the_side_to_move() {
    assert_eq!(labels("1. e4 e5 0-1"), ["e4 - lost 0", "e5 - won 0"]);
    assert_eq!(labels("[Result \"1/2-1/2\"]\n\n1. e4 *"), ["e4 - drawn 0"]);
    assert_eq!(labels("[Result \"*\"]\n\n1. e4 1-0"), ["e4 - won 0"]);
    assert_eq!(reasons("[Result \"0-1\"]\n\n1. e4 1-0\n"), [BadReason::ConflictingResult]);
}

#[test]
fn repetitions_are_those_of_the_game_rules() {
    let repetitions: Vec<u8> = samples("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *")
        .iter()
        .map(|sample| sample.repetitions)
        .collect();
    assert_eq!(repetitions, [0, 0, 0, 0, 1, 1, 1, 1, 2]);
    // The en passant right of the first occurrence makes it another position.
    let text = "1. e4 a6 2. e5 d5 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. a3 *";
    let samples = samples(text);
    assert_eq!((samples[4].repetitions, samples[8].repetitions, samples[12].repetitions), (0, 0, 1));
}

#[test]
fn plies_follow_the_move_numbers_of_the_starting_position() {
    let samples = samples("[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 7 30\"]\n\n30... Kd7 31. e4 *");
    assert_eq!(samples.iter().map(|sample| sample.ply).collect::<Vec<_>>(), [59, 60]);
    let fen = Fen::from_position(&samples[0].chess().unwrap(), EnPassantMode::Legal).to_string();
    assert_eq!(fen, "4k3/8/8/8/8/8/4P3/4K3 b - - 7 30");
}

#[test]
fn clocks_ratings_and_time_controls_are_read() {
    let text = "[WhiteElo \"2105\"]\n[BlackElo \"?\"]\n[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:02:59]} e5 {[%clk 0:00:09.7]} *";
    let record = parse(text).remove(0).unwrap();
    assert_eq!((record.white_rating, record.black_rating), (Some(2105), None));
    assert_eq!(record.time_control, Some(TimeControl { base_seconds: 180, increment_seconds: 2 }));
    assert_eq!(record.time_control.unwrap().speed(), Speed::Blitz);
    assert_eq!(
        record.moves.iter().map(|recorded| recorded.clock_seconds).collect::<Vec<_>>(),
        [Some(179), Some(9)]
    );
    for (date, year) in
        [("1972.07.11", Some(1972)), ("2014.??.??", Some(2014)), ("????.??.??", None), ("13.01.2014", None)]
    {
        let dated = parse(&format!("[Date \"{date}\"]\n\n1. e4 *")).remove(0).unwrap();
        assert_eq!(dated.year, year, "{date}");
    }
    let hurried = Filters { min_clock_seconds: Some(30), ..Filters::default() };
    assert_eq!(samples_with(text, hurried).len(), 1);
}

#[test]
fn filters_keep_what_they_name_and_drop_what_does_not_say() {
    let game = |tags: &str| parse(&format!("{tags}\n\n1. e4 e5 2. Nf3 1-0\n")).remove(0).unwrap();
    let rated = game("[WhiteElo \"2000\"]\n[BlackElo \"1900\"]\n[TimeControl \"600+5\"]");
    let silent = game("[Event \"?\"]");
    let keeps = |filters: &Filters| (filters.refusal(&rated).is_none(), filters.refusal(&silent).is_none());
    let any = Filters::default();
    assert_eq!(keeps(&any), (true, true));
    assert_eq!(keeps(&Filters { min_rating: Some(1900), ..any.clone() }), (true, false));
    assert_eq!(keeps(&Filters { min_rating: Some(1901), ..any.clone() }), (false, false));
    assert_eq!(keeps(&Filters { max_rating: Some(1999), ..any.clone() }), (false, false));
    assert_eq!(keeps(&Filters { speeds: vec![Speed::Rapid], ..any.clone() }), (true, false));
    assert_eq!(
        keeps(&Filters { time_controls: vec![TimeControl::parse("600+0").unwrap()], ..any.clone() }),
        (false, false)
    );
    assert_eq!(keeps(&Filters { winners: vec![Winner::White], ..any.clone() }), (true, true));
    assert_eq!(keeps(&Filters { winners: vec![Winner::Draw, Winner::Black], ..any.clone() }), (false, false));
    assert_eq!(keeps(&Filters { min_plies: Some(4), ..any }), (false, false));
}

#[test]
fn position_filters_and_the_choice_within_a_game() {
    let text = "1. e4 e5 2. Nf3 {[%eval 0.3]} Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *";
    let plies =
        |filters: Filters| samples_with(text, filters).iter().map(|sample| sample.ply).collect::<Vec<_>>();
    assert_eq!(plies(Filters { min_ply: Some(3), max_ply: Some(5), ..Filters::default() }), [3, 4, 5]);
    // Ten plies: ply 7 has three after it.
    let away_from_both_ends = Filters { min_ply: Some(6), min_plies_left: Some(3), ..Filters::default() };
    assert_eq!(plies(away_from_both_ends), [6, 7]);
    assert_eq!(plies(Filters { min_plies_left: Some(11), ..Filters::default() }), [0u16; 0]);
    assert_eq!(plies(Filters { evaluated: true, ..Filters::default() }), [3]);
    let exchange = "1. e4 e5 2. Nf3 d5 3. Nxe5 d4 4. Nxf7 Kxf7 *";
    let fewer = |min_pieces, max_pieces| {
        let filters = Filters { min_pieces, max_pieces, ..Filters::default() };
        samples_with(exchange, filters).iter().map(|sample| sample.ply).collect::<Vec<_>>()
    };
    assert_eq!(fewer(None, Some(31)), [5, 6, 7], "from the position after the first capture on");
    assert_eq!(fewer(Some(31), Some(31)), [5, 6]);
    assert_eq!(fewer(Some(32), None), [0, 1, 2, 3, 4]);
    let chosen = plies(Filters { samples_per_game: Some(4), ..Filters::default() });
    assert_eq!(chosen.len(), 4);
    assert!(chosen.is_sorted());
    assert_eq!(
        chosen,
        plies(Filters { samples_per_game: Some(4), ..Filters::default() }),
        "the choice is repeatable"
    );
}

#[test]
fn broken_games_are_items_with_their_place_and_the_rest_goes_on() {
    let text =
        "[Event \"1\"]\n\n1. e4 e5 *\n\n[Event \"2\"]\n\n1. e4\ne5\n2. Ke3 *\n\n[Event \"3\"]\n\n1. d4 *\n";
    let games = parse(text);
    assert_eq!(games.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let bad = games[1].as_ref().unwrap_err();
    assert_eq!((bad.start.line, bad.line, bad.reason), (5, 9, BadReason::IllegalMove));
    assert!(bad.detail.contains("Ke3 as half-move 3"), "{bad}");
    assert!(bad.to_string().contains(&format!("{}:9: illegal_move", bad.start.file.display())), "{bad}");
    assert_eq!(games[2].as_ref().unwrap().place.line, 11);
}

#[test]
fn overlong_tags_and_comments_hurt_nobody_else() {
    let long = "x".repeat(70_000);
    let text = format!(
        "[Event \"{long}\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. e4 {{ {long} [%eval 1.00] }} e5 {{[%eval 2.00]}} d4 *\n\n1. d4 *\n"
    );
    let games = parse(&text.replace(" d4 *", " 2. d4 *"));
    let good: Vec<_> = games.iter().flatten().collect();
    assert_eq!(good.len(), games.len() - 1, "{games:?}");
    assert_eq!(games[0].as_ref().unwrap_err().reason, BadReason::BadSyntax);
    assert!(
        good.iter()
            .any(|game| game.moves.len() == 3 && game.moves[2].evaluation == Some(Score::Centipawns(200)))
    );
}

#[test]
fn compressed_files_read_like_plain_ones() {
    let plain = hand_made();
    let text = std::fs::read(&plain).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let expected = format!("{:?}", read(&plain)).replace(&plain.display().to_string(), "FILE");
    let (first, second) = text.split_at(text.len() / 2);
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    // Two members or frames, as `cat a.gz b.gz` and pzstd produce. Formats are recognised by first bytes, not by names.
    for (name, bytes) in [("a.pgn", [gzip(first), gzip(second)]), ("b.txt", [zstd(first), zstd(second)])] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes.concat()).unwrap();
        assert_eq!(
            format!("{:?}", read(&path)).replace(&path.display().to_string(), "FILE"),
            expected,
            "{name}"
        );
    }
}

#[test]
fn truncated_streams_are_errors_that_name_file_and_offset() {
    let text = std::fs::read(hand_made()).unwrap().repeat(50);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&text).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in [("zstd", zstd::encode_all(&text[..], 3).unwrap()), ("gzip", gzip.finish().unwrap())]
    {
        let path = directory.path().join(name);
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let error = match PgnSource::open(&path) {
            Err(error) => error,
            Ok(source) => source.filter_map(Result::err).last().unwrap(),
        };
        let message = error.to_string();
        assert!(matches!(error, DatasetError::BrokenStream { .. }), "{message}");
        assert!(message.contains(&path.display().to_string()), "{message}");
        assert!(
            message.contains(&format!("{name} stream broke after {} compressed bytes", bytes.len() / 2)),
            "{message}"
        );
    }
}

#[test]
fn files_that_are_no_games_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &str); 5] = [
        ("empty.pgn", b"", "found an empty file"),
        ("binary.pgn", b"[Event \"x\"]\n\0\x01\x02", "at byte 12: found a zero byte"),
        ("games.zip", b"PK\x03\x04 and so on", "found a zip archive"),
        ("games.parquet", b"PAR1 and so on", "found a Parquet file"),
        ("nothing.pgn.zst", &zstd::encode_all(&b""[..], 3).unwrap(), "found no text after decompression"),
    ];
    for (name, bytes, expected) in cases {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let message = PgnSource::open(&path).err().unwrap().to_string();
        assert!(message.contains(expected) && message.contains(name), "{message}");
    }
}

fn hand_made() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/games/hand-made.pgn")
}

/// `TABIYA_UPDATE_GOLDEN=1 cargo test -p dataset --test integration pgn` renews the golden file.
#[test]
fn the_hand_made_games_give_the_golden_summary() {
    let path = hand_made();
    let mut sampler = Sampler::new(1, 0, Filters::default());
    let mut summary = String::new();
    for game in read(&path) {
        match game {
            Err(bad) => {
                let line = bad.to_string();
                let (_, finding) = line.split_once("hand-made.pgn:").unwrap();
                writeln!(summary, "broken, line {finding}").unwrap();
            }
            Ok(record) => {
                let hash = sampler.game_hash(&record);
                let mut samples = Vec::new();
                sampler.sample(&record, hash, 0, &mut samples);
                writeln!(summary, "game, line {}: {hash:016x} {:?}", record.place.line, record.winner)
                    .unwrap();
                for sample in &samples {
                    let game: Game = sample.to_game().unwrap();
                    let again = if sample.repetitions > 0 { " again" } else { "" };
                    writeln!(summary, "  {} | {}{again}", game.fen(), label(sample)).unwrap();
                }
            }
        }
    }
    let golden = path.with_extension("summary.txt");
    if std::env::var_os("TABIYA_UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &summary).unwrap();
    }
    assert_eq!(summary, std::fs::read_to_string(&golden).unwrap());
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read_to_the_end(bytes in proptest::collection::vec(proptest::num::u8::ANY, 1..600)) {
        read_to_the_end(&bytes);
    }

    #[test]
    fn any_tokens_are_read_to_the_end(tokens in proptest::collection::vec(0..TOKENS.len(), 1..120)) {
        let text: String = tokens.into_iter().map(|token| TOKENS[token]).collect();
        read_to_the_end(text.as_bytes());
    }
}

/// Pieces of PGN that random order makes into unlikely games.
const TOKENS: &[&str] = &[
    "1. e4 ",
    "e5 ",
    "Nf3 ",
    "O-O ",
    "0-0-0 ",
    "exd5 ",
    "e8=Q+ ",
    "Qh4# ",
    "-- ",
    "1-0 ",
    "* ",
    "1/2-1/2\n",
    "(",
    ")",
    "{",
    "}",
    "[%eval 1.5]",
    "[%eval #-2]",
    "[%clk 1:00]",
    "$5 ",
    "!? ",
    "; rest\n",
    "\n%",
    "\n\n",
    "[Result \"1-0\"]\n",
    "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n",
    "[Variant \"Chess960\"]\n",
    "[",
    "]",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\u{feff}",
    "½-½ ",
];

/// Ends, does not panic, and finds no more games than there are bytes.
fn read_to_the_end(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    if let Ok(source) = PgnSource::open(file.path()) {
        assert!(source.count() <= bytes.len());
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_labelled_games_follow_their_rules() {
    let data = PathBuf::from(std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the data folder"));
    let source = PgnSource::open(&data.join("games/stockfish-labelled-0.pgn.zst"))
        .unwrap_or_else(|error| panic!("{error}"));
    let (mut plies, mut evaluated, mut slips) = (0_u32, 0_u32, 0_u32);
    for record in source.take(2000) {
        let record = record.unwrap().unwrap_or_else(|bad| panic!("{bad}"));
        // Every record starts with the evaluation of its first position.
        assert!(record.moves[0].evaluation.is_some(), "{}", record.place);
        for recorded in &record.moves {
            plies += 1;
            evaluated += u32::from(recorded.evaluation.is_some());
            slips += u32::from(recorded.better.is_some());
        }
    }
    assert_eq!(evaluated, plies, "every position with a move is labelled");
    let share = f64::from(slips) / f64::from(plies);
    assert!((0.01..0.15).contains(&share), "slips make {share} of the moves");
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_master_games_are_nearly_all_whole() {
    let data = PathBuf::from(std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the data folder"));
    for file in ["master-games-0.pgn.zst", "lichess-by-level.pgn.zst"] {
        let source =
            PgnSource::open(&data.join("games").join(file)).unwrap_or_else(|error| panic!("{error}"));
        let games: Vec<_> = source.take(3000).map(Result::unwrap).collect();
        let broken = games.iter().filter(|game| game.is_err()).count();
        assert!(games.len() == 3000 && broken <= 3, "{file}: {broken} of {} broken", games.len());
    }
}

#[test]
fn figurine_games_are_the_games_that_letters_write() {
    let letters = "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. Qc2 O-O 5. e4 *\n";
    let figurines = "1. d4 ♞f6 2. c4 e6 3. ♘c3 ♝b4 4. ♕c2 O-O 5. ♙e4 *\n";
    assert_eq!(labels(figurines), labels(letters));
    assert_eq!(labels(letters).len(), 9);
}

#[test]
fn a_word_that_is_no_move_makes_the_game_broken_and_is_named() {
    for (text, word, half_move) in [
        ("1. d4 Sf6 2. c4 *\n", "Sf6", 2),
        ("1. e2-e9 e7-e5 *\n", "e2-e9", 1),
        ("1. e4 e5 2. Nf9 Nc6 *\n", "Nf9", 3),
    ] {
        let found = parse(text);
        let [Err(bad)] = &found[..] else { panic!("{text}: {found:?}") };
        assert_eq!(bad.reason, BadReason::BadSyntax);
        assert!(bad.detail.contains(&format!("{word:?} as half-move {half_move} is not a move")), "{bad}");
    }
}
