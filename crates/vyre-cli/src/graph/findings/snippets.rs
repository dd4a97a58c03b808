//! Source lines of nodes, from files beneath a folder that the user names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use vyre::ir::source::{LineIndex, Span};

use crate::output::{quantity, visible};

/// Maximum bytes of a file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Maximum bytes of all files in memory. If the next one exceeds them, all are forgotten.
const MAX_CACHED_BYTES: usize = 256 << 20;

/// Reads lines of source files.
pub(crate) struct Snippets {
    root: PathBuf,
    /// Texts of files; `None` for those that cannot be read.
    files: BTreeMap<String, Option<SourceFile>>,
    cached_bytes: usize,
    unreadable: BTreeSet<String>,
}

/// Text of a file with the offsets of its lines.
struct SourceFile {
    text: String,
    line_starts: Vec<usize>,
}

impl Snippets {
    /// Opens the folder of the files.
    pub(crate) fn new(root: &Path) -> anyhow::Result<Snippets> {
        let name = visible(&root.to_string_lossy()).into_owned();
        let canonical =
            root.canonicalize().with_context(|| format!("cannot open the folder {name} of --source-root"))?;
        if !canonical.is_dir() {
            bail!("{name} is no folder; see --source-root");
        }
        Ok(Snippets { root: canonical, files: BTreeMap::new(), cached_bytes: 0, unreadable: BTreeSet::new() })
    }

    /// Text of a line, counted from 1, without indentation and escaped for a terminal. Long lines are cut with `...`.
    pub(super) fn line(&mut self, file: &str, line: usize) -> Option<String> {
        if !self.files.contains_key(file) {
            let source = self.read(file);
            let bytes = source.as_ref().map_or(0, |source| source.text.len());
            if self.cached_bytes.saturating_add(bytes) > MAX_CACHED_BYTES {
                self.files.clear();
                self.cached_bytes = 0;
            }
            self.cached_bytes += bytes;
            self.files.insert(file.to_owned(), source);
        }
        let text = self.files.get(file)?.as_ref().and_then(|source| source.line(line));
        if text.is_none() {
            self.unreadable.insert(format!("{file}:{line}"));
        }
        text
    }

    /// Note about lines that were not found.
    pub(crate) fn note(&self) -> Option<String> {
        let first = self.unreadable.first()?;
        let lines = quantity(self.unreadable.len(), "source line");
        let verb = if self.unreadable.len() == 1 { "is" } else { "are" };
        let root = self.root.to_string_lossy();
        Some(format!("{lines} {verb} not in files beneath {}, such as {}", visible(&root), visible(first)))
    }

    /// Reads a file beneath the folder. Links that lead outside are not followed.
    fn read(&self, file: &str) -> Option<SourceFile> {
        let relative = Path::new(file);
        if !relative.components().all(|component| matches!(component, Component::Normal(_) | Component::CurDir)) {
            return None;
        }
        let path = self.root.join(relative).canonicalize().ok().filter(|path| path.starts_with(&self.root))?;
        let metadata = fs::metadata(&path).ok().filter(|metadata| metadata.is_file())?;
        if metadata.len() > MAX_FILE_BYTES {
            return None;
        }
        let text = String::from_utf8_lossy(&fs::read(&path).ok()?).into_owned();
        let after_newline = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(after_newline).collect();
        Some(SourceFile { text, line_starts })
    }
}

impl SourceFile {
    fn line(&self, line: usize) -> Option<String> {
        let index = line.checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end)?.trim();
        Some(LineIndex::new(text).frame(Span::default()).text).filter(|text| !text.is_empty())
    }
}
