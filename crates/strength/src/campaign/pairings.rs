//! A match, or a tournament of several players.

use std::fmt;

use files::Inputs;
use serde::Serialize;
use serde_json::{Value, json};

use super::{CampaignError, Entrant, MatchPlan, PlayedGames, Round, Rules};
use crate::{
    matches::{Match, MatchReport, MatchSummary},
    opening::OpeningBook,
    statistics::{Sprt, Standing},
    tournament::{TournamentFormat, TournamentReport},
};

/// The matches of a tournament; two players have one match.
pub struct Pairings {
    entrants: Vec<Entrant>,
    format: TournamentFormat,
    /// First and second player of each match.
    matches: Vec<[usize; 2]>,
    rules: Rules,
    games: u32,
    sprt: Option<Sprt>,
    book: OpeningBook,
    next: usize,
    finished: Vec<(MatchReport, Standing)>,
}

impl Pairings {
    /// Matches of this many games between these players, all from the same openings.
    ///
    /// # Errors
    /// [`CampaignError::Opening`].
    pub fn new(
        entrants: Vec<Entrant>,
        format: TournamentFormat,
        rules: Rules,
        games: u32,
    ) -> Result<Self, CampaignError> {
        let matches = format.pairings(entrants.len());
        let book = rules.book(games)?;
        Ok(Self { entrants, format, matches, rules, games, sprt: None, book, next: 0, finished: Vec::new() })
    }

    /// These matches, each ended by a sequential test as soon as it decides.
    #[must_use]
    pub fn with_test(mut self, sprt: Option<Sprt>) -> Self {
        self.sprt = sprt;
        self
    }

    /// The settings that a resumed campaign must share with the interrupted one: players, games, test and [`Rules::setup`].
    ///
    /// # Errors
    /// The errors of [`Rules::setup`].
    pub fn setup(&self) -> Result<Value, CampaignError> {
        let players: Vec<&str> = self.entrants.iter().map(|entrant| entrant.specification.as_str()).collect();
        let inputs = self.entrants.iter().fold(Inputs::default(), |inputs, entrant| entrant.add_to(inputs));
        let mut setup = self.rules.setup(inputs)?;
        setup.insert("players".into(), json!(players));
        setup.insert("games".into(), json!(self.games));
        setup.insert("format".into(), json!(self.format));
        setup.insert("sprt".into(), json!(self.sprt));
        Ok(setup.into())
    }

    /// The result; `None` without a finished game.
    pub fn report(self) -> Option<PairingsReport> {
        let mut finished = self.finished;
        finished.retain(|(report, _)| report.games.games() > 0);
        if self.matches.len() == 1 {
            return finished.pop().map(|(report, _)| PairingsReport::Match(Box::new(report)));
        }
        let players: Vec<String> = self.entrants.into_iter().map(|entrant| entrant.specification).collect();
        (!finished.is_empty()).then(|| {
            PairingsReport::Tournament(TournamentReport::new(self.format, &players, &self.matches, finished))
        })
    }
}

impl MatchPlan for Pairings {
    fn next(&mut self, _: &PlayedGames) -> Result<Option<Round>, CampaignError> {
        let Some(pairing) = self.matches.get(self.next) else { return Ok(None) };
        let contestants = pairing.map(|player| self.entrants[player].contestant.clone());
        let mut settings = self.rules.settings(self.games, 0);
        settings.sprt = self.sprt;
        let next_match = Match { contestants, openings: self.book.clone(), settings };
        let number = self.next;
        self.next += 1;
        Ok(Some(Round { number, next_match }))
    }

    fn finish(&mut self, number: usize, summary: &MatchSummary) {
        let pairing = self.matches[number];
        let players = [0, 1].map(|side| self.entrants[pairing[side]].conditions(summary.names[side].clone()));
        let mut conditions = self.rules.conditions(players, &self.book, self.games);
        conditions.sprt = self.sprt;
        self.finished.push((MatchReport::new(summary, conditions), summary.standing.clone()));
    }

    fn games(&self) -> u64 {
        u64::from(self.games) * self.matches.len() as u64
    }
}

/// The result of [`Pairings`], a match of two players or a tournament of more; the `--json` output.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "self-explanatory variants")]
pub enum PairingsReport {
    Match(Box<MatchReport>),
    Tournament(TournamentReport),
}

impl fmt::Display for PairingsReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match(report) => report.fmt(formatter),
            Self::Tournament(report) => report.fmt(formatter),
        }
    }
}
