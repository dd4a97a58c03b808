//! `vyre unpack`: lists, JSON, extraction, refusals, damage, limits, exit codes.

mod damage;
mod ends;
mod extraction;
mod forms;
mod many_entries;
mod memory;
mod refusals;

use std::io::{Cursor, Write as _};

use tar::{Builder, EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::harness::{Run, Sandbox};

/// 2024-02-29 12:34:56 in the time format of zip files.
fn time() -> DateTime {
    DateTime::from_date_and_time(2024, 2, 29, 12, 34, 56).expect("a date")
}

/// A zip file with these files, stored or deflated alternately.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_by(&[CompressionMethod::Stored, CompressionMethod::Deflated], files)
}

/// A zip file with these files, compressed by these methods alternately.
fn zip_by(methods: &[CompressionMethod], files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for ((name, bytes), method) in files.iter().zip(methods.iter().cycle()) {
        let options = SimpleFileOptions::default().compression_method(*method).last_modified_time(time());
        writer.start_file(*name, options.unix_permissions(0o640)).expect("an entry");
        writer.write_all(bytes).expect("bytes");
    }
    writer.finish().expect("a zip file").into_inner()
}

/// An entry of a tar file: name, type, target of a link, bytes.
type TarEntry<'e> = (&'e str, EntryType, &'e str, &'e [u8]);

/// A tar file with these entries. Names are not validated.
fn tar(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, target, bytes) in entries {
        let mut header = Header::new_gnu();
        let fields = header.as_old_mut();
        fields.name[..name.len()].copy_from_slice(name.as_bytes());
        fields.linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o755);
        header.set_mtime(1_000_000_000);
        header.set_uid(0);
        header.set_gid(0);
        header.set_cksum();
        builder.append(&header, *bytes).expect("an entry");
    }
    builder.into_inner().expect("a tar file")
}

fn file<'e>(name: &'e str, bytes: &'e [u8]) -> TarEntry<'e> {
    (name, EntryType::Regular, "", bytes)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_at(flate2::Compression::default(), bytes)
}

fn gzip_at(level: flate2::Compression, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).expect("bytes");
    encoder.finish().expect("a stream")
}

/// A zip file that contains a package, a tar file in a gzip stream. Nothing is compressed, so that sizes do not depend on the
/// encoder.
fn nested() -> Vec<u8> {
    let package = tar(&[
        ("package/", EntryType::Directory, "", b""),
        file("package/index.js", b"module.exports = 1;\n"),
        ("package/main.js", EntryType::Symlink, "index.js", b""),
    ]);
    let package = gzip_at(flate2::Compression::none(), &package);
    zip_by(
        &[CompressionMethod::Stored],
        &[("README.md", b"# A package\n"), ("lib/package.tgz", &package), ("empty", b"")],
    )
}

/// A directory with an archive `a` and an unrelated file.
fn sandbox(archive: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new(&[("secret", "not for archives")]);
    sandbox.write("a", archive);
    sandbox
}

/// Runs `vyre unpack a` quietly.
fn unpack(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["unpack", "a", "--quiet"], args].concat())
}

/// Expects this exit code and this standard output.
#[track_caller]
fn expect_run(run: &Run, code: i32, text: &str) {
    assert_eq!((run.code, run.text()), (Some(code), text), "{}", run.stderr);
}

/// All files and links below a directory of the sandbox, sorted; directories end in `/`.
fn below(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let root = sandbox.path(directory);
    let mut paths = Vec::new();
    let mut pending = vec![root.clone()];
    while let Some(directory) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        for entry in entries {
            let path = entry.expect("an entry").path();
            let is_directory = path.symlink_metadata().expect("metadata").is_dir();
            let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
            paths.push(if is_directory { format!("{name}/") } else { name });
            if is_directory {
                pending.push(path);
            }
        }
    }
    paths.sort();
    paths
}

/// Parses a JSON document and resets the fields that vary between runs.
fn stable_json(text: &str) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(text).expect("one JSON document");
    if let Some(stats) = value["stats"].as_object_mut() {
        for field in ["host_seconds", "device_seconds", "seconds", "gigabytes_per_second"] {
            let time = stats.insert(field.to_owned(), 0.into()).expect("the field exists");
            assert!(time.as_f64().is_some_and(|time| time >= 0.0), "{field}");
        }
    }
    value
}
