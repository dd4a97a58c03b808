//! Skippable frames (RFC 8878, section 3.1.2), which zstd and LZ4 streams may contain.
//!
//! | Offset | Size | Field |
//! |---|---|---|
//! | 0 | 4 | magic number `0x184d2a50` to `0x184d2a5f` |
//! | 4 | 4 | size of the payload |
//! | 8 | | payload, ignored |

use super::read::u32_at;
use super::run::truncated;
use crate::problem::Problem;

/// Magic number of skippable frames; the last 4 bits are free.
const MAGIC: u32 = 0x184d_2a50;

/// True if there is a skippable frame at `at`.
pub(crate) fn is_at(input: &[u8], at: usize) -> bool {
    u32_at(input, at).is_some_and(|magic| magic & 0xffff_fff0 == MAGIC)
}

/// Offset of the end of the skippable frame at `at`; none if there is no such frame.
pub(crate) fn end(input: &[u8], at: usize) -> Option<Result<usize, Problem>> {
    if !is_at(input, at) {
        return None;
    }
    let end = u32_at(input, at + 4).and_then(|size| (at + 8).checked_add(size as usize));
    Some(end.filter(|&end| end <= input.len()).ok_or_else(|| truncated(at, "skippable frame")))
}

/// Offset of the first frame that is not skippable.
pub(crate) fn skip_all(input: &[u8]) -> usize {
    let mut at = 0;
    while let Some(Ok(end)) = end(input, at) {
        at = end;
    }
    at
}

/// Visits the offsets of all frames that are not skippable, up to the first problem. `frame` returns the end of the frame at
/// an offset, or none if there is no frame. Returns true if the frames reach the end of the input.
pub(crate) fn for_each_frame(input: &[u8], mut frame: impl FnMut(usize) -> Option<Result<usize, Problem>>) -> bool {
    let mut at = 0;
    while at < input.len() {
        match end(input, at).or_else(|| frame(at)) {
            Some(Ok(end)) => at = end,
            Some(Err(_)) | None => return false,
        }
    }
    true
}
