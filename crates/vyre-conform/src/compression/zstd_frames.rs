//! Zstandard frames of libzstd, and its verdict on frames.

use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CParameter, DCtx, InBuffer, OutBuffer};

use super::generated::{OwnedBlock, damages};
use crate::race_free::Random;

/// Minimum size of a match for the pieces that repeat.
const MIN_REPEAT: usize = 3;

/// Options of a frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameOptions {
    /// Compression level.
    pub level: i32,
    /// True if the frame has a checksum.
    pub has_checksum: bool,
    /// True if the frame has the size of its content.
    pub has_size: bool,
    /// Binary logarithm of the window, or 0 for that of the level.
    pub window_log: u32,
    /// Size of the pieces after which a block ends, or 0 for as large blocks as possible.
    pub flush: usize,
}

impl Default for FrameOptions {
    fn default() -> FrameOptions {
        FrameOptions { level: 3, has_checksum: false, has_size: true, window_log: 0, flush: 0 }
    }
}

impl FrameOptions {
    /// Options of a seed.
    pub(crate) fn of(random: &mut Random) -> FrameOptions {
        FrameOptions {
            level: random.pick(&[-5, -1, 1, 2, 3, 4, 6, 9, 13, 17, 19, 22]),
            has_checksum: random.chance(30),
            has_size: random.chance(60),
            window_log: if random.chance(20) { random.between(10, 17) } else { 0 },
            flush: if random.chance(30) { random.between(20, 3000) as usize } else { 0 },
        }
    }
}

/// Compresses bytes to a frame.
///
/// # Panics
///
/// Panics if libzstd fails.
#[must_use]
pub fn frame(bytes: &[u8], options: &FrameOptions) -> Vec<u8> {
    let mut context = CCtx::create();
    let mut set = |parameter| context.set_parameter(parameter).map(|_| ()).unwrap_or_else(|code| failed(code));
    set(CParameter::CompressionLevel(options.level));
    set(CParameter::ChecksumFlag(options.has_checksum));
    set(CParameter::ContentSizeFlag(options.has_size));
    if options.window_log != 0 {
        set(CParameter::WindowLog(options.window_log));
    }
    if options.has_size {
        context.set_pledged_src_size(Some(bytes.len() as u64)).unwrap_or_else(|code| failed(code));
    }
    let pieces = bytes.len() / if options.flush == 0 { usize::MAX } else { options.flush } + 2;
    let mut frame = vec![0; zstd_safe::compress_bound(bytes.len()) + pieces * 32];
    let mut output = OutBuffer::around(&mut frame[..]);
    if options.flush > 0 {
        for piece in bytes.chunks(options.flush) {
            let mut input = InBuffer::around(piece);
            let left = context.compress_stream2(&mut output, &mut input, ZSTD_EndDirective::ZSTD_e_flush);
            assert_eq!(left.unwrap_or_else(|code| failed(code)), 0, "the output has room");
        }
        let mut input = InBuffer::around(&[]);
        context.compress_stream2(&mut output, &mut input, ZSTD_EndDirective::ZSTD_e_end)
    } else {
        let mut input = InBuffer::around(bytes);
        context.compress_stream2(&mut output, &mut input, ZSTD_EndDirective::ZSTD_e_end)
    }
    .unwrap_or_else(|code| failed(code));
    let size = output.pos();
    frame.truncate(size);
    frame
}

/// Decompresses frames. `None` if libzstd refuses them, or their content exceeds the room.
#[must_use]
pub fn decompressed(frames: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut output = vec![0; room];
    let size = DCtx::create().decompress(&mut output[..], frames).ok()?;
    output.truncate(size);
    Some(output)
}

fn failed(code: usize) -> ! {
    panic!("libzstd: {}", zstd_safe::get_error_name(code))
}

/// Bytes of a kind that a seed selects: text, records, runs, repeated pieces, noise, or all of them in turn.
pub(crate) fn content(random: &mut Random, size: usize) -> Vec<u8> {
    let kind = random.below(6);
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        let kind = if kind == 5 { random.below(5) } else { kind };
        append(random, kind, &mut bytes);
    }
    bytes.truncate(size);
    bytes
}

fn append(random: &mut Random, kind: u32, bytes: &mut Vec<u8>) {
    match kind {
        0 => {
            const WORDS: [&str; 12] =
                ["let ", "value", " = ", "self", ".", "position", "(", ")", ";\n", "    ", "if ", "return "];
            (0..40).for_each(|_| bytes.extend_from_slice(random.pick(&WORDS).as_bytes()));
            bytes.extend(random.below(100_000).to_string().bytes());
        }
        1 => {
            for record in 0..8u32 {
                bytes.extend((record * 3 + random.below(3)).to_le_bytes());
                bytes.extend([b'a' + random.below(26) as u8, random.below(4) as u8]);
            }
        }
        2 => {
            let run = if random.chance(10) { random.between(100, 70_000) } else { random.between(1, 60) };
            bytes.resize(bytes.len() + run as usize, random.below(5) as u8 * 50);
        }
        3 if bytes.len() > MIN_REPEAT => {
            let offset = 1 + random.below(bytes.len() as u32) as usize;
            let length = if random.chance(3) { random.below(100_000) } else { random.below(60) };
            for _ in 0..length {
                bytes.push(bytes[bytes.len() - offset]);
            }
            (0..random.below(8)).for_each(|_| bytes.push(random.word() as u8));
        }
        _ => (0..random.between(1, 400)).for_each(|_| bytes.push(random.word() as u8)),
    }
}

/// Content and options of a seed.
#[must_use]
pub fn sample(seed: u64) -> (Vec<u8>, FrameOptions) {
    let random = &mut Random::new(seed);
    let size = match random.below(20) {
        0 => random.below(4),
        1..=5 => random.below(200),
        6..=13 => random.below(5_000),
        14..=18 => random.below(40_000),
        _ => random.between(100_000, 300_000),
    };
    (content(random, size as usize), FrameOptions::of(random))
}

/// Content of a seed.
#[must_use]
pub fn content_of(seed: u64, size: usize) -> Vec<u8> {
    content(&mut Random::new(seed), size)
}

/// Copies of a small frame without a checksum, each damaged differently.
#[must_use]
pub fn damaged_frames(seed: u64) -> Vec<OwnedBlock> {
    let random = &mut Random::new(seed);
    let size = random.between(20, 300) as usize;
    let content = content(random, size);
    let options = FrameOptions { has_checksum: false, ..FrameOptions::of(random) };
    damages(&OwnedBlock { bytes: frame(&content, &options), room: size as u32, is_stored: false })
}

/// Frames of a seed: one that is valid, with the right room and with another, one that is damaged, and one that is stored.
pub(crate) fn frames(random: &mut Random) -> Vec<OwnedBlock> {
    let size = if random.chance(5) { random.below(800) } else { random.below(90) };
    let content = content(random, size as usize);
    let valid = OwnedBlock { bytes: frame(&content, &FrameOptions::of(random)), room: size, is_stored: false };
    let mut damaged = valid.clone();
    for _ in 0..random.between(1, 2) {
        let position = random.below(damaged.bytes.len() as u32) as usize;
        damaged.bytes[position] = random.word() as u8;
    }
    let room = if random.chance(50) { size + random.below(9) } else { random.below(size + 1) };
    let stored_room = random.below(2 * valid.bytes.len() as u32);
    vec![
        OwnedBlock { room, ..valid.clone() },
        damaged,
        OwnedBlock { is_stored: true, room: stored_room, ..valid.clone() },
        valid,
    ]
}
