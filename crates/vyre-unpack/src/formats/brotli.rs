//! brotli streams (RFC 7932). They have no signature and no checksum, so only files named `.br` that decode count as such.

use super::codec::{brotli_state, brotli_step};
use crate::problem::Problem;
use crate::stream::{Run, StepEnd, StreamFormat, decode_steps};

/// Format of brotli streams.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "brotli",
    title: "brotli",
    detect: |_| false,
    decode,
    find_blocks: None,
    always_has_checksum: false,
    suffixes: &[(b".br", b""), (b".tbr", b".tar")],
};

/// Bytes of input and of output that are tried before a file counts as a brotli stream.
const TRIED_INPUT_BYTES: usize = 1 << 12;
const TRIED_OUTPUT_BYTES: usize = 1 << 12;

/// True if the name is that of a brotli file.
pub(crate) fn is_named(name: &[u8]) -> bool {
    let has_suffix = |suffix: &[u8]| {
        name.len()
            .checked_sub(suffix.len())
            .is_some_and(|start| start > 0 && name[start..].eq_ignore_ascii_case(suffix))
    };
    FORMAT.suffixes.iter().any(|(suffix, _)| has_suffix(suffix))
}

/// True if the start of the bytes decodes. Other bytes may start as a stream by chance, so a nested file must give output too.
pub(super) fn starts(bytes: &[u8], is_nested: bool) -> bool {
    let mut output = vec![0; TRIED_OUTPUT_BYTES];
    let input = &bytes[..bytes.len().min(TRIED_INPUT_BYTES)];
    let step = brotli_step(&mut brotli_state(), input, &mut output);
    match step.end {
        StepEnd::Failed(_) => false,
        StepEnd::Finished => true,
        StepEnd::More => !is_nested || step.produced > 0 || input.len() < bytes.len(),
    }
}

/// Decodes the stream.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let mut state = brotli_state();
    let end = decode_steps(run.input, 0, &mut run.output, "brotli stream", |input, output| {
        brotli_step(&mut state, input, output)
    })?;
    run.blocks.units += 1;
    if end < run.input.len() {
        return Err(run.not_a_start(end, "this is no brotli stream"));
    }
    Ok(())
}
