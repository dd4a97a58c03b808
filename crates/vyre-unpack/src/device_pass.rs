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
use crate::buffer::{Buffer, leased};
use crate::context::Context;
use crate::error::DecompressError;
use crate::route::LayerWork;
use crate::stream::{
    Assembled, BlockResult, BlockStream, Decoded, StreamBlocks, StreamFormat, assemble, plan, plan_inflate,
};
use crate::summary::{HostReason, Summary};
use crate::work::{Container, DeviceResults, Queued, StreamKey, StreamReason};

/// Approximate number of bytes of input and output of a batch.
const BATCH_BYTES: u64 = 512 << 20;

/// Maximum output of a stream that a device decodes, in bytes. All of it is in memory at once, and the sizes are claims of the stream.
const MAX_STREAM_OUTPUT: u64 = 1 << 30;

/// Maximum number of blocks of a layer that the device decodes: the host keeps a record of each.
const MAX_LAYER_BLOCKS: u64 = 1 << 19;

/// Form of a stream.
#[derive(Clone, Copy)]
enum Form {
    /// A stream of a format.
    Stream(&'static StreamFormat),
    /// A raw Deflate stream: a member of a zip archive that states this size.
    Deflate {
        /// Size of the output, in bytes.
        size: u64,
    },
}

/// A stream that may have blocks for the device.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    key: StreamKey,
    form: Form,
    input: &'a [u8],
}

/// A stream whose blocks the device decodes.
struct PlannedStream<'a> {
    key: StreamKey,
    form: Form,
    input: &'a [u8],
    plan: BlockStream,
}

impl PlannedStream<'_> {
    /// Bytes of input and output.
    fn cost(&self) -> u64 {
        self.plan.room() + self.input.len() as u64
    }
}

impl Candidate<'_> {
    fn plan(&self) -> Option<BlockStream> {
        match self.form {
            Form::Stream(format) => plan(format, self.input),
            Form::Deflate { size } => plan_inflate(self.input.len(), size),
        }
    }

    /// Reason for leaving a stream without a plan to the host.
    fn reason(&self) -> StreamReason {
        match self.form {
            Form::Stream(_) => StreamReason::EachBlock,
            Form::Deflate { .. } => StreamReason::All(HostReason::DeviceMemory),
        }
    }
}

/// Decodes the blocks of a layer on the device.
pub(crate) fn decode_layer(
    layer: &[Queued],
    context: &Context<'_>,
    summary: &mut Summary,
) -> Result<DeviceResults, DecompressError> {
    let mut pass = DeviceResults::default();
    // Output of members. It is reserved again in archive order when the members are emitted, as that of the host is.
    let mut reserved = 0;
    let decoded = decode_candidates(layer, context, summary, &mut pass, &mut reserved);
    context.budget.release_output(reserved);
    decoded.map(|()| pass)
}

fn decode_candidates(
    layer: &[Queued],
    context: &Context<'_>,
    summary: &mut Summary,
    pass: &mut DeviceResults,
    reserved: &mut u64,
) -> Result<(), DecompressError> {
    let Some(decoder) = context.decoder else { return Ok(()) };
    let mut planned = Vec::new();
    let mut blocks = 0;
    // The number of blocks of a stream is unknown before it is planned, so one stream per thread is planned at a time.
    for some in candidates(layer, context, pass).chunks(rayon::current_num_threads()) {
        context.check()?;
        let plans: Vec<_> = some.par_iter().map(Candidate::plan).collect();
        for (&candidate, plan) in some.iter().zip(plans) {
            let Candidate { key, form, input } = candidate;
            match plan {
                Some(plan)
                    if blocks + plan.blocks.len() as u64 <= MAX_LAYER_BLOCKS
                        && plan.has_blocks_for_device()
                        && plan.device_room() <= MAX_STREAM_OUTPUT =>
                {
                    blocks += plan.blocks.len() as u64;
                    planned.push(PlannedStream { key, form, input, plan });
                }
                Some(_) => drop(pass.reasons.insert(key, StreamReason::All(HostReason::DeviceMemory))),
                None => drop(pass.reasons.insert(key, candidate.reason())),
            }
        }
    }
    let too_few = StreamReason::All(HostReason::TooFewBlocks);
    let work = |planned: &[PlannedStream<'_>]| LayerWork::of(planned.iter().map(|planned| &planned.plan));
    let all = work(&planned);
    planned.retain(|planned| {
        let is_left = context.policy.leaves(&planned.plan, &all);
        pass.reasons.extend(is_left.then_some((planned.key, too_few)));
        !is_left
    });
    let rest = work(&planned);
    if !planned.is_empty() && !context.policy.takes(&rest, decoder.has_memory(rest.room())) {
        pass.reasons.extend(planned.iter().map(|planned| (planned.key, too_few)));
        return Ok(());
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
        decode_batch(batch, decoder, context, summary, pass, reserved)?;
        rest = after;
    }
    Ok(())
}

/// The streams of a layer whose format has an op.
fn candidates<'a>(layer: &'a [Queued], context: &Context<'_>, pass: &mut DeviceResults) -> Vec<Candidate<'a>> {
    let mut candidates = Vec::new();
    for (number, queued) in layer.iter().enumerate() {
        match &queued.container {
            Container::Stream(format) if format.find_blocks.is_some() => {
                let form = Form::Stream(format);
                candidates.push(Candidate { key: (number, None), form, input: &queued.bytes });
            }
            Container::Archive(_, listing) if !context.options.list_only => {
                for (index, member) in listing.members.iter().enumerate() {
                    let Content::Packed(packed) = &member.content else { continue };
                    let form = match (packed.method, packed.size) {
                        (Method::Stream(format), _) if format.find_blocks.is_some() => Some(Form::Stream(format)),
                        (Method::Deflate, Some(size)) => Some(Form::Deflate { size }),
                        (Method::Deflate, None) => {
                            let reason = StreamReason::All(HostReason::UnknownSize);
                            pass.reasons.insert((number, Some(index)), reason);
                            None
                        }
                        (Method::Stored | Method::Stream(_), _) => None,
                    };
                    let form = form.filter(|_| member.kind == KindRef::File);
                    let input = &queued.bytes[packed.range.clone()];
                    candidates.extend(form.map(|form| Candidate { key: (number, Some(index)), form, input }));
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
    reserved: &mut u64,
) -> Result<(), DecompressError> {
    // Streams whose upper bound exceeds a limit are left to the host, which reports the limit.
    let reserve = |planned: &&PlannedStream<'_>| {
        context.budget.reserve_output(planned.input.len() as u64, planned.plan.room()).is_ok()
    };
    let (allowed, forbidden): (Vec<&PlannedStream<'_>>, Vec<_>) = batch.iter().partition(reserve);
    let reason = StreamReason::All(HostReason::Limits);
    pass.reasons.extend(forbidden.iter().map(|planned| (planned.key, reason)));
    let jobs: Vec<StreamJob<'_>> =
        allowed.iter().map(|planned| StreamJob { input: planned.input, plan: &planned.plan }).collect();
    let decoded = decoder.decode(&jobs);
    for planned in &allowed {
        context.budget.release_output(planned.plan.room());
    }
    let decoded = decoded?;
    summary.dispatches += decoded.dispatches;
    summary.device_time += decoded.device_time;
    let whole = decoded.whole.as_ref();
    let assemble_stream = |(number, planned): (usize, &&PlannedStream<'_>)| {
        let start = Instant::now();
        let results = decoded.results.get(number).map_or(&[][..], Vec::as_slice);
        let own = whole.filter(|(stream, _)| *stream == number);
        let in_place = own.and_then(|(_, bytes)| in_place(planned, bytes, context));
        let assembled = in_place.map(Ok).unwrap_or_else(|| match planned.form {
            Form::Stream(format) => Ok(assemble(format, planned.input, &planned.plan, results, &context.budget)),
            Form::Deflate { .. } => member(planned, results, context),
        });
        (planned.key, assembled, start.elapsed())
    };
    let assembled: Vec<(StreamKey, Result<Assembled, HostReason>, Duration)> =
        allowed.par_iter().enumerate().map(assemble_stream).collect();
    context.check()?;
    for (key, assembled, time) in assembled {
        let Assembled { decoded, host_blocks, device_blocks, device_bytes } = match assembled {
            Ok(assembled) => assembled,
            Err(reason) => {
                pass.reasons.insert(key, StreamReason::All(reason));
                continue;
            }
        };
        if key.1.is_some() {
            *reserved += decoded.bytes.len() as u64;
        }
        summary.blocks.device += device_blocks;
        summary.blocks.device_output += device_bytes;
        summary.blocks.host_output += (decoded.bytes.len() as u64).saturating_sub(device_bytes);
        summary.blocks.count_on_host(host_blocks);
        summary.host_time += time;
        pass.decoded.insert(key, decoded);
    }
    Ok(())
}

/// A member that the device decoded; otherwise the reason for decoding it on the host.
fn member(
    planned: &PlannedStream<'_>,
    results: &[BlockResult],
    context: &Context<'_>,
) -> Result<Assembled, HostReason> {
    let bytes = match results {
        [BlockResult { error: 0, bytes }] => bytes,
        [BlockResult { error: BlockResult::NOT_DECODED, .. }] | [] => return Err(HostReason::DeviceMemory),
        _ => return Err(HostReason::RefusedByDevice),
    };
    let (budget, size) = (&context.budget, bytes.len() as u64);
    budget.reserve_output(planned.input.len() as u64, size).map_err(|_| HostReason::Limits)?;
    let Ok(mut buffer) = Buffer::zeroed(budget.memory(), size) else {
        budget.release_output(size);
        return Err(HostReason::Limits);
    };
    buffer.bytes_mut().copy_from_slice(bytes);
    Ok(on_device_alone(planned, buffer.finish()))
}

/// A stream without problems that the device decoded.
fn on_device_alone(planned: &PlannedStream<'_>, bytes: Bytes) -> Assembled {
    let (units, device_bytes) = (planned.plan.units(), bytes.len() as u64);
    let (zstd, name) = planned.plan.whole.as_ref().map(|whole| (whole.zstd, whole.name.clone())).unwrap_or_default();
    let blocks = StreamBlocks { units, zstd, ..StreamBlocks::default() };
    let decoded = Decoded { bytes, problems: Vec::new(), name, blocks };
    Assembled { decoded, host_blocks: BTreeMap::new(), device_blocks: units, device_bytes }
}

/// The stream whose content is in host memory already and verified; none if the limits or the memory of the buffers do not allow it.
fn in_place(planned: &PlannedStream<'_>, bytes: &Bytes, context: &Context<'_>) -> Option<Assembled> {
    let size = bytes.len() as u64;
    context.budget.reserve_output(planned.input.len() as u64, size).ok()?;
    let Some(bytes) = leased(bytes, context.budget.memory()) else {
        context.budget.release_output(size);
        return None;
    };
    Some(on_device_alone(planned, bytes))
}
