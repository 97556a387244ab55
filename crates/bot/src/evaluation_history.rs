//! Decisions about draws (offering, accepting, claiming) and resignation.

use crate::config::{DrawConfig, ResignationConfig};

/// The expected scores of our own moves in a game, in order, 0 to 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct EvaluationHistory {
    scores: Vec<f32>,
}

impl EvaluationHistory {
    /// Adds the `score` that the search expects after its move.
    pub(crate) fn add(&mut self, score: f32) {
        self.scores.push(score);
    }

    /// True if the bot has made at least `moves` moves, and the scores of all the last ones are within these bounds.
    fn last_are_within(&self, moves: usize, is_within: impl Fn(f32) -> bool) -> bool {
        let first = self.scores.len().checked_sub(moves);
        first.is_some_and(|first| self.scores[first..].iter().all(|&score| is_within(score)))
    }

    /// True if a draw should be offered with move number `number` (from 1).
    pub(crate) fn offers_draw(&self, number: u32, config: &DrawConfig) -> bool {
        config.offer
            && number >= config.from_move
            && self.last_are_within(config.moves, |score| (score - 0.5).abs() <= config.margin)
    }

    /// True if a draw should be accepted before move number `number`: the position is level or worse.
    pub(crate) fn accepts_draw(&self, number: u32, config: &DrawConfig) -> bool {
        config.accept
            && number >= config.from_move
            && self.last_are_within(config.moves, |score| score <= 0.5 + config.margin)
    }

    /// True if a draw that the rules allow should be claimed.
    pub(crate) fn claims_draw(&self, config: &DrawConfig) -> bool {
        config.claim && self.scores.last().is_none_or(|score| *score <= 0.5 + config.margin)
    }

    /// True if the game should be resigned instead of playing move number `number`.
    pub(crate) fn resigns(&self, number: u32, config: &ResignationConfig) -> bool {
        config.enabled
            && number >= config.from_move
            && self.last_are_within(config.moves, |score| score <= config.score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluations(scores: &[f32]) -> EvaluationHistory {
        EvaluationHistory { scores: scores.to_vec() }
    }

    #[test]
    fn draws_need_enough_level_moves_late_enough() {
        let config = DrawConfig { from_move: 10, moves: 3, margin: 0.05, ..DrawConfig::default() };
        let level = evaluations(&[0.9, 0.5, 0.54, 0.46]);
        assert!(level.offers_draw(10, &config) && level.accepts_draw(10, &config));
        assert!(!level.offers_draw(9, &config) && !level.accepts_draw(9, &config));
        assert!(!evaluations(&[0.5, 0.5]).offers_draw(10, &config), "too few moves");
        let worse = evaluations(&[0.2, 0.1, 0.3]);
        assert!(!worse.offers_draw(10, &config) && worse.accepts_draw(10, &config));
        let better = evaluations(&[0.5, 0.5, 0.6]);
        assert!(!better.offers_draw(10, &config) && !better.accepts_draw(10, &config));
        let never = DrawConfig { offer: false, accept: false, claim: false, ..config.clone() };
        assert!(
            !level.offers_draw(10, &never) && !level.accepts_draw(10, &never) && !level.claims_draw(&never)
        );
        assert!(
            level.claims_draw(&config)
                && !better.claims_draw(&config)
                && evaluations(&[]).claims_draw(&config)
        );
    }

    #[test]
    fn resignation_needs_enough_lost_moves_late_enough_and_to_be_asked_for() {
        let config = ResignationConfig { enabled: true, from_move: 10, moves: 2, score: 0.05 };
        let lost = evaluations(&[0.4, 0.05, 0.01]);
        assert!(lost.resigns(10, &config) && !lost.resigns(9, &config));
        assert!(!evaluations(&[0.01, 0.06]).resigns(10, &config));
        assert!(!lost.resigns(10, &ResignationConfig { enabled: false, ..config }));
    }
}
