//! The documents against the program: every command in them parses, every option exists, every path leads somewhere, and
//! the README's commands run.

mod markdown;
mod walkthrough;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

/// Words in documents that stand for something of the reader's own, and a value that the program accepts in their
/// place.
const PLACEHOLDERS: [(&str, &str); 3] = [("PLAYER", "random"), ("NAME", "random"), ("N", "2")];

/// Options of other programs that the documents name.
const FOREIGN_OPTIONS: [&str; 10] = [
    "--features",
    "--from",
    "--ignored",
    "--locked",
    "--now",
    "--path",
    "--release",
    "--root",
    "--secret",
    "--test",
];

/// Files of other programs that the documents cite.
const FOREIGN_PATHS: [&str; 1] = ["src/neural/encoder.cc"];

/// First parts of the paths that documents are checked for.
const TOP_FOLDERS: [&str; 10] =
    [".ci", "crates", "docs", "fuzz", "nets", "recipes", "scripts", "src", "testdata", "xtask"];

/// Every document that describes the present state; the changelog keeps names of the past.
fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixed = [
        "README.md",
        "CONTRIBUTING.md",
        "nets/README.md",
        "nets/seeds/README.md",
        "fuzz/README.md",
        "testdata/SOURCES.md",
    ];
    let mut files: Vec<PathBuf> = fixed.map(|name| root.join(name)).into();
    let listed =
        |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let is_present = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    files.extend(listed("docs").filter(is_present));
    files.extend(listed("docs/experiments").filter(is_present));
    files.extend(listed("recipes").map(|folder| folder.join("README.md")));
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// Standard output of the program with `--help` after the arguments, or its error message about them.
fn help(arguments: &[String]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya")).args(arguments).arg("--help").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// The long help of every subcommand, with the words that name it.
fn help_pages(command: &[String], pages: &mut Vec<(Vec<String>, String)>) {
    let page = help(command).unwrap();
    let listed = page.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let names = listed.lines().take_while(|line| line.is_empty() || line.starts_with("  "));
    let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        help_pages(&[command, &[name.to_string()]].concat(), pages);
    }
    pages.push((command.to_vec(), page));
}

/// The message with which the real command line refuses the words; `None` if it accepts them.
fn refusal(words: &[String]) -> Option<String> {
    let stand_in = |word: &String| {
        let found = PLACEHOLDERS.iter().find(|(placeholder, _)| placeholder == word);
        found.map_or_else(|| word.clone(), |(_, value)| (*value).to_string())
    };
    help(&words.iter().map(stand_in).collect::<Vec<_>>()).err()
}

#[test]
fn every_command_in_the_documents_parses() {
    let (mut commands, mut wrong) = (0, Vec::new());
    for (path, text) in documents() {
        let lines = markdown::code_lines(&text).into_iter().chain(markdown::code_spans(&text));
        for words in lines.filter_map(|line| markdown::arguments(&line, "tabiya")) {
            commands += 1;
            wrong
                .extend(refusal(&words).map(|why| format!("{}: {}\n{why}", path.display(), words.join(" "))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands > 80, "only {commands} commands were found in the documents");
}

#[test]
fn every_example_in_the_help_texts_parses() {
    let mut pages = Vec::new();
    help_pages(&[], &mut pages);
    let (mut examples, mut wrong) = (0, Vec::new());
    for (command, page) in pages {
        let Some((_, text)) = page.split_once("\nExample") else { continue };
        let text = text.split_once(':').unwrap().1.replace("\n  ", "\n");
        for line in text.lines().map(str::trim) {
            let Some(words) = markdown::arguments(line, "tabiya") else { continue };
            examples += 1;
            wrong.extend(refusal(&words).map(|why| format!("{}: {line}\n{why}", command.join(" "))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(examples > 20, "only {examples} examples were found in the help texts");
}

#[test]
fn every_option_named_in_the_documents_exists() {
    let mut pages = Vec::new();
    help_pages(&[], &mut pages);
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let options = pages.iter().flat_map(|(_, page)| page.split(|letter| !is_part(letter)));
    let known: BTreeSet<&str> =
        options.filter(|word| word.starts_with("--")).chain(FOREIGN_OPTIONS).collect();
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        for span in markdown::code_spans(&text).iter().filter(|span| span.starts_with("--")) {
            let option = span.split([' ', '=']).next().unwrap();
            if !known.contains(option) {
                wrong.push(format!("{}: {option}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "no command has these options:\n{}", wrong.join("\n"));
}

#[test]
fn every_path_and_link_in_the_documents_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        let here = path.parent().unwrap();
        let links = markdown::links(&text).into_iter().map(|target| here.join(target));
        let spans = markdown::code_spans(&text).into_iter().filter(|span| is_path(span));
        for target in links.chain(spans.map(|span| root.join(span))) {
            if !target.exists() {
                wrong.push(format!("{}: {}", path.display(), target.strip_prefix(root).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "nothing lies there:\n{}", wrong.join("\n"));
}

/// Whoever has read about a player wants it in their GUI or on Lichess.
#[test]
fn the_recipe_of_every_player_has_the_lines_for_a_gui_and_for_lichess() {
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes");
    for system in player::SYSTEMS {
        let name = system.network.name;
        let readme = std::fs::read_to_string(recipes.join(name).join("README.md")).unwrap();
        for command in [format!("tabiya uci --net {name} "), format!("tabiya lichess --net {name} ")] {
            assert!(readme.contains(&command), "{name}: {command}");
        }
    }
}

/// True if a code span is a path from the repository's root, not a pattern of paths or a build product.
fn is_path(span: &str) -> bool {
    let (top, rest) = span.split_once('/').unwrap_or((span, ""));
    let literal = !span.contains([' ', '<', '*', '{', '=']) && !span.contains(char::is_uppercase);
    TOP_FOLDERS.contains(&top) && !rest.is_empty() && literal && !FOREIGN_PATHS.contains(&span)
}

#[test]
fn every_make_target_in_the_documents_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let makefile = std::fs::read_to_string(root.join("Makefile")).unwrap();
    for (path, text) in documents() {
        let lines = markdown::code_lines(&text).into_iter().chain(markdown::code_spans(&text));
        let calls = lines.filter_map(|line| markdown::arguments(&line, "make"));
        // The name of the program alone is not a call.
        for target in calls.filter_map(|words| words.into_iter().next()) {
            assert!(makefile.contains(&format!("\n{target}:")), "{}: make {target}", path.display());
        }
    }
}
