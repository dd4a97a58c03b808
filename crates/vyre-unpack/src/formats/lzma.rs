//! Files of the old LZMA format (`.lzma`): a header of 13 bytes and one LZMA stream, without a checksum.
//!
//! | Offset | Size | Field |
//! |---|---|---|
//! | 0 | 1 | parameters; `0x5d` in practice |
//! | 1 | 4 | size of the dictionary |
//! | 5 | 8 | size of the content, or `ff` bytes if a marker ends the stream |
//! | 13 | 1 | first byte of the stream: 0 |

use liblzma::stream::{Action, Error, Status, Stream};

use crate::problem::{Problem, ProblemKind};
use crate::stream::{Run, Step, StepEnd, StreamFormat, corrupt, decode_steps, u16_at, u32_at, u64_at, unsupported};

/// Format of `.lzma` files.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "lzma",
    title: "LZMA",
    detect: has_header,
    decode,
    find_blocks: None,
    always_has_checksum: false,
    suffixes: &[(b".lzma", b"")],
};

/// Format of zip entries of the method LZMA: the version of the encoder (2 bytes), the size of the parameters (2 bytes), the
/// parameters and the stream. Sizes and checksum are in the zip archive.
pub(super) static ZIP_FORMAT: StreamFormat = StreamFormat {
    name: "lzma",
    title: "LZMA",
    detect: |_| false,
    decode: decode_zip,
    find_blocks: None,
    always_has_checksum: false,
    suffixes: &[],
};

/// Decodes the stream of a zip entry. It may end without a marker.
fn decode_zip(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let (Some(5), Some(parameters)) = (u16_at(run.input, 2), run.input.get(4..9)) else {
        return Err(corrupt(0, "this is no LZMA entry of a zip archive"));
    };
    let Ok(mut decoder) = Stream::new_lzma_decoder(run.decoder_memory()) else {
        return Err(unsupported(0, "LZMA without memory"));
    };
    // The header of a file of unknown size.
    let header = [parameters, &[0xff; 8]].concat();
    // The decoder reads nothing without room for output, and a header gives none.
    match decoder.process(&header, &mut [0], Action::Run) {
        Ok(_) | Err(Error::Program) => {}
        Err(Error::MemLimit) => return Err(Problem::new(0, run.window_exceeded())),
        Err(_) => return Err(unsupported(0, "parameters of the LZMA stream")),
    }
    let end = match decode_with(run, 9, decoder, "LZMA stream") {
        Ok(end) => end,
        // The archive states the size, and is compared with it.
        Err(Problem { kind: ProblemKind::Truncated { .. }, .. }) => run.input.len(),
        Err(problem) => return Err(problem),
    };
    run.blocks.units += 1;
    if end < run.input.len() {
        return Err(run.not_a_start(end, "this is no LZMA stream"));
    }
    Ok(())
}

/// Largest size of a content that is plausible: other tools use the same bound.
const MAX_CONTENT_BYTES: u64 = 256 << 30;
/// Smallest dictionary that encoders write.
const MIN_DICTIONARY_BYTES: u32 = 4096;

/// True if the bytes start with a plausible header. The format has no magic number, so only common values are accepted.
fn has_header(start: &[u8]) -> bool {
    let (Some(dictionary), Some(size)) = (u32_at(start, 1), u64_at(start, 5)) else { return false };
    let is_power = dictionary >= MIN_DICTIONARY_BYTES && dictionary.is_power_of_two();
    start[0] == 0x5d && is_power && (size == u64::MAX || size <= MAX_CONTENT_BYTES) && start.get(13) == Some(&0)
}

/// Decodes the stream.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    if !has_header(run.input) {
        return Err(run.not_a_start(0, "this is no LZMA stream"));
    }
    let Ok(decoder) = Stream::new_lzma_decoder(run.decoder_memory()) else {
        return Err(unsupported(0, "LZMA without memory"));
    };
    let end = decode_with(run, 0, decoder, "LZMA stream")?;
    run.blocks.units += 1;
    if end < run.input.len() {
        return Err(run.not_a_start(end, "this is no LZMA stream"));
    }
    Ok(())
}

/// Decodes the stream at `at` with this decoder and returns the offset of its end.
pub(super) fn decode_with(
    run: &mut Run<'_, '_>,
    at: usize,
    mut decoder: Stream,
    what: &'static str,
) -> Result<usize, Problem> {
    let window_exceeded = run.window_exceeded();
    decode_steps(run.input, at, &mut run.output, what, |input, output| {
        let (consumed, produced) = (decoder.total_in(), decoder.total_out());
        let unsupported = |what: &str| StepEnd::Failed(ProblemKind::Unsupported { what: what.to_owned() });
        let end = match decoder.process(input, output, Action::Run) {
            Ok(Status::StreamEnd) => StepEnd::Finished,
            Ok(_) => StepEnd::More,
            Err(Error::MemLimit) => StepEnd::Failed(window_exceeded.clone()),
            Err(Error::Mem) => unsupported("LZMA without memory"),
            Err(Error::Options) => unsupported("parameters of the LZMA stream"),
            Err(_) => StepEnd::Failed(ProblemKind::Corrupt {
                what: "the LZMA stream is damaged, or a checksum of it differs",
            }),
        };
        Step {
            consumed: (decoder.total_in() - consumed) as usize,
            produced: (decoder.total_out() - produced) as usize,
            end,
        }
    })
}
