//! Timestamps: times at which a run reaches its timestamp commands.

use std::time::Instant;

use vyre_runtime::Error;
use wgpu::{BufferUsages, CommandEncoder, QuerySet, QueryType};

use crate::handles::GpuHandles;
use crate::staging::with_mapped;

/// Timestamps of a run, recorded by the device, or by the host if the device has none.
#[derive(Default)]
pub(crate) struct Timestamps {
    sets: Vec<QuerySet>,
    count: usize,
    on_host: Vec<Instant>,
    /// Readable copies of the query sets.
    staging: Vec<wgpu::Buffer>,
}

/// Number of timestamps of a query set.
const SET_SIZE: usize = wgpu::QUERY_SET_MAX_QUERIES as usize;

impl Timestamps {
    /// Records a timestamp of the device.
    pub(crate) fn on_device(&mut self, gpu: &GpuHandles, encoder: &mut CommandEncoder) {
        let (set, at) = (self.count / SET_SIZE, self.count % SET_SIZE);
        if set == self.sets.len() {
            self.sets.push(gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: QueryType::Timestamp,
                count: SET_SIZE as u32,
            }));
        }
        encoder.write_timestamp(&self.sets[set], at as u32);
        self.count += 1;
    }

    /// True if the device has recorded timestamps.
    pub(crate) fn are_on_device(&self) -> bool {
        self.count > 0
    }

    /// Records a timestamp of the host, which must have waited for the device.
    pub(crate) fn on_host(&mut self) {
        self.on_host.push(Instant::now());
    }

    /// Copies the query sets to buffers that the host can read.
    pub(crate) fn collect(&mut self, gpu: &GpuHandles, encoder: &mut CommandEncoder) {
        for (position, set) in self.sets.iter().enumerate() {
            let count = (self.count - position * SET_SIZE).min(SET_SIZE);
            let size = count as u64 * 8;
            let buffer = |usage| {
                gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size,
                    usage,
                    mapped_at_creation: false,
                })
            };
            let resolved = buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC);
            let staging = buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
            encoder.resolve_query_set(set, 0..count as u32, &resolved, 0);
            encoder.copy_buffer_to_buffer(&resolved, 0, &staging, 0, Some(size));
            self.staging.push(staging);
        }
    }

    /// The timestamps, in nanoseconds since the first.
    pub(crate) fn read(self, gpu: &GpuHandles) -> Result<Vec<u64>, Error> {
        let start = self.on_host.first().copied();
        let since = |time: &Instant| start.map_or(0, |start| time.duration_since(start).as_nanos());
        let mut times: Vec<u64> =
            self.on_host.iter().map(|time| u64::try_from(since(time)).unwrap_or(u64::MAX)).collect();
        let period = f64::from(gpu.queue.get_timestamp_period());
        let mut ticks: Vec<u64> = Vec::new();
        for staging in &self.staging {
            with_mapped(gpu, staging, |bytes| {
                ticks
                    .extend(bytes.chunks_exact(8).map(|tick| tick.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))));
            })?;
        }
        let first = ticks.first().copied().unwrap_or_default();
        times.extend(ticks.iter().map(|tick| (tick.saturating_sub(first) as f64 * period) as u64));
        Ok(times)
    }
}
