//! A game of which every position is searched.

mod look;
mod stretches;

use std::collections::{BTreeMap, BTreeSet};

use chess::{Color, Game, Position as _, Search, SearchError, StopSignal};

use self::stretches::Round;
use crate::{
    point::{Judgement, ReviewPoint, SideSummary},
    scale::{ReviewScale, loss},
};

/// Visits of a second look as a multiple of the first's. Chosen.
const SECOND_LOOK: u64 = 10;

/// A review: every position is searched with the same budget, and each move gets its cost.
///
/// A move costs the difference between the values of the positions before and after it. Both are uncertain,
/// so the search's own best move costs nothing, and a move that the search of its position examined closely
/// costs at most the gap found there.
///
/// Once all positions are searched, those on which a mark would rest are searched again with ten times the visits, and the
/// moves are judged again, until no mark rests on a first look.
///
/// The searches are independent of each other, except for those of up to eight consecutive positions, which keep the tree below the
/// move played. So several threads share them, and the review is the same for any number of threads.
pub struct GameReview {
    game: Game,
    nodes: u64,
    scale: ReviewScale,
    /// Results of the searches, one per position from the first on.
    looks: Vec<ReviewPoint>,
    /// Results for positions behind one that is not searched yet, by half-moves.
    ahead: BTreeMap<usize, ReviewPoint>,
    /// The same with values backed up and moves judged.
    points: Vec<ReviewPoint>,
    /// Positions that await their second look.
    pending: BTreeSet<usize>,
}

impl GameReview {
    /// Default visits of each position. Chosen: with a quarter of them, marks of good moves come and serious faults go unmarked
    /// that more visits judge rightly.
    pub const NODES: u64 = 1600;

    /// A review with no position searched yet and `nodes` visits for each position.
    pub fn new(game: Game, nodes: u64, scale: ReviewScale) -> Self {
        Self {
            game,
            nodes,
            scale,
            looks: Vec::new(),
            ahead: BTreeMap::new(),
            points: Vec::new(),
            pending: BTreeSet::new(),
        }
    }

    /// Number of positions to search: those of the game, including the last.
    pub fn positions(&self) -> usize {
        self.game.history().len()
    }

    /// The positions up to the first that is not searched yet, with the cost of their moves if the next one has been searched too.
    pub fn points(&self) -> &[ReviewPoint] {
        &self.points
    }

    /// Number of positions that were searched a second time or are known to need it; `None` until all are searched once.
    pub fn second_looks(&self) -> Option<usize> {
        let done = self.looks.iter().filter(|point| point.second_look).count();
        (self.looks.len() == self.positions()).then(|| done + self.pending.len())
    }

    /// The side that moved first.
    pub fn first(&self) -> Color {
        self.game.history()[0].position.turn()
    }

    /// Searches the game on a thread for each of `searches`, which are alike, and calls `observe` after each position. False if `stop`
    /// came first: the searches that it cut short do not count, and the review is incomplete.
    ///
    /// # Errors
    /// The first [`SearchError`]; it ends the other threads through `stop`.
    ///
    /// # Panics
    /// If `searches` is empty.
    pub fn run(
        &mut self,
        searches: &mut [&mut dyn Search],
        stop: &StopSignal,
        observe: &mut dyn FnMut(&Self),
    ) -> Result<bool, SearchError> {
        assert!(!searches.is_empty(), "found no search for a review, expected one for each thread");
        let game = self.game.clone();
        while !stop.is_stopped() {
            let (plies, nodes) = self.wanted();
            if plies.is_empty() {
                return Ok(true);
            }
            let mut take = |ply: usize, look: ReviewPoint| {
                self.take(ply, look);
                observe(self);
            };
            Round::new(&game, &plies, nodes, stop).run(searches, &mut take)?;
        }
        Ok(false)
    }

    /// The positions to search now, and the visits of each.
    fn wanted(&self) -> (Vec<usize>, u64) {
        let searched = self.looks.len();
        if searched < self.positions() {
            ((searched..self.positions()).collect(), self.nodes)
        } else {
            (self.pending.iter().copied().collect(), SECOND_LOOK.saturating_mul(self.nodes))
        }
    }

    /// Adds the look at a position, and judges the moves as far as the looks reach.
    fn take(&mut self, ply: usize, look: ReviewPoint) {
        if self.looks.len() < self.positions() {
            self.ahead.insert(ply, look);
            while let Some(next) = self.ahead.remove(&self.looks.len()) {
                self.points.push(next.clone());
                self.looks.push(next);
                if let Some(before) = self.looks.len().checked_sub(2) {
                    self.judge(before);
                }
            }
        } else {
            self.pending.remove(&ply);
            self.looks[ply] = ReviewPoint { second_look: true, ..look };
        }
        // From here on a new look may change the values before it, and with them what other moves cost, so all moves are judged again
        // from the looks. Marks that appear by this need second looks too, but they are counted only when the pending ones are done:
        // a mark that half of them have moved may be gone after the other half.
        if self.looks.len() == self.positions() {
            self.points.clone_from(&self.looks);
            self.settle();
            if self.pending.is_empty() {
                self.pending = self.doubtful();
            }
        }
    }

    /// The positions searched only once on which a mark rests, or a fall or a correction of the values: those before and after the
    /// move, and the one before the opponent's move, whose cost depends on the same value. A finished game has an exact value.
    fn doubtful(&self) -> BTreeSet<usize> {
        (0..self.looks.len() - 1)
            .filter(|&ply| self.is_candidate(ply))
            .flat_map(|ply| ply.saturating_sub(1)..=ply + 1)
            .filter(|&ply| self.looks[ply].best.is_some() && !self.looks[ply].second_look)
            .collect()
    }

    /// True if the move at half-move `ply` has a mark, the searches around it show a loss worth one, or the next position refuted
    /// the value of this one.
    fn is_candidate(&self, ply: usize) -> bool {
        let (look, point) = (&self.looks[ply], &self.points[ply]);
        let fall = loss(look.white_percent, self.looks[ply + 1].white_percent, self.mover(ply));
        let lost = point.loss.unwrap_or_default().max(fall);
        let is_corrected = (look.white_percent - point.white_percent).abs() > 0.0;
        is_corrected || point.judgement != Some(Judgement::Forced) && lost >= self.scale.limits[0]
    }

    /// The cost of the move played at half-move `ply`, by the values of the positions around it.
    fn judge(&mut self, ply: usize) {
        let entry = &self.game.history()[ply].position;
        let after = self.points[ply + 1].white_percent;
        let before = &mut self.points[ply];
        // Two searches of neighbouring positions differ by some points even where the best move was played. The bound that the position's
        // own search puts on the cost of the move is free of this: both moves were seen by the same search.
        let drop = loss(before.white_percent, after, entry.turn());
        let lost = before.most_loss.map_or(drop, |most| drop.min(most));
        before.loss = Some(lost);
        before.accuracy = Some(self.scale.move_accuracy(lost));
        let forced = entry.legal_moves().len() == 1;
        before.judgement = Some(if forced { Judgement::Forced } else { self.scale.judge(lost) });
    }

    /// Backs values up once from the end: replaces a position's value by the value after its move, but by no
    /// more than the gap that its own search saw between this move and the best one. A value that is off by
    /// an inaccuracy or more becomes the nearest value that is not: otherwise the previous move would be
    /// blamed for a value that the next one refutes. Smaller differences are noise between two searches and
    /// are kept.
    fn settle(&mut self) {
        for ply in (0..self.points.len() - 1).rev() {
            let mover = self.mover(ply);
            let (next_percent, next_wdl) =
                (self.points[ply + 1].white_percent, self.points[ply + 1].white_wdl);
            let point = &mut self.points[ply];
            let own = percent_of(mover, point.white_percent);
            let found = percent_of(mover, next_percent);
            // At least what the position after the move is worth, because the mover can get that by playing it; and at most as much more as
            // this position's own search saw another move to be better, because that is the evidence there is for a higher value.
            let backed = own.clamp(found, found + point.most_loss.unwrap_or(100.0));
            if (backed - own).abs() >= self.scale.limits[0] {
                let share = (backed - own) / (found - own);
                point.white_percent += share * (next_percent - point.white_percent);
                for (part, after) in point.white_wdl.iter_mut().zip(next_wdl) {
                    *part += share as f32 * (after - *part);
                }
            }
            self.judge(ply);
        }
    }

    /// A side's game in numbers, as far as it is searched.
    pub fn summary(&self, side: Color) -> SideSummary {
        let values: Vec<f64> = self.points.iter().map(|point| point.white_percent).collect();
        let judged = self.points.iter().filter(|point| point.loss.is_some());
        let losses: Vec<Option<f64>> = judged.clone().map(ReviewPoint::free_loss).collect();
        let own: Vec<&ReviewPoint> = judged.filter(|point| self.mover(point.ply) == side).collect();
        let free: Vec<f64> = own.iter().filter_map(|point| point.free_loss()).collect();
        SideSummary {
            accuracy: self.scale.game_accuracy(&values, &losses, self.first(), side),
            mean_loss: (!free.is_empty()).then(|| free.iter().sum::<f64>() / free.len() as f64),
            inaccuracies: count(&own, Judgement::Inaccuracy),
            mistakes: count(&own, Judgement::Mistake),
            blunders: count(&own, Judgement::Blunder),
            forced: count(&own, Judgement::Forced),
        }
    }

    /// The side to move after `ply` half-moves.
    pub fn mover(&self, ply: usize) -> Color {
        self.game.history()[ply].position.turn()
    }
}

/// White's win percentage as the percentage of a side.
fn percent_of(side: Color, white_percent: f64) -> f64 {
    side.fold_wb(white_percent, 100.0 - white_percent)
}

fn count(points: &[&ReviewPoint], judgement: Judgement) -> usize {
    points.iter().filter(|point| point.judgement == Some(judgement)).count()
}

#[cfg(test)]
mod tests;
