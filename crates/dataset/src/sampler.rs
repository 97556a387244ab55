//! Samples from records: replays the moves of a game, counts repetitions and slips, and converts labels to
//! the side to move.

use chess::Position;
use xxhash_rust::xxh3::Xxh3;

use crate::{
    filter::Filters,
    history::History,
    packed_move::PackedMove,
    packed_position::PackedPosition,
    policy::PolicyLabel,
    record::{GameRecord, PositionRecord, SearchEffort, ply},
    sample::{Sample, SearchValue},
    smoothing::smooth,
};

/// Turns games into samples; keeps its memory between games.
#[derive(Debug)]
pub struct Sampler {
    history: usize,
    seed: u64,
    filters: Filters,
    smoothing: f32,
    positions: Vec<(PackedPosition, u8)>,
    moves: Vec<PackedMove>,
    keep: Vec<u16>,
}

impl Sampler {
    /// A sampler for a store that keeps the last `history` positions of each sample (0 or 1: only its own) that pass the
    /// filters. `seed` decides which samples of a game are kept if a filter limits their number.
    pub fn new(history: usize, seed: u64, filters: Filters) -> Self {
        Self {
            history,
            seed,
            filters,
            smoothing: 0.0,
            positions: Vec::new(),
            moves: Vec::new(),
            keep: Vec::new(),
        }
    }

    /// Adds search values to the samples of games: their evaluations smoothed along the game, with this weight of the
    /// later positions (0 to 1; 0 = none).
    #[must_use]
    pub fn with_smoothing(mut self, follow: f32) -> Self {
        self.smoothing = follow;
        self
    }

    /// Hash of a game: its first position and its moves. Equal games get equal hashes in every source.
    pub fn game_hash(&mut self, record: &GameRecord) -> u64 {
        self.moves.clear();
        self.moves.extend(record.moves.iter().map(|recorded| PackedMove::pack(recorded.played)));
        let mut hasher = Xxh3::new();
        hasher.update(&PackedPosition::pack(&record.start).0);
        for packed in &self.moves {
            hasher.update(&packed.0.to_le_bytes());
        }
        hasher.digest()
    }

    /// Appends the samples of a game that pass the filters on positions; `game` is its hash.
    pub fn sample(&mut self, record: &GameRecord, game: u64, source: u16, samples: &mut Vec<Sample>) {
        self.replay(record);
        self.choose(record, game);
        let first_ply = ply(&record.start);
        let smoothed = if self.smoothing > 0.0 { smooth(&record.moves, self.smoothing) } else { Vec::new() };
        let mut slips = 0u8;
        let first_sample = samples.len();
        // Backwards, because slips are counted from the end of the game.
        let mut keep = self.keep.iter().rev().peekable();
        for (index, recorded) in record.moves.iter().enumerate().rev() {
            slips = slips.saturating_add(u8::from(recorded.better.is_some()));
            if keep.next_if(|&&kept| usize::from(kept) == index).is_none() {
                continue;
            }
            let (position, repetitions) = self.positions[index];
            let played = PackedMove::pack(recorded.played);
            samples.push(Sample {
                position,
                best_move: recorded.better.map_or(played, PackedMove::pack),
                played_move: recorded.better.map(|_| played),
                evaluation: recorded.evaluation,
                result: record.winner.map(|winner| winner.for_color(position.turn())),
                ply: first_ply + index as u16,
                white_rating: record.white_rating,
                black_rating: record.black_rating,
                game: Some(game),
                repetitions,
                slips,
                source,
                history: self.history_of(record, index),
                policy: PolicyLabel::BestMove,
                search_value: smoothed.get(index).copied().flatten().map(SearchValue::new),
                engine: None,
                effort: SearchEffort { depth: recorded.depth, nodes: None },
                clock_seconds: recorded.clock_seconds,
                time_control: record.time_control,
                eco: record.eco,
                origin: record.origin,
                weight: 1.0,
            });
        }
        samples[first_sample..].reverse();
    }

    /// The sample of a position that is part of no game.
    pub fn sample_position(&self, record: &PositionRecord, source: u16) -> Sample {
        let position = PackedPosition::pack(&record.position);
        let history = if self.history < 2 { History::default() } else { History::new(&position, 0, &[]) };
        Sample {
            position,
            best_move: PackedMove::pack(record.best_move),
            played_move: None,
            evaluation: record.evaluation,
            result: None,
            ply: ply(&record.position),
            white_rating: None,
            black_rating: None,
            game: None,
            repetitions: 0,
            slips: 0,
            source,
            history,
            policy: record.policy.clone(),
            search_value: None,
            engine: None,
            effort: record.effort,
            clock_seconds: None,
            time_control: None,
            eco: None,
            origin: record.origin,
            weight: 1.0,
        }
    }

    /// Fills `positions` with every position before a move and how often it occurred before.
    fn replay(&mut self, record: &GameRecord) {
        self.positions.clear();
        let mut position = record.start.clone();
        for recorded in &record.moves {
            let packed = PackedPosition::pack(&position);
            let repetitions = self.count_earlier(&packed);
            self.positions.push((packed, repetitions));
            position.play_unchecked(recorded.played);
        }
    }

    /// Only positions since the last irreversible move can repeat, and only every other one has the same side to move.
    fn count_earlier(&self, packed: &PackedPosition) -> u8 {
        let reversible = usize::from(packed.clock()).min(self.positions.len());
        let earlier = self.positions[self.positions.len() - reversible..].iter().rev();
        let count = earlier.skip(3).step_by(2).filter(|(position, _)| packed.repeats(position)).count();
        u8::try_from(count).unwrap_or(u8::MAX)
    }

    /// Fills `keep` with the indices of the moves whose positions become samples, ascending.
    fn choose(&mut self, record: &GameRecord, game: u64) {
        let first_ply = ply(&record.start);
        self.keep.clear();
        let movers =
            [chess::Color::Black, chess::Color::White].map(|color| self.filters.keeps_mover(record, color));
        let moves = record.moves.iter().zip(0u16..);
        let kept = moves.filter(|&(recorded, index)| {
            let position = self.positions[usize::from(index)].0;
            let plies_left = record.moves.len() - usize::from(index);
            movers[usize::from(position.turn().is_white())]
                && self.filters.keeps_move(first_ply + index, position.pieces(), plies_left, recorded)
        });
        self.keep.extend(kept.map(|(_, index)| index));
        let Some(limit) = self.filters.samples_per_game.filter(|&limit| limit < self.keep.len()) else {
            return;
        };
        // The `limit` positions of least hash: a choice that depends only on the game and the seed.
        let rank = |index: u16| {
            let mut hasher = Xxh3::with_seed(self.seed);
            hasher.update(&game.to_le_bytes());
            hasher.update(&index.to_le_bytes());
            hasher.digest()
        };
        self.keep.sort_by_cached_key(|&index| rank(index));
        self.keep.truncate(limit);
        self.keep.sort_unstable();
    }

    fn history_of(&self, record: &GameRecord, index: usize) -> History {
        if self.history < 2 {
            return History::default();
        }
        let first = (index + 1).saturating_sub(self.history);
        let (start, start_repetitions) = self.positions[first];
        let moves: Vec<_> = (first..index)
            .map(|at| (PackedMove::pack(record.moves[at].played), self.positions[at + 1].1))
            .collect();
        History::new(&start, start_repetitions, &moves)
    }
}
