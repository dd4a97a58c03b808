//! Handles of an open adapter: the wgpu device and queue, and the caches that belong to them.

use std::sync::{Mutex, MutexGuard};

use vyre_runtime::shell::GpuOptions;
use vyre_runtime::{DeviceId, Error};
use wgpu::{Adapter, BindGroupLayout, BufferUsages, CommandEncoder, Device, Features, Limits, Queue, SubmissionIndex};

use crate::bind_groups::BindGroupCache;
use crate::buffer::STORAGE_USAGES;
use crate::dispatch_blocks::DispatchBlocks;
use crate::emit::{DISPATCH_BINDING, ShaderFeatures};
use crate::health::{Health, caught};
use crate::pipeline_store::PipelineStore;
use crate::staging_memory::{StagingMemory, lock};

/// Handles of an open adapter.
pub(crate) struct GpuHandles {
    pub(crate) id: DeviceId,
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    pub(crate) health: Health,
    pub(crate) limits: Limits,
    pub(crate) shader_features: ShaderFeatures,
    /// Usages of the buffers of programs.
    pub(crate) storage_usages: BufferUsages,
    /// True if the device records timestamps. Otherwise the host does.
    pub(crate) has_timestamps: bool,
    pub(crate) groups: BindGroupCache,
    pub(crate) dispatch_layout: BindGroupLayout,
    /// Dispatch blocks. Their mutex is the submission lock: a run holds it while it records and submits commands.
    pub(crate) blocks: Mutex<DispatchBlocks>,
    pub(crate) store: Option<PipelineStore>,
    pub(crate) staging: StagingMemory,
}

/// Features that the backend uses where an adapter has them.
const OPTIONAL_FEATURES: Features = Features::SHADER_INT64
    .union(Features::TIMESTAMP_QUERY)
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(Features::PIPELINE_CACHE);

/// Features that timestamps of the device need.
const TIMESTAMPS: Features = Features::TIMESTAMP_QUERY.union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

impl GpuHandles {
    /// Opens an adapter.
    ///
    /// `mappable` are the usages that let the host map the buffers of programs, if any.
    pub(crate) fn new(
        id: DeviceId,
        adapter: &Adapter,
        options: &GpuOptions,
        mappable: BufferUsages,
    ) -> Result<GpuHandles, Error> {
        let mut features = adapter.features() & OPTIONAL_FEATURES;
        features.set(Features::MAPPABLE_PRIMARY_BUFFERS, !mappable.is_empty());
        let descriptor = wgpu::DeviceDescriptor {
            label: None,
            required_features: features,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| Error::driver("requesting the device", error))?;
        let health = Health::default();
        health.watch(&device);
        let dispatch_layout = caught(&device, &health, "creating a bind group layout", || {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: DISPATCH_BINDING,
                    visibility: wgpu::ShaderStages::COMPUTE,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: true,
                        min_binding_size: None,
                    },
                    count: None,
                }],
            })
        })?;
        let limits = device.limits();
        let backend = adapter.get_info().backend;
        let blocks = DispatchBlocks::new(dispatch_layout.clone(), limits.min_uniform_buffer_offset_alignment);
        let store = match &options.cache_folder {
            Some(folder) if features.contains(Features::PIPELINE_CACHE) => {
                PipelineStore::open(&device, &adapter.get_info(), folder)
            }
            _ => None,
        };
        Ok(GpuHandles {
            id,
            health,
            shader_features: ShaderFeatures {
                int64: features.contains(Features::SHADER_INT64),
                uniform_loads: backend == wgpu::Backend::BrowserWebGpu,
                split_blocks: backend == wgpu::Backend::Metal,
            },
            storage_usages: STORAGE_USAGES | mappable,
            has_timestamps: features.contains(TIMESTAMPS),
            groups: BindGroupCache::default(),
            dispatch_layout,
            blocks: Mutex::new(blocks),
            store,
            staging: StagingMemory::new(),
            limits,
            device,
            queue,
        })
    }

    /// Runs `work` and returns the first error that wgpu reports meanwhile.
    pub(crate) fn caught<T>(&self, call: &'static str, work: impl FnOnce() -> T) -> Result<T, Error> {
        caught(&self.device, &self.health, call, || {
            let result = work();
            // A lost device accepts calls without errors; polling runs the callback that reports the loss.
            let _ = self.device.poll(wgpu::PollType::Poll);
            result
        })
    }

    /// Creates a buffer of zeros.
    pub(crate) fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Error> {
        self.new_buffer(size, usage, false)
    }

    /// Creates a buffer of zeros that is mapped.
    pub(crate) fn mapped_buffer(&self, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Error> {
        self.new_buffer(size, usage, true)
    }

    fn new_buffer(
        &self,
        size: u64,
        usage: wgpu::BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<wgpu::Buffer, Error> {
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation };
        let created = self.caught("creating a buffer", || self.device.create_buffer(&descriptor));
        created.map_err(|error| match error {
            Error::OutOfMemory { memory, free, .. } => Error::OutOfMemory { memory, bytes: Some(size), free },
            error => error,
        })
    }

    pub(crate) fn new_encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
    }

    /// Submits the commands of a transfer.
    pub(crate) fn submit(&self, encoder: CommandEncoder) -> SubmissionIndex {
        let _mappings = self.exclude_mappings();
        self.queue.submit([encoder.finish()])
    }

    /// Excludes mappings of the buffers of programs, which must not be in a submission. Devices whose buffers are never mapped need no lock.
    pub(crate) fn exclude_mappings(&self) -> Option<MutexGuard<'_, DispatchBlocks>> {
        (self.storage_usages != STORAGE_USAGES).then(|| lock(&self.blocks))
    }
}
