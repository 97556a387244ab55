//! Preparation shared by all rounds: the program, the files that the commands read, and the results of the commands without
//! faults.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::outcome::{self, Facts};
use super::process::Process;
use super::work::Work;

/// The name of the result of a command.
pub(crate) const NAME: &str = "own";

/// Results of a command without faults.
#[derive(Clone, Debug)]
pub(crate) struct Undisturbed {
    pub(crate) facts: Facts,
    pub(crate) time: Duration,
    /// Bytes of its folder.
    pub(crate) bytes: u64,
}

pub(crate) struct Stage {
    pub(crate) program: PathBuf,
    /// The folder of everything that `cargo xtask torture` keeps.
    pub(crate) state: PathBuf,
    known: HashMap<&'static str, Undisturbed>,
}

/// Sixty games of forty half-moves.
const GAMES: &[&str] =
    &["data", "generate", "games.pgn", "--engine", "net=material,nodes=8", "--games", "60", "--length", "40"];

/// A network of one block that learns 60 steps from results, with a checkpoint every ten.
const TRAINING: &str = r#"title = "torture"
data = "games.store"
[training]
steps = 60
batch = 16
threads = 1
validation_interval = 20
validation_positions = 64
statistics_positions = 64
log_interval = 1
checkpoint_interval = 10
keep = 2
[network]
blocks = 1
channels = 16
value = { channels = 2, hidden = 8 }
[schedule]
kind = "cosine"
peak = 0.002
last = 0.000002
warmup = 0
[losses]
value_target = { from = "result" }
"#;

/// What makes an experiment of the training: its own store, and a match.
const EXPERIMENT: &str = r#"
[data]
store = "made.store"
sources = ["games.pgn"]
options = { validation = 0.2 }
[[evaluation]]
name = "games"
command = "match {player} net=material,nodes=4 --games 4 --max-moves 12"
"#;

/// Two generations of a dozen games of 14 half-moves.
const SELFPLAY: &str = r#"title = "torture"
start = "uniform"
[play]
nodes = 6
most_plies = 14
games_at_once = 4
openings = { kind = "random", plies = 4 }
options = { GumbelMoves = 4, MaterialNodes = 0 }
[replay]
games = 12
window = 2
validation_share = 0.5
[gate]
games = 2
nodes = 4
openings = "random:60"
[training]
steps = 4
batch = 8
threads = 1
validation_positions = 32
statistics_positions = 32
[network]
blocks = 1
channels = 16
value = { channels = 2, hidden = 8 }
[losses]
value_target = { from = "result" }
[schedule]
kind = "cosine"
peak = 0.002
last = 0.0002
warmup = 0
"#;

/// Iterations of six games of 20 half-moves, and four steps of learning.
const REINFORCE: &str = r#"title = "torture"
[reinforce]
games = 6
most_plies = 20
[training]
steps = 4
batch = 16
threads = 1
validation_positions = 32
statistics_positions = 32
[losses]
value_weight = 0.0
value_target = { from = "result" }
[schedule]
kind = "cosine"
peak = 0.0002
last = 0.0001
warmup = 0
"#;

/// The program as a UCI engine that has levels, and that dies or hangs where `engine-fault` says so. It plays the same at every
/// level.
const ENGINE: &str = r#"#!/bin/sh
echo 'option name UCI_LimitStrength type check default false'
echo 'option name UCI_Elo type spin default 1400 min 1400 max 1600'
fault=$(cat engine-fault 2> /dev/null)
left=$(cat engine-fault-after 2> /dev/null)
while IFS= read -r line; do
    case $line in
    *UCI_LimitStrength* | *UCI_Elo*) continue ;;
    go*)
        if [ -n "$fault" ] && [ -n "$left" ]; then
            if [ "$left" -le 0 ]; then
                rm -f engine-fault-after
                [ "$fault" = die ] || exec sleep 600
                exit 1
            fi
            left=$((left - 1))
        fi
        ;;
    esac
    printf '%s\n' "$line"
done | "$TABIYA" uci --net material --option Seed=7 --option MaterialNodes=0
"#;

impl Stage {
    /// Makes the files, unless they are there.
    pub(crate) fn prepare(state: &Path, program: &Path) -> Result<Self> {
        let stage = Self { program: program.into(), state: state.into(), known: HashMap::new() };
        let files = stage.files();
        if files.join("ready").exists() {
            return Ok(stage);
        }
        if files.exists() {
            std::fs::remove_dir_all(&files).context("cannot remove half a stage")?;
        }
        std::fs::create_dir_all(&files).context("cannot make the stage")?;
        let experiment = TRAINING.replace("data = \"games.store\"\n", "") + EXPERIMENT;
        let engine = ENGINE.replace("$TABIYA", &program.display().to_string());
        for (name, text) in [
            ("own.toml", TRAINING),
            ("link.toml", TRAINING),
            ("experiment-own.toml", experiment.as_str()),
            ("selfplay.toml", SELFPLAY),
            ("reinforce.toml", REINFORCE),
            ("engine", engine.as_str()),
        ] {
            stage.write(name, text)?;
        }
        make_executable(&files.join("engine"))?;
        stage.call(GAMES)?;
        stage.call(&["data", "build", "games.store", "games.pgn", "--validation", "0.2"])?;
        let games = std::fs::read_to_string(files.join("games.pgn")).context("cannot read the games")?;
        let games: Vec<&str> = games
            .lines()
            .map(|line| if line.starts_with("[White ") { "[White \"Nora\"]" } else { line })
            .collect();
        stage.write("nora.pgn", &(games.join("\n") + "\n"))?;
        let tags = "[White \"Nora\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1600\"]";
        stage.write("rated.pgn", &(games.join("\n").replace("[White \"Nora\"]", tags) + "\n"))?;
        stage.call(&["train", "own.toml", "--name", "small"])?;
        stage.write("ready", "")?;
        Ok(stage)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        std::fs::write(self.files().join(name), text).with_context(|| format!("cannot write {name}"))
    }

    /// The folder with the files of which every round gets a copy.
    pub(crate) fn files(&self) -> PathBuf {
        self.state.join("stage")
    }

    fn call(&self, arguments: &[&str]) -> Result<()> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut process = Process::start(&self.program, &arguments, &self.files(), &self.state, false)?;
        process.must_end()?;
        process.must_have_succeeded().context("on the stage")
    }

    /// Results of a command without faults. The first time, the command runs twice: facts that differ between the two runs cannot
    /// be compared with anything.
    pub(crate) fn undisturbed(&mut self, work: &'static Work) -> Result<Undisturbed> {
        if let Some(known) = self.known.get(work.name) {
            return Ok(known.clone());
        }
        let mut runs = Vec::new();
        for run in 0..2 {
            let place = self.state.join(format!("undisturbed-{}-{run}", work.name));
            if place.exists() {
                std::fs::remove_dir_all(&place).context("cannot remove an earlier run")?;
            }
            runs.push(undisturbed(self, work, &place)?);
        }
        outcome::compare(&runs[0].facts, &runs[1].facts)
            .with_context(|| format!("{}: two runs without faults differ", work.name))?;
        let facts = runs[0].facts.len();
        ensure!(
            facts >= work.least_facts,
            "{}: found {facts} facts, expected {}",
            work.name,
            work.least_facts
        );
        println!("{}: {facts} facts, {:.1} s undisturbed", work.name, runs[1].time.as_secs_f64());
        let known = runs.swap_remove(1);
        self.known.insert(work.name, known.clone());
        Ok(known)
    }
}

/// Runs a command without faults, in a separate folder.
fn undisturbed(stage: &Stage, work: &'static Work, place: &Path) -> Result<Undisturbed> {
    let folder = place.join("folder");
    copy(&stage.files(), &folder)?;
    let start = Instant::now();
    let arguments = work.arguments(&folder, NAME);
    let mut process = Process::start(&stage.program, &arguments, &folder, place, work.starts_others)?;
    process.must_end()?;
    process.must_have_succeeded().context("undisturbed")?;
    let time = start.elapsed();
    Ok(Undisturbed { facts: work.facts(&folder, NAME)?, time, bytes: size(&folder)? })
}

fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .context("cannot make it executable")
}

/// Copies a folder with all its contents; links as links.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in from.read_dir().with_context(|| format!("cannot list {}", from.display()))? {
        let (from, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let to = to.join(name);
        let kind = from.symlink_metadata()?.file_type();
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&from)?, &to)?;
        } else {
            std::fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        }
    }
    Ok(())
}

/// Bytes of all files of a folder.
pub(crate) fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let data = entry.metadata()?;
        bytes += if data.is_dir() { size(&entry.path())? } else { data.len() };
    }
    Ok(bytes)
}
