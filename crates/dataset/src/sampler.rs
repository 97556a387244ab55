//! Samples from records: replays the moves of a game, counts repetitions and slips, and converts labels to
//! the side to move.

use chess::{Color, Position, Wdl};
use xxhash_rust::xxh3::Xxh3;

use crate::{
    evaluation::evaluation_to_wdl,
    filter::Filters,
    history::History,
    packed_move::PackedMove,
    packed_position::PackedPosition,
    policy::PolicyLabel,
    record::{GameRecord, PositionRecord, RecordedMove, SearchEffort, ply},
    sample::{Sample, SearchValue},
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
        // Names, dates and clocks are left out, because sources spell them differently; so two games with the same moves are one. The hash
        // also decides the split, so it must never change: a new one would move games between the splits of old and new stores.
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
        // Four half-moves at least lie between a position and its repetition: both sides have to move a piece and bring it back.
        let reversible = usize::from(packed.clock()).min(self.positions.len());
        let earlier = self.positions[self.positions.len() - reversible..].iter().rev();
        let count = earlier.skip(3).step_by(2).filter(|(position, _)| packed.repeats(position)).count();
        u8::try_from(count).unwrap_or(u8::MAX)
    }

    /// Fills `keep` with the indices of the moves whose positions become samples, ascending.
    fn choose(&mut self, record: &GameRecord, game: u64) {
        let first_ply = ply(&record.start);
        self.keep.clear();
        let keeps_white = self.filters.keeps_mover(record, Color::White);
        let keeps_black = self.filters.keeps_mover(record, Color::Black);
        for (recorded, index) in record.moves.iter().zip(0u16..) {
            let (position, _) = self.positions[usize::from(index)];
            let keeps_mover = if position.turn().is_white() { keeps_white } else { keeps_black };
            let plies_left = record.moves.len() - usize::from(index);
            if keeps_mover
                && self.filters.keeps_move(first_ply + index, position.pieces(), plies_left, recorded)
            {
                self.keep.push(index);
            }
        }
        let Some(limit) = self.filters.samples_per_game.filter(|&limit| limit < self.keep.len()) else {
            return;
        };
        // The `limit` positions of least hash: a choice that depends only on the game and the seed, not on the games read before or on
        // the order of the files, so that stores with equal settings hold equal samples of a game.
        let seed = self.seed;
        self.keep.sort_by_cached_key(|&index| rank(seed, game, index));
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

/// The order in which the positions of a game are chosen.
fn rank(seed: u64, game: u64, index: u16) -> u64 {
    let mut hasher = Xxh3::with_seed(seed);
    hasher.update(&game.to_le_bytes());
    hasher.update(&index.to_le_bytes());
    hasher.digest()
}

/// Evaluations smoothed along their game: each search sees further than the one a move before, so later evaluations correct a noisy one.
///
/// The value of each position for its side to move: its own evaluation mixed, with weight `follow`, with the
/// smoothed value of the position after the move. Not mixed across a slip, because the later evaluations are
/// not those of good play, nor across a position without evaluation, whose value is `None`.
///
/// Evaluations become probabilities by the default curve.
fn smooth(moves: &[RecordedMove], follow: f32) -> Vec<Option<Wdl>> {
    // From the end: each value needs that of the position after it. The weight of an evaluation k moves later falls like `follow`^k.
    let mut values = vec![None; moves.len()];
    let mut next: Option<Wdl> = None;
    for (value, recorded) in values.iter_mut().zip(moves).rev() {
        let own = recorded.evaluation.map(evaluation_to_wdl);
        let after = next.filter(|_| recorded.better.is_none()).map(Wdl::flipped);
        *value = match (own, after) {
            (Some(own), Some(after)) => Some(own.mixed(after, follow)),
            _ => own,
        };
        next = *value;
    }
    values
}

#[cfg(test)]
mod tests {
    use chess::{Chess, Score, parse_uci_move};

    use super::*;

    /// Knights go to and fro; of each position its evaluation and whether the move played was a slip.
    fn moves(evaluations: &[(Option<i32>, bool)]) -> Vec<RecordedMove> {
        let mut position = Chess::default();
        let mut moves = Vec::new();
        for (text, &(evaluation, is_slip)) in
            ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().zip(evaluations)
        {
            let played = parse_uci_move(&position, text).unwrap();
            let better = is_slip.then(|| position.legal_moves()[0]);
            let evaluation = evaluation.map(Score::Centipawns);
            moves.push(RecordedMove { better, evaluation, ..played.into() });
            position.play_unchecked(played);
        }
        moves
    }

    fn expected_scores(evaluations: &[(Option<i32>, bool)], follow: f32) -> Vec<Option<f32>> {
        smooth(&moves(evaluations), follow).into_iter().map(|value| value.map(Wdl::expected_score)).collect()
    }

    fn own(centipawns: i32) -> f32 {
        evaluation_to_wdl(Score::Centipawns(centipawns)).expected_score()
    }

    #[test]
    fn what_follows_counts_from_the_other_side_and_fades() {
        let found = expected_scores(&[(Some(50), false), (Some(-30), false), (Some(80), false)], 0.5);
        let last = own(80);
        let middle = 0.5 * own(-30) + 0.5 * (1.0 - last);
        let first = 0.5 * own(50) + 0.5 * (1.0 - middle);
        for (found, expected) in found.into_iter().zip([first, middle, last]) {
            assert!((found.unwrap() - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn slips_and_gaps_stop_it() {
        let found =
            expected_scores(&[(Some(50), true), (Some(200), false), (None, false), (Some(9), false)], 0.5);
        assert_eq!(found, [Some(own(50)), Some(own(200)), None, Some(own(9))]);
    }

    #[test]
    fn without_weight_nothing_changes_and_probabilities_stay_such() {
        let evaluations = [(Some(50), false), (Some(-700), false), (Some(80), false)];
        let unchanged = evaluations.map(|(centipawns, _)| centipawns.map(own));
        assert_eq!(expected_scores(&evaluations, 0.0), unchanged);
        for value in smooth(&moves(&evaluations), 0.7).into_iter().flatten() {
            assert!((value.win + value.draw + value.loss - 1.0).abs() < 1e-6, "{value:?}");
        }
    }
}
