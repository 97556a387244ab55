//! REINFORCE with graded moves (Williams 1992): games are sampled from a policy, an engine grades every move, and moves
//! with grades above the mean become more likely.
//!
//! The loss of a position is -A ln pi(a) + k KL(pi_0 || pi) - e H(pi), where a is the move drawn, A its advantage (grade minus the
//! mean grade, or [`Rewards`] of another kind), pi_0 the policy at the start of the run, and H the entropy. Its gradient with
//! respect to the logits is A (pi - 1_a) + k (pi - pi_0) + e pi (ln pi + H), which is the gradient of a cross-entropy with the
//! (signed) targets of [`targets`].

mod aichess;
pub mod drawn_games;
pub mod graded_samples;
pub mod grading;
mod run;

use serde::{Deserialize, Serialize};

pub use run::{NetworkGrade, ReinforceRecipe, ReinforceRun};

use self::{drawn_games::DrawnGame, grading::GradedGame};
use crate::settings::{SettingError, hundredths};

/// Rewards by which drawn moves become more or less likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// Its grade above the mean of all grades.
    #[default]
    Grades,
    /// The rewards of AIChess, flaws included: absolute changes of the score, shaped by the result, normalised by game and side.
    Aichess,
}

impl Rewards {
    fn advantages(self, games: &[DrawnGame], graded: &[GradedGame]) -> Vec<Vec<f32>> {
        match self {
            Self::Grades => {
                // The mean of all games is the baseline of REINFORCE: without one, an engine that finds fault with most moves (the
                // mean is about -0.1: docs/experiments/reinforce.md) would make nearly every drawn move less likely, good ones too.
                let count = graded.iter().map(|game| game.grades.len()).sum::<usize>().max(1);
                let mean = graded.iter().flat_map(|game| &game.grades).sum::<f32>() / count as f32;
                graded.iter().map(|game| game.grades.iter().map(|grade| grade - mean).collect()).collect()
            }
            Self::Aichess => {
                games.iter().zip(graded).map(|(drawn, graded)| aichess::advantages(drawn, graded)).collect()
            }
        }
    }
}

/// Drawing of games and learning from grades. Defaults are chosen, not tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReinforceSettings {
    /// Games of each iteration.
    pub games: u32,
    /// Half-moves after which a game ends. Default 120.
    #[serde(default = "network::default_to::<120, _>")]
    pub most_plies: u32,
    /// Maximum number of random half-moves before the policy plays; their number is drawn for each game. Default 6.
    #[serde(default = "network::default_to::<6, _>")]
    pub opening_plies: u32,
    /// Rewards of the moves drawn: their `grades`, or those of `aichess`. Default: grades.
    #[serde(default)]
    pub rewards: Rewards,
    /// Factor of the advantage, which is a difference of expected scores, or of AIChess's rewards. Default 10.
    #[serde(rename = "advantage", default = "hundredths::<1000, _>")]
    pub advantage_scale: f32,
    /// Weight e of the entropy. Default 0.01.
    #[serde(default = "hundredths::<1, _>")]
    pub entropy: f32,
    /// Weight k of the divergence from the start. Default 0.1.
    #[serde(rename = "start", default = "hundredths::<10, _>")]
    pub divergence: f32,
    /// Seed of openings and moves. Default 1.
    #[serde(default = "network::default_to::<1, _>")]
    pub seed: u64,
}

impl ReinforceSettings {
    /// Checks every range.
    ///
    /// # Errors
    /// [`SettingError`] for the first key that is out of range.
    pub fn check(&self) -> Result<(), SettingError> {
        let counts = [("reinforce.games", self.games), ("reinforce.most_plies", self.most_plies)];
        for (key, found) in counts {
            if found == 0 {
                return Err(SettingError { key, found: found.to_string(), expected: "at least 1" });
            }
        }
        let weights = [
            ("reinforce.advantage", self.advantage_scale),
            ("reinforce.entropy", self.entropy),
            ("reinforce.start", self.divergence),
        ];
        for (key, found) in weights {
            if !(0.0..=1000.0).contains(&found) {
                return Err(SettingError { key, found: found.to_string(), expected: "0 to 1000" });
            }
        }
        Ok(())
    }
}

/// The grade of a move: the expected score after it minus the expected score before it, both from 0 to 1 and from the mover's
/// view; 0 for the engine's own choice. Grades are signed: a move that turns out better than the engine's has a positive grade,
/// and a loss is never a gain, whatever its size.
pub fn grade(before: f32, after: f32, is_engines_choice: bool) -> f32 {
    if is_engines_choice { 0.0 } else { after - before }
}

/// Targets of a cross-entropy over the legal moves with the same gradient as the loss above: A 1_a + k pi_0 - e pi (ln pi + H).
/// They add up to A + k.
pub fn targets(
    policy: &[f32],
    start_policy: &[f32],
    chosen: usize,
    advantage: f32,
    settings: &ReinforceSettings,
) -> Vec<f32> {
    let entropy: f32 = policy.iter().map(|&probability| -probability * logarithm(probability)).sum();
    let mut targets = Vec::with_capacity(policy.len());
    for (place, (&probability, &start)) in policy.iter().zip(start_policy).enumerate() {
        let drawn = if place == chosen { advantage } else { 0.0 };
        let surprise = logarithm(probability) + entropy;
        targets.push(drawn + settings.divergence * start - settings.entropy * probability * surprise);
    }
    targets
}

/// The natural logarithm, finite for probabilities that were rounded to zero.
fn logarithm(probability: f32) -> f32 {
    const LEAST: f32 = 1e-9;
    probability.max(LEAST).ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, proptest};

    use super::*;

    fn settings(entropy: f32, divergence: f32) -> ReinforceSettings {
        let mut settings: ReinforceSettings = toml::from_str("games = 1").unwrap();
        (settings.entropy, settings.divergence) = (entropy, divergence);
        settings
    }

    fn softmax(logits: &[f64]) -> Vec<f64> {
        let powers: Vec<f64> = logits.iter().map(|logit| logit.exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(|power| power / sum).collect()
    }

    /// The loss as it is written above.
    fn loss(
        logits: &[f64],
        start: &[f64],
        chosen: usize,
        advantage: f64,
        [entropy, divergence]: [f64; 2],
    ) -> f64 {
        let policy = softmax(logits);
        let from_start: f64 = start.iter().zip(&policy).map(|(start, now)| start * (start / now).ln()).sum();
        let disorder: f64 = policy.iter().map(|probability| -probability * probability.ln()).sum();
        -advantage * policy[chosen].ln() + divergence * from_start - entropy * disorder
    }

    proptest! {
        #[test]
        fn the_gradient_of_the_targets_is_that_of_the_loss(
            logits in prop::collection::vec(-2.0_f64..2.0, 2..8),
            start in prop::collection::vec(-2.0_f64..2.0, 8),
            chosen in 0_usize..8,
            advantage in -3.0_f64..3.0,
        ) {
            const STEP: f64 = 1e-5;
            let weights = [0.3, 0.7];
            let chosen = chosen % logits.len();
            let (policy, start) = (softmax(&logits), softmax(&start[..logits.len()]));
            let floats = |numbers: &[f64]| numbers.iter().map(|number| *number as f32).collect::<Vec<_>>();
            let settings = settings(weights[0] as f32, weights[1] as f32);
            let targets = targets(&floats(&policy), &floats(&start), chosen, advantage as f32, &settings);
            let sum: f32 = targets.iter().sum();
            for place in 0..logits.len() {
                let moved = |by: f64| {
                    let mut moved = logits.clone();
                    moved[place] += by;
                    loss(&moved, &start, chosen, advantage, weights)
                };
                let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                // Of cross-entropy with targets that add up to `sum`.
                let found = policy[place] * f64::from(sum) - f64::from(targets[place]);
                prop_assert!((found - expected).abs() < 1e-3, "{found} instead of {expected}");
            }
        }
    }

    #[test]
    fn better_than_usual_becomes_likelier_and_worse_less_likely() {
        let policy = [0.5, 0.3, 0.2];
        let bare = settings(0.0, 0.0);
        for (advantage, sign) in [(0.5, -1.0), (-0.5, 1.0)] {
            let targets = targets(&policy, &policy, 1, advantage, &bare);
            let sum: f32 = targets.iter().sum();
            let gradient: Vec<f32> =
                policy.iter().zip(&targets).map(|(p, target)| p * sum - target).collect();
            // A step goes against the gradient.
            assert_eq!(gradient[1].signum(), sign, "the move drawn");
            assert!(gradient[0].signum() == -sign && gradient[2].signum() == -sign, "the others make room");
        }
    }

    #[test]
    fn s3_k8_grades_are_signed() {
        assert!(grade(0.6, 0.4, false) < 0.0);
        assert!(grade(0.6, 0.9, false) > 0.0, "a gain is not a mistake, however large");
        assert_eq!(grade(0.6, 0.55, true), 0.0, "the engine's choice loses nothing");
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let refused =
            |text: &str| toml::from_str::<ReinforceSettings>(text).unwrap().check().unwrap_err().key;
        assert_eq!(refused("games = 0"), "reinforce.games");
        assert_eq!(refused("games = 1\nentropy = -1.0"), "reinforce.entropy");
    }
}
