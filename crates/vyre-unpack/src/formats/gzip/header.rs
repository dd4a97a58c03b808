//! Header of a gzip member (RFC 1952, section 2.3).
//!
//! | Offset | Size | Field |
//! |---|---|---|
//! | 0 | 2 | magic number `1f 8b` |
//! | 2 | 1 | compression method; 8 is Deflate |
//! | 3 | 1 | flags |
//! | 4 | 4 | modification time |
//! | 8 | 1 | extra flags |
//! | 9 | 1 | operating system |
//! | 10 | 2 + n | extra fields with their length, with flag `FEXTRA` (bit 2) |
//! | | n + 1 | file name, zero-terminated, with flag `FNAME` (bit 3) |
//! | | n + 1 | comment, zero-terminated, with flag `FCOMMENT` (bit 4) |
//! | | 2 | CRC-16 of the header, with flag `FHCRC` (bit 1) |

use memchr::memmem;

use crate::problem::{Problem, ProblemKind};
use crate::stream::{bytes_at, corrupt, crc32, problem, truncated, u16_at, unsupported};

/// Flag: a CRC-16 of the header exists.
const HEADER_CRC: u8 = 1 << 1;
/// Flag: extra fields exist.
const EXTRA: u8 = 1 << 2;
/// Flag: a file name exists.
const NAME: u8 = 1 << 3;
/// Flag: a comment exists.
const COMMENT: u8 = 1 << 4;
/// Reserved flags, which must be zero.
const RESERVED: u8 = 0b1110_0000;
/// The only defined compression method.
const DEFLATE: u8 = 8;

/// True if the bytes start as a gzip member.
pub(super) fn has_magic(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, DEFLATE])
}

/// Offset of the next header from `from` on, or of the end of the input. None if neither is within `max_bytes`.
pub(super) fn find(input: &[u8], from: usize, max_bytes: usize) -> Option<usize> {
    let rest = input.get(from..)?;
    let searched = rest.get(..max_bytes).unwrap_or(rest);
    let mut found = memmem::find_iter(searched, &[0x1f, 0x8b, DEFLATE]);
    let next = found.find(|&at| rest.get(at..).is_some_and(is_usual)).map(|at| from + at);
    next.or((searched.len() == rest.len()).then_some(input.len()))
}

/// True if a header has the values that encoders write: a level of compression and a system of RFC 1952.
fn is_usual(header: &[u8]) -> bool {
    matches!(header, [_, _, _, flags, _, _, _, _, 0 | 2 | 4, 0..=13 | 255, ..] if flags & RESERVED == 0)
}

/// The header of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header<'i> {
    /// Offset of the Deflate stream.
    pub(super) data: usize,
    /// Name of the compressed file.
    pub(super) name: Option<&'i [u8]>,
    /// Offset of the end of the member, if it is one of the blocked gzip format (BGZF).
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
    let mut text = |flag: u8| -> Result<Option<&[u8]>, Problem> {
        if flags & flag == 0 {
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

/// Size of a member of the blocked gzip format: extra field `BC` holds the size minus 1.
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
