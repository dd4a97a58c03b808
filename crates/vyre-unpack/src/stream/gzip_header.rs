//! The headers of gzip members (RFC 1952, section 2.3).

use super::inflate::crc32;
use super::read::{bytes_at, u16_at};
use super::{corrupt, problem, truncated, unsupported};
use crate::problem::{Problem, ProblemKind};

/// There is a CRC of the header.
const HEADER_CRC: u8 = 1 << 1;
/// There are extra fields.
const EXTRA: u8 = 1 << 2;
/// There is a name.
const NAME: u8 = 1 << 3;
/// There is a comment.
const COMMENT: u8 = 1 << 4;
/// Flags that must not be set.
const RESERVED: u8 = 0b1110_0000;
/// The only method there is.
const DEFLATE: u8 = 8;

/// Whether bytes start as a gzip member with the only method there is.
pub(super) fn has_magic(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, DEFLATE])
}

/// The header of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header<'i> {
    /// Where the compressed data begin.
    pub(super) data: usize,
    /// The name of the file that was compressed.
    pub(super) name: Option<&'i [u8]>,
    /// Where the member ends, if it is one of the blocked gzip format (BGZF), whose members say so in an extra field.
    pub(super) blocked_end: Option<usize>,
}

/// Reads the header of the member at `at`.
pub(super) fn read(input: &[u8], at: usize) -> Result<Header<'_>, Problem> {
    let cut_off = || truncated(at, "gzip header");
    let [_, _, method, flags, ..] = bytes_at::<10>(input, at).ok_or_else(cut_off)?;
    if method != DEFLATE {
        return Err(unsupported(at, format!("gzip method {method}")));
    }
    if flags & RESERVED != 0 {
        return Err(corrupt(at, "the gzip header has reserved flags"));
    }
    let mut next = at + 10;
    let mut blocked_end = None;
    if flags & EXTRA != 0 {
        let length = usize::from(u16_at(input, next).ok_or_else(cut_off)?);
        let extra = input.get(next + 2..next + 2 + length).ok_or_else(cut_off)?;
        blocked_end = blocked_size(extra).map(|size| at + size);
        next += 2 + length;
    }
    let mut text = |wanted: u8| -> Result<Option<&[u8]>, Problem> {
        if flags & wanted == 0 {
            return Ok(None);
        }
        let rest = input.get(next..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == 0).ok_or_else(cut_off)?;
        next += length + 1;
        Ok(rest.get(..length))
    };
    let name = text(NAME)?;
    text(COMMENT)?;
    if flags & HEADER_CRC != 0 {
        let expected = u64::from(u16_at(input, next).ok_or_else(cut_off)?);
        let found = u64::from(crc32(&input[at..next]) & 0xffff);
        if found != expected {
            return Err(problem(next, ProblemKind::Checksum { what: "CRC-16 of the gzip header", expected, found }));
        }
        next += 2;
    }
    Ok(Header { data: next, name, blocked_end })
}

/// The size of a member of the blocked gzip format, from its extra fields.
fn blocked_size(mut extra: &[u8]) -> Option<usize> {
    loop {
        let length = usize::from(u16_at(extra, 2)?);
        let field = extra.get(4..4 + length)?;
        if extra.starts_with(b"BC") && length == 2 {
            return Some(usize::from(u16_at(field, 0)?) + 1);
        }
        extra = &extra[4 + length..];
    }
}
