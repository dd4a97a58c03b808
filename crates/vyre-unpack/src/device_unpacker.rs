//! Unpacking of archives into buffers of a device.
//!
//! Containers are parsed on the host. Of a zip or tar archive that is on the device only the headers are read back; other containers are read
//! back whole. Contents that an op decodes, and contents without compression, stay on the device, which verifies them. The traversal of the
//! host takes everything else: other methods, damage, unusual archives. It decodes them, and its entries are uploaded. So every entry has the
//! bytes and problems of the host route.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use vyre_runtime::{Device, RunOptions};

use crate::archive::{Content as MemberContent, Listing, Member, MemberTable, Method, Packed, output_claim};
use crate::block_decoder::BlockDecoder;
use crate::context::Context;
use crate::device_entry::{DeviceEntries, DeviceEntry, DeviceSlice};
use crate::device_image::{DeviceImage, gather};
use crate::device_inside::{Inside, LOOKED_AT_BYTES, Opened, Place};
use crate::device_streams::{self, Container as BytesOf, Content};
use crate::device_upload::Upload;
use crate::entry::{Entry, EntryKind, EntryPath};
use crate::error::DecompressError;
use crate::formats::{Format, foreign_format, is_named_brotli, names_beside};
use crate::layers::{Layers, Nested};
use crate::limits::Budget;
use crate::naming::{content_name, is_part};
use crate::options::Options;
use crate::route::{LayerWork, Policy};
use crate::stream::{
    BlockStream, Decoded, StreamBlocks, StreamFormat, Threads, WholeStream, decode_on_host, plan, plan_inflate,
};
use crate::summary::HostReason;
use crate::work::{Container, DecodedStream, OpenArchive, Queued, StreamReason};

/// Approximate number of bytes of input and output of a batch.
const BATCH_BYTES: u64 = 1 << 30;

/// Unpacks archives and compressed streams into buffers of a device, ready for the next dispatch.
pub struct DeviceUnpacker {
    device: Arc<dyn Device>,
    decoder: BlockDecoder,
    options: Options,
    run_options: RunOptions,
}

/// A container that waits to be unpacked.
struct Pending {
    /// Names of the containers around its entries.
    path: Vec<Vec<u8>>,
    name: Vec<u8>,
    /// Its bytes: all, or the headers alone if it is on the device.
    bytes: Bytes,
    is_complete: bool,
    /// Its bytes on the device; none if they are on the host alone.
    on_device: Option<DeviceSlice>,
    container: Container,
    depth: u32,
    is_outermost: bool,
}

/// A member that the device may decode.
struct Candidate {
    member: Member,
    plan: Option<BlockStream>,
    content: (std::ops::Range<usize>, Option<u32>),
    /// Bytes reserved from the budget.
    reserved: u64,
}

impl DeviceUnpacker {
    /// Creates an unpacker for a device. [`Route::Device`](crate::Route::Device) decodes there whatever an op decodes.
    /// [`Route::Auto`](crate::Route::Auto) leaves to the host what it decodes and uploads faster, by the cost model; on other devices than
    /// GPUs that is everything. [`Route::Host`](crate::Route::Host) decodes and uploads everything.
    #[must_use]
    pub fn new(device: Arc<dyn Device>, options: Options) -> DeviceUnpacker {
        let decoder = BlockDecoder::new(Arc::clone(&device));
        DeviceUnpacker { device, decoder, options, run_options: RunOptions::default() }
    }

    /// Sets a deadline, a cancellation token or race checking.
    #[must_use]
    pub fn with_run_options(mut self, options: RunOptions) -> DeviceUnpacker {
        self.decoder = self.decoder.with_run_options(options.clone());
        self.run_options = options;
        self
    }

    /// Unpacks an archive or compressed stream, and the containers nested in it. `name` is the file name of the archive.
    ///
    /// # Errors
    ///
    /// Those of [`Unpacker::unpack`](crate::Unpacker::unpack). A lost device is an error, never another result. So is an entry that the device
    /// has no memory for: [`DecompressError::Upload`].
    pub fn unpack(&self, name: &[u8], archive: Bytes) -> Result<DeviceEntries, DecompressError> {
        let policy = self.options.route.policy(self.device.as_ref(), rayon::current_num_threads());
        let new_context = || Context {
            options: &self.options,
            run_options: &self.run_options,
            budget: Budget::new(self.options.limits)
                .with_input(archive.len() as u64)
                .with_run_options(self.run_options.clone()),
            decoder: None,
            policy: policy.unwrap_or(Policy::Always),
            other_reason: if policy.is_none() { HostReason::HostRoute } else { HostReason::NoDeviceOp },
        };
        let context = new_context();
        let mut work =
            Work { unpacker: self, context: &context, found: DeviceEntries::default(), queue: VecDeque::new() };
        context.check()?;
        let is_usual = policy.is_some()
            && !(self.options.strict || self.options.list_only || is_part(name))
            && self.options.beside.is_none()
            && self.options.limits.depth >= 1;
        let format = if is_usual { Format::detect(&archive) } else { None };
        // Listing reserves entries, so an archive is listed once: here or by the traversal.
        let container = format.and_then(|format| match format {
            Format::Archive(archive_format) if matches!(archive_format.name, "zip" | "tar") => {
                format.open(&archive, &context.budget).ok()
            }
            Format::Stream(stream) if stream.find_blocks.is_some() => Some(Container::Stream(stream)),
            Format::Archive(_) | Format::Stream(_) => None,
        });
        let Some(container) = container else {
            let context = new_context();
            let mut upload = Upload::new(self.device.as_ref());
            let summary = Layers::new(&context, &mut upload).run(name, archive)?;
            let Upload { entries, uploaded, .. } = upload;
            return Ok(DeviceEntries { entries, summary, read_back: 0, uploaded });
        };
        work.found.summary.format.extend(format.map(Format::name));
        work.queue.push_back(Pending {
            path: Vec::new(),
            name: name.to_vec(),
            bytes: archive,
            is_complete: true,
            on_device: None,
            container,
            depth: 1,
            is_outermost: true,
        });
        while let Some(pending) = work.queue.pop_front() {
            context.check()?;
            work.found.summary.layers = work.found.summary.layers.max(pending.depth);
            match pending.container {
                Container::Stream(format) => work.stream(pending, format)?,
                Container::Archive(..) => work.archive(pending)?,
            }
        }
        Ok(work.found)
    }
}

/// State of a call.
struct Work<'a> {
    unpacker: &'a DeviceUnpacker,
    context: &'a Context<'a>,
    found: DeviceEntries,
    queue: VecDeque<Pending>,
}

impl Work<'_> {
    fn device(&self) -> &Arc<dyn Device> {
        &self.unpacker.device
    }

    /// Continues with the traversal of the host, and uploads its entries.
    fn on_host(&mut self, nested: Nested) -> Result<(), DecompressError> {
        let mut upload = Upload::new(self.unpacker.device.as_ref());
        let summary = Layers::new(self.context, &mut upload).run_nested(nested)?;
        let Upload { entries, uploaded, .. } = upload;
        self.found.entries.extend(entries);
        self.found.uploaded += uploaded;
        self.found.summary.add(summary);
        Ok(())
    }

    /// Decodes contents of a container on the device. All are none if they do not fit.
    fn decode(
        &mut self,
        pending: &Pending,
        contents: &[Content<'_>],
    ) -> Result<Option<Vec<Option<DeviceSlice>>>, DecompressError> {
        let container = match &pending.on_device {
            Some(file) => BytesOf::Device(file),
            None => BytesOf::Host(&pending.bytes),
        };
        let ops = self.unpacker.decoder.ops();
        let decoded = device_streams::decode(ops, &self.unpacker.run_options, &container, contents)?;
        Ok(decoded.map(|decoded| {
            self.found.summary.dispatches += decoded.dispatches;
            self.found.summary.device_time += decoded.device_time;
            self.found.uploaded += decoded.uploaded;
            self.found.read_back += decoded.read_back;
            decoded.contents
        }))
    }

    /// Decodes a stream.
    fn stream(&mut self, pending: Pending, format: &'static StreamFormat) -> Result<(), DecompressError> {
        let start = Instant::now();
        let input = pending.bytes.len() as u64;
        let plan = plan(format, &pending.bytes);
        let room = plan.as_ref().map_or(0, BlockStream::room);
        let mut reason = match &plan {
            None if format.find_blocks.is_none() => StreamReason::All(HostReason::NoDeviceOp),
            None => StreamReason::EachBlock,
            Some(plan) if plan.whole.is_none() => StreamReason::All(HostReason::RefusedByDevice),
            Some(plan) if !self.context.policy.takes_for_device(&LayerWork::of(std::iter::once(plan))) => {
                StreamReason::All(HostReason::TooFewBlocks)
            }
            Some(_) if self.context.budget.reserve_output(input, room).is_err() => {
                StreamReason::All(HostReason::Limits)
            }
            Some(_) => StreamReason::All(HostReason::DeviceMemory),
        };
        let planned = plan.filter(|_| reason == StreamReason::All(HostReason::DeviceMemory));
        let mut content = None;
        if let Some(plan) = &planned {
            let contents = [Content { range: 0..pending.bytes.len(), plan: Some(plan), size: None, crc32: None }];
            let max_bytes = self.unpacker.decoder.max_buffer_bytes();
            let fits = plan.device_room() <= max_bytes && input <= max_bytes && plan.is_for_device();
            if fits && let Some(mut decoded) = self.decode(&pending, &contents)? {
                reason = StreamReason::All(HostReason::RefusedByDevice);
                content = decoded.pop().flatten();
            }
            self.context.budget.release_output(room - content.as_ref().map_or(0, |content| content.length));
        }
        let Pending { path, name, bytes, depth, is_outermost, container, .. } = pending;
        let queued = |bytes: Bytes, name: &[u8], path: &[Vec<u8>]| Queued {
            path: path.to_vec().into(),
            name: name.to_vec(),
            bytes,
            container,
            depth,
            is_outermost,
            is_clean: true,
            may_be_corrupt: false,
        };
        let (Some(content), Some(plan)) = (content, planned) else {
            let decoded = decode_on_host(format, &bytes, &self.context.budget, Threads::All);
            let source = queued(bytes, &name, &path);
            let (reason, time) = (Some(reason), start.elapsed());
            return self.on_host(Nested::Stream(DecodedStream { source, format, decoded, reason, time }));
        };
        let units = plan.units();
        let WholeStream { zstd, name: stored_name, .. } = plan.whole.unwrap_or_default();
        self.found.summary.blocks.device += units;
        self.found.summary.blocks.device_output += content.length;
        let inner_name = content_name(&name, stored_name.as_deref());
        let inside = self.look_inside(&content, false, &inner_name, &path, depth)?;
        if let Inside::Unclear(whole) = inside {
            let blocks = StreamBlocks { units, zstd, ..StreamBlocks::default() };
            let decoded = Decoded { bytes: whole, problems: Vec::new(), name: stored_name, blocks };
            let source = queued(bytes, &name, &path);
            let time = start.elapsed();
            return self.on_host(Nested::Stream(DecodedStream { source, format, decoded, reason: None, time }));
        }
        self.found.summary.blocks.zstd += zstd;
        self.found.summary.output += content.length;
        if let Inside::Container(opened) = inside {
            let Opened { container, bytes, is_complete } = *opened;
            if is_outermost {
                self.found.summary.format.push(match &container {
                    Container::Stream(format) => format.name,
                    Container::Archive(format, _) => format.name,
                });
            }
            self.queue.push_back(Pending {
                path,
                name: inner_name,
                bytes,
                is_complete,
                on_device: Some(content),
                container,
                depth: depth + 1,
                is_outermost,
            });
            return Ok(());
        }
        self.context.budget.reserve_entries(1)?;
        let mut names = path;
        names.push(inner_name);
        let entry = Entry {
            path: EntryPath { names },
            kind: EntryKind::File,
            bytes: Bytes::new(),
            size: Some(content.length),
            compressed_size: input,
            method: format.name,
            offset: 0,
            mode: None,
            modified: None,
            problems: Vec::new(),
            is_opened: false,
        };
        self.push(entry, content);
        Ok(())
    }

    /// Decodes the members of an archive.
    fn archive(&mut self, mut pending: Pending) -> Result<(), DecompressError> {
        let Container::Archive(format, listing) = pending.container else { return Ok(()) };
        pending.container = Container::Archive(format, Box::default());
        let is_clean = listing.problems.is_empty() && listing.limit.is_none();
        let listing: Listing = *listing;
        if !is_clean {
            let Pending { path, name, bytes, depth, is_outermost, .. } = pending;
            let container = Container::Archive(format, Box::new(listing));
            return self.on_host(Nested::Container(Queued {
                path: path.into(),
                name,
                bytes,
                container,
                depth,
                is_outermost,
                is_clean: true,
                may_be_corrupt: false,
            }));
        }
        let beside_asar = names_beside(&listing);
        let mut rest = Rest::default();
        let mut candidates = Vec::new();
        for member in listing.members {
            match self.candidate(member, &pending.bytes) {
                Ok(candidate) => candidates.push(candidate),
                Err(left) => {
                    let (member, reason) = *left;
                    rest.push(member, reason, None)?;
                }
            }
        }
        let candidates = self.for_device(candidates, &mut rest)?;
        let mut batch = Vec::new();
        let mut cost = 0;
        for candidate in candidates {
            let more = candidate.reserved + candidate.content.0.len() as u64;
            if cost + more > BATCH_BYTES && !batch.is_empty() {
                self.members(&pending, format.members_are_compressed, std::mem::take(&mut batch), &mut rest)?;
                cost = 0;
            }
            cost += more;
            batch.push(candidate);
        }
        self.members(&pending, format.members_are_compressed, batch, &mut rest)?;
        if rest.members.is_empty() {
            return Ok(());
        }
        let bytes = self.bytes_for(&pending, &rest.members)?;
        let Pending { path, depth, .. } = pending;
        self.on_host(Nested::Members(OpenArchive {
            path: path.into(),
            bytes,
            format,
            depth,
            is_clean: true,
            may_be_corrupt: false,
            members: rest.members,
            beside_asar,
            decoded: rest.decoded,
            reasons: rest.reasons,
        }))
    }

    /// A member that the device may decode, with its output reserved; or the reason for leaving it to the host.
    fn candidate(&self, member: Member, bytes: &Bytes) -> Result<Candidate, Box<(Member, HostReason)>> {
        let budget = &self.context.budget;
        // The names of brotli files and of parts show what they are.
        let is_told_by_name = is_part(&member.name) || is_named_brotli(&member.name);
        if member.kind != EntryKind::File || !member.problems.is_empty() || is_told_by_name {
            return Err(Box::new((member, HostReason::NoDeviceOp)));
        }
        let (range, crc32, plan) = match &member.content {
            MemberContent::Plain { range, sha256: None } => (range.clone(), None, None),
            MemberContent::Packed(Packed { method: Method::Stored, range, crc32, .. }) => (range.clone(), *crc32, None),
            MemberContent::Packed(Packed { method: Method::Stream(format), range, crc32, .. }) => {
                let plan = plan(format, &bytes[range.clone()]).filter(|plan| plan.whole.is_some());
                let Some(plan) = plan else { return Err(Box::new((member, HostReason::NoDeviceOp))) };
                (range.clone(), *crc32, Some(plan))
            }
            MemberContent::Packed(Packed { method: Method::Deflate, range, size: Some(size), crc32 }) => {
                let Some(plan) = plan_inflate(range.len(), *size) else {
                    return Err(Box::new((member, HostReason::DeviceMemory)));
                };
                (range.clone(), *crc32, Some(plan))
            }
            MemberContent::Packed(Packed { method: Method::Deflate, size: None, .. }) => {
                return Err(Box::new((member, HostReason::UnknownSize)));
            }
            // No op inflates holes or computes SHA-256.
            MemberContent::Plain { sha256: Some(_), .. }
            | MemberContent::Block(_)
            | MemberContent::Sparse(_)
            | MemberContent::Nothing => return Err(Box::new((member, HostReason::NoDeviceOp))),
        };
        let max_bytes = self.unpacker.decoder.max_buffer_bytes();
        if plan.as_ref().is_some_and(|plan| !plan.is_for_device() || plan.device_room() > max_bytes) {
            return Err(Box::new((member, HostReason::DeviceMemory)));
        }
        let input = range.len() as u64;
        let (stated, reserved) = match &plan {
            Some(plan) => {
                let room = plan.room();
                (member.size.unwrap_or(room), room)
            }
            None => output_claim(&member).map_or((0, 0), |claim| (claim.output, claim.reserved)),
        };
        let allowed = budget.check_output(input, stated).and_then(|()| budget.reserve_output(input, reserved));
        if allowed.is_err() {
            return Err(Box::new((member, HostReason::Limits)));
        }
        Ok(Candidate { member, plan, content: (range, crc32), reserved })
    }

    /// The candidates that the device decodes according to the policy. The others are left to the host.
    fn for_device(&self, candidates: Vec<Candidate>, rest: &mut Rest) -> Result<Vec<Candidate>, DecompressError> {
        let policy = self.context.policy;
        let all = LayerWork::of(candidates.iter().filter_map(|candidate| candidate.plan.as_ref()));
        let is_left = |candidate: &Candidate| candidate.plan.as_ref().is_some_and(|plan| policy.leaves(plan, &all));
        let small = candidates.iter().filter(|candidate| !is_left(candidate));
        let takes = policy.takes_for_device(&LayerWork::of(small.filter_map(|candidate| candidate.plan.as_ref())));
        let mut taken = Vec::new();
        for candidate in candidates {
            if candidate.plan.is_none() || (takes && !is_left(&candidate)) {
                taken.push(candidate);
                continue;
            }
            self.context.budget.release_output(candidate.reserved);
            rest.push(candidate.member, HostReason::TooFewBlocks, None)?;
        }
        Ok(taken)
    }

    /// Decodes members on the device, and leaves those that it refuses to the host.
    fn members(
        &mut self,
        pending: &Pending,
        are_compressed: bool,
        candidates: Vec<Candidate>,
        rest: &mut Rest,
    ) -> Result<(), DecompressError> {
        let contents: Vec<Content<'_>> = candidates
            .iter()
            .map(|candidate| Content {
                range: candidate.content.0.clone(),
                plan: candidate.plan.as_ref(),
                size: candidate.member.size,
                crc32: candidate.content.1,
            })
            .collect();
        let decoded = if contents.is_empty() { Some(Vec::new()) } else { self.decode(pending, &contents)? };
        let reason = if decoded.is_some() { HostReason::RefusedByDevice } else { HostReason::DeviceMemory };
        let decoded = decoded.unwrap_or_else(|| vec![None; candidates.len()]);
        let heads = self.windows(pending, &candidates, &decoded)?;
        for ((candidate, content), head) in candidates.into_iter().zip(decoded).zip(heads) {
            let Candidate { member, plan, reserved, content: (range, _) } = candidate;
            let Some(content) = content else {
                self.context.budget.release_output(reserved);
                rest.push(member, reason, None)?;
                continue;
            };
            self.context.budget.release_output(reserved.saturating_sub(content.length));
            let inside = match head {
                Head::Known if !self.context.options.nested => Inside::File,
                Head::Known => {
                    let bytes = pending.bytes.slice(range);
                    let format = Format::detect_named(&member.name, &bytes);
                    let (path, depth) = (&pending.path[..], pending.depth);
                    Place { context: self.context, is_member: true, name: &member.name, path, depth }
                        .inside(format, bytes)
                }
                Head::Plain => Inside::File,
                Head::Unknown => self.look_inside(&content, true, &member.name, &pending.path, pending.depth)?,
            };
            let (units, zstd) = plan.as_ref().map_or((0, Default::default()), |plan| {
                (plan.units(), plan.whole.as_ref().map(|whole| whole.zstd).unwrap_or_default())
            });
            if units > 0 {
                self.found.summary.blocks.device += units;
                self.found.summary.blocks.device_output += content.length;
            }
            if let Inside::Unclear(whole) = inside {
                let blocks = StreamBlocks { units, zstd, ..StreamBlocks::default() };
                let decoded = plan.map(|_| Decoded { bytes: whole, problems: Vec::new(), name: None, blocks });
                // The traversal reserves it again.
                self.context.budget.release_output(content.length);
                rest.push(member, HostReason::NoDeviceOp, decoded)?;
                continue;
            }
            self.found.summary.blocks.zstd += zstd;
            if are_compressed || pending.depth == 1 {
                self.found.summary.output += content.length;
            }
            let Member { name, kind, size, compressed_size, method, offset, mode, modified, .. } = member;
            let mut names = pending.path.clone();
            names.push(name);
            let is_opened = matches!(inside, Inside::Container(_));
            if let Inside::Container(opened) = inside {
                let Opened { container, bytes, is_complete } = *opened;
                self.queue.push_back(Pending {
                    path: names.clone(),
                    name: names.last().cloned().unwrap_or_default(),
                    bytes,
                    is_complete,
                    on_device: Some(content.clone()),
                    container,
                    depth: pending.depth + 1,
                    is_outermost: false,
                });
            }
            let path = EntryPath { names };
            let (bytes, problems) = (Bytes::new(), Vec::new());
            let entry =
                Entry { path, kind, bytes, size, compressed_size, method, offset, mode, modified, problems, is_opened };
            self.push(entry, content);
        }
        Ok(())
    }

    /// Looks at the start and the end of members whose content is on the device alone, with one transfer.
    fn windows(
        &mut self,
        pending: &Pending,
        candidates: &[Candidate],
        contents: &[Option<DeviceSlice>],
    ) -> Result<Vec<Head>, DecompressError> {
        let mut heads = Vec::new();
        let mut ranges = Vec::new();
        for (candidate, content) in candidates.iter().zip(contents) {
            let is_small = |content: &&DeviceSlice| content.length <= LOOKED_AT_BYTES as u64;
            heads.push(match content {
                _ if !self.context.options.nested => Head::Plain,
                _ if candidate.plan.is_none() && pending.is_complete => Head::Known,
                Some(content) if content.length == 0 => Head::Plain,
                _ => Head::Unknown,
            });
            if heads.last() == Some(&Head::Unknown)
                && let Some(content) = content.as_ref().filter(is_small)
            {
                ranges.push((heads.len() - 1, content));
            }
        }
        if ranges.is_empty() {
            return Ok(heads);
        }
        let places = ranges.iter().map(|(_, content)| (&content.buffer, content.offset, content.length));
        let gathered = gather(self.device().as_ref(), &self.unpacker.run_options, places)?;
        let mut at = 0;
        for (number, content) in ranges {
            let size = content.length as usize;
            let bytes = &gathered[at..at + size];
            let name = &candidates[number].member.name;
            if Format::detect_named(name, bytes).is_none() && foreign_format(bytes).is_none() {
                heads[number] = Head::Plain;
            }
            at += size.next_multiple_of(4);
        }
        self.found.read_back += gathered.len() as u64;
        Ok(heads)
    }

    /// Finds out whether a content on the device is a container: the content of a stream, or of a member, whose name may show the format.
    fn look_inside(
        &mut self,
        content: &DeviceSlice,
        is_member: bool,
        name: &[u8],
        path: &[Vec<u8>],
        depth: u32,
    ) -> Result<Inside, DecompressError> {
        if content.length == 0 || (is_member && !self.context.options.nested) {
            return Ok(Inside::File);
        }
        let device = Arc::clone(self.device());
        let mut image = DeviceImage::new(device.as_ref(), &self.unpacker.run_options, content)?;
        let inside = Place { context: self.context, is_member, name, path, depth }.look_inside(&mut image);
        self.found.read_back += image.read;
        inside
    }

    /// The bytes of an archive with the contents of these members.
    fn bytes_for(&mut self, pending: &Pending, members: &MemberTable) -> Result<Bytes, DecompressError> {
        let Some(file) = pending.on_device.as_ref().filter(|_| !pending.is_complete) else {
            return Ok(pending.bytes.clone());
        };
        let mut ranges = Vec::new();
        for member in members.iter() {
            match member.content {
                MemberContent::Plain { range, .. } | MemberContent::Packed(Packed { range, .. }) => ranges.push(range),
                MemberContent::Sparse(sparse) => ranges.extend(sparse.parts.into_iter().map(|part| part.data)),
                MemberContent::Block(_) | MemberContent::Nothing => {}
            }
        }
        let device = Arc::clone(self.device());
        let mut image = DeviceImage::new(device.as_ref(), &self.unpacker.run_options, file)?;
        image.read(&ranges)?;
        self.found.read_back += image.read;
        Ok(Bytes::from(image.take_bytes()))
    }

    /// Adds an entry whose content stayed on the device.
    fn push(&mut self, entry: Entry, content: DeviceSlice) {
        self.found.summary.entries += 1;
        let content = (content.length > 0).then_some(content);
        self.found.entries.push(DeviceEntry { entry, content, is_by_host: false });
    }
}

/// Knowledge about the format of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    /// Its bytes are on the host.
    Known,
    /// It is no container.
    Plain,
    /// It is on the device alone.
    Unknown,
}

/// Members that are left to the host.
#[derive(Default)]
struct Rest {
    members: MemberTable,
    decoded: BTreeMap<usize, Decoded>,
    reasons: BTreeMap<usize, StreamReason>,
}

impl Rest {
    fn push(&mut self, member: Member, reason: HostReason, decoded: Option<Decoded>) -> Result<(), DecompressError> {
        let index = self.members.len();
        self.members.push(member).map_err(|_| DecompressError::OutOfMemory)?;
        self.decoded.extend(decoded.map(|decoded| (index, decoded)));
        self.reasons.insert(index, StreamReason::All(reason));
        Ok(())
    }
}
