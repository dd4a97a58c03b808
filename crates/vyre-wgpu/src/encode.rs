//! Command lists as submissions.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use vyre_runtime::shell::{Backoff, fold_grid};
use vyre_runtime::{Bindings, Command, CommandList, Error, Pipeline, RunOptions, RunReport, element_count};
use wgpu::{BindGroup, CommandEncoder, ComputePass, PollType, SubmissionIndex};

use crate::blocks::{Blocks, BoundBlock};
use crate::buffer::Storage;
use crate::emit::{BUFFER_GROUP, DISPATCH_GROUP, DispatchBlock};
use crate::failure::caught;
use crate::opened::Opened;
use crate::pipeline::Compiled;
use crate::timestamps::Timestamps;
use crate::transfer::{STORAGE_USAGES, copy, fill, new_encoder};

/// The most commands of a submission. Longer lists are several, so that neither their memory grows without bound nor a
/// deadline is looked at only in the end.
const MOST_COMMANDS: u32 = 1 << 14;

/// Runs a list that has been checked.
pub(crate) fn run(opened: &Opened, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
    options.check()?;
    // The device is asked below whether it is still there.
    let (submissions, times) = caught(&opened.device, &opened.health, "recording commands", || {
        let mut dispatches = Dispatches::new(opened, options);
        // Another run may have been in the way for a while.
        options.check()?;
        dispatches.list(commands)?;
        Ok::<_, Error>(dispatches.finish())
    })??;
    for submission in submissions {
        wait(opened, submission, options)?;
    }
    let mut report = RunReport::default();
    report.timestamps = times.read(opened)?;
    Ok(report)
}

/// Work that is on its way.
struct Submission {
    index: SubmissionIndex,
    /// Becomes true when it is done, where somebody may not wait for that.
    is_done: Option<Arc<AtomicBool>>,
}

/// Waits for a submission until the run is to end. What the device has begun goes on.
fn wait(opened: &Opened, submission: Submission, options: &RunOptions) -> Result<(), Error> {
    let Submission { index, is_done } = submission;
    let Some(is_done) = is_done else {
        let polled = opened.device.poll(PollType::Wait { submission_index: Some(index), timeout: None });
        opened.health.check()?;
        let Err(error) = polled else { return Ok(()) };
        // A submission that is not known was made on a device that is lost, which is the better answer.
        let _ = opened.device.poll(PollType::Poll);
        opened.health.check()?;
        return Err(Error::driver("waiting for a submission", error));
    };
    // wgpu's own wait with a timeout panics if another thread finds the queue empty in the meantime.
    let mut backoff = Backoff::new();
    loop {
        let _ = opened.device.poll(PollType::Poll);
        opened.health.check()?;
        if is_done.load(Ordering::Acquire) {
            return Ok(());
        }
        options.check()?;
        backoff.wait();
    }
}

/// Commands on their way into submissions.
pub(crate) struct Dispatches<'o> {
    opened: &'o Opened,
    options: &'o RunOptions,
    /// Held while commands are added, and not while the device is waited for.
    blocks: Option<MutexGuard<'o, Blocks>>,
    encoder: Option<CommandEncoder>,
    pass: Option<Pass>,
    commands: u32,
    submissions: VecDeque<Submission>,
    times: Timestamps,
    /// Whether the list may come again.
    is_repeated: bool,
    /// By their address: dispatches of lists that come again.
    prepared: HashMap<usize, Prepared>,
    /// Memory for bytes that are copied within a buffer.
    between: Option<wgpu::Buffer>,
}

/// A dispatch that is ready.
struct Prepared {
    /// What tells the group apart from others.
    key: Vec<u64>,
    group: BindGroup,
    lengths: Vec<u32>,
    grid: [u32; 3],
    /// The block and the workgroups of a grid that is one part, once it has run.
    only_part: Option<(BoundBlock, [u32; 3])>,
}

/// A pass, with what is set in it.
struct Pass {
    pass: ComputePass<'static>,
    pipeline: Option<u64>,
    /// The pipeline and the buffers of the group.
    key: Vec<u64>,
    block: Option<BoundBlock>,
}

impl Pass {
    /// Adds a dispatch, and sets what is not set yet.
    fn dispatch(&mut self, compiled: &Compiled, prepared: &Prepared, block: &BoundBlock, count: [u32; 3]) {
        if self.pipeline != Some(compiled.id) {
            self.pass.set_pipeline(&compiled.pipeline);
            self.pipeline = Some(compiled.id);
        }
        if self.key != prepared.key {
            self.pass.set_bind_group(BUFFER_GROUP, &prepared.group, &[]);
            self.key.clone_from(&prepared.key);
        }
        if self.block.as_ref() != Some(block) {
            self.pass.set_bind_group(DISPATCH_GROUP, &block.group, &[block.offset]);
            self.block = Some(block.clone());
        }
        let [x, y, z] = count;
        self.pass.dispatch_workgroups(x, y, z);
    }
}

fn bind_group<'b>(opened: &Opened, compiled: &Compiled, buffers: impl Iterator<Item = &'b wgpu::Buffer>) -> BindGroup {
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &compiled.layout, entries: &entries };
    opened.device.create_bind_group(&descriptor)
}

impl<'o> Dispatches<'o> {
    fn new(opened: &'o Opened, options: &'o RunOptions) -> Dispatches<'o> {
        Dispatches {
            opened,
            options,
            blocks: None,
            encoder: None,
            pass: None,
            commands: 0,
            submissions: VecDeque::new(),
            times: Timestamps::default(),
            is_repeated: false,
            prepared: HashMap::new(),
            between: None,
        }
    }

    fn blocks(&mut self) -> &mut Blocks {
        // Blocks are whole at every moment: one that is not written yet is pending.
        let lock = || self.opened.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        self.blocks.get_or_insert_with(lock)
    }

    /// Memory for bytes that are copied within a buffer. Commands are done one after the other, so they share it.
    pub(crate) fn between(&mut self, bytes: u64) -> Result<wgpu::Buffer, Error> {
        match &self.between {
            Some(buffer) if buffer.size() >= bytes => Ok(buffer.clone()),
            _ => {
                let buffer = self.opened.buffer(bytes, STORAGE_USAGES)?;
                self.between = Some(buffer.clone());
                Ok(buffer)
            }
        }
    }

    /// Submits what `work` adds, without waiting for it.
    pub(crate) fn submitted(
        opened: &Opened,
        work: impl FnOnce(&mut Dispatches<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let options = RunOptions::default();
        opened.caught("submitting a transfer", || {
            let mut dispatches = Dispatches::new(opened, &options);
            work(&mut dispatches)?;
            dispatches.submit();
            Ok(())
        })?
    }

    /// Adds the commands of a list. Lists nest as deep as the host has nested them, which is no input from outside.
    fn list(&mut self, list: &CommandList) -> Result<(), Error> {
        for command in list.commands() {
            self.command(command)?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), Error> {
        let opened = self.opened;
        match command {
            Command::Dispatch { pipeline, bindings, grid } => {
                let compiled = pipeline.code::<Compiled>(self.opened.id)?;
                // A command that is repeated is made ready once; lists are borrowed for the run, so it stays where it is.
                let command = std::ptr::from_ref(command).addr();
                let mut prepared = match self.prepared.remove(&command) {
                    Some(prepared) => prepared,
                    None => self.prepare(pipeline, bindings, *grid)?,
                };
                self.dispatch(compiled, &mut prepared)?;
                if self.is_repeated {
                    self.prepared.insert(command, prepared);
                }
            }
            Command::Fill { buffer, offset, length, byte } => {
                let target: &Storage = buffer.contents(opened.id)?;
                self.next_command()?;
                fill(opened, self, target, buffer.size(), (*offset, *length), *byte)?;
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                let from = (source.contents::<Storage>(opened.id)?, source.size(), *source_offset);
                let to = (target.contents::<Storage>(opened.id)?, target.size(), *target_offset);
                self.next_command()?;
                copy(opened, self, from, to, *length)?;
            }
            Command::Timestamp => {
                self.next_command()?;
                self.timestamp()?;
            }
            Command::Repeat { count, commands } => {
                // What does nothing is repeated in no time.
                let count = if commands.is_noop() { 0 } else { *count };
                let was_repeated = std::mem::replace(&mut self.is_repeated, true);
                for _ in 0..count {
                    self.list(commands)?;
                }
                self.is_repeated = was_repeated;
            }
            // Commands that are not known cannot be left out.
            _ => return Err(Error::UnsupportedCommand),
        }
        Ok(())
    }

    /// Makes a dispatch ready.
    fn prepare(&mut self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<Prepared, Error> {
        let compiled = pipeline.code::<Compiled>(self.opened.id)?;
        let mut lengths = Vec::with_capacity(compiled.elements.len());
        let mut storages = Vec::with_capacity(compiled.elements.len());
        for (decl, &element) in pipeline.interface().buffers.iter().zip(&compiled.elements) {
            let buffer = bindings.get(decl.binding).ok_or(Error::ForeignObject)?;
            lengths.push(element_count(buffer.size(), element));
            let storage: &Storage = buffer.contents(self.opened.id)?;
            storages.push((storage.id, &storage.buffer));
        }
        let bound: Vec<(u64, &wgpu::Buffer)> = compiled.bound.iter().map(|bound| storages[bound.position]).collect();
        let mut key = vec![compiled.id];
        key.extend(bound.iter().map(|(id, _)| id));
        let make = || bind_group(self.opened, compiled, bound.iter().map(|&(_, buffer)| buffer));
        let group = self.opened.groups.get(&key, make);
        Ok(Prepared { key, group, lengths, grid, only_part: None })
    }

    /// A dispatch of a program of the device itself, whose buffers it may use up to their padded end.
    pub(crate) fn dispatch_moved(
        &mut self,
        compiled: &Compiled,
        buffers: &[&wgpu::Buffer],
        grid: [u32; 3],
    ) -> Result<(), Error> {
        let sizes = buffers.iter().zip(&compiled.elements);
        let lengths: Vec<u32> = sizes.map(|(buffer, &element)| element_count(buffer.size(), element)).collect();
        let group = bind_group(self.opened, compiled, compiled.bound.iter().map(|bound| buffers[bound.position]));
        // Some of the buffers are gone when this is done, so the group is not kept.
        let key = vec![self.opened.groups.fresh_id()];
        self.dispatch(compiled, &mut Prepared { key, group, lengths, grid, only_part: None })
    }

    /// Adds a dispatch, in as many parts as the adapter needs.
    fn dispatch(&mut self, compiled: &Compiled, prepared: &mut Prepared) -> Result<(), Error> {
        if let Some((block, count)) = &prepared.only_part {
            self.next_command()?;
            self.pass().dispatch(compiled, prepared, block, *count);
            return Ok(());
        }
        let opened = self.opened;
        let most = opened.limits.max_compute_workgroups_per_dimension.max(1);
        for part in fold_grid(prepared.grid, compiled.workgroup_size, most) {
            self.next_command()?;
            let block = DispatchBlock::new(prepared.grid, part, compiled.workgroup_size, &prepared.lengths);
            let block = self.blocks().place(&opened.device, &opened.queue, block, prepared.lengths.len());
            self.pass().dispatch(compiled, prepared, &block, part.count);
            if part.count == prepared.grid {
                prepared.only_part = Some((block, part.count));
            }
        }
        Ok(())
    }

    fn timestamp(&mut self) -> Result<(), Error> {
        if self.opened.has_timestamps {
            self.pass = None;
            let encoder = self.encoder.get_or_insert_with(|| new_encoder(self.opened));
            self.times.on_device(self.opened, encoder);
            return Ok(());
        }
        self.submit();
        self.wait_for_all()?;
        self.times.on_host();
        Ok(())
    }

    fn pass(&mut self) -> &mut Pass {
        let encoder = self.encoder.get_or_insert_with(|| new_encoder(self.opened));
        self.pass.get_or_insert_with(|| {
            let pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime();
            Pass { pass, pipeline: None, key: Vec::new(), block: None }
        })
    }

    /// What takes copies and fills, after the dispatches so far.
    pub(crate) fn encoder(&mut self) -> &mut CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| new_encoder(self.opened))
    }

    /// Makes room for a command.
    fn next_command(&mut self) -> Result<(), Error> {
        self.commands += 1;
        if self.commands > MOST_COMMANDS {
            // Drivers may keep the host waiting in a second submission, where it cannot look at the clock.
            self.wait_for_all()?;
            self.submit();
            self.commands = 1;
            self.options.check()?;
        }
        Ok(())
    }

    /// Waits for everything that was submitted, and lets other runs go on meanwhile.
    fn wait_for_all(&mut self) -> Result<(), Error> {
        if !self.submissions.is_empty() {
            // What others submit now must find the blocks of this run written, as theirs are.
            let queue = &self.opened.queue;
            self.blocks().flush(queue);
            self.blocks = None;
        }
        while let Some(submission) = self.submissions.pop_front() {
            wait(self.opened, submission, self.options)?;
        }
        Ok(())
    }

    /// Sends what there is on its way.
    fn submit(&mut self) {
        self.pass = None;
        if let Some(encoder) = self.encoder.take() {
            let queue = &self.opened.queue;
            self.blocks().flush(queue);
            let index = queue.submit([encoder.finish()]);
            let is_done = self.options.can_stop().then(|| {
                let is_done = Arc::new(AtomicBool::new(false));
                let told = Arc::clone(&is_done);
                queue.on_submitted_work_done(move || told.store(true, Ordering::Release));
                is_done
            });
            self.submissions.push_back(Submission { index, is_done });
        }
    }

    fn finish(mut self) -> (VecDeque<Submission>, Timestamps) {
        self.pass = None;
        let mut times = std::mem::take(&mut self.times);
        if times.are_on_device() {
            let encoder = self.encoder.get_or_insert_with(|| new_encoder(self.opened));
            times.collect(self.opened, encoder);
        }
        self.submit();
        (self.submissions, times)
    }
}
