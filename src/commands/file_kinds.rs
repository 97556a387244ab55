//! The kinds of files that commands write to user-given paths, and the role of every path argument.

use files::FileKind;

/// An opening book of Polyglot's format.
pub(crate) const BOOK: FileKind =
    FileKind { name: "an opening book", endings: &["bin"], is_own: Some(is_book) };

/// An opening table.
pub(crate) const TABLE: FileKind = FileKind {
    name: "an opening table",
    endings: &["openings"],
    is_own: Some(|head| head.starts_with(b"tabiya openings")),
};

/// A page with charts.
pub(crate) const PAGE: FileKind = FileKind {
    name: "an HTML page",
    endings: &["html", "htm"],
    is_own: Some(|head| head.trim_ascii_start().to_ascii_lowercase().starts_with(b"<!doctype html")),
};

/// A strength table.
pub(crate) const STRENGTH: FileKind = FileKind {
    name: "a strength table",
    endings: &["json"],
    is_own: Some(|head| holds(head, "tabiya-strength-")),
};

/// The rating of a network, in a file next to it.
pub(crate) const RATING: FileKind =
    FileKind { name: "a rating", endings: &["json"], is_own: Some(|head| holds(head, "tabiya-ladder-")) };

/// A list of broken records.
pub(crate) const REJECTED: FileKind =
    FileKind { name: "a list of broken records", endings: &["txt", "log"], is_own: Some(is_list_of_records) };

/// A drawing.
pub(crate) const SVG: FileKind = FileKind {
    name: "a drawing",
    endings: &["svg"],
    is_own: Some(|head| head.trim_ascii_start().starts_with(b"<svg")),
};

/// A network of Tabiya's.
pub(crate) const TABIYA: FileKind = FileKind { name: "a network", endings: &["tabiya"], is_own: None };

/// A network of Tabiya's or of ONNX.
pub(crate) const TABIYA_OR_ONNX: FileKind =
    FileKind { name: "a network", endings: &["tabiya", "onnx"], is_own: None };

/// A network of Stockfish's.
pub(crate) const NNUE: FileKind = FileKind { name: "a network", endings: &["nnue"], is_own: None };

fn holds(head: &[u8], text: &str) -> bool {
    head.windows(text.len()).any(|part| part == text.as_bytes())
}

/// A book has no header: its entries of 16 bytes are in the order of their first eight, the key of the position.
fn is_book(head: &[u8]) -> bool {
    let keys: Vec<&[u8]> = head.chunks(16).filter_map(|entry| entry.get(..8)).collect();
    head.len().is_multiple_of(16) && keys.is_sorted()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A record is named by its file and line: `games.pgn:12: illegal move`.
fn is_list_of_records(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.lines().next().is_none_or(|line| line.split(':').skip(1).any(is_number))
}

#[cfg(test)]
mod tests {
    use std::{any::TypeId, path::PathBuf};

    use clap::CommandFactory as _;
    use strength::campaign::GameFile;

    use super::*;
    use crate::commands::CommandLine;

    /// The role of a path argument.
    #[derive(Debug)]
    enum Role {
        Read,
        /// A file of its kind ([`FileKind`]); `tests/outputs.rs` runs the command.
        File,
        /// A folder of its kind (`files::run::FolderKind`), or one in which it creates such folders; the same
        /// test.
        Folder,
        /// A file or store that must not exist yet.
        New,
        /// A file or folder whose content the command itself checks before adding to it.
        Own,
    }

    use Role::{File, Folder, New, Own, Read};

    /// Every argument of the program that is a path, by its command and its name there.
    const PATHS: &[(&str, &str, Role)] = &[
        ("bench train", "data", Read),
        ("bench train", "recipe", Read),
        ("bench train", "spec", Read),
        ("book build", "inputs", Read),
        ("book build", "output", File),
        ("book show", "book", Read),
        ("calibrate", "out", File),
        ("calibrate", "work", Folder),
        ("compare", "against", Read),
        ("compare", "data", Read),
        ("compare", "out", Folder),
        ("compare", "recipes", Read),
        ("compare", "runs", Folder),
        ("data build", "inputs", Read),
        ("data build", "output", New),
        ("data build", "rejected", File),
        ("data cluster executor", "folder", Own),
        ("data fit-wdl", "store", Read),
        ("data generate", "output", New),
        ("data generate", "within", Read),
        ("data label", "inputs", Read),
        ("data label", "output", New),
        ("data merge", "output", New),
        ("data merge", "stores", Read),
        ("data personal add", "inputs", Read),
        ("data personal add", "personal", Own),
        ("data personal delete", "personal", Own),
        ("data personal list", "personal", Own),
        ("data publish", "store", Read),
        ("data show", "store", Read),
        ("data sql", "store", New),
        ("data stats", "html", File),
        ("data stats", "inputs", Read),
        ("data stats", "openings", Read),
        ("data stats", "recipes", Read),
        ("data verify", "store", Read),
        ("explore", "inputs", Read),
        ("explore", "table", File),
        ("ladder", "out", Folder),
        ("lichess", "config", Read),
        ("lichess", "games", Own),
        ("lichess", "token_file", Read),
        ("match", "out", Folder),
        ("match", "pgn", File),
        ("metrics agreement", "positions", Read),
        ("metrics human", "games", Read),
        ("metrics references", "games", Read),
        ("metrics references", "out", New),
        ("metrics value", "games", Read),
        ("net calibrate", "output", File),
        ("net calibrate", "store", Read),
        ("net compare", "store", Read),
        ("net convert", "output", File),
        ("net eval", "svg", File),
        ("net eval", "tree", File),
        ("net extract", "output", File),
        ("net planes", "svg", File),
        ("net validate", "recipe", Read),
        ("net validate", "store", Read),
        ("net verify", "reference", Read),
        ("play", "data", Read),
        ("play", "games", Own),
        ("play", "nets", Own),
        ("play", "openings", Own),
        ("play", "personal", Own),
        ("play", "pgn", New),
        ("play", "results", Read),
        ("play", "runs", Read),
        ("reinforce", "recipe", Read),
        ("reinforce", "runs", Folder),
        ("report", "out", Folder),
        ("report", "published", Read),
        ("report", "results", Read),
        ("review", "games", Read),
        ("review", "keep", Own),
        ("run", "data", Read),
        ("run", "recipe", Read),
        ("run", "runs", Folder),
        ("selfplay", "recipe", Read),
        ("selfplay", "runs", Folder),
        ("suite", "files", Read),
        ("train", "data", Read),
        ("train", "recipe", Read),
        ("train", "runs", Folder),
        ("tune", "out", Folder),
    ];

    fn paths(command: &clap::Command, words: &str, found: &mut Vec<(String, String)>) {
        let is_path =
            |argument: &&clap::Arg| argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let names = command.get_arguments().filter(is_path).map(|argument| argument.get_id().to_string());
        found.extend(names.map(|name| (words.trim_start().to_owned(), name)));
        for inner in command.get_subcommands() {
            paths(inner, &format!("{words} {}", inner.get_name()), found);
        }
    }

    /// A new option that writes fails this test until its role, which decides how other files are protected,
    /// is listed.
    #[test]
    fn the_role_of_every_path_is_known() {
        let mut found = Vec::new();
        paths(&CommandLine::command(), "", &mut found);
        found.sort();
        let known: Vec<(String, String)> =
            PATHS.iter().map(|(command, name, _)| ((*command).into(), (*name).into())).collect();
        assert_eq!(found, known);
        let rest = "tests/outputs.rs";
        let tested = include_str!("../../tests/outputs.rs");
        for (command, name, role) in PATHS.iter().filter(|(.., role)| matches!(role, File | Folder)) {
            assert!(
                tested.contains(&format!("(\"{command}\", \"{name}\"")),
                "{rest}: {command} {name}: {role:?}"
            );
        }
    }

    #[test]
    fn files_are_recognised_by_how_they_begin() {
        let own = |kind: &FileKind, head: &[u8]| kind.is_own.is_some_and(|is_own| is_own(head));
        let game = b"[White \"A\"]\n\n1. e4 *\n";
        let entry = |key: u8| [&[key; 8][..], &[0; 8]].concat();
        for (kind, head) in [
            (&BOOK, [entry(1), entry(2)].concat()),
            (&TABLE, b"tabiya openings1".to_vec()),
            (&PAGE, b"\n<!DOCTYPE html><html>".to_vec()),
            (&STRENGTH, b"{\n  \"kind\": \"tabiya-strength-1\"".to_vec()),
            (&REJECTED, b"games.pgn:12: illegal move\n".to_vec()),
            (&REJECTED, Vec::new()),
            (&GameFile::KIND, game.to_vec()),
        ] {
            assert!(own(kind, &head), "{}", kind.name);
            let is_games = kind.name == GameFile::KIND.name;
            assert!(is_games || !own(kind, game), "{}: games", kind.name);
            assert!(!own(kind, b"notes of somebody"), "{}: notes", kind.name);
        }
        assert!(!own(&BOOK, &[entry(2), entry(1)].concat()));
    }
}
