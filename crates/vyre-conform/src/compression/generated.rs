//! Random compressed blocks, and damaged copies of them.

use std::sync::Arc;

use vyre_ops::compression::CompressedBlock;
use vyre_ops::{Op, ops};
use vyre_runtime::{Device, RunOptions};

use super::check::{Checker, Verdict, reference};
use super::{deflate, zstd_frames, zstd_writer};
use crate::generated::Seeds;
use crate::race_free::Random;

/// Maximum number of damaged frames of `compression.zstd_full`.
const MAX_DAMAGED_FRAMES: usize = 500;

/// A compressed block.
#[derive(Clone, Debug)]
pub struct OwnedBlock {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Maximum bytes of its output.
    pub room: u32,
    /// True if it is stored without compression.
    pub is_stored: bool,
}

/// Runs the blocks of these seeds with all programs of all compression ops, but at most `max_streams` Deflate streams.
#[track_caller]
pub fn expect_agreement(device: &Arc<dyn Device>, options: &RunOptions, seeds: Seeds, max_streams: usize) {
    for op in compression_ops() {
        let blocks = seeded_blocks(op, seeds.iter(), max_streams);
        let refused = expect(device, options, op, &blocks);
        println!("{}: {} blocks, {refused} of them with errors", op.id, blocks.len());
        assert!(refused > 0 && refused < blocks.len() * 9 / 10, "{}: the blocks are too much alike", op.id);
    }
}

/// Runs small blocks with every bit flipped, every byte changed, and truncation at every byte, but at most `max_streams` Deflate
/// streams. An interpreter takes a part of the blocks, evenly distributed: at most `max_blocks` for each op.
#[track_caller]
pub fn expect_agreement_on_damage(
    device: &Arc<dyn Device>,
    options: &RunOptions,
    max_streams: usize,
    max_blocks: usize,
) {
    for op in compression_ops() {
        let mut damaged = damaged_blocks(op, max_streams);
        if damaged.len() > max_blocks {
            // Each byte has eleven or twelve damages. A step without a factor of these reaches all kinds of them.
            let least = damaged.len().div_ceil(max_blocks.max(1));
            let step = (least..).find(|step| [2, 3, 11].iter().all(|factor| step % factor != 0));
            damaged = damaged.into_iter().step_by(step.unwrap_or(least)).collect();
        }
        let refused = expect(device, options, op, &damaged);
        println!("{}: {} damaged blocks, {refused} of them refused", op.id, damaged.len());
        assert!(refused > damaged.len() / 10, "{}: the damage does nothing", op.id);
    }
}

/// Blocks of these seeds for an op, but at most `max_streams` Deflate streams.
#[must_use]
pub fn seeded_blocks(op: &Op, seeds: impl IntoIterator<Item = u64>, max_streams: usize) -> Vec<OwnedBlock> {
    let mut blocks: Vec<_> = seeds.into_iter().flat_map(|seed| blocks(op, &mut Random::new(seed))).collect();
    thin_out(op, &mut blocks, max_streams);
    blocks
}

/// Small blocks for an op with every bit flipped, every byte changed, and truncation at every byte, but at most `max_streams` Deflate
/// streams.
#[must_use]
pub fn damaged_blocks(op: &Op, max_streams: usize) -> Vec<OwnedBlock> {
    let mut damaged = Vec::new();
    for seed in 0..6 {
        let made = blocks(op, &mut Random::new(seed)).into_iter();
        let small = made.filter(|block| !block.is_stored && block.bytes.len() < 48);
        damaged.extend(small.take(2).flat_map(|block| damages(&block)));
    }
    thin_out(op, &mut damaged, max_streams);
    if op.id == "compression.zstd_full" {
        // Frames have larger decoders, so a third of the damages suffices. Each byte has eleven or twelve.
        damaged = damaged.into_iter().step_by(3).take(MAX_DAMAGED_FRAMES).collect();
    }
    damaged
}

/// Blocks with the results of the reference.
#[must_use]
pub fn judged<'b>(op: &Op, blocks: &'b [OwnedBlock]) -> Vec<(CompressedBlock<'b>, Verdict)> {
    let judge = |OwnedBlock { bytes, room, is_stored }: &'b OwnedBlock| {
        let block = CompressedBlock { bytes, room: *room, is_stored: *is_stored };
        (block, reference(op, &block))
    };
    blocks.iter().map(judge).collect()
}

/// The compression ops of the library.
pub fn compression_ops() -> impl Iterator<Item = &'static Op> {
    ops().iter().filter(|op| op.id.starts_with("compression."))
}

/// Number of Deflate streams for tests of this number of seeds. Interpreters have few seeds, and a stream takes them long.
#[must_use]
pub fn max_streams(seeds: u64) -> usize {
    if seeds < 100 { 8 } else { 4000 }
}

/// Leaves at most `max` blocks if they are Deflate streams, evenly distributed.
fn thin_out(op: &Op, blocks: &mut Vec<OwnedBlock>, max: usize) {
    if op.id == "compression.deflate" && blocks.len() > max {
        // Blocks of the same kind are seven blocks apart.
        let step = blocks.len().div_ceil(max).next_multiple_of(7) + 1;
        *blocks = std::mem::take(blocks).into_iter().step_by(step).collect();
    }
}

/// Blocks for an op: valid ones, and some that are not.
fn blocks(op: &Op, random: &mut Random) -> Vec<OwnedBlock> {
    match op.id {
        "compression.lz4" => lz4_blocks(random),
        "compression.zstd" => zstd_blocks(random),
        "compression.zstd_full" if random.chance(30) => vec![zstd_writer::small_frame(random)],
        "compression.zstd_full" => zstd_frames::frames(random),
        "compression.deflate" => deflate::streams(random),
        other => panic!("{other} is no compression op"),
    }
}

/// Runs blocks. Returns the number that the reference rejects.
#[track_caller]
fn expect(device: &Arc<dyn Device>, options: &RunOptions, op: &Op, blocks: &[OwnedBlock]) -> usize {
    let judged = judged(op, blocks);
    let checked = Checker::new(device, options).check(op, &judged);
    checked.unwrap_or_else(|message| panic!("{} on {}: {message}", op.id, device.name()));
    judged.iter().filter(|(_, verdict)| verdict.code != 0).count()
}

/// Copies of a block, each damaged differently.
#[must_use]
pub fn damages(block: &OwnedBlock) -> Vec<OwnedBlock> {
    let with = |bytes: Vec<u8>| OwnedBlock { bytes, ..block.clone() };
    let mut copies: Vec<OwnedBlock> = (0..block.bytes.len()).map(|size| with(block.bytes[..size].to_vec())).collect();
    for position in 0..block.bytes.len() {
        let byte = block.bytes[position];
        let others = (0..8).map(|bit| byte ^ (1 << bit)).chain([0, 255, byte.wrapping_add(1)]);
        copies.extend(others.filter(|&other| other != byte).map(|other| {
            let mut bytes = block.bytes.clone();
            bytes[position] = other;
            with(bytes)
        }));
    }
    copies.extend((0..block.room.min(64)).map(|room| OwnedBlock { room, ..block.clone() }));
    copies
}

/// LZ4 blocks: valid, with too small or too large capacity, damaged, stored, and random bytes.
fn lz4_blocks(random: &mut Random) -> Vec<OwnedBlock> {
    let (bytes, size) = lz4_block(random);
    let right = OwnedBlock { bytes, room: size, is_stored: false };
    let mut damaged = right.clone();
    for _ in 0..random.between(1, 3) {
        let position = random.below(damaged.bytes.len() as u32) as usize;
        if let Some(byte) = damaged.bytes.get_mut(position) {
            *byte = random.word() as u8;
        }
    }
    let noise = (0..random.below(100)).map(|_| random.word() as u8).collect();
    let room = if random.chance(50) { size + random.below(9) } else { random.below(size + 1) };
    vec![
        OwnedBlock { room, ..right.clone() },
        OwnedBlock { is_stored: true, room: random.below(2 * right.bytes.len() as u32 + 1), ..right.clone() },
        OwnedBlock { bytes: noise, room: random.below(3000), is_stored: false },
        damaged,
        right,
    ]
}

/// Distribution of the sequences of an LZ4 block.
#[derive(Clone, Copy)]
enum Sequences {
    /// Few and short.
    Few,
    /// Of all lengths.
    All,
    /// Many short ones with few literals, as in compressed text.
    Dense,
}

impl Sequences {
    fn count(self, random: &mut Random) -> u32 {
        match self {
            Sequences::Few => random.between(0, 3),
            Sequences::All => random.between(0, 40),
            Sequences::Dense => random.between(20, 120),
        }
    }

    fn literals(self, random: &mut Random) -> u32 {
        match self {
            Sequences::Dense if random.chance(95) => random.below(3),
            _ => self.length(random),
        }
    }

    /// Length of a match beyond the minimum.
    fn length(self, random: &mut Random) -> u32 {
        let is_few = matches!(self, Sequences::Few);
        match random.below(12) {
            0..=7 => random.below(15),
            8 => random.between(13, 20),
            9 => random.below(if is_few { 20 } else { 300 }),
            10 => 15 + 255 * random.below(3),
            _ if matches!(self, Sequences::Dense) => random.below(15),
            _ => random.below(if is_few { 30 } else { 1500 }),
        }
    }

    fn offset(self, random: &mut Random) -> u32 {
        match random.below(5) {
            0 => random.between(1, 8),
            1 if !matches!(self, Sequences::Dense) => random.between(1, 40),
            _ => random.between(1, 65535),
        }
    }
}

/// A valid LZ4 block, and the size of its output.
fn lz4_block(random: &mut Random) -> (Vec<u8>, u32) {
    let mut block = Vec::new();
    let mut size = 0;
    let sequences = random.pick(&[Sequences::Few, Sequences::All, Sequences::Dense]);
    for _ in 0..sequences.count(random) {
        let literals = sequences.literals(random).max(u32::from(size == 0));
        let length = sequences.length(random);
        block.push((literals.min(15) << 4 | length.min(15)) as u8);
        push_length(&mut block, literals);
        push_literals(&mut block, literals, random);
        size += literals;
        // Usually any earlier offset, sometimes the start of the output.
        let offset = sequences.offset(random);
        let offset = if random.chance(90) { (offset - 1) % size + 1 } else { offset.min(size) };
        block.extend((offset as u16).to_le_bytes());
        push_length(&mut block, length);
        size += length + 4;
    }
    if random.chance(90) {
        let literals = sequences.length(random);
        block.push((literals.min(15) << 4 | random.below(16)) as u8);
        push_length(&mut block, literals);
        push_literals(&mut block, literals, random);
        size += literals;
    }
    (block, size)
}

fn push_length(block: &mut Vec<u8>, length: u32) {
    if let Some(mut rest) = length.checked_sub(15) {
        while rest >= 255 {
            block.push(255);
            rest -= 255;
        }
        block.push(rest as u8);
    }
}

fn push_literals(block: &mut Vec<u8>, literals: u32, random: &mut Random) {
    block.extend((0..literals).map(|_| random.word() as u8));
}

/// Zstandard blocks of all types, with valid and invalid sizes and payloads.
fn zstd_blocks(random: &mut Random) -> Vec<OwnedBlock> {
    (0..5)
        .map(|_| {
            let size = if random.chance(5) { random.between(131_000, 131_200) } else { random.below(600) };
            let kinds = if random.chance(80) { 2 } else { 4 };
            let kind = random.below(kinds);
            let header = size << 3 | kind << 1 | random.below(2);
            let payload = match kind {
                _ if random.chance(10) => random.below(4),
                1 => 1,
                _ => size,
            };
            let mut bytes = header.to_le_bytes()[..3].to_vec();
            push_literals(&mut bytes, payload, random);
            if random.chance(5) {
                bytes.truncate(random.below(3) as usize);
            }
            let room = if random.chance(80) { size + random.below(5) } else { random.below(size + 1) };
            OwnedBlock { bytes, room, is_stored: random.chance(5) }
        })
        .collect()
}
