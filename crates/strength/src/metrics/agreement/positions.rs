//! Positions with the moves of both references, from a CSV file.

use std::{collections::BTreeMap, path::Path};

use chess::{
    Game, Move,
    notation::{parse_uci_move, print_uci_move},
};

use super::{AgreementRow, AgreementTable};
use crate::{
    lines::{LineError, Lines, Positions},
    player::Baselines,
};

/// A position of a comparison.
#[derive(Clone, Debug)]
pub struct AgreementPosition {
    /// The game it comes from.
    pub group: String,
    /// The position, without history.
    pub game: Game,
    /// Move of the first reference.
    pub first: Move,
    /// Move of the second reference.
    pub second: Move,
    /// Moves of others by column name.
    pub others: Vec<(String, Move)>,
    /// Mean of the rating columns; `None` without such columns, or if one is empty.
    pub rating: Option<u16>,
}

/// Names of the columns of a CSV file.
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
    /// Ratings of the players, whose mean is the rating of the position.
    pub ratings: Vec<String>,
}

impl AgreementPosition {
    /// Default width of a band in rating points.
    pub const BAND: u16 = 200;

    /// The tables of a random mover, of the greedy one, and of the other columns.
    pub fn baselines(positions: &[Self]) -> Vec<AgreementTable> {
        let Baselines { random, first_legal, material } = Baselines::of(|moves_of| moves_of);
        let mut tables = Vec::new();
        for (name, moves_of) in [("random", random), ("first legal", first_legal), ("material", material)] {
            tables.extend(AgreementTable::expected(name, positions, moves_of));
        }
        let others = positions.first().map(|position| &position.others);
        for (index, (name, _)) in others.into_iter().flatten().enumerate() {
            let moves: Vec<Move> = positions.iter().map(|position| position.others[index].1).collect();
            tables.extend(AgreementTable::new(name, &Self::rows(positions, &moves)));
        }
        tables
    }

    /// The tables of a player's moves in bands of `width` rating points, the lowest first, each with its band as the name.
    /// Positions without a rating have none.
    pub fn by_rating(positions: &[Self], moves: &[Move], width: u16) -> Vec<AgreementTable> {
        let mut bands: BTreeMap<u16, Vec<AgreementRow>> = BTreeMap::new();
        for (position, row) in positions.iter().zip(Self::rows(positions, moves)) {
            if let Some(rating) = position.rating {
                bands.entry(rating / width * width).or_default().push(row);
            }
        }
        let mut tables = Vec::new();
        for (&from, rows) in &bands {
            let name = format!("{from}-{}", from.saturating_add(width - 1));
            tables.extend(AgreementTable::new(&name, rows));
        }
        tables
    }

    /// The rows of a player that played these moves.
    pub fn rows(positions: &[Self], moves: &[Move]) -> Vec<AgreementRow> {
        let mut rows = Vec::with_capacity(positions.len());
        for (position, &played) in positions.iter().zip(moves) {
            let mode = position.game.castling_mode();
            rows.push(AgreementRow {
                group: position.group.clone(),
                first: print_uci_move(position.first, mode),
                second: print_uci_move(position.second, mode),
                played: print_uci_move(played, mode),
            });
        }
        rows
    }
}

/// Reads positions, or `sample` of them, from a CSV file with a heading. Lines that cannot be read are skipped and counted.
///
/// # Errors
/// [`LineError`] naming the line, if no line can be read.
pub fn read_positions(
    path: &Path,
    columns: &AgreementColumns,
    sample: Option<usize>,
) -> Result<Positions<AgreementPosition>, LineError> {
    let AgreementColumns { group, fen, first, second, others, ratings } = columns;
    let named = [group, fen, first, second].into_iter().chain(others).chain(ratings);
    let mut lines = Lines::open(path)?;
    let table = lines.columns(&named.map(String::as_str).collect::<Vec<_>>())?;
    lines.read(sample, "one position a line", Some(&table), |line, _| {
        let row = table.row(line).map_err(|problem| problem.detail)?;
        let game = Game::from_any_fen(row.field(fen)).map_err(|error| error.to_string())?;
        let mut moves = Vec::new();
        for name in [first, second].into_iter().chain(others) {
            let read = parse_uci_move(game.position(), row.field(name));
            moves.push(read.map_err(|error| error.to_string())?);
        }
        let rated: Vec<&str> = ratings.iter().map(|name| row.field(name)).collect();
        Ok(AgreementPosition {
            group: row.field(group).into(),
            first: moves[0],
            second: moves[1],
            others: others.iter().cloned().zip(moves[2..].iter().copied()).collect(),
            rating: mean_rating(&rated)?,
            game,
        })
    })
}

/// The mean of cells, which must be ratings; `None` without cells, or if one is empty.
fn mean_rating(cells: &[&str]) -> Result<Option<u16>, String> {
    if cells.contains(&"") {
        return Ok(None);
    }
    let mut sum = 0;
    for cell in cells {
        let rating: u16 = cell.parse().map_err(|_| format!("found {cell:?}, expected a rating"))?;
        sum += usize::from(rating);
    }
    Ok(sum.checked_div(cells.len()).and_then(|mean| u16::try_from(mean).ok()))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn read(text: &str) -> Result<Vec<AgreementPosition>, String> {
        read_rated(text, &[])
    }

    fn read_rated(text: &str, ratings: &[&str]) -> Result<Vec<AgreementPosition>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let columns = AgreementColumns {
            group: "game".into(),
            fen: "fen".into(),
            first: "a".into(),
            second: "b".into(),
            others: vec!["human".into()],
            ratings: ratings.iter().map(|&name| name.into()).collect(),
        };
        read_positions(file.path(), &columns, None).map(|read| read.found).map_err(|error| error.to_string())
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
    fn bands_hold_the_positions_of_their_ratings() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut text = String::from("game,fen,a,b,human,w,l\n");
        // Means 1199, 1200, 1399 and 1400.
        for (game, white, black) in [(1, 1100, 1299), (2, 1000, 1400), (3, 1398, 1400), (4, 1400, 1401)] {
            writeln!(text, "{game},{start},e2e4,d2d4,e2e4,{white},{black}").unwrap();
        }
        let positions = read_rated(&text, &["w", "l"]).unwrap();
        let played: Vec<Move> = positions.iter().map(|position| position.others[0].1).collect();
        let bands = AgreementPosition::by_rating(&positions, &played, 200);
        let found: Vec<_> = bands.iter().map(|band| (band.player.as_str(), band.positions)).collect();
        assert_eq!(found, [("1000-1199", 1), ("1200-1399", 2), ("1400-1599", 1)]);
        assert_eq!(bands[1].counts, [0.0, 2.0, 0.0, 0.0]);
        let unrated = read(&text).unwrap();
        assert!(AgreementPosition::by_rating(&unrated, &played, 200).is_empty());
        let wrong = read_rated(&text, &["a"]).unwrap_err();
        assert!(wrong.contains("found \"e2e4\", expected a rating"), "{wrong}");
    }

    #[test]
    fn bad_files_are_named() {
        for (text, expected) in [
            ("game,fen,a,b\n", "expected human among them"),
            ("game,fen,a,b,human\n", "expected one position a line"),
            ("game,fen,a,b,human\n1,nonsense,e2e4,e2e4,e2e4\n", ":2: "),
            ("game,fen,a,b,human\n1,8/8/4k3/8/8/3K4/4P3/8 w - - 0 1,e2e5,e2e4,e2e4\n", ":2: "),
            ("game,fen,a,b,human\n1,8/8/4k3/8/8/3K4/4P3/8 w - - 0 1,e2e4\n", "3 fields, expected 5"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
