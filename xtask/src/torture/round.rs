//! One round: a separate folder in which one command suffers one kind of fault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::journal::Line;
use super::outcome;
use super::process::Process;
use super::small_file_system::{mount, unmount};
use super::stage::{NAME, Stage, Undisturbed, copy, size};
use super::work::Work;

/// Maximum number of starts of a work that ends before its first fault.
pub(crate) const STARTS: u32 = 5;

/// The command and the fault of a round, drawn by its number.
#[derive(Clone, Copy)]
pub(crate) struct Draw {
    pub(crate) work: &'static Work,
    /// Name of the fault, for the journal.
    pub(crate) fault: &'static str,
    /// Seed of the whole series.
    pub(crate) seed: u64,
    pub(crate) number: u64,
}

pub(crate) struct Round<'a> {
    stage: &'a Stage,
    work: &'static Work,
    fault: &'static str,
    undisturbed: Undisturbed,
    number: u64,
    random: Xoshiro256PlusPlus,
    /// Holds the folder of the work and the output of the program.
    place: PathBuf,
    /// The folder in which the command runs.
    folder: PathBuf,
    /// True if a separate file system is mounted at the folder.
    mounted: bool,
    /// Permanent results that existed when the process last ended.
    lasting: BTreeSet<String>,
}

impl<'a> Round<'a> {
    /// Makes the folder of the round.
    pub(crate) fn begin(stage: &'a Stage, draw: Draw, undisturbed: Undisturbed) -> Result<Self> {
        let Draw { work, fault, seed, number } = draw;
        let place = stage.state.join(format!("round-{number}"));
        if place.exists() {
            // Left by a run that was itself killed.
            let _ = unmount(&place.join("folder"));
            std::fs::remove_dir_all(&place).with_context(|| format!("cannot remove {}", place.display()))?;
        }
        // A generator of its own for each round, so that a round can be repeated without those before it. The multiplier spreads
        // neighbouring seeds, whose series would otherwise share rounds (the golden ratio times 2^64, as in SplitMix64).
        let random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
        let (folder, lasting) = (place.join("folder"), BTreeSet::new());
        let round =
            Self { stage, work, fault, undisturbed, number, random, place, folder, mounted: false, lasting };
        std::fs::create_dir_all(round.folder()).context("cannot make the folder of the round")?;
        round.furnish()?;
        Ok(round)
    }

    /// Puts a small file system in place of the folder, until the round ends.
    pub(crate) fn mount(&mut self) -> Result<()> {
        mount(self.folder())?;
        self.mounted = true;
        self.furnish()
    }

    /// Copies the files of the stage.
    fn furnish(&self) -> Result<()> {
        copy(&self.stage.files(), self.folder())
    }

    /// Runs the command under a fault. Its folder stays if something was found.
    pub(crate) fn run(mut self, cause: fn(&mut Self) -> Result<u32>) -> Line {
        let caused = cause(&mut self);
        let (faults, found) = match caused {
            Ok(faults) => (faults, self.end().err()),
            Err(error) => (1, Some(error)),
        };
        let kept = self.stage.state.join("found").join(format!("round-{}", self.number));
        if found.is_some() {
            let _ = copy(self.folder(), &kept);
        }
        if self.mounted {
            let _ = unmount(self.folder());
        }
        let _ = std::fs::remove_dir_all(&self.place);
        Line {
            round: self.number,
            fault: self.fault.into(),
            work: self.work.name.into(),
            faults,
            found: found.map(|error| format!("{error:#}")),
        }
    }

    /// Lets the command come to its end and compares.
    fn end(&mut self) -> Result<()> {
        if !self.is_finished() {
            let mut process = self.start()?;
            process.must_end()?;
            process.must_have_succeeded().context("at last, without a fault")?;
        }
        self.look()?;
        let facts = self.work.facts(self.folder(), NAME)?;
        outcome::compare(&self.undisturbed.facts, &facts)
    }

    /// The folder in which the command runs.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A number below a bound.
    pub(crate) fn random(&mut self, below: u64) -> u64 {
        self.random.random_range(0..below.max(1))
    }

    /// A moment of the work, sometimes after its end.
    fn moment(&mut self) -> Duration {
        self.undisturbed.time.mul_f64(self.random.random_range(0.0..1.1))
    }

    /// Bytes that the command writes undisturbed.
    pub(crate) fn bytes(&self) -> Result<u64> {
        Ok(self.undisturbed.bytes.saturating_sub(size(&self.stage.files())?))
    }

    /// Path of the command's result.
    pub(crate) fn place(&self) -> PathBuf {
        self.place_of(NAME)
    }

    /// The file in which the process at work writes its number.
    pub(crate) fn lock_file(&self) -> Result<PathBuf> {
        let place = self.place();
        let name = place.file_name().context("the place has a name")?;
        Ok(place.with_file_name(format!(".{}.lock", name.to_string_lossy())))
    }

    /// Path of the command's result under another name.
    pub(crate) fn place_of(&self, name: &str) -> PathBuf {
        self.folder().join(self.work.place(name))
    }

    /// True if the work is done and the command would be refused.
    pub(crate) fn is_finished(&self) -> bool {
        self.work.is_finished(self.folder(), NAME)
    }

    /// True if the command plays or asks a UCI engine.
    pub(crate) fn has_engine(&self) -> bool {
        self.work.has_engine()
    }

    /// Starts the work, or resumes it.
    pub(crate) fn start(&self) -> Result<Process> {
        let arguments = self.work.arguments(self.folder(), NAME);
        let others = self.work.starts_others;
        Process::start(&self.stage.program, &arguments, self.folder(), &self.place, others)
    }

    /// Starts or resumes the work beside a process that is already at it, under its name or another one.
    pub(crate) fn start_second(&self, name: Option<&str>) -> Result<Process> {
        let arguments = self.work.arguments(self.folder(), name.unwrap_or(NAME));
        // In the files of the first, the outputs of the two would overwrite each other.
        let outputs = self.place.join("second");
        std::fs::create_dir_all(&outputs).context("cannot make a folder for its outputs")?;
        let others = self.work.starts_others;
        Process::start(&self.stage.program, &arguments, self.folder(), &outputs, others)
    }

    /// Starts the work, or resumes it, and waits for a moment of it. `None` if it ends first. Up to `starts` times in total it is
    /// then started again in an untouched folder, with half the wait each time: the machine may be faster than it was for the
    /// undisturbed run.
    pub(crate) fn start_until_a_moment(&mut self, starts: u32) -> Result<Option<Process>> {
        for earlier in 0..starts {
            if earlier > 0 {
                clear(self.folder())?;
                self.furnish()?;
            }
            let mut process = self.start()?;
            let moment = self.moment() / (1 << earlier);
            if !process.ends_within(moment)? {
                return Ok(Some(process));
            }
            process.must_have_succeeded()?;
        }
        Ok(None)
    }

    /// Records the permanent results, and checks that no earlier one is lost.
    pub(crate) fn look(&mut self) -> Result<()> {
        let now = self.work.lasting(self.folder(), NAME)?;
        if !(now.is_empty() && self.is_finished()) {
            let lost = self.lasting.difference(&now).next();
            ensure!(lost.is_none(), "lost: {}", lost.map_or("", |lost| lost.get(..200).unwrap_or(lost)));
            self.lasting = now;
        }
        Ok(())
    }
}

/// Removes everything in a folder, which may be a separate file system.
fn clear(folder: &Path) -> Result<()> {
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        let removed = if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(&path)
        } else {
            std::fs::remove_file(&path)
        };
        removed.with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}
