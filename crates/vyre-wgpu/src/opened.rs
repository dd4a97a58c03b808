//! An adapter that is in use.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

use vyre_runtime::shell::GpuOptions;
use vyre_runtime::{DeviceId, Error};
use wgpu::{Adapter, BindGroupLayout, Device, Features, Limits, Queue};

use crate::bind::BindGroups;
use crate::blocks::Blocks;
use crate::emit::{Abilities, DISPATCH_BINDING};
use crate::failure::{Health, caught};
use crate::store::CompiledStore;
use crate::transfer::ByteMover;

/// An adapter that is in use.
pub(crate) struct Opened {
    pub(crate) id: DeviceId,
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    pub(crate) health: Health,
    pub(crate) limits: Limits,
    pub(crate) abilities: Abilities,
    /// Whether the device takes the time by itself.
    pub(crate) has_timestamps: bool,
    pub(crate) groups: BindGroups,
    pub(crate) dispatch_layout: BindGroupLayout,
    /// Held from the first command of a submission to its end.
    pub(crate) blocks: Mutex<Blocks>,
    pub(crate) store: Option<CompiledStore>,
    /// About how many bytes were written since they last had to be waited for.
    pub(crate) staged: AtomicU64,
    pub(crate) byte_mover: OnceLock<Result<Arc<ByteMover>, Error>>,
}

/// What is asked for where an adapter has it.
const WANTED: Features = Features::SHADER_INT64
    .union(Features::TIMESTAMP_QUERY)
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(Features::PIPELINE_CACHE);

const TIMESTAMPS: Features = Features::TIMESTAMP_QUERY.union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

impl Opened {
    pub(crate) fn new(id: DeviceId, adapter: &Adapter, options: &GpuOptions) -> Result<Opened, Error> {
        let features = adapter.features() & WANTED;
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
        let blocks = Blocks::new(dispatch_layout.clone(), limits.min_uniform_buffer_offset_alignment);
        let store = match &options.cache_folder {
            Some(folder) if features.contains(Features::PIPELINE_CACHE) => {
                CompiledStore::open(&device, &adapter.get_info(), folder)
            }
            _ => None,
        };
        Ok(Opened {
            id,
            health,
            abilities: Abilities { int64: features.contains(Features::SHADER_INT64) },
            has_timestamps: features.contains(TIMESTAMPS),
            groups: BindGroups::default(),
            dispatch_layout,
            blocks: Mutex::new(blocks),
            store,
            staged: AtomicU64::new(0),
            byte_mover: OnceLock::new(),
            limits,
            device,
            queue,
        })
    }

    /// Runs `work` and returns the first error that wgpu reports meanwhile.
    pub(crate) fn caught<T>(&self, call: &'static str, work: impl FnOnce() -> T) -> Result<T, Error> {
        caught(&self.device, &self.health, call, || {
            let result = work();
            // That a device is lost is told when it is asked, and nothing else of what a lost device is told to do.
            let _ = self.device.poll(wgpu::PollType::Poll);
            result
        })
    }

    /// A buffer of zeros.
    pub(crate) fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Error> {
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let created = self.caught("creating a buffer", || self.device.create_buffer(&descriptor));
        created.map_err(|error| match error {
            Error::OutOfMemory { memory, free, .. } => Error::OutOfMemory { memory, bytes: Some(size), free },
            error => error,
        })
    }
}
