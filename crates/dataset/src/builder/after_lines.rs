//! Positions after the first move of each line of an analysis: each has the value of its line, and no known move.

use chess::{Score, played};

use super::random_move::unlabelled;
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
        let Some(after) = unlabelled(sample, &played(&position, chosen)) else { continue };
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chess::{CastlingMode, Chess, parse_uci_move};

    use super::*;
    use crate::{
        filter::Filters,
        packed_move::PackedMove,
        record::{LabelDoubts, Place, PositionRecord, SearchEffort},
        sampler::Sampler,
    };

    /// A store with such a sample could not be read: "mate 0".
    #[test]
    fn a_mate_in_one_move_that_does_not_mate_gives_no_sample() {
        let position = Chess::default();
        let [first, second] = ["e2e4", "d2d4"].map(|uci| parse_uci_move(&position, uci).unwrap());
        let lines = [(first, Score::Mate(1)), (second, Score::Centipawns(20))];
        let record = PositionRecord {
            place: Place { file: Arc::default(), line: 1 },
            position,
            castling_mode: CastlingMode::Standard,
            best_move: first,
            policy: PolicyLabel::Scores(lines.map(|(one, score)| (PackedMove::pack(one), score)).into()),
            evaluation: None,
            effort: SearchEffort::default(),
            origin: None,
            doubts: LabelDoubts::default(),
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
