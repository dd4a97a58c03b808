//! xz streams, one after the other, with padding between them.

use liblzma::stream::{Action, Error, MtStreamBuilder, Status, Stream};

use super::steps::{self, Step};
use super::{PARALLEL_FROM, Run, corrupt, truncated, unsupported};
use crate::problem::{Problem, ProblemKind};

/// What a stream begins with.
const MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// Memory that a decoder may have, most of it for a dictionary. What `xz -9` writes needs 65 MiB.
const MOST_MEMORY: u64 = 256 << 20;
/// Memory beyond which no more threads are used.
const MOST_MEMORY_OF_THREADS: u64 = 1 << 30;
/// The checks that are verified: none, CRC-32, CRC-64 and SHA-256.
const KNOWN_CHECKS: [u8; 4] = [0, 1, 4, 10];

/// Whether bytes start as an xz stream.
pub(super) fn has_magic(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

/// Decodes all streams.
pub(super) fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let mut at = 0;
    loop {
        if !has_magic(&input[at..]) {
            return Err(run.not_a_start(at, "this is no xz stream"));
        }
        at = decode_stream(run, at)?;
        run.units += 1;
        let padding = input[at..].iter().take_while(|&&byte| byte == 0).count();
        if padding % 4 != 0 {
            return Err(corrupt(at, "the padding of the xz stream is no multiple of 4 bytes"));
        }
        at += padding;
        if at == input.len() {
            return Ok(());
        }
    }
}

/// Decodes the stream at `at`, and says where it ends.
fn decode_stream(run: &mut Run<'_, '_>, at: usize) -> Result<usize, Problem> {
    let check = run.input.get(at + 7).ok_or_else(|| truncated(run.input.len(), "xz stream"))? & 15;
    if !KNOWN_CHECKS.contains(&check) {
        return Err(unsupported(at, format!("xz check {check}")));
    }
    let start = run.output.len();
    let threads = rayon::current_num_threads() as u32;
    if threads > 1 && run.input.len() - at >= PARALLEL_FROM {
        let mut builder = MtStreamBuilder::new();
        builder.threads(threads).memlimit_threading(MOST_MEMORY_OF_THREADS).memlimit_stop(MOST_MEMORY);
        if let Ok(decoder) = builder.decoder()
            && let Ok(end) = decode_with(run, at, decoder)
        {
            return Ok(end);
        }
        // Threads read ahead: where the damage is, and what comes before it, one of them finds out alone.
        run.output.truncate(start);
    }
    match Stream::new_stream_decoder(MOST_MEMORY, 0) {
        Ok(decoder) => decode_with(run, at, decoder),
        Err(_) => Err(unsupported(at, "xz without memory")),
    }
}

/// Decodes the stream at `at` with this decoder, and says where it ends.
fn decode_with(run: &mut Run<'_, '_>, at: usize, mut decoder: Stream) -> Result<usize, Problem> {
    steps::run(run.input, at, &mut run.output, "xz stream", |input, output| {
        let (consumed, produced) = (decoder.total_in(), decoder.total_out());
        let end = match decoder.process(input, output, Action::Run) {
            Ok(Status::StreamEnd) => Ok(true),
            Ok(_) => Ok(false),
            Err(Error::MemLimit) => {
                Err(ProblemKind::Unsupported { what: "an xz dictionary of more than 256 MiB".to_owned() })
            }
            Err(Error::Mem) => Err(ProblemKind::Unsupported { what: "xz without memory".to_owned() }),
            Err(Error::Options) => Err(ProblemKind::Unsupported { what: "filters of the xz stream".to_owned() }),
            Err(_) => Err(ProblemKind::Corrupt { what: "the xz stream is damaged, or a check of it differs" }),
        };
        Step {
            consumed: (decoder.total_in() - consumed) as usize,
            produced: (decoder.total_out() - produced) as usize,
            end,
        }
    })
}
