//! Files and folders that the command line names: names that are not UTF-8, links, devices, and places that cannot be written.

#![cfg(unix)]

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::symlink,
    },
    path::Path,
    process::{Command, Output, Stdio},
};

const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n";

fn tabiya(folder: &Path, arguments: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs the command with these words, in which `@` stands for a byte that is not UTF-8.
fn run(folder: &Path, words: &str) -> Output {
    let bytes = |word: &str| word.bytes().map(|byte| if byte == b'@' { 0xff } else { byte }).collect();
    let words: Vec<OsString> = words.split(' ').map(|word| OsString::from_vec(bytes(word))).collect();
    tabiya(folder, &words.iter().map(OsString::as_os_str).collect::<Vec<_>>())
}

/// Standard error of a command that fails with this code and does not panic.
fn failure(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Defect N1: each of these ended with a panic.
#[test]
fn names_that_are_not_text_are_read_and_shown() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join(OsStr::from_bytes(b"g\xffmes.pgn")), GAMES).unwrap();
    for words in [
        "data label l g@mes.pgn --engine net=material,nodes=1",
        "data generate o.pgn --engine net=material,nodes=1 --games 1 --within g@mes.pgn",
        "data personal add g@mes.pgn --player A --personal p@ --json",
        "data personal list --personal p@ --json",
    ] {
        let output = run(place.path(), words);
        assert!(output.status.success(), "{words}: {output:?}");
    }
    assert!(place.path().join("l/manifest.json").exists() && place.path().join("o.pgn").exists());
}

/// Defect N1: the name was changed when it went into a recipe or to another process.
#[test]
fn names_that_must_be_written_down_are_refused_before_anything_is_made() {
    let place = tempfile::tempdir().unwrap();
    let recipe = concat!(env!("CARGO_MANIFEST_DIR"), "/recipes/first");
    let run = |words: &str| failure(&run(place.path(), words), 1);
    for words in [format!("train {recipe} --data v@.store"), "run tiny@".into()] {
        let message = run(&words);
        assert!(message.contains("\u{fffd}") && message.contains("not UTF-8"), "{words}: {message}");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

/// Defect N2: a match under the name of a link wrote to the journal of another.
#[test]
fn a_folder_is_locked_under_all_its_names() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("m")).unwrap();
    symlink("m", place.path().join("l")).unwrap();
    let lock = files::FolderLock::take(&place.path().join("m")).unwrap();
    let message = failure(&run(place.path(), "match random random --games 2 --out l"), 1);
    assert!(message.contains("being written by another process"), "{message}");
    drop(lock);
    assert!(run(place.path(), "match random random --games 2 --out l").status.success());
    assert!(place.path().join("m/result.json").exists());
}

/// Defects N3 and N12: a link was replaced by a file, and a full disk left half a report.
#[test]
fn an_output_is_written_where_its_link_leads() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("games.pgn"), GAMES).unwrap();
    symlink("page.html", place.path().join("link.html")).unwrap();
    fs::write(place.path().join("page.html"), "<!doctype html>old").unwrap();
    fs::write(place.path().join("page.html.partial"), "mine").unwrap();
    assert!(run(place.path(), "data stats games.pgn --html link.html").status.success());
    assert!(place.path().join("link.html").symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(place.path().join("page.html")).unwrap().contains("<html"));
    assert_eq!(fs::read_to_string(place.path().join("page.html.partial")).unwrap(), "mine");
    assert!(run(place.path(), "data stats games.pgn --html /dev/null").status.success());
    assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
}

/// Defect N5: the report of broken records emptied an input under the name of a hard link.
#[test]
fn the_report_of_broken_records_is_no_input_under_another_name() {
    let place = tempfile::tempdir().unwrap();
    let [games, hard, soft] = ["games.pgn", "hard.pgn", "soft.pgn"].map(|name| place.path().join(name));
    fs::write(&games, GAMES).unwrap();
    fs::hard_link(&games, &hard).unwrap();
    symlink("games.pgn", &soft).unwrap();
    for other in ["games.pgn", "hard.pgn", "soft.pgn", "./games.pgn"] {
        let words = format!("data build o games.pgn --rejected {other}");
        let message = failure(&run(place.path(), &words), 1);
        assert!(message.contains("is one of the inputs"), "{other}: {message}");
        assert_eq!(fs::read_to_string(&games).unwrap(), GAMES);
    }
}

/// Defect N14: if the result could not be kept, as on a full disk, it was not printed either.
#[test]
fn a_result_that_cannot_be_kept_is_printed() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("m/result.json")).unwrap();
    let output = run(place.path(), "match random random --games 2 --out m --json");
    let message = failure(&output, 1);
    assert!(message.contains("m/result.json"), "{message}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["kind"], "tabiya-match-1");
}

/// Defect N13: if a lock file was a link, the number of the process was written into the link's target.
#[test]
fn what_a_link_named_like_a_lock_leads_to_is_left() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("games.pgn"), GAMES).unwrap();
    fs::write(place.path().join("precious.txt"), "precious").unwrap();
    symlink("precious.txt", place.path().join(".s.lock")).unwrap();
    let message = failure(&run(place.path(), "data build s games.pgn"), 1);
    assert!(message.contains(".s.lock: found a symbolic link"), "{message}");
    assert_eq!(fs::read_to_string(place.path().join("precious.txt")).unwrap(), "precious");
}

/// Defect N16: escape sequences of arguments and recipes reached the terminal.
#[test]
fn messages_have_no_control_characters() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("r.toml"), "[training]\nsteps = \"\u{1}\"\n\"\\u0000\\u001b[31m\" = 1\n")
        .unwrap();
    for (words, code) in [
        ("data stats a\u{1b}[31mb", 1),
        ("match random random --games \u{1b}[31m2", 2),
        ("no\u{1b}[31msuch", 2),
        ("train r.toml", 1),
        ("match net=\u{1b}[31m random --games 2", 1),
    ] {
        let message = failure(&run(place.path(), words), code);
        let shown = |letter: char| letter == '\n' || letter == '\t' || !letter.is_control();
        assert!(!message.is_empty() && message.chars().all(shown), "{words:?}: {message:?}");
    }
}
