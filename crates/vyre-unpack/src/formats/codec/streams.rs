//! Methods that are formats of streams themselves: bzip2, zstd, brotli, and blocks of LZ4.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bzip2::{Decompress, Status};
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

use super::{damaged, unsupported};
use crate::archive::BlockOutput;
use crate::formats::lz4::sequences;
use crate::problem::ProblemKind;
use crate::stream::{Step, StepEnd};

/// Binary logarithm of the largest window of a zstd frame.
const MAX_WINDOW_LOG: u32 = 27;

/// Decodes a bzip2 stream.
pub(in crate::formats) fn bzip2(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let mut decoder = Decompress::new(false);
    let run = output.run(input, size, "bzip2 stream", |input, room| {
        let (consumed, produced) = (decoder.total_in(), decoder.total_out());
        let end = match decoder.decompress(input, room) {
            Ok(Status::StreamEnd) => StepEnd::Finished,
            Ok(Status::MemNeeded) => StepEnd::Failed(unsupported("bzip2 without memory")),
            Ok(_) => StepEnd::More,
            Err(_) => damaged("the bzip2 stream is damaged, or a CRC of it differs"),
        };
        Step {
            consumed: (decoder.total_in() - consumed) as usize,
            produced: (decoder.total_out() - produced) as usize,
            end,
        }
    });
    run.map(drop)
}

/// Decodes zstd frames.
pub(in crate::formats) fn zstd(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let Some(mut context) = DCtx::try_create() else { return Err(unsupported("zstd without memory")) };
    if context.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG)).is_err() {
        return Err(unsupported("a limit of zstd windows"));
    }
    let mut at = 0;
    while at < input.len() {
        let consumed = output.run(&input[at..], size, "zstd frame", |input, room| {
            let mut from = InBuffer::around(input);
            let mut to = OutBuffer::around(room);
            let end = match context.decompress_stream(&mut to, &mut from) {
                Ok(0) => StepEnd::Finished,
                Ok(_) => StepEnd::More,
                Err(_) => damaged("the zstd frame is damaged, or its window is larger than 128 MiB"),
            };
            Step { consumed: from.pos(), produced: to.pos(), end }
        })?;
        at += consumed;
        if size.is_some() || consumed == 0 {
            break;
        }
    }
    Ok(())
}

/// Decodes a brotli stream.
pub(in crate::formats) fn brotli(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let mut state = brotli_state();
    output.run(input, size, "brotli stream", |input, room| brotli_step(&mut state, input, room)).map(drop)
}

/// State of a decoder of brotli.
pub(in crate::formats) type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// A decoder of brotli with windows of at most 16 MiB.
pub(in crate::formats) fn brotli_state() -> Box<Brotli> {
    let alloc = StandardAlloc::default;
    Box::new(BrotliState::new_strict(alloc(), alloc(), alloc()))
}

/// One step of a decoder of brotli.
pub(in crate::formats) fn brotli_step(state: &mut Brotli, input: &[u8], room: &mut [u8]) -> Step {
    let (mut available_in, mut consumed) = (input.len(), 0);
    let (mut available_out, mut produced, mut total) = (room.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut available_in,
        &mut consumed,
        input,
        &mut available_out,
        &mut produced,
        room,
        &mut total,
        state,
    );
    let end = match result {
        BrotliResult::ResultSuccess => StepEnd::Finished,
        BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => StepEnd::More,
        BrotliResult::ResultFailure => damaged("the brotli stream is damaged"),
    };
    Step { consumed, produced, end }
}

/// Decodes a single LZ4 block of at most `max_size` bytes of output.
pub(in crate::formats) fn lz4_block(
    input: &[u8],
    max_size: usize,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let start = output.bytes().len();
    let room = output.room(max_size)?;
    match sequences::decode(input, room, 0, 0) {
        Some(produced) => {
            output.truncate(start + produced);
            Ok(())
        }
        None => {
            output.truncate(start);
            Err(ProblemKind::Corrupt { what: "the LZ4 block is damaged" })
        }
    }
}
