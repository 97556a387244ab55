//! The climb of a ladder.

use std::{ops::Range, time::Instant};

use super::{CampaignError, Entrant, MatchPlan, Opponents, PlayedGames, Round, Rules};
use crate::{
    ladder::{Ladder, LadderLine, LadderPlan, LadderReport, is_too_strong},
    matches::{Match, MatchSummary},
};

/// A player on the ladder of an engine's levels. Rounds have the numbers of the opponents.
pub struct Climb {
    player: Entrant,
    opponents: Opponents,
    ladder: Ladder,
    plan: LadderPlan,
    rules: Rules,
    /// The name that the player reports, once this process has played a game of it.
    name: Option<String>,
    started: Instant,
}

impl Climb {
    /// A climb that has not started.
    pub fn new(player: Entrant, opponents: Opponents, plan: LadderPlan, rules: Rules) -> Self {
        let ladder = Ladder::new(&opponents.ratings(), opponents.lowest_level(), plan);
        let (name, started) = (None, Instant::now());
        Self { player, opponents, ladder, plan, rules, name, started }
    }

    /// The opponent to play next, and the total number of games to play against it.
    ///
    /// Replays the batches in the order in which they were chosen, each with its own games only. An
    /// interrupted batch is completed before the next level is chosen: the choice depends on all games so far, so a decision from
    /// half a batch would send a resumed climb along another path than an uninterrupted one.
    fn next_opponent(&mut self, played: &PlayedGames) -> Option<(usize, u32)> {
        while let Some((level, games)) = self.ladder.next() {
            let standing = played.first(level, games);
            if standing.games().games() < u64::from(games) {
                return Some((level, games));
            }
            self.ladder.replace(level, standing);
        }
        if !self.ladder.is_topped() {
            return None;
        }
        for opponent in self.ladder.rungs().len()..self.opponents.count() {
            let games = played.standing(opponent).games();
            if games.games() < u64::from(self.plan.probe) {
                return Some((opponent, self.plan.probe));
            }
            if is_too_strong(games) {
                return None;
            }
        }
        None
    }

    /// The result so far; `None` without a finished game.
    ///
    /// # Errors
    /// [`CampaignError::Opening`].
    pub fn report(&self, played: &PlayedGames) -> Result<Option<LadderReport>, CampaignError> {
        if played.count() == 0 {
            return Ok(None);
        }
        let levels = self.ladder.rungs().len();
        let name = self.name.clone().unwrap_or_else(|| self.player.contestant.own_name());
        let players = [self.player.conditions(name), self.opponents.conditions()];
        let book = self.rules.book(self.plan.games)?;
        // The climb counts the games of its finished batches; the report counts all.
        let mut ladder = self.ladder.clone();
        (0..levels).for_each(|level| ladder.replace(level, played.standing(level)));
        Ok(Some(LadderReport {
            kind: LadderReport::KIND.into(),
            conditions: self.rules.conditions(players, &book, self.plan.games),
            plan: self.plan,
            rating: ladder.rating(self.rules.settings.seed),
            levels: self.lines(0..levels, played),
            beyond: self.lines(levels..self.opponents.count(), played),
            failures: played.all().filter(|game| game.termination.is_failure()).count() as u64,
            seconds: self.started.elapsed().as_secs_f64(),
        }))
    }

    /// The lines of those among some opponents that the player has met.
    fn lines(&self, opponents: Range<usize>, played: &PlayedGames) -> Vec<LadderLine> {
        let mut lines = Vec::new();
        for number in opponents.filter(|&number| !played.of(number).is_empty()) {
            let elo = self.ladder.rungs().get(number).map(|rung| rung.elo);
            lines.push(LadderLine::new(self.opponents.of(number).0, elo, &played.standing(number)));
        }
        lines
    }
}

impl MatchPlan for Climb {
    fn next(&mut self, played: &PlayedGames) -> Result<Option<Round>, CampaignError> {
        let Some((opponent, games)) = self.next_opponent(played) else { return Ok(None) };
        let games = games.max(played.begun(opponent));
        let next_match = Match {
            contestants: [self.player.contestant.clone(), self.opponents.of(opponent).1],
            openings: self.rules.book(self.plan.games.max(games))?,
            settings: self.rules.settings(games, opponent as u64),
        };
        Ok(Some(Round { number: opponent, next_match }))
    }

    fn finish(&mut self, _: usize, summary: &MatchSummary) {
        self.name = Some(summary.names[0].clone());
    }

    fn games(&self) -> u64 {
        self.plan.games.into()
    }
}
