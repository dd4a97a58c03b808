//! Inputs: expansion of directories, bounded reading, detection of the form by magic number.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use vyre::ir::wire;

use crate::output::visible;

/// Maximum bytes of one input. The help of the commands names this number. No valid program is that large, and a hostile one
/// of this size still fits in memory: commands that accept every program take at most about 50 bytes for each byte.
pub(crate) const MAX_BYTES: u64 = 32 << 20;

/// Source of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// The form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The text format.
    Text,
    /// The binary format.
    Wire,
}

impl Form {
    /// Form of some bytes: wire if they begin with its magic number.
    pub(crate) fn of(bytes: &[u8]) -> Form {
        if bytes.starts_with(&wire::MAGIC) { Form::Wire } else { Form::Text }
    }
}

impl Input {
    /// Parses an argument: `-` is standard input.
    pub(crate) fn new(argument: &Path) -> Input {
        if argument.as_os_str() == "-" { Input::Stdin } else { Input::File(argument.to_path_buf()) }
    }

    /// Name of the input in reports.
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            Input::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// Reads the whole input. Rejects inputs over [`MAX_BYTES`].
    pub(crate) fn read(&self) -> anyhow::Result<Vec<u8>> {
        self.read_within(MAX_BYTES)
    }

    /// Reads the whole input. Rejects inputs over `limit` bytes, which must be a whole number of MiB.
    pub(crate) fn read_within(&self, limit: u64) -> anyhow::Result<Vec<u8>> {
        self.read_up_to(limit).with_context(|| format!("cannot read {}", visible(&self.name())))
    }

    fn read_up_to(&self, limit: u64) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Input::Stdin => read_up_to(io::stdin().lock(), limit, &mut bytes)?,
            Input::File(path) => {
                let metadata = fs::metadata(path)?;
                if metadata.is_dir() {
                    bail!("it is a directory");
                }
                if metadata.is_file() {
                    if metadata.len() > limit {
                        return Err(too_large(limit));
                    }
                    bytes.try_reserve_exact(usize::try_from(metadata.len())?)?;
                }
                read_up_to(File::open(path)?, limit, &mut bytes)?;
            }
        }
        Ok(bytes)
    }
}

/// Reads to the end with a limit, since a size can be unknown or outdated.
fn read_up_to(source: impl Read, limit: u64, bytes: &mut Vec<u8>) -> anyhow::Result<()> {
    source.take(limit + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(()) }
}

fn too_large(limit: u64) -> anyhow::Error {
    anyhow::anyhow!("it is larger than {} MiB", limit >> 20)
}

/// Expands arguments to inputs, in order. A directory expands to the files below it, sorted.
///
/// A path that cannot be read yields an error.
pub(crate) fn expand(arguments: &[PathBuf], extensions: &[&str]) -> Vec<anyhow::Result<Input>> {
    let mut inputs = Vec::new();
    let mut has_stdin = false;
    for argument in arguments {
        match Input::new(argument) {
            Input::Stdin if has_stdin => {
                inputs.push(Err(anyhow::anyhow!("standard input can be read only once")));
            }
            Input::Stdin => {
                has_stdin = true;
                inputs.push(Ok(Input::Stdin));
            }
            Input::File(path) if path.is_dir() => {
                let files = files_below(&path, extensions);
                if files.is_empty() {
                    let expected = extensions.iter().map(|name| format!(".{name}")).collect::<Vec<_>>().join(" or ");
                    let directory = visible(&path.to_string_lossy()).into_owned();
                    inputs.push(Err(anyhow::anyhow!("there are no {expected} files below {directory}")));
                }
                inputs.extend(files);
            }
            file @ Input::File(_) => inputs.push(Ok(file)),
        }
    }
    inputs
}

/// The files below a directory that have one of the extensions, sorted, and the errors of unreadable directories.
///
/// Skips hidden directories and links to directories, so that a loop of links ends.
fn files_below(root: &Path, extensions: &[&str]) -> Vec<anyhow::Result<Input>> {
    let mut files = Vec::new();
    let mut failures = Vec::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        let entries = fs::read_dir(&directory).and_then(Iterator::collect::<io::Result<Vec<fs::DirEntry>>>);
        let entries = entries.with_context(|| format!("cannot read {}", visible(&directory.to_string_lossy())));
        match entries {
            Ok(entries) => {
                for entry in entries {
                    let path = entry.path();
                    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                            pending.push(path);
                        }
                    } else if has_extension(&path, extensions) && is_file_or_broken(&path) {
                        files.push(path);
                    }
                }
            }
            Err(error) => failures.push(Err(error)),
        }
    }
    files.sort();
    files.into_iter().map(|path| Ok(Input::File(path))).chain(failures).collect()
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|extension| extensions.iter().any(|expected| extension == *expected))
}

/// Reports whether a path found by directory expansion is an input. Pipes and devices are not; a dangling link is, so that
/// reading it reports the error.
fn is_file_or_broken(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_over_the_limit_are_rejected() {
        let mut bytes = Vec::new();
        assert!(read_up_to(&b"12345"[..], 5, &mut bytes).is_ok());
        assert!(read_up_to(&b"123456"[..], 5, &mut Vec::new()).is_err());
    }

    #[test]
    fn the_magic_number_determines_the_form() {
        assert_eq!(Form::of(b"VIR0\x01\x00"), Form::Wire);
        assert_eq!(Form::of(b"VIR"), Form::Text);
        assert_eq!(Form::of(b""), Form::Text);
    }
}
