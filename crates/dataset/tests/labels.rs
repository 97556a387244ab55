//! Labelling a store: each position is asked about once, and every row gets the label of its position and nothing else.

use std::{
    collections::{HashMap, HashSet},
    io,
    path::{Path, PathBuf},
};

use chess::{Chess, Position as _, Score};
use dataset::{
    BuildConfig, BuildObserver, Label, NoObserver, PolicyLabel, Relabelling, Sample, Split, Store,
    Unlabelled, build,
    packed_move::PackedMove,
    questions,
    record::SearchEffort,
    relabel,
    sample::SearchValue,
    source::{BadReason, BadRecord},
    store::manifest::{Counts, Engine},
};

/// Three games with the same beginning, one of them with a repetition, and a slip in the last.
const GAMES: &str = "\
[Result \"1-0\"]

{ [%eval 0.2] } 1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Qh5 { [%eval 0.0] } Nc6 { [%eval 0.1] } 1-0

[Result \"1/2-1/2\"]

1. e4 e5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 1/2-1/2

[Result \"0-1\"]

{ [%eval 0.2] } 1. e4 { [%eval 0.3] } e5 { [%eval -9.0] } ( 1... c5 ) 2. d4 0-1
";

fn stored(folder: &Path, history: usize) -> Store {
    std::fs::write(folder.join("games.pgn"), GAMES).unwrap();
    let output = folder.join(format!("{history}.store"));
    let mut config = BuildConfig::new(&output, [folder.join("games.pgn")]);
    (config.validation_share, config.history) = (0.5, history);
    build(&config, &mut NoObserver).unwrap();
    Store::open(&output).unwrap()
}

fn rows(store: &Store) -> Vec<(Split, Sample)> {
    let of = |split| store.row_groups(split).flat_map(Result::unwrap).map(move |sample| (split, sample));
    of(Split::Train).chain(of(Split::Validation)).collect()
}

#[test]
fn random_moves_replace_a_share_of_the_positions_by_ones_a_move_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let games = std::iter::once("e4").chain(["d4", "c4", "Nf3", "g3"]).map(|first| {
        format!("[Result \"1-0\"]\n\n1. {first} {{ [%eval 0.3] }} e6 2. a3 a6 3. h3 h6 4. Nc3 Nc6 1-0\n\n")
    });
    std::fs::write(&path, games.collect::<String>()).unwrap();
    let built = |share: f32| {
        let mut config = BuildConfig::new(folder.path().join(share.to_string()), [&path]);
        (config.unlabelled, config.random_moves, config.seed) = (Unlabelled::Await, share, 5);
        build(&config, &mut NoObserver).unwrap();
        rows(&Store::open(&config.output).unwrap()).into_iter().map(|(_, sample)| sample).collect::<Vec<_>>()
    };
    let (plain, half, all) = (built(0.0), built(0.5), built(1.0));
    assert_eq!((plain.len(), half.len(), all.len()), (40, 40, 40));
    let mut moved = 0;
    for (plain, half) in plain.iter().zip(&half) {
        if plain == half {
            continue;
        }
        moved += 1;
        let position = plain.chess().unwrap();
        let reached = position.legal_moves().iter().any(|&played| {
            let mut after = position.clone();
            after.play_unchecked(played);
            after.board() == half.chess().unwrap().board()
        });
        assert!(reached && half.ply == plain.ply + 1 && half.game == plain.game);
        let labels = (half.evaluation, half.result, half.played_move, &half.policy);
        assert_eq!(labels, (None, None, None, &PolicyLabel::BestMove));
    }
    assert!((10..=30).contains(&moved), "{moved} of 40");
    assert!(plain.iter().zip(&all).all(|(plain, all)| plain.ply + 1 == all.ply));
}

#[test]
fn random_moves_are_refused_where_labels_or_histories_would_be_wrong() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    for (share, unlabelled, history) in
        [(1.5, Unlabelled::Await, 1), (0.5, Unlabelled::Reject, 1), (0.5, Unlabelled::Await, 8)]
    {
        let mut config = BuildConfig::new(folder.path().join("x.store"), [folder.path().join("games.pgn")]);
        (config.random_moves, config.unlabelled, config.history) = (share, unlabelled, history);
        let error = build(&config, &mut NoObserver).unwrap_err().to_string();
        assert!(error.contains("random_moves") && error.contains(&share.to_string()), "{error}");
        assert!(!config.output.exists());
    }
}

/// A label that names its question.
fn label(number: u32, position: &Chess) -> Label {
    let moves = position.legal_moves();
    let packed = |index: usize| PackedMove::pack(moves[index]);
    let score = |centipawns| Score::Centipawns(centipawns + 100 * number as i32);
    Label {
        best_move: packed(0),
        evaluation: Some(score(50)),
        policy: PolicyLabel::Scores([(packed(0), score(50)), (packed(1), score(-50))].into()),
        search_value: Some(SearchValue { win: 5000, loss: number as u16 }),
        effort: SearchEffort { depth: Some(number as u16), nodes: Some(u64::from(number) + 7) },
    }
}

fn engine() -> Engine {
    Engine { name: "Double 1.0".into(), limits: "7 nodes".into() }
}

fn of(rating: Option<u16>) -> Relabelling {
    Relabelling { engine: engine(), rating, keeps_evaluations: false }
}

#[test]
fn every_row_gets_the_label_of_its_position_and_keeps_what_the_game_says() {
    for (history, rating) in [(1, None), (4, Some(1100))] {
        let folder = tempfile::tempdir().unwrap();
        let store = stored(folder.path(), history);
        let mut labels = HashMap::new();
        let mut last_row = 0;
        for question in questions(&store) {
            let question = question.unwrap();
            assert_eq!(question.number as usize, labels.len(), "numbered in order");
            assert!(question.rows > last_row);
            last_row = question.rows;
            labels.insert(question.number, label(question.number, &question.sample.chess().unwrap()));
        }
        let before = rows(&store);
        let different: HashSet<_> =
            before.iter().map(|(_, sample)| (sample.position.key(), sample.history.0.clone())).collect();
        assert_eq!(labels.len(), different.len());
        assert!(labels.len() < before.len(), "the games begin alike");

        let output = folder.path().join("labelled.store");
        let ask = &mut |number| Ok(labels[&number].clone());
        let manifest = relabel(&store, &output, of(rating), ask).unwrap();
        assert_eq!((manifest.engines, &manifest.counts), (vec![engine()], &store.manifest().counts));
        let after = rows(&Store::open(&output).unwrap());
        assert_eq!(after.len(), before.len());
        let mut numbers: HashMap<_, u32> = HashMap::new();
        for ((old_split, old), (split, new)) in before.iter().zip(&after) {
            assert_eq!((old_split, &old.position), (split, &new.position));
            let next = numbers.len() as u32;
            let number = *numbers.entry((old.position.key(), old.history.0.clone())).or_insert(next);
            let expected = &labels[&number];
            let played = old.played_move.unwrap_or(old.best_move);
            assert_eq!(new.played_move, (played != expected.best_move).then_some(played));
            let labelled = Sample {
                best_move: expected.best_move,
                played_move: new.played_move,
                evaluation: expected.evaluation,
                policy: expected.policy.clone(),
                search_value: expected.search_value,
                engine: Some(0),
                effort: expected.effort,
                white_rating: rating.or(old.white_rating),
                black_rating: rating.or(old.black_rating),
                ..old.clone()
            };
            assert_eq!(new, &labelled);
        }
    }
}

#[test]
fn a_missing_label_leaves_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = stored(folder.path(), 1);
    let output = folder.path().join("labelled.store");
    let ask = &mut |number| match number {
        0 => Ok(label(0, &Chess::default())),
        _ => Err(io::Error::other("no label of position 1")),
    };
    let error = relabel(&store, &output, of(None), ask).unwrap_err().to_string();
    assert!(error.contains("labelled.store") && error.contains("no label of position 1"), "{error}");
    let entries = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(entries, 2, "the games and the first store");
}

struct Rejections(Vec<BadRecord>);

impl BuildObserver for Rejections {
    fn progress(&mut self, _: &Counts, _: u64) {}

    fn rejected(&mut self, record: &BadRecord) {
        self.0.push(record.clone());
    }

    fn stopped(&self) -> bool {
        false
    }
}

#[test]
fn positions_without_a_best_move_are_stored_only_to_be_labelled() {
    let folder = tempfile::tempdir().unwrap();
    let input: PathBuf = folder.path().join("positions.fen");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    std::fs::write(
        &input,
        format!("{start} bm e4;\n8/8/8/8/8/5k2/6q1/7K w - - 0 1\n8/8/8/4k3/8/8/4P3/4K3 w - - 3 9\n"),
    )
    .unwrap();
    let mut config = BuildConfig::new(folder.path().join("a.store"), [&input]);
    let mut observer = Rejections(Vec::new());
    let counts = build(&config, &mut observer).unwrap().counts;
    assert_eq!((counts.games_read, counts.positions), (3, 1));
    let found: Vec<_> = observer.0.iter().map(|bad| (bad.line, bad.reason)).collect();
    assert_eq!(found, [(2, BadReason::NoMoves), (3, BadReason::NoMoves)]);
    assert!(observer.0[1].detail.contains("tabiya data label"), "{:?}", observer.0);

    (config.output, config.unlabelled) = (folder.path().join("b.store"), Unlabelled::Await);
    let counts = build(&config, &mut observer).unwrap().counts;
    assert_eq!((counts.positions, counts.rejected_total()), (2, 1), "mate stays no position to learn from");
    let store = Store::open(&config.output).unwrap();
    let found: Vec<_> = questions(&store).map(|question| question.unwrap().sample.chess().unwrap()).collect();
    assert_eq!(found.len(), 2);
    assert!(found.iter().any(|position| position.fullmoves().get() == 9 && position.halfmoves() == 3));
}
