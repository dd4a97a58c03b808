//! Tests of the input.

mod archives;
mod folders;
mod hostile;
mod packages;
mod resolution;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Input, InputError, Resolution, Resolver, read};
use crate::coverage::FileOutcome;
use crate::scan::ScanOptions;

/// Bytes of a tar archive.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, path, *bytes).expect("tar");
    }
    builder.into_inner().expect("tar")
}

/// Bytes of a gzip stream.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("gzip");
    encoder.finish().expect("gzip")
}

/// Bytes of an npm tarball.
fn tgz(files: &[(&str, &[u8])]) -> Vec<u8> {
    gzip(&tar(files))
}

/// Bytes of a zip archive.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in files {
        writer.start_file(*path, zip::write::SimpleFileOptions::default()).expect("zip");
        writer.write_all(bytes).expect("zip");
    }
    writer.finish().expect("zip").into_inner()
}

/// Writes files below a temporary folder.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    for (path, bytes) in files {
        write(folder.path(), path, bytes);
    }
    folder
}

/// Writes a file below a folder.
fn write(folder: &Path, path: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    fs::write(&path, bytes).expect("file");
    path
}

/// Reads paths with options.
fn try_read(paths: &[PathBuf], options: &ScanOptions) -> Result<Input, InputError> {
    read(paths, options, &|| false, &|_| {})
}

/// Reads one path with default options.
fn read_path(path: &Path) -> Input {
    try_read(&[path.to_owned()], &ScanOptions::default()).expect("input")
}

/// Reads files of a temporary folder.
fn read_files(files: &[(&str, &[u8])]) -> Input {
    read_path(folder(files).path())
}

/// Reads files of a temporary folder with texts.
fn read_texts(files: &[(&str, &str)]) -> Input {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    read_files(&files)
}

/// Writes an archive and reads it.
fn read_archive(name: &str, bytes: &[u8]) -> Input {
    let folder = tempfile::tempdir().expect("folder");
    read_path(&write(folder.path(), name, bytes))
}

/// Paths and outcomes of all files.
fn outcomes(input: &Input) -> Vec<(&str, &FileOutcome)> {
    input.coverage.files.iter().map(|record| (record.path.as_str(), &record.outcome)).collect()
}

/// Paths of all sources.
fn sources(input: &Input) -> Vec<&str> {
    for source in &input.sources {
        assert_eq!(input.coverage.files[source.file as usize].path, source.path);
    }
    input.sources.iter().map(|source| source.path.as_str()).collect()
}

/// Outcome of a file.
fn outcome<'i>(input: &'i Input, path: &str) -> &'i FileOutcome {
    let found = input.coverage.files.iter().find(|record| record.path == path);
    &found.unwrap_or_else(|| panic!("no {path} in {:?}", outcomes(input))).outcome
}

/// Path of the file that a specifier stands for, `package NAME`, or `none`.
fn resolve(input: &Input, from: &str, specifier: &str) -> String {
    match Resolver::new(input).resolve(from, specifier) {
        Resolution::File(file) => input.coverage.files[file as usize].path.clone(),
        Resolution::Package(name) => format!("package {name}"),
        Resolution::Folder(folder) => format!("folder {folder}"),
        Resolution::NotFound => "none".to_owned(),
    }
}
