//! Centipawns or a mate.

use serde::{Deserialize, Serialize};

/// An engine's evaluation for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Hundredths of a pawn; positive is better for the side to move.
    Centipawns(i32),
    /// Mate in this many moves: positive when the side to move mates, negative when it is mated, zero when it is
    /// checkmated now.
    Mate(i32),
}

impl Score {
    /// This score from the other side's view. `Mate(0)` (checkmated) has no counterpart and is returned unchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            // An engine or a file may give the least number, which has no opposite.
            Self::Centipawns(centipawns) => Self::Centipawns(centipawns.saturating_neg()),
            Self::Mate(moves) => Self::Mate(moves.saturating_neg()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn a_score_flipped_twice_is_itself(number in -30_000..=30_000) {
            for score in [Score::Centipawns(number), Score::Mate(number)] {
                prop_assert_eq!(score.flipped().flipped(), score);
            }
        }
    }

    #[test]
    fn the_worst_score_of_one_side_is_the_best_of_the_other() {
        assert_eq!(Score::Centipawns(i32::MIN).flipped(), Score::Centipawns(i32::MAX));
        assert_eq!(Score::Mate(i32::MIN).flipped(), Score::Mate(i32::MAX));
    }

    #[test]
    fn scores_have_the_json_of_the_files() {
        assert_eq!(serde_json::to_string(&Score::Centipawns(-35)).unwrap(), r#"{"centipawns":-35}"#);
        assert_eq!(serde_json::from_str::<Score>(r#"{"mate":-2}"#).unwrap(), Score::Mate(-2));
    }
}
