//! On-disk cache of machine code, one file per kernel.
//!
//! A file contains its full key: driver, GPU and PTX. The file name is a hash of the key. File layout, integers in
//! little-endian order:
//!
//! | Offset | Bytes | Field |
//! |---|---|---|
//! | 0 | 8 | magic `VYRECU01` |
//! | 8 | 8 | FNV-1a hash of all bytes after this field |
//! | 16 | 8 | length of the key, *n* |
//! | 24 | *n* | key |
//! | 24 + *n* | rest | machine code, not empty |
//!
//! The checksum detects damage, not forgery. Files that another user could have changed are not read
//! (`vyre_runtime::shell::artifact`).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use vyre_runtime::shell::artifact::{Magic, SealedFiles, hash128, is_hash_name, read_sealed, write_sealed};

use crate::driver::gpu::{Gpu, driver_release};

/// First bytes of a file.
const MAGIC: Magic = *b"VYRECU01";

/// The files of this store; the folder has files of other backends, too.
const FILES: SealedFiles = SealedFiles { magic: MAGIC, is_name: |name| is_hash_name(name, EXTENSION) };

/// Extension of the files.
const EXTENSION: &str = "cubin";

/// Maximum size of a file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// Folder of compiled kernels.
pub(crate) struct KernelStore {
    folder: PathBuf,
    /// First part of every key: the driver and the GPU.
    machine: String,
    /// True if this process has deleted stale temporary files.
    is_tidy: AtomicBool,
}

impl KernelStore {
    pub(crate) fn new(folder: &Path, gpu: &Gpu) -> KernelStore {
        let release = driver_release().unwrap_or_default();
        let machine = format!("driver {} {release}, {}, sm_{}\n", gpu.version, gpu.name, gpu.sm);
        KernelStore { folder: folder.to_owned(), machine, is_tidy: AtomicBool::new(false) }
    }

    /// Machine code of a PTX text, if the folder has it.
    pub(crate) fn get(&self, text: &str) -> Option<Vec<u8>> {
        let (key, file) = self.key_and_file(text);
        decode(&read_sealed(&file, MAGIC, MAX_FILE_BYTES)?, &key)
    }

    /// Writes the machine code of a PTX text. A failure costs compile time in the next process and nothing else.
    pub(crate) fn insert(&self, text: &str, code: &[u8]) {
        let (key, file) = self.key_and_file(text);
        let is_written = write_sealed(&file, MAGIC, &encode(&key, code)).is_ok();
        if is_written && !self.is_tidy.swap(true, Ordering::Relaxed) {
            // Without a bound: only temporary files that killed processes left are deleted.
            FILES.prune(&self.folder, usize::MAX, u64::MAX);
        }
    }

    /// Key of a PTX text and path of its file.
    fn key_and_file(&self, text: &str) -> (Vec<u8>, PathBuf) {
        let key = [self.machine.as_bytes(), text.as_bytes()].concat();
        let file = self.folder.join(format!("{:032x}.{EXTENSION}", hash128(&key)));
        (key, file)
    }
}

/// Encodes the payload of a file.
fn encode(key: &[u8], code: &[u8]) -> Vec<u8> {
    let length = (key.len() as u64).to_le_bytes();
    [&length, key, code].concat()
}

/// Machine code of a payload, if the payload has this key.
fn decode(payload: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = payload.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (found, code) = rest.split_at_checked(length)?;
    (found == key && !code.is_empty()).then(|| code.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_by_its_whole_key() {
        let (key, code) = (b"driver 13000, a GPU, sm_90\n.version 7.0".as_slice(), b"machine code".as_slice());
        let whole = encode(key, code);
        assert_eq!(decode(&whole, key).as_deref(), Some(code));
        assert_eq!(decode(&whole, b"another key"), None);
        assert_eq!(decode(&whole[..20], key), None, "a payload without the whole key");
        assert_eq!(decode(&encode(key, b""), key), None, "machine code is not empty");
    }

    #[test]
    fn kernels_are_found_by_text_and_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |machine: &str| KernelStore {
            folder: folder.path().join("within"),
            machine: machine.to_owned(),
            is_tidy: AtomicBool::new(false),
        };
        let (store, other) = (of("driver 13000, a GPU, sm_90\n"), of("driver 13010, a GPU, sm_90\n"));
        assert_eq!(store.get("text"), None);
        store.insert("text", b"code");
        store.insert("text", b"code");
        assert_eq!(store.get("text").as_deref(), Some(b"code".as_slice()));
        assert_eq!((store.get("other text"), other.get("text")), (None, None));
        let files: Vec<_> = std::fs::read_dir(folder.path().join("within")).expect("the folder exists").collect();
        assert_eq!(files.len(), 1, "{files:?}");
    }
}
