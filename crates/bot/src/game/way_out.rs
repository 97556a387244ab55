//! Ways out of a stalled game.
//!
//! A game in which neither side moves must not occupy one of the bot's games for ever. Each [`Trouble`] has a
//! list of requests. If the server refuses one for good, or it has no effect, the next is tried; after the
//! last the game is left.

use std::time::{Duration, Instant};

use super::{Ending, GamePlay};
use crate::client::Backoff;

/// Attempts at a request that may succeed later. Chosen: their pauses add up to about ten seconds.
const ATTEMPTS: u32 = 5;

/// Multiple of the usual patience for a stream that does not begin and for a move without a clock: the server
/// may be down.
const BEGINNING: u32 = 5;

/// Why a game has stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// The account's stream reports the end of the game, and the game's own stream does not.
    Over,
    /// The stream of the game does not begin.
    NotBegun,
    /// The game cannot be played, or the server refuses every move of the bot.
    Unplayable,
    /// The opponent does not make the first move.
    Absent,
    /// The opponent has left.
    Gone,
    /// The clock of the side to move has run out, and the server does not report it.
    Overdue,
}

/// A request that may end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WayOut {
    Abort,
    ClaimVictory,
    Resign,
    /// Stop playing, which makes room for another game.
    Leave,
}

impl WayOut {
    fn action(self) -> Option<&'static str> {
        match self {
            Self::Abort => Some("abort"),
            Self::ClaimVictory => Some("claim-victory"),
            Self::Resign => Some("resign"),
            Self::Leave => None,
        }
    }
}

/// The way out that is next.
#[derive(Debug)]
pub(super) struct Exit {
    trouble: Trouble,
    /// The number of half-moves when the trouble began; after a move it is another trouble.
    ply: usize,
    /// The index of the next way out.
    at: usize,
    /// Failed attempts at it.
    attempts: u32,
    /// The time of the next attempt.
    pub(super) due: Instant,
    backoff: Backoff,
}

impl GamePlay {
    /// Checks whether the game is still running, and takes the next way out when it is time.
    pub(super) fn check_for_stall(&mut self) {
        let now = Instant::now();
        if self.end.get().is_some() {
            self.end_noticed.get_or_insert(now);
        }
        let Some((trouble, due)) = self.trouble() else {
            self.exit = None;
            return;
        };
        let ply = self.ongoing.as_ref().map_or(0, |ongoing| ongoing.game().ply());
        if self.exit.as_ref().is_none_or(|exit| (exit.trouble, exit.ply) != (trouble, ply)) {
            let backoff = self.services.client.backoff();
            self.exit = Some(Exit { trouble, ply, at: 0, attempts: 0, due, backoff });
        }
        let ways = self.ways(trouble);
        let Some(exit) = &mut self.exit else { return };
        if exit.at == 0 && exit.attempts == 0 {
            exit.due = due;
        }
        if exit.due > now {
            return;
        }
        match ways.get(exit.at).map(|way| way.action()) {
            Some(Some(action)) => self.try_way_out(action),
            Some(None) => self.leave(),
            // No more claims: the clock ends the game.
            None => self.gone = None,
        }
    }

    fn leave(&mut self) {
        if self.end_noticed.is_some() {
            self.ending = Some(Ending::Played);
            return;
        }
        self.problem("left: it stalled, and the server does not let Tabiya end it".into());
        self.ending = Some(Ending::Left);
    }

    fn try_way_out(&mut self, action: &str) {
        let answer = self.services.client.post(&format!("/api/bot/game/{}/{action}", self.id), &[]);
        if let Err(error) = &answer {
            self.failed(error);
        }
        let patience = self.services.client.settings().patience;
        let Some(exit) = &mut self.exit else { return };
        exit.attempts += 1;
        let pause = match &answer {
            Err(error) if error.is_transient() && exit.attempts < ATTEMPTS => {
                exit.due = Instant::now() + exit.backoff.pause();
                return;
            }
            // The stream says that the game is over; the opponent may come back.
            Ok(()) => patience,
            Err(_) if matches!(exit.trouble, Trouble::Absent | Trouble::Gone) => patience,
            Err(_) => Duration::ZERO,
        };
        (exit.at, exit.attempts, exit.due) = (exit.at + 1, 0, Instant::now() + pause);
        // Without the first line of the stream, no other event reports the end of the game.
        if answer.is_ok() && self.ongoing.is_none() {
            self.ending = Some(Ending::Played);
        }
    }

    /// The current trouble, and the time at which the first request is due.
    ///
    /// The order matters, because several can hold at once. What the account's stream says about the end is certain, so it comes first.
    /// An unplayable game is given up before its clock, since the clock would only delay the same loss. Without the first line of the
    /// game's stream nothing below is known. An opponent who has left is better than a flag that falls: the server lets the bot claim
    /// the win at a known time. The clocks do not run during the first move of each side, so only then is an absent opponent possible.
    fn trouble(&self) -> Option<(Trouble, Instant)> {
        let patience = self.services.client.settings().patience;
        if let Some(noticed) = self.end_noticed {
            return Some((Trouble::Over, noticed + patience));
        }
        if self.unplayable {
            return Some((Trouble::Unplayable, self.started));
        }
        let Some(ongoing) = &self.ongoing else {
            return Some((Trouble::NotBegun, self.started + BEGINNING * patience));
        };
        if let Some(claimable) = self.gone {
            return Some((Trouble::Gone, claimable));
        }
        let begins = ongoing.begins();
        if let Some(left) = ongoing.time_of_mover().filter(|_| !begins) {
            // The numbers are the server's, and may be too large for a time.
            let end = self.arrived.checked_add(left)?.checked_add(patience)?;
            return Some((Trouble::Overdue, end));
        }
        if ongoing.is_our_turn() {
            return Some((Trouble::Unplayable, self.turn_since + BEGINNING * patience));
        }
        let seconds = self.services.config.games.abort_after;
        let end = self.turn_since.checked_add(Duration::from_secs(seconds))?;
        (begins && seconds > 0).then_some((Trouble::Absent, end))
    }

    fn ways(&self, trouble: Trouble) -> &'static [WayOut] {
        use WayOut::{Abort, ClaimVictory, Leave, Resign};
        let waits = self.ongoing.as_ref().is_some_and(|ongoing| ongoing.game().turn() != ongoing.side());
        let has_clock = self.ongoing.as_ref().is_some_and(|ongoing| ongoing.full().clock.is_some());
        match trouble {
            Trouble::Over => &[Leave],
            Trouble::Absent if self.services.config.games.claim_victory => {
                &[Abort, ClaimVictory, Resign, Leave]
            }
            Trouble::NotBegun | Trouble::Unplayable | Trouble::Absent => &[Abort, Resign, Leave],
            Trouble::Gone if has_clock => &[ClaimVictory; 3],
            Trouble::Gone => &[ClaimVictory, ClaimVictory, ClaimVictory, Leave],
            Trouble::Overdue if waits => &[ClaimVictory, Leave],
            Trouble::Overdue => &[Resign, Leave],
        }
    }
}
