//! Recorder: dispatches, copies and timestamps into command buffers, and their submission.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use vyre_runtime::shell::{Backoff, fold_grid};
use vyre_runtime::{Error, RunOptions, element_count};
use wgpu::{BindGroup, CommandEncoder, ComputePass, PollType, SubmissionIndex};

use crate::buffer::STORAGE_USAGES;
use crate::compile::CompiledProgram;
use crate::dispatch_blocks::{BoundBlock, DispatchBlocks};
use crate::emit::{BUFFER_GROUP, DISPATCH_GROUP, DispatchBlock};
use crate::handles::GpuHandles;
use crate::timestamps::Timestamps;

/// Maximum number of commands of a submission. It bounds the memory of command buffers and the time between two checks of
/// the deadline.
const MAX_SUBMISSION_COMMANDS: u32 = 1 << 14;

/// Submitted commands.
pub(crate) struct Submission {
    index: SubmissionIndex,
    /// Set on completion; exists only if the run can stop.
    is_done: Option<Arc<AtomicBool>>,
}

impl Submission {
    /// Waits for completion, or until the run stops. The device completes submitted work in either case.
    pub(crate) fn wait(self, gpu: &GpuHandles, options: &RunOptions) -> Result<(), Error> {
        let Submission { index, is_done } = self;
        let Some(is_done) = is_done else {
            let polled = gpu.device.poll(PollType::Wait { submission_index: Some(index), timeout: None });
            gpu.health.check()?;
            let Err(error) = polled else { return Ok(()) };
            // A lost device does not know the submission; its loss is the better error.
            let _ = gpu.device.poll(PollType::Poll);
            gpu.health.check()?;
            return Err(Error::driver("waiting for a submission", error));
        };
        // wgpu's own wait with a timeout panics if another thread empties the queue meanwhile.
        let mut backoff = Backoff::new();
        loop {
            let _ = gpu.device.poll(PollType::Poll);
            gpu.health.check()?;
            if is_done.load(Ordering::Acquire) {
                return Ok(());
            }
            options.check()?;
            backoff.wait();
        }
    }
}

/// Recorder of the commands of a run.
pub(crate) struct Recorder<'g> {
    pub(crate) gpu: &'g GpuHandles,
    options: &'g RunOptions,
    /// Submission lock, held while commands are recorded and released while the run waits for the device.
    blocks: Option<MutexGuard<'g, DispatchBlocks>>,
    encoder: Option<CommandEncoder>,
    pass: Option<OpenPass>,
    /// Number of commands since the last submission.
    commands: u32,
    submissions: VecDeque<Submission>,
    times: Timestamps,
    /// Intermediate memory of copies within a buffer.
    scratch: Option<wgpu::Buffer>,
}

/// Dispatch with its bind group.
pub(crate) struct PreparedDispatch {
    /// Key of the bind group.
    key: Vec<u64>,
    group: BindGroup,
    lengths: Vec<u32>,
    grid: [u32; 3],
    /// Block and workgroups of a grid of one part, after its first dispatch.
    only_part: Option<(BoundBlock, [u32; 3])>,
}

/// Compute pass and its current state.
struct OpenPass {
    pass: ComputePass<'static>,
    pipeline: Option<u64>,
    /// Key of the bind group of buffers.
    key: Vec<u64>,
    block: Option<BoundBlock>,
}

impl OpenPass {
    /// Records a dispatch, and the state that differs from the current one.
    fn dispatch(
        &mut self,
        compiled: &CompiledProgram,
        prepared: &PreparedDispatch,
        block: &BoundBlock,
        count: [u32; 3],
    ) {
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

impl PreparedDispatch {
    /// Prepares a dispatch with a cached bind group. `buffers` are the ids and handles of the accessed buffers, by binding.
    pub(crate) fn cached(
        gpu: &GpuHandles,
        compiled: &CompiledProgram,
        buffers: &[(u64, &wgpu::Buffer)],
        lengths: Vec<u32>,
        grid: [u32; 3],
    ) -> PreparedDispatch {
        let mut key = vec![compiled.id];
        key.extend(buffers.iter().map(|(id, _)| id));
        let group = gpu.groups.get(&key, || bind_group(gpu, compiled, buffers.iter().map(|&(_, buffer)| buffer)));
        PreparedDispatch { key, group, lengths, grid, only_part: None }
    }

    /// Prepares a dispatch of a program of the backend. `buffers` are those of the program, in its order; it may access
    /// them up to their padded end. They may be temporary, so the bind group is not cached.
    pub(crate) fn uncached(
        gpu: &GpuHandles,
        compiled: &CompiledProgram,
        buffers: &[&wgpu::Buffer],
        grid: [u32; 3],
    ) -> PreparedDispatch {
        let sizes = buffers.iter().zip(&compiled.elements);
        let lengths = sizes.map(|(buffer, &element)| element_count(buffer.size(), element)).collect();
        let group = bind_group(gpu, compiled, compiled.bound.iter().map(|bound| buffers[bound.position]));
        PreparedDispatch { key: vec![gpu.groups.fresh_id()], group, lengths, grid, only_part: None }
    }
}

fn bind_group<'b>(
    gpu: &GpuHandles,
    compiled: &CompiledProgram,
    buffers: impl Iterator<Item = &'b wgpu::Buffer>,
) -> BindGroup {
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &compiled.layout, entries: &entries };
    gpu.device.create_bind_group(&descriptor)
}

impl<'g> Recorder<'g> {
    pub(crate) fn new(gpu: &'g GpuHandles, options: &'g RunOptions) -> Recorder<'g> {
        Recorder {
            gpu,
            options,
            blocks: None,
            encoder: None,
            pass: None,
            commands: 0,
            submissions: VecDeque::new(),
            times: Timestamps::default(),
            scratch: None,
        }
    }

    fn blocks(&mut self) -> &mut DispatchBlocks {
        // A panic of another thread leaves the blocks consistent: a block that is not uploaded is pending.
        let lock = || self.gpu.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        self.blocks.get_or_insert_with(lock)
    }

    /// Intermediate memory of copies within a buffer. Commands run in order, so all copies share it.
    pub(crate) fn scratch(&mut self, bytes: u64) -> Result<wgpu::Buffer, Error> {
        match &self.scratch {
            Some(buffer) if buffer.size() >= bytes => Ok(buffer.clone()),
            _ => {
                let buffer = self.gpu.buffer(bytes, STORAGE_USAGES)?;
                self.scratch = Some(buffer.clone());
                Ok(buffer)
            }
        }
    }

    /// Records a dispatch, in as many parts as the limits of the adapter require.
    pub(crate) fn dispatch(
        &mut self,
        compiled: &CompiledProgram,
        prepared: &mut PreparedDispatch,
    ) -> Result<(), Error> {
        if let Some((block, count)) = &prepared.only_part {
            self.reserve_command()?;
            self.pass().dispatch(compiled, prepared, block, *count);
            return Ok(());
        }
        let gpu = self.gpu;
        let max_workgroups = gpu.limits.max_compute_workgroups_per_dimension.max(1);
        for part in fold_grid(prepared.grid, compiled.workgroup_size, max_workgroups) {
            self.reserve_command()?;
            let block = DispatchBlock::new(prepared.grid, part, compiled.workgroup_size, &prepared.lengths);
            let block = self.blocks().insert(&gpu.device, &gpu.queue, block, prepared.lengths.len());
            self.pass().dispatch(compiled, prepared, &block, part.count);
            if part.count == prepared.grid {
                prepared.only_part = Some((block, part.count));
            }
        }
        Ok(())
    }

    /// Records a timestamp.
    pub(crate) fn timestamp(&mut self) -> Result<(), Error> {
        if self.gpu.has_timestamps {
            self.pass = None;
            let encoder = self.encoder.get_or_insert_with(|| self.gpu.new_encoder());
            self.times.on_device(self.gpu, encoder);
            return Ok(());
        }
        self.submit();
        self.wait_for_all()?;
        self.times.on_host();
        Ok(())
    }

    fn pass(&mut self) -> &mut OpenPass {
        let encoder = self.encoder.get_or_insert_with(|| self.gpu.new_encoder());
        self.pass.get_or_insert_with(|| {
            let pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime();
            OpenPass { pass, pipeline: None, key: Vec::new(), block: None }
        })
    }

    /// Encoder for copies and fills, after the dispatches so far.
    pub(crate) fn encoder(&mut self) -> &mut CommandEncoder {
        self.pass = None;
        self.encoder.get_or_insert_with(|| self.gpu.new_encoder())
    }

    /// Counts a command, and submits the earlier ones if the submission is full.
    pub(crate) fn reserve_command(&mut self) -> Result<(), Error> {
        self.commands += 1;
        if self.commands > MAX_SUBMISSION_COMMANDS {
            // Drivers may block the host in a second submission, where it cannot check the deadline.
            self.wait_for_all()?;
            self.submit();
            self.commands = 1;
            self.options.check()?;
        }
        Ok(())
    }

    /// Waits for all submissions, without the submission lock.
    fn wait_for_all(&mut self) -> Result<(), Error> {
        if !self.submissions.is_empty() {
            // Submissions of other runs must not find pending blocks.
            let queue = &self.gpu.queue;
            self.blocks().flush(queue);
            self.blocks = None;
        }
        while let Some(submission) = self.submissions.pop_front() {
            submission.wait(self.gpu, self.options)?;
        }
        Ok(())
    }

    /// Submits the recorded commands.
    pub(crate) fn submit(&mut self) {
        self.pass = None;
        if let Some(encoder) = self.encoder.take() {
            let queue = &self.gpu.queue;
            self.blocks().flush(queue);
            let index = queue.submit([encoder.finish()]);
            let is_done = self.options.can_stop().then(|| {
                let is_done = Arc::new(AtomicBool::new(false));
                let signal = Arc::clone(&is_done);
                queue.on_submitted_work_done(move || signal.store(true, Ordering::Release));
                is_done
            });
            self.submissions.push_back(Submission { index, is_done });
        }
    }

    /// Submits the recorded commands and returns the submissions that are not complete.
    pub(crate) fn finish(mut self) -> (VecDeque<Submission>, Timestamps) {
        self.pass = None;
        let mut times = std::mem::take(&mut self.times);
        if times.are_on_device() {
            let encoder = self.encoder.get_or_insert_with(|| self.gpu.new_encoder());
            times.collect(self.gpu, encoder);
        }
        self.submit();
        (self.submissions, times)
    }
}
