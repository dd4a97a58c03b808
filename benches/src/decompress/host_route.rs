//! The engine on one compressed stream, and on many, beside a plain call of the best library for the format.
//!
//! Both sides decode from memory into memory that they allocate, and verify the checksum that the stream has. A further contender
//! decodes into memory that is allocated and touched already, which is faster than any call that returns its output can be.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use bytes::Bytes;
use lzzzz::lz4;
use lzzzz::lz4f::{self, BlockMode, BlockSize, ContentChecksum, PreferencesBuilder};
use rayon::ThreadPool;
use rayon::prelude::*;
use vyre_unpack::{DecompressError, Entry, Limits, Options, Receiver, Unpacker};
use xxhash_rust::xxh32::xxh32;

use super::compressors::gzip_file;
use crate::error::Error;
use crate::harness::{Contender, Role, Runs};

/// Compressed form of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// One gzip member, level 6 of libdeflate.
    Gzip,
    /// One gzip member, level 6 of miniz_oxide, which has the blocks of zlib.
    GzipOfMiniz,
    /// Many gzip members of 1 MiB.
    GzipMembers,
    /// One Zstandard frame with a checksum, level 3.
    Zstd,
    /// Many Zstandard frames of 1 MiB with a checksum, level 3.
    ZstdFrames,
    /// One LZ4 frame of independent blocks of 64 KiB with a checksum.
    Lz4,
    /// One LZ4 frame of linked blocks of 64 KiB with a checksum.
    Lz4Linked,
}

/// Size of the parts of streams of many parts, in bytes.
const PART_BYTES: usize = 1 << 20;
/// Level of Zstandard.
const ZSTD_LEVEL: i32 = 3;
/// Minimum time of a sample.
const SAMPLE_TIME: Duration = Duration::from_millis(10);
/// Maximum number of runs of a sample.
const MAX_RUNS: u32 = 10_000;

impl StreamKind {
    /// All kinds.
    pub const ALL: [StreamKind; 7] = [
        StreamKind::Gzip,
        StreamKind::GzipOfMiniz,
        StreamKind::GzipMembers,
        StreamKind::Zstd,
        StreamKind::ZstdFrames,
        StreamKind::Lz4,
        StreamKind::Lz4Linked,
    ];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            StreamKind::Gzip => "gzip of libdeflate",
            StreamKind::GzipOfMiniz => "gzip of miniz_oxide",
            StreamKind::GzipMembers => "gzip members of 1 MiB",
            StreamKind::Zstd => "zstd",
            StreamKind::ZstdFrames => "zstd frames of 1 MiB",
            StreamKind::Lz4 => "LZ4, independent blocks",
            StreamKind::Lz4Linked => "LZ4, linked blocks",
        }
    }

    /// Name of the library of the peer.
    #[must_use]
    pub const fn library(self) -> &'static str {
        match self {
            StreamKind::Gzip | StreamKind::GzipOfMiniz | StreamKind::GzipMembers => "libdeflate",
            StreamKind::Zstd | StreamKind::ZstdFrames => "libzstd",
            StreamKind::Lz4 | StreamKind::Lz4Linked => "liblz4",
        }
    }

    /// True if the data are split into parts of `PART_BYTES` bytes, which the peer decodes on all threads.
    #[must_use]
    pub const fn is_split(self) -> bool {
        matches!(self, StreamKind::GzipMembers | StreamKind::ZstdFrames)
    }

    fn file_name(self) -> &'static [u8] {
        match self {
            StreamKind::Gzip | StreamKind::GzipOfMiniz | StreamKind::GzipMembers => b"data.gz",
            StreamKind::Zstd | StreamKind::ZstdFrames => b"data.zst",
            StreamKind::Lz4 | StreamKind::Lz4Linked => b"data.lz4",
        }
    }

    fn compress(self, data: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            StreamKind::Gzip | StreamKind::GzipMembers => gzip_file(data),
            StreamKind::GzipOfMiniz => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
                std::io::Write::write_all(&mut encoder, data).map_err(|error| error.to_string())?;
                encoder.finish().map_err(|error| error.to_string())
            }
            StreamKind::Zstd | StreamKind::ZstdFrames => {
                let name = |code| zstd_safe::get_error_name(code).to_owned();
                let mut context = zstd_safe::CCtx::create();
                let parameters =
                    [zstd_safe::CParameter::CompressionLevel(ZSTD_LEVEL), zstd_safe::CParameter::ChecksumFlag(true)];
                for parameter in parameters {
                    context.set_parameter(parameter).map_err(name)?;
                }
                let mut compressed = Vec::with_capacity(zstd_safe::compress_bound(data.len()));
                context.compress2(&mut compressed, data).map_err(name)?;
                Ok(compressed)
            }
            StreamKind::Lz4 | StreamKind::Lz4Linked => {
                let mode = if self == StreamKind::Lz4 { BlockMode::Independent } else { BlockMode::Linked };
                let preferences = PreferencesBuilder::new()
                    .block_size(BlockSize::Max64KB)
                    .block_mode(mode)
                    .content_checksum(ContentChecksum::Enabled)
                    .build();
                let mut compressed = Vec::new();
                lz4f::compress_to_vec(data, &mut compressed, &preferences).map_err(|error| error.to_string())?;
                Ok(compressed)
            }
        }
    }

    /// Decodes a part with one call of the library, which verifies the checksum.
    fn decode_with_library(self, part: &[u8], output: &mut [u8]) -> Result<usize, String> {
        match self {
            StreamKind::Gzip | StreamKind::GzipOfMiniz | StreamKind::GzipMembers => {
                let decoded = INFLATER.with_borrow_mut(|decoder| decoder.gzip_decompress(part, output));
                decoded.map_err(|error| error.to_string())
            }
            StreamKind::Zstd | StreamKind::ZstdFrames => {
                let decoded = ZSTD.with_borrow_mut(|decoder| decoder.decompress(output, part));
                decoded.map_err(|code| zstd_safe::get_error_name(code).to_owned())
            }
            StreamKind::Lz4 => decode_lz4(part, output, false),
            StreamKind::Lz4Linked => decode_lz4(part, output, true),
        }
    }
}

thread_local! {
    /// Decoders of the peers, as the engine has them too: one for each thread.
    static INFLATER: RefCell<libdeflater::Decompressor> = RefCell::new(libdeflater::Decompressor::new());
    static ZSTD: RefCell<zstd_safe::DCtx<'static>> = RefCell::new(zstd_safe::DCtx::create());
}

/// Decodes the blocks of an LZ4 frame of this benchmark, one call of liblz4 for each, and verifies the checksum.
fn decode_lz4(frame: &[u8], output: &mut [u8], is_linked: bool) -> Result<usize, String> {
    let word = |at: usize| {
        let bytes = frame.get(at..).and_then(|rest| rest.first_chunk()).ok_or("the frame is truncated")?;
        Ok::<u32, String>(u32::from_le_bytes(*bytes))
    };
    // The header has a content size if bit 3 of the flags is set.
    let mut at = if frame[4] & 8 == 0 { 7 } else { 15 };
    let mut length = 0;
    loop {
        let size = word(at)?;
        at += 4;
        if size == 0 {
            break;
        }
        let end = at + (size & 0x7fff_ffff) as usize;
        let block = frame.get(at..end).ok_or("the frame is truncated")?;
        let (before, room) = output.split_at_mut(length);
        length += if size >> 31 == 1 {
            room.get_mut(..block.len()).ok_or("the output is full")?.copy_from_slice(block);
            block.len()
        } else if is_linked {
            let history = &before[before.len().saturating_sub(64 << 10)..];
            lz4::decompress_with_dict(block, room, history).map_err(|error| error.to_string())?
        } else {
            lz4::decompress(block, room).map_err(|error| error.to_string())?
        };
        at = end;
    }
    if xxh32(&output[..length], 0) == word(at)? { Ok(length) } else { Err("the checksum differs".to_owned()) }
}

/// Data in a compressed form.
pub struct HostStream<'d> {
    kind: StreamKind,
    data: &'d [u8],
    parts: Vec<Vec<u8>>,
    stream: Bytes,
    unpacker: Unpacker,
}

impl<'d> HostStream<'d> {
    /// Compresses data.
    ///
    /// # Errors
    ///
    /// A compressor fails.
    pub fn new(kind: StreamKind, data: &'d [u8]) -> Result<HostStream<'d>, Error> {
        let size = if kind.is_split() { PART_BYTES } else { data.len().max(1) };
        let parts: Result<Vec<Vec<u8>>, String> = data.par_chunks(size).map(|part| kind.compress(part)).collect();
        let parts = parts.map_err(|message| wrong(kind.name(), message))?;
        // The output stays in memory on both sides.
        let limits = Limits::default().with_memory(4 << 30);
        let unpacker = Unpacker::on_host(Options::default().with_limits(limits).with_nested(false));
        Ok(HostStream { kind, data, stream: parts.concat().into(), parts, unpacker })
    }

    /// Bytes of data per compressed byte.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.data.len() as f64 / self.stream.len() as f64
    }

    /// The engine, the library with fresh memory, and the library with memory that it has used before, on the threads of a pool.
    #[must_use]
    pub fn contenders<'c>(&'c self, pool: &'c ThreadPool) -> Vec<Contender<'c, Duration, Error>> {
        let runs = Runs::AtLeast { time: SAMPLE_TIME, max: MAX_RUNS };
        let library = self.kind.library();
        let mut touched = vec![0xa5; self.data.len()];
        let engine = move |runs| pool.install(|| mean(runs, || self.time_engine()));
        let fresh = move |runs| pool.install(|| mean(runs, || self.time_library(None)));
        let reused = move |runs| pool.install(|| mean(runs, || self.time_library(Some(&mut touched))));
        vec![
            Contender::new("vyre", Role::Ours, engine).with_runs(runs),
            Contender::new(library, Role::Peer, fresh).with_runs(runs),
            Contender::new(format!("{library}, memory in use"), Role::Information, reused).with_runs(runs),
        ]
    }

    /// Time of the engine.
    fn time_engine(&self) -> Result<Duration, Error> {
        let mut content = Content(Bytes::new());
        let start = Instant::now();
        let outcome = self.unpacker.unpack(self.kind.file_name(), self.stream.clone(), &mut content);
        let time = start.elapsed();
        outcome.map_err(|error| wrong("the engine", error.to_string()))?;
        self.check(&content.0, "the engine").map(|()| time)
    }

    /// Time of the library, into fresh memory if none is given.
    fn time_library(&self, touched: Option<&mut Vec<u8>>) -> Result<Duration, Error> {
        let mut fresh;
        let start = Instant::now();
        let output = match touched {
            Some(touched) => touched,
            None => {
                fresh = vec![0; self.data.len()];
                &mut fresh
            }
        };
        let decode = |(part, output): (&Vec<u8>, &mut [u8])| {
            let length = self.kind.decode_with_library(part, output)?;
            if length == output.len() { Ok(()) } else { Err(format!("{length} bytes instead of {}", output.len())) }
        };
        let decoded = if let [part] = &self.parts[..] {
            decode((part, output))
        } else {
            self.parts.par_iter().zip(output.par_chunks_mut(PART_BYTES)).try_for_each(decode)
        };
        let time = start.elapsed();
        decoded.map_err(|message| wrong(self.kind.library(), message))?;
        self.check(output, self.kind.library()).map(|()| time)
    }

    fn check(&self, output: &[u8], contender: &str) -> Result<(), Error> {
        if output == self.data { Ok(()) } else { Err(wrong(contender, "the data differ".to_owned())) }
    }
}

/// Mean time of some runs.
fn mean(runs: u32, mut run: impl FnMut() -> Result<Duration, Error>) -> Result<Duration, Error> {
    let mut sum = Duration::ZERO;
    for _ in 0..runs {
        sum += run()?;
    }
    Ok(sum / runs.max(1))
}

fn wrong(contender: &str, message: String) -> Error {
    Error::WrongResult { contender: contender.to_owned(), message }
}

/// Receiver that keeps the content of the last entry.
struct Content(Bytes);

impl Receiver for Content {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        for entry in entries {
            self.0 = entry.bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Plan, compare};

    #[test]
    fn all_contenders_restore_the_data() {
        let data: Vec<u8> = (0..400_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
        for kind in StreamKind::ALL {
            let stream = HostStream::new(kind, &data).expect("compressors work");
            assert_eq!(stream.parts.len() > 1, kind.is_split());
            let compared = compare(stream.contenders(&pool), Plan::new(1), |_| {}).expect("the data are restored");
            assert_eq!(compared.measured.len(), 3);
        }
    }
}
