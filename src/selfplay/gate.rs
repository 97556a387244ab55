//! The match that decides whether a network takes over.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use chess::{Evaluator, SearchOptions, StopSignal};
use search::Puct;
use selfplay::{GateResult, GateSettings, learner::Trial};
use serde_json::json;
use strength::{
    Contestant, Match, MatchSettings, OpeningBook, Pace,
    matches::{EarlyEnd, MatchSummary},
    player::SearchPlayer,
    statistics::{EloText, Sprt, SprtModel, SprtVerdict, elo_from_standing},
};

use super::engines::RunEngines;
use crate::game_folder::{Entry, GameFolder};

/// Plays matches between networks of a run.
pub(crate) struct Gate<'a> {
    /// The rules.
    pub(crate) settings: &'a GateSettings,
    /// Visits of each move.
    pub(crate) nodes: u64,
    /// What plays.
    pub(crate) engines: &'a RunEngines,
    /// Games at the same time.
    pub(crate) threads: usize,
}

impl Gate<'_> {
    /// Plays the games of a trial that are not played yet; `None` where the signal came first.
    pub(crate) fn judge(&self, trial: &Trial<'_>, stop: &StopSignal) -> Result<Option<GateResult>> {
        let sprt = self.settings.sprt.map(|[elo0, elo1]| Sprt::new(SprtModel::Logistic, elo0, elo1));
        let sprt = sprt.transpose().context("[gate] sprt")?;
        let names = [format!("generation {}", trial.number), format!("generation {}", trial.in_force.0)];
        let networks = [Some(trial.challenger), trial.in_force_weights];
        let contestants = [0, 1].map(|side| self.contestant(&names[side], networks[side]));
        let [challenger, in_force] = contestants;
        let setup = json!({ "players": names, "gate": self.settings, "nodes": self.nodes });
        let (mut folder, done) = GameFolder::open(trial.folder, &setup, true)?;
        let done: Vec<_> = done.into_iter().map(|Entry { game, .. }| game).collect();
        let settings = MatchSettings {
            games: self.settings.games,
            concurrency: self.threads,
            seed: u64::from(trial.number),
            sprt,
            ..MatchSettings::default()
        };
        let openings = self.openings(trial.number)?;
        let battle = Match { contestants: [challenger?, in_force?], openings, settings };
        let summary = battle.resume(&done, stop, &mut |record, _| folder.append(0, record, &names))?;
        match summary.ended_early {
            Some(EarlyEnd::Interrupted) => Ok(None),
            None | Some(EarlyEnd::Decided(_)) => Ok(Some(self.verdict(&summary))),
            Some(error) => Err(error.into()),
        }
    }

    fn contestant(&self, name: &str, weights: Option<&[u8]>) -> Result<Contestant> {
        let evaluator = self.engines.open(weights).with_context(|| format!("the network of {name}"))?;
        Ok(contestant(name, evaluator, self.engines.match_options()?, self.nodes))
    }

    fn openings(&self, number: u32) -> Result<OpeningBook> {
        let pairs = self.settings.games.div_ceil(2) as usize;
        OpeningBook::named(&self.settings.openings, None, pairs, u64::from(number)).context("[gate] openings")
    }

    fn verdict(&self, summary: &MatchSummary) -> GateResult {
        let games = summary.standing.games();
        let elo = elo_from_standing(&summary.standing);
        let score = games.points() / games.games().max(1) as f64;
        let (promoted, test) = if let Some(state) = &summary.sprt {
            let said = match state.verdict {
                Some(SprtVerdict::H1) => "the sequential test accepted H1",
                Some(SprtVerdict::H0) => "the sequential test accepted H0",
                None => "the sequential test came to no decision",
            };
            (state.verdict == Some(SprtVerdict::H1), said.to_owned())
        } else {
            let needed = self.settings.score;
            (score >= needed, format!("{:.1} % of the points, {:.1} % needed", 100.0 * score, 100.0 * needed))
        };
        let text = elo.map(|elo| format!(", Elo {}", EloText(elo))).unwrap_or_default();
        let count = |games: u64| u32::try_from(games).unwrap_or(u32::MAX);
        GateResult {
            games: [count(games.wins), count(games.draws), count(games.losses)],
            elo: elo.and_then(|elo| elo.elo),
            lower: elo.and_then(|elo| elo.lower),
            upper: elo.and_then(|elo| elo.upper),
            promoted,
            reason: format!("{test}{text}"),
        }
    }
}

/// A player that searches so many nodes a move.
fn contestant(name: &str, evaluator: Arc<dyn Evaluator>, options: SearchOptions, nodes: u64) -> Contestant {
    let title = name.to_owned();
    let make = move || {
        let search = Puct::new(Arc::clone(&evaluator), &options);
        Ok(Box::new(SearchPlayer::new(title.clone(), Box::new(search))) as Box<dyn strength::Player>)
    };
    Contestant::new(name, make).with_pace(Pace { nodes: Some(nodes), ..Pace::default() })
}
