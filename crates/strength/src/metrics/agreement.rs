//! Agreement with two reference players: tables that say what they count.
//!
//! A student project of 2025 (COGS188 ChessCNNMCTS) scored a player by precision and recall, with one reference's move as
//! "truth" and another's as "best": a true positive is a move that equals both, a false positive one that equals only the
//! first, a false negative one that equals only the second. Those numbers measure how often the two *references* agree, so
//! a random mover reaches 0.85. [`LegacyMetrics`] computes them as they were defined, beside the same numbers of a random
//! mover; [`AgreementTable`] is what should be looked at instead.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use chess::{CastlingMode, Game, Move, notation::parse_uci_move};
use serde::{Deserialize, Serialize};

use crate::{panel::read_text, player::MaterialPlayer, statistics::Measurement};

/// One position with the moves of both references and of the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreementRow {
    /// Which game it is from: positions of one game are no independent observations.
    pub group: String,
    /// First reference ("true" in the project's words).
    pub first: String,
    /// Second reference ("best").
    pub second: String,
    /// The player.
    pub played: String,
}

/// Counts and ratios as the project defined them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegacyMetrics {
    /// Share of moves that equal the first reference.
    pub accuracy: f64,
    /// TP / (TP + FP); `None` where nothing equals the first reference.
    pub precision: Option<f64>,
    /// TP / (TP + FN); `None` where nothing equals the second reference.
    pub recall: Option<f64>,
    /// Harmonic mean of the two.
    pub f1: Option<f64>,
    /// Moves that equal both references.
    pub true_positives: f64,
    /// Moves that equal the first only.
    pub false_positives: f64,
    /// Moves that equal the second only.
    pub false_negatives: f64,
    /// Moves that differ from the first where the references differ: contains every false negative.
    pub true_negatives: f64,
}

impl LegacyMetrics {
    /// Computes them from expected counts.
    fn of(table: [f64; 4], true_negatives: f64) -> Self {
        let [both, first, second, neither] = table;
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
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
    /// Who is compared.
    pub player: String,
    /// Positions.
    pub positions: u64,
    /// Moves that equal both references, the first only, the second only, neither: add up to the positions.
    pub counts: [f64; 4],
    /// Share that equals the first reference.
    pub first: Measurement,
    /// Share that equals the second reference.
    pub second: Measurement,
    /// Share in which the references equal each other: no player's merit.
    pub references: Measurement,
    /// Share that equals the references where these agree; `None` where they never do.
    pub where_agreed: Option<Measurement>,
    /// The project's numbers.
    pub legacy: LegacyMetrics,
}

impl AgreementTable {
    /// Counts moves. `None` without rows.
    pub fn new(player: &str, rows: &[AgreementRow]) -> Option<Self> {
        let weighted: Vec<Weighted<'_>> = rows
            .iter()
            .map(|row| Weighted {
                group: &row.group,
                agreed: row.first == row.second,
                first: f64::from(u8::from(row.played == row.first)),
                second: f64::from(u8::from(row.played == row.second)),
            })
            .collect();
        Self::weighted(player, &weighted)
    }

    /// The same for a mover that plays each of `candidates` with the same probability: expected counts, no dice.
    fn expected(
        player: &str,
        positions: &[AgreementPosition],
        candidates: fn(&Game) -> Vec<Move>,
    ) -> Option<Self> {
        let weighted: Vec<Weighted<'_>> = positions
            .iter()
            .map(|position| {
                let moves = candidates(&position.game);
                let share = |reference: Move| {
                    f64::from(u8::from(moves.contains(&reference))) / moves.len().max(1) as f64
                };
                Weighted {
                    group: &position.group,
                    agreed: position.first == position.second,
                    first: share(position.first),
                    second: share(position.second),
                }
            })
            .collect();
        Self::weighted(player, &weighted)
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
        let by_group = |value: &dyn Fn(&Weighted<'_>) -> Option<f64>| {
            let groups: Vec<Vec<f64>> = rows
                .chunk_by(|one, other| one.group == other.group)
                .map(|group| group.iter().filter_map(value).collect())
                .collect();
            Measurement::grouped_mean(&groups)
        };
        Some(Self {
            player: player.into(),
            positions: rows.len() as u64,
            counts,
            first: by_group(&|row| Some(row.first))?,
            second: by_group(&|row| Some(row.second))?,
            references: by_group(&|row| Some(f64::from(u8::from(row.agreed))))?,
            where_agreed: by_group(&|row| row.agreed.then_some(row.first)),
            legacy: LegacyMetrics::of(counts, true_negatives),
        })
    }
}

struct Weighted<'a> {
    group: &'a str,
    agreed: bool,
    first: f64,
    second: f64,
}

/// A position of a comparison.
#[derive(Clone, Debug)]
pub struct AgreementPosition {
    /// Which game it is from.
    pub group: String,
    /// The position, without history.
    pub game: Game,
    /// Move of the first reference.
    pub first: Move,
    /// Move of the second reference.
    pub second: Move,
    /// Moves of others by column name.
    pub others: Vec<(String, Move)>,
}

/// Which columns of a CSV file hold what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreementColumns {
    /// The game a position is from.
    pub group: String,
    /// The position as FEN.
    pub fen: String,
    /// The first reference's move, UCI.
    pub first: String,
    /// The second reference's move, UCI.
    pub second: String,
    /// Moves of others that are compared too.
    pub others: Vec<String>,
}

/// Why a file of positions could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}: {reason}", path.display())]
pub struct AgreementError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What was found and expected.
    pub reason: String,
}

impl AgreementPosition {
    /// The tables of a random mover, of the greedy one, and of the other columns.
    pub fn baselines(positions: &[Self]) -> Vec<AgreementTable> {
        let random = AgreementTable::expected("random", positions, |game| game.legal_moves().to_vec());
        let material = AgreementTable::expected("material", positions, MaterialPlayer::best_moves);
        let first = AgreementTable::expected("first legal", positions, |game| {
            game.legal_moves().iter().take(1).copied().collect()
        });
        let names = positions.first().map(|position| position.others.iter().map(|(name, _)| name.clone()));
        let others = names.into_iter().flatten().enumerate().filter_map(|(index, name)| {
            let moves: Vec<Move> = positions.iter().map(|position| position.others[index].1).collect();
            AgreementTable::new(&name, &Self::rows(positions, &moves))
        });
        random.into_iter().chain(first).chain(material).chain(others).collect()
    }

    /// The rows of a player that played these moves.
    pub fn rows(positions: &[Self], moves: &[Move]) -> Vec<AgreementRow> {
        let written = |one: Move| one.to_uci(CastlingMode::Standard).to_string();
        let row = |(position, &played): (&Self, &Move)| AgreementRow {
            group: position.group.clone(),
            first: written(position.first),
            second: written(position.second),
            played: written(played),
        };
        positions.iter().zip(moves).map(row).collect()
    }
}

/// Reads positions from a CSV file with a header line; no cell may hold a comma.
///
/// # Errors
/// [`AgreementError`] naming the line.
pub fn read_positions(
    path: &Path,
    columns: &AgreementColumns,
) -> Result<Vec<AgreementPosition>, AgreementError> {
    let refuse = |line: usize, reason: String| AgreementError { path: path.into(), line, reason };
    let text = read_text(path).map_err(|error| refuse(1, error.to_string()))?;
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> =
        lines.next().map(|(_, line)| line.trim_end().split(',').collect()).unwrap_or_default();
    let place = |name: &String| {
        let found = header.iter().position(|column| column == name);
        found.ok_or_else(|| {
            refuse(1, format!("found the columns {}, expected {name} among them", header.join(", ")))
        })
    };
    let (group, fen) = (place(&columns.group)?, place(&columns.fen)?);
    let (first, second) = (place(&columns.first)?, place(&columns.second)?);
    let others =
        columns.others.iter().map(|name| Ok((name.clone(), place(name)?))).collect::<Result<Vec<_>, _>>()?;
    let mut positions = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let cell = |place: usize| {
            let found = cells.get(place).copied();
            found.ok_or_else(|| {
                refuse(index + 1, format!("found {} cells, expected {}", cells.len(), header.len()))
            })
        };
        let game = Game::from_fen(cell(fen)?, CastlingMode::Standard)
            .map_err(|error| refuse(index + 1, error.to_string()))?;
        let read = |place: usize| {
            parse_uci_move(game.position(), cell(place)?)
                .map_err(|error| refuse(index + 1, error.to_string()))
        };
        let (first, second) = (read(first)?, read(second)?);
        let others = others
            .iter()
            .map(|(name, place)| Ok((name.clone(), read(*place)?)))
            .collect::<Result<Vec<_>, _>>()?;
        positions.push(AgreementPosition { group: cell(group)?.into(), first, second, others, game });
    }
    if positions.is_empty() {
        return Err(refuse(2, "found no position, expected one a line".into()));
    }
    Ok(positions)
}

impl fmt::Display for AgreementTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [both, first, second, neither] = self.counts;
        let show = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.4}"));
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
            show(legacy.precision),
            show(legacy.recall),
            show(legacy.f1)
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

    fn read(text: &str) -> Result<Vec<AgreementPosition>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let columns = AgreementColumns {
            group: "game".into(),
            fen: "fen".into(),
            first: "a".into(),
            second: "b".into(),
            others: vec!["human".into()],
        };
        read_positions(file.path(), &columns).map_err(|error| error.to_string())
    }

    #[test]
    fn baselines_are_expected_values() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let text = format!("game,fen,a,b,human\n1,{start},e2e4,e2e4,d2d4\n2,{start},e2e4,d2d4,d2d4\n");
        let positions = read(&text).unwrap();
        let tables = AgreementPosition::baselines(&positions);
        let names: Vec<&str> = tables.iter().map(|table| table.player.as_str()).collect();
        assert_eq!(names, ["random", "first legal", "material", "human"]);
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(tables[0].first.value, 0.05);
        near(tables[0].counts[3], 0.95 + 0.9);
        assert_eq!(tables[3].counts, [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn bad_files_are_named() {
        for (text, expected) in [
            ("game,fen,a,b\n", "expected human among them"),
            ("game,fen,a,b,human\n", ":2: found no position"),
            ("game,fen,a,b,human\n1,nonsense,e2e4,e2e4,e2e4\n", ":2: "),
            ("game,fen,a,b,human\n1,8/8/4k3/8/8/3K4/4P3/8 w - - 0 1,e2e5,e2e4,e2e4\n", ":2: "),
            ("game,fen,a,b,human\n1,8/8/4k3/8/8/3K4/4P3/8 w - - 0 1,e2e4\n", "found 3 cells"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
