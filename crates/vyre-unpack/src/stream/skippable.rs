//! Skippable frames, which streams of zstd and of LZ4 frames may have between others, and the way from frame to frame.

use super::read::u32_at;
use super::truncated;
use crate::problem::Problem;

/// The 16 magic numbers of skippable frames differ in their last 4 bits.
const MAGIC: u32 = 0x184d_2a50;

/// Where the skippable frame at `at` ends, if there is one.
pub(super) fn end(input: &[u8], at: usize) -> Option<Result<usize, Problem>> {
    if u32_at(input, at)? & 0xffff_fff0 != MAGIC {
        return None;
    }
    let end = u32_at(input, at + 4).and_then(|size| (at + 8).checked_add(size as usize));
    Some(end.filter(|&end| end <= input.len()).ok_or_else(|| truncated(at, "skippable frame")))
}

/// Goes from frame to frame up to the first problem. `frame` is told where each one begins that is not skipped, and says where it
/// ends, or that it is none.
pub(super) fn walk(input: &[u8], mut frame: impl FnMut(usize) -> Option<Result<usize, Problem>>) {
    let mut at = 0;
    while at < input.len() {
        match end(input, at).or_else(|| frame(at)) {
            Some(Ok(end)) => at = end,
            Some(Err(_)) | None => break,
        }
    }
}
