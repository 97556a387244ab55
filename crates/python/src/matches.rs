//! Matches between players, as `tabiya match` plays them.

use std::{path::PathBuf, time::Duration};

use chess::StopSignal;
use files::{Begin, run::FolderKind};
use player::PlayerSpecification;
use pyo3::prelude::*;
use serde_json::json;
use strength::{
    MatchSettings, OpeningBook,
    campaign::{Campaign, CampaignProgress, EndgameFolders, Entrant, Pairings, Rules},
    machine,
    matches::{Adjudication, DrawRule, EarlyEnd, ResignRule},
    statistics::Sprt,
    tournament::TournamentFormat,
};

use crate::{
    engine::duration,
    failure::failure,
    statistics::model,
    waiting::{caller, watched},
};

/// The options of `tabiya match`, by the names of its flags; `None` where the command's default applies.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MatchValues {
    games: Option<u32>,
    format: Option<String>,
    /// Both hypotheses, and whether they are normalized Elo.
    sprt: Option<(f64, f64, bool)>,
    openings: Option<String>,
    opening_plies: Option<usize>,
    concurrency: Option<usize>,
    seed: Option<u64>,
    /// Seconds.
    time_margin: Option<f64>,
    /// Seconds.
    patience: Option<f64>,
    max_moves: Option<u32>,
    resign: Option<(u32, u32)>,
    draw: Option<(u32, u32, u32)>,
    syzygy: Option<String>,
    out: Option<PathBuf>,
    resume: bool,
    pgn: Option<PathBuf>,
}

/// The report as JSON and as text (`None` without a finished game), why the match ended early, and problems
/// of the tablebases.
type Outcome = (Option<(String, String)>, Option<String>, Vec<String>);

/// Plays the match. `report` is called after each game with JSON: names, tally, games played and planned.
#[pyfunction]
pub(crate) fn play_match(
    py: Python<'_>,
    players: Vec<String>,
    values: MatchValues,
    report: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let specifications = players
        .iter()
        .map(|text| {
            text.parse::<PlayerSpecification>()
                .map_err(|error| failure(format_args!("player {text:?}: {error}")))
        })
        .collect::<PyResult<Vec<_>>>()?;
    let stop = StopSignal::default();
    watched(
        py,
        &stop,
        |send: &mut (dyn FnMut(String) + Send)| values.play(&specifications, &stop, send),
        caller(report.as_ref()),
    )?
}

impl MatchValues {
    fn play(
        &self,
        players: &[PlayerSpecification],
        stop: &StopSignal,
        send: &mut (dyn FnMut(String) + Send),
    ) -> PyResult<Outcome> {
        let games = self.games.unwrap_or(MatchSettings::GAMES);
        self.check(players.len(), games)?;
        let entrants: Vec<Entrant> =
            players.iter().map(PlayerSpecification::entrant).collect::<Result<_, _>>().map_err(failure)?;
        let format = self.format.as_deref().unwrap_or(TournamentFormat::NAMES[0].0);
        let format: TournamentFormat = format.parse().map_err(failure)?;
        let sprt = self.sprt.map(|(elo0, elo1, normalized)| Sprt::new(model(normalized), elo0, elo1));
        let sprt = sprt.transpose().map_err(failure)?;
        let rules = self.rules()?;
        let pairings = Pairings::new(entrants, format, rules.clone(), games).map_err(failure)?;
        let mut plan = pairings.with_test(sprt);
        let mut campaign = if let Some(path) = &self.out {
            let (setup, begin) = (plan.setup().map_err(failure)?, Begin::from_flag(self.resume));
            Campaign::in_folder(path, &FolderKind::MATCH, &setup, begin).map_err(failure)?
        } else {
            self.pgn.as_deref().map_or(Ok(()), |pgn| rules.check_pgn(pgn)).map_err(failure)?;
            Campaign::new(self.pgn.as_deref()).map_err(failure)?
        };
        let ended = campaign
            .play(&mut plan, stop, &mut |progress| send(progress_of(progress).to_string()))
            .map_err(failure)?;
        let mut texts = None;
        if let Some(report) = plan.report() {
            let json = serde_json::to_string_pretty(&report).map_err(failure)?;
            campaign.finish(&json).map_err(failure)?;
            texts = Some((json, report.to_string()));
        }
        let ended = ended.map(|reason: EarlyEnd| reason.to_string());
        Ok((texts, ended, rules.damaged_tables()))
    }

    fn check(&self, players: usize, games: u32) -> PyResult<()> {
        let refused = if players < 2 {
            format!("players: found {players}, expected at least 2")
        } else if games == 0 || !games.is_multiple_of(2) {
            format!(
                "games: found {games}, expected an even number above 0: every opening is played with both colours"
            )
        } else if self.sprt.is_some() && players != 2 {
            format!("sprt: found {players} players, expected two")
        } else if self.resume && self.out.is_none() {
            "resume: expected the folder of the match in `out`".into()
        } else if self.out.is_some() && self.pgn.is_some() {
            "pgn: found `out` as well, expected one of them (the folder in `out` contains the games)".into()
        } else {
            return Ok(());
        };
        Err(failure(refused))
    }

    fn rules(&self) -> PyResult<Rules> {
        let resign = self.resign.map(|(centipawns, moves)| ResignRule { centipawns, moves });
        let draw = self.draw.map(|(from_move, centipawns, moves)| DrawRule { from_move, centipawns, moves });
        let syzygy = self.syzygy.as_deref().map(EndgameFolders::open);
        let syzygy = syzygy.transpose().map_err(|error| failure(format_args!("syzygy: {error}")))?;
        Ok(Rules {
            openings: self.openings.clone().unwrap_or_else(|| OpeningBook::BALANCED.into()),
            opening_plies: self.opening_plies,
            settings: MatchSettings {
                concurrency: self.concurrency.unwrap_or(MatchSettings::CONCURRENCY),
                seed: self.seed.unwrap_or(MatchSettings::SEED),
                time_margin: duration_or("time_margin", self.time_margin, MatchSettings::TIME_MARGIN)?,
                patience: duration_or("patience", self.patience, MatchSettings::PATIENCE)?,
                adjudication: Adjudication { max_moves: self.max_moves, resign, draw },
                ..MatchSettings::default()
            },
            endgames: syzygy,
            machine: machine(),
            program: format!("tabiya {}, Python package", env!("CARGO_PKG_VERSION")),
        })
    }
}

fn duration_or(what: &str, seconds: Option<f64>, default: Duration) -> PyResult<Duration> {
    seconds.map_or(Ok(default), |seconds| duration(what, seconds))
}

fn progress_of(progress: &CampaignProgress<'_>) -> serde_json::Value {
    json!({
        "names": progress.names,
        "games": progress.standing.games(),
        "played": progress.played,
        "planned": progress.planned,
    })
}
