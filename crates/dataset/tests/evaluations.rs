//! Lichess evaluations: records, rows of a store, targets of a batch.

use std::path::Path;

use chess::{
    Score,
    encoding::{features::feature_set, input::input_encoding, moves::move_encoding},
    print_uci_move,
};
use dataset::{
    Batch, BuildConfig, DatasetError, Loader, LoaderConfig, LoaderState, NoObserver, PolicyLabel, Sample,
    Split, Store, build,
    record::{Origin, PositionRecord, Record, SearchEffort},
    source::{self, BadReason, BadRecord},
};
use proptest::prelude::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Black to move may castle to both sides.
const CASTLING: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq -";

fn line(fen: &str, analyses: &str) -> String {
    format!("{{\"fen\":\"{fen}\",\"evals\":[{analyses}]}}\n")
}

fn read_bytes(text: &[u8]) -> Result<Vec<Result<PositionRecord, BadRecord>>, DatasetError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evaluations");
    std::fs::write(&path, text).unwrap();
    let records = source::open(&path)?.map(Result::unwrap);
    let position = |record| match record {
        Record::Position(position) => *position,
        Record::Game(game) => panic!("a game: {game:?}"),
        Record::Unlabelled(position) => panic!("a position without labels: {position:?}"),
    };
    Ok(records.map(|record| record.map(position)).collect())
}

fn read(text: &str) -> Vec<Result<PositionRecord, BadRecord>> {
    read_bytes(text.as_bytes()).unwrap()
}

fn moves(record: &PositionRecord) -> Vec<(String, Score)> {
    let PolicyLabel::Scores(scores) = &record.policy else { panic!("{:?}", record.policy) };
    let uci = |packed: dataset::packed_move::PackedMove| {
        print_uci_move(packed.unpack(&record.position).unwrap(), chess::CastlingMode::Standard)
    };
    scores.iter().map(|&(packed, score)| (uci(packed), score)).collect()
}

fn build_store(folder: &Path, inputs: &[&Path], validation_share: f64) -> Store {
    let output = folder.join("store");
    let mut config = BuildConfig::new(&output, inputs);
    config.validation_share = validation_share;
    build(&config, &mut NoObserver).unwrap();
    Store::open(&output).unwrap()
}

fn rows(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

#[test]
fn a_black_position_is_seen_by_black_with_castling_as_king_takes_rook() {
    let analysis = r#"{"knodes":3,"depth":5,"pvs":[{"cp":-50,"line":"e8h8 e1h1"},{"mate":4,"line":"a7a6"},{"cp":7,"line":"e8c8"}]}"#;
    let record = read(&line(CASTLING, analysis)).remove(0).unwrap();
    let expected = [
        ("e8g8".to_owned(), Score::Centipawns(50)),
        ("e8c8".to_owned(), Score::Centipawns(-7)),
        ("a7a6".to_owned(), Score::Mate(-4)),
    ];
    assert_eq!(moves(&record), expected);
    assert_eq!(record.evaluation, Some(Score::Centipawns(50)));
    assert_eq!(record.effort, SearchEffort { depth: Some(5), nodes: Some(3000) });
    assert_eq!((record.place.line, record.origin), (1, Some(Origin::Engine)));
}

#[test]
fn the_widest_analysis_gives_the_moves_and_the_deepest_the_value() {
    let analyses = r#"{"knodes":9,"depth":30,"pvs":[{"cp":35,"line":"d2d4"}]},
        {"knodes":5,"depth":20,"pvs":[{"cp":20,"line":"e2e4"},{"cp":25,"line":"g1f3"}]},
        {"knodes":7,"depth":24,"pvs":[{"cp":22,"line":"e2e4"},{"cp":21,"line":"g1f3"}]}"#;
    let text = line(&format!("{START} w KQkq -"), &analyses.replace('\n', ""));
    let record = read(&text).remove(0).unwrap();
    let names: Vec<_> = moves(&record).into_iter().collect();
    assert_eq!(
        names,
        [("e2e4".to_owned(), Score::Centipawns(22)), ("g1f3".to_owned(), Score::Centipawns(21))]
    );
    assert_eq!(record.evaluation, Some(Score::Centipawns(35)));
    assert_eq!(record.effort.depth, Some(30));
}

#[test]
fn broken_lines_are_named_and_the_rest_is_read() {
    let good = r#"{"depth":5,"pvs":[{"cp":1,"line":"e2e4"}]}"#;
    let start = format!("{START} w KQkq -");
    let text = [
        line(&start, good),
        "{\"fen\": 3}\n".into(),
        line("8/8/8/8/8/8/8/8 w - -", good),
        line(&start, r#"{"depth":5,"pvs":[{"cp":1,"line":"e2e5"}]}"#),
        line(&start, r#"{"depth":5,"pvs":[{"cp":1,"mate":2,"line":"e2e4"}]}"#),
        line(&start, r#"{"depth":5,"pvs":[]}"#),
        line(&start, ""),
        // The f1 rook may castle with the king on e1: a position of Chess960.
        line("rnbqkrnb/pppppppp/8/8/8/8/PPPPPPPP/RNBQKRNB w KQkq -", good),
        // Fool's mate.
        line("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -", good),
        "\n".into(),
        line(&start, good),
    ];
    let found: Vec<_> = read(&text.concat())
        .into_iter()
        .map(|record| record.map(|record| record.place.line).map_err(|bad| (bad.line, bad.reason)))
        .collect();
    assert_eq!(
        found,
        [
            Ok(1),
            Err((2, BadReason::BadSyntax)),
            Err((3, BadReason::BadFen)),
            Err((4, BadReason::IllegalMove)),
            // Without its evaluation.
            Ok(5),
            Err((6, BadReason::NoMoves)),
            Err((7, BadReason::NoMoves)),
            Ok(8),
            Err((9, BadReason::NoMoves)),
            Ok(11),
        ]
    );
}

#[test]
fn bytes_that_are_no_text_are_one_broken_line() {
    let good = line(&format!("{START} w KQkq -"), r#"{"depth":5,"pvs":[{"cp":1,"line":"e2e4"}]}"#);
    let found = read_bytes(&[good.as_bytes(), b"\xff\xfe\n", good.as_bytes()].concat()).unwrap();
    assert_eq!(found.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
}

fn config(batch_size: usize) -> LoaderConfig {
    LoaderConfig { split: Split::Train, batch_size, seed: 0, shuffle_window: 1, threads: 1, prefetch: 1 }
}

fn loader(store: &Store, batch_size: usize) -> Loader {
    let (input, moves) = (input_encoding("tabiya").unwrap(), move_encoding("lc0-1858").unwrap());
    Loader::new(store, input, moves, config(batch_size), LoaderState::default()).unwrap()
}

#[test]
fn scores_become_a_distribution_whose_temperature_the_loader_chooses() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("evaluations.jsonl");
    let analysis = r#"{"knodes":3,"depth":5,"pvs":[{"cp":20,"line":"e2e4"},{"cp":20,"line":"d2d4"},{"mate":-2,"line":"f2f3"}]}"#;
    std::fs::write(&input, line(&format!("{START} w KQkq -"), analysis)).unwrap();
    let store = build_store(folder.path(), &[&input], 0.0);
    let batch = |temperature: Option<f32>| -> Batch {
        let loader = loader(&store, 1);
        let mut loader = match temperature {
            None => loader,
            Some(temperature) => loader.with_policy_temperature(temperature),
        };
        loader.next().unwrap().unwrap()
    };
    let probabilities = |temperature| {
        let mut positive: Vec<f32> =
            batch(temperature).policy.into_iter().filter(|&probability| probability > 0.0).collect();
        positive.sort_by(f32::total_cmp);
        positive
    };
    assert_eq!(probabilities(Some(0.0)), [1.0]);
    let soft = probabilities(None);
    assert_eq!(soft.len(), 3);
    assert!((soft.iter().sum::<f32>() - 1.0).abs() < 1e-6 && soft[0] < 1e-3, "{soft:?}");
    assert!((soft[1] - soft[2]).abs() < 1e-7, "{soft:?}");
    let flat = probabilities(Some(100.0));
    assert!(flat.iter().all(|probability| (probability - 1.0 / 3.0).abs() < 0.01), "{flat:?}");
}

#[test]
fn rows_keep_what_the_lines_say_and_a_position_is_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let start = format!("{START} w KQkq -");
    let text = [
        line(&start, r#"{"knodes":3,"depth":5,"pvs":[{"cp":20,"line":"e2e4"},{"mate":-2,"line":"f2f3"}]}"#),
        line(CASTLING, r#"{"depth":40,"pvs":[{"mate":-3,"line":"e8h8"}]}"#),
        // The first position once more, with another move.
        line(&start, r#"{"knodes":3,"depth":5,"pvs":[{"cp":19,"line":"d2d4"}]}"#),
    ]
    .concat();
    let input = folder.path().join("evaluations.jsonl");
    std::fs::write(&input, text).unwrap();
    let store = build_store(folder.path(), &[&input], 0.0);
    let counts = &store.manifest().counts;
    assert_eq!((counts.positions, counts.duplicates), (2, 1));
    let samples = rows(&store, Split::Train);
    let [first, second] = &samples[..] else { panic!("{samples:?}") };
    assert_eq!(
        (first.game, first.evaluation, first.effort.nodes),
        (None, Some(Score::Centipawns(20)), Some(3000))
    );
    let PolicyLabel::Scores(scores) = &first.policy else { panic!("{:?}", first.policy) };
    assert_eq!(
        (scores[0].0, scores[0].1, scores[1].1),
        (first.best_move, Score::Centipawns(20), Score::Mate(-2))
    );
    assert_eq!((&second.policy, second.evaluation), (&PolicyLabel::BestMove, Some(Score::Mate(3))));
    assert_eq!(second.effort, SearchEffort { depth: Some(40), nodes: None });
}

#[test]
fn a_position_falls_into_one_split_whatever_file_and_clock_it_comes_with() {
    let folder = tempfile::tempdir().unwrap();
    let analysis =
        |chess_move: &str| format!("{{\"depth\":5,\"pvs\":[{{\"cp\":1,\"line\":\"{chess_move}\"}}]}}");
    let fens = |clock: u32| {
        let kings = (0..8).flat_map(|file| (2..8).map(move |rank| (file, rank)));
        kings.map(move |(file, rank)| {
            let gap = |count: u32| if count == 0 { String::new() } else { count.to_string() };
            let king = format!("{}K{}", gap(file), gap(7 - file));
            let ranks: Vec<String> = (0..8)
                .map(|row| match row {
                    0 => "k7".to_owned(),
                    7 => "6Q1".to_owned(),
                    row if row == rank => king.clone(),
                    _ => "8".to_owned(),
                })
                .collect();
            format!("{} w - - {clock} 40", ranks.join("/"))
        })
    };
    let paths = [("one.jsonl", 0, "g1h1"), ("two.jsonl", 30, "g1f1")].map(|(name, clock, chess_move)| {
        let path = folder.path().join(name);
        let text: String = fens(clock).map(|fen| line(&fen, &analysis(chess_move))).collect();
        std::fs::write(&path, text).unwrap();
        path
    });
    let output = folder.path().join("store");
    let mut config = BuildConfig::new(&output, &paths);
    (config.validation_share, config.keep_duplicates) = (0.5, true);
    build(&config, &mut NoObserver).unwrap();
    let store = Store::open(&output).unwrap();
    let keys = |split| rows(&store, split).iter().map(|row| row.position.key()).collect::<Vec<_>>();
    let (train, validation) = (keys(Split::Train), keys(Split::Validation));
    assert!(train.len() > 20 && validation.len() > 20, "{} and {}", train.len(), validation.len());
    assert!(train.iter().all(|key| !validation.contains(key)));
    assert!(train.iter().all(|key| train.iter().filter(|other| *other == key).count() == 2));
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_bytes(&[b"{\"fen\":\"", &bytes[..]].concat());
    }

    #[test]
    fn no_damaged_line_makes_the_reader_panic(place in 0usize..200, byte in any::<u8>()) {
        let analysis = r#"{"knodes":3,"depth":5,"pvs":[{"cp":20,"line":"e2e4"},{"mate":-2,"line":"f2f3"}]}"#;
        let mut text = line(&format!("{START} w KQkq -"), analysis).into_bytes();
        let place = 8 + place % (text.len() - 8);
        text[place] = byte;
        let _ = read_bytes(&text);
    }
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_positions_with_four_lines_are_read_without_loss() {
    let data = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    let path = Path::new(&data).join("games/multipv-0.jsonl.zst");
    let (mut positions, mut with_several) = (0u64, 0u64);
    for record in source::open(&path).unwrap().take(100_000) {
        let Record::Position(record) = record.unwrap().unwrap_or_else(|bad| panic!("{bad}")) else {
            panic!("a game")
        };
        positions += 1;
        if let PolicyLabel::Scores(scores) = &record.policy {
            with_several += 1;
            assert!(scores.iter().all(|(packed, _)| packed.unpack(&record.position).is_some()));
        }
    }
    assert_eq!(positions, 100_000);
    assert!(with_several > 95_000, "{with_several}");
}

#[test]
fn positions_after_lines_are_worth_their_lines_and_teach_no_policy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evaluations.jsonl");
    // Qh5# ends the game; after the other two, Black is to move.
    let mate = "rnbqkbnr/ppppp2p/8/5pp1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq -";
    let lines = r#"{"depth":20,"knodes":3,"pvs":[{"mate":1,"line":"d1h5"},{"cp":150,"line":"e4f5"},{"mate":-4,"line":"a2a3"}]}"#;
    std::fs::write(&path, line(mate, lines)).unwrap();
    let built = |after_lines, history| {
        let mut config = BuildConfig::new(folder.path().join(format!("{after_lines}")), [&path]);
        (config.validation_share, config.after_lines, config.history) = (0.0, after_lines, history);
        build(&config, &mut NoObserver).map(|manifest| (Store::open(&config.output).unwrap(), manifest))
    };
    assert_eq!(built(false, 1).unwrap().1.counts.positions, 1);
    let (store, _) = built(true, 1).unwrap();
    let samples: Vec<Sample> = store.row_groups(Split::Train).flat_map(Result::unwrap).collect();
    let after: Vec<_> = samples.iter().filter(|sample| sample.policy.is_unknown()).collect();
    let found: Vec<_> =
        after.iter().map(|sample| (sample.evaluation.unwrap(), sample.position.turn())).collect();
    let expected = [Score::Centipawns(-150), Score::Mate(4)].map(|score| (score, chess::Color::Black));
    assert_eq!((samples.len(), found), (3, expected.to_vec()));
    for sample in after {
        assert!(sample.best_move.unpack(&sample.chess().unwrap()).is_some() && sample.game.is_none());
    }
    let batch: Batch = loader(&store, 3).next().unwrap().unwrap();
    let mut weights = batch.policy_weights.clone();
    weights.sort_by(f32::total_cmp);
    assert_eq!((weights, batch.value_weights), (vec![0.0, 0.0, 1.0], vec![1.0; 3]));

    // A sparse network's batch may lack what only the policy reads of the two.
    let sets = ["threats-kings", "threats"].map(|name| feature_set(name).unwrap());
    let loader = || Loader::of_features(&store, sets.to_vec(), config(3), LoaderState::default()).unwrap();
    let whole: Batch = loader().next().unwrap().unwrap();
    let less: Batch = loader().with_policy_inputs_where_learned(1).next().unwrap().unwrap();
    assert_eq!(less.sparse.features[0], whole.sparse.features[0]);
    assert_eq!((&less.sparse.pieces, &less.keys), (&whole.sparse.pieces, &whole.keys));
    for sample in 0..3 {
        let counts = |batch: &Batch| {
            let [moves, features] = [&batch.legal_offsets, &batch.sparse.features[1].offsets]
                .map(|offsets| offsets[sample + 1] - offsets[sample]);
            (moves, features)
        };
        let learned = whole.policy_weights[sample] > 0.0;
        assert!(counts(&whole).0 > 0 && counts(&whole).1 > 0);
        assert_eq!(counts(&less), if learned { counts(&whole) } else { (0, 0) });
    }
    assert_eq!(less.sparse.move_rows.len(), less.policy.len());
    let refused = built(true, 8).unwrap_err().to_string();
    assert!(refused.contains("after_lines") && refused.contains("8 positions of history"), "{refused}");
}
