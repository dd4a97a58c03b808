//! Values of a column of an edge table, as fields of a text.

use std::fmt::Display;
use std::io::Write as _;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray, StringViewArray,
};
use arrow_array::{ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;

use crate::error::NameProblem;

/// Maximum size of a name. The reader of lines has the same limit for a whole line.
const MAX_NAME_BYTES: usize = 1 << 18;

/// The values of a column.
pub(crate) enum Cells<'a> {
    I8(&'a PrimitiveArray<Int8Type>),
    I16(&'a PrimitiveArray<Int16Type>),
    I32(&'a PrimitiveArray<Int32Type>),
    I64(&'a PrimitiveArray<Int64Type>),
    U8(&'a PrimitiveArray<UInt8Type>),
    U16(&'a PrimitiveArray<UInt16Type>),
    U32(&'a PrimitiveArray<UInt32Type>),
    U64(&'a PrimitiveArray<UInt64Type>),
    F32(&'a PrimitiveArray<Float32Type>),
    F64(&'a PrimitiveArray<Float64Type>),
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    TextView(&'a StringViewArray),
    Bytes(&'a BinaryArray),
    LargeBytes(&'a LargeBinaryArray),
    BytesView(&'a BinaryViewArray),
    /// Indices of values, with the column of the indices, which says where values are missing.
    Dictionary {
        column: &'a dyn Array,
        keys: Vec<usize>,
        values: Box<Cells<'a>>,
    },
}

/// Reason why a value has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellProblem {
    Null,
    Name(NameProblem),
}

impl<'a> Cells<'a> {
    /// The values of a column. None: edges cannot have its type.
    pub(crate) fn new(array: &'a dyn Array) -> Option<Cells<'a>> {
        Some(match array.data_type() {
            DataType::Int8 => Cells::I8(array.as_primitive_opt()?),
            DataType::Int16 => Cells::I16(array.as_primitive_opt()?),
            DataType::Int32 => Cells::I32(array.as_primitive_opt()?),
            DataType::Int64 => Cells::I64(array.as_primitive_opt()?),
            DataType::UInt8 => Cells::U8(array.as_primitive_opt()?),
            DataType::UInt16 => Cells::U16(array.as_primitive_opt()?),
            DataType::UInt32 => Cells::U32(array.as_primitive_opt()?),
            DataType::UInt64 => Cells::U64(array.as_primitive_opt()?),
            DataType::Float32 => Cells::F32(array.as_primitive_opt()?),
            DataType::Float64 => Cells::F64(array.as_primitive_opt()?),
            DataType::Utf8 => Cells::Text(array.as_string_opt()?),
            DataType::LargeUtf8 => Cells::LargeText(array.as_string_opt()?),
            DataType::Utf8View => Cells::TextView(array.as_string_view_opt()?),
            DataType::Binary => Cells::Bytes(array.as_binary_opt()?),
            DataType::LargeBinary => Cells::LargeBytes(array.as_binary_opt()?),
            DataType::BinaryView => Cells::BytesView(array.as_byte_view_opt()?),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let values = dictionary.values();
                // An empty dictionary has no keys but nulls.
                let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
                Cells::Dictionary { column: array, keys, values: Box::new(Cells::new(values.as_ref())?) }
            }
            _ => return None,
        })
    }

    /// Appends the value of a row: digits, or a quoted string.
    pub(crate) fn write(&self, row: usize, text: &mut Vec<u8>) -> Result<(), CellProblem> {
        match self {
            Cells::I8(array) => integer(array, row, text),
            Cells::I16(array) => integer(array, row, text),
            Cells::I32(array) => integer(array, row, text),
            Cells::I64(array) => integer(array, row, text),
            Cells::U8(array) => integer(array, row, text),
            Cells::U16(array) => integer(array, row, text),
            Cells::U32(array) => integer(array, row, text),
            Cells::U64(array) => integer(array, row, text),
            Cells::F32(array) => real(array, row, text),
            Cells::F64(array) => real(array, row, text),
            Cells::Text(array) => quoted(present(*array, row)?.value(row).as_bytes(), text),
            Cells::LargeText(array) => quoted(present(*array, row)?.value(row).as_bytes(), text),
            Cells::TextView(array) => quoted(present(*array, row)?.value(row).as_bytes(), text),
            Cells::Bytes(array) => quoted(present(*array, row)?.value(row), text),
            Cells::LargeBytes(array) => quoted(present(*array, row)?.value(row), text),
            Cells::BytesView(array) => quoted(present(*array, row)?.value(row), text),
            Cells::Dictionary { column, keys, values } => {
                present(*column, row)?;
                let key = keys.get(row).copied().ok_or(CellProblem::Null)?;
                values.write(key, text)
            }
        }
    }
}

/// The column, if it has a value in this row.
fn present<A: Array + ?Sized>(array: &A, row: usize) -> Result<&A, CellProblem> {
    if row >= array.len() || array.is_null(row) { Err(CellProblem::Null) } else { Ok(array) }
}

fn integer<T>(array: &PrimitiveArray<T>, row: usize, text: &mut Vec<u8>) -> Result<(), CellProblem>
where
    T: ArrowPrimitiveType,
    T::Native: itoa::Integer,
{
    let value = present(array, row)?.value(row);
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    Ok(())
}

fn real<T>(array: &PrimitiveArray<T>, row: usize, text: &mut Vec<u8>) -> Result<(), CellProblem>
where
    T: ArrowPrimitiveType,
    T::Native: Display,
{
    let value = present(array, row)?.value(row);
    // A vector takes all bytes.
    let _ = write!(text, "{value}");
    Ok(())
}

/// Appends a name in quotes.
fn quoted(name: &[u8], text: &mut Vec<u8>) -> Result<(), CellProblem> {
    let problem = match name {
        [] => Some(NameProblem::Empty),
        _ if name.len() > MAX_NAME_BYTES => Some(NameProblem::TooLong(MAX_NAME_BYTES)),
        _ if name.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0)) => Some(NameProblem::LineEnd),
        _ if std::str::from_utf8(name).is_err() => Some(NameProblem::Encoding),
        _ => None,
    };
    if let Some(problem) = problem {
        return Err(CellProblem::Name(problem));
    }
    text.push(b'"');
    for part in name.split_inclusive(|&byte| byte == b'"') {
        text.extend_from_slice(part);
        if part.ends_with(b"\"") {
            text.push(b'"');
        }
    }
    text.push(b'"');
    Ok(())
}
