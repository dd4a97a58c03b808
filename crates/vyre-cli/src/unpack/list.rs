//! Table format of entries: a line for each, the problems of all below them.

use std::io::{self, Seek as _, Write};

use anstyle::Style;
use tempfile::SpooledTempFile;
use vyre::engine::decompress::{Entry, EntryKind};

use super::date::date;
use super::{End, EntryWriter, Outcome, archive_problems, display_path};
use crate::output::{DIRECTORY, ERROR, LINK, STRONG, UNUSUAL, short_size, visible};
use crate::prose::{wrap_from, wrap_name};

/// Bytes of problems in memory. More go to a temporary file.
const MAX_PROBLEM_BYTES: usize = 1 << 20;

/// Minimum width from which on the table has all columns.
const ALL_COLUMNS: usize = 100;

/// Minimum width from which on the table has the column of times.
const WITH_TIMES: usize = 70;

/// Minimum width of a column of paths whose lines are wrapped.
const MIN_PATH: usize = 20;

/// Columns of a table, from left to right. The path is always the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Size,
    Packed,
    Ratio,
    Method,
    Mode,
    Modified,
}

impl Column {
    const WIDE: &[Column] =
        &[Column::Size, Column::Packed, Column::Ratio, Column::Method, Column::Mode, Column::Modified];
    const MEDIUM: &[Column] = &[Column::Size, Column::Ratio, Column::Mode, Column::Modified];
    const NARROW: &[Column] = &[Column::Size, Column::Ratio, Column::Mode];

    /// Title and width. Numbers are aligned to the right.
    fn title(self) -> (&'static str, usize) {
        match self {
            Column::Size => ("size", 8),
            Column::Packed => ("packed", 8),
            Column::Ratio => ("ratio", 5),
            Column::Method => ("method", 8),
            Column::Mode => ("mode", 10),
            Column::Modified => ("modified", 16),
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Column::Size | Column::Packed | Column::Ratio)
    }

    fn cell(self, entry: &Entry) -> String {
        let none = || "-".to_owned();
        let is_file = entry.kind == EntryKind::File;
        let decoded = (!entry.bytes.is_empty()).then_some(entry.bytes.len() as u64);
        let size = entry.size.or(decoded).filter(|_| is_file);
        match self {
            Column::Size => size.map_or_else(none, short_size),
            Column::Packed if is_file => short_size(entry.compressed_size),
            Column::Packed => none(),
            Column::Ratio => size.and_then(|size| ratio(size, entry.compressed_size)).unwrap_or_else(none),
            Column::Method => entry.method.to_owned(),
            Column::Mode => permissions(entry),
            Column::Modified => entry.modified.and_then(date).unwrap_or_else(none),
        }
    }
}

/// Size divided by the size in the archive, with one decimal place below 100.
fn ratio(size: u64, packed: u64) -> Option<String> {
    let ratio = (packed > 0).then(|| size as f64 / packed as f64)?;
    let decimals = usize::from(ratio < 99.95);
    Some(format!("{ratio:.decimals$}"))
}

/// Writes a line for each entry, and all problems after the last.
pub(crate) struct ListWriter<'o> {
    out: &'o mut dyn Write,
    /// Width of the table; `None` if lines are not wrapped.
    width: Option<usize>,
    columns: &'static [Column],
    has_begun: bool,
    /// Lines of problems, in the order of the entries.
    problems: SpooledTempFile,
    has_problems: bool,
}

impl<'o> ListWriter<'o> {
    pub(crate) fn new(out: &'o mut dyn Write, width: Option<usize>) -> ListWriter<'o> {
        let columns = match width {
            Some(width) if width < WITH_TIMES => Column::NARROW,
            Some(width) if width < ALL_COLUMNS => Column::MEDIUM,
            _ => Column::WIDE,
        };
        let problems = SpooledTempFile::new(MAX_PROBLEM_BYTES);
        ListWriter { out, width, columns, has_begun: false, problems, has_problems: false }
    }

    /// Width of the mark and the columns before the path.
    fn path_start(&self) -> usize {
        2 + self.columns.iter().map(|column| column.title().1 + 2).sum::<usize>()
    }

    fn header(&mut self) -> io::Result<()> {
        write!(self.out, "{STRONG}  ")?;
        for column in self.columns {
            let (title, width) = column.title();
            write_cell(self.out, title, width, column.is_number())?;
        }
        writeln!(self.out, "path{STRONG:#}")
    }

    fn path(&mut self, path: &str, style: Style) -> io::Result<()> {
        let start = self.path_start();
        let room = self.width.and_then(|width| width.checked_sub(start)).filter(|&room| room >= MIN_PATH);
        let lines = room.map_or_else(|| vec![path], |room| wrap_name(path, room));
        for (position, line) in lines.iter().enumerate() {
            let indent = if position == 0 { 0 } else { start };
            writeln!(self.out, "{:indent$}{style}{line}{style:#}", "")?;
        }
        Ok(())
    }

    fn problem(&mut self, line: &str) -> io::Result<()> {
        self.has_problems = true;
        let line = self.width.map_or_else(|| line.to_owned(), |width| wrap_from(line, 2, width, "      "));
        writeln!(self.problems, "  {line}")
    }
}

impl EntryWriter for ListWriter<'_> {
    fn has_output(&self, _: &Entry, _: &Outcome<'_>) -> bool {
        true
    }

    fn entry(&mut self, entry: &Entry, outcome: &Outcome<'_>) -> io::Result<()> {
        let refusal = match outcome {
            Outcome::Listed(refusal) => *refusal,
            Outcome::Extracted(_) => None,
        };
        if !std::mem::replace(&mut self.has_begun, true) {
            self.header()?;
        }
        let mut path = display_path(&entry.path);
        for problem in &entry.problems {
            self.problem(&format!("{path}: {}", visible(&problem.to_string())))?;
        }
        if let Some(refusal) = refusal {
            self.problem(&format!("{path}: would be refused: {refusal}"))?;
        }
        let is_good = entry.problems.is_empty() && refusal.is_none();
        let mark = if is_good { " ".to_owned() } else { format!("{ERROR}!{ERROR:#}") };
        write!(self.out, "{mark} ")?;
        for column in self.columns {
            let width = column.title().1;
            write_cell(self.out, &column.cell(entry), width, column.is_number())?;
        }
        let style = match &entry.kind {
            _ if !is_good => ERROR,
            EntryKind::Directory => DIRECTORY,
            EntryKind::Symlink { .. } | EntryKind::Hardlink { .. } => LINK,
            EntryKind::Special { .. } => UNUSUAL,
            _ => Style::new(),
        };
        match &entry.kind {
            EntryKind::Directory if !path.ends_with('/') => path.push('/'),
            EntryKind::Symlink { target } => path.push_str(&format!(" -> {}", text(target))),
            EntryKind::Hardlink { target } => path.push_str(&format!(" link to {}", text(target))),
            EntryKind::Special { what } => path.push_str(&format!(" ({what})")),
            _ => {}
        }
        self.path(&path, style)
    }

    fn end(&mut self, end: &End<'_>) -> io::Result<()> {
        for line in archive_problems(end.summary) {
            self.problem(&line)?;
        }
        if self.has_problems {
            if self.has_begun {
                writeln!(self.out)?;
            }
            writeln!(self.out, "{ERROR}problems{ERROR:#}:")?;
            self.problems.rewind()?;
            io::copy(&mut self.problems, self.out)?;
        }
        self.out.flush()
    }
}

/// Writes a cell and the gap behind it. A wider text runs over.
fn write_cell(out: &mut dyn Write, text: &str, width: usize, is_number: bool) -> io::Result<()> {
    if is_number { write!(out, "{text:>width$}  ") } else { write!(out, "{text:width$}  ") }
}

fn text(bytes: &[u8]) -> String {
    visible(&String::from_utf8_lossy(bytes)).into_owned()
}

/// Kind and permissions in the notation of `ls -l`.
fn permissions(entry: &Entry) -> String {
    let kind = match &entry.kind {
        EntryKind::File => '-',
        EntryKind::Directory => 'd',
        EntryKind::Symlink { .. } => 'l',
        EntryKind::Hardlink { .. } => 'h',
        _ => 's',
    };
    let Some(mode) = entry.mode else { return format!("{kind}?????????") };
    let mut text = String::from(kind);
    for (shift, special, letter) in [(6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't')] {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => letter,
            (false, true) => letter.to_ascii_uppercase(),
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_one_decimal_place_below_100() {
        assert_eq!(ratio(10, 0), None);
        assert_eq!(ratio(10, 4).as_deref(), Some("2.5"));
        assert_eq!(ratio(99_960, 1000).as_deref(), Some("100"));
    }
}
