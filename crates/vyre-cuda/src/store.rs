//! Compiled kernels in a folder, so that the next process need not compile them again.
//!
//! A file holds one kernel, with all that it was compiled from and for: its name is only a hash of that. Its checksum shows
//! damage, not intent: who can write to the folder can have anything run, as with the folder of the program itself.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::adapter::{Gpu, release};
use crate::hash::{hash64, hash128};

/// The first bytes of a file, before the checksum of the rest.
const MAGIC: [u8; 8] = *b"VYRECU01";

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 28;

/// A folder of compiled kernels.
pub(crate) struct Store {
    folder: PathBuf,
    /// What kernels are compiled for.
    machine: String,
}

impl Store {
    pub(crate) fn new(folder: &Path, gpu: &Gpu) -> Store {
        let release = release().unwrap_or_default();
        let machine = format!("driver {} {release}, {}, sm_{}\n", gpu.version, gpu.name, gpu.sm);
        Store { folder: folder.to_owned(), machine }
    }

    /// What a text was compiled to, if that is known.
    pub(crate) fn get(&self, text: &str) -> Option<Vec<u8>> {
        let (key, file) = self.place(text);
        if fs::metadata(&file).ok()?.len() > MOST_BYTES {
            return None;
        }
        unpacked(&fs::read(&file).ok()?, &key)
    }

    /// Keeps what a text was compiled to. That it cannot be kept costs time in the next process and nothing else.
    pub(crate) fn keep(&self, text: &str, image: &[u8]) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (key, file) = self.place(text);
        // Another thread or process may do the same at the same time; the file is always one of theirs as a whole.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = file.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let written = create_folder(&self.folder).and_then(|()| write_new(&temporary, &packed(&key, image)));
        if written.and_then(|()| fs::rename(&temporary, &file)).is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }

    /// What a file must say of itself, and where it is.
    fn place(&self, text: &str) -> (Vec<u8>, PathBuf) {
        let key = [self.machine.as_bytes(), text.as_bytes()].concat();
        let file = self.folder.join(format!("{:032x}.cubin", hash128(&key)));
        (key, file)
    }
}

/// Makes a folder that only its owner can change: what is in it is run.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file that was not there, nor a link to another place.
fn write_new(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::File::create_new(file)?.write_all(bytes)
}

/// The bytes of a file: what it is, a checksum of the rest, the length of the key, the key and the image.
fn packed(key: &[u8], image: &[u8]) -> Vec<u8> {
    let length = (key.len() as u64).to_le_bytes();
    let rest = [&length, key, image].concat();
    [&MAGIC[..], &hash64(&rest).to_le_bytes(), &rest].concat()
}

/// The image in a file, if the file is whole and has this key.
fn unpacked(whole: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    let (magic, rest) = whole.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    if *magic != MAGIC || u64::from_le_bytes(*sum) != hash64(rest) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (found, image) = rest.split_at_checked(length)?;
    (found == key && !image.is_empty()).then(|| image.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_are_read() {
        let (key, image) =
            (b"driver 13000, a GPU, sm_90\n.version 7.0".as_slice(), b"what a driver has compiled".as_slice());
        let whole = packed(key, image);
        assert_eq!(unpacked(&whole, key).as_deref(), Some(image));
        assert_eq!(unpacked(&whole, b"something else"), None);
        for damage in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[damage] ^= 1 << bit;
                assert_eq!(unpacked(&damaged, key), None, "byte {damage}");
            }
            assert_eq!(unpacked(&whole[..damage], key), None, "the first {damage} bytes");
        }
        let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
        assert_eq!(unpacked(&longer, key), None);
        assert_eq!(unpacked(&packed(key, b""), key), None, "a kernel is never empty");
    }

    #[test]
    fn a_folder_keeps_what_belongs_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |machine: &str| Store { folder: folder.path().join("within"), machine: machine.to_owned() };
        let (store, other) = (of("driver 13000, a GPU, sm_90\n"), of("driver 13010, a GPU, sm_90\n"));
        assert_eq!(store.get("text"), None);
        store.keep("text", b"image");
        store.keep("text", b"image");
        assert_eq!(store.get("text").as_deref(), Some(b"image".as_slice()));
        assert_eq!((store.get("other text"), other.get("text")), (None, None));
        let files: Vec<_> = fs::read_dir(folder.path().join("within")).expect("it is there").collect();
        assert_eq!(files.len(), 1, "{files:?}");
    }
}
