//! Streaming writer of tables.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, ListBuilder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::error::TableError;
use crate::format::TableFormat;
use crate::shared_output::SharedOutput;

/// Rows that are encoded at once.
const BATCH_ROWS: usize = 8192;

/// Bytes of strings and lists after which rows are encoded.
const BATCH_BYTES: usize = 1 << 20;

/// Bytes of strings and lists of a row. Offsets of a batch have 31 bits.
const MAX_ROW_BYTES: usize = 1 << 30;

/// Encoded bytes after which a row group ends and goes to the output.
const GROUP_BYTES: usize = 32 << 20;

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 20;

/// A column of a table that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Title.
    pub name: String,
    /// Type of its values.
    pub kind: ValueKind,
}

/// Type of the values of a column. All columns may have missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// 32-bit numbers.
    U32,
    /// 64-bit numbers.
    U64,
    /// Real numbers.
    F64,
    /// Truth values.
    Bool,
    /// Strings.
    Text,
    /// Lists of 32-bit numbers.
    U32List,
    /// Lists of strings.
    TextList,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'v> {
    /// A 32-bit number.
    U32(u32),
    /// A 64-bit number.
    U64(u64),
    /// A real number.
    F64(f64),
    /// A truth value.
    Bool(bool),
    /// A string.
    Text(&'v str),
    /// A list of 32-bit numbers.
    U32List(&'v [u32]),
    /// A list of strings.
    TextList(&'v [&'v str]),
    /// A missing value.
    Null,
}

impl Value<'_> {
    /// Size of a string or a list.
    fn bytes(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::U32List(numbers) => 4 * numbers.len(),
            Value::TextList(texts) => texts.iter().map(|text| text.len() + 4).sum(),
            Value::U32(_) | Value::U64(_) | Value::F64(_) | Value::Bool(_) | Value::Null => 0,
        }
    }
}

/// Writes a table in row groups. Memory does not depend on the number of rows.
pub struct TableWriter<'o> {
    schema: SchemaRef,
    columns: Vec<Builder>,
    rows: usize,
    /// Bytes of strings and lists of these rows.
    bytes: usize,
    encoder: Encoder<'o>,
}

enum Encoder<'o> {
    Parquet { writer: Box<ArrowWriter<SharedOutput>>, encoded: SharedOutput, out: &'o mut dyn Write },
    Arrow(Box<FileWriter<&'o mut dyn Write>>),
    ArrowStream(Box<StreamWriter<&'o mut dyn Write>>),
}

impl<'o> TableWriter<'o> {
    /// Begins a table. `metadata` are keys and values of the whole table.
    ///
    /// # Errors
    ///
    /// The output fails.
    pub fn new(
        out: &'o mut dyn Write,
        format: TableFormat,
        columns: &[TableColumn],
        metadata: &[(&str, String)],
    ) -> Result<TableWriter<'o>, TableError> {
        let fields: Vec<Field> =
            columns.iter().map(|column| Field::new(&column.name, data_type(column.kind), true)).collect();
        let pairs: HashMap<String, String> =
            metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, pairs));
        let encoder = match format {
            TableFormat::Parquet => {
                let pairs = metadata.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_created_by(concat!("vyre ", env!("CARGO_PKG_VERSION")).to_owned())
                    .set_max_row_group_row_count(Some(GROUP_ROWS))
                    .set_key_value_metadata((!metadata.is_empty()).then(|| pairs.collect()))
                    .build();
                let encoded = SharedOutput::default();
                let writer = ArrowWriter::try_new(encoded.clone(), schema.clone(), Some(properties));
                Encoder::Parquet { writer: Box::new(writer.map_err(TableError::parquet)?), encoded, out }
            }
            TableFormat::Arrow => {
                let writer = FileWriter::try_new(out, &schema).map_err(|error| TableError::arrow(format, error))?;
                Encoder::Arrow(Box::new(writer))
            }
            TableFormat::ArrowStream => {
                let writer = StreamWriter::try_new(out, &schema).map_err(|error| TableError::arrow(format, error))?;
                Encoder::ArrowStream(Box::new(writer))
            }
        };
        let columns = columns.iter().map(|column| Builder::new(column.kind)).collect();
        Ok(TableWriter { schema, columns, rows: 0, bytes: 0, encoder })
    }

    /// Adds a row, with a value for each column.
    ///
    /// # Errors
    ///
    /// A value does not have the type of its column, the row is too long, or the output fails.
    pub fn row(&mut self, values: &[Value<'_>]) -> Result<(), TableError> {
        if values.len() != self.columns.len() {
            return Err(TableError::Row { column: values.len().min(self.columns.len()) });
        }
        let bytes: usize = values.iter().map(Value::bytes).sum();
        if bytes > MAX_ROW_BYTES {
            return Err(TableError::RowTooLong);
        }
        if self.rows == BATCH_ROWS || self.rows > 0 && self.bytes + bytes > BATCH_BYTES {
            self.encode()?;
        }
        for (index, (builder, value)) in self.columns.iter_mut().zip(values).enumerate() {
            if !builder.append(*value) {
                return Err(TableError::Row { column: index });
            }
        }
        self.rows += 1;
        self.bytes += bytes;
        Ok(())
    }

    /// Encodes the rows so far.
    fn encode(&mut self) -> Result<(), TableError> {
        let arrays: Vec<ArrayRef> = self.columns.iter_mut().map(Builder::finish).collect();
        (self.rows, self.bytes) = (0, 0);
        let in_format = |error| TableError::arrow(TableFormat::Arrow, error);
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(in_format)?;
        match &mut self.encoder {
            Encoder::Parquet { writer, encoded, out } => {
                writer.write(&batch).map_err(TableError::parquet)?;
                if writer.in_progress_size() > GROUP_BYTES {
                    writer.flush().map_err(TableError::parquet)?;
                }
                encoded.drain(*out)?;
            }
            Encoder::Arrow(writer) => writer.write(&batch).map_err(in_format)?,
            Encoder::ArrowStream(writer) => writer.write(&batch).map_err(in_format)?,
        }
        Ok(())
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// The output fails.
    pub fn finish(mut self) -> Result<(), TableError> {
        if self.rows > 0 {
            self.encode()?;
        }
        let in_format = |error| TableError::arrow(TableFormat::Arrow, error);
        match self.encoder {
            Encoder::Parquet { writer, encoded, out } => {
                writer.close().map_err(TableError::parquet)?;
                encoded.drain(out)?;
                out.flush()?;
            }
            Encoder::Arrow(mut writer) => writer.finish().map_err(in_format)?,
            Encoder::ArrowStream(mut writer) => writer.finish().map_err(in_format)?,
        }
        Ok(())
    }
}

fn data_type(kind: ValueKind) -> DataType {
    let list = |values| DataType::List(Arc::new(Field::new_list_field(values, true)));
    match kind {
        ValueKind::U32 => DataType::UInt32,
        ValueKind::U64 => DataType::UInt64,
        ValueKind::F64 => DataType::Float64,
        ValueKind::Bool => DataType::Boolean,
        ValueKind::Text => DataType::Utf8,
        ValueKind::U32List => list(DataType::UInt32),
        ValueKind::TextList => list(DataType::Utf8),
    }
}

/// Values of a column that are not encoded yet.
enum Builder {
    U32(UInt32Builder),
    U64(UInt64Builder),
    F64(Float64Builder),
    Bool(BooleanBuilder),
    Text(StringBuilder),
    U32List(ListBuilder<UInt32Builder>),
    TextList(ListBuilder<StringBuilder>),
}

impl Builder {
    fn new(kind: ValueKind) -> Builder {
        match kind {
            ValueKind::U32 => Builder::U32(UInt32Builder::new()),
            ValueKind::U64 => Builder::U64(UInt64Builder::new()),
            ValueKind::F64 => Builder::F64(Float64Builder::new()),
            ValueKind::Bool => Builder::Bool(BooleanBuilder::new()),
            ValueKind::Text => Builder::Text(StringBuilder::new()),
            ValueKind::U32List => Builder::U32List(ListBuilder::new(UInt32Builder::new())),
            ValueKind::TextList => Builder::TextList(ListBuilder::new(StringBuilder::new())),
        }
    }

    /// Appends a value. False: it has another type.
    fn append(&mut self, value: Value<'_>) -> bool {
        match (self, value) {
            (Builder::U32(builder), Value::U32(value)) => builder.append_value(value),
            (Builder::U32(builder), Value::Null) => builder.append_null(),
            (Builder::U64(builder), Value::U64(value)) => builder.append_value(value),
            (Builder::U64(builder), Value::Null) => builder.append_null(),
            (Builder::F64(builder), Value::F64(value)) => builder.append_value(value),
            (Builder::F64(builder), Value::Null) => builder.append_null(),
            (Builder::Bool(builder), Value::Bool(value)) => builder.append_value(value),
            (Builder::Bool(builder), Value::Null) => builder.append_null(),
            (Builder::Text(builder), Value::Text(value)) => builder.append_value(value),
            (Builder::Text(builder), Value::Null) => builder.append_null(),
            (Builder::U32List(builder), Value::U32List(values)) => {
                builder.append_value(values.iter().map(|&value| Some(value)));
            }
            (Builder::U32List(builder), Value::Null) => builder.append_null(),
            (Builder::TextList(builder), Value::TextList(values)) => {
                builder.append_value(values.iter().map(|&value| Some(value)));
            }
            (Builder::TextList(builder), Value::Null) => builder.append_null(),
            _ => return false,
        }
        true
    }

    /// The values as an array, and none afterwards.
    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::U32(builder) => ArrayBuilder::finish(builder),
            Builder::U64(builder) => ArrayBuilder::finish(builder),
            Builder::F64(builder) => ArrayBuilder::finish(builder),
            Builder::Bool(builder) => ArrayBuilder::finish(builder),
            Builder::Text(builder) => ArrayBuilder::finish(builder),
            Builder::U32List(builder) => ArrayBuilder::finish(builder),
            Builder::TextList(builder) => ArrayBuilder::finish(builder),
        }
    }
}
