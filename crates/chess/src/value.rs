//! Values with the point of view in the type: every [`Wdl`] and [`Score`] is for the side to move.

use serde::{Deserialize, Serialize};

/// Win, draw and loss probability for the side to move; the three add up to one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wdl {
    /// Probability that the side to move wins.
    pub win: f32,
    /// Probability of a draw, by any rule.
    pub draw: f32,
    /// Probability that the side to move loses.
    pub loss: f32,
}

impl Wdl {
    /// The side to move has won.
    pub const WIN: Self = Self { win: 1.0, draw: 0.0, loss: 0.0 };
    /// The value of a certain draw.
    pub const DRAW: Self = Self { win: 0.0, draw: 1.0, loss: 0.0 };
    /// The side to move has lost (checkmated).
    pub const LOSS: Self = Self { win: 0.0, draw: 0.0, loss: 1.0 };

    /// Expected result on the scale -1 (loss) to 1 (win): the Q of tree search.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// Expected score on the scale 0 (loss) to 1 (win), the scale of Elo formulas.
    pub fn expected_score(self) -> f32 {
        self.win + 0.5 * self.draw
    }

    /// Natural logarithm of the odds of the expected score, at most about 20 either way: finite even if one side has won.
    pub fn log_odds(self) -> f32 {
        let half = 0.5 * self.draw;
        ((self.win + half).max(1e-9) / (self.loss + half).max(1e-9)).ln()
    }

    /// This value from the other side's view.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { win: self.loss, draw: self.draw, loss: self.win }
    }

    /// The point between this value and another, `share` of the way to it (0 to 1).
    #[must_use]
    pub fn mixed(self, other: Self, share: f32) -> Self {
        Self {
            win: self.win + (other.win - self.win) * share,
            draw: self.draw + (other.draw - self.draw) * share,
            loss: self.loss + (other.loss - self.loss) * share,
        }
    }

    /// This value from White's view; `turn` is the side to move.
    #[must_use]
    pub fn for_white(self, turn: shakmaty::Color) -> Self {
        if turn.is_white() { self } else { self.flipped() }
    }
}

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
    use proptest::{prop_assert, prop_assert_eq, prop_compose, proptest};
    use shakmaty::Color;

    use super::*;

    prop_compose! {
        fn any_wdl()(win in 0.0_f32..=1.0, of_the_rest in 0.0_f32..=1.0) -> Wdl {
            let draw = (1.0 - win) * of_the_rest;
            Wdl { win, draw, loss: 1.0 - win - draw }
        }
    }

    proptest! {
        #[test]
        fn flipping_negates_the_value_and_twice_changes_nothing(wdl in any_wdl()) {
            prop_assert_eq!(wdl.flipped().value(), -wdl.value());
            prop_assert_eq!(wdl.flipped().flipped(), wdl);
        }

        #[test]
        fn value_and_expected_score_are_the_same_number_on_two_scales(wdl in any_wdl()) {
            prop_assert!((wdl.value() - (2.0 * wdl.expected_score() - 1.0)).abs() < 1e-5);
            prop_assert!((-1.0..=1.0).contains(&wdl.value()));
        }

        #[test]
        fn the_view_of_white_is_the_movers_or_its_opposite(wdl in any_wdl()) {
            prop_assert_eq!(wdl.for_white(Color::White), wdl);
            prop_assert_eq!(wdl.for_white(Color::Black), wdl.flipped());
        }

        #[test]
        fn mixtures_lie_between_their_parts(wdl in any_wdl(), other in any_wdl(), share in 0.0_f32..=1.0) {
            let mixed = wdl.mixed(other, share).value();
            let (least, most) = (wdl.value().min(other.value()), wdl.value().max(other.value()));
            prop_assert!((least - 1e-5..=most + 1e-5).contains(&mixed));
        }
    }

    #[test]
    fn results_have_the_values_of_the_game() {
        for (wdl, value, score) in [(Wdl::WIN, 1.0, 1.0), (Wdl::DRAW, 0.0, 0.5), (Wdl::LOSS, -1.0, 0.0)] {
            assert_eq!((wdl.value(), wdl.expected_score()), (value, score));
        }
        assert_eq!(Wdl::WIN.flipped(), Wdl::LOSS);
        assert_eq!(Wdl::DRAW.flipped(), Wdl::DRAW);
    }

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
