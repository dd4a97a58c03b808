//! Edge tables in Parquet files.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use vyre_graph::ReadOptions;

use crate::columns::EdgeColumns;
use crate::edge_text::OpenTable;
use crate::edge_writer::NODES_KEY;
use crate::error::TableError;
use crate::format::TableFormat;
use crate::guarded::guarded;

/// Rows that are decoded at once.
const BATCH_ROWS: usize = 8192;

/// Opens a file and chooses its columns.
pub(crate) fn open<'i>(file: File, options: &ReadOptions) -> Result<OpenTable<'i>, TableError> {
    let bytes = file.metadata()?.len();
    // Types of the file itself: those of the program that wrote it may be dictionaries.
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata =
        guarded(TableFormat::Parquet, || ArrowReaderMetadata::load(&file, plain))?.map_err(TableError::parquet)?;
    check_places(metadata.metadata(), bytes)?;
    let columns = EdgeColumns::of_schema(metadata.schema(), options)?;
    let indices = columns.indices();
    // Strings stay in their pages, so that one long string of a dictionary is not copied for each row.
    let fields = metadata.schema().fields().iter().enumerate().map(|(index, field)| match field.data_type() {
        DataType::Utf8 if indices.contains(&index) => viewed(field, DataType::Utf8View),
        DataType::Binary if indices.contains(&index) => viewed(field, DataType::BinaryView),
        _ => field.clone(),
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let viewed = ArrowReaderOptions::new().with_schema(schema);
    let metadata = ArrowReaderMetadata::try_new(metadata.metadata().clone(), viewed).map_err(TableError::parquet)?;
    let nodes = metadata.metadata().file_metadata().key_value_metadata().and_then(|pairs| {
        let pair = pairs.iter().find(|pair| pair.key == NODES_KEY)?;
        pair.value.as_ref()?.parse().ok()
    });
    let mask = ProjectionMask::roots(metadata.parquet_schema(), indices);
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
        .with_projection(mask)
        .with_batch_size(BATCH_ROWS);
    let reader = guarded(TableFormat::Parquet, || reader.build())?.map_err(TableError::parquet)?;
    let batches = Batches { reader: Some(reader) };
    Ok(OpenTable { columns, nodes, stored: Arc::new(AtomicU64::new(bytes)), batches: Box::new(batches) })
}

/// The parts of a table.
struct Batches {
    /// None: the end, or an error.
    reader: Option<ParquetRecordBatchReader>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        let next = match guarded(TableFormat::Parquet, || reader.next()) {
            Ok(next) => next.map(|batch| batch.map_err(|error| TableError::arrow(TableFormat::Parquet, error))),
            Err(error) => Some(Err(error)),
        };
        if !matches!(next, Some(Ok(_))) {
            self.reader = None;
        }
        next
    }
}

/// Checks the places of all columns in the file, which the library takes for granted.
fn check_places(metadata: &ParquetMetaData, bytes: u64) -> Result<(), TableError> {
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let places = [start, column.data_page_offset(), column.compressed_size(), column.num_values()];
        let [Ok(start), Ok(_), Ok(length), Ok(_)] = places.map(u64::try_from) else {
            return Err(TableError::damaged(TableFormat::Parquet, "a column has a negative place or size"));
        };
        if start.checked_add(length).is_none_or(|end| end > bytes) {
            return Err(TableError::damaged(TableFormat::Parquet, "a column is outside the file"));
        }
    }
    Ok(())
}

fn viewed(field: &Field, data: DataType) -> Arc<Field> {
    Arc::new(field.clone().with_data_type(data))
}
