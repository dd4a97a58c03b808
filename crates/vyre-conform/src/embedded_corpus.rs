//! The corpus that the suite and generators use: embedded when the crate is built in its repository, or read from a folder.

use std::fs;
use std::io;
use std::path::Path;

use vyre_ir::{OpTable, text};

use crate::corpus::op_texts;
use crate::corpus_ops::{OpsError, table_of};
use crate::hash::of_parts;

/// Embedded files: paths below `tests/corpus` and contents.
static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// Extensions of the files that a corpus consists of: programs, and cases of ops over buffers.
const EXTENSIONS: [&str; 2] = ["vyre", "case"];

/// An error with the path that it is about.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A file of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusFile {
    /// Path below the corpus, with slashes, such as `run/casts/u32_to_u64.vyre`.
    pub path: String,
    /// Its contents.
    pub text: String,
}

/// Files of the folders `run` and `ops` of a corpus, sorted by path.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    files: Vec<CorpusFile>,
}

impl Corpus {
    /// The corpus of this build. It is empty in a build of the crate's package, which has none.
    #[must_use]
    pub fn embedded() -> Corpus {
        let file = |&(path, text): &(&str, &str)| CorpusFile { path: path.to_owned(), text: text.to_owned() };
        Corpus::of(EMBEDDED.iter().map(file).collect())
    }

    /// Reads a corpus from a folder such as `tests/corpus`: its files `.vyre` and `.case`. Others, such as those of editors, are not read.
    ///
    /// # Errors
    ///
    /// An unreadable file or folder, which the error names.
    pub fn read(folder: &Path) -> io::Result<Corpus> {
        let mut files = Vec::new();
        let mut folders = vec![(folder.join("ops"), "ops".to_owned()), (folder.join("run"), "run".to_owned())];
        while let Some((folder, name)) = folders.pop() {
            let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            for entry in entries.map_err(|error| about(&folder, &error))? {
                let path = entry.path();
                let name = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
                if path.is_dir() {
                    folders.push((path, name));
                } else if path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known)) {
                    let text = fs::read_to_string(&path).map_err(|error| about(&path, &error))?;
                    files.push(CorpusFile { path: name, text });
                }
            }
        }
        Ok(Corpus::of(files))
    }

    /// A corpus of files, whose order decides its hash.
    fn of(mut files: Vec<CorpusFile>) -> Corpus {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Corpus { files }
    }

    /// Hash of the paths and contents of all files.
    #[must_use]
    pub fn hash(&self) -> String {
        of_parts(self.files.iter().flat_map(|file| [file.path.as_bytes(), file.text.as_bytes()]))
    }

    /// Files whose path begins with this text.
    pub fn below<'c>(&'c self, start: &'c str) -> impl Iterator<Item = &'c CorpusFile> {
        self.files.iter().filter(move |file| file.path.starts_with(start))
    }

    /// The file of this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&CorpusFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Programs of the run corpus.
    pub fn programs(&self) -> impl Iterator<Item = &CorpusFile> {
        self.below("run/").filter(|file| file.path.ends_with(".vyre") && !file.path.starts_with("run/ops/"))
    }

    /// Ops that programs of the run corpus call.
    ///
    /// # Errors
    ///
    /// A malformed file of ops.
    pub fn ops(&self) -> Result<OpTable, OpsError> {
        let mut ops = Vec::new();
        for file in self.below("run/ops/") {
            ops.extend(op_texts(&file.text).map_err(|error| OpsError::Corpus(error.of_file(&file.path)))?);
        }
        table_of(ops)
    }

    /// Reports whether a program of the run corpus is among the files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.programs().next().is_none()
    }
}

impl CorpusFile {
    /// Folder of the file below the first one, such as `casts`, or for ops `graph/bfs`.
    #[must_use]
    pub fn topic(&self) -> &str {
        let path = self.path.split_once('/').map_or(&*self.path, |(_, rest)| rest);
        path.rsplit_once('/').map_or("", |(topic, _)| topic)
    }

    /// Name of the file without its folders.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit_once('/').map_or(&*self.path, |(_, name)| name)
    }

    /// The program of the file.
    ///
    /// # Errors
    ///
    /// A syntax error.
    pub fn program(&self) -> Result<vyre_ir::Program, text::ParseErrors> {
        text::parse(&self.text).map(|parsed| parsed.program)
    }
}
