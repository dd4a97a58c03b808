//! Input of a scan: files of archives, folders and single files, with a record of what is scanned, skipped and failed.
//!
//! Archives are read in memory, nested ones too; nothing is written to disk, and nothing of a package is executed. Damaged
//! entries, limits and folders that cannot be read become records and problems of the [`Coverage`].
//!
//! | Module | Content |
//! |---|---|
//! | `folder`, `archive` | reading of folders and archives |
//! | `links` | where links lead |
//! | `name` | names that are not UTF-8 |
//! | `filter` | patterns of paths, folders of dependencies |
//! | `classify`, `language`, `decode`, `html` | what a file is, and its text |
//! | `collect` | records, limits, order |
//! | `package`, `exports`, `commands`, `tsconfig`, `json` | manifests |
//! | `install_manifest`, `unread` | what an installation adds, files that are not analysed |
//! | `resolve`, `files` | module resolution inside the input |
//!
//! # Paths
//!
//! A path is relative to the scanned path. Names of archives in it end with `!`, as in `vendor/lib.zip!/src/a.js`. The files of
//! a single archive have the paths of its entries: `package/index.js`. If several paths are scanned, each path starts with the
//! scanned one as the user wrote it: `a/index.js`, `b.tgz!/package/index.js`.
//!
//! Links are not followed: each has a record with its target, and its target is scanned under its own name. A link to another
//! file of the input is known to the module resolution; a link out of the input, or to nothing, is reported.

mod archive;
mod classify;
mod collect;
mod commands;
mod content;
mod cookie;
mod current;
mod decode;
mod exports;
mod files;
mod filter;
mod folder;
mod html;
mod install_manifest;
mod json;
mod language;
mod links;
mod name;
mod package;
mod python;
mod python_manifest;
mod python_standard;
mod resolve;
#[cfg(test)]
mod tests;
mod tsconfig;
mod unread;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use classify::is_read_by_name;
pub(crate) use commands::files as files_of_command;
pub use content::digest;
pub use current::current_folder;
pub(crate) use filter::is_dependency as is_in_dependencies;
pub(crate) use html::script_files;
pub use install_manifest::Installation;
pub(crate) use language::has_extension;
pub use language::{Language, ModuleKind};
pub use package::Package;
pub(crate) use package::{directories, join};
pub use python::PythonResolver;
pub(crate) use python_standard::is_standard;
pub use resolve::{Resolution, Resolver};

use collect::Collector;
use package::Manifest;
use tsconfig::PathMap;
pub(crate) use unread::{Unread, UnreadKind};

use crate::coverage::Coverage;
use crate::finding::FileIndex;
use crate::scan::ScanOptions;

/// Files of a scan.
#[derive(Debug, Default)]
pub struct Input {
    /// Record of all files.
    pub coverage: Coverage,
    /// Files with code, in order of their positions in the coverage.
    pub sources: Vec<SourceFile>,
    /// Texts of the stubs of Python by path.
    stubs: BTreeMap<String, Arc<str>>,
    /// Packages, in order of their folders.
    pub packages: Vec<Package>,
    /// All valid `package.json` by folder.
    manifests: BTreeMap<String, Manifest>,
    /// Path maps of TypeScript by folder.
    path_maps: BTreeMap<String, PathMap>,
    /// Links to other paths of the input.
    pub(crate) links: BTreeMap<String, String>,
    /// Files that are not analysed, although they may be code, by path. Empty: the options do not ask for capabilities.
    pub(crate) unread: BTreeMap<String, Unread>,
    /// Warnings about the selection of files.
    pub warnings: Vec<String>,
    /// Folders of dependencies are there for the targets of calls only.
    has_dependencies: bool,
}

/// A file with code.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Position in [`Coverage::files`].
    pub file: FileIndex,
    /// Path, as in the record of the file.
    pub path: String,
    /// Text of the front end, without byte order mark. For markup, everything but the scripts is blank; the length is that of
    /// the text of the record, so offsets are the same.
    pub text: Arc<str>,
    /// Language.
    pub language: Language,
    /// Module system, as far as the name says.
    pub module: ModuleKind,
    /// Ranges of the scripts of markup, in order. Empty: the whole text is code.
    pub scripts: Vec<Range<usize>>,
    /// Hash of the bytes of the file (XXH3, 64 bits).
    pub digest: u64,
}

/// Files and bytes that were read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Files, skipped ones included.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
}

/// Errors that prevent a scan. Everything else is part of the [`Coverage`].
#[derive(Debug)]
#[non_exhaustive]
pub enum InputError {
    /// No path is given.
    NoPath,
    /// A given path cannot be read.
    Read {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A given path is neither a file nor a folder.
    Special {
        /// The path.
        path: PathBuf,
        /// What it is, such as `a pipe`.
        kind: &'static str,
    },
    /// A pattern of `--include` or `--exclude` is wrong.
    Pattern {
        /// The pattern.
        pattern: String,
        /// Description.
        message: String,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::NoPath => f.write_str("no path to scan"),
            InputError::Read { path, source } => write!(f, "cannot read {path:?}: {source}"),
            InputError::Special { path, kind } => write!(f, "{path:?} is {kind}, not a file or folder"),
            InputError::Pattern { pattern, message } => write!(f, "the pattern {pattern:?} is wrong: {message}"),
        }
    }
}

impl std::error::Error for InputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InputError::Read { source, .. } => Some(source),
            InputError::NoPath | InputError::Special { .. } | InputError::Pattern { .. } => None,
        }
    }
}

/// Reads archives, folders and files. The result does not depend on the order of the paths.
///
/// If `is_cancelled` returns true, the result has the files that were read before, and is marked as interrupted.
///
/// # Errors
///
/// There is no path, a given path cannot be read or is a pipe, socket or device, or a pattern of the options is wrong.
pub fn read(
    paths: &[PathBuf],
    options: &ScanOptions,
    is_cancelled: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(ReadProgress) + Sync),
) -> Result<Input, InputError> {
    let mut roots: Vec<(String, &Path)> = paths.iter().map(|path| (display(path), path.as_path())).collect();
    roots.sort();
    name_by_outer_paths(&mut roots);
    roots.sort();
    roots.dedup_by(|left, right| left.0 == right.0);
    if roots.is_empty() {
        return Err(InputError::NoPath);
    }
    let is_single = roots.len() == 1;
    let mut collector = Collector::new(options, is_cancelled, progress)?;
    for (number, (name, path)) in roots.into_iter().enumerate() {
        collector.root = number;
        let error = |source| InputError::Read { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(error)?;
        if metadata.is_dir() {
            let prefix = if is_single || name.is_empty() { String::new() } else { name + "/" };
            folder::read(&mut collector, path, &prefix).map_err(error)?;
        } else if metadata.is_file() {
            folder::read_single(&mut collector, path, &name, is_single).map_err(error)?;
        } else {
            return Err(InputError::Special { path: path.to_owned(), kind: special_kind(metadata.file_type()) });
        }
    }
    collector.report();
    Ok(collector.finish())
}

/// Names paths inside of other paths as the other paths name them. Two names of a file, one of them through a link, become one.
fn name_by_outer_paths(roots: &mut [(String, &Path)]) {
    let resolved: Vec<Option<PathBuf>> = roots.iter().map(|(_, path)| fs::canonicalize(path).ok()).collect();
    let names: Vec<String> = roots.iter().map(|(name, _)| name.clone()).collect();
    for (inner, (name, _)) in resolved.iter().zip(roots) {
        let Some(inner) = inner else { continue };
        let outer = resolved.iter().zip(&names).filter_map(|(outer, outer_name)| {
            let inside = inner.strip_prefix(outer.as_ref()?).ok()?;
            Some((inside.components().count(), outer_name, display(inside)))
        });
        if let Some((_, outer, inside)) = outer.max_by(|left, right| left.0.cmp(&right.0).then(right.1.cmp(left.1))) {
            *name = match (outer.is_empty(), inside.is_empty()) {
                (_, true) => outer.clone(),
                (true, false) => inside,
                (false, false) => format!("{outer}/{inside}"),
            };
        }
    }
}

impl Input {
    /// Text of the stub of a Python file: beside it, or in the folder of stubs of its package (`package-stubs`).
    #[must_use]
    pub(crate) fn stub_of(&self, path: &str) -> Option<&str> {
        if self.stubs.is_empty() || !path.ends_with(".py") {
            return None;
        }
        let stub = format!("{path}i");
        let apart = stub.match_indices('/').map(|(end, _)| format!("{}-stubs{}", &stub[..end], &stub[end..]));
        std::iter::once(stub.clone()).chain(apart).find_map(|path| self.stubs.get(&path)).map(|text| &**text)
    }

    /// The package of a file: that of the nearest folder around it.
    #[must_use]
    pub fn package_of(&self, file: FileIndex) -> Option<&Package> {
        self.packages_around(file).next()
    }

    /// Range of versions that the package of a file, or a package around it, requires of a dependency.
    #[must_use]
    pub fn dependency_version(&self, file: FileIndex, name: &str) -> Option<&str> {
        self.packages_around(file).find_map(|package| package.dependencies.get(name)).map(String::as_str)
    }

    /// Packages around a file, from the inside out.
    fn packages_around(&self, file: FileIndex) -> impl Iterator<Item = &Package> {
        let path = self.coverage.files.get(file as usize).map_or("", |record| record.path.as_str());
        package::directories(path).filter_map(|directory| self.package_in(directory))
    }

    /// True for a file of a dependency that is there for the targets of calls only.
    #[must_use]
    pub fn is_dependency(&self, file: FileIndex) -> bool {
        self.has_dependencies
            && self.coverage.files.get(file as usize).is_some_and(|record| filter::is_dependency(&record.path))
    }

    /// The package of a folder.
    fn package_in(&self, directory: &str) -> Option<&Package> {
        let found = self.packages.binary_search_by(|package| package.directory.as_str().cmp(directory));
        found.ok().and_then(|index| self.packages.get(index))
    }
}

/// Name of the kind of a path that is neither a file nor a folder.
fn special_kind(kind: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    let _ = kind;
    "a special file"
}

/// A given path in reports: with `/`, without `.` and repeated separators.
pub(crate) fn display(path: &Path) -> String {
    let text = name::text_of(path.as_os_str());
    let text = if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text };
    let names: Vec<&str> = text.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    let root = if text.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}
