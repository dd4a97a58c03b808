//! Device pass: decodes all independent blocks of a layer on the device, with one dispatch for each op and batch.
//!
//! The pass plans the blocks of every stream of the layer on the host, without decoding, decodes them on the device and
//! assembles the streams. Streams that cannot be planned are left to the host, with a reason.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::prelude::*;

use crate::archive::{Content, KindRef, Method};
use crate::block_decoder::{BlockDecoder, StreamJob};
use crate::buffer::leased;
use crate::context::Context;
use crate::error::DecompressError;
use crate::route::LayerWork;
use crate::stream::{Assembled, BlockStream, Decoded, StreamBlocks, StreamFormat, assemble, plan};
use crate::summary::{HostReason, Summary};
use crate::work::{Container, DeviceResults, Queued, StreamKey, StreamReason};

/// Approximate number of bytes of input and output of a batch.
const BATCH_BYTES: u64 = 512 << 20;

/// Maximum number of blocks of a layer that the device decodes: the host keeps a record of each.
const MAX_LAYER_BLOCKS: u64 = 1 << 19;

/// A stream whose blocks the device decodes.
struct PlannedStream<'a> {
    key: StreamKey,
    format: &'static StreamFormat,
    input: &'a [u8],
    plan: BlockStream,
}

impl PlannedStream<'_> {
    /// Upper bound of the output in bytes.
    fn output(&self) -> u64 {
        self.plan.blocks.iter().map(|block| u64::from(block.expected)).sum()
    }

    /// Bytes of input and output.
    fn cost(&self) -> u64 {
        self.output() + self.input.len() as u64
    }
}

/// A stream that may have blocks for the device.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    key: StreamKey,
    format: &'static StreamFormat,
    input: &'a [u8],
}

/// Decodes the blocks of a layer on the device.
pub(crate) fn decode_layer(
    layer: &[Queued],
    context: &Context<'_>,
    summary: &mut Summary,
) -> Result<DeviceResults, DecompressError> {
    let mut pass = DeviceResults::default();
    let Some(decoder) = context.decoder else { return Ok(pass) };
    let mut planned = Vec::new();
    let mut blocks = 0;
    let mut work = LayerWork::default();
    // The number of blocks of a stream is unknown before it is planned, so one stream per thread is planned at a time.
    for some in candidates(layer, context).chunks(rayon::current_num_threads()) {
        context.check()?;
        let plans: Vec<_> = some.par_iter().map(|candidate| plan(candidate.format, candidate.input)).collect();
        for (&Candidate { key, format, input }, plan) in some.iter().zip(plans) {
            match plan {
                Some(plan) if blocks + plan.blocks.len() as u64 <= MAX_LAYER_BLOCKS => {
                    blocks += plan.blocks.len() as u64;
                    plan.blocks.iter().for_each(|block| work.add(block));
                    planned.push(PlannedStream { key, format, input, plan });
                }
                Some(_) => drop(pass.reasons.insert(key, StreamReason::All(HostReason::DeviceMemory))),
                None => drop(pass.reasons.insert(key, StreamReason::EachBlock)),
            }
        }
    }
    if blocks > 0 && !context.policy.takes(&work, decoder.has_memory(work.room())) {
        let reason = StreamReason::All(HostReason::TooFewBlocks);
        pass.reasons.extend(planned.iter().map(|planned| (planned.key, reason)));
        return Ok(pass);
    }
    let mut rest = &planned[..];
    while !rest.is_empty() {
        context.check()?;
        let mut cost = 0;
        let fits = |planned: &&PlannedStream<'_>| {
            cost += planned.cost();
            cost <= BATCH_BYTES
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (batch, after) = rest.split_at(count);
        decode_batch(batch, decoder, context, summary, &mut pass)?;
        rest = after;
    }
    Ok(pass)
}

/// The streams of a layer whose format has an op.
fn candidates<'a>(layer: &'a [Queued], context: &Context<'_>) -> Vec<Candidate<'a>> {
    let mut candidates = Vec::new();
    for (number, queued) in layer.iter().enumerate() {
        match &queued.container {
            Container::Stream(format) if format.find_blocks.is_some() => {
                candidates.push(Candidate { key: (number, None), format, input: &queued.bytes });
            }
            Container::Archive(_, listing) if !context.options.list_only => {
                for (index, member) in listing.members.iter().enumerate() {
                    if let Content::Packed(packed) = &member.content
                        && let Method::Stream(format) = packed.method
                        && format.find_blocks.is_some()
                        && member.kind == KindRef::File
                    {
                        let input = &queued.bytes[packed.range.clone()];
                        candidates.push(Candidate { key: (number, Some(index)), format, input });
                    }
                }
            }
            Container::Stream(_) | Container::Archive(..) => {}
        }
    }
    candidates
}

fn decode_batch(
    batch: &[PlannedStream<'_>],
    decoder: &BlockDecoder,
    context: &Context<'_>,
    summary: &mut Summary,
    pass: &mut DeviceResults,
) -> Result<(), DecompressError> {
    // Streams whose upper bound exceeds a limit are left to the host, which reports the limit.
    let reserve = |planned: &&PlannedStream<'_>| {
        context.budget.reserve_output(planned.input.len() as u64, planned.output()).is_ok()
    };
    let (allowed, forbidden): (Vec<&PlannedStream<'_>>, Vec<_>) = batch.iter().partition(reserve);
    let reason = StreamReason::All(HostReason::Limits);
    pass.reasons.extend(forbidden.iter().map(|planned| (planned.key, reason)));
    let jobs: Vec<StreamJob<'_>> =
        allowed.iter().map(|planned| StreamJob { input: planned.input, plan: &planned.plan }).collect();
    let decoded = decoder.decode(&jobs);
    for planned in &allowed {
        context.budget.release_output(planned.output());
    }
    let decoded = decoded?;
    summary.dispatches += decoded.dispatches;
    summary.device_time += decoded.device_time;
    let whole = decoded.whole.as_ref();
    let assemble_stream = |(number, planned): (usize, &&PlannedStream<'_>)| -> (StreamKey, Assembled, Duration) {
        let start = Instant::now();
        let results = decoded.results.get(number).map_or(&[][..], Vec::as_slice);
        let own = whole.filter(|(stream, _)| *stream == number);
        let in_place = own.and_then(|(_, bytes)| in_place(planned, bytes, context));
        let assembled = in_place
            .unwrap_or_else(|| assemble(planned.format, planned.input, &planned.plan, results, &context.budget));
        (planned.key, assembled, start.elapsed())
    };
    let assembled: Vec<_> = allowed.par_iter().enumerate().map(assemble_stream).collect();
    context.check()?;
    for (key, Assembled { decoded, host_blocks, device_blocks, device_bytes }, time) in assembled {
        summary.blocks.device += device_blocks;
        summary.blocks.device_output += device_bytes;
        summary.blocks.host_output += (decoded.bytes.len() as u64).saturating_sub(device_bytes);
        summary.blocks.count_on_host(host_blocks);
        summary.host_time += time;
        pass.decoded.insert(key, decoded);
    }
    let not_fitting = decoded.not_fitting;
    if not_fitting > 0 {
        // Assembly counted them as refused by the device.
        if let Some(refused) = summary.blocks.host.get_mut(&HostReason::RefusedByDevice) {
            *refused = refused.saturating_sub(not_fitting);
        }
        summary.blocks.host.retain(|_, count| *count > 0);
        *summary.blocks.host.entry(HostReason::DeviceMemory).or_default() += not_fitting;
    }
    Ok(())
}

/// The stream whose content is in host memory already and verified; none if the limits or the memory of the buffers do not allow it.
fn in_place(planned: &PlannedStream<'_>, bytes: &Bytes, context: &Context<'_>) -> Option<Assembled> {
    let whole = planned.plan.whole.as_ref()?;
    let (size, units) = (bytes.len() as u64, planned.plan.blocks.len() as u64);
    context.budget.reserve_output(planned.input.len() as u64, size).ok()?;
    let Some(bytes) = leased(bytes, context.budget.memory()) else {
        context.budget.release_output(size);
        return None;
    };
    let blocks = StreamBlocks { units, zstd: whole.zstd, ..StreamBlocks::default() };
    let decoded = Decoded { bytes, problems: Vec::new(), name: None, blocks };
    Some(Assembled { decoded, host_blocks: BTreeMap::new(), device_blocks: units, device_bytes: size })
}
