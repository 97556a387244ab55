//! Positions after the first move of each line of an analysis: each has the value of its line, and no known move.

use chess::{Score, played};

use super::random_move::unlabelled;
use crate::{
    policy::PolicyLabel,
    sample::{Sample, SampleError},
};

/// A sample for each line of `sample` whose first move does not end the game. These samples have a value
/// target and no policy target.
pub(super) fn after(sample: &Sample) -> Result<Vec<Sample>, SampleError> {
    let PolicyLabel::Scores(lines) = &sample.policy else { return Ok(Vec::new()) };
    let position = sample.chess()?;
    let mut found = Vec::with_capacity(lines.len());
    for &(packed, score) in lines {
        let chosen = packed.unpack(&position).ok_or(SampleError::Move { bits: packed.0 })?;
        let Some(after) = unlabelled(sample, &played(&position, chosen)) else { continue };
        let policy = PolicyLabel::unknown(after.best_move);
        found.push(Sample { evaluation: Some(reversed(score)), policy, ..after });
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
    use super::*;

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
