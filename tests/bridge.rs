//! Conversation of the common bridge to Lichess with its engine, from the example in `docs/bot.md`.

use crate::program;

use std::{fmt::Write as _, path::Path};

/// Names and values of `uci_options` in the example.
fn options() -> Vec<(String, String)> {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bot.md")).unwrap();
    let (_, rest) = document.split_once("  uci_options:\n").expect("the example has options");
    let lines = rest.lines().take_while(|line| line.starts_with("    "));
    lines
        .map(|line| line.trim().split_once(": ").expect("NAME: VALUE"))
        .map(|(name, value)| (name.into(), value.trim_matches('"').into()))
        .collect()
}

#[test]
fn the_options_of_the_example_are_accepted() {
    let options = options();
    assert!(options.len() >= 6, "{options:?}");
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/books/hand-made.bin");
    let mut script = String::from("uci\n");
    for (name, value) in &options {
        let value = match name.as_str() {
            "BookFile" => book,
            // There is no folder of tables to name: the default is accepted anyway.
            "SyzygyPath" => "<empty>",
            _ => value,
        };
        writeln!(script, "setoption name {name} value {value}").unwrap();
    }
    // As the bridge continues: pondering, and the answer to it.
    script += "isready\nucinewgame\nposition startpos moves e2e4 e7e5\ngo ponder wtime 60000 btime 60000 winc 1000 binc 1000\n";
    script += "ponderhit\nisready\nstop\nquit\n";
    let output = program::with_input(Path::new("."), "uci --net material", script);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains("error") && !said.contains("ignored"), "{said}");
    assert_eq!(said.matches("bestmove ").count(), 1, "{said}");
    for (name, _) in &options {
        assert!(said.contains(&format!("option name {name} ")), "{name} is not declared: {said}");
    }
}
