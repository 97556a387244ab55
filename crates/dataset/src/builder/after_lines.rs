//! Positions after a move: after the first move of each line of an analysis, with the value of the line, or after a
//! random move, for an engine to label.

use chess::{Position as _, Score, played};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{
    policy::PolicyLabel,
    sample::{Sample, SampleError},
};

/// A sample for each line of `sample` whose first move does not end the game, by the rules and by its score. These samples have a
/// value target and no policy target.
pub(super) fn after(sample: &Sample) -> Result<Vec<Sample>, SampleError> {
    let PolicyLabel::Scores(lines) = &sample.policy else { return Ok(Vec::new()) };
    let position = sample.chess()?;
    let mut found = Vec::with_capacity(lines.len());
    for &(packed, score) in lines {
        let chosen = packed.unpack(&position).ok_or(SampleError::Move { bits: packed.0 })?;
        let Some(after) = sample.unlabelled_after(&played(&position, chosen), 1) else { continue };
        let (evaluation, policy) = (reversed(score), PolicyLabel::unknown(after.best_move));
        // A mate in one move that is none: a position with a move is not mate, and no store may say so.
        if evaluation != Score::Mate(0) {
            found.push(Sample { evaluation: Some(evaluation), policy, ..after });
        }
    }
    Ok(found)
}

/// A move's score from the opponent's view after the move: giving mate in n becomes being mated in n - 1,
/// being mated in n becomes giving mate in n.
fn reversed(score: Score) -> Score {
    match score {
        Score::Mate(moves @ 1..) => Score::Mate(1 - moves),
        other => other.flipped(),
    }
}

/// The sample itself, or, for a share of the positions, the one after a random legal move, without labels and with its
/// first legal move in place of the best; `None` if that move ends the game. The choice depends only on position and
/// `seed`, so it is the same for equal positions.
pub(super) fn after_random_move(
    sample: &Sample,
    share: f32,
    seed: u64,
) -> Result<Option<Sample>, SampleError> {
    // A hash and not a generator of random numbers: the choice must not depend on which positions came before, or a filter that removes one
    // game would change the moves in all games behind it.
    let hash = xxh3_64_with_seed(&sample.position.0, seed);
    // The high 24 bits choose the position, the low 32 the move.
    if (hash >> 40) as f32 >= share * (1u32 << 24) as f32 {
        return Ok(Some(sample.clone()));
    }
    let mut position = sample.chess()?;
    let moves = position.legal_moves();
    let Some(&chosen) = moves.get((hash & 0xffff_ffff) as usize % moves.len().max(1)) else {
        return Ok(None);
    };
    position.play_unchecked(chosen);
    Ok(sample.unlabelled_after(&position, 1))
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Chess, parse_uci_move};

    use super::*;
    use crate::{
        filter::Filters,
        packed_move::PackedMove,
        record::{Place, PositionRecord},
        sampler::Sampler,
    };

    /// A store with such a sample could not be read: "mate 0".
    #[test]
    fn a_mate_in_one_move_that_does_not_mate_gives_no_sample() {
        let position = Chess::default();
        let [first, second] = ["e2e4", "d2d4"].map(|uci| parse_uci_move(&position, uci).unwrap());
        let lines = [(first, Score::Mate(1)), (second, Score::Centipawns(20))];
        let record = PositionRecord {
            policy: PolicyLabel::Scores(lines.map(|(one, score)| (PackedMove::pack(one), score)).into()),
            ..PositionRecord::new(Place::default(), position, CastlingMode::Standard, first)
        };
        let sample = Sampler::new(1, 0, Filters::default()).sample_position(&record, 0);
        let found: Vec<_> = after(&sample).unwrap().into_iter().map(|one| one.evaluation).collect();
        assert_eq!(found, [Some(Score::Centipawns(-20))]);
    }

    #[test]
    fn a_mate_is_one_move_nearer_for_the_side_that_gives_it() {
        let cases = [
            (Score::Centipawns(35), Score::Centipawns(-35)),
            (Score::Mate(3), Score::Mate(-2)),
            (Score::Mate(-2), Score::Mate(2)),
        ];
        for (before, after) in cases {
            assert_eq!(reversed(before), after);
        }
    }
}
