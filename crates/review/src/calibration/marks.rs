//! Marks of reviews, compared with the losses that another engine finds.

use figures::{Measurement, text_table};
use serde::Serialize;

use crate::{Judgement, ReviewScale};

/// Points of win percentage from which a loss by the judge is a serious fault.
const SERIOUS: f64 = 20.0;
/// Points from which a loss by the judge deserves a mark.
const DESERVES: f64 = 8.0;
/// Limits of marks whose recall and precision are shown in addition to those of the scale.
const LIMITS: [f64; 8] = [4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0];

/// A move with a choice: what it lost by its review and by the judge, both in points of win percentage.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct JudgedMove {
    pub reviewed: f64,
    pub judged: f64,
}

/// How many of the serious faults a review finds, and how many of its marks are deserved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkQuality {
    /// Share of the moves that lose 20 points or more by the judge that are marked `?` or `??`; `None` without such a move. The
    /// interval counts games as independent, not moves.
    pub recall: Option<Measurement>,
    /// Share of the marked moves that lose 8 points or more by the judge; `None` without a mark.
    pub precision: Option<Measurement>,
    /// Moves without a mark, with `?!`, `?` and `??`, each by the judge's loss: under 8 points, under 20, 20 and more.
    pub counts: [[usize; 3]; 4],
    /// Both shares if every loss from a limit on were marked.
    pub limits: Vec<LimitQuality>,
}

/// Quality of marks for all losses from one limit on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct LimitQuality {
    /// Points of win percentage.
    pub limit: f64,
    pub recall: Option<Measurement>,
    pub precision: Option<Measurement>,
}

impl MarkQuality {
    /// Compares the moves of each game by a scale.
    pub fn new(games: &[Vec<JudgedMove>], scale: &ReviewScale) -> Self {
        let [inaccuracy, mistake, _] = scale.limits;
        let mut counts = [[0; 3]; 4];
        for one in games.iter().flatten() {
            let row = match scale.judge(one.reviewed) {
                Judgement::Forced | Judgement::Fine => 0,
                Judgement::Inaccuracy => 1,
                Judgement::Mistake => 2,
                Judgement::Blunder => 3,
            };
            let column = usize::from(one.judged >= DESERVES) + usize::from(one.judged >= SERIOUS);
            counts[row][column] += 1;
        }
        let limits = LIMITS.map(|limit| LimitQuality {
            limit,
            recall: recall(games, limit),
            precision: precision(games, limit),
        });
        Self {
            recall: recall(games, mistake),
            precision: precision(games, inaccuracy),
            counts,
            limits: limits.into(),
        }
    }
}

/// Share of the serious faults among those that lose at least `limit` in their review.
fn recall(games: &[Vec<JudgedMove>], limit: f64) -> Option<Measurement> {
    share(games, |one| one.judged >= SERIOUS, |one| one.reviewed >= limit)
}

/// Share of the moves that lose at least `limit` in their review that deserve a mark.
fn precision(games: &[Vec<JudgedMove>], limit: f64) -> Option<Measurement> {
    share(games, |one| one.reviewed >= limit, |one| one.judged >= DESERVES)
}

/// Share of the moves that count for which something holds.
fn share(
    games: &[Vec<JudgedMove>],
    counts: impl Fn(&JudgedMove) -> bool,
    holds: impl Fn(&JudgedMove) -> bool,
) -> Option<Measurement> {
    let mut groups = Vec::with_capacity(games.len());
    for game in games {
        let counted = game.iter().filter(|one| counts(one));
        groups.push(counted.map(|one| f64::from(u8::from(holds(one)))).collect::<Vec<f64>>());
    }
    Measurement::grouped_mean(&groups, 0.0..=1.0)
}

/// A share as a cell of a table.
fn text(share: Option<Measurement>) -> String {
    share.map_or("no move".into(), |share| format!("{} of {}", share.percent(), share.samples))
}

impl std::fmt::Display for MarkQuality {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "serious faults marked ? or ??   {}", text(self.recall))?;
        writeln!(formatter, "marks that are deserved         {}", text(self.precision))?;
        let names = ["none", "?!", "?", "??"];
        let rows = names.iter().zip(&self.counts).map(|(name, counts)| {
            let mut row = vec![(*name).to_string()];
            row.extend(counts.iter().map(usize::to_string));
            row
        });
        let header = ["mark", "loses under 8", "under 20", "20 and more"];
        writeln!(formatter, "{}", text_table(&header, rows))?;
        let rows = self
            .limits
            .iter()
            .map(|one| vec![format!("{:.0}", one.limit), text(one.recall), text(one.precision)]);
        write!(formatter, "{}", text_table(&["marked from", "serious faults found", "deserved"], rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: ReviewScale = ReviewScale { limits: [8.8, 14.1, 20.8], rate: 0.03 };

    fn judged(moves: &[(f64, f64)]) -> Vec<JudgedMove> {
        moves.iter().map(|&(reviewed, judged)| JudgedMove { reviewed, judged }).collect()
    }

    #[test]
    fn serious_faults_are_found_from_a_mistake_on_and_every_mark_is_to_be_deserved() {
        let games = [
            // Found as `??` and `?`, marked only `?!`, not marked.
            judged(&[(40.0, 35.0), (14.1, 20.0), (9.0, 25.0), (3.0, 60.0)]),
            // Marked and deserved, marked in vain, an inaccuracy by the judge alone, a quiet move.
            judged(&[(10.0, 8.0), (22.0, 0.0), (0.0, 12.0), (0.0, 0.0)]),
        ];
        let found = MarkQuality::new(&games, &SCALE);
        let shares = [found.recall, found.precision].map(|share| share.map(|one| (one.value, one.samples)));
        assert_eq!(shares, [Some((0.5, 4)), Some((0.8, 5))]);
        assert_eq!(found.counts, [[1, 1, 1], [0, 1, 1], [0, 0, 1], [1, 0, 1]]);
        let from_ten = found.limits.iter().find(|one| (one.limit - 10.0).abs() < 1e-9).unwrap();
        assert_eq!(
            (from_ten.recall.map(|one| one.value), from_ten.precision.map(|one| one.value)),
            (Some(0.5), Some(0.75))
        );
        assert!(found.to_string().contains("serious faults marked ? or ??   50.0 %"), "{found}");
    }

    #[test]
    fn nothing_is_said_of_moves_that_are_missing() {
        let found = MarkQuality::new(&[judged(&[(0.0, 0.0)])], &SCALE);
        assert_eq!((found.recall, found.precision), (None, None));
        assert!(found.to_string().contains("no move"), "{found}");
    }
}
