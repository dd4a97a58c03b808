//! Unpacks an archive in memory, with the package nested in it, and checks the entries.
//!
//! `cargo run -p vyre --example unpack`

use bytes::Bytes;
use vyre::engine::decompress::{DecompressError, Entry, Limits, Options, Receiver, Unpacker};

/// A zip file with a gzip-compressed tar file in it.
const PACKAGE: &[u8] = include_bytes!("package.zip");

/// Receiver that keeps names and sizes of all entries.
#[derive(Default)]
struct Names(Vec<(String, usize)>);

impl Receiver for Names {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        self.0.extend(entries.iter().map(|entry| (entry.path.display(), entry.bytes.len())));
        Ok(())
    }
}

fn main() -> Result<(), DecompressError> {
    // Untrusted archives need limits: at most 1 MiB of output and a nesting depth of three.
    let limits = Limits { total: 1 << 20, depth: 3, ..Limits::default() };
    let unpacker = Unpacker::on_host(Options { limits, ..Options::default() });
    let mut names = Names::default();
    let summary = unpacker.unpack(b"package.zip", Bytes::from_static(PACKAGE), &mut names)?;
    for (name, size) in &names.0 {
        println!("{size:6} {name}");
    }
    assert!(names.0.iter().any(|(name, _)| name == "vendor/greeting.tgz!/package/index.js"));
    assert_eq!(summary.damaged, 0);

    // A flipped bit: the checksum reveals it, and the other entries are emitted all the same.
    let mut damaged = PACKAGE.to_vec();
    damaged[60] ^= 1;
    let summary = unpacker.unpack(b"package.zip", Bytes::from(damaged), &mut Names::default())?;
    assert_eq!(summary.damaged, 1);

    // A limit that is too small is an error, and no memory is allocated.
    let limits = Limits { total: 100, ..Limits::default() };
    let strict = Unpacker::on_host(Options { limits, ..Options::default() });
    let result = strict.unpack(b"package.zip", Bytes::from_static(PACKAGE), &mut Names::default());
    assert!(matches!(result, Err(DecompressError::Limit(_))));
    Ok(())
}
