//! Contents that a device decodes and verifies, and that stay there.
//!
//! A content is a slice of a container, or a stream whose blocks an op decodes. It is accepted if nothing is wrong with it: statuses, sizes and
//! checksums. Everything else is left to the host, which gives the verdict.

use std::ops::Range;
use std::time::Duration;

use vyre_ops::checksum::{Checksum, ChecksumKind, ChecksumRange};
use vyre_ops::compression::{BatchSide, CompressionOps, DeviceBatch, Status};
use vyre_runtime::{Buffer, Command, CommandList, Device, RunOptions};
use xxhash_rust::xxh32::xxh32;
use xxhash_rust::xxh64::xxh64;

use crate::block_decoder::is_refusal;
use crate::device_entry::DeviceSlice;
use crate::error::DecompressError;
use crate::stream::{Block, BlockStream, WholeFrame};

/// Size from which the host computes an XXH32 or XXH64: a range has a parallelism of four, so a device needs longer than the transfer
/// and a core together.
const MAX_DEVICE_XXH_BYTES: u64 = 4 << 20;

/// A content to decode.
pub(crate) struct Content<'a> {
    /// Its bytes in the container.
    pub(crate) range: Range<usize>,
    /// Its blocks, if it is compressed. All of them are its whole content.
    pub(crate) plan: Option<&'a BlockStream>,
    /// Its size, if it is known.
    pub(crate) size: Option<u64>,
    /// Its CRC-32, if it is known.
    pub(crate) crc32: Option<u32>,
}

/// The container of contents: its bytes on the host, or itself on the device.
pub(crate) enum Container<'a> {
    Host(&'a [u8]),
    Device(&'a DeviceSlice),
}

/// Results of contents.
#[derive(Default)]
pub(crate) struct Decoded {
    /// Each content; none if something is wrong with it.
    pub(crate) contents: Vec<Option<DeviceSlice>>,
    pub(crate) dispatches: u64,
    pub(crate) device_time: Duration,
    pub(crate) uploaded: u64,
    pub(crate) read_back: u64,
}

/// A range of a buffer with the checksum that it must have.
struct Check {
    content: usize,
    kind: ChecksumKind,
    slice: DeviceSlice,
    /// Low word of the checksum.
    low: u32,
}

/// Pieces of the output that are one content.
struct Pieces {
    content: usize,
    pieces: Vec<Range<u64>>,
}

/// Decodes contents, with one dispatch for each op. None if they do not fit the device.
///
/// # Errors
///
/// The device fails. A refusal of memory is none: the host can decode the contents.
pub(crate) fn decode(
    ops: &CompressionOps,
    run_options: &RunOptions,
    container: &Container<'_>,
    contents: &[Content<'_>],
) -> Result<Option<Decoded>, DecompressError> {
    match decode_all(ops, run_options, container, contents) {
        Err(DecompressError::Device(error)) if is_refusal(&error) => Ok(None),
        Err(DecompressError::OutOfMemory) => Ok(None),
        decoded => decoded,
    }
}

/// Decodes contents. None if they are beyond 32-bit offsets.
fn decode_all(
    ops: &CompressionOps,
    run_options: &RunOptions,
    container: &Container<'_>,
    contents: &[Content<'_>],
) -> Result<Option<Decoded>, DecompressError> {
    let mut batch = match container {
        Container::Host(_) => DeviceBatch::new(),
        Container::Device(file) => DeviceBatch::on(&file.buffer),
    };
    let mut decoded = Decoded { contents: vec![None; contents.len()], ..Decoded::default() };
    // Position of each content in the input, and of its first block among all blocks.
    let mut places = Vec::new();
    let mut sums_of_blocks = Vec::new();
    for (number, content) in contents.iter().enumerate() {
        let start = match container {
            Container::Host(bytes) => {
                let bytes = bytes.get(content.range.clone()).unwrap_or_default();
                decoded.uploaded += bytes.len() as u64;
                batch.push_input(bytes)
            }
            Container::Device(file) => u32::try_from(file.offset + content.range.start as u64).ok(),
        };
        let Some(start) = start else { return Ok(None) };
        places.push((start, batch.block_count()));
        for Block { op, input, expected, is_stored, checksum, .. } in content.plan.iter().flat_map(|plan| &plan.blocks)
        {
            let place = |offset: usize| start.checked_add(u32::try_from(offset).ok()?);
            let Some((begin, end)) = place(input.start).zip(place(input.end)) else { return Ok(None) };
            if batch.push_block(op.op(), begin..end, *expected, *is_stored).is_none() {
                return Ok(None);
            }
            if let Some(expected) = checksum {
                let range = ChecksumRange { offset: begin, size: end - begin };
                sums_of_blocks.push((
                    number,
                    batch.push_check(ChecksumKind::Xxh32, BatchSide::Input, range),
                    *expected,
                ));
            }
        }
    }
    let done = ops.decode_on_device(&batch)?;
    decoded.dispatches = done.dispatches;
    decoded.device_time = done.device_time;
    let mut is_right = vec![true; contents.len()];
    for (content, check, expected) in sums_of_blocks {
        is_right[content] &= done.sums[check] == Checksum { code: 0, sum: expected.into() };
    }
    let mut scattered = Vec::new();
    let mut at = 0;
    for (number, (content, &(start, first))) in contents.iter().zip(&places).enumerate() {
        let Some(plan) = content.plan else {
            let (offset, length) = (u64::from(start), content.range.len() as u64);
            decoded.contents[number] = Some(DeviceSlice { buffer: done.input.clone(), offset, length });
            continue;
        };
        let statuses = &done.statuses[first..first + plan.blocks.len()];
        let pieces = pieces(plan, statuses, &mut at);
        is_right[number] &= statuses.iter().all(|status| status.code == 0) && has_sizes(plan, statuses);
        match &pieces[..] {
            _ if !is_right[number] => {}
            [] => decoded.contents[number] = Some(DeviceSlice { buffer: done.output.clone(), offset: 0, length: 0 }),
            [piece] => {
                let (offset, length) = (piece.start, piece.end - piece.start);
                decoded.contents[number] = Some(DeviceSlice { buffer: done.output.clone(), offset, length });
            }
            _ => scattered.push(Pieces { content: number, pieces }),
        }
    }
    join(ops.device().as_ref(), run_options, &done.output, &scattered, &mut decoded.contents)?;
    let checks = checks(contents, &done.statuses, &places, &decoded.contents);
    for content in wrong_sums(ops, checks, &mut decoded.read_back)? {
        is_right[content] = false;
    }
    for ((slice, is_right), content) in decoded.contents.iter_mut().zip(is_right).zip(contents) {
        let has_size = |slice: &DeviceSlice| content.size.is_none_or(|size| size == slice.length);
        *slice = slice.take().filter(|slice| is_right && has_size(slice));
    }
    Ok(Some(decoded))
}

/// Ranges of the output with the content of a stream: one, if all blocks but the last are full.
fn pieces(plan: &BlockStream, statuses: &[Status], at: &mut u64) -> Vec<Range<u64>> {
    let mut pieces: Vec<Range<u64>> = Vec::new();
    for (block, status) in plan.blocks.iter().zip(statuses) {
        let piece = *at..*at + u64::from(status.size);
        *at += u64::from(block.expected).next_multiple_of(4);
        match pieces.last_mut() {
            _ if piece.is_empty() => {}
            Some(last) if last.end == piece.start => last.end = piece.end,
            _ => pieces.push(piece),
        }
    }
    pieces
}

/// True if the contents of all frames have the sizes that the frames state.
fn has_sizes(plan: &BlockStream, statuses: &[Status]) -> bool {
    let size_of = |frame: &WholeFrame| -> u64 {
        let statuses = statuses.get(frame.blocks.clone()).unwrap_or_default();
        statuses.iter().map(|status| u64::from(status.size)).sum()
    };
    plan.whole
        .as_ref()
        .is_some_and(|whole| whole.frames.iter().all(|frame| frame.size.is_none_or(|size| size == size_of(frame))))
}

/// Copies the pieces of contents to one buffer, so that each content is a range of it.
fn join(
    device: &dyn Device,
    run_options: &RunOptions,
    output: &Buffer,
    scattered: &[Pieces],
    contents: &mut [Option<DeviceSlice>],
) -> Result<(), DecompressError> {
    let size_of = |pieces: &Pieces| pieces.pieces.iter().map(|piece| piece.end - piece.start).sum::<u64>();
    let total: u64 = scattered.iter().map(|pieces| size_of(pieces).next_multiple_of(4)).sum();
    if total == 0 {
        return Ok(());
    }
    let joined = device.create_buffer(total)?;
    let mut commands = CommandList::new();
    let mut offset = 0;
    for of_content in scattered {
        let mut at = offset;
        for piece in &of_content.pieces {
            let length = piece.end - piece.start;
            commands.push(Command::Copy {
                source: output.clone(),
                source_offset: piece.start,
                target: joined.clone(),
                target_offset: at,
                length,
            });
            at += length;
        }
        contents[of_content.content] = Some(DeviceSlice { buffer: joined.clone(), offset, length: at - offset });
        offset = at.next_multiple_of(4);
    }
    device.run(&commands, run_options)?;
    Ok(())
}

/// The checksums that contents and their frames must have.
fn checks(
    contents: &[Content<'_>],
    statuses: &[Status],
    places: &[(u32, usize)],
    found: &[Option<DeviceSlice>],
) -> Vec<Check> {
    let mut checks = Vec::new();
    for (number, ((content, slice), &(_, first))) in contents.iter().zip(found).zip(places).enumerate() {
        let Some(slice) = slice else { continue };
        if let Some(low) = content.crc32 {
            checks.push(Check { content: number, kind: ChecksumKind::Crc32, slice: slice.clone(), low });
        }
        let mut offset = slice.offset;
        for frame in content.plan.iter().flat_map(|plan| &plan.whole).flat_map(|whole| &whole.frames) {
            let of_frame = &statuses[first + frame.blocks.start..first + frame.blocks.end];
            let length = of_frame.iter().map(|status| u64::from(status.size)).sum();
            if let Some(sum) = frame.sum {
                let slice = DeviceSlice { buffer: slice.buffer.clone(), offset, length };
                checks.push(Check { content: number, kind: sum.kind, slice, low: sum.low });
            }
            offset += length;
        }
    }
    checks
}

/// The contents with a wrong checksum. The device computes the checksums; long ones of little parallelism are those of the host.
fn wrong_sums(ops: &CompressionOps, checks: Vec<Check>, read_back: &mut u64) -> Result<Vec<usize>, DecompressError> {
    let mut wrong = Vec::new();
    // Checks of one kind in one buffer are a dispatch.
    let mut groups: Vec<(ChecksumKind, Vec<Check>)> = Vec::new();
    for check in checks {
        let Check { content, kind, slice, low } = &check;
        let is_xxh = matches!(kind, ChecksumKind::Xxh32 | ChecksumKind::Xxh64);
        if is_xxh && slice.length > MAX_DEVICE_XXH_BYTES {
            let size = usize::try_from(slice.length).map_err(|_| DecompressError::OutOfMemory)?;
            let mut bytes = vyre_memory::try_zeroed_bytes(size).ok_or(DecompressError::OutOfMemory)?;
            ops.device().read_at(&slice.buffer, slice.offset, &mut bytes)?;
            *read_back += slice.length;
            let found = if *kind == ChecksumKind::Xxh32 { xxh32(&bytes, 0) } else { xxh64(&bytes, 0) as u32 };
            wrong.extend((found != *low).then_some(*content));
            continue;
        }
        let is_same = |(known, group): &&mut (ChecksumKind, Vec<Check>)| {
            *known == *kind && group.first().is_some_and(|first| first.slice.buffer.is_same(&slice.buffer))
        };
        match groups.iter_mut().find(is_same) {
            Some((_, group)) => group.push(check),
            None => groups.push((*kind, vec![check])),
        }
    }
    for (kind, group) in groups {
        let Some(buffer) = group.first().map(|check| check.slice.buffer.clone()) else { continue };
        // Positions beyond 32 bits give ranges outside of the data, which are wrong.
        let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let ranges: Vec<ChecksumRange> = group
            .iter()
            .map(|check| ChecksumRange { offset: word(check.slice.offset), size: word(check.slice.length) })
            .collect();
        let sums = ops.checksums().run(kind, &buffer, &ranges)?;
        let is_wrong = |(check, sum): &(&Check, Checksum)| sum.code != 0 || sum.sum as u32 != check.low;
        wrong.extend(group.iter().zip(sums).filter(is_wrong).map(|(check, _)| check.content));
    }
    Ok(wrong)
}
