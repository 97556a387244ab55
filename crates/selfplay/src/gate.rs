//! The match that decides whether a network is promoted.

use std::sync::Arc;

use chess::{Evaluator, StopSignal};
use figures::Percent;
use files::{Begin, run::FolderKind};
use player::SearchSetup;
use serde_json::json;
use strength::{
    Contestant, MatchSettings, Pace,
    campaign::{Campaign, Entrant, Pairings, PairingsReport, Rules},
    matches::{EarlyEnd, MatchReport},
    player::SearchPlayer,
    statistics::{EloText, Sprt, SprtModel, SprtVerdict},
    tournament::TournamentFormat,
};

use crate::{GateResult, GateSettings, error::RunError, learning_loop::GateRequest, run_engines::RunEngines};

/// Plays matches between networks of a run.
pub struct Gate<'a> {
    /// Number of games, and the score that promotes.
    pub settings: &'a GateSettings,
    /// Visits of each move.
    pub nodes: u64,
    /// The networks of the run with the search of the recipe.
    pub engines: &'a RunEngines,
    /// Games played in parallel.
    pub threads: usize,
}

impl Gate<'_> {
    /// Plays the remaining games of a match; `None` if the signal came first.
    ///
    /// # Errors
    /// [`RunError`] for settings that do not describe a match, and for a match that broke off.
    pub fn judge(
        &self,
        request: &GateRequest<'_>,
        stop: &StopSignal,
    ) -> Result<Option<GateResult>, RunError> {
        let sprt = self.settings.sprt.map(|[elo0, elo1]| Sprt::new(SprtModel::Logistic, elo0, elo1));
        let sprt = sprt.transpose().map_err(RunError::at("[gate] sprt"))?;
        let names = [format!("generation {}", request.number), format!("generation {}", request.in_force.0)];
        let networks = [Some(request.challenger), request.in_force_weights];
        let [challenger, in_force] = [0, 1].map(|side| self.entrant(&names[side], networks[side]));
        let rules = Rules {
            openings: self.settings.openings.clone(),
            opening_plies: None,
            settings: MatchSettings {
                concurrency: self.threads,
                // Another one for each generation: with one seed every match would be played from the same openings, and networks
                // would be promoted for knowing those.
                seed: u64::from(request.number),
                ..MatchSettings::default()
            },
            endgames: None,
            machine: String::new(),
            // The replay store of the run has it.
            program: String::new(),
        };
        let players = vec![challenger?, in_force?];
        let plan = Pairings::new(players, TournamentFormat::Gauntlet, rules, self.settings.games);
        let mut plan = plan.map_err(RunError::at("[gate] openings"))?.with_test(sprt);
        let mut setup = plan.setup()?;
        (setup["gate"], setup["nodes"]) = (json!(self.settings), self.nodes.into());
        // An interrupted match continues with the games that it has.
        let mut campaign = Campaign::in_folder(request.folder, &FolderKind::MATCH, &setup, Begin::Resume)?;
        match campaign.play(&mut plan, stop, &mut |_| ())? {
            Some(EarlyEnd::Interrupted) => return Ok(None),
            Some(error) => return Err(error.into()),
            None => {}
        }
        match plan.report() {
            Some(PairingsReport::Match(report)) => Ok(Some(self.verdict(&report))),
            _ => Ok(None),
        }
    }

    /// A player that searches with a fixed number of nodes.
    fn entrant(&self, name: &str, weights: Option<&[u8]>) -> Result<Entrant, RunError> {
        let place = format!("the network of {name}");
        let evaluator = RunEngines::open(weights).map_err(RunError::at(place))?;
        let contestant = contestant(name, evaluator, self.engines.in_matches().clone(), self.nodes);
        Ok(Entrant { contestant, specification: name.into(), identity: Vec::new() })
    }

    fn verdict(&self, report: &MatchReport) -> GateResult {
        let (games, elo) = (report.games, report.elo);
        let score = games.share();
        let (promoted, test) = if let Some(test) = &report.sprt {
            let said = match test.state.verdict {
                Some(SprtVerdict::H1) => "the sequential test accepted H1",
                Some(SprtVerdict::H0) => "the sequential test accepted H0",
                None => "the sequential test came to no decision",
            };
            // Without a decision the current network stays: the new one has to show that it is better.
            (test.state.verdict == Some(SprtVerdict::H1), said.to_owned())
        } else {
            let needed = self.settings.score;
            (score >= needed, format!("{} of the points, {} needed", Percent(score), Percent(needed)))
        };
        let text = elo.map(|elo| format!(", Elo {}", EloText(elo))).unwrap_or_default();
        GateResult {
            games: [games.wins, games.draws, games.losses]
                .map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            elo: elo.and_then(|elo| elo.elo),
            lower: elo.and_then(|elo| elo.lower),
            upper: elo.and_then(|elo| elo.upper),
            promoted,
            reason: format!("{test}{text}"),
        }
    }
}

fn contestant(name: &str, evaluator: Arc<dyn Evaluator>, setup: SearchSetup, nodes: u64) -> Contestant {
    let title = name.to_owned();
    let contestant = Contestant::new(name, move || {
        let search = setup.make_tree_search(Arc::clone(&evaluator));
        Ok(Box::new(SearchPlayer::new(title.clone(), search)))
    });
    contestant.with_pace(Pace { nodes: Some(nodes), ..Pace::default() })
}
