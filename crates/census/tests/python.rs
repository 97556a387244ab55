//! Readers in another language count the same in a store as this crate does.

use crate::games;

use std::{path::Path, process::Command};

use census::statistics::Statistics;
use dataset::{BuildConfig, NoObserver, Store, build};

/// Runs `tests/read_store.py` on a store and returns what each reader counted.
fn counted_by_python(store: &Path) -> serde_json::Value {
    let python = std::env::var_os("TABIYA_PYTHON").expect("TABIYA_PYTHON names a Python interpreter");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_store.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(store)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "needs TABIYA_PYTHON"]
fn python_readers_count_what_we_count() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("games.pgn");
    let hand_made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/games/hand-made.pgn");
    let text = games::random_games(300, 100, true) + &games::random_games(40, 30, false);
    std::fs::write(&input, text).unwrap();
    for history in [1, 8] {
        let path = directory.path().join(format!("store-{history}"));
        let mut config = BuildConfig::new(&path, [&input, &hand_made]);
        config.validation_share = 0.1;
        config.history = history;
        build(&config, &mut NoObserver).unwrap();
        let ours = Statistics::count(&Store::open(&path).unwrap(), |_| {}).unwrap();
        let ours = serde_json::to_value(&ours).unwrap();
        let theirs = counted_by_python(&path);
        for reader in ["pyarrow", "pandas", "duckdb"] {
            let counted = theirs[reader].as_object().unwrap_or_else(|| panic!("{reader} counted nothing"));
            for (name, value) in counted {
                assert_eq!(&ours[name], value, "{name} by {reader}");
            }
            assert_eq!(counted.len(), 5, "{reader} counts five things");
        }
        assert!(ours["games"].as_u64().unwrap() > 300);
    }
}
