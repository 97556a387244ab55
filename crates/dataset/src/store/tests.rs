//! Samples read from disk equal those written, with every field.

#[cfg(feature = "objects")]
mod buckets;

use std::path::Path;

use chess::Score;
use proptest::{collection::vec, option, prelude::*};

use super::{
    SplitFile,
    integrity::verify_files,
    manifest::{FilePart, Manifest},
    place::Place,
    schema,
    writer::SplitWriter,
};
use crate::{
    BuildConfig, GameResult, NoObserver, PolicyLabel, Sample, build,
    history::History,
    packed_move::PackedMove,
    packed_position::PackedPosition,
    record::{Eco, Origin, SearchEffort, TimeControl},
    sample::SearchValue,
    store::{Split, SplitFiles, Store},
};

fn any_score() -> impl Strategy<Value = Score> {
    prop_oneof![
        (-20_000..=20_000).prop_map(Score::Centipawns),
        (1..=500).prop_map(Score::Mate),
        (-500..=-1).prop_map(Score::Mate)
    ]
}

fn any_policy() -> impl Strategy<Value = (PackedMove, PolicyLabel)> {
    let different = proptest::collection::hash_set(any::<u16>(), 1..6);
    let moves = different.prop_map(|moves| moves.into_iter().map(PackedMove).collect::<Vec<_>>());
    let scores = vec(any_score(), 6);
    (moves, scores, vec(any::<u32>(), 6), 0..3).prop_map(|(moves, scores, visits, kind)| {
        let best = moves[0];
        let policy = match kind {
            0 => PolicyLabel::BestMove,
            1 => PolicyLabel::Scores(moves.into_iter().zip(scores).collect()),
            _ => PolicyLabel::Visits(moves.into_iter().zip(visits).collect()),
        };
        (best, policy)
    })
}

prop_compose! {
    fn any_circumstances()(
        clock_seconds in option::of(any::<u32>()),
        control in option::of((any::<u32>(), any::<u32>())),
        eco in option::of("[A-E][0-9]{2}"),
        origin in option::of(0..Origin::NAMES.len()),
        search in option::of((0..=5000_u16, 0..=5000_u16)),
        engine in option::of(any::<u16>()),
        depth in option::of(any::<u16>()),
        nodes in option::of(any::<u64>()),
        weight in 0.0_f32..10.0,
    ) -> Sample {
        Sample {
            position: PackedPosition([0; 34]),
            best_move: PackedMove(0),
            played_move: None,
            evaluation: None,
            result: None,
            ply: 0,
            white_rating: None,
            black_rating: None,
            game: None,
            repetitions: 0,
            slips: 0,
            source: 0,
            history: History::default(),
            policy: PolicyLabel::BestMove,
            search_value: search.map(|(win, loss)| SearchValue { win, loss }),
            engine,
            effort: SearchEffort { depth, nodes },
            clock_seconds,
            time_control: control
                .map(|(base_seconds, increment_seconds)| TimeControl { base_seconds, increment_seconds }),
            eco: eco.and_then(|code| Eco::parse(code.as_bytes())),
            origin: origin.map(|index| Origin::NAMES[index].1),
            weight,
        }
    }
}

prop_compose! {
    fn any_sample()(
        position in vec(any::<u8>(), 34),
        (best_move, policy) in any_policy(),
        played in option::of(any::<u16>()),
        evaluation in option::of(any_score()),
        result in option::of(prop_oneof![Just(GameResult::Win), Just(GameResult::Draw), Just(GameResult::Loss)]),
        ratings in (option::of(any::<u16>()), option::of(any::<u16>())),
        game in option::of(any::<u64>()),
        counts in (any::<u16>(), any::<u8>(), any::<u8>(), any::<u16>()),
        rest in any_circumstances(),
    ) -> Sample {
        let (ply, repetitions, slips, source) = counts;
        Sample {
            position: PackedPosition(position.try_into().unwrap()),
            best_move,
            played_move: played.map(PackedMove),
            evaluation,
            result,
            ply,
            white_rating: ratings.0,
            black_rating: ratings.1,
            game,
            repetitions,
            slips,
            source,
            policy,
            ..rest
        }
    }
}

proptest! {
    #[test]
    fn samples_come_back_as_they_were(samples in vec(any_sample(), 1..40), with_history: bool) {
        let folder = tempfile::tempdir().unwrap();
        let mut samples = samples;
        if with_history {
            for sample in &mut samples {
                sample.history = History(vec![sample.slips; 35].into());
            }
        }
        let mut writer = SplitWriter::new(folder.path(), "train", with_history).unwrap();
        writer.write(&mut samples.clone()).unwrap();
        let files = writer.finish().unwrap();
        let path = folder.path().join(&files[0].name);
        let reader = super::open_parquet(&path).unwrap();
        let expected = schema::schema(with_history).unwrap();
        let metadata = parquet::file::reader::FileReader::metadata(&reader).clone();
        prop_assert_eq!(metadata.file_metadata().schema().get_fields(), expected.get_fields());
        let file = SplitFile { name: files[0].name.clone(), bytes: files[0].bytes };
        let place = Place::Folder(folder.path().into());
        let split = SplitFiles { place, files: vec![file], row_groups: Vec::new(), engines: usize::MAX };
        let read = split.read(&super::RowGroup { file: 0, index: 0, rows: samples.len(), part: None }).unwrap();
        prop_assert_eq!(read, samples);
    }
}

#[test]
fn data_files_outside_of_the_store_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = store(folder.path());
    let path = place.path(files::run::MANIFEST);
    let text = std::fs::read_to_string(&path).unwrap();
    let own = Manifest::read_from(&place).unwrap().train[0].name.clone();
    for name in ["../stolen.parquet", "/stolen.parquet", "in/it.parquet", "..", ""] {
        std::fs::write(&path, text.replace(&format!("\"{own}\""), &format!("\"{name}\""))).unwrap();
        let message = Manifest::read_from(&place).unwrap_err().to_string();
        assert!(message.contains(&format!("the data file {name:?}")), "{message}");
    }
}

/// Columns that other programs may write: each is checked with its row. Weights of -1 trained to a loss of -12,976.
#[test]
fn values_that_no_sample_has_are_refused_with_their_row() {
    let folder = tempfile::tempdir().unwrap();
    let Place::Folder(output) = store(folder.path()) else { panic!("a folder") };
    let sample = || Store::open(&output).unwrap().sample(Split::Train, 0).unwrap().unwrap();
    let refused = |change: &dyn Fn(&mut Sample)| {
        let mut rows = vec![sample(), sample()];
        change(&mut rows[1]);
        let place = tempfile::tempdir().unwrap();
        let mut writer = SplitWriter::new(place.path(), "train", true).unwrap();
        writer.write(&mut rows).unwrap();
        let files = writer.finish().unwrap();
        let file = SplitFile { name: files[0].name.clone(), bytes: files[0].bytes };
        let place = Place::Folder(place.path().into());
        let split = SplitFiles { place, files: vec![file], row_groups: Vec::new(), engines: 1 };
        let read = split.read(&super::RowGroup { file: 0, index: 0, rows: 2, part: None });
        read.map(drop).map_err(|error| error.to_string())
    };
    refused(&|_| ()).unwrap();
    for weight in [-1.0, f32::NAN, f32::INFINITY] {
        let message = refused(&|sample| sample.weight = weight).unwrap_err();
        assert!(message.contains("row 1") && message.contains("expected a finite number"), "{message}");
    }
    refused(&|sample| sample.weight = 0.0).unwrap();
    let message = refused(&|sample| sample.evaluation = Some(Score::Mate(0))).unwrap_err();
    assert!(message.contains("mate 0"), "{message}");
    refused(&|sample| sample.engine = Some(0)).unwrap();
    let message = refused(&|sample| sample.engine = Some(1)).unwrap_err();
    assert!(message.contains("an engine beyond the 1 of the manifest"), "{message}");
    let twice = |sample: &mut Sample| {
        sample.policy = PolicyLabel::Visits([(sample.best_move, 3), (sample.best_move, 1)].into());
    };
    assert!(refused(&twice).unwrap_err().contains("best_move again"));
}

fn testdata(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn store(folder: &Path) -> Place {
    let output = folder.join("store");
    let mut config = BuildConfig::new(&output, [testdata("games/hand-made.pgn")]);
    (config.validation_share, config.history) = (0.3, 3);
    build(&config, &mut NoObserver).unwrap();
    Place::Folder(output)
}

/// Defect N17: a manifest with a changed part was refused by readers of the store, but accepted by `data verify`.
#[test]
fn the_parts_of_the_manifest_are_verified_as_the_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let place = store(folder.path());
    let manifest = Manifest::read_from(&place).unwrap();
    assert!(verify_files(&place, &manifest).is_ok());
    let changed = |change: &dyn Fn(&mut FilePart)| {
        let mut manifest = manifest.clone();
        change(manifest.train[0].parts.last_mut().unwrap());
        verify_files(&place, &manifest).unwrap_err().to_string()
    };
    let flipped = changed(&|part| part.xxh3 = format!("{:016x}", 1));
    assert!(flipped.contains("damage in bytes"), "{flipped}");
    for bytes in [0, u64::MAX] {
        let refused = changed(&|part| part.bytes = bytes);
        assert!(refused.contains("bytes in the manifest"), "{refused}");
    }
}
