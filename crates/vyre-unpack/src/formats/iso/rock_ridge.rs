//! System use fields of ISO 9660 (SUSP) with the names, modes and links of Rock Ridge.

use std::ops::Range;

use super::SECTOR_BYTES;
use super::tree::Record;
use crate::stream::u32_at;

/// Maximum number of continuation areas of a record.
const MAX_AREAS: usize = 8;
/// Maximum size of a continuation area.
const MAX_AREA_BYTES: usize = 4096;
/// Maximum length of a name or of the target of a link.
const MAX_TEXT_BYTES: usize = 4096;

/// Attributes of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) name: Option<Vec<u8>>,
    /// File type and permissions.
    pub(super) mode: Option<u32>,
    /// Target of a symbolic link.
    pub(super) target: Option<Vec<u8>>,
    /// Sector of the directory that the file stands for: directories below the eighth level are moved.
    pub(super) moved_to: Option<u32>,
    /// True if the record is a directory that was moved here.
    pub(super) is_relocated: bool,
    /// True if the data are compressed.
    pub(super) is_compressed: bool,
}

/// Number of bytes before the fields, if the first record of the root says that there are fields.
pub(super) fn skip_of(image: &[u8], root: &Record) -> Option<usize> {
    let start = root.extent.start;
    let length = usize::from(*image.get(start)?);
    let own = Record::read(image.get(start..start + length)?, start)?;
    let fields = own.system_use.get(..7)?;
    (&fields[..2] == b"SP" && fields[4..6] == [0xbe, 0xef]).then_some(usize::from(fields[6]))
}

/// Extent of the directory at a sector: its own first record states the size.
pub(super) fn directory_at(image: &[u8], sector: u32) -> Range<usize> {
    let start = (sector as usize).saturating_mul(SECTOR_BYTES);
    let size = start.checked_add(10).and_then(|at| u32_at(image, at)).unwrap_or(0) as usize;
    start..start.saturating_add(size)
}

/// Reads the fields of a record.
pub(super) fn read(image: &[u8], record: &Record, skip: usize) -> Attributes {
    let mut attributes = Attributes::default();
    let mut link = Link::default();
    let mut area = record.system_use.get(skip..).unwrap_or_default();
    for _ in 0..MAX_AREAS {
        let mut next = None;
        while let Some(&length) = area.get(2) {
            let length = usize::from(length);
            let Some(field) = area.get(..length).filter(|_| length >= 4) else { break };
            area = &area[length..];
            match &field[..2] {
                b"NM" if field.len() > 5 && field[4] & 6 == 0 => {
                    let name = attributes.name.get_or_insert_default();
                    if name.len() < MAX_TEXT_BYTES {
                        name.extend(&field[5..]);
                    }
                }
                b"PX" => attributes.mode = u32_at(field, 4),
                b"SL" if field.len() > 5 => link.read(&field[5..]),
                b"CL" => attributes.moved_to = u32_at(field, 4),
                b"RE" => attributes.is_relocated = true,
                b"ZF" => attributes.is_compressed = true,
                b"CE" => next = continuation(image, field),
                b"ST" => break,
                _ => {}
            }
        }
        match next {
            Some(next) => area = next,
            None => break,
        }
    }
    attributes.target = link.target;
    attributes
}

/// The continuation area that a field refers to.
fn continuation<'a>(image: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    let start = (u32_at(field, 4)? as usize).checked_mul(SECTOR_BYTES)?.checked_add(u32_at(field, 12)? as usize)?;
    image.get(start..start.checked_add((u32_at(field, 20)? as usize).min(MAX_AREA_BYTES))?)
}

/// The target of a symbolic link, from its components.
#[derive(Default)]
struct Link {
    target: Option<Vec<u8>>,
    /// True if the last component continues.
    is_open: bool,
}

impl Link {
    fn read(&mut self, mut components: &[u8]) {
        let target = self.target.get_or_insert_default();
        while let [flags, length, rest @ ..] = components {
            let Some(text) = rest.get(..usize::from(*length)) else { break };
            components = &rest[usize::from(*length)..];
            if target.len() > MAX_TEXT_BYTES {
                break;
            }
            if !self.is_open && !target.is_empty() && target.last() != Some(&b'/') {
                target.push(b'/');
            }
            match flags & 0b1110 {
                2 => target.push(b'.'),
                4 => target.extend(b".."),
                8 => target.push(b'/'),
                _ => target.extend(text),
            }
            self.is_open = flags & 1 != 0;
        }
    }
}
