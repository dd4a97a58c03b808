//! Streaming writers of result tables: text, JSON and CSV.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;
use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;
use vyre::graph::NamesView;

use super::aligned::{AlignedTable, Title};
use super::load::LoadedGraph;
use super::run::Runner;
use super::stages::{CommandStage, begin_stage};
#[cfg(feature = "tables")]
use super::table_cells::{write_record, write_rows};
use crate::args::graph::{ReadArgs, ResultArgs, ResultFormat};
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{has_colors, number, visible};

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    name: &'static str,
    /// Title of the additional column with the names of the nodes.
    names: Option<&'static str>,
    /// True if the text format includes the column.
    in_text: bool,
    /// Type of the values.
    pub(super) kind: CellKind,
}

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// 32-bit numbers.
    Number,
    /// 64-bit numbers.
    Long,
    /// Fractions and other real numbers.
    Real,
    /// Lists of nodes.
    Path,
}

impl Column {
    /// A column of nodes, with the title of the column of their names.
    pub(crate) const fn node(name: &'static str, names: &'static str) -> Column {
        Column { name, names: Some(names), in_text: true, kind: CellKind::Number }
    }

    /// A column of numbers.
    pub(crate) const fn number(name: &'static str) -> Column {
        Column { name, names: None, in_text: true, kind: CellKind::Number }
    }

    /// A column of 64-bit numbers that the text format omits.
    pub(crate) const fn exact(name: &'static str) -> Column {
        Column { name, names: None, in_text: false, kind: CellKind::Long }
    }

    /// A column of paths, with the title of the column of the names of their nodes.
    pub(crate) const fn path(name: &'static str, names: &'static str) -> Column {
        Column { name, names: Some(names), in_text: true, kind: CellKind::Path }
    }

    /// The column with another type of values.
    pub(crate) const fn of(self, kind: CellKind) -> Column {
        Column { kind, ..self }
    }

    /// Title.
    #[cfg(feature = "tables")]
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Title of the additional column with the names of the nodes.
    #[cfg(feature = "tables")]
    pub(super) fn names(&self) -> Option<&'static str> {
        self.names
    }
}

/// A value in a row.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Node(u32),
    Number(u32),
    /// A fixed-point number from 0 to 1 in units of 2^-63, written as a decimal fraction.
    Fraction(u64),
    /// A real number, written with the fewest digits that identify it.
    Real(f64),
    /// A 64-bit number, written as a string in JSON, whose numbers are not exact beyond 2^53.
    Long(u64),
    /// Nodes of a path in order.
    Path(Vec<u32>),
}

/// Rows or totals of a table.
pub(crate) enum TableBody<I> {
    /// All rows.
    Rows(I),
    /// Named totals without rows.
    Totals(Vec<(&'static str, String)>),
}

impl<I> TableBody<I> {
    /// The count if `only_count` is set, otherwise the rows.
    pub(crate) fn rows_or_count(only_count: bool, count: u64, rows: I) -> TableBody<I> {
        if only_count { TableBody::Totals(vec![("count", count.to_string())]) } else { TableBody::Rows(rows) }
    }
}

/// Results of an op.
pub(crate) struct Table<'r, const N: usize> {
    pub(crate) graph: &'r LoadedGraph,
    /// The device that ran the op. None: the host did.
    pub(crate) runner: Option<&'r Runner>,
    /// The number that `--count` prints.
    pub(crate) count: u64,
    /// Fields of the JSON object between `count` and `rows`.
    pub(crate) fields: Vec<(&'static str, Value)>,
    pub(crate) columns: [Column; N],
}

/// A graph as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
pub(super) struct GraphEntry<'r> {
    file: &'r str,
    format: &'static str,
    nodes: usize,
    edges: usize,
}

impl GraphEntry<'_> {
    pub(super) fn new(graph: &LoadedGraph) -> GraphEntry<'_> {
        let csr = graph.view().csr;
        let (nodes, edges) = (csr.node_count(), csr.edge_count());
        GraphEntry { file: &graph.name, format: graph.format(), nodes, edges }
    }
}

/// A backend as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
pub(super) struct BackendEntry<'r> {
    pub(super) name: &'r str,
    pub(super) device: &'r str,
}

/// Calls `write` with the destination of the results.
pub(crate) fn to_destination(
    args: &ResultArgs,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    begin_stage(CommandStage::Output);
    Destination::new(args.output.clone()).stream(|out| Ok(write(out)?))
}

/// Rejects an output file that is also an input.
pub(crate) fn check_output(args: &ResultArgs, file: &Path, read: &ReadArgs) -> anyhow::Result<()> {
    let destination = Destination::new(args.output.clone());
    [Some(file), read.nodes.as_deref()]
        .into_iter()
        .flatten()
        .try_for_each(|input| destination.check(&Input::new(input), args.format().binary()))
}

/// Writes a path behind a title: its nodes, by name if they have names, with arrows between them. With a width, long
/// lines end before an arrow.
pub(crate) fn write_path(
    out: &mut dyn Write,
    title: &str,
    graph: &LoadedGraph,
    width: Option<usize>,
    nodes: impl IntoIterator<Item = u32>,
) -> io::Result<()> {
    let names = graph.view().names;
    let mut lines = Lines::new(out);
    lines.extend(title);
    let mut column = title.len();
    for (position, node) in nodes.into_iter().enumerate() {
        let name = node_text(node, names);
        let length = name.width();
        if position > 0 {
            if width.is_some_and(|width| column + ARROW.len() + length > width) {
                lines.extend("\n   ");
                column = "   ".len();
            }
            lines.extend(ARROW);
            column += ARROW.len();
        }
        lines.extend(&name);
        column += length;
        lines.flush_if_long()?;
    }
    lines.end()?;
    lines.finish()
}

/// Quotes a text as a CSV field (RFC 4180).
pub(crate) fn csv_field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) || text.is_empty() {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

impl<const N: usize> Table<'_, N> {
    /// Writes the table in the format of the arguments.
    pub(crate) fn write(
        &self,
        args: &ResultArgs,
        body: TableBody<impl Iterator<Item = [Cell; N]>>,
    ) -> anyhow::Result<()> {
        begin_stage(CommandStage::Output);
        Destination::new(args.output.clone()).stream(|out| Ok(self.write_body(out, args, body)?))
    }

    /// Writes rows that may fail. A file is replaced only if all rows are written.
    pub(crate) fn write_stream(
        &self,
        args: &ResultArgs,
        rows: impl Iterator<Item = anyhow::Result<[Cell; N]>>,
    ) -> anyhow::Result<()> {
        let failure = RefCell::new(None);
        let rows = rows.map_while(|row| row.map_err(|error| failure.replace(Some(error))).ok());
        let written = Destination::new(args.output.clone()).stream(|out| {
            self.write_body(out, args, TableBody::Rows(rows))?;
            match failure.borrow().is_some() {
                true => bail!("the search failed"),
                false => Ok(()),
            }
        });
        failure.into_inner().map_or(written, Err)
    }

    fn write_body(
        &self,
        out: &mut dyn Write,
        args: &ResultArgs,
        body: TableBody<impl Iterator<Item = [Cell; N]>>,
    ) -> io::Result<()> {
        match args.format() {
            ResultFormat::Table => self.write_aligned(out, args, body),
            ResultFormat::Text => self.write_text(out, body),
            ResultFormat::Json => self.write_json(out, body),
            ResultFormat::Csv => self.write_csv(out, body),
            #[cfg(feature = "tables")]
            ResultFormat::Parquet => match body {
                TableBody::Totals(values) => write_record(out, &values),
                TableBody::Rows(rows) => write_rows(out, &self.columns, self.names(), rows),
            },
        }
    }

    fn write_text(&self, out: &mut dyn Write, body: TableBody<impl Iterator<Item = [Cell; N]>>) -> io::Result<()> {
        match body {
            TableBody::Totals(values) => values.iter().try_for_each(|(_, value)| writeln!(out, "{value}")),
            TableBody::Rows(rows) => {
                let names = self.names();
                let mut lines = Lines::new(out);
                for row in rows {
                    let mut is_first = true;
                    for (cell, _) in row.iter().zip(&self.columns).filter(|(_, column)| column.in_text) {
                        if !std::mem::take(&mut is_first) {
                            lines.text.push(b'\t');
                        }
                        match cell {
                            Cell::Node(node) => lines.node(*node, names),
                            Cell::Path(nodes) => lines.extend(&path_text(nodes, names)),
                            _ => lines.cell(cell),
                        }
                    }
                    lines.end()?;
                }
                lines.finish()
            }
        }
    }

    fn write_aligned(
        &self,
        out: &mut dyn Write,
        args: &ResultArgs,
        body: TableBody<impl Iterator<Item = [Cell; N]>>,
    ) -> io::Result<()> {
        let rows = match body {
            TableBody::Totals(_) => return self.write_text(out, body),
            TableBody::Rows(rows) => rows,
        };
        let names = self.names();
        let shown: Vec<usize> = (0..N).filter(|&index| self.columns[index].in_text).collect();
        let titles = shown.iter().map(|&index| {
            let Column { name, names: nodes, kind, .. } = self.columns[index];
            Title { text: name, is_name: nodes.is_some() && names.is_some() || kind == CellKind::Path }
        });
        let text = |cell: &Cell| match cell {
            Cell::Node(node) => node_text(*node, names).into_owned(),
            Cell::Number(count) => number(*count),
            Cell::Long(count) => number(*count),
            Cell::Fraction(units) => fraction(*units),
            Cell::Real(value) => value.to_string(),
            Cell::Path(nodes) => path_text(nodes, names),
        };
        let rows = rows.map(|row| shown.iter().map(|&index| text(&row[index])).collect());
        AlignedTable::new(titles.collect()).write(out, rows, args.width(), args.is_for_stdout() && has_colors())
    }

    fn write_csv(&self, out: &mut dyn Write, body: TableBody<impl Iterator<Item = [Cell; N]>>) -> io::Result<()> {
        let rows = match body {
            TableBody::Totals(values) => {
                let (names, values): (Vec<&str>, Vec<&str>) =
                    values.iter().map(|(name, value)| (*name, &**value)).unzip();
                return writeln!(out, "{}\n{}", names.join(","), values.join(","));
            }
            TableBody::Rows(rows) => rows,
        };
        let names = self.names();
        let with_names: Vec<usize> =
            (0..N).filter(|&index| names.is_some() && self.columns[index].names.is_some()).collect();
        let mut header: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        header.extend(with_names.iter().filter_map(|&index| self.columns[index].names));
        writeln!(out, "{}", header.join(","))?;
        let mut lines = Lines::new(out);
        for row in rows {
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    lines.text.push(b',');
                }
                lines.cell(cell);
            }
            for &index in &with_names {
                lines.text.push(b',');
                match (&row[index], names) {
                    (Cell::Node(node), Some(names)) => lines.extend(&csv_field(name(names, *node))),
                    (Cell::Path(nodes), Some(names)) => lines.extend(&csv_field(&path_names(nodes, names).join(ARROW))),
                    _ => {}
                }
            }
            lines.end()?;
        }
        lines.finish()
    }

    fn write_json(&self, out: &mut dyn Write, body: TableBody<impl Iterator<Item = [Cell; N]>>) -> io::Result<()> {
        out.write_all(b"{\n  \"graph\": ")?;
        serde_json::to_writer(&mut *out, &GraphEntry::new(self.graph))?;
        out.write_all(b",\n  \"backend\": ")?;
        let backend = match self.runner {
            Some(runner) => BackendEntry { name: runner.backend, device: &runner.device },
            None => BackendEntry { name: "host", device: "plain code on the CPU" },
        };
        serde_json::to_writer(&mut *out, &backend)?;
        write!(out, ",\n  \"count\": {}", self.count)?;
        for (name, value) in &self.fields {
            write!(out, ",\n  \"{name}\": {value}")?;
        }
        let rows = match body {
            TableBody::Totals(_) => return out.write_all(b"\n}\n"),
            TableBody::Rows(rows) => rows,
        };
        out.write_all(b",\n  \"rows\": [")?;
        let names = self.names();
        let mut lines = Lines::new(out);
        let mut is_first = true;
        for row in rows {
            lines.extend(if std::mem::take(&mut is_first) { "\n    {" } else { ",\n    {" });
            for (index, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
                lines.extend(if index > 0 { ",\"" } else { "\"" });
                lines.extend(column.name);
                lines.extend("\":");
                match cell {
                    Cell::Long(_) => {
                        lines.text.push(b'"');
                        lines.cell(cell);
                        lines.text.push(b'"');
                    }
                    Cell::Path(nodes) => serde_json::to_writer(&mut lines.text, nodes)?,
                    _ => lines.cell(cell),
                }
            }
            for (cell, column) in row.iter().zip(&self.columns) {
                if let (Cell::Node(_) | Cell::Path(_), Some(names), Some(title)) = (cell, names, column.names) {
                    lines.extend(",\"");
                    lines.extend(title);
                    lines.extend("\":");
                    match cell {
                        Cell::Path(nodes) => serde_json::to_writer(&mut lines.text, &path_names(nodes, names))?,
                        Cell::Node(node) => serde_json::to_writer(&mut lines.text, name(names, *node))?,
                        _ => {}
                    }
                }
            }
            lines.text.push(b'}');
            lines.flush_if_long()?;
        }
        lines.extend(if is_first { "]\n}\n" } else { "\n  ]\n}\n" });
        lines.finish()
    }

    fn names(&self) -> Option<NamesView<'_>> {
        self.graph.view().names
    }
}

/// A node by name, or by number if nodes have no names.
fn node_text(node: u32, names: Option<NamesView<'_>>) -> Cow<'_, str> {
    names.map_or_else(|| Cow::Owned(node.to_string()), |names| visible(name(names, node)))
}

/// Separator of the nodes of a path.
const ARROW: &str = " -> ";

/// A path: its nodes by name, or by number if nodes have no names.
fn path_text(nodes: &[u32], names: Option<NamesView<'_>>) -> String {
    nodes.iter().map(|&node| node_text(node, names)).collect::<Vec<_>>().join(ARROW)
}

/// Names of the nodes of a path.
pub(super) fn path_names<'n>(nodes: &[u32], names: NamesView<'n>) -> Vec<&'n str> {
    nodes.iter().map(|&node| name(names, node)).collect()
}

/// The name of a node.
fn name<'n>(names: NamesView<'n>, node: u32) -> &'n str {
    names.name(node).unwrap_or_default()
}

/// Line buffer: batches many lines into one write.
struct Lines<'o> {
    out: &'o mut dyn Write,
    text: Vec<u8>,
    digits: itoa::Buffer,
}

impl<'o> Lines<'o> {
    fn new(out: &'o mut dyn Write) -> Lines<'o> {
        Lines { out, text: Vec::new(), digits: itoa::Buffer::new() }
    }

    fn extend(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn cell(&mut self, cell: &Cell) {
        match cell {
            Cell::Node(number) | Cell::Number(number) => {
                self.text.extend_from_slice(self.digits.format(*number).as_bytes());
            }
            Cell::Long(number) => self.text.extend_from_slice(self.digits.format(*number).as_bytes()),
            Cell::Fraction(units) => self.extend(&fraction(*units)),
            Cell::Real(value) => self.extend(&value.to_string()),
            Cell::Path(nodes) => {
                for (position, node) in nodes.iter().enumerate() {
                    self.extend(if position > 0 { " " } else { "" });
                    self.text.extend_from_slice(self.digits.format(*node).as_bytes());
                }
            }
        }
    }

    /// Appends a node by name, or by number if nodes have no names.
    fn node(&mut self, node: u32, names: Option<NamesView<'_>>) {
        match names {
            Some(names) => self.extend(&visible(name(names, node))),
            None => self.cell(&Cell::Node(node)),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.text.push(b'\n');
        self.flush_if_long()
    }

    fn flush_if_long(&mut self) -> io::Result<()> {
        const FLUSH_BYTES: usize = 1 << 16;
        if self.text.len() < FLUSH_BYTES {
            return Ok(());
        }
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.text)
    }
}

/// Formats a number of units of 2^-63 with 19 decimal places, rounded down. Distinct numbers have distinct texts.
fn fraction(units: u64) -> String {
    const DIGITS: u128 = 10_000_000_000_000_000_000;
    let scaled = (u128::from(units) * DIGITS) >> 63;
    format!("{}.{:019}", scaled / DIGITS, scaled % DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_have_19_decimal_places() {
        assert_eq!(fraction(1 << 63), "1.0000000000000000000");
        assert_eq!(fraction(1 << 62), "0.5000000000000000000");
        assert_eq!(fraction(1), "0.0000000000000000001");
        assert_eq!(fraction(0), "0.0000000000000000000");
        assert_ne!(fraction((1 << 63) - 1), fraction((1 << 63) - 2));
    }

    #[test]
    fn csv_fields_are_quoted_if_necessary() {
        for (text, field) in
            [("plain", "plain"), ("a b", "a b"), ("a,b", "\"a,b\""), ("say \"a\"", "\"say \"\"a\"\"\""), ("", "\"\"")]
        {
            assert_eq!(csv_field(text), field);
        }
    }
}
