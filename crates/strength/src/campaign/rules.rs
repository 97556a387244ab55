//! The rules that all matches of a campaign share.

use std::{fmt, path::Path, sync::Arc};

use chess::Tablebases;
use files::Inputs;
use serde_json::{Map, Value, json};

use super::{CampaignError, GameFile};
use crate::{
    matches::{ContestantConditions, EndgameTable, MatchConditions, MatchSettings},
    opening::OpeningBook,
};

/// Openings, adjudication, threads and seed of every match, and where they are played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Name of the openings; see [`OpeningBook::named`].
    pub openings: String,
    /// Half-moves of each game of a PGN file to use as the opening; `None` for all.
    pub opening_plies: Option<usize>,
    /// Settings of a match; each match has its own number of games and sequential test.
    pub settings: MatchSettings,
    /// Endgame tables for adjudication.
    pub endgames: Option<EndgameFolders>,
    /// Processor, its threads and the system, for reports.
    pub machine: String,
    /// The program, for reports and for what continues the games; empty where something else compares it.
    pub program: String,
}

/// Endgame tables and the folders they are in.
#[derive(Clone)]
pub struct EndgameFolders {
    folders: String,
    tables: Arc<Tablebases>,
}

impl EndgameFolders {
    /// The Syzygy tables in these folders, separated by `:`.
    ///
    /// # Errors
    /// The problem with each folder or table, as a text for people.
    pub fn open(folders: &str) -> Result<Self, String> {
        let (tables, problems) = Tablebases::open(folders);
        if problems.is_empty() && tables.files() > 0 {
            return Ok(Self { folders: folders.into(), tables: Arc::new(tables) });
        }
        if problems.is_empty() {
            return Err("it names no folder; expected folders with .rtbw and .rtbz files".into());
        }
        Err(problems.join("; "))
    }
}

impl fmt::Debug for EndgameFolders {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("EndgameFolders").field(&self.folders).finish()
    }
}

impl fmt::Display for EndgameFolders {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pieces, files) = (self.tables.max_pieces(), self.tables.files());
        write!(formatter, "Syzygy up to {pieces} pieces, {files} files in {}", self.folders)
    }
}

impl Rules {
    /// Settings of a match of this many games. Different offsets give the players of two matches different
    /// seeds.
    pub fn settings(&self, games: u32, seed_offset: u64) -> MatchSettings {
        let tables =
            self.endgames.as_ref().map(|endgames| EndgameTable::syzygy(Arc::clone(&endgames.tables)));
        MatchSettings {
            games,
            seed: self.settings.seed.wrapping_add(seed_offset),
            endgames: tables,
            ..self.settings.clone()
        }
    }

    /// Openings for this many games.
    ///
    /// # Errors
    /// [`CampaignError::Opening`].
    pub fn book(&self, games: u32) -> Result<OpeningBook, CampaignError> {
        let pairs = games.div_ceil(2) as usize;
        Ok(OpeningBook::named(&self.openings, self.opening_plies, pairs, self.settings.seed)?)
    }

    /// Checks a file to which the games are to be appended: one of games, which is not that of the openings.
    ///
    /// # Errors
    /// [`CampaignError::Output`].
    pub fn check_pgn(&self, pgn: &Path) -> Result<(), CampaignError> {
        let openings = OpeningBook::file(&self.openings).map(Path::to_path_buf);
        Ok(GameFile::KIND.check(pgn, openings.as_slice(), None)?)
    }

    /// Endgame tables that turned out to be damaged while games were played, each named once.
    pub fn damaged_tables(&self) -> Vec<String> {
        self.endgames.as_ref().map(|endgames| endgames.tables.take_problems()).unwrap_or_default()
    }

    /// The circumstances of a match between `players` from `book`, without a sequential test.
    pub fn conditions(
        &self,
        players: [ContestantConditions; 2],
        book: &OpeningBook,
        games: u32,
    ) -> MatchConditions {
        MatchConditions {
            players,
            games,
            openings: book.source().into(),
            different_openings: book.len(),
            seed: self.settings.seed,
            concurrency: self.settings.concurrency,
            time_margin_ms: self.settings.time_margin.as_millis() as u64,
            adjudication: self.settings.adjudication,
            endgames: self.endgames.as_ref().map(ToString::to_string),
            sprt: None,
            machine: self.machine.clone(),
            program: self.program.clone(),
        }
    }

    /// The settings and inputs that a resumed campaign must share with the interrupted one, for `setup.json`. `inputs` are the
    /// players; the openings and the program are added.
    ///
    /// # Errors
    /// [`CampaignError::Output`] if the file of the openings cannot be read.
    pub fn setup(&self, inputs: Inputs) -> Result<Map<String, Value>, CampaignError> {
        let settings = &self.settings;
        let folders = self.endgames.as_ref().map(|endgames| endgames.folders.clone());
        let inputs = match OpeningBook::file(&self.openings) {
            Some(file) => inputs.with_path("openings", file)?,
            None => inputs,
        };
        let inputs = if self.program.is_empty() { inputs } else { inputs.with_program(&self.program) };
        let setup = [
            ("inputs", json!(inputs)),
            ("openings", self.openings.clone().into()),
            ("opening_plies", self.opening_plies.into()),
            ("seed", settings.seed.into()),
            ("time_margin", (settings.time_margin.as_millis() as u64).into()),
            ("patience", settings.patience.as_secs().into()),
            ("adjudication", json!(settings.adjudication)),
            ("syzygy", folders.into()),
        ]
        .map(|(key, value)| (key.to_string(), value));
        Ok(setup.into_iter().collect())
    }
}
