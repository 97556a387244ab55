//! Agreement with two reference players.
//!
//! A student project of 2025 (COGS188 ChessCNNMCTS) scored a player by precision and recall, with one
//! reference's move as "truth" and another's as "best": a true positive is a move that equals both, a false
//! positive one that equals only the first, a false negative one that equals only the second. Those numbers
//! measure how often the two *references* agree, so a random mover reaches 0.85. [`LegacyMetrics`] computes
//! them as defined, together with those of a random mover; [`AgreementTable`] is the better measure.

mod positions;

use std::fmt;

use chess::{Game, Move};
use serde::{Deserialize, Serialize};

use crate::{
    player::chance_of,
    report::decimals,
    statistics::{Measurement, grouped},
};

pub use positions::{AgreementColumns, AgreementPosition, read_positions};

/// One position with the moves of both references and of the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreementRow {
    /// The game it comes from: positions of one game are not independent observations.
    pub group: String,
    /// First reference ("true" in the project's words).
    pub first: String,
    /// Second reference ("best").
    pub second: String,
    /// The player's move, UCI.
    pub played: String,
}

/// Counts and ratios as the project defined them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegacyMetrics {
    /// Share of moves that equal the first reference.
    pub accuracy: f64,
    /// TP / (TP + FP); `None` if nothing equals the first reference.
    pub precision: Option<f64>,
    /// TP / (TP + FN); `None` if nothing equals the second reference.
    pub recall: Option<f64>,
    /// Harmonic mean of the two.
    pub f1: Option<f64>,
    /// Moves that equal both references.
    pub true_positives: f64,
    /// Moves that equal the first only.
    pub false_positives: f64,
    /// Moves that equal the second only.
    pub false_negatives: f64,
    /// Moves that differ from the first where the references differ; this contains every false negative.
    pub true_negatives: f64,
}

impl LegacyMetrics {
    /// Computes them from expected counts.
    fn of(table: [f64; 4], true_negatives: f64) -> Self {
        let [both, first, second, neither] = table;
        let (precision, recall) = (ratio(both, both + first), ratio(both, both + second));
        let f1 = precision.zip(recall).and_then(|(one, other)| ratio(2.0 * one * other, one + other));
        Self {
            accuracy: (both + first) / (both + first + second + neither),
            precision,
            recall,
            f1,
            true_positives: both,
            false_positives: first,
            false_negatives: second,
            true_negatives,
        }
    }
}

/// The full two-by-two table of agreement, with intervals and baselines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementTable {
    /// Name of the player that is compared with the references.
    pub player: String,
    /// Positions on which the shares are based.
    pub positions: u64,
    /// Moves that equal both references, the first only, the second only, neither: add up to the positions.
    pub counts: [f64; 4],
    /// Share that equals the first reference.
    pub first: Measurement,
    /// Share that equals the second reference.
    pub second: Measurement,
    /// Share in which the references agree with each other, independent of the player.
    pub references: Measurement,
    /// Share that equals the references where they agree; `None` if they never do.
    pub where_agreed: Option<Measurement>,
    /// Measures that earlier systems used for this comparison.
    pub legacy: LegacyMetrics,
}

impl AgreementTable {
    /// Counts moves. `None` without rows.
    pub fn new(player: &str, rows: &[AgreementRow]) -> Option<Self> {
        let weighted = rows.iter().map(|row| Weighted {
            group: &row.group,
            agreed: row.first == row.second,
            first: f64::from(u8::from(row.played == row.first)),
            second: f64::from(u8::from(row.played == row.second)),
        });
        Self::weighted(player, &weighted.collect::<Vec<_>>())
    }

    /// The comparison for a mover that plays each of `candidates` with equal probability: expected counts, without
    /// random numbers.
    fn expected(
        player: &str,
        positions: &[AgreementPosition],
        candidates: fn(&Game) -> Vec<Move>,
    ) -> Option<Self> {
        let weighted = positions.iter().map(|position| {
            let moves = candidates(&position.game);
            Weighted {
                group: &position.group,
                agreed: position.first == position.second,
                first: chance_of(position.first, &moves),
                second: chance_of(position.second, &moves),
            }
        });
        Self::weighted(player, &weighted.collect::<Vec<_>>())
    }

    fn weighted(player: &str, rows: &[Weighted<'_>]) -> Option<Self> {
        let mut counts = [0.0; 4];
        let mut true_negatives = 0.0;
        for row in rows {
            if row.agreed {
                counts[0] += row.first;
                counts[3] += 1.0 - row.first;
            } else {
                counts[1] += row.first;
                counts[2] += row.second;
                counts[3] += 1.0 - row.first - row.second;
                true_negatives += 1.0 - row.first;
            }
        }
        Some(Self {
            player: player.into(),
            positions: rows.len() as u64,
            counts,
            first: share(rows, |row| Some(row.first))?,
            second: share(rows, |row| Some(row.second))?,
            references: share(rows, |row| Some(f64::from(u8::from(row.agreed))))?,
            where_agreed: share(rows, |row| row.agreed.then_some(row.first)),
            legacy: LegacyMetrics::of(counts, true_negatives),
        })
    }
}

/// A position with the probabilities that a mover plays the references' moves: 0 or 1 for a player that was asked.
struct Weighted<'a> {
    group: &'a str,
    agreed: bool,
    first: f64,
    second: f64,
}

/// The mean of a value over the rows that have it, games being independent, not rows.
fn share(rows: &[Weighted<'_>], value: impl Fn(&Weighted<'_>) -> Option<f64>) -> Option<Measurement> {
    Measurement::grouped_mean(&grouped(rows, |row| row.group, value), 0.0..=1.0)
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

impl fmt::Display for AgreementTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [both, first, second, neither] = self.counts;
        let agreed = self.where_agreed.map_or("-".into(), Measurement::percent);
        writeln!(
            formatter,
            "{}: first {}, second {}, where they agree {agreed}",
            self.player,
            self.first.percent(),
            self.second.percent()
        )?;
        writeln!(
            formatter,
            "  both {both:.0}, first only {first:.0}, second only {second:.0}, neither {neither:.0} of {}",
            self.positions
        )?;
        let legacy = &self.legacy;
        write!(
            formatter,
            "  legacy: accuracy {:.4}, precision {}, recall {}, F1 {}",
            legacy.accuracy,
            decimals(legacy.precision, 4),
            decimals(legacy.recall, 4),
            decimals(legacy.f1, 4)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: &str, second: &str, played: &str) -> AgreementRow {
        AgreementRow { group: "g".into(), first: first.into(), second: second.into(), played: played.into() }
    }

    #[test]
    fn every_position_is_in_one_cell() {
        let rows = [
            row("a", "a", "a"),
            row("a", "a", "b"),
            row("a", "b", "a"),
            row("a", "b", "b"),
            row("a", "b", "c"),
        ];
        let table = AgreementTable::new("player", &rows).unwrap();
        assert_eq!(table.counts, [1.0, 1.0, 1.0, 2.0]);
        assert_eq!(table.first.value, 0.4);
        assert_eq!(table.where_agreed.unwrap().value, 0.5);
        let legacy = table.legacy;
        assert_eq!((legacy.precision, legacy.recall, legacy.f1), (Some(0.5), Some(0.5), Some(0.5)));
        assert_eq!(legacy.true_negatives, 2.0, "contains the false negative, as defined");
        assert!(AgreementTable::new("player", &[]).is_none());
        assert_eq!(AgreementTable::new("player", &[row("a", "b", "c")]).unwrap().legacy.f1, None);
    }
}
