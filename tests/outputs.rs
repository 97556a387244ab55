//! No command replaces a file or fills a folder of another kind: a forgotten argument made a book of a file of games.

#![cfg(unix)]

use crate::engine;
use crate::program;

use std::{fs, path::Path};

use files::{claim, run::FolderKind};
use program::{failure, success};

/// A command that writes a file, with `@` for its path: command and name of the argument as in the list of all paths of
/// `src/commands/file_kinds.rs`, the words, the ending of its kind, an input that it must not replace, and whether it has `--force`.
struct Writer {
    argument: (&'static str, &'static str),
    words: &'static str,
    ending: &'static str,
    input: &'static str,
    forces: bool,
}

impl Writer {
    const fn new(
        argument: (&'static str, &'static str),
        words: &'static str,
        ending: &'static str,
        input: &'static str,
    ) -> Self {
        Self { argument, words, ending, input, forces: true }
    }
}

const WRITERS: &[Writer] = &[
    Writer::new(("book build", "output"), "book build @ g.pgn --min-games 1", "bin", "g.pgn"),
    Writer::new(("explore", "table"), "explore g.pgn --table @", "openings", "g.pgn"),
    Writer::new(("data stats", "html"), "data stats g.pgn --html @", "html", "g.pgn"),
    Writer::new(("data build", "rejected"), "data build new.store g.pgn --rejected @", "txt", "g.pgn"),
    Writer::new(
        ("calibrate", "out"),
        "calibrate n.tabiya --settings 1:4,1:2 --games 2 --engine ./levels --max-moves 1 --out @",
        "json",
        "n.tabiya",
    ),
    Writer {
        argument: ("match", "pgn"),
        words: "match random random --games 2 --max-moves 2 --openings g.pgn --opening-plies 2 --pgn @",
        ending: "pgn",
        input: "g.pgn",
        forces: false,
    },
    Writer::new(("net convert", "output"), "net convert n.tabiya @", "tabiya", "n.tabiya"),
    Writer::new(("net eval", "svg"), "net eval n.tabiya --svg @", "svg", "n.tabiya"),
    Writer::new(("net eval", "tree"), "net eval n.tabiya --nodes 20 --tree @", "svg", "n.tabiya"),
    Writer::new(("net planes", "svg"), "net planes n.tabiya --svg @", "svg", "n.tabiya"),
    Writer::new(("net extract", "output"), "net extract ./exporter @", "nnue", "exporter"),
    Writer::new(
        ("net calibrate", "output"),
        "net calibrate cnn m.store @ --positions 8",
        "tabiya",
        "m.store/manifest.json",
    ),
];

/// Commands that fill a folder, with `@` for its path and `!` for its name in the folder of runs.
const FILLERS: &[((&str, &str), &str)] = &[
    (("match", "out"), "match random random --games 2 --max-moves 2 --out @"),
    (("ladder", "out"), "ladder random --engine ./levels --games 2 --probe 2 --out @"),
    (("tune", "out"), "tune net=material,nodes=1 --vary CPuct=1:4 --pairs 1 --iterations 1 --out @"),
    (
        ("calibrate", "work"),
        "calibrate cnn --settings 1:4,1:2 --games 2 --engine ./levels --out s.json --work @",
    ),
    (("report", "out"), "report match --out @"),
    (("compare", "out"), "compare --player random --player first --games 2 --ladder 0 --out @"),
    (("train", "runs"), "train tiny.toml --name @"),
    (("selfplay", "runs"), "selfplay selfplay.toml --name @ --runs . --generations 1"),
    // Not a path, because it may be a bucket.
    (("selfplay", "store"), "selfplay selfplay.toml --name own --runs . --generations 1 --store @"),
    (("reinforce", "runs"), "reinforce reinforce.toml --from cnn --engine cnn,nodes=1 --name @ --runs ."),
    (("run", "runs"), "run tiny.toml --runs ."),
    (("compare", "runs"), "compare tiny.toml --games 2 --ladder 0 --out new --runs ."),
];

const TRAINING: &str = "[training]\nsteps = 2\nbatch = 8\nthreads = 1\nvalidation_interval = 1000000\n\
    validation_positions = 32\nstatistics_positions = 32\n[schedule]\nkind = \"cosine\"\npeak = 0.002\n\
    last = 0.000002\nwarmup = 0\n[losses]\nvalue_target = { from = \"result\" }\n";
const NETWORK: &str = "[network]\nblocks = 1\nchannels = 16\nvalue = { channels = 2, hidden = 8 }\n";

/// Games, a store, networks, engines and recipes.
fn stage() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    success(folder, "match random random --games 20 --max-moves 20 --pgn g.pgn");
    success(folder, "data build m.store g.pgn --validation 0.2");
    fs::write(folder.join("n.tabiya"), player::bundled("cnn").unwrap().weights).unwrap();
    let levels = [
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1400 min 1400 max 1500",
    ];
    engine::engine(folder, "levels", &levels, "echo bestmove a1a8");
    engine::engine(folder, "exporter", &[], "echo bestmove e2e4");
    fs::write(folder.join("exporter.network"), network::nnue::synthetic::file(3)).unwrap();
    write("tiny.toml", format!("title = \"tiny\"\ndata = \"m.store\"\n{NETWORK}{TRAINING}"));
    let play = "start = \"uniform\"\n[play]\nnodes = 6\n[replay]\ngames = 12\n[gate]\ngames = 2\n";
    write("selfplay.toml", format!("title = \"s\"\n{play}{NETWORK}{TRAINING}"));
    write("reinforce.toml", format!("title = \"r\"\n[reinforce]\ngames = 2\n{TRAINING}"));
    success(folder, "match random random --games 2 --max-moves 2 --out match");
    place
}

fn refused(folder: &Path, text: &str, path: &str, expected: &str) {
    let kept = fs::read(folder.join(path)).ok();
    let message = failure(folder, &text.replace('@', path));
    assert!(message.contains(expected), "{text} with {path}: {message}");
    assert_eq!(fs::read(folder.join(path)).ok(), kept, "{text} with {path}");
}

#[test]
fn an_output_is_a_file_of_its_kind_and_no_input() {
    let place = stage();
    let folder = place.path();
    for Writer { argument: (command, _), words: text, ending, input, forces } in WRITERS {
        refused(folder, text, input, "is one of the inputs");
        refused(folder, text, "precious.doc", "found the ending \"doc\", expected .");
        let other = format!("other.{ending}");
        fs::write(folder.join(&other), "notes of somebody\n").unwrap();
        refused(folder, text, &other, "exists already");
        if *forces && !["calibrate", "net calibrate"].contains(command) {
            success(folder, &format!("{} --force", text.replace('@', &other)));
            assert_ne!(fs::read(folder.join(&other)).unwrap(), b"notes of somebody\n", "{command}");
            let _ = fs::remove_dir_all(folder.join("new.store"));
        }
    }
}

/// What a command wrote it replaces itself, without being forced.
#[test]
fn a_file_of_the_same_kind_is_made_again() {
    let place = stage();
    for Writer { words: text, ending, .. } in &WRITERS[..4] {
        for _ in 0..2 {
            success(place.path(), &text.replace('@', &format!("own.{ending}")));
            let _ = fs::remove_dir_all(place.path().join("new.store"));
        }
    }
}

/// A training run lost its log to self-play in the same folder; a match put its games into a sample store.
#[test]
fn a_folder_of_another_kind_is_refused() {
    let place = stage();
    let folder = place.path();
    for ((command, argument), text) in FILLERS {
        let by_recipe = !text.contains('@');
        let own = match *command {
            "match" => "a match",
            "train" | "run" => "a training run",
            _ if *argument == "runs" && *command == "compare" => "a training run",
            _ => "",
        };
        for kind in [&FolderKind::STORE, &FolderKind::PERSONAL, &FolderKind::MATCH, &FolderKind::TRAINING] {
            if kind.name == own {
                continue;
            }
            let name = if by_recipe { "tiny" } else { "taken" };
            let at = if *command == "train" { folder.join("runs").join(name) } else { folder.join(name) };
            fs::create_dir_all(&at).unwrap();
            let sign = at.join(kind.signs[0]);
            fs::write(&sign, "mine").unwrap();
            if ![FolderKind::STORE, FolderKind::PERSONAL].contains(kind) {
                claim(&at, kind).unwrap();
            }
            let message = failure(folder, &text.replace('@', name));
            let expected = format!("found {}, expected ", kind.name);
            assert!(message.contains(&expected), "{command} {argument}: {message}");
            assert_eq!(fs::read_to_string(&sign).unwrap(), "mine", "{command}");
            fs::remove_dir_all(&at).unwrap();
        }
    }
}
