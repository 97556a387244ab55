//! A match as people and scripts read it: every figure with its uncertainty and the conditions it was measured under.

use std::fmt;

use figures::Percent;
use files::run::ResultKind;
use serde::{Deserialize, Serialize};

use super::{
    conditions::{MatchConditions, given_name},
    match_game::Side,
    summary::{GameSummary, MatchSummary},
    termination::TerminationKind,
};
use crate::statistics::{
    EloEstimate, EloText, NormalizedElo, PairTally, Sprt, SprtModel, SprtState, SprtVerdict, Tally,
    elo_from_games, elo_from_standing, mean, normalized_elo,
};

/// Games that ended in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct TerminationCount {
    /// Mate, a rule or a failure.
    pub kind: TerminationKind,
    /// The loser; `None` for draws.
    pub loser: Option<Side>,
    pub games: u64,
}

/// Games by result, with draws split by the material left on the board: a "pseudo-win" is a draw in which the
/// first player ended with more material, frequent with players that cannot mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeTable {
    /// Games that the first player won.
    pub wins: u64,
    /// Drawn with more material than the opponent.
    pub pseudo_wins: u64,
    /// Drawn with equal material.
    pub pseudo_draws: u64,
    /// Drawn with less material than the opponent.
    pub pseudo_losses: u64,
    /// Games that the first player lost.
    pub losses: u64,
}

impl OutcomeTable {
    /// Counts games for the first player.
    pub fn of(games: &[GameSummary]) -> Self {
        let mut table = Self::default();
        for game in games {
            let cell = match (game.half_points(), game.material.signum()) {
                (2, _) => &mut table.wins,
                (0, _) => &mut table.losses,
                (_, 1) => &mut table.pseudo_wins,
                (_, -1) => &mut table.pseudo_losses,
                _ => &mut table.pseudo_draws,
            };
            *cell += 1;
        }
        table
    }
}

/// A sequential test with its state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtReport {
    /// Hypotheses and error rates of the test.
    pub test: Sprt,
    /// Log-likelihood ratio and decision so far.
    pub state: SprtState,
}

impl fmt::Display for SprtReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { model, elo0, elo1, alpha, beta } = self.test;
        let scale = match model {
            SprtModel::Logistic => "Elo",
            SprtModel::Normalized => "normalized Elo",
        };
        let verdict = match self.state.verdict {
            Some(SprtVerdict::H0) => format!("H0 accepted: {elo0:+} rather than {elo1:+} {scale}"),
            Some(SprtVerdict::H1) => format!("H1 accepted: {elo1:+} rather than {elo0:+} {scale}"),
            None => format!("undecided between {elo0:+} and {elo1:+} {scale}"),
        };
        let SprtState { log_likelihood_ratio, lower, upper, .. } = self.state;
        write!(
            formatter,
            "{verdict} (LLR {log_likelihood_ratio:+.2} in {lower:+.2} to {upper:+.2}, alpha {alpha}, beta {beta})"
        )
    }
}

/// Time a player took for its moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct MoveTimes {
    /// Moves on which the mean is based.
    pub moves: u64,
    pub mean_ms: f64,
    pub longest_ms: f64,
}

impl MoveTimes {
    /// Fraction of the allowed time below which the time counts as unused, and the minimum number of moves
    /// for this check. Chosen.
    const USED: f64 = 0.2;
    const ENOUGH_MOVES: u64 = 10;

    /// True if a player uses less than [`Self::USED`] of the time it is allowed per move. An engine whose
    /// reserve for delays is as long as its time answers at once; its games do not measure its strength.
    fn leave_unused(&self, allowed_ms: u64) -> bool {
        self.moves >= Self::ENOUGH_MOVES && self.mean_ms < Self::USED * allowed_ms as f64
    }
}

/// The result of a match with its conditions, as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// The type of result: [`MatchReport::KIND`].
    pub kind: String,
    /// Players, limits, openings and machine.
    pub conditions: MatchConditions,
    /// The first player's wins, draws and losses.
    pub games: Tally,
    /// Complete pairs by the first player's points.
    pub pairs: PairTally,
    /// The rating difference ([`elo_from_standing`]); `None` without games.
    pub elo: Option<EloEstimate>,
    /// The difference computed from single games.
    pub elo_from_games: Option<EloEstimate>,
    /// Normalized Elo, if pairs differ.
    pub normalized_elo: Option<NormalizedElo>,
    /// The sequential test, if there was one.
    pub sprt: Option<SprtReport>,
    /// Games by result and material.
    pub outcomes: OutcomeTable,
    /// Mean half-moves, opening included, of the games that the first and the second player won; `None` without such a game, and in
    /// older results.
    #[serde(default)]
    pub won_plies: [Option<f64>; 2],
    /// Games by the way in which they ended.
    pub terminations: Vec<TerminationCount>,
    /// Games whose moves differ from those of every other game.
    pub distinct_games: u64,
    /// Time of first and second player.
    pub move_times: [MoveTimes; 2],
    /// Duration of the match in seconds.
    pub seconds: f64,
    /// Reason for an early end.
    pub ended_early: Option<String>,
    /// One entry for each game; left out of the stored results of very long matches.
    #[serde(default)]
    pub game_list: Vec<GameSummary>,
}

impl MatchReport {
    /// The value of `kind` that identifies the JSON.
    pub const KIND: &str = ResultKind::Match.text();

    /// The report of a match played under `conditions`.
    pub fn new(summary: &MatchSummary, conditions: MatchConditions) -> Self {
        let (games, pairs) = (summary.standing.games(), summary.standing.pairs());
        Self {
            kind: Self::KIND.into(),
            sprt: conditions.sprt.zip(summary.sprt).map(|(test, state)| SprtReport { test, state }),
            outcomes: OutcomeTable::of(&summary.games),
            won_plies: [Side::Second, Side::First].map(|loser| mean_plies(&summary.games, loser)),
            conditions,
            games,
            pairs,
            elo: elo_from_standing(&summary.standing),
            elo_from_games: elo_from_games(games),
            normalized_elo: normalized_elo(pairs),
            terminations: summary
                .terminations
                .iter()
                .map(|(&(kind, loser), &games)| TerminationCount { kind, loser, games })
                .collect(),
            distinct_games: summary.distinct_games,
            move_times: summary.timings.map(|timing| MoveTimes {
                moves: timing.moves,
                mean_ms: timing.mean_ms(),
                longest_ms: timing.longest_ms,
            }),
            seconds: summary.elapsed.as_secs_f64(),
            ended_early: summary.ended_early.as_ref().map(ToString::to_string),
            game_list: summary.games.clone(),
        }
    }

    /// The player in a line of the report; the conditions below have its whole text.
    fn player(&self, side: Side) -> &str {
        given_name(&self.conditions.players[side as usize].specification)
    }

    fn write_result(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { wins, draws, losses } = self.games;
        let total = self.games.games();
        writeln!(
            formatter,
            "{} against {}: {total} of {} games in {:.0} s",
            self.player(Side::First),
            self.player(Side::Second),
            self.conditions.games,
            self.seconds
        )?;
        if let Some(reason) = &self.ended_early {
            writeln!(formatter, "  ended early  {reason}")?;
        }
        if total == 0 {
            return writeln!(formatter, "  result       none: no game was finished");
        }
        let share = Percent(self.games.share());
        writeln!(
            formatter,
            "  score        {}/{total} ({share}): {wins} won, {draws} drawn, {losses} lost",
            self.games.points()
        )?;
        let [zero, half, one, more, two] = self.pairs.0;
        writeln!(
            formatter,
            "  pairs        {zero} {half} {one} {more} {two} (with 0, 1/2, 1, 3/2, 2 points)"
        )?;
        if let Some(elo) = self.elo {
            writeln!(formatter, "  Elo          {}", EloText(elo))?;
            writeln!(formatter, "  superiority  {} likely to be the stronger", Percent(elo.superiority))?;
        }
        if let Some(normalized) = self.normalized_elo {
            writeln!(formatter, "  normalized   {:+.1} +- {:.1}", normalized.elo, normalized.error)?;
        }
        if let Some(sprt) = self.sprt {
            writeln!(formatter, "  SPRT         {sprt}")?;
        }
        let OutcomeTable { wins, pseudo_wins, pseudo_draws, pseudo_losses, losses } = self.outcomes;
        if draws > 0 {
            writeln!(
                formatter,
                "  by material  {wins} won, {pseudo_wins} drawn with more, {pseudo_draws} with as much, {pseudo_losses} \
                 with less, {losses} lost"
            )?;
        }
        let [won, lost] = self.won_plies;
        let won = won.map(|plies| format!("won in {plies:.1}"));
        let lost = lost.map(|plies| format!("lost in {plies:.1}"));
        let lengths: Vec<String> = won.into_iter().chain(lost).collect();
        if !lengths.is_empty() {
            writeln!(formatter, "  half-moves   {} (means)", lengths.join(", "))?;
        }
        Ok(())
    }

    fn write_games(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, count) in self.terminations.iter().enumerate() {
            let label = if number == 0 { "ends" } else { "" };
            let loser = match count.loser {
                Some(side) => format!("lost by {}", self.player(side)),
                None => "drawn".into(),
            };
            writeln!(formatter, "  {label:<12} {:>5} {}, {loser}", count.games, count.kind)?;
        }
        let failures = self.terminations.iter().filter(|count| count.kind.is_failure());
        let failures: u64 = failures.map(|count| count.games).sum();
        if failures > 0 {
            writeln!(
                formatter,
                "  caution      {failures} games were lost by failing (see above), not by chess: the score says little \
                 about strength"
            )?;
        }
        let repeated = self.games.games() - self.distinct_games;
        if repeated > 0 {
            writeln!(
                formatter,
                "  caution      {repeated} games repeat others move by move: the interval is too narrow"
            )?;
        }
        for (side, times) in [Side::First, Side::Second].into_iter().zip(self.move_times) {
            writeln!(
                formatter,
                "  time         {:.1} ms a move, longest {:.1} ms, {} moves: {}",
                times.mean_ms,
                times.longest_ms,
                times.moves,
                self.player(side)
            )?;
            let allowed = self.conditions.players[side as usize].move_time_ms;
            if let Some(allowed) = allowed.filter(|&allowed| times.leave_unused(allowed)) {
                writeln!(
                    formatter,
                    "  caution      that is little of the {allowed} ms allowed: an engine may keep a reserve for itself \
                     (often `Move Overhead`)"
                )?;
            }
        }
        Ok(())
    }
}

/// Mean half-moves of the games that one side lost; `None` if it lost none.
fn mean_plies(games: &[GameSummary], loser: Side) -> Option<f64> {
    mean(games.iter().filter(|game| game.loser == Some(loser)).map(|game| game.plies as f64))
}

impl fmt::Display for MatchReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_result(formatter)?;
        self.write_games(formatter)?;
        write!(formatter, "{}", self.conditions)
    }
}
