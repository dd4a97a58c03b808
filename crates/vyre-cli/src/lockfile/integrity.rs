//! Checksums of archives: Subresource Integrity (W3C).

use std::path::Path;

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha256, Sha384, Sha512};

/// Compares a file with checksums such as `sha512-...`. The strongest algorithm counts.
pub(super) fn verify(file: &Path, integrity: &str) -> anyhow::Result<()> {
    let bytes = std::fs::read(file).context("cannot read the archive")?;
    let checksums: Vec<(&str, &str)> = integrity
        .split_whitespace()
        .filter_map(|checksum| checksum.split_once('-'))
        .map(|(algorithm, digest)| (algorithm, digest.split('?').next().unwrap_or(digest)))
        .collect();
    for (algorithm, digest) in [
        ("sha512", digest::<Sha512> as fn(&[u8]) -> String),
        ("sha384", digest::<Sha384>),
        ("sha256", digest::<Sha256>),
        ("sha1", digest::<Sha1>),
    ] {
        let mut expected = checksums.iter().filter(|(known, _)| *known == algorithm).peekable();
        if expected.peek().is_some() {
            let found = digest(&bytes);
            if expected.any(|(_, expected)| *expected == found) {
                return Ok(());
            }
            bail!("the archive does not have the checksum of the lockfile: it is {algorithm}-{found}");
        }
    }
    bail!("the checksum of the lockfile has no known algorithm")
}

fn digest<D: Digest>(bytes: &[u8]) -> String {
    STANDARD.encode(D::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_checksum_counts() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "abc").expect("bytes");
        let sha1 = "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=";
        let sha256 = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        for good in [sha1, sha256, &format!("{sha1} {sha256}?x"), &format!("sha1-wrong {sha256}")] {
            assert!(verify(file.path(), good).is_ok(), "{good}");
        }
        for bad in ["", "md5-x", "sha1-", &format!("{sha1} sha256-wrong")] {
            assert!(verify(file.path(), bad).is_err(), "{bad}");
        }
    }
}
