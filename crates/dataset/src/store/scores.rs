//! Evaluations as single numbers: the elements of the column `policy_scores`.
//!
//! Centipawns are stored unchanged. A mate in n moves is 100,000 - n, being mated in n moves -100,000 + n, so the order
//! of the numbers is that of the moves.

use chess::Score;

const MATE: i32 = 100_000;

/// The largest number of centipawns that is not taken for a mate.
const MOST_CENTIPAWNS: i32 = MATE - 1 - i16::MAX as i32 - 1;

/// The number of an evaluation. Centipawns beyond [`MOST_CENTIPAWNS`] are clamped to it.
pub(super) fn encode(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS),
        Score::Mate(moves) if moves > 0 => MATE - moves.min(i32::from(i16::MAX)),
        Score::Mate(moves) => -MATE - moves.max(-i32::from(i16::MAX)),
    }
}

pub(super) fn decode(number: i32) -> Score {
    if number > MOST_CENTIPAWNS {
        Score::Mate(MATE.saturating_sub(number))
    } else if number < -MOST_CENTIPAWNS {
        Score::Mate((-MATE).saturating_sub(number))
    } else {
        Score::Centipawns(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_comes_back_and_better_ones_are_greater() {
        let mut ladder = vec![Score::Mate(0)];
        ladder.extend((1..=i32::from(i16::MAX)).map(|moves| Score::Mate(-moves)));
        ladder.extend((-MOST_CENTIPAWNS..=MOST_CENTIPAWNS).step_by(7).map(Score::Centipawns));
        ladder.extend((1..=i32::from(i16::MAX)).rev().map(Score::Mate));
        for pair in ladder.windows(2) {
            assert!(encode(pair[0]) < encode(pair[1]), "{pair:?}");
        }
        for score in ladder {
            assert_eq!(decode(encode(score)), score);
        }
    }

    #[test]
    fn no_number_breaks_decoding() {
        for number in [i32::MIN, i32::MIN + 1, -200_000, 200_000, i32::MAX] {
            let _ = decode(number);
        }
    }
}
