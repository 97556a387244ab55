//! Any bytes, and damaged lines, as the journals from which commands resume: games of a match, labels, and the settings of both.
//! A journal that is accepted is accepted again, with the same number of games and sessions.
#![no_main]

use std::{path::PathBuf, sync::LazyLock};

use labelling::store_labelling::{KnownLabels, LabelJournal};
use libfuzzer_sys::fuzz_target;
use files::{Begin, WorkFolder, run::FolderKind};
use serde_json::json;
use strength::campaign::Campaign;
use tabiya_fuzz::{Damage, damaged};
use tempfile::TempDir;

/// Two games and two sessions, as the commands write them.
const GAMES: &[u8] = include_bytes!("../seeds/games.jsonl");
const LABELS: &[u8] = include_bytes!("../seeds/labels.jsonl");

/// Positions of a session.
const SESSION: u32 = 2;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    std::fs::write(&path, bytes).expect("the folder can be written to");
    path
}

/// Damage to what the program refuses anyway would test nothing.
static SEEDS: LazyLock<()> =
    LazyLock::new(|| assert_eq!(check(GAMES, LABELS), 4, "the program accepts both seeds"));

/// The number of games and sessions that were accepted.
fn check(games: &[u8], labels: &[u8]) -> u64 {
    let mut accepted = 0;
    let setup = json!({ "games": 2 });
    file("setup.json", json!({ "kind": FolderKind::MATCH.name, "games": 2 }).to_string().as_bytes());
    file("games.pgn", b"");
    file("games.jsonl", games);
    let open = || {
        Campaign::in_folder(FOLDER.path(), &FolderKind::MATCH, &setup, Begin::Resume)
            .map(|campaign| campaign.played().count())
    };
    if let Ok(count) = open() {
        assert_eq!(open().expect("an accepted journal is accepted again"), count);
        accepted += count;
    }
    let path = file("labels.jsonl", labels);
    if let Ok(journal) = LabelJournal::open(&path, "") {
        let sessions = journal.sessions();
        let mut known = KnownLabels::new(&journal, SESSION);
        for first in sessions.iter().filter_map(|session| session.checked_mul(SESSION)) {
            // The first call reads the session, the second one a label of a session that was already read.
            for number in [first, 0, first] {
                let _ = known.label(number);
            }
        }
        drop(journal);
        assert_eq!(
            LabelJournal::open(&path, "").expect("an accepted journal is accepted again").sessions(),
            sessions
        );
        accepted += sessions.len() as u64;
    }
    accepted
}

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    LazyLock::force(&SEEDS);
    check(&damaged(GAMES, &damage), &damaged(LABELS, &damage));
    check(bytes, bytes);
    let other = FOLDER.path().join("other");
    std::fs::create_dir_all(&other).expect("a folder can be created");
    file("other/setup.json", bytes);
    if WorkFolder::at(&other, &FolderKind::MATCH, &json!({ "games": 2 }), Begin::Resume).is_ok() {
        let read: serde_json::Value = serde_json::from_slice(bytes).expect("an accepted file is JSON");
        assert_eq!(read["games"], json!(2));
    }
});
