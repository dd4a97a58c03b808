//! The hand-written side: wgpu without vyre.

use std::borrow::Cow;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use wgpu::{
    AdapterInfo, Backends, BindGroup, Buffer, BufferUsages, CommandEncoder, ComputePipeline, ErrorFilter, Features,
    Instance, InstanceDescriptor, InstanceFlags, PollType, QuerySet, ShaderModule, ShaderRuntimeChecks,
};

use super::checks::Checks;
use super::grid::{parts, plane};
use super::workload::{Shader, Spread, WORKGROUP_SIZE};
use crate::error::Error;

/// Device and queue, with timestamp queries if the device has them.
pub struct BareDevice {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    queries: Option<Queries>,
}

/// Two timestamps and the buffers that receive them.
struct Queries {
    set: QuerySet,
    resolved: Buffer,
    staging: Buffer,
}

/// Bytes of two timestamps.
const TIMESTAMPS_BYTES: u64 = 16;

/// Bytes that are read at a time; a multiple of the words of a workgroup.
const CHUNK_BYTES: u64 = 1 << 26;

/// Stride of the uniform of a dispatch, which is a valid offset on every adapter.
const PART_STRIDE_BYTES: u64 = 256;

const TIMESTAMPS: Features = Features::TIMESTAMP_QUERY.union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

impl BareDevice {
    /// Opens the adapter with this description; `nth` selects one of several with equal descriptions.
    ///
    /// # Errors
    ///
    /// There is no such adapter, or it cannot be opened.
    pub fn open(info: &AdapterInfo, nth: usize) -> Result<BareDevice, Error> {
        let mut descriptor = InstanceDescriptor::new_without_display_handle();
        descriptor.backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
        // As in the backend: neither validation layers nor debug names.
        descriptor.flags = InstanceFlags::empty();
        let adapters = pollster::block_on(Instance::new(descriptor).enumerate_adapters(Backends::all()));
        let count = adapters.len();
        let mut same = adapters.into_iter().filter(|adapter| adapter.get_info() == *info);
        let missing = || Error::unavailable(format!("wgpu has {count} adapters, and none with this description"));
        let adapter = same.nth(nth).ok_or_else(missing)?;
        let descriptor = wgpu::DeviceDescriptor {
            label: None,
            required_features: adapter.features() & (TIMESTAMPS | Features::SUBGROUP),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(failed)?;
        let mut bare = BareDevice { device, queue, queries: None };
        if bare.device.features().contains(TIMESTAMPS) {
            bare.queries = Some(Queries {
                set: bare.device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: None,
                    ty: wgpu::QueryType::Timestamp,
                    count: 2,
                }),
                resolved: bare.buffer(TIMESTAMPS_BYTES, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?,
                staging: bare.buffer(TIMESTAMPS_BYTES, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
            });
        }
        Ok(bare)
    }

    /// True if the device has timestamp queries.
    #[must_use]
    pub fn has_timestamps(&self) -> bool {
        self.queries.is_some()
    }

    /// True if shaders may use subgroups.
    #[must_use]
    pub fn has_subgroups(&self) -> bool {
        self.device.features().contains(Features::SUBGROUP)
    }

    /// Maximum size of a storage buffer.
    #[must_use]
    pub fn max_buffer_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)
    }

    /// Runs `work` and returns the errors that wgpu reports meanwhile.
    fn with_error_scopes<T>(&self, work: impl FnOnce() -> T) -> Result<T, Error> {
        let filters = [ErrorFilter::OutOfMemory, ErrorFilter::Validation, ErrorFilter::Internal];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let result = work();
        let errors = scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop()));
        match errors.collect::<Vec<_>>().first() {
            Some(error) => Err(failed(error)),
            None => Ok(result),
        }
    }

    pub(super) fn buffer(&self, size: u64, usage: BufferUsages) -> Result<Buffer, Error> {
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.with_error_scopes(|| self.device.create_buffer(&descriptor))
    }

    /// Submits the commands of `encode` and waits for them.
    pub(super) fn run(&self, encode: impl FnOnce(&mut CommandEncoder)) -> Result<(), Error> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encode(&mut encoder);
        let submission = self.queue.submit([encoder.finish()]);
        self.device.poll(PollType::Wait { submission_index: Some(submission), timeout: None }).map_err(failed)?;
        Ok(())
    }

    /// Time of the commands of `encode`, by timestamps of the device, or by the clock of the host if it has none.
    pub(super) fn time(&self, encode: impl FnOnce(&mut CommandEncoder)) -> Result<Duration, Error> {
        let Some(Queries { set, resolved, staging }) = &self.queries else {
            let start = Instant::now();
            self.run(encode)?;
            return Ok(start.elapsed());
        };
        self.run(|encoder| {
            encoder.write_timestamp(set, 0);
            encode(encoder);
            encoder.write_timestamp(set, 1);
            encoder.resolve_query_set(set, 0..2, resolved, 0);
            encoder.copy_buffer_to_buffer(resolved, 0, staging, 0, Some(TIMESTAMPS_BYTES));
        })?;
        let mut ticks = Vec::new();
        self.with_mapped(staging, TIMESTAMPS_BYTES, |bytes| {
            let tick = |bytes: &[u8]| bytes.iter().rev().fold(0, |tick, &byte| tick << 8 | u64::from(byte));
            ticks.extend(bytes.chunks_exact(8).map(tick));
        })?;
        let ticks = match ticks[..] {
            [before, after] => after.saturating_sub(before),
            _ => 0,
        };
        Ok(Duration::from_nanos((ticks as f64 * f64::from(self.queue.get_timestamp_period())) as u64))
    }

    /// Calls `visit` with the contents of a buffer in parts, each with the offset of its first byte.
    pub(super) fn read(&self, buffer: &Buffer, mut visit: impl FnMut(u64, &[u8])) -> Result<(), Error> {
        let staged = CHUNK_BYTES.min(buffer.size());
        let staging = self.buffer(staged, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let mut at = 0;
        while at < buffer.size() {
            let count = staged.min(buffer.size() - at);
            self.run(|encoder| encoder.copy_buffer_to_buffer(buffer, at, &staging, 0, Some(count)))?;
            self.with_mapped(&staging, count, |bytes| visit(at, bytes))?;
            at += count;
        }
        Ok(())
    }

    fn with_mapped(&self, buffer: &Buffer, size: u64, visit: impl FnOnce(&[u8])) -> Result<(), Error> {
        let (sender, receiver) = mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, ..size, move |outcome| {
            // The receiver is gone only if waiting has failed.
            let _ = sender.send(outcome);
        });
        self.device.poll(PollType::wait_indefinitely()).map_err(failed)?;
        receiver.recv().map_err(failed)?.map_err(failed)?;
        let view = buffer.get_mapped_range(..size).map_err(failed)?;
        visit(&view);
        drop(view);
        buffer.unmap();
        Ok(())
    }

    #[expect(unsafe_code, reason = "hand-written shaders are measured with and without the checks of wgpu")]
    fn shader_module(&self, source: &'static str, checks: Checks) -> ShaderModule {
        let source = wgpu::ShaderSource::Wgsl(Cow::Borrowed(source));
        let descriptor = wgpu::ShaderModuleDescriptor { label: None, source };
        if checks != Checks::Own {
            return self.device.create_shader_module(descriptor);
        }
        // SAFETY: the shaders are those of this crate. They compare each index with the length of a buffer; if a shader has
        // two buffers, both have the same length, and there is a bin for each value of a byte. Indices into workgroup memory are
        // below its size, loops end at a constant bound, and nothing is divided.
        unsafe { self.device.create_shader_module_trusted(descriptor, ShaderRuntimeChecks::unchecked()) }
    }

    pub(super) fn pipeline(&self, source: &'static str, checks: Checks) -> Result<ComputePipeline, Error> {
        self.with_error_scopes(|| {
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &self.shader_module(source, checks),
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // The shaders write workgroup memory before they read it.
                    zero_initialize_workgroup_memory: checks != Checks::Own,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            })
        })
    }

    pub(super) fn bind_group(
        &self,
        pipeline: &ComputePipeline,
        group: u32,
        bindings: &[wgpu::BindingResource<'_>],
    ) -> Result<BindGroup, Error> {
        let entries: Vec<_> = (0..)
            .zip(bindings)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        self.with_error_scopes(|| {
            let layout = pipeline.get_bind_group_layout(group);
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            self.device.create_bind_group(&descriptor)
        })
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Wgpu { message: error.to_string().split_whitespace().collect::<Vec<_>>().join(" ") }
}

/// Shader with its buffers and its grid.
pub(super) struct BareKernel {
    pipeline: ComputePipeline,
    buffers: BindGroup,
    launches: Vec<Launch>,
}

/// One dispatch.
struct Launch {
    /// Uniform with the first invocation, for shaders that have it.
    first_invocation: Option<BindGroup>,
    grid: [u32; 2],
}

impl BareKernel {
    /// Builds a shader for an input of `words` words.
    pub(super) fn new(
        bare: &BareDevice,
        shader: &Shader,
        checks: Checks,
        [input, result]: [&Buffer; 2],
        words: usize,
    ) -> Result<BareKernel, Error> {
        let pipeline = bare.pipeline(shader.source, checks)?;
        let buffers = bare.bind_group(&pipeline, 0, &[input.as_entire_binding(), result.as_entire_binding()])?;
        let workgroups = u32::try_from(words.div_ceil((WORKGROUP_SIZE * shader.words) as usize)).unwrap_or(u32::MAX);
        let max_workgroups = bare.device.limits().max_compute_workgroups_per_dimension;
        let launches = match shader.spread {
            Spread::Plane => vec![Launch { first_invocation: None, grid: plane(workgroups, max_workgroups) }],
            Spread::Parts => {
                let parts = parts(workgroups, max_workgroups);
                let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
                let numbers = bare.buffer(parts.len() as u64 * PART_STRIDE_BYTES, usage)?;
                let launch = |(position, (first, count)): (u64, (u32, u32))| {
                    let offset = position * PART_STRIDE_BYTES;
                    bare.queue.write_buffer(&numbers, offset, &(first * WORKGROUP_SIZE).to_le_bytes());
                    let binding = wgpu::BufferBinding { buffer: &numbers, offset, size: wgpu::BufferSize::new(4) };
                    let first_invocation = bare.bind_group(&pipeline, 1, &[wgpu::BindingResource::Buffer(binding)])?;
                    Ok(Launch { first_invocation: Some(first_invocation), grid: [count, 1] })
                };
                (0..).zip(parts).map(launch).collect::<Result<_, Error>>()?
            }
        };
        Ok(BareKernel { pipeline, buffers, launches })
    }

    /// Encodes `runs` runs in one pass.
    pub(super) fn encode(&self, encoder: &mut CommandEncoder, runs: u32) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.buffers, &[]);
        for _ in 0..runs {
            for Launch { first_invocation, grid: [x, y] } in &self.launches {
                if let Some(first_invocation) = first_invocation {
                    pass.set_bind_group(1, first_invocation, &[]);
                }
                pass.dispatch_workgroups(*x, *y, 1);
            }
        }
    }
}
