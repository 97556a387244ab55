//! Rows of the columns of a store as samples, wherever the columns come from.

use chess::Score;
use parquet::data_type::{ByteArray, FixedLenByteArray};

use super::schema::origin_of;
use crate::{
    GameResult,
    history::History,
    packed_move::PackedMove,
    packed_position::PackedPosition,
    policy::PolicyLabel,
    record::{Eco, SearchEffort, TimeControl},
    sample::{Sample, SearchValue},
};

/// Columns of some rows: a row group of a Parquet file, or a query result. A column that an earlier version
/// of the store lacks has no value in any row. Unsigned numbers of the full width of a type are returned as
/// signed ones with the same bits.
pub trait ColumnSource {
    /// Error of a column that is not available.
    type Error;

    /// A column of byte strings of one length, one in each row.
    ///
    /// # Errors
    /// The errors of the source, as for all other columns.
    fn fixed(&self, name: &str) -> Result<Vec<FixedLenByteArray>, Self::Error>;

    /// A column with a number in each row.
    ///
    /// # Errors
    /// Also if a row has none.
    fn present(&self, name: &str) -> Result<Vec<i32>, Self::Error>;

    /// A column of numbers that may lack some.
    ///
    /// # Errors
    /// The errors of the source.
    fn numbers(&self, name: &str) -> Result<Vec<Option<i32>>, Self::Error>;

    /// A column of numbers of 64 bits that may lack some.
    ///
    /// # Errors
    /// The errors of the source.
    fn long_numbers(&self, name: &str) -> Result<Vec<Option<i64>>, Self::Error>;

    /// A column of real numbers that may lack some.
    ///
    /// # Errors
    /// The errors of the source.
    fn reals(&self, name: &str) -> Result<Vec<Option<f32>>, Self::Error>;

    /// A column of texts or byte strings that may lack some.
    ///
    /// # Errors
    /// The errors of the source.
    fn bytes(&self, name: &str) -> Result<Vec<Option<ByteArray>>, Self::Error>;

    /// A column of lists of numbers.
    ///
    /// # Errors
    /// The errors of the source.
    fn lists(&self, name: &str) -> Result<Lists, Self::Error>;
}

/// Lists of numbers, one per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    /// Start of each row's list in `values`, and the end of the last one.
    offsets: Vec<usize>,
    values: Vec<i32>,
}

impl Lists {
    /// Lists that follow each other in `values`; the offsets are where each begins, and the end of the values. None if an offset
    /// is less than the one before, or the last one is not the end of the values.
    pub fn new(offsets: Vec<usize>, values: Vec<i32>) -> Option<Self> {
        let is_whole = offsets.last() == Some(&values.len()) && offsets.is_sorted();
        is_whole.then_some(Self { offsets, values })
    }

    /// A list without numbers for each row.
    pub fn empty(rows: usize) -> Self {
        Self { offsets: vec![0; rows + 1], values: Vec::new() }
    }

    fn row(&self, row: usize) -> &[i32] {
        &self.values[self.offsets[row]..self.offsets[row + 1]]
    }

    /// Number of lists, one per row.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// The samples of some rows, in order. A row that is not a valid sample is an error with the reason.
///
/// # Errors
/// The errors of the source. Its columns must have as many rows as requested.
pub fn samples<C: ColumnSource>(
    columns: &C,
    rows: usize,
) -> Result<impl Iterator<Item = Result<Sample, String>> + use<C>, C::Error> {
    let raw = RawColumns::read(columns)?;
    Ok((0..rows).map(move |row| raw.sample(row)))
}

/// The columns as returned by their source.
//
// Parquet stores columns and the loader needs rows, so all columns are decoded first, each in one loop, and rows are then put together
// from the vectors. Everything that a column can hold and a sample cannot is an error of its row, because other programs write stores
// too: an index, a result or a weight that were taken on trust would be trained on without a sign.
struct RawColumns {
    positions: Vec<FixedLenByteArray>,
    best_moves: Vec<i32>,
    played_moves: Vec<Option<i32>>,
    centipawns: Vec<Option<i32>>,
    mates: Vec<Option<i32>>,
    results: Vec<Option<i32>>,
    plies: Vec<i32>,
    white_ratings: Vec<Option<i32>>,
    black_ratings: Vec<Option<i32>>,
    games: Vec<Option<i64>>,
    repetitions: Vec<i32>,
    slips: Vec<i32>,
    sources: Vec<i32>,
    policy_moves: Lists,
    policy_scores: Lists,
    policy_visits: Lists,
    search_wins: Vec<Option<i32>>,
    search_losses: Vec<Option<i32>>,
    engines: Vec<Option<i32>>,
    depths: Vec<Option<i32>>,
    nodes: Vec<Option<i64>>,
    clocks: Vec<Option<i32>>,
    bases: Vec<Option<i32>>,
    increments: Vec<Option<i32>>,
    ecos: Vec<Option<ByteArray>>,
    origins: Vec<Option<i32>>,
    weights: Vec<Option<f32>>,
    histories: Vec<Option<ByteArray>>,
}

impl RawColumns {
    fn read<C: ColumnSource>(columns: &C) -> Result<Self, C::Error> {
        Ok(Self {
            positions: columns.fixed("position")?,
            best_moves: columns.present("best_move")?,
            played_moves: columns.numbers("played_move")?,
            centipawns: columns.numbers("centipawns")?,
            mates: columns.numbers("mate")?,
            results: columns.numbers("result")?,
            plies: columns.present("ply")?,
            white_ratings: columns.numbers("white_rating")?,
            black_ratings: columns.numbers("black_rating")?,
            games: columns.long_numbers("game")?,
            repetitions: columns.present("repetitions")?,
            slips: columns.present("slips")?,
            sources: columns.present("source")?,
            policy_moves: columns.lists("policy_moves")?,
            policy_scores: columns.lists("policy_scores")?,
            policy_visits: columns.lists("policy_visits")?,
            search_wins: columns.numbers("search_win")?,
            search_losses: columns.numbers("search_loss")?,
            engines: columns.numbers("engine")?,
            depths: columns.numbers("depth")?,
            nodes: columns.long_numbers("nodes")?,
            clocks: columns.numbers("clock_seconds")?,
            bases: columns.numbers("base_seconds")?,
            increments: columns.numbers("increment_seconds")?,
            ecos: columns.bytes("eco")?,
            origins: columns.numbers("origin")?,
            weights: columns.reals("weight")?,
            histories: columns.bytes("history")?,
        })
    }

    fn sample(&self, row: usize) -> Result<Sample, String> {
        let position = self.positions[row].data().try_into().map_err(|_| "position of wrong length")?;
        let history = self.histories[row].as_ref();
        Ok(Sample {
            position: PackedPosition(position),
            best_move: PackedMove(narrow("best_move", self.best_moves[row])?),
            played_move: maybe("played_move", self.played_moves[row])?.map(PackedMove),
            evaluation: self.evaluation(row)?,
            result: self.result(row)?,
            ply: narrow("ply", self.plies[row])?,
            white_rating: maybe("white_rating", self.white_ratings[row])?,
            black_rating: maybe("black_rating", self.black_ratings[row])?,
            game: self.games[row].map(i64::cast_unsigned),
            repetitions: narrow("repetitions", self.repetitions[row])?,
            slips: narrow("slips", self.slips[row])?,
            source: narrow("source", self.sources[row])?,
            history: history.map_or_else(History::default, |history| History(history.data().into())),
            policy: self.policy(row)?,
            search_value: self.search_value(row)?,
            engine: maybe("engine", self.engines[row])?,
            effort: SearchEffort {
                depth: maybe("depth", self.depths[row])?,
                nodes: self.nodes[row].map(i64::cast_unsigned),
            },
            clock_seconds: self.clocks[row].map(i32::cast_unsigned),
            time_control: both(["base_seconds", "increment_seconds"], self.bases[row], self.increments[row])?
                .map(|(base, increment)| TimeControl {
                    base_seconds: base.cast_unsigned(),
                    increment_seconds: increment.cast_unsigned(),
                }),
            eco: self.eco(row)?,
            origin: match self.origins[row] {
                None => None,
                Some(number) => Some(origin_of(number).ok_or_else(|| format!("origin {number} is unknown"))?),
            },
            weight: self.weight(row)?,
        })
    }

    fn evaluation(&self, row: usize) -> Result<Option<Score>, String> {
        match (self.centipawns[row], self.mates[row]) {
            (Some(centipawns), None) => Ok(Some(Score::Centipawns(centipawns))),
            (None, Some(0)) => {
                Err("mate 0, expected the moves to a mate: a position with a move is none".into())
            }
            (None, Some(moves)) => Ok(Some(Score::Mate(moves))),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err("both centipawns and mate".into()),
        }
    }

    fn result(&self, row: usize) -> Result<Option<GameResult>, String> {
        match self.results[row] {
            None => Ok(None),
            Some(1) => Ok(Some(GameResult::Win)),
            Some(0) => Ok(Some(GameResult::Draw)),
            Some(-1) => Ok(Some(GameResult::Loss)),
            Some(other) => Err(format!("result {other}, expected 1, 0 or -1")),
        }
    }

    fn policy(&self, row: usize) -> Result<PolicyLabel, String> {
        // Scores and visits exclude each other, and either has one number more than there are other moves.
        let (scores, visits) = (self.policy_scores.row(row), self.policy_visits.row(row));
        let moves = self.policy_moves.row(row);
        if moves.is_empty() && scores.is_empty() && visits.is_empty() {
            return Ok(PolicyLabel::BestMove);
        }
        if scores.len().min(visits.len()) > 0 || scores.len().max(visits.len()) != moves.len() + 1 {
            return Err(format!(
                "{} policy_moves with {} scores and {} visits, expected scores or visits for each of them and for best_move",
                moves.len(),
                scores.len(),
                visits.len()
            ));
        }
        if moves.contains(&self.best_moves[row]) {
            return Err("policy_moves holds best_move again, expected the other moves".into());
        }
        // The best move is stored once, in its own column; the label begins with it.
        let bits = std::iter::once(&self.best_moves[row]).chain(moves);
        let moves = bits.map(|&bits| narrow("policy_moves", bits).map(PackedMove));
        if scores.is_empty() {
            let visited = moves.zip(visits).map(|(packed, visits)| Ok((packed?, visits.cast_unsigned())));
            return Ok(PolicyLabel::Visits(visited.collect::<Result<_, String>>()?));
        }
        let scored = moves.zip(scores).map(|(packed, &score)| Ok((packed?, decode_score(score))));
        Ok(PolicyLabel::Scores(scored.collect::<Result<_, String>>()?))
    }

    fn search_value(&self, row: usize) -> Result<Option<SearchValue>, String> {
        let values = both(["search_win", "search_loss"], self.search_wins[row], self.search_losses[row])?;
        let Some((win, loss)) = values else { return Ok(None) };
        let value = SearchValue { win: narrow("search_win", win)?, loss: narrow("search_loss", loss)? };
        let whole = u32::from(value.win) + u32::from(value.loss);
        if whole > u32::from(SearchValue::WHOLE) {
            return Err(format!("search_win and search_loss add up to {whole}, expected at most 10000"));
        }
        Ok(Some(value))
    }

    /// Weights are factors of losses: a negative or infinite one would train towards nonsense.
    fn weight(&self, row: usize) -> Result<f32, String> {
        let weight = self.weights[row].unwrap_or(1.0);
        let is_weight = weight.is_finite() && weight >= 0.0;
        if is_weight {
            Ok(weight)
        } else {
            Err(format!("weight {weight}, expected a finite number of at least 0"))
        }
    }

    fn eco(&self, row: usize) -> Result<Option<Eco>, String> {
        let Some(text) = &self.ecos[row] else { return Ok(None) };
        let code = Eco::parse(text.data());
        code.map(Some).ok_or_else(|| format!("eco {:?}", String::from_utf8_lossy(text.data())))
    }
}

fn narrow<T: TryFrom<i32>>(column: &str, value: i32) -> Result<T, String> {
    value.try_into().map_err(|_| format!("{column} {value} is out of range"))
}

/// Two columns that have values in the same rows.
fn both(columns: [&str; 2], first: Option<i32>, second: Option<i32>) -> Result<Option<(i32, i32)>, String> {
    match (first, second) {
        (None, None) => Ok(None),
        (Some(first), Some(second)) => Ok(Some((first, second))),
        _ => Err(format!("one of {} and {}, expected both or neither", columns[0], columns[1])),
    }
}

fn maybe<T: TryFrom<i32>>(column: &str, value: Option<i32>) -> Result<Option<T>, String> {
    value.map(|value| narrow(column, value)).transpose()
}

// Mates and centipawns share one column of numbers. Mates are at its ends, in the range that an `i16` of moves needs; a score of
// centipawns that lies there would come back as a mate, so it is clamped to the rest, which reaches 672 pawns.
const MATE: i32 = 100_000;

/// The largest number of centipawns that is not taken for a mate.
const MOST_CENTIPAWNS: i32 = MATE - 1 - i16::MAX as i32 - 1;

/// The number of an evaluation, an element of the column `policy_scores`. Centipawns are stored unchanged; those beyond
/// [`MOST_CENTIPAWNS`] are clamped to it. A mate in n moves is 100,000 - n, being mated in n moves -100,000 + n, so the order
/// of the numbers is that of the moves.
pub(super) fn encode_score(score: Score) -> i32 {
    match score {
        Score::Centipawns(centipawns) => centipawns.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS),
        Score::Mate(moves) if moves > 0 => MATE - moves.min(i32::from(i16::MAX)),
        Score::Mate(moves) => -MATE - moves.max(-i32::from(i16::MAX)),
    }
}

pub(super) fn decode_score(number: i32) -> Score {
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
            assert!(encode_score(pair[0]) < encode_score(pair[1]), "{pair:?}");
        }
        for score in ladder {
            assert_eq!(decode_score(encode_score(score)), score);
        }
    }

    #[test]
    fn no_number_breaks_decoding() {
        for number in [i32::MIN, i32::MIN + 1, -200_000, 200_000, i32::MAX] {
            let _ = decode_score(number);
        }
    }
}
