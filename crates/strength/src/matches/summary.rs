//! The result of a match.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use chess::{CastlingMode, Fnv1a, Position as _, evaluator::material_balance};
use serde::{Deserialize, Serialize};

use super::{
    match_game::{MatchGame, Side},
    termination::TerminationKind,
};
use crate::{
    player::PlayerError,
    statistics::{SprtState, SprtVerdict, Standing},
};

/// Reasons for a match to end before its last game.
#[derive(Debug, thiserror::Error)]
pub enum EarlyEnd {
    /// Stopped from outside.
    #[error("interrupted")]
    Interrupted,
    /// A player could not be started (again).
    #[error(transparent)]
    Player(PlayerError),
    /// A game could not be recorded.
    #[error("cannot record a game: {0}")]
    Record(std::io::Error),
    /// The sequential test accepted a hypothesis.
    #[error("the sequential test accepted {}", match .0 { SprtVerdict::H0 => "H0", SprtVerdict::H1 => "H1" })]
    Decided(SprtVerdict),
}

/// Thinking times of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Timing {
    pub moves: u64,
    /// Total time of these moves, milliseconds.
    pub total_ms: f64,
    /// Time of the slowest move, milliseconds.
    pub longest_ms: f64,
}

impl Timing {
    /// Mean time per move in milliseconds; 0 without moves.
    pub fn mean_ms(self) -> f64 {
        if self.moves == 0 { 0.0 } else { self.total_ms / self.moves as f64 }
    }

    fn add(&mut self, elapsed: Duration) {
        let elapsed_ms = elapsed.as_secs_f64() * 1e3;
        self.join(Self { moves: 1, total_ms: elapsed_ms, longest_ms: elapsed_ms });
    }

    fn join(&mut self, other: Self) {
        self.moves += other.moves;
        self.total_ms += other.total_ms;
        self.longest_ms = self.longest_ms.max(other.longest_ms);
    }
}

/// One game, without its moves: everything that a match needs to resume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameSummary {
    /// Number of the game, from 0.
    pub index: u32,
    /// Number of its pair, from 0.
    pub pair: u32,
    /// Player with the white pieces.
    pub white: Side,
    /// Name of the opening, as its book gives it.
    pub opening: String,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// Half-moves, opening included.
    pub plies: usize,
    /// Reason for the end of the game.
    pub termination: TerminationKind,
    /// The loser; `None` for a draw.
    pub loser: Option<Side>,
    /// Details of the end, if there are any.
    pub detail: Option<String>,
    /// Material on the final board in pawns (1, 3, 3, 5, 9): the first player's less the second's.
    pub material: i32,
    /// Hash of the first position and the moves: equal for equal games.
    pub fingerprint: String,
    /// Thinking times of the first and second player.
    pub timings: [Timing; 2],
}

impl GameSummary {
    /// The summary of a finished game; `None` for an interrupted one.
    pub fn of(record: &MatchGame) -> Option<Self> {
        record.half_points()?;
        let mut timings = [Timing::default(); 2];
        for (number, played) in record.played.iter().enumerate() {
            let mover = record.game.history()[record.opening_plies + number].position.turn();
            timings[record.side_of(mover) as usize].add(played.elapsed);
        }
        let termination = &record.termination;
        Some(Self {
            index: record.index,
            pair: record.pair,
            white: record.white,
            opening: record.opening.clone(),
            result: record.result().to_string(),
            plies: record.game.ply(),
            termination: termination.kind,
            loser: termination.loser.map(|color| record.side_of(color)),
            detail: termination.detail.clone(),
            material: material(record),
            fingerprint: fingerprint(record),
            timings,
        })
    }

    /// Half points of the first player: 0 lost, 1 drawn, 2 won.
    pub fn half_points(&self) -> u8 {
        match self.loser {
            Some(Side::First) => 0,
            None => 1,
            Some(Side::Second) => 2,
        }
    }
}

/// Material on the final board for the first player.
fn material(record: &MatchGame) -> i32 {
    let of_mover = material_balance(record.game.position());
    if record.side_of(record.game.turn()) == Side::First { of_mover } else { -of_mover }
}

/// FNV-1a over the FEN of the start and the moves in UCI notation.
fn fingerprint(record: &MatchGame) -> String {
    let mut text = record.game.start_fen();
    for chess_move in record.game.moves() {
        text.push(' ');
        // Castling as king takes rook, the notation in which no two moves of any start position coincide.
        text.push_str(&chess_move.to_uci(CastlingMode::Chess960).to_string());
    }
    let mut hash = Fnv1a::default();
    hash.add(text.as_bytes());
    format!("{:016x}", hash.get())
}

/// The result of a match so far. Interrupted games are not in it.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct MatchSummary {
    /// Names the players gave themselves, first and second.
    pub names: [String; 2],
    /// The score of the first player.
    pub standing: Standing,
    /// Games by the way they ended and by who lost; `None` for draws.
    pub terminations: BTreeMap<(TerminationKind, Option<Side>), u64>,
    /// Thinking times of the first and second player.
    pub timings: [Timing; 2],
    /// Games that differ from all others in their moves. If fewer than the games played, some games count
    /// twice, as between deterministic players when openings repeat, and the interval is too narrow.
    pub distinct_games: u64,
    pub elapsed: Duration,
    /// Every finished game in the order of their numbers.
    pub games: Vec<GameSummary>,
    /// State of the sequential test, if there is one.
    pub sprt: Option<SprtState>,
    /// Reason for an early end; `None` for a match played to its end.
    pub ended_early: Option<EarlyEnd>,
}

/// Builds the summary game by game.
#[derive(Debug, Default)]
pub(super) struct Summing {
    summary: MatchSummary,
    seen: HashSet<String>,
}

impl Summing {
    pub(super) fn add(&mut self, game: GameSummary) {
        let summary = &mut self.summary;
        summary.standing.add(game.pair, game.half_points());
        *summary.terminations.entry((game.termination, game.loser)).or_default() += 1;
        for (timing, of_game) in summary.timings.iter_mut().zip(game.timings) {
            timing.join(of_game);
        }
        if self.seen.insert(game.fingerprint.clone()) {
            summary.distinct_games += 1;
        }
        summary.games.push(game);
    }

    pub(super) fn standing(&self) -> &Standing {
        &self.summary.standing
    }

    pub(super) fn finish(
        mut self,
        elapsed: Duration,
        sprt: Option<SprtState>,
        ended_early: Option<EarlyEnd>,
    ) -> MatchSummary {
        self.summary.sprt = sprt;
        // When several are played at a time, they end in another order than they began.
        self.summary.games.sort_by_key(|game| game.index);
        self.summary.elapsed = elapsed;
        self.summary.ended_early = ended_early;
        self.summary
    }

    pub(super) fn name(&mut self, names: [String; 2]) {
        self.summary.names = names;
    }
}
