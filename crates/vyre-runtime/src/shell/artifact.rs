//! Files of compiled code, with a checksum.
//!
//! | Bytes | Contents |
//! |---|---|
//! | 0..8 | magic number of the backend |
//! | 8..16 | FNV-1a checksum of the payload, 64 bits, little endian |
//! | 16.. | payload |
//!
//! The checksum detects damage, not tampering. Against tampering, files that another user could have changed are not read, and
//! none are written where another user could change them (`private_folder`).

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::private_folder::{PrivateFolder, name_of_temporary};

/// Magic number of a file format.
pub type Magic = [u8; 8];

/// FNV-1a hash, 64 bits. Stable across processes and versions.
#[must_use]
pub fn hash64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// FNV-1a hash, 128 bits. Stable across processes and versions.
#[must_use]
pub fn hash128(bytes: &[u8]) -> u128 {
    let offset_basis = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let prime = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(offset_basis, |sum: u128, &byte| (sum ^ u128::from(byte)).wrapping_mul(prime))
}

/// Adds the header to a payload.
#[must_use]
pub fn seal(magic: Magic, payload: &[u8]) -> Vec<u8> {
    [&magic[..], &hash64(payload).to_le_bytes(), payload].concat()
}

/// The payload of a sealed file; `None` if the magic number or the checksum differs.
#[must_use]
pub fn unseal(magic: Magic, file: &[u8]) -> Option<&[u8]> {
    let (found, rest) = file.split_first_chunk::<8>()?;
    let (sum, payload) = rest.split_first_chunk::<8>()?;
    (*found == magic && u64::from_le_bytes(*sum) == hash64(payload)).then_some(payload)
}

/// Reads the payload of a sealed file of at most `max_bytes`; `None` if it is missing, larger or damaged, or if another user
/// can change the file or its folder.
#[must_use]
pub fn read_sealed(path: &Path, magic: Magic, max_bytes: u64) -> Option<Vec<u8>> {
    let mut file = PrivateFolder::open(path.parent()?).ok()?.read(path.file_name()?, max_bytes)?;
    let header = file.len() - unseal(magic, &file)?.len();
    file.drain(..header);
    Some(file)
}

/// Seals a payload and replaces a file by it. Concurrent writers are safe: readers see one complete file.
///
/// # Errors
///
/// A file or folder that cannot be written, or a folder that another user can change. The previous file remains.
pub fn write_sealed(path: &Path, magic: Magic, payload: &[u8]) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    PrivateFolder::create(folder)?.replace(name, &seal(magic, payload))
}

/// Time after which a temporary file is one of a process that was killed.
const STALE: Duration = Duration::from_secs(3_600);

/// The sealed files of one kind in a folder, which may have files of other kinds.
#[derive(Clone, Copy, Debug)]
pub struct SealedFiles {
    /// First bytes of the files.
    pub magic: Magic,
    /// True for the names of these files.
    pub is_name: fn(&str) -> bool,
}

impl SealedFiles {
    /// Deletes the oldest files if there are more than `max_files`, or if they have more than `max_bytes` together, until there are
    /// three quarters of both; and temporary files of processes that were killed. Younger temporary files count, too. Other files are
    /// kept: those with another name or other first bytes.
    pub fn prune(&self, folder: &Path, max_files: usize, max_bytes: u64) {
        let Ok(folder) = PrivateFolder::open(folder) else { return };
        let Ok(names) = folder.names() else { return };
        let (mut files, mut count, mut bytes) = (Vec::new(), 0_usize, 0_u64);
        for name in names {
            let Some(file) = self.file(&folder, name) else { continue };
            let is_stale = file.is_temporary && file.modified.elapsed().is_ok_and(|age| age > STALE);
            // Another process may have deleted it.
            if is_stale && folder.remove(&file.name).is_ok() {
                continue;
            }
            count += 1;
            bytes = bytes.saturating_add(file.bytes);
            if !file.is_temporary {
                files.push((file.modified, file.name, file.bytes));
            }
        }
        if count <= max_files && bytes <= max_bytes {
            return;
        }
        files.sort();
        for (_, name, size) in files {
            if count <= max_files / 4 * 3 && bytes <= max_bytes / 4 * 3 {
                return;
            }
            let _ = folder.remove(&name);
            count -= 1;
            bytes -= size;
        }
    }

    /// A file of this kind; `None` for any other entry of the folder.
    fn file(&self, folder: &PrivateFolder, name: OsString) -> Option<FoundFile> {
        let text = name.to_str()?;
        let sealed = name_of_temporary(text);
        if !(self.is_name)(sealed.unwrap_or(text)) {
            return None;
        }
        let is_temporary = sealed.is_some();
        let file = folder.file(&name)?;
        let metadata = file.metadata().ok()?;
        let mut first = Vec::new();
        file.take(self.magic.len() as u64).read_to_end(&mut first).ok()?;
        // A process may be killed before it writes.
        let is_own = first == self.magic || is_temporary && self.magic.starts_with(&first);
        is_own.then_some(FoundFile { name, modified: metadata.modified().ok()?, bytes: metadata.len(), is_temporary })
    }
}

/// A file of a kind.
struct FoundFile {
    name: OsString,
    modified: SystemTime,
    bytes: u64,
    is_temporary: bool,
}

/// True for the name of a file by the [`hash128`] of its key: 32 lower-case hexadecimal digits and `.extension`.
#[must_use]
pub fn is_hash_name(name: &str, extension: &str) -> bool {
    name.split_once('.').is_some_and(|(hash, rest)| hash.len() == 32 && is_hexadecimal(hash) && rest == extension)
}

/// True for lower-case hexadecimal digits.
pub(super) fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    const MAGIC: Magic = *b"VYRETEST";

    #[test]
    fn hashes_match_the_definition() {
        assert_eq!(hash64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash128(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_ne!(hash64(b"ab"), hash64(b"ba"));
    }

    #[test]
    fn damaged_files_have_no_payload() {
        let payload = b"compiled code";
        let whole = seal(MAGIC, payload);
        assert_eq!(unseal(MAGIC, &whole), Some(&payload[..]));
        for damage in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[damage] ^= 1 << bit;
                assert_eq!(unseal(MAGIC, &damaged), None, "byte {damage}");
            }
            assert_eq!(unseal(MAGIC, &whole[..damage]), None, "the first {damage} bytes");
        }
        let longer: Vec<u8> = whole.iter().copied().chain([0]).collect();
        assert_eq!(unseal(MAGIC, &longer), None);
    }

    #[test]
    fn a_written_file_replaces_the_previous_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("within").join("code.bin");
        assert_eq!(read_sealed(&path, MAGIC, 1 << 10), None);
        for payload in [&b"first"[..], b"second"] {
            write_sealed(&path, MAGIC, payload).expect("the folder is writable");
            assert_eq!(read_sealed(&path, MAGIC, 1 << 10).as_deref(), Some(payload));
        }
        assert_eq!(read_sealed(&path, MAGIC, 8), None, "a file that is too large");
        let files = fs::read_dir(folder.path().join("within")).expect("the folder exists").count();
        assert_eq!(files, 1, "no temporary file remains");
    }

    #[test]
    fn only_files_of_one_kind_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let hash = format!("{:032x}", hash128(b"key"));
        let file = |name: &str, contents: &[u8], age: u64| {
            let path = folder.path().join(name);
            fs::write(&path, contents).expect("is written");
            let time = SystemTime::now() - Duration::from_secs(age);
            File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("is set");
            path
        };
        let sealed = seal(MAGIC, b"payload");
        let own = file(&format!("{hash}.code"), &sealed, 9_000);
        let stale = [
            file(&format!("{hash}.code.0123456789abcdef.tmp"), &sealed[..9], 7_200),
            file(&format!("{hash}.code.0123456789abcdee.tmp"), b"", 7_200),
        ];
        let young = file(&format!("{hash}.code.0123456789abcded.tmp"), &sealed, 60);
        let others = [
            file("notes.code", &sealed, 9_000),
            file(&format!("{}.code", &hash[1..]), &sealed, 9_000),
            file(&format!("{}.code", hash[1..].to_owned() + "G"), &sealed, 9_000),
            file(&format!("{hash}.cubin"), &sealed, 9_000),
            file(&format!("{}.code", hash128(b"other").to_string().repeat(2).split_at(32).0), b"VYREMC9", 9_000),
            file(&format!("{hash}.code.0123456789abcdec.tmp"), b"something else", 9_000),
            file("notes.tmp", b"", 9_000),
            file("notes.code.0123456789abcdef.tmp", b"", 9_000),
        ];
        let files = SealedFiles { magic: MAGIC, is_name: |name| is_hash_name(name, "code") };
        files.prune(folder.path(), 2, 1 << 10);
        assert!(own.exists() && young.exists() && !stale.iter().any(|file| file.exists()), "stale files do not count");
        files.prune(folder.path(), 1, 1 << 10);
        assert!(!own.exists() && young.exists(), "young temporary files count and are kept");
        files.prune(folder.path(), 0, 0);
        assert!(young.exists());
        for other in others {
            assert!(other.exists(), "{}", other.display());
        }
    }
}
