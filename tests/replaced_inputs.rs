//! A law of every command that continues or reuses work: when one of its inputs is replaced by another of the same name, it refuses and
//! names the input. Results of one network were reported as those of another.

#![cfg(unix)]

use crate::engine;
use crate::program;

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Stdio};

use network::Weights;
use program::{command, failure, kill, read_json, success, wait_until};

/// A command with inputs.
struct Law {
    words: &'static str,
    /// Added to continue.
    again: &'static str,
    /// The settings of work that would never end: it is killed when they are there. Empty for a command that ends.
    setup: &'static str,
    /// Each is replaced in turn.
    inputs: &'static [&'static str],
}

impl Law {
    /// A command that ends, and goes on with `--resume`.
    const fn resumed(words: &'static str, inputs: &'static [&'static str]) -> Self {
        Self { words, again: "--resume", setup: "", inputs }
    }

    /// A command that never ends, and goes on with `--resume`.
    const fn endless(words: &'static str, setup: &'static str, inputs: &'static [&'static str]) -> Self {
        Self { words, again: "--resume", setup, inputs }
    }

    /// A command that ends, and goes on when it is given again.
    const fn repeated(words: &'static str, inputs: &'static [&'static str]) -> Self {
        Self { words, again: "", setup: "", inputs }
    }

    /// The file with the version of the program, where no other version continues the work.
    fn record(&self) -> Option<String> {
        let after = |option: &str| self.words.split(' ').skip_while(|&word| word != option).nth(1);
        if let Some(kept) = after("--keep") {
            return Some(kept.into());
        }
        if self.again.is_empty() {
            return None;
        }
        if !self.setup.is_empty() {
            return Some(self.setup.into());
        }
        after("--work").or_else(|| after("--out")).map(|folder| format!("{folder}/setup.json"))
    }
}

const LAWS: &[Law] = &[
    Law::resumed(
        "match net=n.tabiya,nodes=1 uci=./engine,nodes=1,arg=weights.pb,arg=--draft=draft.pb --games 2 --max-moves 1 --openings book.epd --out m",
        &["n.tabiya", "engine", "weights.pb", "draft.pb", "book.epd"],
    ),
    Law::resumed(
        "match recipe=tiny.toml random net=n.tabiya+cnn,nodes=1,option.OwnBook=true,option.BookFile=book.bin --games 2 --max-moves 1 --out r",
        &["tiny.toml", "runs/tiny/network.tabiya", "n.tabiya", "book.bin"],
    ),
    Law::resumed(
        "ladder net=n.tabiya,nodes=1 --engine ./levels --games 2 --probe 2 --max-moves 1 --openings book.epd --out l",
        &["n.tabiya", "levels", "book.epd"],
    ),
    Law::resumed(
        "calibrate n.tabiya --settings 1:4,1:2 --games 2 --engine ./levels --nodes 1 --max-moves 1 --openings book.epd --work c --out c.json",
        &["n.tabiya", "levels", "book.epd"],
    ),
    Law::resumed(
        "tune net=n.tabiya,nodes=1 --vary CPuct=1:4 --pairs 1 --iterations 1 --max-moves 1 --openings book.epd --out t",
        &["n.tabiya", "book.epd"],
    ),
    Law::endless(
        "data generate g1.pgn --engine net=n.tabiya,nodes=1000000 --openings book.epd",
        "g1.pgn.generating/setup.json",
        &["n.tabiya", "book.epd"],
    ),
    Law::endless(
        "data generate g2.pgn --engine uci=./silent,nodes=1 --within games.pgn",
        "g2.pgn.generating/setup.json",
        &["silent", "games.pgn"],
    ),
    Law::endless(
        "data label l1 games.pgn --engine net=n.tabiya,nodes=1000000",
        "l1.labelling/setup.json",
        &["n.tabiya", "games.pgn"],
    ),
    Law::endless(
        "data label l2 games.store --engine uci=./silent,nodes=1",
        "l2.labelling/setup.json",
        &["silent", "games.store"],
    ),
    Law::endless(
        "metrics references games.pgn --first net=n.tabiya,nodes=1000000 --second uci=./silent,nodes=1 --out t.csv",
        "t.csv.asking/setup.json",
        &["n.tabiya", "silent", "games.pgn"],
    ),
    Law::repeated("review rated.pgn --net n.tabiya --nodes 1 --keep k.jsonl", &["n.tabiya"]),
    Law {
        words: "reinforce reinforce.toml --from n.tabiya --engine uci=./silent,nodes=1 --name f",
        again: "",
        setup: "runs/f/setup.json",
        inputs: &["reinforce.toml", "n.tabiya", "silent"],
    },
    Law {
        words: "selfplay selfplay.toml --name s --threads 1",
        again: "",
        setup: "runs/s/setup.json",
        inputs: &["selfplay.toml", "n.tabiya", "book.epd", "gate.epd", "games.store"],
    },
    Law::repeated("train tiny.toml --resume", &["games.store"]),
    Law::repeated(
        "run experiment.toml",
        &["games.pgn", "n.tabiya", "book.epd", "games.store", "runs/experiment/network.tabiya"],
    ),
    Law::repeated("run experiment.toml --runs others --data more.pgn", &["more.pgn", "n.tabiya"]),
    // What labels: the store and the stream are made by it, and the arguments name only the games.
    Law::repeated("run taught.toml", &["games.pgn", "n.tabiya", "x.nnue"]),
    Law::repeated("train taught.toml --resume", &["x.nnue"]),
    Law::repeated("run neighbours.toml", &["games.pgn", "n.tabiya"]),
    Law::repeated(
        "compare compared.toml --games 2 --ladder 0 --out w",
        &["compared.toml", "games.store", "runs/compared/network.tabiya"],
    ),
    Law::repeated(
        "compare experiment.toml --player random --data more.pgn --games 2 --ladder 0 --runs others --out u",
        &["more.pgn", "others/experiment/network.tabiya"],
    ),
    Law::repeated(
        "compare --player net=n.tabiya,nodes=1,name=n --player random --games 2 --ladder 0 --out v",
        &["n.tabiya"],
    ),
];

const TRAINING: &str = "[training]\nsteps = 2\nbatch = 8\nthreads = 1\nvalidation_interval = 1000000\n\
    validation_positions = 32\nstatistics_positions = 32\n[schedule]\nkind = \"cosine\"\npeak = 0.002\n\
    last = 0.000002\nwarmup = 0\n[losses]\nvalue_target = { from = \"result\" }\n";
const NETWORK: &str = "[network]\nblocks = 1\nchannels = 8\nvalue = { channels = 2, hidden = 8 }\n";
const LEVELS: [&str; 2] = [
    "option name UCI_LimitStrength type check default false",
    "option name UCI_Elo type spin default 1400 min 1400 max 1500",
];

fn stage() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    for (pgn, seed) in [("games.pgn", 1), ("more.pgn", 2)] {
        let rules = format!("--games 20 --max-moves 20 --seed {seed} --pgn {pgn}");
        success(folder, &format!("match random random {rules}"));
    }
    success(folder, "data build games.store games.pgn --validation 0.2");
    success(folder, "book build book.bin games.pgn --min-games 1");
    fs::write(folder.join("n.tabiya"), player::bundled("cnn").unwrap().weights).unwrap();
    engine::engine(folder, "engine", &[], "echo info score cp 1; echo bestmove a1a8");
    // Legal moves, so that its games are drawn at `--max-moves` and its levels comparable.
    let drawing = "case $position in *moves*) echo bestmove a7a6;; *) echo bestmove a2a3;; esac";
    engine::engine(folder, "levels", &LEVELS, drawing);
    engine::engine(folder, "silent", &[], ":");
    write("weights.pb", "first");
    write("draft.pb", "second");
    for book in ["book.epd", "gate.epd"] {
        write(book, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n");
    }
    let tags = "[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n[Result \"*\"]\n";
    write("rated.pgn", &format!("{tags}\n1. e4 e5 *\n"));
    let training =
        format!("title = \"tiny\"\ndata = \"games.store\"\n{NETWORK}[search]\nkind = \"value\"\n{TRAINING}");
    write("tiny.toml", &training);
    success(folder, "train tiny.toml");
    write("compared.toml", &training);
    write("reinforce.toml", &format!("title = \"r\"\n[reinforce]\ngames = 2\nmost_plies = 4\n{TRAINING}"));
    let games = "[play]\nnodes = 1000000\nopenings = { kind = \"book\", file = \"book.epd\" }\n[replay]\ngames = 12\n\
                 [gate]\ngames = 2\nopenings = \"gate.epd\"\n";
    let supervised = "[supervised]\ndata = \"games.store\"\nshare = 0.5\n";
    write(
        "selfplay.toml",
        &format!("title = \"s\"\nstart = \"n.tabiya\"\n{games}{supervised}{NETWORK}{TRAINING}"),
    );
    let evaluation = "[[evaluation]]\nname = \"n\"\ncommand = \"match {player} net=n.tabiya,nodes=1 --openings book.epd --games 2 \
                      --max-moves 1\"\n[[evaluation]]\nname = \"held-out\"\ncommand = \"net validate {network} games.store\"\n";
    let data = "[data]\nstore = \"made.store\"\nsources = [\"games.pgn\"]\noptions = { validation = 0.2 }\n";
    write("experiment.toml", &format!("title = \"e\"\n{data}{evaluation}{NETWORK}{TRAINING}"));
    let label = "{ engine = \"net=n.tabiya,search=policy\", validation = 0.2 }";
    let made = |store: &str, kind: &str| {
        format!("title = \"t\"\n[data]\nstore = \"{store}\"\nsources = [\"games.pgn\"]\n{kind} = {label}\n")
    };
    let (taught, neighbours) = (made("taught.store", "label"), made("neighbours.store", "neighbours"));
    let stream = "[stream]\nnetwork = \"x.nnue\"\nstored = 0.5\n";
    let searched = TRAINING.replace("\"result\"", "\"search\"");
    write("taught.toml", &format!("{taught}{stream}{NETWORK}{searched}"));
    write("neighbours.toml", &format!("{neighbours}options = {{ validation = 0.2 }}\n{NETWORK}{TRAINING}"));
    fs::write(folder.join("x.nnue"), network::nnue::synthetic::file(3)).unwrap();
    place
}

/// Puts another thing of the same kind in the place of an input.
fn replace(path: &Path) {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let append = |path: &Path, text: &str| {
        let before = fs::read_to_string(path).unwrap();
        fs::write(path, before + text).unwrap();
    };
    match ending.as_str() {
        "tabiya" => {
            let mut weights = Weights::read(path).unwrap();
            weights.provenance.steps += 1;
            fs::write(path, weights.to_bytes().unwrap()).unwrap();
        }
        "bin" => fs::write(path, &fs::read(path).unwrap()[16..]).unwrap(),
        "nnue" => fs::write(path, network::nnue::synthetic::file(4)).unwrap(),
        "epd" => append(path, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n"),
        "pgn" => append(path, "[Result \"1-0\"]\n\n1. d4 d5 1-0\n\n"),
        "toml" if path.ends_with("tiny.toml") => {
            let text = fs::read_to_string(path).unwrap();
            fs::write(path, text.replace("kind = \"value\"", "kind = \"policy\"")).unwrap();
        }
        "toml" => {
            let text = fs::read_to_string(path).unwrap();
            fs::write(path, text.replace("peak = 0.002", "peak = 0.001")).unwrap();
        }
        "store" => {
            let (folder, place) = (path.parent().unwrap(), path.to_str().unwrap());
            fs::remove_dir_all(path).unwrap();
            success(folder, &["data", "build", place, "more.pgn", "--validation", "0.2"]);
        }
        _ => engine::write_program(path, &(fs::read_to_string(path).unwrap() + "# another\n")),
    }
}

/// Runs a command until it ends or its settings are there.
fn begin(folder: &Path, law: &Law) {
    if law.setup.is_empty() {
        success(folder, law.words);
        return;
    }
    let mut child = command(folder, law.words).stderr(Stdio::null()).spawn().unwrap();
    wait_until(law.setup, || {
        assert!(child.try_wait().unwrap().is_none(), "{} ended", law.words);
        folder.join(law.setup).exists()
    });
    kill(child);
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        if from.metadata().unwrap().permissions().mode() & 0o111 == 0 {
            fs::copy(from, to).unwrap();
        } else {
            engine::write_program(to, &fs::read_to_string(from).unwrap());
        }
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in files::entries(from).unwrap() {
        copy(&entry, &to.join(entry.file_name().unwrap()));
    }
}

#[test]
fn a_command_refuses_every_input_that_was_replaced() {
    let place = stage();
    let folder = place.path();
    for law in LAWS {
        begin(folder, law);
        let again = format!("{} {}", law.words, law.again);
        for input in law.inputs {
            let (path, kept) = (folder.join(input), folder.join("kept"));
            copy(&path, &kept);
            replace(&path);
            let message = failure(folder, &again);
            let settings = ["recipe", "data", "store"].iter().any(|setting| message.contains(setting));
            assert!(message.contains(input) || settings, "{again:?} with another {input}: {message}");
            if path.is_dir() {
                fs::remove_dir_all(&path).unwrap();
                fs::rename(&kept, &path).unwrap();
            } else {
                fs::write(&path, fs::read(&kept).unwrap()).unwrap();
                fs::remove_file(&kept).unwrap();
            }
        }
        if let Some(record) = law.record() {
            refuses_another_program(&folder.join(record), &|| failure(folder, &again));
        }
        if law.setup.is_empty() && !law.words.starts_with("train") {
            success(folder, &again);
        }
    }
}

/// Games of two versions were reported as those of one.
fn refuses_another_program(record: &Path, failure: &dyn Fn() -> String) {
    let before = fs::read_to_string(record).unwrap();
    let other = before.replace(program::VERSION, "tabiya 0.1.0, commit 1234567");
    assert_ne!(other, before, "{}", record.display());
    fs::write(record, other).unwrap();
    let message = failure();
    assert!(message.contains("program is not the one with which it was begun"), "{message}");
    let versions = format!("was tabiya 0.1.0, commit 1234567, now {}", program::VERSION);
    assert!(message.contains(&versions), "{message}");
    fs::write(record, before).unwrap();
}

/// Older versions knew inputs by their names: their work is not continued, and the message says why.
#[test]
fn work_of_an_older_version_is_refused_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let words = "match random random --games 2 --max-moves 1 --out m";
    success(folder, words);
    let setup = folder.join("m/setup.json");
    let mut settings = read_json(&setup);
    for key in ["inputs", "kind"] {
        settings.as_object_mut().unwrap().remove(key);
    }
    fs::write(&setup, settings.to_string()).unwrap();
    let message = failure(folder, &format!("{words} --resume"));
    assert!(message.contains("begun by an older version") && message.contains("another place"), "{message}");
}
