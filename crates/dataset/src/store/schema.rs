//! The columns of a sample store. `docs/formats.md` describes them for readers in other languages.

use std::sync::Arc;

use parquet::{
    basic::{Compression, Encoding, ZstdLevel},
    errors::ParquetError,
    file::properties::{EnabledStatistics, WriterProperties, WriterVersion},
    schema::{
        parser::parse_message_type,
        types::{ColumnPath, Type},
    },
};

/// Rows in a row group: large enough to compress well, small enough that a loader holds several.
pub const ROW_GROUP_ROWS: usize = 1 << 16;

/// Row groups in a file before the next one is started: files of about 16 million positions.
pub(crate) const FILE_ROW_GROUPS: usize = 256;

/// A column; its number is its place in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Position,
    BestMove,
    PlayedMove,
    Centipawns,
    Mate,
    Result,
    Ply,
    WhiteRating,
    BlackRating,
    Game,
    Repetitions,
    Slips,
    Source,
    History,
}

const COLUMNS: &str = "
    REQUIRED FIXED_LEN_BYTE_ARRAY (34) position;
    REQUIRED INT32 best_move (INTEGER(16,false));
    OPTIONAL INT32 played_move (INTEGER(16,false));
    OPTIONAL INT32 centipawns;
    OPTIONAL INT32 mate (INTEGER(16,true));
    OPTIONAL INT32 result (INTEGER(8,true));
    REQUIRED INT32 ply (INTEGER(16,false));
    OPTIONAL INT32 white_rating (INTEGER(16,false));
    OPTIONAL INT32 black_rating (INTEGER(16,false));
    REQUIRED INT64 game (INTEGER(64,false));
    REQUIRED INT32 repetitions (INTEGER(8,false));
    REQUIRED INT32 slips (INTEGER(8,false));
    REQUIRED INT32 source (INTEGER(16,false));";

/// The Parquet schema, with the column `history` where the store keeps one.
pub(crate) fn schema(with_history: bool) -> Result<Arc<Type>, ParquetError> {
    let history = if with_history { "REQUIRED BYTE_ARRAY history;" } else { "" };
    parse_message_type(&format!("message sample {{ {COLUMNS} {history} }}")).map(Arc::new)
}

/// How the columns are written. Chosen by measurement on master games: a dictionary for the moves (a few hundred
/// frequent ones), differences for the ply (mostly one), zstd's fastest level for all.
pub(crate) fn writer_properties() -> Result<WriterProperties, ParquetError> {
    let plain = |name: &str| ColumnPath::from(name);
    Ok(WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("tabiya ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_data_page_row_count_limit(ROW_GROUP_ROWS)
        .set_write_batch_size(ROW_GROUP_ROWS)
        .set_column_dictionary_enabled(plain("position"), false)
        .set_column_statistics_enabled(plain("position"), EnabledStatistics::None)
        .set_column_dictionary_enabled(plain("history"), false)
        .set_column_statistics_enabled(plain("history"), EnabledStatistics::None)
        .set_column_dictionary_enabled(plain("ply"), false)
        .set_column_encoding(plain("ply"), Encoding::DELTA_BINARY_PACKED)
        .build())
}
