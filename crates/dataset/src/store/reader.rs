//! Reads row groups back into samples.

mod columns;

use std::path::Path;

use chess::Score;
use parquet::{
    data_type::{
        ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    },
    errors::ParquetError,
    file::reader::RowGroupReader,
};

use self::columns::{Columns, Lists};
use super::scores;
use crate::{
    DatasetError, GameResult,
    history::History,
    packed_move::PackedMove,
    packed_position::PackedPosition,
    policy::PolicyLabel,
    record::{Eco, SearchEffort, TimeControl},
    sample::{Sample, SearchValue},
};

/// All rows of a row group, in order.
pub(crate) fn read_row_group(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<Sample>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let raw = RawColumns::read(&Columns { group, rows }).map_err(DatasetError::parquet("read", path))?;
    (0..rows)
        .map(|row| {
            raw.sample(row).map_err(|reason| DatasetError::BadRow {
                path: path.into(),
                row_group,
                row,
                reason,
            })
        })
        .collect()
}

/// The positions of a row group, in order.
pub(crate) fn read_positions(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<PackedPosition>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let columns = Columns { group, rows };
    let raw = columns.required::<FixedLenByteArrayType>("position");
    let bad_row = |row| DatasetError::BadRow {
        path: path.into(),
        row_group,
        row,
        reason: "position of wrong length".into(),
    };
    let packed = |(row, bytes): (usize, FixedLenByteArray)| {
        bytes.data().try_into().map(PackedPosition).map_err(|_| bad_row(row))
    };
    raw.map_err(DatasetError::parquet("read", path))?.into_iter().enumerate().map(packed).collect()
}

/// The columns as Parquet gives them.
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
    fn read(columns: &Columns<'_>) -> Result<Self, ParquetError> {
        let number = |name| columns.optional::<Int32Type>(name);
        let present = |name| columns.required::<Int32Type>(name);
        Ok(Self {
            positions: columns.required::<FixedLenByteArrayType>("position")?,
            best_moves: present("best_move")?,
            played_moves: number("played_move")?,
            centipawns: number("centipawns")?,
            mates: number("mate")?,
            results: number("result")?,
            plies: present("ply")?,
            white_ratings: number("white_rating")?,
            black_ratings: number("black_rating")?,
            games: columns.optional::<Int64Type>("game")?,
            repetitions: present("repetitions")?,
            slips: present("slips")?,
            sources: present("source")?,
            policy_moves: columns.lists("policy_moves")?,
            policy_scores: columns.lists("policy_scores")?,
            policy_visits: columns.lists("policy_visits")?,
            search_wins: number("search_win")?,
            search_losses: number("search_loss")?,
            engines: number("engine")?,
            depths: number("depth")?,
            nodes: columns.optional::<Int64Type>("nodes")?,
            clocks: number("clock_seconds")?,
            bases: number("base_seconds")?,
            increments: number("increment_seconds")?,
            ecos: columns.optional::<ByteArrayType>("eco")?,
            origins: number("origin")?,
            weights: columns.optional::<FloatType>("weight")?,
            histories: columns.optional::<ByteArrayType>("history")?,
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
            time_control: self.bases[row].zip(self.increments[row]).map(|(base, increment)| TimeControl {
                base_seconds: base.cast_unsigned(),
                increment_seconds: increment.cast_unsigned(),
            }),
            eco: self.eco(row)?,
            origin: match self.origins[row] {
                None => None,
                Some(number) => {
                    Some(super::origin_of(number).ok_or_else(|| format!("origin {number} is unknown"))?)
                }
            },
            weight: self.weights[row].unwrap_or(1.0),
        })
    }

    fn evaluation(&self, row: usize) -> Result<Option<Score>, String> {
        match (self.centipawns[row], self.mates[row]) {
            (Some(centipawns), None) => Ok(Some(Score::Centipawns(centipawns))),
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
        let (scores, visits) = (self.policy_scores.row(row), self.policy_visits.row(row));
        let moves = self.policy_moves.row(row);
        if moves.is_empty() && scores.is_empty() && visits.is_empty() {
            return Ok(PolicyLabel::BestMove);
        }
        if scores.len().min(visits.len()) > 0 || scores.len().max(visits.len()) != moves.len() + 1 {
            return Err(format!(
                "{} policy_moves with {} scores and {} visits, expected one kind for them and best_move",
                moves.len(),
                scores.len(),
                visits.len()
            ));
        }
        let bits = std::iter::once(&self.best_moves[row]).chain(moves);
        let moves = bits.map(|&bits| narrow("policy_moves", bits).map(PackedMove));
        if scores.is_empty() {
            let visited = moves.zip(visits).map(|(packed, visits)| Ok((packed?, visits.cast_unsigned())));
            return Ok(PolicyLabel::Visits(visited.collect::<Result<_, String>>()?));
        }
        let scored = moves.zip(scores).map(|(packed, &score)| Ok((packed?, scores::decode(score))));
        Ok(PolicyLabel::Scores(scored.collect::<Result<_, String>>()?))
    }

    fn search_value(&self, row: usize) -> Result<Option<SearchValue>, String> {
        let Some((win, loss)) = self.search_wins[row].zip(self.search_losses[row]) else { return Ok(None) };
        let value = SearchValue { win: narrow("search_win", win)?, loss: narrow("search_loss", loss)? };
        let whole = u32::from(value.win) + u32::from(value.loss);
        if whole > u32::from(SearchValue::WHOLE) {
            return Err(format!("search_win and search_loss add up to {whole}, expected at most 10000"));
        }
        Ok(Some(value))
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

fn maybe<T: TryFrom<i32>>(column: &str, value: Option<i32>) -> Result<Option<T>, String> {
    value.map(|value| narrow(column, value)).transpose()
}
