//! Plays all games of a match on several threads.
//!
//! ```text
//! workers (`concurrency`)   take a number -> seat both players -> play -> send the game
//! collector (the caller)    count, write, test -> stop everybody once the match is decided, failed or stopped
//!                           and look at every running move each `TICK`: late moves are stopped there
//! ```
//!
//! The collector alone counts and writes, so journal and standing never disagree and `observe` needs no lock. It ends when the
//! channel closes, that is, when the last worker has dropped its sender; until then it continues to receive, also after the end was
//! decided, because a worker may have a finished game to hand in. Only after the decision of a sequential test it counts none: a game
//! that ends a moment later could take the decision back.
//!
//! Which games are played depends on numbers alone: opening, colours and seeds follow from the number of the game, whoever plays
//! it and whenever. Therefore a resumed match continues as if it had not been interrupted.

use std::{
    collections::HashSet,
    io,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use chess::{StopSignal, shakmaty::ByColor, split_mix::first};

use super::{
    game::{Conditions, Seat, Watch, play},
    match_game::{MatchGame, Side},
    settings::{Contestant, MatchError, MatchSettings},
    summary::{EarlyEnd, GameSummary, MatchSummary, Summing},
};
use crate::{
    opening::OpeningBook,
    player::{Player, PlayerError},
    statistics::{Sprt, Standing},
};

/// Interval at which running moves are checked for lateness and for the stop signal.
const TICK: Duration = Duration::from_millis(10);

/// A match between two players.
pub struct Match {
    /// First and second player; results are counted for the first.
    pub contestants: [Contestant; 2],
    /// Openings, each played twice with colours reversed.
    pub openings: OpeningBook,
    /// Number of games, time margins, adjudication and sequential test.
    pub settings: MatchSettings,
}

enum Report {
    Finished(Box<MatchGame>),
    Broken(PlayerError),
}

/// State shared by the threads of a match.
struct Shared<'a> {
    /// Numbers of the games to play.
    left: Mutex<Left>,
    stop: &'a StopSignal,
    /// Names that the players of the workers gave themselves.
    names: Mutex<[Option<String>; 2]>,
}

impl Match {
    /// Plays the match. `observe` is called for every finished game, in the order in which they finish, with the standing
    /// after it; its error (a full disk) ends the match, and the game does not count. `stop` ends the match early: running games are
    /// dropped, finished ones are in the summary.
    ///
    /// # Errors
    /// [`MatchError`] for invalid settings. Later errors are in [`MatchSummary::ended_early`], so that no finished game is lost.
    pub fn play(
        &self,
        stop: &StopSignal,
        observe: &mut dyn FnMut(&MatchGame, &Standing) -> io::Result<()>,
    ) -> Result<MatchSummary, MatchError> {
        self.resume(&[], stop, observe)
    }

    /// Resumes a match with these finished games: they count in its result, and are not reported to `observe`
    /// again. With the same players, openings, settings and seed, the remaining games are those of an
    /// uninterrupted match.
    ///
    /// # Errors
    /// As [`Match::play`]; [`MatchError::Finished`] for games that do not belong to this match.
    pub fn resume(
        &self,
        finished: &[GameSummary],
        stop: &StopSignal,
        observe: &mut dyn FnMut(&MatchGame, &Standing) -> io::Result<()>,
    ) -> Result<MatchSummary, MatchError> {
        let settings = &self.settings;
        if settings.games == 0 || !settings.games.is_multiple_of(2) {
            return Err(MatchError::Games { games: settings.games });
        }
        if settings.concurrency == 0 {
            return Err(MatchError::Concurrency);
        }
        let started = Instant::now();
        let left = Left::new(settings.games, finished)?;
        let mut summing = Summing::default();
        for game in finished {
            summing.add(game.clone());
        }
        let workers = settings.concurrency.min(left.games as usize - left.finished.len());
        let watches: Vec<Watch> = (0..workers).map(|_| Watch::default()).collect();
        // Ends the workers both when the caller stops the match and when it fails.
        let halt = StopSignal::default();
        let shared = Shared { left: Mutex::new(left), stop: &halt, names: Mutex::default() };
        let (sender, reports) = channel();
        let mut collector = Collector { summing, sprt: settings.sprt, observe };
        let ended_early = std::thread::scope(|scope| {
            for watch in &watches {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || self.work(shared, watch, &sender));
            }
            // The workers have the others: the collector ends when all of them have.
            drop(sender);
            collector.collect(&reports, &watches, stop, &halt)
        });
        let sprt = settings.sprt.map(|sprt| sprt.judge(collector.summing.standing().pairs()));
        let reported = shared.names.into_inner().unwrap_or_else(PoisonError::into_inner);
        collector.summing.name(self.names(reported, ended_early.as_ref()));
        Ok(collector.summing.finish(started.elapsed(), sprt, ended_early))
    }

    /// The names of the players. If this process played no game (all were done, or the test is decided), asks the players for
    /// their names, so that a resumed match reports the same names.
    fn names(&self, reported: [Option<String>; 2], ended_early: Option<&EarlyEnd>) -> [String; 2] {
        let is_over = matches!(ended_early, None | Some(EarlyEnd::Decided(_)));
        let mut contestants = self.contestants.iter();
        reported.map(|name| {
            let contestant = contestants.next().expect("two of each");
            name.unwrap_or_else(|| if is_over { contestant.own_name() } else { contestant.name.clone() })
        })
    }

    /// One worker: takes games until all are taken.
    fn work(&self, shared: &Shared<'_>, watch: &Watch, reports: &Sender<Report>) {
        let mut players: [Option<Box<dyn Player>>; 2] = [None, None];
        while !shared.stop.is_stopped() {
            let left = shared.left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(index) = left else { return };
            let report = match self.seated(&mut players, shared) {
                Ok(seated) => Report::Finished(Box::new(self.play_game(index, seated, shared, watch))),
                Err(error) => Report::Broken(error),
            };
            if let Report::Finished(record) = &report
                && record.termination.kind.is_failure()
                && let Some(loser) = record.termination.loser
            {
                // A new one is started for the next game: an engine that hung or crashed may do anything.
                players[record.side_of(loser) as usize] = None;
            }
            // A player that cannot be started ends the match; the next attempt would fail alike.
            let ended = matches!(report, Report::Broken(_));
            if reports.send(report).is_err() || ended {
                return;
            }
        }
    }

    /// Both players, built where they are missing.
    fn seated<'a>(
        &self,
        players: &'a mut [Option<Box<dyn Player>>; 2],
        shared: &Shared<'_>,
    ) -> Result<[&'a mut Box<dyn Player>; 2], PlayerError> {
        for (number, seat) in players.iter_mut().enumerate() {
            if seat.is_none() {
                let mut player = (self.contestants[number].factory)()?;
                player.be_patient(self.settings.patience, self.settings.time_margin);
                shared.names.lock().unwrap_or_else(PoisonError::into_inner)[number] =
                    Some(player.name().to_string());
                *seat = Some(player);
            }
        }
        Ok(players.each_mut().map(|seat| seat.as_mut().expect("filled above")))
    }

    fn play_game(
        &self,
        index: u32,
        players: [&mut Box<dyn Player>; 2],
        shared: &Shared<'_>,
        watch: &Watch,
    ) -> MatchGame {
        let pair = index / 2;
        let white = if index.is_multiple_of(2) { Side::First } else { Side::Second };
        let opening = self.openings.of_pair(pair);
        let mut game = opening.game.clone();
        let [first, second] = players;
        let [first, second] = [(Side::First, first), (Side::Second, second)].map(|(side, player)| Seat {
            player: player.as_mut(),
            pace: self.contestants[side as usize].pace,
            seed: seed_of(self.settings.seed, index, side),
        });
        let seats = match white {
            Side::First => ByColor { white: first, black: second },
            Side::Second => ByColor { white: second, black: first },
        };
        let conditions = Conditions { settings: &self.settings, watch, match_stop: shared.stop };
        let (played, termination) = play(&mut game, seats, conditions);
        MatchGame {
            index,
            pair,
            white,
            opening: opening.name.clone(),
            opening_plies: opening.game.ply(),
            game,
            played,
            termination,
        }
    }
}

/// The thread that runs the match: it counts what the workers send.
struct Collector<'a> {
    summing: Summing,
    sprt: Option<Sprt>,
    observe: &'a mut dyn FnMut(&MatchGame, &Standing) -> io::Result<()>,
}

impl Collector<'_> {
    /// Receives the workers' reports until all workers are done, and enforces the time limits of their moves
    /// meanwhile.
    fn collect(
        &mut self,
        reports: &Receiver<Report>,
        watches: &[Watch],
        stop: &StopSignal,
        halt: &StopSignal,
    ) -> Option<EarlyEnd> {
        let mut ended_early = self.decided();
        let mut next_look = Instant::now();
        loop {
            if stop.is_stopped() && ended_early.is_none() {
                ended_early = Some(EarlyEnd::Interrupted);
            }
            if ended_early.is_some() {
                halt.stop();
            }
            if Instant::now() >= next_look {
                next_look = Instant::now() + TICK;
                for watch in watches {
                    watch.tick(Instant::now(), halt.is_stopped());
                }
            }
            match reports.recv_timeout(next_look.saturating_duration_since(Instant::now())) {
                Ok(Report::Finished(_)) if matches!(ended_early, Some(EarlyEnd::Decided(_))) => {}
                Ok(Report::Finished(record)) => {
                    if let Some(end) = self.count(&record) {
                        ended_early.get_or_insert(end);
                    }
                }
                Ok(Report::Broken(error)) => {
                    ended_early.get_or_insert(EarlyEnd::Player(error));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return ended_early,
            }
        }
    }

    /// Counts a game, unless it was interrupted, and returns the reason if it ends the match.
    fn count(&mut self, record: &MatchGame) -> Option<EarlyEnd> {
        let game = GameSummary::of(record)?;
        // Recorded first, then counted: the sequential test must not decide a match with a game that is missing when the match is
        // resumed. A game that could not be recorded is played again.
        let mut standing = self.summing.standing().clone();
        standing.add(game.pair, game.half_points());
        if let Err(error) = (self.observe)(record, &standing) {
            return Some(EarlyEnd::Record(error));
        }
        self.summing.add(game);
        self.decided()
    }

    fn decided(&self) -> Option<EarlyEnd> {
        let state = self.sprt?.judge(self.summing.standing().pairs());
        state.verdict.map(EarlyEnd::Decided)
    }
}

/// The games of a match that are not among the finished ones, in order. A match may be named longer than memory has room for.
struct Left {
    games: u32,
    finished: HashSet<u32>,
    next: u32,
}

impl Left {
    fn new(games: u32, finished: &[GameSummary]) -> Result<Self, MatchError> {
        let mut seen = HashSet::new();
        for game in finished {
            if game.index >= games || game.pair != game.index / 2 || !seen.insert(game.index) {
                return Err(MatchError::Finished { index: game.index, games });
            }
        }
        Ok(Self { games, finished: seen, next: 0 })
    }
}

impl Iterator for Left {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let index = (self.next..self.games).find(|index| !self.finished.contains(index))?;
        self.next = index + 1;
        Some(index)
    }
}

/// An independent seed for each player of each game.
fn seed_of(match_seed: u64, game: u32, side: Side) -> u64 {
    // The match seed is mixed before game and side are added, so that neighbouring seeds share no random
    // numbers.
    first(first(match_seed) ^ (u64::from(game) << 1 | side as u64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chess::{Color, Game};

    use super::*;
    use crate::{
        matches::{Termination, TerminationKind},
        statistics::{SprtModel, SprtVerdict},
    };

    /// The games of a moment later made the result of a decided test undecided.
    #[test]
    fn games_that_end_after_the_decision_of_a_test_do_not_count() {
        let (sender, reports) = channel();
        for index in 0..4_u32 {
            let pair = index / 2;
            let white = if index.is_multiple_of(2) { Side::First } else { Side::Second };
            // The first player wins the first pair and loses the second.
            let winner = if pair == 0 { Side::First } else { Side::Second };
            let loser = Some(if white == winner { Color::Black } else { Color::White });
            let game = MatchGame {
                index,
                pair,
                white,
                opening: String::new(),
                opening_plies: 0,
                game: Game::default(),
                played: Vec::new(),
                termination: Termination { kind: TerminationKind::Checkmate, loser, detail: None },
            };
            sender.send(Report::Finished(Box::new(game))).unwrap();
        }
        drop(sender);
        let sprt = Sprt::new(SprtModel::Logistic, -1000.0, 1000.0).unwrap();
        let mut observe = |_: &MatchGame, _: &Standing| -> io::Result<()> { Ok(()) };
        let mut collector =
            Collector { summing: Summing::default(), sprt: Some(sprt), observe: &mut observe };
        let (stop, halt) = (StopSignal::default(), StopSignal::default());
        let ended = collector.collect(&reports, &[], &stop, &halt);
        assert!(matches!(ended, Some(EarlyEnd::Decided(SprtVerdict::H1))), "{ended:?}");
        let standing = collector.summing.standing();
        assert_eq!(standing.games().games(), 2);
        assert_eq!(sprt.judge(standing.pairs()).verdict, Some(SprtVerdict::H1));
    }

    #[test]
    fn games_that_nobody_will_ever_play_take_no_memory() {
        let mut left = Left::new(u32::MAX - 1, &[]).unwrap();
        assert_eq!(left.by_ref().take(3).collect::<Vec<_>>(), [0, 1, 2]);
        left.finished.insert(3);
        left.next = u32::MAX - 3;
        assert_eq!(left.collect::<Vec<_>>(), [u32::MAX - 3, u32::MAX - 2]);
    }

    #[test]
    fn every_player_of_every_game_has_its_own_seed() {
        let seeds: HashSet<u64> = (0..1000)
            .flat_map(|game| [seed_of(5, game, Side::First), seed_of(5, game, Side::Second)])
            .collect();
        assert_eq!(seeds.len(), 2000);
        assert_ne!(seed_of(5, 0, Side::First), seed_of(6, 0, Side::First));
        // Those of matches that were published.
        let known = [18_074_882_946_671_919_669, 10_278_664_173_665_575_612];
        assert_eq!([seed_of(5, 0, Side::First), seed_of(5, 3, Side::Second)], known);
    }
}
