//! Aligned table of rows that are too many to be measured: the first rows determine the widths of columns.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::output::STRONG;
use crate::prose::wrap_name;

/// Maximum number of rows that determine the widths.
const MEASURED_ROWS: usize = 1000;

/// Number of bytes of rows that end the measurement.
const MEASURED_BYTES: usize = 1 << 20;

/// Blanks between two cells.
const GAP: &str = "  ";

/// Minimum width of a column of names that shares the terminal with others.
const MIN_NAME: usize = 10;

/// Title of a column.
pub(super) struct Title {
    pub(super) text: &'static str,
    /// True for names, which are aligned to the left and wrapped. Numbers are aligned to the right.
    pub(super) is_name: bool,
}

/// A table with a header.
pub(super) struct AlignedTable {
    titles: Vec<Title>,
}

impl AlignedTable {
    pub(super) fn new(titles: Vec<Title>) -> AlignedTable {
        AlignedTable { titles }
    }

    /// Writes the rows below the header; a table without rows has none. Names that do not fit into `columns` are wrapped.
    pub(super) fn write(
        &self,
        out: &mut dyn Write,
        mut rows: impl Iterator<Item = Vec<String>>,
        columns: Option<usize>,
        has_colors: bool,
    ) -> io::Result<()> {
        let mut first: Vec<Vec<String>> = Vec::new();
        let mut bytes = 0;
        while first.len() < MEASURED_ROWS && bytes < MEASURED_BYTES {
            let Some(row) = rows.next() else { break };
            bytes += row.iter().map(String::len).sum::<usize>();
            first.push(row);
        }
        if first.is_empty() {
            return Ok(());
        }
        let widths = self.widths(&first, columns);
        let header: Vec<String> = self.titles.iter().map(|title| title.text.to_owned()).collect();
        self.write_row(out, &header, &widths, if has_colors { STRONG } else { Style::new() })?;
        for row in first.into_iter().chain(rows) {
            self.write_row(out, &row, &widths, Style::new())?;
        }
        Ok(())
    }

    /// Widths of the columns: those of the measured rows. Columns of names share what is left if these are too wide.
    fn widths(&self, rows: &[Vec<String>], columns: Option<usize>) -> Vec<usize> {
        let natural = |(index, title): (usize, &Title)| {
            let cells = rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.width());
            cells.max().unwrap_or(0).max(title.text.width())
        };
        let mut widths: Vec<usize> = self.titles.iter().enumerate().map(natural).collect();
        let Some(columns) = columns else { return widths };
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        let names: Vec<usize> = (0..widths.len()).filter(|&index| self.titles[index].is_name).collect();
        // The widest column of names gives way first.
        while widths.iter().sum::<usize>() + gaps > columns {
            let Some(&widest) = names.iter().max_by_key(|&&index| widths[index]) else { break };
            if widths[widest] <= MIN_NAME.max(self.titles[widest].text.width()) {
                break;
            }
            widths[widest] -= 1;
        }
        widths
    }

    /// Writes a row, which has as many lines as its longest cell.
    fn write_row(&self, out: &mut dyn Write, row: &[String], widths: &[usize], style: Style) -> io::Result<()> {
        let cells: Vec<Vec<&str>> = (row.iter().zip(&self.titles).zip(widths))
            .map(|((cell, title), &width)| if title.is_name { wrap_name(cell, width) } else { vec![&**cell] })
            .collect();
        let count = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..count {
            let mut text = String::new();
            for (index, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                let part = cell.get(line).copied().unwrap_or_default();
                let padding = " ".repeat(width.saturating_sub(part.width()));
                let gap = if index == 0 { "" } else { GAP };
                text.push_str(gap);
                if self.titles[index].is_name {
                    text.extend([part, &padding]);
                } else {
                    text.extend([&padding, part]);
                }
            }
            writeln!(out, "{style}{}{style:#}", text.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]], columns: Option<usize>) -> String {
        let titles = vec![Title { text: "node", is_name: true }, Title { text: "rank", is_name: false }];
        let rows = rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect());
        let mut out = Vec::new();
        AlignedTable::new(titles).write(&mut out, rows, columns, false).expect("writes to a vector do not fail");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["main", "1"], ["read_request", "1,000"]];
        assert_eq!(table(&rows, None), "node           rank\nmain              1\nread_request  1,000\n");
        assert_eq!(table(&[], None), "");
    }

    #[test]
    fn long_names_are_wrapped_and_never_cut() {
        let rows = [["package.module.function", "1"]];
        assert_eq!(table(&rows, Some(18)), "node          rank\npackage.         1\nmodule.\nfunction\n");
        assert_eq!(table(&rows, Some(1)), "node        rank\npackage.       1\nmodule.\nfunction\n");
    }
}
