//! One game between two players.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use chess::{Color, Game, Limits, StopSignal, TableResult, guarded, shakmaty::ByColor};

use super::{
    adjudication::Adjudicator,
    match_game::MatchMove,
    pace::{Pace, RunningClock},
    settings::MatchSettings,
    termination::{Termination, TerminationKind},
};
use crate::player::{Choice, Player, PlayerError};

/// A player in one game.
pub(super) struct Seat<'a> {
    pub(super) player: &'a mut dyn Player,
    pub(super) pace: Pace,
    /// Seed of the player's random choices in this game.
    pub(super) seed: u64,
}

/// The environment of a game: rules of the match, timekeeping and the stop signal.
#[derive(Clone, Copy)]
pub(super) struct Conditions<'a> {
    pub(super) settings: &'a MatchSettings,
    pub(super) watch: &'a Watch,
    pub(super) match_stop: &'a StopSignal,
}

/// Plays `game` to its end; the moves are added to it.
pub(super) fn play(
    game: &mut Game,
    mut seats: ByColor<Seat<'_>>,
    conditions: Conditions<'_>,
) -> (Vec<MatchMove>, Termination) {
    let mut played = Vec::new();
    for color in [Color::White, Color::Black] {
        let seat = seats.get_mut(color);
        if let Err(error) = survive(&mut *seat.player, |player| player.new_game(seat.seed)) {
            return (played, failure(color, &error, None));
        }
    }
    let mut clocks = seats.as_ref().map(|seat| RunningClock::new(seat.pace));
    let mut adjudicator = Adjudicator::new(conditions.settings.adjudication);
    loop {
        if let Some(outcome) = game.outcome() {
            return (played, outcome.into());
        }
        if let Some(verdict) = adjudicator.verdict(game.ply()) {
            return (played, verdict);
        }
        if let Some(result) = conditions.settings.endgames.as_ref().and_then(|tables| tables.probe(game)) {
            let loser = match result {
                TableResult::Win => Some(!game.turn()),
                TableResult::Draw => None,
                TableResult::Loss => Some(game.turn()),
            };
            return (played, Termination { kind: TerminationKind::EndgameTable, loser, detail: None });
        }
        let turn = game.turn();
        let clock = clocks.get_mut(turn);
        match one_move(game, seats.get_mut(turn).player, clock, conditions) {
            Ok(done) => {
                adjudicator.note(turn, done.info.score);
                played.push(done);
            }
            Err(termination) => return (played, termination),
        }
    }
}

/// Requests a move, adjudicates and plays it.
fn one_move(
    game: &mut Game,
    player: &mut dyn Player,
    clock: &mut RunningClock,
    conditions: Conditions<'_>,
) -> Result<MatchMove, Termination> {
    let turn = game.turn();
    let settings = conditions.settings;
    let allowance = clock.allowance();
    let patience =
        allowance.map_or(settings.patience, |allowance| allowance.saturating_add(settings.time_margin));
    let limits = clock.limits();
    let started = Instant::now();
    let answer =
        conditions.watch.during(started.checked_add(patience), |stop| ask(player, game, &limits, stop));
    let elapsed = started.elapsed();
    // Checked first: the answer of a stopped search, valid, late or missing, does not count.
    if conditions.match_stop.is_stopped() {
        return Err(Termination { kind: TerminationKind::Interrupted, loser: None, detail: None });
    }
    let choice = answer.map_err(|error| failure(turn, &error, allowance))?;
    if elapsed > patience {
        return Err(too_late(turn, elapsed, allowance));
    }
    let written = choice.chess_move.to_uci(game.castling_mode());
    game.play(choice.chess_move).map_err(|error| Termination {
        kind: TerminationKind::IllegalMove,
        loser: Some(turn),
        detail: Some(format!("{} played {written}: {error}", player.name())),
    })?;
    clock.charge(elapsed);
    Ok(MatchMove { elapsed, info: choice.info })
}

fn ask(
    player: &mut dyn Player,
    game: &Game,
    limits: &Limits,
    stop: &StopSignal,
) -> Result<Choice, PlayerError> {
    survive(player, |player| player.choose(game, limits, stop))
}

/// A player that panics counts as crashed; a new instance plays the next game.
fn survive<T>(
    player: &mut dyn Player,
    call: impl FnOnce(&mut dyn Player) -> Result<T, PlayerError>,
) -> Result<T, PlayerError> {
    let name = player.name().to_owned();
    guarded(|| call(player))
        .unwrap_or_else(|panicked| Err(PlayerError::Crashed { player: name, reason: panicked.to_string() }))
}

/// The loss of a player that failed to move.
fn failure(loser: Color, error: &PlayerError, allowance: Option<Duration>) -> Termination {
    let kind = match error {
        PlayerError::IllegalMove { .. } => TerminationKind::IllegalMove,
        PlayerError::UnreadableMove { .. } => TerminationKind::UnreadableMove,
        PlayerError::Unresponsive { .. } if allowance.is_some() => TerminationKind::TimeForfeit,
        PlayerError::Unresponsive { .. } => TerminationKind::Unresponsive,
        PlayerError::Start { .. } | PlayerError::Crashed { .. } | PlayerError::Search(_) => {
            TerminationKind::Crash
        }
    };
    Termination { kind, loser: Some(loser), detail: Some(error.to_string()) }
}

fn too_late(loser: Color, elapsed: Duration, allowance: Option<Duration>) -> Termination {
    let (kind, limit) = match allowance {
        Some(allowance) => (TerminationKind::TimeForfeit, format!("{} ms allowed", allowance.as_millis())),
        None => (TerminationKind::Unresponsive, "no time limit, but no answer until stopped".into()),
    };
    let detail = Some(format!("{} ms used, {limit}", elapsed.as_millis()));
    Termination { kind, loser: Some(loser), detail }
}

/// A move with the time at which it is late; `None` if that is further away than the clock counts.
type Running = (Option<Instant>, StopSignal);

/// One worker's running move, watched from the thread that runs the match.
#[derive(Debug, Default)]
pub(super) struct Watch {
    running: Mutex<Option<Running>>,
}

impl Watch {
    /// Runs `think` with a signal that is stopped after `deadline`, or as soon as the match is stopped.
    pub(super) fn during<T>(&self, deadline: Option<Instant>, think: impl FnOnce(&StopSignal) -> T) -> T {
        let stop = StopSignal::default();
        self.set(Some((deadline, stop.clone())));
        let answer = think(&stop);
        self.set(None);
        answer
    }

    /// Stops the running move if it is late or `stop_all` is set. To be called every few milliseconds.
    pub(super) fn tick(&self, now: Instant, stop_all: bool) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((deadline, stop)) = running.as_ref()
            && (stop_all || deadline.is_some_and(|deadline| now >= deadline))
        {
            stop.stop();
        }
    }

    fn set(&self, running: Option<Running>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = running;
    }
}
