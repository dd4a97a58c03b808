//! xz files (The .xz File Format, version 1.2): a sequence of streams with padding between them.
//!
//! | Offset | Size | Field of a stream header |
//! |---|---|---|
//! | 0 | 6 | magic number `fd 37 7a 58 5a 00` |
//! | 6 | 1 | flags, zero |
//! | 7 | 1 | type of the check, in the low 4 bits |
//! | 8 | 4 | CRC-32 of the flags |

use liblzma::stream::{Action, Error, MtStreamBuilder, Status, Stream};

use crate::problem::{Problem, ProblemKind};
use crate::stream::{
    MIN_PARALLEL_BYTES, Run, Step, StepEnd, StreamFormat, corrupt, decode_steps, truncated, unsupported,
};

/// Format of xz files.
pub(super) static FORMAT: StreamFormat = StreamFormat {
    name: "xz",
    title: "xz",
    detect: has_magic,
    decode,
    find_blocks: None,
    always_has_checksum: true,
    suffixes: &[(b".xz", b""), (b".txz", b".tar")],
};

/// Magic number of a stream.
const MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// Memory of the decoder threads, in bytes for each of them, from which no further thread starts. A thread holds its whole
/// block: 32 MiB with the settings of `xz -6`.
const THREAD_MEMORY_BYTES: u64 = 48 << 20;
/// Check types that the decoder verifies: none, CRC-32, CRC-64 and SHA-256.
const KNOWN_CHECKS: [u8; 4] = [0, 1, 4, 10];

/// True if the bytes start as an xz stream.
fn has_magic(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

/// Decodes all streams.
fn decode(run: &mut Run<'_, '_>) -> Result<(), Problem> {
    let input = run.input;
    let mut at = 0;
    loop {
        if !has_magic(&input[at..]) {
            return Err(run.not_a_start(at, "this is no xz stream"));
        }
        at = decode_stream(run, at)?;
        run.blocks.units += 1;
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

/// Decodes the stream at `at` and returns the offset of its end.
fn decode_stream(run: &mut Run<'_, '_>, at: usize) -> Result<usize, Problem> {
    let check = run.input.get(at + 7).ok_or_else(|| truncated(run.input.len(), "xz stream"))? & 15;
    if !KNOWN_CHECKS.contains(&check) {
        return Err(unsupported(at, format!("xz check {check}")));
    }
    let start = run.output.len();
    let threads = rayon::current_num_threads() as u32;
    if threads > 1 && run.input.len() - at >= MIN_PARALLEL_BYTES {
        let mut builder = MtStreamBuilder::new();
        let memory = THREAD_MEMORY_BYTES.saturating_mul(u64::from(threads));
        builder.threads(threads).memlimit_threading(memory).memlimit_stop(run.decoder_memory());
        if let Ok(decoder) = builder.decoder()
            && let Ok(end) = decode_with(run, at, decoder)
        {
            return Ok(end);
        }
        // Threads read ahead, so only a single-threaded decoder locates the damage and keeps all bytes before it.
        run.output.truncate(start);
    }
    match Stream::new_stream_decoder(run.decoder_memory(), 0) {
        Ok(decoder) => decode_with(run, at, decoder),
        Err(_) => Err(unsupported(at, "xz without memory")),
    }
}

/// Decodes the stream at `at` with this decoder and returns the offset of its end.
fn decode_with(run: &mut Run<'_, '_>, at: usize, mut decoder: Stream) -> Result<usize, Problem> {
    let window_exceeded = run.window_exceeded();
    decode_steps(run.input, at, &mut run.output, "xz stream", |input, output| {
        let (consumed, produced) = (decoder.total_in(), decoder.total_out());
        let end = match decoder.process(input, output, Action::Run) {
            Ok(Status::StreamEnd) => StepEnd::Finished,
            Ok(_) => StepEnd::More,
            Err(Error::MemLimit) => StepEnd::Failed(window_exceeded.clone()),
            Err(Error::Mem) => unsupported_step("xz without memory"),
            Err(Error::Options) => unsupported_step("filters of the xz stream"),
            Err(_) => {
                StepEnd::Failed(ProblemKind::Corrupt { what: "the xz stream is damaged, or a check of it differs" })
            }
        };
        Step {
            consumed: (decoder.total_in() - consumed) as usize,
            produced: (decoder.total_out() - produced) as usize,
            end,
        }
    })
}

/// End of a step at a feature that the decoder lacks.
fn unsupported_step(what: &str) -> StepEnd {
    StepEnd::Failed(ProblemKind::Unsupported { what: what.to_owned() })
}
