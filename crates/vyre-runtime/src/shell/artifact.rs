//! Files of compiled code, with a checksum.
//!
//! | Bytes | Contents |
//! |---|---|
//! | 0..8 | magic number of the backend |
//! | 8..16 | FNV-1a checksum of the payload, 64 bits, little endian |
//! | 16.. | payload |
//!
//! The checksum detects damage, not tampering. Against tampering, files that another user could have changed are not read
//! (`private_file`).

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::private_file;

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
    let mut file = private_file::read(path, max_bytes)?;
    let header = file.len() - unseal(magic, &file)?.len();
    file.drain(..header);
    Some(file)
}

/// Seals a payload and replaces a file by it. Concurrent writers are safe: readers see one complete file.
///
/// # Errors
///
/// A file or folder that cannot be written. The previous file remains.
pub fn write_sealed(path: &Path, magic: Magic, payload: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    path.parent().map_or(Ok(()), private_file::create_folder)?;
    let written = private_file::create(&temporary).and_then(|mut file| file.write_all(&seal(magic, payload)));
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // An error here leaves a stray temporary file and nothing else.
        let _ = fs::remove_file(&temporary);
    })
}

#[cfg(test)]
mod tests {
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
}
