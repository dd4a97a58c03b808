//! Files of the programs that run now, so that a driver that ends the process leaves the program that did it.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Item;
use super::judge::Contents;
use crate::Case;
use crate::reduce::corpus_file;

/// Files of a program that runs, which are deleted when it has ended.
#[derive(Debug)]
pub(super) struct RunningProgram {
    files: Vec<PathBuf>,
}

impl RunningProgram {
    /// Writes the files of a case: one that `vyre conform repeat` reads, and one of the ops that it calls.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(super) fn write(
        folder: &Path,
        section: &str,
        (item, seed, subject): (&Item, Option<u64>, &str),
        case: &Case,
        expected: &Contents,
    ) -> io::Result<RunningProgram> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let name = format!("{section}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let line = |text: &str| text.replace(['\n', '\r'], " ");
        let mut text = format!("// Section: {section}, {}\n// Device: {}\n", line(item.name()), line(subject));
        if let Some(op) = item.op() {
            let _ = writeln!(text, "// Op: {op}");
        }
        if let Some(seed) = seed {
            let _ = writeln!(text, "// Seed: {seed}");
        }
        let written = corpus_file(case, expected);
        text.push_str(&written.program);
        let mut running = RunningProgram { files: Vec::new() };
        if let Some(ops) = &written.ops {
            running.add(folder.join(format!("{name}.ops.vyre")), ops)?;
        }
        running.add(folder.join(format!("{name}.vyre")), &text)?;
        Ok(running)
    }

    fn add(&mut self, path: PathBuf, text: &str) -> io::Result<()> {
        let result = fs::write(&path, text);
        self.files.push(path);
        result
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
    }
}
