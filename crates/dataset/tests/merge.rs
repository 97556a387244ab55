//! Merging stores: every sample arrives once, in its split, with the names of its own source and engine.

use std::path::Path;

use dataset::{
    BuildConfig, History, Label, NoObserver, PolicyLabel, Relabelling, Sample, Split, Store, build, merge,
    packed_move::PackedMove,
    record::SearchEffort,
    relabel,
    store::{manifest::Engine, verify},
};

const GAMES: [&str; 2] = [
    "1. e4 e5 2. Nf3 1-0\n\n1. d4 d5 2. c4 0-1\n\n1. c4 c5 1/2-1/2\n\n1. f4 1-0\n",
    "1. e4 e5 2. Nf3 1-0\n\n1. b3 e5 2. Bb2 0-1\n\n1. g3 1-0\n",
];

fn built(folder: &Path, number: usize, history: usize, validation_share: f64) -> Store {
    let games = folder.join(format!("{number}.pgn"));
    std::fs::write(&games, GAMES[number]).unwrap();
    let output = folder.join(format!("{number}-{history}-{validation_share}.store"));
    let config = BuildConfig { history, validation_share, ..BuildConfig::new(&output, [games]) };
    build(&config, &mut NoObserver).unwrap();
    Store::open(&output).unwrap()
}

fn labelled(store: &Store, output: &Path) -> Store {
    let label = |_| {
        Ok(Label {
            best_move: PackedMove(28 * 64 + 12),
            evaluation: None,
            policy: PolicyLabel::BestMove,
            search_value: None,
            effort: SearchEffort::default(),
        })
    };
    let engine = Engine { name: "Double 1.0".into(), limits: String::new() };
    relabel(store, output, Relabelling { engine, rating: None, keeps_evaluations: false }, &mut { label })
        .unwrap();
    Store::open(output).unwrap()
}

fn rows(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

#[test]
fn every_sample_arrives_with_the_names_of_its_own_source_and_engine() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [
        labelled(&built(folder.path(), 0, 1, 0.5), &folder.path().join("labelled.store")),
        labelled(&built(folder.path(), 1, 4, 0.5), &folder.path().join("deep.store")),
        built(folder.path(), 1, 1, 0.5),
    ];
    let output = folder.path().join("merged.store");
    let manifest = merge(&stores, &output).unwrap();
    verify(&output).unwrap();
    let merged = Store::open(&output).unwrap();
    assert_eq!((merged.manifest(), manifest.history), (&manifest, 1), "one store has no history");
    assert_eq!((manifest.sources.len(), manifest.engines.len(), manifest.merged.len()), (3, 2, 3));
    assert_eq!(manifest.merged[1].hash, stores[1].hash());
    assert_eq!(
        manifest.counts.positions,
        stores.iter().map(|store| store.manifest().counts.positions).sum::<u64>()
    );
    for split in [Split::Train, Split::Validation] {
        let found = rows(&merged, split);
        let mut expected = Vec::new();
        for (number, store) in stores.iter().enumerate() {
            expected.extend(rows(store, split).into_iter().map(|sample| Sample {
                source: number as u16,
                engine: sample.engine.map(|_| number as u16),
                history: History::default(),
                ..sample
            }));
        }
        assert!(!expected.is_empty());
        assert_eq!(found, expected);
    }
}

#[test]
fn stores_that_do_not_fit_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = |number, history, share| built(folder.path(), number, history, share);
    let output = folder.path().join("merged.store");
    for (stores, expected) in [
        (vec![], "found none, expected at least two"),
        (vec![store(0, 2, 0.25)], "expected at least two"),
        (vec![store(0, 1, 0.5), store(1, 1, 0.0)], "expected 0.5 as in the first store"),
        (vec![store(0, 3, 0.5), store(1, 4, 0.5)], "found [3, 4] positions of history"),
    ] {
        let error = merge(&stores, &output).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!output.exists());
    }
}

#[test]
fn a_damaged_store_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [built(folder.path(), 0, 1, 0.5), built(folder.path(), 1, 1, 0.5)];
    let files: Vec<_> =
        std::fs::read_dir(stores[1].path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let data = files.iter().find(|path| path.extension().is_some_and(|ending| ending == "parquet")).unwrap();
    let mut bytes = std::fs::read(data).unwrap();
    // The first column's pages, which are read after the metadata at the end of the file.
    bytes[4..64].fill(0xff);
    std::fs::write(data, bytes).unwrap();
    let output = folder.path().join("merged.store");
    let error = merge(&stores, &output).unwrap_err().to_string();
    assert!(error.contains(&stores[1].path().display().to_string()), "{error}");
    assert!(!output.exists());
}
