//! Reading of folders and single files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rayon::prelude::*;
use vyre_unpack::detect_format;

use super::archive;
use super::classify::{
    Class, MAX_CANDIDATE_BYTES, MAX_MANIFEST_BYTES, PathKind, classify, is_plain_data, is_program, left_out, path_kind,
    too_long,
};
use super::collect::{Collector, FilePath};
use super::decode::has_utf16_mark;
use super::language::{ARCHIVES, NameKind, PLAIN_DATA, file_name, has_extension};
use super::name::text_of;
use crate::coverage::SkipReason;

/// Bytes of a batch of files that are read in parallel, approximately.
const BATCH_BYTES: u64 = 64 << 20;
/// Maximum number of files of a batch.
const BATCH_FILES: usize = 4096;
/// Bytes that suffice to detect most archives.
const HEAD_BYTES: u64 = 1024;
/// Length of the longest file that is searched for an archive behind other bytes.
const MAX_SEARCHED_BYTES: u64 = 64 << 20;
/// Bytes of a longer file that are searched: a disk image has its signature there.
const SEARCHED_START_BYTES: u64 = 1 << 20;
/// Number of files after which a scan that has to end lists no further folder.
const MAX_LATE_FILES: usize = 10_000;
/// Depth of the deepest folder that is read.
const MAX_DEPTH: usize = 1000;

/// A file of a folder.
struct Found {
    file: FilePath,
    location: PathBuf,
    bytes: u64,
    /// A regular file: not a pipe, socket or device.
    is_regular: bool,
}

/// What became of a file.
enum Outcome {
    Class(Class),
    Archive,
    /// A file that cannot be read, and may have code.
    Unreadable(String),
}

/// Reads a folder.
pub(crate) fn read(collector: &mut Collector<'_>, folder: &Path, prefix: &str) -> io::Result<()> {
    let mut files = walk(collector, folder, prefix)?;
    files.sort_by(|left, right| left.file.path.as_bytes().cmp(right.file.path.as_bytes()));
    let mut rest = files.as_slice();
    while !rest.is_empty() {
        if collector.is_cancelled() {
            rest.iter().for_each(|found| collector.late_file(&found.file, found.bytes));
            break;
        }
        let mut bytes = 0;
        let fits = |found: &&Found| {
            bytes += found.bytes.min(BATCH_BYTES);
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH_FILES).take_while(fits).count().max(1);
        let (batch, others) = rest.split_at(count);
        rest = others;
        let shared = &*collector;
        let outcomes: Vec<Outcome> = batch.par_iter().map(|found| outcome(shared, found)).collect();
        for (found, outcome) in batch.iter().zip(outcomes) {
            let path = found.file.path.clone();
            match outcome {
                Outcome::Class(class) => {
                    if collector.lists_unread(&class) && found.bytes > archive_limit(collector) {
                        let message = too_long(found.bytes, archive_limit(collector));
                        collector.problem(&*path, message, true);
                    } else if collector.lists_unread(&class) {
                        match File::open(&found.location) {
                            Ok(file) => collector.unread(&path, file),
                            Err(error) => collector.problem(&*path, format!("the file cannot be read: {error}"), true),
                        }
                    }
                    collector.file(path, found.bytes, class);
                }
                Outcome::Archive => read_archive(collector, found),
                Outcome::Unreadable(message) if path_kind(&path).is_code() => {
                    collector.file(path, found.bytes, Class::Failed(message));
                }
                Outcome::Unreadable(message) => {
                    collector.problem(path.clone(), message, true);
                    collector.file(path, found.bytes, Class::Skipped(SkipReason::NotCode));
                }
            }
        }
        collector.report();
    }
    Ok(())
}

/// Reads a file that the user names: an archive or code.
pub(crate) fn read_single(
    collector: &mut Collector<'_>,
    location: &Path,
    name: &str,
    is_single: bool,
) -> io::Result<()> {
    let limit = archive_limit(collector);
    let bytes = read_bytes(location, limit)?;
    let path = if is_single { file_name(name) } else { name };
    let file_bytes = bytes.len() as u64;
    if file_bytes > limit {
        collector.problem(path, too_long(file_bytes, limit), true);
        return Ok(());
    }
    let is_archive = detect_format(&bytes).is_some() || has_extension(path, ARCHIVES);
    if is_archive {
        let prefix = if is_single { String::new() } else { format!("{path}!/") };
        archive::read(collector, path, &prefix, prefix.len(), bytes.into());
        return Ok(());
    }
    // Patterns concern names, so a single file is subject to them too.
    let class = match collector.filter.skips(file_name(path)) {
        Some(reason) => left_out(path, &bytes, true, reason),
        None => classify(path, &bytes, collector.options.max_file_bytes, true),
    };
    collector.file(path.to_owned(), file_bytes, class);
    Ok(())
}

/// Length of the longest archive that is read.
fn archive_limit(collector: &Collector<'_>) -> u64 {
    (collector.options.memory / 2).max(collector.options.max_file_bytes)
}

/// Lists the files of a folder, without following links.
fn walk(collector: &mut Collector<'_>, folder: &Path, prefix: &str) -> io::Result<Vec<Found>> {
    let canonical = fs::canonicalize(folder)?;
    let mut files = Vec::new();
    let mut stack = vec![(folder.to_owned(), prefix.to_owned(), 0)];
    while let Some((location, path, depth)) = stack.pop() {
        // The files of a scan that has to end are listed, if there are not too many.
        if collector.is_cancelled() && files.len() > MAX_LATE_FILES {
            break;
        }
        let entries = match fs::read_dir(&location) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(error),
            Err(error) => {
                let is_skipped = collector.filter.skips_manifest(&path[prefix.len()..]).is_some();
                let path = path.trim_end_matches('/');
                collector.problem(path, format!("the folder cannot be read: {error}"), !is_skipped);
                continue;
            }
        };
        if depth > MAX_DEPTH {
            collector.problem(
                path.trim_end_matches('/'),
                format!("folders are nested more than {MAX_DEPTH} deep"),
                true,
            );
            continue;
        }
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    collector.problem(path.trim_end_matches('/'), format!("the folder cannot be read: {error}"), true);
                    break;
                }
            };
            let location = entry.path();
            let own = format!("{path}{}", text_of(&entry.file_name()));
            // The metadata of an entry are those of the link itself.
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => stack.push((location, own + "/", depth + 1)),
                Ok(metadata) if metadata.is_symlink() => {
                    link(collector, &canonical, &location, own, prefix);
                }
                Ok(metadata) => files.push(Found {
                    file: FilePath { path: own, root: prefix.len() },
                    location,
                    bytes: if metadata.is_file() { metadata.len() } else { 0 },
                    is_regular: metadata.is_file(),
                }),
                Err(error) => collector.problem(own, format!("the file cannot be read: {error}"), true),
            }
        }
    }
    Ok(files)
}

/// Records a symbolic link.
fn link(collector: &mut Collector<'_>, root: &Path, location: &Path, path: String, prefix: &str) {
    let text = fs::read_link(location).map_or_else(|_| String::new(), |text| text_of(text.as_os_str()));
    let skip = collector.filter.skips_manifest(&path[prefix.len()..]);
    let mut target = None;
    if skip.is_none() {
        match fs::canonicalize(location) {
            Ok(found) => match found.strip_prefix(root) {
                Ok(inside) => {
                    let inside = super::display(inside);
                    target = Some(format!("{prefix}{inside}").trim_end_matches('/').to_owned());
                }
                Err(_) => {
                    let message = format!("the link leads out of the folder to {text}, and is not followed");
                    collector.problem(path.clone(), message, false);
                }
            },
            Err(error) => {
                collector.problem(path.clone(), format!("the link to {text} is not followed: {error}"), false);
            }
        }
    }
    collector.link(path, text, target, skip);
}

/// Reads and classifies a file.
fn outcome(collector: &Collector<'_>, found: &Found) -> Outcome {
    let path = &found.file.path;
    let kind = path_kind(path);
    let relative = found.file.relative();
    // Archives are opened, if any of their files may be included.
    let skip = match kind {
        PathKind::Name(NameKind::Data | NameKind::Unknown) | PathKind::Manifest => {
            collector.filter.skips_manifest(relative)
        }
        PathKind::Name(_) => collector.filter.skips(relative),
    };
    if let Some(reason) = skip {
        let is_unknown = kind == PathKind::Name(NameKind::Unknown) && found.is_regular;
        return Outcome::Class(match reason {
            // The first line says whether a pattern leaves out code.
            SkipReason::Excluded if is_unknown => {
                let head = read_bytes(&found.location, HEAD_BYTES).unwrap_or_default();
                left_out(path, &head, false, reason)
            }
            reason => Class::Skipped(reason),
        });
    }
    let max_bytes = collector.options.max_file_bytes;
    let whole = || read_bytes(&found.location, max_bytes.max(MAX_MANIFEST_BYTES));
    let unreadable = |error: io::Error| Outcome::Unreadable(format!("the file cannot be read: {error}"));
    if !found.is_regular {
        return Outcome::Class(Class::Skipped(SkipReason::Special));
    }
    match kind {
        _ if kind.is_code() && found.bytes > max_bytes => {
            Outcome::Class(Class::Failed(too_long(found.bytes, max_bytes)))
        }
        PathKind::Name(NameKind::Code(..) | NameKind::Markup { .. } | NameKind::Notebook) => match whole() {
            Ok(bytes) => match classify(path, &bytes, max_bytes, false) {
                Class::Failed(_) if detect_format(&bytes).is_some() => Outcome::Archive,
                class => Outcome::Class(class),
            },
            Err(error) => unreadable(error),
        },
        PathKind::Manifest if found.bytes <= MAX_MANIFEST_BYTES => match whole() {
            Ok(bytes) => Outcome::Class(classify(path, &bytes, max_bytes, false)),
            Err(error) => unreadable(error),
        },
        PathKind::Manifest => Outcome::Class(Class::Skipped(SkipReason::NotCode)),
        PathKind::Name(NameKind::Stub) if found.bytes <= max_bytes => match whole() {
            Ok(bytes) => Outcome::Class(classify(path, &bytes, max_bytes, false)),
            Err(_) => Outcome::Class(Class::Skipped(SkipReason::Declarations)),
        },
        PathKind::Name(NameKind::Declarations | NameKind::Stub | NameKind::UnsupportedCode) => {
            Outcome::Class(classify(path, b"", max_bytes, false))
        }
        PathKind::Name(NameKind::Data) if has_extension(path, PLAIN_DATA) => {
            Outcome::Class(Class::Skipped(collector.filter.skips(relative).unwrap_or(SkipReason::NotCode)))
        }
        PathKind::Name(NameKind::Data | NameKind::Unknown) => unknown(collector, found, max_bytes),
    }
}

/// Reads and classifies a file whose name does not say what it is.
fn unknown(collector: &Collector<'_>, found: &Found, max_bytes: u64) -> Outcome {
    let path = &found.file.path;
    let unreadable = |error: io::Error| Outcome::Unreadable(format!("the file cannot be read: {error}"));
    let is_archive_name = has_extension(path, ARCHIVES);
    let is_unknown = path_kind(path) == PathKind::Name(NameKind::Unknown);
    let head = match read_bytes(&found.location, HEAD_BYTES - 1) {
        Ok(head) => head,
        Err(error) if is_archive_name || is_unknown => return unreadable(error),
        Err(_) => return Outcome::Class(Class::Skipped(SkipReason::NotCode)),
    };
    if detect_format(&head).is_some() || is_archive_name || hides_archive(found, &head) {
        return Outcome::Archive;
    }
    if let Some(reason) = collector.filter.skips(found.file.relative()) {
        return Outcome::Class(left_out(path, &head, false, reason));
    }
    let is_long = found.bytes > MAX_CANDIDATE_BYTES as u64 && !is_program(&head);
    let is_data = !is_unknown && (is_plain_data(path) || is_long);
    if is_data || memchr::memchr(0, &head).is_some() && !has_utf16_mark(&head) {
        return Outcome::Class(Class::Skipped(SkipReason::NotCode));
    }
    if (head.len() as u64) < HEAD_BYTES {
        return Outcome::Class(classify(path, &head, max_bytes, false));
    }
    match read_bytes(&found.location, max_bytes) {
        Ok(bytes) => Outcome::Class(classify(path, &bytes, max_bytes, false)),
        Err(error) => unreadable(error),
    }
}

/// True if a file is an archive whose signature is not in its head: the image of a disk, or an archive behind other bytes. Of a
/// long file only the start is searched.
fn hides_archive(found: &Found, head: &[u8]) -> bool {
    if (head.len() as u64) < HEAD_BYTES {
        return false;
    }
    let searched = if found.bytes > MAX_SEARCHED_BYTES { SEARCHED_START_BYTES } else { MAX_SEARCHED_BYTES };
    read_bytes(&found.location, searched).is_ok_and(|bytes| detect_format(&bytes).is_some())
}

/// Reads an archive of a folder.
fn read_archive(collector: &mut Collector<'_>, found: &Found) {
    let path = &found.file.path;
    let limit = archive_limit(collector);
    if found.bytes > limit {
        collector.problem(path, too_long(found.bytes, limit), true);
        return;
    }
    match read_bytes(&found.location, limit) {
        Ok(bytes) => archive::read(collector, path, &format!("{path}!/"), found.file.root, Bytes::from(bytes)),
        Err(error) => collector.problem(path, format!("the file cannot be read: {error}"), true),
    }
}

/// Reads a file up to one byte beyond the limit.
fn read_bytes(location: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(location)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
