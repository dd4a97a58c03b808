//! Adapter that both sides of a comparison use, with their buffers.

use vyre_runtime::{Buffer, Device, Pipeline};
use vyre_wgpu::WgpuDevice;
use wgpu::BufferUsages;

use super::bare::BareDevice;
use super::workload::Output;
use crate::data::{BINS, count_bytes, input_bytes};
use crate::device::{build_pipeline, parse_program};
use crate::error::Error;

/// Adapter that both sides use. Each side has an input, an output of the same size, and bins.
pub struct Session {
    pub(super) words: usize,
    pub(super) vyre: VyreSide,
    pub(super) bare: BareSide,
    /// Expected bins after one run.
    pub(super) counts: Vec<u32>,
}

/// Device and buffers of the backend.
pub(super) struct VyreSide {
    pub(super) device: WgpuDevice,
    pub(super) input: Buffer,
    out: Buffer,
    bins: Buffer,
}

/// Device and buffers of the hand-written side.
pub(super) struct BareSide {
    pub(super) device: BareDevice,
    pub(super) input: wgpu::Buffer,
    pub(super) out: wgpu::Buffer,
    bins: wgpu::Buffer,
}

/// Words that are written at a time.
const CHUNK_WORDS: usize = 1 << 24;

/// Sizes of buffers are multiples of a vector of four words.
const VECTOR_BYTES: u64 = 16;

impl Session {
    /// Creates the buffers on the adapter at this position. The input has `bytes` bytes, or the maximum of the adapter.
    ///
    /// # Errors
    ///
    /// There is no such adapter, or too little memory.
    pub fn new(mut devices: Vec<WgpuDevice>, position: usize, bytes: u64) -> Result<Session, Error> {
        let count = devices.len();
        if position >= count {
            return Err(Error::unavailable(format!("there is no adapter {position}; {count} are numbered from 0")));
        }
        let device = devices.swap_remove(position);
        // wgpu enumerates adapters with equal descriptions in the same order.
        let nth = devices.iter().take(position).filter(|other| other.adapter() == device.adapter()).count();
        let bare = BareDevice::open(device.adapter(), nth)?;
        let max_bytes = device.limits().buffer_bytes.min(bare.max_buffer_bytes());
        let bytes = (bytes.min(max_bytes) / VECTOR_BYTES).max(1) * VECTOR_BYTES;
        let words = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        let vyre = VyreSide {
            input: device.create_buffer(bytes)?,
            out: device.create_buffer(bytes)?,
            bins: device.create_buffer(BINS as u64 * 4)?,
            device,
        };
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let bare = BareSide {
            input: bare.buffer(bytes, usage)?,
            out: bare.buffer(bytes, usage)?,
            bins: bare.buffer(BINS as u64 * 4, usage)?,
            device: bare,
        };
        for first in (0..words).step_by(CHUNK_WORDS) {
            let contents = input_bytes(first, CHUNK_WORDS.min(words - first));
            vyre.device.write(&vyre.input, first as u64 * 4, &contents)?;
            bare.device.queue.write_buffer(&bare.input, first as u64 * 4, &contents);
            bare.device.run(|_| {})?;
        }
        Ok(Session { words, vyre, bare, counts: count_bytes(words) })
    }

    /// Number of words of the input.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Device of the hand-written side.
    #[must_use]
    pub fn bare(&self) -> &BareDevice {
        &self.bare.device
    }
}

impl VyreSide {
    pub(super) fn result(&self, output: Output) -> &Buffer {
        match output {
            Output::Words(_) => &self.out,
            Output::Bins => &self.bins,
        }
    }

    /// Builds the pipeline of a program in text form.
    pub(super) fn pipeline(&self, name: &str, source: &str) -> Result<Pipeline, Error> {
        build_pipeline(&self.device, name, &parse_program(name, source)?)
    }
}

impl BareSide {
    pub(super) fn result(&self, output: Output) -> &wgpu::Buffer {
        match output {
            Output::Words(_) => &self.out,
            Output::Bins => &self.bins,
        }
    }
}
