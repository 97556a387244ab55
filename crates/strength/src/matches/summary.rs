//! The result of a match.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use chess::{CastlingMode, Game, Move, Position as _};
use serde::{Deserialize, Serialize};

use super::record::{GameRecord, Side, TerminationKind};
use crate::{player::PlayerError, statistics::Standing};

/// Why a match ended before its last game.
#[derive(Debug, thiserror::Error)]
pub enum EarlyEnd {
    /// It was stopped from outside.
    #[error("interrupted")]
    Interrupted,
    /// A player could not be started (again).
    #[error(transparent)]
    Player(PlayerError),
    /// A game could not be recorded.
    #[error("cannot record a game: {0}")]
    Record(std::io::Error),
}

/// How long a player thought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Moves played.
    pub moves: u64,
    /// Time for all of them.
    pub total: Duration,
    /// Time for the slowest.
    pub longest: Duration,
}

impl Timing {
    /// Mean time a move in milliseconds; 0 without moves.
    pub fn mean_ms(self) -> f64 {
        if self.moves == 0 { 0.0 } else { self.total.as_secs_f64() * 1e3 / self.moves as f64 }
    }

    fn add(&mut self, elapsed: Duration) {
        self.moves += 1;
        self.total += elapsed;
        self.longest = self.longest.max(elapsed);
    }
}

/// One game, without its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameSummary {
    /// Number of the game, from 0.
    pub index: u32,
    /// Number of its pair, from 0.
    pub pair: u32,
    /// Who had White.
    pub white: Side,
    /// The opening's name.
    pub opening: String,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Half-moves, opening included.
    pub plies: usize,
    /// How it ended.
    pub termination: TerminationKind,
    /// Who lost; `None` for a draw.
    pub loser: Option<Side>,
    /// What happened, where there is more to say.
    pub detail: Option<String>,
}

/// The result of a match so far. Interrupted games are not in it.
#[derive(Debug, Default)]
pub struct MatchSummary {
    /// Names the players gave themselves, first and second.
    pub names: [String; 2],
    /// The score of the first player.
    pub standing: Standing,
    /// Games by the way they ended and by who lost; `None` for draws.
    pub terminations: BTreeMap<(TerminationKind, Option<Side>), u64>,
    /// How long the players thought, first and second.
    pub timings: [Timing; 2],
    /// Games that differ from all others in their moves. Fewer than games means that some count twice, as it happens
    /// between deterministic players when openings repeat; the interval is then too narrow.
    pub distinct_games: u64,
    /// Duration of the match.
    pub elapsed: Duration,
    /// Every finished game in the order of their numbers.
    pub games: Vec<GameSummary>,
    /// Why the match ended early; `None` when it was played to its end.
    pub ended_early: Option<EarlyEnd>,
}

/// Builds the summary game by game.
#[derive(Debug, Default)]
pub(super) struct Summing {
    summary: MatchSummary,
    seen: HashSet<(String, Vec<Move>)>,
}

impl Summing {
    /// Adds a finished game; an interrupted one is left out and gives false.
    pub(super) fn add(&mut self, record: &GameRecord) -> bool {
        let Some(half_points) = record.half_points() else { return false };
        let summary = &mut self.summary;
        summary.standing.add(record.pair, half_points);
        let termination = &record.termination;
        let loser = termination.loser.map(|color| record.side_of(color));
        *summary.terminations.entry((termination.kind, loser)).or_default() += 1;
        for (number, played) in record.played.iter().enumerate() {
            let mover = record.game.history()[record.opening_plies + number].position.turn();
            summary.timings[record.side_of(mover) as usize].add(played.elapsed);
        }
        if self.seen.insert((start_fen(record), record.game.moves().to_vec())) {
            summary.distinct_games += 1;
        }
        summary.games.push(GameSummary {
            index: record.index,
            pair: record.pair,
            white: record.white,
            opening: record.opening.clone(),
            result: record.result().to_string(),
            plies: record.game.ply(),
            termination: termination.kind,
            loser,
            detail: termination.detail.clone(),
        });
        true
    }

    pub(super) fn standing(&self) -> &Standing {
        &self.summary.standing
    }

    pub(super) fn finish(mut self, elapsed: Duration, ended_early: Option<EarlyEnd>) -> MatchSummary {
        self.summary.games.sort_by_key(|game| game.index);
        self.summary.elapsed = elapsed;
        self.summary.ended_early = ended_early;
        self.summary
    }

    pub(super) fn name(&mut self, names: [String; 2]) {
        self.summary.names = names;
    }
}

fn start_fen(record: &GameRecord) -> String {
    Game::from_position(record.game.history()[0].position.clone(), CastlingMode::Standard).fen()
}
