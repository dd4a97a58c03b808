//! Loader of archives: memory-mapped files and bounded streams.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context as _;
use bytes::Bytes;
use vyre::engine::decompress::{Limit, LimitExceeded, read_input};
use vyre::memory::{MappedBytes, exit_if_a_map_is_truncated};

use crate::input::Input;
use crate::output::visible;

/// An archive in memory.
pub(crate) struct Archive {
    /// The argument, for reports.
    pub(crate) file: String,
    /// Name of the file without its directory. The content of a compressed stream is named after it.
    pub(crate) name: Vec<u8>,
    /// All its bytes.
    pub(crate) bytes: Bytes,
    /// The limit that the archive exceeds, in which case it has no bytes.
    pub(crate) refused: Option<LimitExceeded>,
}

impl Archive {
    /// Reads a small file, which nobody can then change, and maps a large one into memory. Reads other inputs, such as pipes, up to `limit` bytes or 1 MiB, whichever is more;
    /// larger ones are refused.
    pub(crate) fn open(input: &Input, limit: u64) -> anyhow::Result<Archive> {
        let (name, mapped) = match input {
            Input::Stdin => (b"stdin".to_vec(), None),
            Input::File(path) => {
                let mapped = map(path).with_context(|| format!("cannot read {}", visible(&input.name())))?;
                let name = path.file_name().unwrap_or_default().as_encoded_bytes().to_vec();
                (name, mapped)
            }
        };
        let allowed = limit.max(1 << 20);
        let bytes = match mapped {
            Some(bytes) => Some(bytes),
            None => read(input, allowed).with_context(|| format!("cannot read {}", visible(&input.name())))?,
        };
        let refused = LimitExceeded { limit: Limit::Total, requested: allowed.saturating_add(1), allowed };
        let refused = bytes.is_none().then_some(refused);
        Ok(Archive { file: input.name(), name, bytes: bytes.unwrap_or_default(), refused })
    }
}

/// Reads the whole input, a large one to a temporary file; `None` if it exceeds `limit` bytes.
fn read(input: &Input, limit: u64) -> io::Result<Option<Bytes>> {
    match input {
        Input::Stdin => read_input(io::stdin().lock(), limit),
        Input::File(path) => read_input(File::open(path)?, limit),
    }
}

/// Size from which a file is mapped rather than read.
const MIN_MAPPED_BYTES: u64 = 8 << 20;

/// Maps a large regular file and reads a small one; `None` for other kinds.
fn map(path: &Path) -> io::Result<Option<Bytes>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if !metadata.is_file() {
        return Ok(None);
    }
    if metadata.len() < MIN_MAPPED_BYTES {
        let mut bytes = Vec::new();
        (&file).take(MIN_MAPPED_BYTES).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < MIN_MAPPED_BYTES {
            return Ok(Some(bytes.into()));
        }
    }
    exit_if_a_map_is_truncated("vyre: the archive was truncated while it was read\n", 2);
    Ok(Some(Bytes::from_owner(MappedBytes::new(&file)?)))
}
