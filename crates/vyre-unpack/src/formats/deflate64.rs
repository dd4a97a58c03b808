//! Deflate64 streams of zip entries: Deflate with a window of 64 KiB and longer matches. Windows writes them for large files.

use ::deflate64::InflaterManaged;

use super::codec::deflate64_step;
use crate::problem::Problem;
use crate::stream::{Run, StreamFormat, decode_steps};

/// Format of zip entries of the method Deflate64. Sizes and checksum are in the zip archive.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "deflate64",
    title: "Deflate64",
    detect: |_| false,
    decode,
    find_blocks: None,
    always_has_checksum: false,
    suffixes: &[],
};

/// Decodes the stream.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let mut state = Box::new(InflaterManaged::new());
    let end = decode_steps(run.input, 0, &mut run.output, "Deflate64 stream", |input, output| {
        deflate64_step(&mut state, input, output)
    })?;
    run.blocks.units += 1;
    if end < run.input.len() {
        return Err(run.not_a_start(end, "this is no Deflate64 stream"));
    }
    Ok(())
}
