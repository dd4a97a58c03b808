//! Deflate, raw and with the header of zlib, Deflate64, and the blocks of MSZIP.
//!
//! Whole streams of a stated size are decoded with one call. What that refuses, or what goes on beyond the size, is decoded again in steps, which
//! keeps the bytes before the damage.

use deflate64::InflaterManaged;
use miniz_oxide::DataFormat;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::damaged;
use crate::archive::BlockOutput;
use crate::problem::ProblemKind;
use crate::stream::{Step, StepEnd, WholeInflate, adler32, bytes_at, inflate_behind, inflate_whole, max_inflated};

const DAMAGED: &str = "the Deflate stream is damaged";
/// Size of the header of zlib.
const ZLIB_HEADER_BYTES: usize = 2;

/// Decodes a raw Deflate stream.
pub(in crate::formats) fn deflate(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    if inflate_at_once(input, size, output).is_some() {
        return Ok(());
    }
    inflate_as(DataFormat::Raw, input, size, output)
}

/// Decodes a Deflate stream with header and checksum of zlib.
pub(in crate::formats) fn zlib(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let start = output.bytes().len();
    if is_zlib_header(input)
        && let Some(consumed) = inflate_at_once(&input[ZLIB_HEADER_BYTES..], size, output)
    {
        let sum = bytes_at(input, ZLIB_HEADER_BYTES + consumed).map(u32::from_be_bytes);
        if sum == Some(adler32(&output.bytes()[start..])) {
            return Ok(());
        }
        output.truncate(start);
    }
    inflate_as(DataFormat::Zlib, input, size, output)
}

/// True if a stream has the header of zlib (RFC 1950): the method Deflate, a window of at most 32 KiB, no dictionary, and a check value.
fn is_zlib_header(input: &[u8]) -> bool {
    let &[method, flags, ..] = input else { return false };
    method & 15 == 8 && method >> 4 <= 7 && flags & 0x20 == 0 && u16::from_be_bytes([method, flags]).is_multiple_of(31)
}

/// Decodes a raw Deflate stream of at most `size` bytes of output with one call, and returns the size of the stream. None if there is no size,
/// or anything is wrong: the output is unchanged then.
fn inflate_at_once(input: &[u8], size: Option<u64>, output: &mut BlockOutput<'_>) -> Option<usize> {
    let start = output.bytes().len();
    let most = size?.min(max_inflated(input.len() as u64));
    let room = output.room(usize::try_from(most).ok()?).ok()?;
    match inflate_whole(input, room) {
        WholeInflate::Done { consumed, produced } => {
            output.truncate(start + produced);
            Some(consumed)
        }
        WholeInflate::OutputFull | WholeInflate::Failed => {
            output.truncate(start);
            None
        }
    }
}

/// Decodes a stream in steps. Matches are copied within the output, so one that refers to bytes before it is damage, as for zlib. A window of
/// its own would have zeros there.
fn inflate_as(
    format: DataFormat,
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let mut state = Box::<DecompressorOxide>::default();
    let header = if format == DataFormat::Zlib { inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER } else { 0 };
    let flags = header | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let run = output.run_with_output(input, size, "Deflate stream", |input, output, at| {
        let (status, consumed, produced) = decompress(&mut state, input, output, at, flags);
        let end = match status {
            TINFLStatus::Done => StepEnd::Finished,
            // A step without progress is the end of the input.
            TINFLStatus::HasMoreOutput | TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                StepEnd::More
            }
            _ => damaged(DAMAGED),
        };
        Step { consumed, produced, end }
    });
    run.map(drop)
}

/// Decodes a Deflate64 stream.
pub(in crate::formats) fn deflate64(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let mut state = Box::new(InflaterManaged::new());
    output.run(input, size, "Deflate64 stream", |input, room| deflate64_step(&mut state, input, room)).map(drop)
}

/// One step of a decoder of Deflate64.
pub(in crate::formats) fn deflate64_step(state: &mut InflaterManaged, input: &[u8], room: &mut [u8]) -> Step {
    let result = state.inflate(input, room);
    let end = if result.data_error || state.errored() {
        damaged("the Deflate64 stream is damaged")
    } else if state.finished() && state.available_output() == 0 {
        StepEnd::Finished
    } else {
        StepEnd::More
    };
    Step { consumed: result.bytes_consumed, produced: result.bytes_written, end }
}

/// Decodes a block of MSZIP: `CK` and a Deflate stream that refers to the output of the preceding blocks.
pub(in crate::formats) fn mszip(input: &[u8], size: usize, output: &mut BlockOutput<'_>) -> Result<(), ProblemKind> {
    let Some(stream) = input.strip_prefix(b"CK") else {
        return Err(ProblemKind::Corrupt { what: "this is no MSZIP block" });
    };
    let start = output.bytes().len();
    output.room(size)?;
    if let WholeInflate::Done { produced, .. } = inflate_behind(start, stream, output.bytes_mut())
        && produced == size
    {
        return Ok(());
    }
    let mut state = Box::<DecompressorOxide>::default();
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, produced) = decompress(&mut state, stream, output.bytes_mut(), start, flags);
    output.truncate(start + produced);
    match status {
        TINFLStatus::Done if produced == size => Ok(()),
        TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
            Err(ProblemKind::Truncated { what: "MSZIP block" })
        }
        _ => Err(ProblemKind::Corrupt { what: "the MSZIP block is damaged" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Budget, Limits};

    /// Result and output of a decoder.
    fn run(
        decode: impl FnOnce(&mut BlockOutput<'_>) -> Result<(), ProblemKind>,
        limits: Limits,
    ) -> (Result<(), ProblemKind>, Vec<u8>) {
        let budget = Budget::new(limits);
        let mut output = BlockOutput::new(&budget, 1000);
        output.append(b"before").expect("there is memory");
        let result = decode(&mut output);
        (result, output.bytes().to_vec())
    }

    /// Decoding at once and in steps have the same result.
    #[track_caller]
    fn agree(stream: &[u8], size: Option<u64>, limits: Limits) {
        let at_once = run(|output| zlib(stream, size, output), limits);
        let in_steps = run(|output| inflate_as(DataFormat::Zlib, stream, size, output), limits);
        assert_eq!(at_once, in_steps);
        let raw = stream.get(ZLIB_HEADER_BYTES..).unwrap_or_default();
        let at_once = run(|output| deflate(raw, size, output), limits);
        let in_steps = run(|output| inflate_as(DataFormat::Raw, raw, size, output), limits);
        assert_eq!(at_once, in_steps);
    }

    /// The literal `A`, a match of length 3 at distance 5, and the literal `B`, with fixed codes.
    const TOO_FAR: [u8; 5] = [0x73, 0x4, 0x12, 0x4e, 0x0];

    #[test]
    fn matches_before_the_start_are_damage() {
        let expected = Err(ProblemKind::Corrupt { what: DAMAGED });
        for size in [None, Some(5), Some(6), Some(1000)] {
            let (result, bytes) = run(|output| deflate(&TOO_FAR, size, output), Limits::default());
            assert_eq!((&result, &bytes[..]), (&expected, &b"beforeA"[..]), "{size:?}");
            let stream = [&[0x78, 0x9c][..], &TOO_FAR].concat();
            let (result, bytes) = run(|output| zlib(&stream, size, output), Limits::default());
            assert_eq!((&result, &bytes[..]), (&expected, &b"beforeA"[..]), "{size:?}");
        }
    }

    #[test]
    fn whole_blocks_have_the_result_of_steps() {
        let content: Vec<u8> =
            (0..900_u32).flat_map(|number| (number * number % 1009).to_string().into_bytes()).collect();
        let stream = miniz_oxide::deflate::compress_to_vec_zlib(&content, 6);
        let all = content.len() as u64;
        for size in [None, Some(all), Some(all + 1), Some(all * 2), Some(all - 1), Some(7), Some(0)] {
            agree(&stream, size, Limits::default());
            agree(&[&stream[..], b"more"].concat(), size, Limits::default());
            agree(&stream, size, Limits::default().with_entry(all - 1));
            agree(&stream, size, Limits::default().with_entry(all + 6));
        }
        for at in 0..stream.len() {
            agree(&stream[..at], Some(all + 1), Limits::default());
        }
        // Headers, checksums and data that are damaged.
        for at in [0, 1, stream.len() - 1, stream.len() - 4, 40, stream.len() / 2] {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x20;
            let at_once = run(|output| zlib(&damaged, Some(all + 1), output), Limits::default());
            let in_steps =
                run(|output| inflate_as(DataFormat::Zlib, &damaged, Some(all + 1), output), Limits::default());
            assert_eq!(at_once, in_steps, "{at}");
        }
    }
}
