//! Results as Parquet tables.

use std::io::{self, Write};

use vyre::graph::NamesView;
use vyre::tables::{TableColumn, TableError, TableFormat, TableWriter, Value, ValueKind};

use super::results::{Cell, CellKind, Column, path_names};

/// The result of a writer of tables, as of other streams.
pub(super) fn table_io<T>(written: Result<T, TableError>) -> io::Result<T> {
    written.map_err(|error| match error {
        TableError::Io(source) => source,
        error => io::Error::other(error),
    })
}

/// A column of a table.
pub(super) fn table_column(name: &str, kind: ValueKind) -> TableColumn {
    TableColumn { name: name.to_owned(), kind }
}

/// Writes rows of results, and columns with the names of nodes behind those of their numbers.
pub(super) fn write_rows<const N: usize>(
    out: &mut dyn Write,
    columns: &[Column; N],
    names: Option<NamesView<'_>>,
    rows: impl Iterator<Item = [Cell; N]>,
) -> io::Result<()> {
    let kind = |column: &Column| match column.kind {
        CellKind::Number => ValueKind::U32,
        CellKind::Long => ValueKind::U64,
        CellKind::Real => ValueKind::F64,
        CellKind::Path => ValueKind::U32List,
    };
    let kind_of_names = |column: &Column| match column.kind {
        CellKind::Path => ValueKind::TextList,
        CellKind::Number | CellKind::Long | CellKind::Real => ValueKind::Text,
    };
    let mut titles: Vec<TableColumn> = columns.iter().map(|column| table_column(column.name(), kind(column))).collect();
    let with_names: Vec<usize> = (0..N).filter(|&index| names.is_some() && columns[index].names().is_some()).collect();
    titles.extend(
        with_names
            .iter()
            .filter_map(|&index| columns[index].names().map(|name| table_column(name, kind_of_names(&columns[index])))),
    );
    let mut table = table_io(TableWriter::new(out, TableFormat::Parquet, &titles, &[]))?;
    for row in rows {
        let mut names_of_paths: [Vec<&str>; N] = [(); N].map(|()| Vec::new());
        for (cell, list) in row.iter().zip(&mut names_of_paths) {
            if let (Cell::Path(nodes), Some(names)) = (cell, names) {
                *list = path_names(nodes, names);
            }
        }
        let mut values = Vec::with_capacity(titles.len());
        values.extend(row.iter().zip(columns).map(|(cell, column)| value(cell, column.kind)));
        values.extend(with_names.iter().map(|&index| match (&row[index], names) {
            (Cell::Node(node), Some(names)) => Value::Text(names.name(*node).unwrap_or_default()),
            (Cell::Path(_), Some(_)) => Value::TextList(&names_of_paths[index]),
            _ => Value::Null,
        }));
        table_io(table.row(&values))?;
    }
    table_io(table.finish())
}

/// A value with the type of its column.
fn value(cell: &Cell, kind: CellKind) -> Value<'_> {
    /// Units of a fraction.
    const UNITS: f64 = (1_u64 << 63) as f64;
    match (cell, kind) {
        (Cell::Node(number) | Cell::Number(number), CellKind::Number) => Value::U32(*number),
        (Cell::Node(number) | Cell::Number(number), CellKind::Long) => Value::U64(u64::from(*number)),
        (Cell::Node(number) | Cell::Number(number), CellKind::Real) => Value::F64(f64::from(*number)),
        (Cell::Long(number), CellKind::Long) => Value::U64(*number),
        (Cell::Fraction(units), CellKind::Real) => Value::F64(*units as f64 / UNITS),
        (Cell::Real(number), CellKind::Real) => Value::F64(*number),
        (Cell::Path(nodes), CellKind::Path) => Value::U32List(nodes),
        // The writer reports the column.
        _ => Value::Bool(false),
    }
}

/// Writes a table of one row: numbers where the texts are numbers, otherwise strings.
pub(super) fn write_record(out: &mut dyn Write, fields: &[(&'static str, String)]) -> io::Result<()> {
    let numbers: Vec<Option<u64>> = fields.iter().map(|(_, text)| text.parse().ok()).collect();
    let kind = |number: &Option<u64>| if number.is_some() { ValueKind::U64 } else { ValueKind::Text };
    let columns: Vec<TableColumn> =
        fields.iter().zip(&numbers).map(|((name, _), number)| table_column(name, kind(number))).collect();
    let row: Vec<Value<'_>> =
        fields.iter().zip(&numbers).map(|((_, text), number)| number.map_or(Value::Text(text), Value::U64)).collect();
    write_row(out, &columns, &row)
}

/// Writes a table of one row.
pub(crate) fn write_row(out: &mut dyn Write, columns: &[TableColumn], row: &[Value<'_>]) -> io::Result<()> {
    let mut table = table_io(TableWriter::new(out, TableFormat::Parquet, columns, &[]))?;
    table_io(table.row(row))?;
    table_io(table.finish())
}
