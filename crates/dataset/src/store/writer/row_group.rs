//! The columns of a row group, in the order of the schema.

use std::io::Write;

use chess::Score;
use parquet::{
    data_type::{
        ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int32Type,
        Int64Type,
    },
    errors::ParquetError,
    file::writer::SerializedRowGroupWriter,
};

use crate::{
    GameResult,
    packed_move::PackedMove,
    packed_position::PACKED_POSITION_BYTES,
    policy::PolicyLabel,
    sample::Sample,
    store::{rows::encode_score, schema::origin_number},
};

pub(super) fn write<W: Write + Send>(
    group: SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
) -> Result<(), ParquetError> {
    // Columns are written by position, not by name: the order of these calls must be that of the schema. Two neighbours of one type in the
    // wrong order would be written without an error; the test that reads samples back with arbitrary values in every field finds it.
    let mut columns = Columns { group, rows };
    columns.bytes::<FixedLenByteArrayType>(|sample| Some(&sample.position.0), FixedLenByteArray::from)?;
    columns.required::<Int32Type>(|sample| i32::from(sample.best_move.0))?;
    columns.optional::<Int32Type>(|sample| sample.played_move.map(|played| i32::from(played.0)))?;
    columns.optional::<Int32Type>(|sample| match sample.evaluation {
        Some(Score::Centipawns(centipawns)) => Some(centipawns),
        _ => None,
    })?;
    columns.optional::<Int32Type>(|sample| match sample.evaluation {
        Some(Score::Mate(moves)) => Some(moves),
        _ => None,
    })?;
    columns.optional::<Int32Type>(|sample| sample.result.map(result_number))?;
    columns.required::<Int32Type>(|sample| i32::from(sample.ply))?;
    columns.optional::<Int32Type>(|sample| sample.white_rating.map(i32::from))?;
    columns.optional::<Int32Type>(|sample| sample.black_rating.map(i32::from))?;
    columns.optional::<Int64Type>(|sample| sample.game.map(u64::cast_signed))?;
    columns.required::<Int32Type>(|sample| i32::from(sample.repetitions))?;
    columns.required::<Int32Type>(|sample| i32::from(sample.slips))?;
    columns.required::<Int32Type>(|sample| i32::from(sample.source))?;
    // The first move is `best_move`.
    columns.lists(|sample, list| match &sample.policy {
        PolicyLabel::BestMove => {}
        PolicyLabel::Scores(scores) => list.extend(scores.iter().skip(1).map(|&(packed, _)| bits(packed))),
        PolicyLabel::Visits(visits) => list.extend(visits.iter().skip(1).map(|&(packed, _)| bits(packed))),
    })?;
    columns.lists(|sample, list| {
        if let PolicyLabel::Scores(scores) = &sample.policy {
            list.extend(scores.iter().map(|&(_, score)| encode_score(score)));
        }
    })?;
    columns.lists(|sample, list| {
        if let PolicyLabel::Visits(visits) = &sample.policy {
            list.extend(visits.iter().map(|&(_, visits)| visits.cast_signed()));
        }
    })?;
    columns.optional::<Int32Type>(|sample| sample.search_value.map(|value| i32::from(value.win)))?;
    columns.optional::<Int32Type>(|sample| sample.search_value.map(|value| i32::from(value.loss)))?;
    columns.optional::<Int32Type>(|sample| sample.engine.map(i32::from))?;
    columns.optional::<Int32Type>(|sample| sample.effort.depth.map(i32::from))?;
    columns.optional::<Int64Type>(|sample| sample.effort.nodes.map(u64::cast_signed))?;
    columns.optional::<Int32Type>(|sample| sample.clock_seconds.map(u32::cast_signed))?;
    columns
        .optional::<Int32Type>(|sample| sample.time_control.map(|time| time.base_seconds.cast_signed()))?;
    columns.optional::<Int32Type>(|sample| {
        sample.time_control.map(|time| time.increment_seconds.cast_signed())
    })?;
    columns.bytes::<ByteArrayType>(
        |sample| sample.eco.as_ref().map(crate::record::Eco::as_bytes),
        std::convert::identity,
    )?;
    columns.optional::<Int32Type>(|sample| sample.origin.and_then(origin_number))?;
    columns.required::<FloatType>(|sample| sample.weight)?;
    // The history is the last column, and only there when the schema has it.
    if rows.iter().any(|sample| !sample.history.is_empty()) {
        columns.bytes::<ByteArrayType>(|sample| Some(&sample.history.0), std::convert::identity)?;
    }
    columns.group.close()?;
    Ok(())
}

fn bits(packed: PackedMove) -> i32 {
    i32::from(packed.0)
}

/// Seen by the side to move: 1 won, 0 drawn, -1 lost.
fn result_number(result: GameResult) -> i32 {
    match result {
        GameResult::Win => 1,
        GameResult::Draw => 0,
        GameResult::Loss => -1,
    }
}

/// A row group whose columns are written in the order of the schema.
struct Columns<'a, 'file, W: Write> {
    group: SerializedRowGroupWriter<'file, W>,
    rows: &'a [Sample],
}

impl<W: Write + Send> Columns<'_, '_, W> {
    fn required<T: DataType>(&mut self, value: impl Fn(&Sample) -> T::T) -> Result<(), ParquetError> {
        let values: Vec<T::T> = self.rows.iter().map(value).collect();
        self.write::<T>(&values, None, None)
    }

    /// A column without a value in some rows.
    fn optional<T: DataType>(&mut self, value: impl Fn(&Sample) -> Option<T::T>) -> Result<(), ParquetError> {
        let mut values = Vec::with_capacity(self.rows.len());
        let mut levels = Vec::with_capacity(self.rows.len());
        for sample in self.rows {
            let value = value(sample);
            levels.push(i16::from(value.is_some()));
            values.extend(value);
        }
        self.write::<T>(&values, Some(&levels), None)
    }

    /// A column of byte strings, which are slices of one buffer: that saves one allocation per row.
    fn bytes<T: DataType>(
        &mut self,
        bytes: impl Fn(&Sample) -> Option<&[u8]>,
        wrap: fn(ByteArray) -> T::T,
    ) -> Result<(), ParquetError> {
        let mut buffer = Vec::with_capacity(self.rows.len() * PACKED_POSITION_BYTES);
        let mut levels = Vec::with_capacity(self.rows.len());
        for sample in self.rows {
            let bytes = bytes(sample);
            levels.push(i16::from(bytes.is_some()));
            buffer.extend_from_slice(bytes.unwrap_or_default());
        }
        let buffer = ByteArray::from(buffer);
        let mut values = Vec::with_capacity(self.rows.len());
        let mut start = 0;
        for bytes in self.rows.iter().filter_map(bytes) {
            values.push(wrap(buffer.slice(start, bytes.len())));
            start += bytes.len();
        }
        self.write::<T>(&values, Some(&levels), None)
    }

    /// A column of lists; `fill` appends the list of a sample.
    //
    // Parquet stores nested values flat, with two numbers for each (Dremel: S. Melnik et al., 2010). The repetition level is 0 for the
    // first value of a row and 1 for those that continue its list; the definition level is 1 for a value and 0 for an empty list, which
    // takes a place among the levels and none among the values.
    fn lists(&mut self, fill: impl Fn(&Sample, &mut Vec<i32>)) -> Result<(), ParquetError> {
        let (mut values, mut levels, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        for sample in self.rows {
            let start = values.len();
            fill(sample, &mut values);
            let length = values.len() - start;
            levels.extend(std::iter::repeat_n(i16::from(length > 0), length.max(1)));
            repetitions.push(0);
            repetitions.extend(std::iter::repeat_n(1, length.saturating_sub(1)));
        }
        self.write::<Int32Type>(&values, Some(&levels), Some(&repetitions))
    }

    fn write<T: DataType>(
        &mut self,
        values: &[T::T],
        levels: Option<&[i16]>,
        repetitions: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let Some(mut column) = self.group.next_column()? else {
            return Err(ParquetError::General("more columns than the schema has".into()));
        };
        column.typed::<T>().write_batch(values, levels, repetitions)?;
        column.close()
    }
}
