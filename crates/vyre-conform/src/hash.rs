//! Hashes of byte strings.

use sha2::{Digest as _, Sha256};

/// SHA-256 of byte strings, each with its length, in hexadecimal.
pub(crate) fn of_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
