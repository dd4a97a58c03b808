//! Table format of entries.

use std::io::{self, Write};

use vyre::engine::decompress::{Entry, EntryKind};

use super::date::date;
use super::{End, EntryWriter, Outcome, archive_problems, display_path};
use crate::output::visible;

/// Writes a line for each entry, and its problems below it.
pub(crate) struct ListWriter<'o> {
    out: &'o mut dyn Write,
    has_begun: bool,
}

impl<'o> ListWriter<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> ListWriter<'o> {
        ListWriter { out, has_begun: false }
    }

    fn row(&mut self, mark: char, cells: [&str; 5], path: &str) -> io::Result<()> {
        let [size, packed, method, mode, time] = cells;
        writeln!(self.out, "{mark} {size:>12} {packed:>12}  {method:8} {mode:10}  {time:16}  {path}")
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
            self.row(' ', ["size", "packed", "method", "mode", "modified"], "path")?;
        }
        let mark = if entry.problems.is_empty() && refusal.is_none() { ' ' } else { '!' };
        let is_file = entry.kind == EntryKind::File;
        let decoded = (!entry.bytes.is_empty()).then_some(entry.bytes.len() as u64);
        let size = entry.size.or(decoded).filter(|_| is_file).map_or("-".to_owned(), |size| size.to_string());
        let packed = if is_file { entry.compressed_size.to_string() } else { "-".to_owned() };
        let time = entry.modified.and_then(date).unwrap_or_else(|| "-".to_owned());
        let mut path = display_path(&entry.path);
        match &entry.kind {
            EntryKind::Directory if !path.ends_with('/') => path.push('/'),
            EntryKind::Symlink { target } => path.push_str(&format!(" -> {}", text(target))),
            EntryKind::Hardlink { target } => path.push_str(&format!(" link to {}", text(target))),
            EntryKind::Special { what } => path.push_str(&format!(" ({what})")),
            _ => {}
        }
        self.row(mark, [&size, &packed, entry.method, &permissions(entry), &time], &path)?;
        for problem in &entry.problems {
            writeln!(self.out, "!     {}", visible(&problem.to_string()))?;
        }
        if let Some(refusal) = refusal {
            writeln!(self.out, "!     would be refused: {refusal}")?;
        }
        Ok(())
    }

    fn end(&mut self, end: &End<'_>) -> io::Result<()> {
        for line in archive_problems(end.summary) {
            writeln!(self.out, "! {line}")?;
        }
        self.out.flush()
    }
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
