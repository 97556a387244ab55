//! Stores of other versions are refused by name, with the remedy.

use std::path::Path;

use dataset::{BuildConfig, NoObserver, Store, build, store::manifest::VERSION};

/// The error of opening a store whose manifest has this version.
fn refused(version: u32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("store");
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/games/hand-made.pgn");
    build(&BuildConfig::new(&output, [games]), &mut NoObserver).unwrap();
    let path = output.join("manifest.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    let other = manifest.replacen(&format!("\"version\": {VERSION}"), &format!("\"version\": {version}"), 1);
    assert_ne!(manifest, other);
    std::fs::write(&path, other).unwrap();
    Store::open(&output).unwrap_err().to_string()
}

#[test]
fn a_store_of_a_later_version_is_refused() {
    let message = refused(VERSION + 1);
    assert!(message.contains(&format!("version {}", VERSION + 1)), "{message}");
    assert!(message.contains(&format!("version {VERSION}")), "{message}");
}

#[test]
fn a_store_of_the_unreleased_version_is_to_be_built_again() {
    let message = refused(1);
    assert!(message.contains("made by an unreleased version; build it again"), "{message}");
}
