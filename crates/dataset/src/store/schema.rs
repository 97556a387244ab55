//! The columns of a sample store. `docs/formats.md` describes them for readers in other languages.

use std::sync::Arc;

use parquet::{
    basic::{Compression, Encoding, ZstdLevel},
    errors::ParquetError,
    file::properties::{EnabledStatistics, WriterProperties, WriterVersion},
    schema::{
        parser::parse_message_type,
        types::{ColumnPath, SchemaDescriptor, Type},
    },
};

use crate::record::Origin;

/// Rows in a row group: large enough to compress well, small enough that a loader holds several.
pub const ROW_GROUP_ROWS: usize = 1 << 16;

/// Row groups in a file before the next one is started: files of about 16 million positions.
pub(crate) const FILE_ROW_GROUPS: usize = 256;

pub(crate) const VERSION: u32 = 2;

/// The columns in the order in which they are written.
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
    OPTIONAL INT64 game (INTEGER(64,false));
    REQUIRED INT32 repetitions (INTEGER(8,false));
    REQUIRED INT32 slips (INTEGER(8,false));
    REQUIRED INT32 source (INTEGER(16,false));
    REQUIRED group policy_moves (LIST) { REPEATED group list { REQUIRED INT32 element (INTEGER(16,false)); } }
    REQUIRED group policy_scores (LIST) { REPEATED group list { REQUIRED INT32 element; } }
    REQUIRED group policy_visits (LIST) { REPEATED group list { REQUIRED INT32 element (INTEGER(32,false)); } }
    OPTIONAL INT32 search_win (INTEGER(16,false));
    OPTIONAL INT32 search_loss (INTEGER(16,false));
    OPTIONAL INT32 engine (INTEGER(16,false));
    OPTIONAL INT32 depth (INTEGER(16,false));
    OPTIONAL INT64 nodes (INTEGER(64,false));
    OPTIONAL INT32 clock_seconds (INTEGER(32,false));
    OPTIONAL INT32 base_seconds (INTEGER(32,false));
    OPTIONAL INT32 increment_seconds (INTEGER(32,false));
    OPTIONAL BYTE_ARRAY eco (STRING);
    OPTIONAL INT32 origin (INTEGER(8,false));
    REQUIRED FLOAT weight;";

/// The columns of a store.
///
/// # Errors
/// [`ParquetError`] if they were not written in the syntax of Parquet.
pub fn columns(with_history: bool) -> Result<SchemaDescriptor, ParquetError> {
    schema(with_history).map(SchemaDescriptor::new)
}

/// The Parquet schema, with the column `history` if the store keeps one.
pub(crate) fn schema(with_history: bool) -> Result<Arc<Type>, ParquetError> {
    let history = if with_history { "REQUIRED BYTE_ARRAY history;" } else { "" };
    parse_message_type(&format!("message sample {{ {COLUMNS} {history} }}")).map(Arc::new)
}

/// Settings for writing the columns. Chosen by measurement on master games: a dictionary for the moves (a few hundred
/// frequent ones), differences for the ply (mostly one), zstd's fastest level for all.
pub(crate) fn writer_properties() -> Result<WriterProperties, ParquetError> {
    let [position, history, ply] = ["position", "history", "ply"].map(ColumnPath::from);
    Ok(WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("tabiya ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_data_page_row_count_limit(ROW_GROUP_ROWS)
        .set_write_batch_size(ROW_GROUP_ROWS)
        .set_column_dictionary_enabled(position.clone(), false)
        .set_column_statistics_enabled(position, EnabledStatistics::None)
        .set_column_dictionary_enabled(history.clone(), false)
        .set_column_statistics_enabled(history, EnabledStatistics::None)
        .set_column_dictionary_enabled(ply.clone(), false)
        .set_column_encoding(ply, Encoding::DELTA_BINARY_PACKED)
        .build())
}

/// Numbers of the column `origin`; never reused.
const ORIGINS: &[(i32, Origin)] =
    &[(1, Origin::Human), (2, Origin::Engine), (3, Origin::SelfPlay), (4, Origin::Puzzle)];

pub(super) fn origin_of(number: i32) -> Option<Origin> {
    ORIGINS.iter().find(|(known, _)| *known == number).map(|&(_, origin)| origin)
}

pub(super) fn origin_number(origin: Origin) -> Option<i32> {
    ORIGINS.iter().find(|(_, known)| *known == origin).map(|&(number, _)| number)
}
