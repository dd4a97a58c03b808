//! The blocks of a layer that the device decodes, in one go.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

use rayon::prelude::*;

use super::archive::{Content, Method};
use super::blocks::{BlockDecoder, BlockJob};
use super::engine::Shared;
use super::entry::EntryKind;
use super::error::DecompressError;
use super::layers::{Pending, Waiting};
use super::stream::{BlockStream, Decoded, StreamFormat, assemble, plan};
use super::summary::{HostReason, Summary};

/// About how many bytes of input and output go to the device at a time.
const BATCH: u64 = 512 << 20;

/// The most blocks of a layer that a device is given: the host must remember each of them.
const LAYER_BLOCKS: u64 = 1 << 19;

/// Which stream something is about: the number of what waits, and of the member where it is an archive.
pub(crate) type Key = (usize, Option<usize>);

/// What the device did for a layer, and why the host does the rest.
#[derive(Default)]
pub(crate) struct DevicePass {
    pub(crate) decoded: BTreeMap<Key, Decoded>,
    pub(crate) reasons: BTreeMap<Key, HostReason>,
}

/// A stream of blocks for the device.
struct Planned<'a> {
    key: Key,
    format: StreamFormat,
    input: &'a [u8],
    plan: BlockStream,
}

impl Planned<'_> {
    fn output(&self) -> u64 {
        self.plan.blocks.iter().map(|block| u64::from(block.expected)).sum()
    }

    fn cost(&self) -> u64 {
        self.output() + self.input.len() as u64
    }
}

/// Decodes what the device can decode of a layer.
pub(crate) fn decode_layer(
    layer: &[Pending],
    shared: &Shared<'_>,
    summary: &mut Summary,
) -> Result<DevicePass, DecompressError> {
    let mut pass = DevicePass::default();
    let Some(decoder) = shared.decoder else { return Ok(pass) };
    let mut planned = Vec::new();
    let mut blocks = 0;
    // As many at a time as there are threads, since nobody knows before how many blocks a stream has.
    for some in candidates(layer, shared).chunks(rayon::current_num_threads()) {
        shared.check()?;
        let plans: Vec<_> = some.par_iter().map(|&(_, format, input)| plan(format, input)).collect();
        for (&(key, format, input), plan) in some.iter().zip(plans) {
            match plan {
                Some(plan) if blocks + plan.blocks.len() as u64 <= LAYER_BLOCKS => {
                    blocks += plan.blocks.len() as u64;
                    planned.push(Planned { key, format, input, plan });
                }
                Some(_) => drop(pass.reasons.insert(key, HostReason::DeviceMemory)),
                None => drop(pass.reasons.insert(key, why_not(format))),
            }
        }
    }
    if blocks < shared.fewest_blocks {
        pass.reasons.extend(planned.iter().map(|planned| (planned.key, HostReason::FewBlocks)));
        return Ok(pass);
    }
    let mut rest = &planned[..];
    while !rest.is_empty() {
        shared.check()?;
        let mut cost = 0;
        let fits = |planned: &&Planned<'_>| {
            cost += planned.cost();
            cost <= BATCH
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (batch, after) = rest.split_at(count);
        decode_batch(batch, decoder, shared, summary, &mut pass)?;
        rest = after;
    }
    Ok(pass)
}

/// The streams of a layer that have an op for their blocks.
fn candidates<'a>(layer: &'a [Pending], shared: &Shared<'_>) -> Vec<(Key, StreamFormat, &'a [u8])> {
    let has_op = |format: StreamFormat| matches!(format, StreamFormat::Lz4 | StreamFormat::Zstd);
    let mut candidates = Vec::new();
    for (number, pending) in layer.iter().enumerate() {
        match &pending.what {
            Waiting::Stream(format) if has_op(*format) => {
                candidates.push(((number, None), *format, &pending.bytes[..]))
            }
            Waiting::Archive(_, listing) if !shared.options.list_only => {
                for (index, member) in listing.members.iter().enumerate() {
                    if let Content::Packed(packed) = &member.content
                        && let Method::Stream(format) = packed.method
                        && has_op(format)
                        && member.kind == EntryKind::File
                    {
                        candidates.push(((number, Some(index)), format, &pending.bytes[packed.range.clone()]));
                    }
                }
            }
            Waiting::Stream(_) | Waiting::Archive(..) => {}
        }
    }
    candidates
}

/// Why the device gets no block of a stream.
fn why_not(format: StreamFormat) -> HostReason {
    match format {
        StreamFormat::Lz4 => HostReason::LinkedBlocks,
        StreamFormat::Zstd => HostReason::CompressedZstdBlock,
        StreamFormat::Gzip | StreamFormat::Xz | StreamFormat::Bzip2 => HostReason::NoOp,
    }
}

fn decode_batch(
    batch: &[Planned<'_>],
    decoder: &BlockDecoder,
    shared: &Shared<'_>,
    summary: &mut Summary,
    pass: &mut DevicePass,
) -> Result<(), DecompressError> {
    // What limits forbid is left to the host, which says which limit.
    let take = |planned: &&Planned<'_>| shared.budget.take_output(planned.input.len() as u64, planned.output()).is_ok();
    let (allowed, forbidden): (Vec<&Planned<'_>>, Vec<_>) = batch.iter().partition(take);
    pass.reasons.extend(forbidden.iter().map(|planned| (planned.key, HostReason::Limits)));
    let mut jobs = Vec::new();
    let mut places: Vec<Range<usize>> = Vec::new();
    for planned in &allowed {
        let start = jobs.len();
        jobs.extend(planned.plan.blocks.iter().map(|block| BlockJob {
            op: block.op,
            input: &planned.input[block.input.clone()],
            expected: block.expected,
            stored: block.stored,
        }));
        places.push(start..jobs.len());
    }
    let decoded = decoder.decode(&jobs);
    for planned in &allowed {
        shared.budget.give_back(planned.output());
    }
    let decoded = decoded?;
    summary.dispatches += decoded.dispatches;
    summary.device_time += decoded.device_time;
    let not_fitting: BTreeSet<usize> = decoded.not_fitting.iter().copied().collect();
    let results = &decoded.results;
    let put_together = |(planned, place): (&&Planned<'_>, &Range<usize>)| {
        let start = Instant::now();
        let results = results.get(place.clone()).unwrap_or_default();
        let (decoded, reasons, used) = assemble(planned.format, planned.input, &planned.plan, results, &shared.budget);
        (planned.key, decoded, reasons, used, start.elapsed())
    };
    let assembled: Vec<_> = allowed.par_iter().zip(&places).map(put_together).collect();
    shared.check()?;
    for (key, decoded, reasons, (blocks, bytes), time) in assembled {
        summary.blocks.device += blocks;
        summary.blocks.device_output += bytes;
        summary.blocks.host_output += (decoded.bytes.len() as u64).saturating_sub(bytes);
        for (reason, count) in reasons {
            *summary.blocks.host.entry(reason).or_default() += count;
        }
        summary.host_time += time;
        pass.decoded.insert(key, decoded);
    }
    let not_fitting = not_fitting.len() as u64;
    if not_fitting > 0 {
        // They were counted among those that the device refused.
        if let Some(refused) = summary.blocks.host.get_mut(&HostReason::RefusedByDevice) {
            *refused = refused.saturating_sub(not_fitting);
        }
        summary.blocks.host.retain(|_, count| *count > 0);
        *summary.blocks.host.entry(HostReason::DeviceMemory).or_default() += not_fitting;
    }
    Ok(())
}
