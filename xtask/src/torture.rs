//! `cargo xtask torture`: the long commands of the program under faults, for hours. Each round makes one command suffer one kind
//! of fault at a random moment, continues it with `--resume` and compares its results with those of an undisturbed run: nothing
//! lost, nothing doubled, nothing different. Rounds are drawn from a seed and their number, so that each can be repeated, and are
//! recorded as they end, so that an interrupted series continues where it stopped.
//!
//! The kinds of fault are in `faults`, the commands in `work`.

mod faults;
mod journal;
mod outcome;
mod process;
mod round;
mod small_file_system;
mod stage;
mod work;

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use self::faults::{FAULTS, Fault};
use self::journal::{Journal, Line};
use self::round::{Draw, Round};
use self::stage::Stage;
use self::work::{WORKS, Work};
use crate::repository;

struct Request {
    faults: Vec<&'static Fault>,
    works: Vec<&'static Work>,
    seed: u64,
    minutes: f64,
    /// The only round, if one is repeated.
    round: Option<u64>,
    program: Option<PathBuf>,
    state: PathBuf,
}

/// Lists of faults and commands for the help text.
pub(crate) fn describe() -> String {
    let mut text = String::from("Faults of torture:\n");
    for fault in FAULTS {
        let _ = writeln!(text, "  {:<12} {}", fault.name, fault.about);
    }
    let works: Vec<&str> = WORKS.iter().map(|work| work.name).collect();
    let _ = write!(text, "Commands of torture: {}", works.join(", "));
    text
}

/// Runs rounds until the time is over; the error says how many found something.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let request = Request::parse(arguments)?;
    let program = if let Some(program) = &request.program {
        program.canonicalize().with_context(|| format!("--program {}", program.display()))?
    } else {
        repository::run(repository::cargo().args(["build", "--release", "--package", "tabiya"]))?;
        repository::root().join("target/release/tabiya")
    };
    let mut journal = Journal::open(&request.state, &program, request.seed)?;
    let pairs = request.pairs();
    ensure!(!pairs.is_empty(), "none of these faults strikes any of these commands on this machine");
    let mut stage = Stage::prepare(&request.state, &program)?;
    let (start, time) = (Instant::now(), Duration::from_secs_f64(request.minutes * 60.0));
    let mut number = request.round.unwrap_or_else(|| journal.next());
    loop {
        let (fault, work) = pairs[usize::try_from(number)? % pairs.len()];
        let undisturbed = stage.undisturbed(work)?;
        let draw = Draw { work, fault: fault.name, seed: request.seed, number };
        let round = Round::begin(&stage, draw, undisturbed)?;
        let line = round.run(fault.cause);
        println!("{line}");
        journal.add(line)?;
        number += 1;
        if request.round.is_some() || start.elapsed() >= time {
            break;
        }
    }
    println!("\n{}", journal.table());
    let found = journal.found();
    ensure!(
        found == 0,
        "{found} of {} rounds found something, kept in {}",
        journal.rounds(),
        request.state.display()
    );
    Ok(())
}

impl Request {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut request = Self {
            faults: Vec::new(),
            works: Vec::new(),
            seed: 1,
            minutes: 10.0,
            round: None,
            program: None,
            state: repository::root().join("target/torture"),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                request.name(word)?;
                continue;
            };
            let value =
                words.next().with_context(|| format!("--{option}: found nothing, expected a value"))?;
            match option {
                "seed" => request.seed = number(option, value)?,
                "minutes" => request.minutes = number(option, value)?,
                "round" => request.round = Some(number(option, value)?),
                "program" => request.program = Some(value.into()),
                "state" => request.state = value.into(),
                _ => bail!("unknown option --{option}; expected seed, minutes, round, program or state"),
            }
        }
        ensure!(
            (0.0..1e6).contains(&request.minutes),
            "--minutes: found {}, expected at least 0",
            request.minutes
        );
        Ok(request)
    }

    /// Adds the name of a fault or a command.
    fn name(&mut self, name: &str) -> Result<()> {
        if let Some(fault) = FAULTS.iter().find(|fault| fault.name == name) {
            self.faults.push(fault);
        } else if let Some(work) = WORKS.iter().find(|work| work.name == name) {
            self.works.push(work);
        } else {
            bail!("found {name:?}, expected a fault or a command\n{}", describe());
        }
        Ok(())
    }

    /// Pairs to draw rounds from: all faults and commands, or the named ones. Faults that this machine cannot cause are reported.
    fn pairs(&self) -> Vec<(&'static Fault, &'static Work)> {
        let all = self.faults.is_empty();
        let mut pairs = Vec::new();
        for fault in FAULTS {
            if !(all || self.faults.iter().any(|named| named.name == fault.name)) {
                continue;
            }
            if let Err(reason) = (fault.available)() {
                println!("skipped: {}: {reason:#}", fault.name);
                continue;
            }
            for work in WORKS {
                let wanted = self.works.is_empty() || self.works.iter().any(|named| named.name == work.name);
                if wanted && (fault.strikes)(work) {
                    pairs.push((fault, work));
                }
            }
        }
        pairs
    }
}

fn number<T: FromStr<Err: Error + Send + Sync + 'static>>(option: &str, value: &str) -> Result<T> {
    value.parse::<T>().with_context(|| format!("--{option}: found {value:?}, expected a number"))
}

impl std::fmt::Display for Line {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { round, fault, work, faults, .. } = self;
        write!(formatter, "round {round}: {work}, {fault} x {faults}: ")?;
        match &self.found {
            None => write!(formatter, "as undisturbed"),
            Some(found) => write!(formatter, "FOUND {found}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Request> {
        Request::parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn faults_and_commands_are_named_in_any_order_and_others_refused() {
        let request = parse("kill --minutes 0.5 train --seed 9 match").unwrap();
        assert_eq!((request.faults.len(), request.works.len(), request.seed), (1, 2, 9));
        assert!(request.pairs().iter().all(|(fault, _)| fault.name == "kill"));
        for (text, expected) in [
            ("kil", "expected a fault or a command"),
            ("--minutes", "expected a value"),
            ("--minutes x", "expected a number"),
            ("--minutes -1", "at least 0"),
            ("--hours 3", "unknown option"),
        ] {
            let message = format!("{:#}", parse(text).err().unwrap());
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn every_command_suffers_every_signal() {
        for name in ["kill", "terminate", "interrupt"] {
            let fault = FAULTS.iter().find(|fault| fault.name == name).unwrap();
            assert!(WORKS.iter().all(|work| (fault.strikes)(work)), "{name}");
        }
    }
}
