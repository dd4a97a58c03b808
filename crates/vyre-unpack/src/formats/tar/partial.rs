//! Ranges of a tar archive that its list of members depends on, if nothing about the archive is unusual.

use std::ops::Range;

use super::header::{BLOCK_BYTES, Header};
use super::tool::agreed;
use crate::device_image::DeviceImage;
use crate::error::DecompressError;

/// Bytes that are read at once from a header on. Small members follow each other within them.
const WINDOW_BYTES: usize = 16 << 10;
/// Range of the size in a header.
const SIZE: Range<usize> = 124..136;
/// Maximum number of zeros after the last member: one record of 20 blocks by default, and more for tools with other records.
const MAX_END_BYTES: usize = 64 << 10;

/// Reads the headers, the extended headers and the end of an archive. Returns false if it has anything that a header of POSIX or GNU tar does
/// not describe alone; then its list may depend on any of its bytes.
pub(in crate::formats) fn read_headers(image: &mut DeviceImage<'_>) -> Result<bool, DecompressError> {
    let length = image.bytes().len();
    let (mut at, mut known) = (0, 0);
    while at < length {
        if at + BLOCK_BYTES > known {
            known = at + WINDOW_BYTES.max(BLOCK_BYTES);
            image.read_range(at..known)?;
        }
        let Some(header) = Header::read(image.bytes(), at) else { return Ok(false) };
        if header.is_zero() {
            let is_end = length - at <= MAX_END_BYTES;
            if is_end {
                image.read_range(at..length)?;
            }
            return Ok(is_end && image.bytes()[at..].iter().all(|&byte| byte == 0));
        }
        let size = agreed(&image.bytes()[at + SIZE.start..at + SIZE.end]).and_then(|size| usize::try_from(size).ok());
        let (Some(size), true) = (size, header.is_valid_to_all()) else { return Ok(false) };
        let kind = header.kind();
        let Some(end) = size.checked_next_multiple_of(BLOCK_BYTES).and_then(|size| size.checked_add(at + BLOCK_BYTES))
        else {
            return Ok(false);
        };
        match kind {
            b'0' | 0 => {}
            // Links and directories have no data.
            b'1' | b'2' | b'5' if size == 0 => {}
            // The data are a name or attributes of the next member.
            b'x' | b'L' | b'K' if size <= MAX_END_BYTES => {
                let data = at + BLOCK_BYTES..end;
                image.read_range(data.clone())?;
                let data = image.bytes().get(data).unwrap_or_default();
                // A sparse file has its map in its data, and another size changes what follows.
                if kind == b'x'
                    && [&b"GNU.sparse"[..], b" size="].iter().any(|key| memchr::memmem::find(data, key).is_some())
                {
                    return Ok(false);
                }
            }
            _ => return Ok(false),
        }
        // The padding after the data belongs to no member, and some readers look at it.
        at = end;
    }
    Ok(false)
}
