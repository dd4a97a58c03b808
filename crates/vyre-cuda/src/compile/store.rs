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
//! The checksum detects damage, not forgery. A user with write access to the folder can make this process run any code, as
//! with the folder of the executable itself.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::hash::{hash64, hash128};
use crate::driver::gpu::{Gpu, driver_release};

/// First bytes of a file.
const MAGIC: [u8; 8] = *b"VYRECU01";

/// Maximum size of a file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// Folder of compiled kernels.
pub(crate) struct KernelStore {
    folder: PathBuf,
    /// First part of every key: the driver and the GPU.
    machine: String,
}

impl KernelStore {
    pub(crate) fn new(folder: &Path, gpu: &Gpu) -> KernelStore {
        let release = driver_release().unwrap_or_default();
        let machine = format!("driver {} {release}, {}, sm_{}\n", gpu.version, gpu.name, gpu.sm);
        KernelStore { folder: folder.to_owned(), machine }
    }

    /// Machine code of a PTX text, if the folder has it.
    pub(crate) fn get(&self, text: &str) -> Option<Vec<u8>> {
        let (key, file) = self.key_and_file(text);
        if fs::metadata(&file).ok()?.len() > MAX_FILE_BYTES {
            return None;
        }
        decode(&fs::read(&file).ok()?, &key)
    }

    /// Writes the machine code of a PTX text. A failure costs compile time in the next process and nothing else.
    pub(crate) fn insert(&self, text: &str, code: &[u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (key, file) = self.key_and_file(text);
        // Other threads and processes may write the same file: the rename makes each version appear as a whole.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = file.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let written = create_folder(&self.folder).and_then(|()| write_new(&temporary, &encode(&key, code)));
        if written.and_then(|()| fs::rename(&temporary, &file)).is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }

    /// Key of a PTX text and path of its file.
    fn key_and_file(&self, text: &str) -> (Vec<u8>, PathBuf) {
        let key = [self.machine.as_bytes(), text.as_bytes()].concat();
        let file = self.folder.join(format!("{:032x}.cubin", hash128(&key)));
        (key, file)
    }
}

/// Creates a folder that only its owner can write to, since its files are executed.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a new file. Fails if the path exists, even as a symbolic link.
fn write_new(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::File::create_new(file)?.write_all(bytes)
}

/// Encodes a file.
fn encode(key: &[u8], code: &[u8]) -> Vec<u8> {
    let length = (key.len() as u64).to_le_bytes();
    let rest = [&length, key, code].concat();
    [&MAGIC[..], &hash64(&rest).to_le_bytes(), &rest].concat()
}

/// Machine code of a file, if the file is undamaged and has this key.
fn decode(whole: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    let (magic, rest) = whole.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    if *magic != MAGIC || u64::from_le_bytes(*sum) != hash64(rest) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (found, code) = rest.split_at_checked(length)?;
    (found == key && !code.is_empty()).then(|| code.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_rejected() {
        let (key, code) = (b"driver 13000, a GPU, sm_90\n.version 7.0".as_slice(), b"machine code".as_slice());
        let whole = encode(key, code);
        assert_eq!(decode(&whole, key).as_deref(), Some(code));
        assert_eq!(decode(&whole, b"another key"), None);
        for damage in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[damage] ^= 1 << bit;
                assert_eq!(decode(&damaged, key), None, "byte {damage}");
            }
            assert_eq!(decode(&whole[..damage], key), None, "the first {damage} bytes");
        }
        let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
        assert_eq!(decode(&longer, key), None);
        assert_eq!(decode(&encode(key, b""), key), None, "machine code is not empty");
    }

    #[test]
    fn kernels_are_found_by_text_and_machine() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |machine: &str| KernelStore { folder: folder.path().join("within"), machine: machine.to_owned() };
        let (store, other) = (of("driver 13000, a GPU, sm_90\n"), of("driver 13010, a GPU, sm_90\n"));
        assert_eq!(store.get("text"), None);
        store.insert("text", b"code");
        store.insert("text", b"code");
        assert_eq!(store.get("text").as_deref(), Some(b"code".as_slice()));
        assert_eq!((store.get("other text"), other.get("text")), (None, None));
        let files: Vec<_> = fs::read_dir(folder.path().join("within")).expect("the folder exists").collect();
        assert_eq!(files.len(), 1, "{files:?}");
    }
}
