//! Stores of earlier versions stay readable.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};

use dataset::{BuildConfig, PolicyLabel, Sample, Split, Store, Unobserved, build, store::manifest::VERSION};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn rows(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

/// What version 1 knew of a sample.
fn version_1(sample: Sample) -> Sample {
    Sample { clock_seconds: None, time_control: None, eco: None, ..sample }
}

#[test]
fn a_store_of_version_1_gives_the_samples_that_one_of_today_gives() {
    let old = Store::open(&testdata("stores/version-1")).unwrap();
    assert_eq!(old.manifest().version, 1);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("store");
    let mut config = BuildConfig::new(&output, [testdata("games/hand-made.pgn")]);
    (config.validation_share, config.history) = (0.3, 3);
    build(&config, &mut Unobserved).unwrap();
    let new = Store::open(&output).unwrap();
    assert_eq!(new.manifest().version, VERSION);
    for split in [Split::Train, Split::Validation] {
        let expected: Vec<_> = rows(&new, split).into_iter().map(version_1).collect();
        let found = rows(&old, split);
        assert_eq!(found, expected, "{split:?}");
        assert!(found.len() > 10 && found.iter().all(|sample| sample.policy == PolicyLabel::BestMove));
    }
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = std::fs::read_to_string(testdata("stores/version-1/manifest.json")).unwrap();
    let later = VERSION + 1;
    let manifest = manifest.replace("\"version\": 1", &format!("\"version\": {later}"));
    std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
    let refused = Store::open(folder.path()).unwrap_err().to_string();
    assert!(refused.contains(&format!("version {later}")) && refused.contains("version 1 to"), "{refused}");
}
