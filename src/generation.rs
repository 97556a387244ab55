//! Games of an engine against itself with an evaluation of every position: data to learn from that anyone can make.
//!
//! Each game follows from the settings, the seed and its number, so files are the same whatever the number of engines and
//! however often the command is interrupted.

mod file;
mod game;
mod plan;

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::{Result, bail};
use chess::{StopSignal, pgn::PgnResult};
use strength::{Contestant, Player};

use crate::crew::Crew;

pub(crate) use file::GeneratedFile;
pub(crate) use game::GameRules;
use game::{GeneratedGame, Rules};
pub(crate) use plan::{Plans, Starts};

/// Games in a row that were written before, after which there are no others.
const MOST_REPEATED: u64 = 1000;

/// How games are generated.
pub(crate) struct Generation<'a> {
    /// Who plays both sides.
    pub(crate) player: &'a Contestant,
    /// Where games start, and what happens in them by chance.
    pub(crate) plans: &'a Plans,
    /// How they end.
    pub(crate) rules: GameRules,
    /// Engines at work at the same time.
    pub(crate) processes: usize,
    /// Ends the work; also raised when it is done.
    pub(crate) stop: &'a StopSignal,
}

/// What was written so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Tally {
    /// Games, all different.
    pub(crate) games: u64,
    /// Games that White won.
    pub(crate) white: u64,
    /// Drawn games.
    pub(crate) draws: u64,
    /// Games that Black won.
    pub(crate) black: u64,
    /// Games that were broken off.
    pub(crate) unknown: u64,
    /// Half-moves.
    pub(crate) plies: u64,
    /// Games left out because they were written before; of this run.
    pub(crate) repeated: u64,
    /// Engines that failed and were started again; of this run.
    pub(crate) restarts: u64,
}

impl Tally {
    fn add(&mut self, result: PgnResult, plies: usize) {
        self.games += 1;
        self.plies += plies as u64;
        match result {
            PgnResult::WhiteWins => self.white += 1,
            PgnResult::Draw => self.draws += 1,
            PgnResult::BlackWins => self.black += 1,
            PgnResult::Unknown => self.unknown += 1,
        }
    }
}

impl Generation<'_> {
    /// Adds games to the file until it has `games`, or `stop` is raised. Games are written in the order of their numbers; one
    /// that is in the file already is left out.
    pub(crate) fn run(
        &self,
        file: &mut GeneratedFile,
        games: u64,
        observe: &mut dyn FnMut(Tally),
    ) -> Result<Tally> {
        let restarts = AtomicU64::new(0);
        let rules = Rules { pace: self.player.pace, rules: self.rules };
        let crew = Crew {
            size: self.processes,
            build: &|| Ok(self.player.factory.build()?),
            attempt: &|player: &mut Box<dyn Player>, number: &u64| {
                rules.play(player.as_mut(), &self.plans.plan(*number)?, self.stop)
            },
            stop: self.stop,
            restarts: &restarts,
        };
        let mut tally = file.tally();
        if tally.games >= games {
            return Ok(tally);
        }
        let mut next = file.next_number();
        let mut waiting: BTreeMap<u64, GeneratedGame> = BTreeMap::new();
        let mut repeated_in_a_row = 0;
        crew.work((next..).map(Ok), &mut |number, game| {
            waiting.insert(number, game);
            while let Some(game) = waiting.remove(&next) {
                next += 1;
                if file.append(&game)? {
                    tally.add(game.result, game.plies);
                    repeated_in_a_row = 0;
                } else {
                    tally.repeated += 1;
                    repeated_in_a_row += 1;
                }
                tally.restarts = restarts.load(Ordering::Relaxed);
                observe(tally);
                if repeated_in_a_row == MOST_REPEATED {
                    bail!(
                        "{MOST_REPEATED} games in a row were in the file already, which has {} of {games}: more openings, \
                         random plies or slips make more different ones",
                        tally.games
                    );
                }
                if tally.games == games {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(tally)
    }
}
