//! Extraction: files that are written, entries that are refused, and files outside that stay untouched.

mod damage;
mod inner;
mod links;
mod random;
mod refusals;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use tempfile::TempDir;
use vyre_unpack::{
    Entry, EntryKind, EntryOutcome, EntryPath, ExtractOptions, ExtractTotals, Extractor, Problem, Refusal,
};

/// The extraction directory with files around it.
struct Around {
    directory: TempDir,
}

/// Content of the files around.
const SECRET: &[u8] = b"not for archives";

impl Around {
    fn new() -> Around {
        let directory = TempDir::new().expect("a temporary directory");
        fs::create_dir_all(directory.path().join("outside/deep")).expect("a directory");
        fs::write(directory.path().join("secret"), SECRET).expect("a file");
        fs::write(directory.path().join("outside/deep/secret"), SECRET).expect("a file");
        fs::create_dir(directory.path().join("out")).expect("a directory");
        Around { directory }
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    /// The extraction directory.
    fn out(&self) -> PathBuf {
        self.root().join("out")
    }

    fn extractor(&self) -> Extractor {
        Extractor::new(&self.out(), ExtractOptions::default()).expect("the directory is there")
    }

    fn overwriting(&self) -> Extractor {
        let options = ExtractOptions::default().with_overwrite(true);
        Extractor::new(&self.out(), options).expect("the directory is there")
    }

    /// Extracts entries in one batch.
    fn extract(&self, entries: &[Entry]) -> (Vec<EntryOutcome>, ExtractTotals) {
        let mut extractor = self.extractor();
        let placed = extractor.extract(entries).expect("the file system works");
        let outcomes = placed.iter().map(|placed| placed.outcome).collect();
        (outcomes, extractor.finish().expect("the file system works"))
    }

    /// Everything in the extraction directory.
    fn tree(&self) -> BTreeMap<String, Found> {
        tree(&self.out())
    }

    /// Checks the files beside it, which must never change.
    #[track_caller]
    fn check_outside(&self) {
        let mut found = tree(self.root());
        found.retain(|path, _| path != "out" && !path.starts_with("out/"));
        let secret = Found::File(SECRET.to_vec());
        let expected = [
            ("outside", Found::Directory),
            ("outside/deep", Found::Directory),
            ("outside/deep/secret", secret.clone()),
            ("secret", secret),
        ];
        assert_eq!(found, expected.map(|(path, found)| (path.to_owned(), found)).into_iter().collect());
    }
}

/// A file, directory or link.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Directory,
    File(Vec<u8>),
    Link(String),
}

/// Everything below a directory, by its path, without following links.
fn tree(root: &Path) -> BTreeMap<String, Found> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let metadata = fs::symlink_metadata(&path).expect("metadata");
            let what = if metadata.is_symlink() {
                Found::Link(fs::read_link(&path).expect("a link").to_string_lossy().into_owned())
            } else if metadata.is_dir() {
                pending.push(path.clone());
                Found::Directory
            } else {
                Found::File(fs::read(&path).expect("a file"))
            };
            found.insert(path.strip_prefix(root).expect("below").to_string_lossy().into_owned(), what);
        }
    }
    found
}

fn entry(names: &[&[u8]], kind: EntryKind, bytes: &[u8]) -> Entry {
    Entry {
        path: EntryPath { names: names.iter().map(|name| name.to_vec()).collect() },
        kind,
        bytes: Bytes::copy_from_slice(bytes),
        size: Some(bytes.len() as u64),
        compressed_size: bytes.len() as u64,
        method: "stored",
        offset: 0,
        mode: None,
        modified: None,
        problems: Vec::new(),
        is_opened: false,
    }
}

fn file(name: &str, bytes: &str) -> Entry {
    entry(&[name.as_bytes()], EntryKind::File, bytes.as_bytes())
}

fn directory(name: &str) -> Entry {
    entry(&[name.as_bytes()], EntryKind::Directory, b"")
}

fn symlink(name: &str, target: &str) -> Entry {
    entry(&[name.as_bytes()], EntryKind::Symlink { target: target.into() }, b"")
}

fn hardlink(name: &str, target: &str) -> Entry {
    entry(&[name.as_bytes()], EntryKind::Hardlink { target: target.into() }, b"")
}

fn with_problem(mut entry: Entry, problem: Problem) -> Entry {
    entry.problems.push(problem);
    entry
}

fn refused(refusal: Refusal) -> EntryOutcome {
    EntryOutcome::Refused(refusal)
}
