//! Tables for people: aligned columns with a last column of prose, for any width.
//!
//! Three layouts, from wide to narrow: the prose beside the other columns; the prose below them; all cells below the first
//! one. Nothing is cut: prose is wrapped, and a cell that is wider than the terminal runs over. Without a width every row
//! is one line, for pipes and files.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::prose::wrap_from;

/// Minimum width of prose beside other columns.
const MIN_PROSE: usize = 30;

/// Indentation of lines below the first one of a row.
const INDENT: usize = 4;

/// Columns between two cells.
const GAP: usize = 2;

/// A table whose last column is prose.
pub(crate) struct ProseTable {
    rows: Vec<Vec<Cell>>,
}

/// Text with its style.
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn plain(text: impl Into<String>) -> Cell {
        Cell::styled(text, Style::new())
    }

    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Cell {
        Cell { text: text.into(), style }
    }

    /// Width in columns of a terminal.
    fn width(&self) -> usize {
        self.text.width()
    }

    /// Writes the text, padded on the right.
    fn write(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let Cell { text, style } = self;
        let padding = width.saturating_sub(self.width());
        write!(out, "{style}{text}{style:#}{:padding$}", "")
    }
}

impl ProseTable {
    pub(crate) fn new() -> ProseTable {
        ProseTable { rows: Vec::new() }
    }

    /// Adds a row. The last cell is prose.
    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Writes the table for a number of columns; `None` writes one line for each row.
    pub(crate) fn write(&self, out: &mut impl Write, columns: Option<usize>) -> io::Result<()> {
        let fixed = self.rows.iter().map(|row| row.len().saturating_sub(1)).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row[..row.len().saturating_sub(1)].get(column));
            cells.map(Cell::width).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..fixed).map(width).collect();
        let before_prose = widths.iter().map(|width| width + GAP).sum::<usize>();
        for row in &self.rows {
            let Some((prose, cells)) = row.split_last() else { continue };
            let style = prose.style;
            match columns {
                None => {
                    write_cells(out, cells, &widths)?;
                    writeln!(out, "{:GAP$}{style}{}{style:#}", "", prose.text)?;
                }
                Some(columns) if before_prose + MIN_PROSE <= columns => {
                    write_cells(out, cells, &widths)?;
                    let indent = " ".repeat(before_prose);
                    let text = wrap_from(&prose.text, before_prose, columns, &indent);
                    writeln!(out, "{:GAP$}{style}{text}{style:#}", "")?;
                }
                Some(columns) if before_prose <= columns + GAP => {
                    // The last cell ends its line.
                    let mut widths = widths.clone();
                    widths.iter_mut().skip(cells.len().saturating_sub(1)).for_each(|width| *width = 0);
                    write_cells(out, cells, &widths)?;
                    writeln!(out)?;
                    write_below(out, prose, columns)?;
                }
                Some(columns) => {
                    write_stacked(out, cells, columns)?;
                    write_below(out, prose, columns)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes aligned cells.
fn write_cells(out: &mut impl Write, cells: &[Cell], widths: &[usize]) -> io::Result<()> {
    for (position, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if position > 0 {
            write!(out, "{:GAP$}", "")?;
        }
        cell.write(out, width)?;
    }
    Ok(())
}

/// Writes the first cell on a line, and below it as many others on a line as fit.
fn write_stacked(out: &mut impl Write, cells: &[Cell], columns: usize) -> io::Result<()> {
    let mut column = columns;
    for (position, cell) in cells.iter().enumerate() {
        if position > 0 && column + GAP + cell.width() > columns {
            write!(out, "\n{:INDENT$}", "")?;
            column = INDENT;
        } else if position > 0 {
            write!(out, "{:GAP$}", "")?;
            column += GAP;
        }
        cell.write(out, 0)?;
        column = if position == 0 { columns } else { column + cell.width() };
    }
    writeln!(out)
}

/// Writes prose on lines of its own.
fn write_below(out: &mut impl Write, prose: &Cell, columns: usize) -> io::Result<()> {
    let style = prose.style;
    let text = wrap_from(&prose.text, INDENT, columns, &" ".repeat(INDENT));
    writeln!(out, "{:INDENT$}{style}{text}{style:#}", "")
}
