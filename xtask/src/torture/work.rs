//! The commands under test.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::outcome::{self, Facts};

/// A long command, small enough to take seconds.
pub(crate) struct Work {
    pub(crate) name: &'static str,
    /// Its arguments; `{}` is the name of its result, as in all paths below. Engines have a time limit that they never reach: an
    /// engine that hangs is then given up after this time, and not after the ten minutes of a search that only nodes limit.
    command: &'static str,
    /// Arguments added to resume work in progress; empty if the same command resumes or starts over.
    resume: &'static str,
    /// Path of the result, below the folder in which the command runs.
    place: &'static str,
    /// Path that shows that there is something to resume: a file, or a folder with a file that is not
    /// half-written; the result if it is empty.
    begun: &'static str,
    /// True if the command is refused once the result exists.
    ends: bool,
    /// True if the command starts others, which a kill strikes together with it: otherwise they would go on for a moment.
    pub(crate) starts_others: bool,
    /// True if the command asks a UCI engine whose answers do not affect later questions.
    pub(crate) asks_engine: bool,
    /// Facts that must equal those of a run without faults, from the folder and the path of the result in it.
    facts: fn(&Path, &str) -> Result<Facts>,
    /// Smallest number of such facts, so that an empty comparison is noticed.
    pub(crate) least_facts: usize,
    /// Path of results that are permanent once they exist, without that of the result, with which it begins; `None` if there are
    /// none.
    kept: Option<&'static str>,
    /// Reads them: the lines of a journal, unless it is set.
    lasting: fn(&Path) -> Result<BTreeSet<String>>,
}

/// What most commands have in common. A row names its command, its paths and its facts, and what it does otherwise.
const PLAIN: Work = Work {
    name: "",
    command: "",
    resume: "",
    place: "{}",
    begun: "",
    ends: false,
    starts_others: false,
    asks_engine: false,
    facts: outcome::contents,
    least_facts: 10,
    kept: None,
    lasting: lines,
};

/// A command that plays games into a folder.
const GAMES: Work = Work {
    resume: "--resume",
    begun: "{}/setup.json",
    facts: outcome::games,
    kept: Some("/games.jsonl"),
    ..PLAIN
};

/// Every command under test; a new command is a row here.
pub(crate) const WORKS: &[Work] = &[
    Work {
        name: "build",
        command: "data build {}.store games.pgn",
        place: "{}.store",
        ends: true,
        least_facts: 3,
        ..PLAIN
    },
    Work {
        name: "label",
        command: "data label {}.store games.pgn --engine uci=./engine,nodes=30,movetime=20000 --session 16 --processes 2",
        resume: "--resume",
        place: "{}.store",
        begun: "{}.store.labelling",
        ends: true,
        asks_engine: true,
        least_facts: 3,
        kept: Some(".labelling/labels.jsonl"),
        ..PLAIN
    },
    Work {
        name: "generate",
        command: "data generate {}.pgn --engine uci=./engine,nodes=20,movetime=20000 --games 40 --length 24 --processes 2",
        resume: "--resume",
        place: "{}.pgn",
        begun: "{}.pgn.generating",
        ends: true,
        asks_engine: true,
        least_facts: 2,
        ..PLAIN
    },
    Work {
        name: "train",
        command: "train {}.toml",
        resume: "--resume",
        place: "runs/{}",
        begun: "runs/{}/checkpoints",
        facts: outcome::training,
        ..PLAIN
    },
    Work {
        name: "match",
        command: "match net=material,nodes=15,option.MaterialNodes=0 \
                  net=uniform,nodes=15,option.MaterialNodes=0 \
                  --games 20 --seed 5 --max-moves 30 --out {}",
        least_facts: 22,
        ..GAMES
    },
    Work {
        name: "ladder",
        command: "ladder net=material,nodes=15,option.MaterialNodes=0 \
                  --engine ./engine --games 16 --probe 4 --beyond 20 --nodes 10 --max-moves 30 --out {}",
        least_facts: 18,
        ..GAMES
    },
    Work {
        name: "tune",
        command: "tune net=material,nodes=15,option.MaterialNodes=0 \
                  --vary CPuct=0.5:4:0.4 --iterations 5 --pairs 2 --max-moves 20 --out {}",
        least_facts: 20,
        ..GAMES
    },
    Work {
        name: "calibrate",
        command: "calibrate default --settings 1:0.5,2:0 --games 4 --engine ./engine --nodes 10 --max-moves 16 --work {} --out \
                  table.json",
        ..GAMES
    },
    Work {
        name: "selfplay",
        command: "selfplay selfplay.toml --generations 2 --store {} --runs {}-runs",
        facts: outcome::selfplay,
        least_facts: 3,
        kept: Some("/games"),
        lasting: outcome::selfplay_games,
        ..PLAIN
    },
    Work {
        name: "reinforce",
        command: "reinforce reinforce.toml --from runs/small/network.tabiya --engine net=material,nodes=4 --iterations 3 --name {}",
        place: "runs/{}",
        facts: outcome::training,
        least_facts: 12,
        ..PLAIN
    },
    Work {
        name: "review",
        command: "review rated.pgn --net material --nodes 20 --keep {}.jsonl",
        place: "{}.jsonl",
        kept: Some(""),
        ..PLAIN
    },
    Work { name: "explore", command: "explore games.pgn --table {}.openings", place: "{}.openings", ..PLAIN },
    Work {
        name: "run",
        command: "run experiment-{}.toml",
        place: "runs/experiment-{}",
        starts_others: true,
        facts: outcome::experiment,
        least_facts: 80,
        kept: Some(outcome::EVALUATION_GAMES),
        ..PLAIN
    },
    Work { name: "personal", command: "data personal add nora.pgn --player Nora --personal {}", ..PLAIN },
];

impl Work {
    /// Arguments that start or resume the work, depending on what exists.
    pub(crate) fn arguments(&self, folder: &Path, name: &str) -> Vec<String> {
        let mut words: Vec<String> =
            self.command.split_whitespace().map(|word| word.replace("{}", name)).collect();
        let begun = if self.begun.is_empty() { self.place } else { self.begun };
        if is_begun(&folder.join(begun.replace("{}", name))) {
            words.extend(self.resume.split_whitespace().map(str::to_owned));
        }
        words
    }

    /// Path of the result below the folder.
    pub(crate) fn place(&self, name: &str) -> String {
        self.place.replace("{}", name)
    }

    /// Facts about the result.
    pub(crate) fn facts(&self, folder: &Path, name: &str) -> Result<Facts> {
        (self.facts)(folder, &self.place(name)).with_context(|| format!("what {} left", self.name))
    }

    /// The permanent results so far.
    pub(crate) fn lasting(&self, folder: &Path, name: &str) -> Result<BTreeSet<String>> {
        let Some(kept) = self.kept else { return Ok(BTreeSet::new()) };
        (self.lasting)(&folder.join(self.place(name) + kept))
    }

    /// True if it plays or asks the UCI engine of the stage.
    pub(crate) fn has_engine(&self) -> bool {
        self.command.contains("./engine")
    }

    /// True if nothing is left to do.
    pub(crate) fn is_finished(&self, folder: &Path, name: &str) -> bool {
        self.ends && folder.join(self.place(name)).exists()
    }
}

fn is_begun(path: &Path) -> bool {
    match path.read_dir() {
        Ok(mut entries) => entries
            .any(|entry| entry.is_ok_and(|entry| !entry.file_name().to_string_lossy().starts_with('.'))),
        Err(_) => path.exists(),
    }
}

/// The whole lines of a journal; the last one may be cut off by a kill.
fn lines(journal: &Path) -> Result<BTreeSet<String>> {
    if !journal.exists() {
        return Ok(BTreeSet::new());
    }
    let text =
        std::fs::read_to_string(journal).with_context(|| format!("cannot read {}", journal.display()))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Ok(whole.lines().map(str::to_owned).collect())
}
