//! Unpacks an archive, with the package nested in it, into a directory, and shows that damage and limits are reported.
//!
//! `cargo run -p vyre --features full --example unpack`

use std::path::Path;

use vyre::engine::decompress::{DecompressError, ExtractOptions, Limits, Options, unpack_file};

/// A zip file with a gzip-compressed tar file in it.
const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/package.zip");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::temp_dir().join(format!("vyre-example-unpack-{}", std::process::id()));
    let outcome = unpack_into(&directory);
    let _ = std::fs::remove_dir_all(&directory);
    outcome
}

fn unpack_into(directory: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let unpacked = vyre::unpack(PACKAGE, directory.join("package"))?;
    println!("{unpacked}");
    assert!(unpacked.is_complete());
    assert!(directory.join("package/vendor/greeting.tgz!/package/index.js").exists());

    // A flipped bit: the checksum reveals it, the file gets another name, and the other entries are unpacked all the same.
    let mut bytes = std::fs::read(PACKAGE)?;
    bytes[60] ^= 1;
    let damaged = directory.join("damaged.zip");
    std::fs::write(&damaged, bytes)?;
    let unpacked = vyre::unpack(&damaged, directory.join("damaged"))?;
    println!("{unpacked}");
    assert!(!unpacked.is_complete());
    assert_eq!((unpacked.summary.damaged, unpacked.damaged.len()), (1, 1));

    // Untrusted archives need limits. One that is too small is an error, and no memory is allocated.
    let options = Options::default().with_limits(Limits::default().with_total(100).with_depth(3));
    let result = unpack_file(Path::new(PACKAGE), &directory.join("limited"), options, ExtractOptions::default());
    assert!(matches!(result, Err(DecompressError::Limit(_))));
    Ok(())
}
