//! Games of an engine against itself with an evaluation of every position: training data without
//! existing games.
//!
//! Each game depends only on the settings, the seed and its number, so files are the same for any number of engines and
//! however often the command is interrupted.

mod file;
mod game;
mod plan;

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
};

use chess::{StopSignal, pgn::PgnResult};
use strength::{Contestant, Player};

use self::game::{GeneratedGame, Rules};
pub use self::{
    file::GeneratedFile,
    game::GameRules,
    plan::{Plans, Starts},
};
use crate::{LabellingError, worker_pool::WorkerPool};

/// Consecutive duplicate games after which generation ends. Chosen, not derived.
const MOST_REPEATED: u64 = 1000;

/// Settings of a generation of games.
pub struct Generation<'a> {
    /// Plays both sides.
    pub player: &'a Contestant,
    /// Starting positions of the games, and their random events.
    pub plans: &'a Plans,
    /// Adjudication and slips.
    pub rules: GameRules,
    /// Number of engines that work in parallel.
    pub processes: usize,
    /// Ends the work; also raised when it is done.
    pub stop: &'a StopSignal,
}

/// Counts of the games written so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct GenerationCounts {
    /// Games, all different.
    pub games: u64,
    pub white: u64,
    pub draws: u64,
    pub black: u64,
    /// Games that were broken off early.
    pub unknown: u64,
    pub plies: u64,
    /// Games of this run left out because they were written before.
    pub repeated: u64,
    /// Engines of this run that failed and were started again.
    pub restarts: u64,
}

impl GenerationCounts {
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
    /// Default number of games to generate.
    pub const GAMES: u64 = 1000;

    /// Adds games to the file until it has `games`, or `stop` is raised. Games are written in the order of their numbers; a game
    /// that is already in the file is left out.
    ///
    /// # Errors
    /// [`LabellingError`] if an engine fails twice at the same game, the file cannot be written, or games repeat themselves.
    pub fn run(
        &self,
        file: &mut GeneratedFile,
        games: u64,
        observe: &mut dyn FnMut(GenerationCounts),
    ) -> Result<GenerationCounts, LabellingError> {
        let restarts = AtomicU64::new(0);
        let rules = Rules { pace: self.player.pace, rules: self.rules };
        let pool = WorkerPool {
            size: self.processes,
            build: &|| Ok((self.player.factory)()?),
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
        // Games that finish before an earlier one. Writing them at once would save memory, but the file would then depend on which
        // engine was quicker, and a run could not continue from the number of the last game in it. A stop drops them; the next run
        // plays them again.
        let mut waiting: BTreeMap<u64, GeneratedGame> = BTreeMap::new();
        let mut repeated_in_a_row = 0;
        // Without an end, because repeated games are left out.
        pool.work((next..).map(Ok), &mut |number, game| {
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
                    return Err(LabellingError::Repeated {
                        repeated: MOST_REPEATED,
                        games: tally.games,
                        wanted: games,
                    });
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
