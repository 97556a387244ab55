//! Campaigns: the matches of one command, played one after the other, recorded and resumable.
//!
//! A [`MatchPlan`] names the next match from all games so far; [`Campaign::play`] is the one loop that plays it. A tournament, a
//! ladder, a calibration and a tuning differ only in their plans.

mod calibration;
mod climb;
mod game_file;
mod game_folder;
mod opponents;
mod pairings;
mod rules;
mod tuning;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use chess::StopSignal;
use files::{Begin, Facts, Inputs, OutputError, run::FolderKind};
use protocol::process::UciProcessError;
use serde_json::Value;

use crate::{
    matches::{Contestant, ContestantConditions, EarlyEnd, GameSummary, Match, MatchError, MatchSummary},
    opening::OpeningError,
    statistics::Standing,
    tuning::TuningError,
};

pub use self::{
    calibration::Calibration,
    climb::Climb,
    game_file::GameFile,
    game_folder::GameFolder,
    opponents::{LevelledEngine, Opponents, RatedPlayer, WeakerPlayers},
    pairings::{Pairings, PairingsReport},
    rules::{EndgameFolders, Rules},
    tuning::Tuning,
};

/// A match of a campaign.
pub struct Round {
    /// The number under which its games are recorded. A plan may name a number again with more games, never with other players.
    pub number: usize,
    /// The match, including the games of earlier rounds with this number.
    pub next_match: Match,
}

/// Chooses the matches of a campaign. It is called before each match and decides from the games alone, so a
/// resumed campaign takes the same path as an uninterrupted one.
pub trait MatchPlan {
    /// The next match; `None` when the campaign is over.
    ///
    /// # Errors
    /// [`CampaignError`] if openings or files are missing.
    fn next(&mut self, played: &PlayedGames) -> Result<Option<Round>, CampaignError>;

    /// Receives the summary of a round, even if it ended early.
    fn finish(&mut self, _number: usize, _summary: &MatchSummary) {}

    /// Expected number of games of the whole campaign.
    fn games(&self) -> u64;

    /// Progress text for plans whose state is more than the running match's score.
    fn status(&self) -> Option<String> {
        None
    }
}

/// The state of a campaign, for a progress line.
#[derive(Debug)]
pub struct CampaignProgress<'a> {
    /// Names of the players of the running match.
    pub names: &'a [String; 2],
    /// Score of the running match, for its first player.
    pub standing: &'a Standing,
    /// Finished games of the whole campaign.
    pub played: u64,
    /// Expected number of games of the whole campaign.
    pub planned: u64,
    /// The match begins now; its standing is that of an earlier process.
    pub begins: bool,
    /// See [`MatchPlan::status`].
    pub status: Option<&'a str>,
}

/// The destination of finished games.
enum Record {
    Folder(Box<GameFolder>),
    File(GameFile),
    Nowhere,
}

/// Plays the matches of a [`MatchPlan`].
pub struct Campaign {
    record: Record,
    played: PlayedGames,
}

impl Campaign {
    /// A campaign without a folder; its games are appended to this PGN file, if any.
    ///
    /// # Errors
    /// [`CampaignError`] if the file cannot be written.
    pub fn new(pgn: Option<&Path>) -> Result<Self, CampaignError> {
        let record = pgn.map_or(Ok(Record::Nowhere), |path| GameFile::open(path).map(Record::File))?;
        Ok(Self { record, played: PlayedGames::default() })
    }

    /// A campaign in a folder of a kind: a new one, or with [`Begin::Resume`] one that was left under the same `setup`.
    ///
    /// # Errors
    /// If the folder cannot be created, opened or resumed.
    pub fn in_folder(
        path: &Path,
        kind: &FolderKind,
        setup: &Value,
        begin: Begin,
    ) -> Result<Self, CampaignError> {
        let (folder, entries) = GameFolder::open(path, kind, setup, begin)?;
        let mut played = PlayedGames::default();
        for entry in entries {
            played.0.entry(entry.pairing).or_default().push(entry.game);
        }
        Ok(Self { record: Record::Folder(Box::new(folder)), played })
    }

    /// Finished games.
    pub fn played(&self) -> &PlayedGames {
        &self.played
    }

    /// Plays until the plan is done. Returns the reason if it ended earlier. A sequential test only ends its own match.
    ///
    /// # Errors
    /// [`CampaignError`] if a match cannot be set up. A failure during games is an [`EarlyEnd`].
    pub fn play(
        &mut self,
        plan: &mut dyn MatchPlan,
        stop: &StopSignal,
        observe: &mut dyn FnMut(&CampaignProgress<'_>),
    ) -> Result<Option<EarlyEnd>, CampaignError> {
        while let Some(round) = plan.next(&self.played)? {
            let number = round.number;
            let mut summary = self.play_round(&round, &*plan, stop, observe)?;
            plan.finish(number, &summary);
            self.played.0.insert(number, std::mem::take(&mut summary.games));
            match summary.ended_early {
                None | Some(EarlyEnd::Decided(_)) => {}
                end => return Ok(end),
            }
        }
        Ok(None)
    }

    fn play_round(
        &mut self,
        round: &Round,
        plan: &dyn MatchPlan,
        stop: &StopSignal,
        observe: &mut dyn FnMut(&CampaignProgress<'_>),
    ) -> Result<MatchSummary, CampaignError> {
        let Round { number, next_match } = round;
        let done = self.played.of(*number);
        let names = next_match.contestants.each_ref().map(|contestant| contestant.name.clone());
        let before = self.played.count() - done.len() as u64;
        let (planned, status) = (plan.games(), plan.status());
        // The first report of a round is the one at its beginning.
        let mut begins = true;
        let mut report = |standing: &Standing| {
            let begins = std::mem::take(&mut begins);
            let played = before + standing.games().games();
            let status = status.as_deref();
            observe(&CampaignProgress { names: &names, standing, played, planned, begins, status });
        };
        report(&self.played.standing(*number));
        let record = &mut self.record;
        let summary = next_match.resume(done, stop, &mut |game, standing| {
            match record {
                Record::Folder(folder) => folder.append(*number, game, &names)?,
                Record::File(file) => file.append(game, &names)?,
                Record::Nowhere => {}
            }
            report(standing);
            Ok(())
        })?;
        Ok(summary)
    }

    /// Writes the report next to the games, if they are in a folder.
    ///
    /// # Errors
    /// [`CampaignError::Output`].
    pub fn finish(&self, report: &str) -> Result<(), CampaignError> {
        match &self.record {
            Record::Folder(folder) => folder.finish(report),
            Record::File(_) | Record::Nowhere => Ok(()),
        }
    }
}

/// A player of a campaign with its description for the report.
#[derive(Clone)]
pub struct Entrant {
    /// Builds the player.
    pub contestant: Contestant,
    /// The player's text.
    pub specification: String,
    /// Origin of the player; see [`ContestantConditions::identity`].
    pub identity: Facts,
}

impl Entrant {
    /// Adds the player to the inputs of a campaign: its identity and its limits, which a recipe may have changed.
    #[must_use]
    pub fn add_to(&self, inputs: Inputs) -> Inputs {
        let mut facts = self.identity.clone();
        facts.push(("limits".into(), self.contestant.pace.to_string()));
        inputs.with(format!("player {}", self.specification), facts)
    }

    /// The player in a report, under the name it gave itself.
    fn conditions(&self, name: String) -> ContestantConditions {
        let identity = self.identity.clone();
        ContestantConditions::new(self.specification.clone(), name, self.contestant.pace, identity)
    }
}

/// Finished games by the number of their round.
#[derive(Debug, Default)]
pub struct PlayedGames(BTreeMap<usize, Vec<GameSummary>>);

impl PlayedGames {
    /// The games of a round.
    pub fn of(&self, number: usize) -> &[GameSummary] {
        self.0.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The score of a round, for its first player.
    pub fn standing(&self, number: usize) -> Standing {
        self.first(number, u32::MAX)
    }

    /// The score of the first `games` games of a round, for its first player.
    pub fn first(&self, number: usize, games: u32) -> Standing {
        let mut standing = Standing::default();
        let first = self.of(number).iter().filter(|game| game.index < games);
        first.for_each(|game| standing.add(game.pair, game.half_points()));
        standing
    }

    /// Number of finished games of all rounds.
    pub fn count(&self) -> u64 {
        self.all().count() as u64
    }

    /// Finished games of all rounds.
    pub fn all(&self) -> impl Iterator<Item = &GameSummary> {
        self.0.values().flatten()
    }

    /// Smallest number of games that a match must have to contain every finished game of this round.
    pub fn begun(&self, number: usize) -> u32 {
        self.of(number).iter().map(|game| game.pair.saturating_add(1).saturating_mul(2)).max().unwrap_or(0)
    }
}

/// An error before or between the games of a campaign. The reason why a running match ends early is a
/// [`crate::matches::EarlyEnd`].
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum CampaignError {
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The settings of a match, or games that do not fit it.
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Tuning(#[from] TuningError),
    /// The folder of the games.
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(
        "{} is shorter than its journal says ({found} of {expected} bytes): games were removed from it",
        path.display()
    )]
    CutGames {
        path: PathBuf,
        found: u64,
        /// End of the journal's last game, in bytes.
        expected: u64,
    },
    #[error("{}:{line}: not a finished game: {source}", path.display())]
    Journal {
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        source: serde_json::Error,
    },
    #[error(
        "{}:{line}: found a game that was changed, or that another command or an older version wrote; remove the line and those after \
         it, and their games are played again",
        path.display()
    )]
    OtherGame {
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    #[error(
        "{}:{line}: found the game of line {first} again, expected every game once; remove the line, or name another folder",
        path.display()
    )]
    DoubledGame {
        path: PathBuf,
        /// Number of the second line, from 1.
        line: usize,
        /// Number of the first line, from 1.
        first: usize,
    },
    /// The engine of the levels cannot be started.
    #[error("engine {command}: {source}")]
    Engine { command: String, source: Box<UciProcessError> },
    #[error(
        "{engine} has no {missing}; expected an engine with strength levels (UCI_LimitStrength and a range of UCI_Elo)"
    )]
    NoLevels { engine: String, missing: &'static str },
    #[error("--from: found {from}, expected a level of {engine}, {min} to {max}")]
    NoSuchLevel { from: i64, engine: String, min: i64, max: i64 },
    /// The path of a tuning cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Drawing { path: PathBuf, reason: figures::DrawingError },
}

#[cfg(test)]
mod tests;
