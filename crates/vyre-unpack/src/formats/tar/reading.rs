//! A member as one reader sees it: its name, type and data, and where the reader looks for the next header.

use std::ops::Range;

use super::extended::{Attributes, Extension, Values, agreed as agreed_attributes, resolve};
use super::header::{BLOCK_BYTES, Header};
use super::sparse::{gnu_file, pax_file};
use super::tool::{Number, Tool, agreed, number_of};
use crate::archive::SparseFile;
use crate::entry::EntryKind;

/// A member as one reader sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) name: Vec<u8>,
    pub(super) kind: EntryKind,
    /// Place of the data of a file.
    pub(super) data: Option<Range<usize>>,
    /// Size according to the archive.
    pub(super) size: Option<u64>,
    /// Size in the archive.
    pub(super) packed: u64,
    pub(super) modified: Option<i64>,
    /// The parts of a sparse file.
    pub(super) sparse: Option<SparseFile>,
    /// The feature that prevents the data from being read.
    pub(super) unsupported: Option<&'static str>,
    /// True if the data go on beyond the archive.
    pub(super) is_truncated: bool,
    /// True if an entry without data has some.
    pub(super) has_stray_data: bool,
    /// True if the header has no size that can be read.
    pub(super) has_no_size: bool,
}

impl Seen {
    /// True if another reading has the same entry, whatever problems it sees.
    pub(super) fn is_same(&self, other: &Seen) -> bool {
        let key = |seen: &Seen| (seen.data.clone(), seen.unsupported, seen.has_no_size, seen.sparse.is_some());
        self.name == other.name && self.kind == other.kind && key(self) == key(other)
    }
}

/// Action of a reader at a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The member that it sees; none if it leaves the member out.
    pub(super) seen: Option<Seen>,
    /// Offset at which it looks for the next header; none if it ends here.
    pub(super) next: Option<usize>,
}

/// Surroundings of a header.
#[derive(Clone, Copy)]
pub(super) struct Place<'a, 's> {
    pub(super) archive: &'a [u8],
    pub(super) at: usize,
    pub(super) header: Header<'a>,
    /// Headers that concern the member.
    pub(super) next: &'s [Extension],
    pub(super) global: &'s Values<'a>,
    /// True if the archive has had extended headers.
    pub(super) has_pax: bool,
}

/// Treatment of a type of members by a reader.
enum Shape {
    File,
    Directory,
    Hardlink,
    Symlink,
    /// A symbolic link whose target is its data, if it has any.
    SymlinkOfData,
    Special(&'static str),
    /// The reader leaves the member out.
    Ignored,
}

/// The reading on which all readers agree; none if they may differ.
pub(super) fn agreed_reading(place: &Place<'_, '_>) -> Option<Reading> {
    let header = &place.header;
    let size = agreed(header.size_field())?;
    if !header.has_plain_prefix() {
        return None;
    }
    let attributes = agreed_attributes(place.archive, place.next, place.global)?;
    let size = attributes.size.unwrap_or(size);
    let is_agreed = match header.kind() {
        b'0' | 0 | b'7' => {
            let name = attributes.path.map_or_else(|| header.name(Tool::Recovery), Into::into);
            !name.ends_with(b"/")
        }
        b'1'..=b'6' => size == 0,
        // The label of a volume.
        b'V' => size == 0,
        _ => false,
    };
    is_agreed.then(|| reading_with(Tool::Recovery, place, &attributes, size, size))
}

/// The reading of one reader. Returns false as well if an extended header is damaged.
pub(super) fn reading_of(tool: Tool, place: &Place<'_, '_>) -> (Reading, bool) {
    let header = &place.header;
    let (attributes, is_intact) = resolve(tool, place.archive, place.next, place.global);
    let ended = Reading { seen: None, next: None };
    if attributes.is_fatal && tool != Tool::Recovery {
        return (ended, is_intact);
    }
    let own = match number_of(tool, header.size_field()) {
        Number::Value(size) => Some(size),
        Number::Bad => None,
    };
    let after = place.at + BLOCK_BYTES;
    let reading = match (own, tool) {
        (Some(own), _) => reading_with(tool, place, &attributes, attributes.size.unwrap_or(own), own),
        // The member is left out, and the search for a header goes on.
        (None, Tool::Gnu | Tool::SevenZip | Tool::Npm) => Reading { seen: None, next: Some(after) },
        (None, Tool::Recovery) => match attributes.size {
            Some(size) => reading_with(tool, place, &attributes, size, size),
            None => without_size(place, &attributes),
        },
        (None, _) => ended,
    };
    (reading, is_intact)
}

/// The tolerant reading of a header without a size.
fn without_size(place: &Place<'_, '_>, attributes: &Attributes<'_>) -> Reading {
    let header = &place.header;
    let name = attributes.path.map_or_else(|| header.name(Tool::Recovery).into_owned(), <[u8]>::to_vec);
    let target = attributes.target.unwrap_or(header.target()).to_vec();
    let kind = match shape(Tool::Recovery, place, &name).0 {
        Shape::Directory => EntryKind::Directory,
        Shape::Hardlink => EntryKind::Hardlink { target },
        Shape::Symlink | Shape::SymlinkOfData => EntryKind::Symlink { target },
        Shape::Special(what) => EntryKind::Special { what },
        Shape::File | Shape::Ignored => EntryKind::File,
    };
    let seen = Seen {
        name,
        kind,
        data: None,
        size: None,
        packed: 0,
        modified: attributes.modified.or_else(|| header.modified()),
        sparse: None,
        unsupported: None,
        is_truncated: false,
        has_stray_data: false,
        has_no_size: true,
    };
    Reading { seen: Some(seen), next: next_header(place.archive, place.at + BLOCK_BYTES) }
}

/// Offset of the next valid header with the magic.
pub(super) fn next_header(archive: &[u8], from: usize) -> Option<usize> {
    let is_header =
        |at: &usize| Header::read(archive, *at).is_some_and(|header| header.has_magic() && header.is_valid());
    (from..archive.len()).step_by(BLOCK_BYTES).find(is_header)
}

/// The reading with these attributes, of `size` bytes of data. `own` is the size in the header block.
fn reading_with(tool: Tool, place: &Place<'_, '_>, attributes: &Attributes<'_>, size: u64, own: u64) -> Reading {
    let header = &place.header;
    let archive = place.archive;
    let name = attributes.path.map_or_else(|| header.name(tool).into_owned(), <[u8]>::to_vec);
    let (shape, has_data) = shape(tool, place, &name);
    let mut start = place.at + BLOCK_BYTES;
    let mut unsupported = None;
    let is_gnu_sparse = header.kind() == b'S' && matches!(shape, Shape::File);
    if is_gnu_sparse {
        start = after_sparse_map(archive, header, start);
    } else if header.kind() == b'M' && tool == Tool::Recovery {
        unsupported = Some("part of a file of several volumes");
    }
    let is_file = matches!(shape, Shape::File);
    let mut has_stray_data = false;
    let has_data = match has_data {
        Data::Follow => true,
        Data::None => false,
        Data::OfExtended => attributes.size.is_some(),
        Data::UnlessHeader => {
            let next = Header::read(archive, start);
            has_stray_data = tool == Tool::Recovery
                && size > 0
                && next.is_some_and(|header| !header.is_zero() && !header.is_valid());
            size > 0 && next.is_some_and(|header| !header.is_zero() && !header.is_valid())
        }
    };
    let size = if has_data { size } else { 0 };
    let available = archive.len().saturating_sub(start) as u64;
    let end = start.saturating_add(size.min(available) as usize);
    let range = start.min(end)..end;
    let mut stated = Some(size);
    let mut sparse = None;
    if is_gnu_sparse || (attributes.is_sparse && is_file) {
        sparse = if is_gnu_sparse {
            gnu_file(archive, header, place.at, range.clone())
        } else {
            pax_file(archive, place.next, range.clone())
        };
        stated = sparse.as_ref().map(|file| file.size);
        unsupported = sparse.is_none().then_some("sparse file with a damaged map");
    }
    let target = || attributes.target.unwrap_or(header.target()).to_vec();
    let kind = match shape {
        Shape::File => Some(EntryKind::File),
        Shape::Directory => Some(EntryKind::Directory),
        Shape::Hardlink => Some(EntryKind::Hardlink { target: target() }),
        Shape::Symlink => Some(EntryKind::Symlink { target: target() }),
        Shape::SymlinkOfData if size > 0 => {
            let data = archive.get(range.clone()).unwrap_or_default();
            Some(EntryKind::Symlink { target: super::extended::long_name(&data[..data.len().min(4096)]).to_vec() })
        }
        Shape::SymlinkOfData => Some(EntryKind::Symlink { target: target() }),
        Shape::Special(what) => Some(EntryKind::Special { what }),
        Shape::Ignored => None,
    };
    let seen = kind.filter(|_| !attributes.is_dropped).map(|kind| Seen {
        name,
        data: (is_file && unsupported.is_none() && range.end <= archive.len()).then_some(range),
        size: if is_file { stated } else { Some(0) },
        packed: if is_file { size } else { 0 },
        modified: attributes.modified.or_else(|| header.modified()),
        sparse,
        unsupported,
        is_truncated: size > available,
        has_stray_data,
        has_no_size: false,
        kind,
    });
    let skipped = if attributes.keeps_place && has_data { own } else { size };
    // An offset beyond the archive ends the reading.
    let next = usize::try_from(skipped).ok().and_then(|size| size.checked_next_multiple_of(BLOCK_BYTES));
    let next = next.and_then(|size| start.checked_add(size)).unwrap_or(usize::MAX);
    Reading { seen, next: Some(next) }
}

/// True if data follow a header.
enum Data {
    /// As many bytes as the size says.
    Follow,
    /// None, whatever the size says.
    None,
    /// Only if an extended header has the size.
    OfExtended,
    /// Unless a header follows at once.
    UnlessHeader,
}

/// Treatment of the type of the header by a reader, and whether it expects data.
fn shape(tool: Tool, place: &Place<'_, '_>, name: &[u8]) -> (Shape, Data) {
    use Tool::{Bsd, Gnu, Go, Npm, Python, Recovery, Rust, SevenZip};
    let header = &place.header;
    let kind = header.kind();
    let has_slash = name.ends_with(b"/");
    match (kind, tool) {
        (b'0' | b'7', Gnu | Bsd | Npm) if has_slash => (Shape::Directory, Data::None),
        (b'0' | b'7', Python | Go) if has_slash => (Shape::File, Data::Follow),
        // The v7 format has no type for directories.
        (0, Gnu | Bsd | Npm | Python | Go) if has_slash => (Shape::Directory, Data::None),
        (b'0' | b'7' | 0, SevenZip) if has_slash => (Shape::Directory, Data::Follow),
        (b'0' | b'7' | 0, Rust) if has_slash && !header.is_posix() => (Shape::Directory, Data::Follow),
        (b'0' | 0, Recovery) if has_slash => (Shape::Directory, Data::UnlessHeader),
        (b'0' | b'7' | 0, _) => (Shape::File, Data::Follow),
        (b'1', Npm | Rust) => (Shape::Hardlink, Data::Follow),
        // POSIX lets a hard link of an extended archive have the data of the file.
        (b'1', Bsd) if place.has_pax => (Shape::Hardlink, Data::Follow),
        (b'1', Bsd) if header.has_magic() && !header.is_gnu() => (Shape::Hardlink, Data::UnlessHeader),
        (b'1', Recovery) => (Shape::Hardlink, Data::UnlessHeader),
        (b'1', _) => (Shape::Hardlink, Data::None),
        (b'2', Npm | Rust) => (Shape::Symlink, Data::Follow),
        (b'2', SevenZip) => (Shape::SymlinkOfData, Data::Follow),
        (b'2', Bsd) => (Shape::Symlink, Data::OfExtended),
        (b'2', Recovery) => (Shape::Symlink, Data::UnlessHeader),
        (b'2', _) => (Shape::Symlink, Data::None),
        (b'3' | b'4' | b'6', tool) => special(tool, kind, place),
        (b'5', Rust) => (Shape::Directory, Data::Follow),
        (b'5', Recovery) => (Shape::Directory, Data::UnlessHeader),
        (b'5', _) => (Shape::Directory, Data::None),
        (b'D', Gnu | Bsd | Npm | SevenZip) => (Shape::Directory, Data::Follow),
        (b'D', Recovery) => (Shape::Directory, Data::UnlessHeader),
        (b'V', Gnu | Npm) => (Shape::Ignored, Data::Follow),
        (b'V', Bsd | Recovery) => (Shape::Ignored, Data::None),
        (b'M', Gnu | Npm) => (Shape::Ignored, Data::Follow),
        (b'A', Bsd) => (Shape::Ignored, Data::Follow),
        // Other types are files to most readers, and nothing to npm.
        (_, Npm) => (Shape::Ignored, Data::Follow),
        _ => (Shape::File, Data::Follow),
    }
}

/// Treatment of devices and pipes by a reader.
fn special(tool: Tool, kind: u8, place: &Place<'_, '_>) -> (Shape, Data) {
    let what = match kind {
        b'3' => "character device",
        b'4' => "block device",
        _ => "fifo",
    };
    let has_size = place.header.size() != Some(0);
    match tool {
        Tool::SevenZip | Tool::Rust if has_size => (Shape::File, Data::Follow),
        Tool::Npm => (Shape::Ignored, Data::Follow),
        Tool::Recovery => (Shape::Special(what), Data::UnlessHeader),
        _ => (Shape::Special(what), Data::None),
    }
}

/// Offset of the data of a GNU sparse file, after the blocks of its sparse map.
fn after_sparse_map(archive: &[u8], header: &Header<'_>, mut start: usize) -> usize {
    let mut is_continued = header.is_sparse_continued();
    while is_continued {
        is_continued = archive.get(start + 504).is_some_and(|&byte| byte != 0);
        start += BLOCK_BYTES;
    }
    start
}
