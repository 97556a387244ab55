//! Reads row groups back into samples.

use std::path::Path;

use chess::Score;
use parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader},
    data_type::{ByteArrayType, DataType, FixedLenByteArrayType, Int32Type, Int64Type},
    errors::ParquetError,
    file::reader::RowGroupReader,
};

use super::schema::Column;
use crate::{
    DatasetError, GameResult, history::History, packed_move::PackedMove, packed_position::PackedPosition,
    sample::Sample,
};

/// All rows of a row group, in order.
pub(crate) fn read_row_group(
    group: &dyn RowGroupReader,
    path: &Path,
    row_group: usize,
) -> Result<Vec<Sample>, DatasetError> {
    let rows = group.metadata().num_rows() as usize;
    let columns = Columns { group, rows };
    let raw = columns.read().map_err(DatasetError::parquet("read", path))?;
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

struct Columns<'a> {
    group: &'a dyn RowGroupReader,
    rows: usize,
}

/// The columns as Parquet gives them.
struct RawColumns {
    positions: Vec<parquet::data_type::FixedLenByteArray>,
    best_moves: Vec<i32>,
    played_moves: Vec<Option<i32>>,
    centipawns: Vec<Option<i32>>,
    mates: Vec<Option<i32>>,
    results: Vec<Option<i32>>,
    plies: Vec<i32>,
    white_ratings: Vec<Option<i32>>,
    black_ratings: Vec<Option<i32>>,
    games: Vec<i64>,
    repetitions: Vec<i32>,
    slips: Vec<i32>,
    sources: Vec<i32>,
    histories: Option<Vec<parquet::data_type::ByteArray>>,
}

impl Columns<'_> {
    fn read(&self) -> Result<RawColumns, ParquetError> {
        let with_history = self.group.num_columns() > Column::History as usize;
        Ok(RawColumns {
            positions: self.required::<FixedLenByteArrayType>(Column::Position)?,
            best_moves: self.required::<Int32Type>(Column::BestMove)?,
            played_moves: self.optional(Column::PlayedMove)?,
            centipawns: self.optional(Column::Centipawns)?,
            mates: self.optional(Column::Mate)?,
            results: self.optional(Column::Result)?,
            plies: self.required::<Int32Type>(Column::Ply)?,
            white_ratings: self.optional(Column::WhiteRating)?,
            black_ratings: self.optional(Column::BlackRating)?,
            games: self.required::<Int64Type>(Column::Game)?,
            repetitions: self.required::<Int32Type>(Column::Repetitions)?,
            slips: self.required::<Int32Type>(Column::Slips)?,
            sources: self.required::<Int32Type>(Column::Source)?,
            histories: with_history.then(|| self.required::<ByteArrayType>(Column::History)).transpose()?,
        })
    }

    fn reader<T: DataType>(&self, column: Column) -> Result<ColumnReaderImpl<T>, ParquetError> {
        let reader: ColumnReader = self.group.get_column_reader(column as usize)?;
        Ok(get_typed_column_reader(reader))
    }

    fn required<T: DataType>(&self, column: Column) -> Result<Vec<T::T>, ParquetError> {
        let mut values = Vec::with_capacity(self.rows);
        let (rows, ..) = self.reader::<T>(column)?.read_records(self.rows, None, None, &mut values)?;
        self.check(column, rows)?;
        Ok(values)
    }

    fn optional(&self, column: Column) -> Result<Vec<Option<i32>>, ParquetError> {
        let mut values = Vec::with_capacity(self.rows);
        let mut levels = Vec::with_capacity(self.rows);
        let mut reader = self.reader::<Int32Type>(column)?;
        let (rows, ..) = reader.read_records(self.rows, Some(&mut levels), None, &mut values)?;
        self.check(column, rows)?;
        let mut values = values.into_iter();
        Ok(levels.into_iter().map(|level| if level == 1 { values.next() } else { None }).collect())
    }

    fn check(&self, column: Column, rows: usize) -> Result<(), ParquetError> {
        if rows == self.rows {
            return Ok(());
        }
        Err(ParquetError::General(format!("column {column:?} has {rows} rows, expected {}", self.rows)))
    }
}

impl RawColumns {
    fn sample(&self, row: usize) -> Result<Sample, String> {
        let position = self.positions[row].data().try_into().map_err(|_| "position of wrong length")?;
        let evaluation = match (self.centipawns[row], self.mates[row]) {
            (Some(centipawns), None) => Some(Score::Centipawns(centipawns)),
            (None, Some(moves)) => Some(Score::Mate(moves)),
            (None, None) => None,
            (Some(_), Some(_)) => return Err("both centipawns and mate".into()),
        };
        let result = match self.results[row] {
            None => None,
            Some(1) => Some(GameResult::Win),
            Some(0) => Some(GameResult::Draw),
            Some(-1) => Some(GameResult::Loss),
            Some(other) => return Err(format!("result {other}, expected 1, 0 or -1")),
        };
        Ok(Sample {
            position: PackedPosition(position),
            best_move: PackedMove(narrow("best_move", self.best_moves[row])?),
            played_move: self.played_moves[row]
                .map(|played| narrow("played_move", played).map(PackedMove))
                .transpose()?,
            evaluation,
            result,
            ply: narrow("ply", self.plies[row])?,
            white_rating: self.white_ratings[row].map(|rating| narrow("white_rating", rating)).transpose()?,
            black_rating: self.black_ratings[row].map(|rating| narrow("black_rating", rating)).transpose()?,
            game: self.games[row].cast_unsigned(),
            repetitions: narrow("repetitions", self.repetitions[row])?,
            slips: narrow("slips", self.slips[row])?,
            source: narrow("source", self.sources[row])?,
            history: self
                .histories
                .as_ref()
                .map_or_else(History::default, |histories| History(histories[row].data().into())),
        })
    }
}

fn narrow<T: TryFrom<i32>>(column: &str, value: i32) -> Result<T, String> {
    value.try_into().map_err(|_| format!("{column} {value} is out of range"))
}
