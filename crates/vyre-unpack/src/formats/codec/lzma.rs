//! LZMA, LZMA2 and the filters that precede them: branch conversion of machine code, and delta.

use liblzma::stream::{Action, Error, Filters, Status, Stream};

use super::{MAX_DICTIONARY_BYTES, damaged, unsupported};
use crate::archive::BlockOutput;
use crate::problem::ProblemKind;
use crate::stream::{Step, StepEnd, u32_at};

/// Memory limit of a decoder in bytes.
const MAX_MEMORY_BYTES: u64 = MAX_DICTIONARY_BYTES as u64 + (16 << 20);
/// Smallest dictionary of a decoder.
const MIN_DICTIONARY_BYTES: u32 = 4096;
/// Maximum size of a stored chunk of LZMA2.
const CHUNK_BYTES: usize = 1 << 16;

/// A filter that changes bytes but not their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Filter {
    Delta,
    X86,
    PowerPc,
    Ia64,
    Arm,
    ArmThumb,
    Sparc,
    Arm64,
    RiscV,
}

/// The problem of an error of liblzma.
fn problem_of(error: &Error) -> ProblemKind {
    match error {
        Error::MemLimit => unsupported("an LZMA dictionary of more than 256 MiB"),
        Error::Mem => unsupported("LZMA without memory"),
        Error::Options => unsupported("parameters of the LZMA stream"),
        _ => ProblemKind::Corrupt { what: "the LZMA stream is damaged" },
    }
}

/// Runs a decoder of liblzma.
fn run(
    mut decoder: Stream,
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<usize, ProblemKind> {
    output.run(input, size, "LZMA stream", |input, room| {
        let (consumed, produced) = (decoder.total_in(), decoder.total_out());
        let end = match decoder.process(input, room, Action::Run) {
            Ok(Status::StreamEnd) => StepEnd::Finished,
            Ok(_) => StepEnd::More,
            Err(Error::Data | Error::Format | Error::Program) => damaged("the LZMA stream is damaged"),
            Err(error) => StepEnd::Failed(problem_of(&error)),
        };
        Step {
            consumed: (decoder.total_in() - consumed) as usize,
            produced: (decoder.total_out() - produced) as usize,
            end,
        }
    })
}

/// A dictionary that is large enough for an output of this size. No match can reach back beyond the start.
fn dictionary(stated: u32, size: Option<u64>) -> Result<u32, ProblemKind> {
    let needed = size.map_or(u32::MAX, |size| u32::try_from(size).unwrap_or(u32::MAX)).max(MIN_DICTIONARY_BYTES);
    let dictionary = stated.min(needed);
    if dictionary > MAX_DICTIONARY_BYTES { Err(problem_of(&Error::MemLimit)) } else { Ok(dictionary) }
}

/// Decodes a raw LZMA stream. The properties are a byte of parameters and the size of the dictionary.
pub(in crate::formats) fn lzma(
    properties: &[u8],
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let (Some(&parameters), Some(stated)) = (properties.first(), u32_at(properties, 1)) else {
        return Err(ProblemKind::Corrupt { what: "the LZMA stream has no parameters" });
    };
    let dictionary = dictionary(stated, size)?;
    let mut decoder = Stream::new_lzma_decoder(MAX_MEMORY_BYTES).map_err(|error| problem_of(&error))?;
    let mut header = vec![parameters];
    header.extend(dictionary.to_le_bytes());
    header.extend(size.unwrap_or(u64::MAX).to_le_bytes());
    // The decoder reads nothing without room for output, and a header gives none.
    match decoder.process(&header, &mut [0], Action::Run) {
        Ok(_) | Err(Error::Program) => {}
        Err(error) => return Err(problem_of(&error)),
    }
    run(decoder, input, size, output).map(drop)
}

/// Decodes an LZMA stream with a header of 13 bytes, as `.lzma` files have it.
pub(in crate::formats) fn lzma_alone(
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let decoder = Stream::new_lzma_decoder(MAX_MEMORY_BYTES).map_err(|error| problem_of(&error))?;
    run(decoder, input, size, output).map(drop)
}

/// Decodes an xz stream.
pub(in crate::formats) fn xz(input: &[u8], size: Option<u64>, output: &mut BlockOutput<'_>) -> Result<(), ProblemKind> {
    let decoder = Stream::new_stream_decoder(MAX_MEMORY_BYTES, 0).map_err(|error| problem_of(&error))?;
    run(decoder, input, size, output).map(drop)
}

/// Decodes a raw LZMA2 stream. The property is the coded size of the dictionary.
pub(in crate::formats) fn lzma2(
    properties: &[u8],
    input: &[u8],
    size: Option<u64>,
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let Some(&stated) = properties.first().filter(|&&stated| stated <= 40) else {
        return Err(ProblemKind::Corrupt { what: "the LZMA2 stream has no valid dictionary" });
    };
    let needed = dictionary(lzma2_dictionary(stated), size)?;
    let coded = (0..=stated).find(|&coded| lzma2_dictionary(coded) >= needed).unwrap_or(stated);
    let mut filters = Filters::new();
    filters.lzma2_properties(&[coded]).map_err(|error| problem_of(&error))?;
    let decoder = Stream::new_raw_decoder(&filters).map_err(|error| problem_of(&error))?;
    run(decoder, input, size, output).map(drop)
}

/// Size of a dictionary by its code: 2 or 3 times a power of 2.
fn lzma2_dictionary(coded: u8) -> u32 {
    if coded >= 40 { u32::MAX } else { (2 | u32::from(coded & 1)) << (coded / 2 + 11) }
}

/// Applies the inverse of a filter to the whole input.
///
/// liblzma runs filters only in front of LZMA. The input is therefore wrapped in stored chunks of LZMA2.
pub(in crate::formats) fn filter(
    filter: Filter,
    properties: &[u8],
    input: &[u8],
    output: &mut BlockOutput<'_>,
) -> Result<(), ProblemKind> {
    let mut filters = Filters::new();
    let added = match filter {
        Filter::Delta => filters.delta_properties(properties),
        Filter::X86 => filters.x86_properties(properties),
        Filter::PowerPc => filters.powerpc_properties(properties),
        Filter::Ia64 => filters.ia64_properties(properties),
        Filter::Arm => filters.arm_properties(properties),
        Filter::ArmThumb => filters.arm_thumb_properties(properties),
        Filter::Sparc => filters.sparc_properties(properties),
        Filter::Arm64 => filters.arm64_properties(properties),
        Filter::RiscV => filters.riscv_properties(properties),
    };
    added.and_then(|filters| filters.lzma2_properties(&[0])).map_err(|error| problem_of(&error))?;
    let mut decoder = Stream::new_raw_decoder(&filters).map_err(|error| problem_of(&error))?;
    let mut wrapped = Vec::with_capacity(CHUNK_BYTES + 3);
    let mut chunks = input.chunks(CHUNK_BYTES).enumerate().peekable();
    let mut is_ended = false;
    while !is_ended {
        wrapped.clear();
        match chunks.next() {
            Some((index, chunk)) => {
                // The first chunk resets the dictionary.
                wrapped.push(if index == 0 { 1 } else { 2 });
                wrapped.extend(((chunk.len() - 1) as u16).to_be_bytes());
                wrapped.extend(chunk);
            }
            None => {
                wrapped.push(0);
                is_ended = true;
            }
        }
        let mut consumed = 0;
        loop {
            let length = output.bytes().len();
            // The filter holds a few bytes back, which come with the next chunk.
            let room = output.room(CHUNK_BYTES + 64)?;
            let (read, written) = (decoder.total_in(), decoder.total_out());
            let status = decoder.process(&wrapped[consumed..], room, Action::Run);
            let produced = (decoder.total_out() - written) as usize;
            consumed += (decoder.total_in() - read) as usize;
            output.truncate(length + produced);
            match status {
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(_) if consumed == wrapped.len() && produced == 0 => break,
                Ok(_) => {}
                Err(error) => return Err(problem_of(&error)),
            }
            if consumed == wrapped.len() {
                break;
            }
        }
    }
    Err(ProblemKind::Corrupt { what: "the filter did not end" })
}
