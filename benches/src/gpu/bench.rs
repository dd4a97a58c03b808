//! An adapter that both sides use, with their buffers.

use vyre_ir::{OpTable, text};
use vyre_runtime::{Buffer, Device, Pipeline, PipelineOptions};
use vyre_wgpu::WgpuDevice;
use wgpu::BufferUsages;

use super::bare::BareDevice;
use super::data::{BINS, count_bytes, input_bytes};
use super::error::Error;
use super::workload::Outcome;

/// An adapter that both sides use. Each has an input, room for as many words, and bins.
pub struct Bench {
    pub(super) words: usize,
    pub(super) vyre: VyreSide,
    pub(super) bare: BareSide,
    /// What bins must hold after a run.
    pub(super) counts: Vec<u32>,
}

/// The buffers of the backend.
pub(super) struct VyreSide {
    pub(super) device: WgpuDevice,
    pub(super) input: Buffer,
    out: Buffer,
    bins: Buffer,
}

/// The buffers of the other side.
pub(super) struct BareSide {
    pub(super) device: BareDevice,
    pub(super) input: wgpu::Buffer,
    pub(super) out: wgpu::Buffer,
    bins: wgpu::Buffer,
}

/// The words that are written at a time.
const CHUNK_WORDS: usize = 1 << 24;

/// Buffers have whole vectors of four words.
const VECTOR_BYTES: u64 = 16;

impl Bench {
    /// Makes the buffers on the adapter at this position, with an input of so many bytes or as many as the adapter takes.
    ///
    /// # Errors
    ///
    /// No such adapter, or too little memory.
    pub fn new(mut devices: Vec<WgpuDevice>, position: usize, bytes: u64) -> Result<Bench, Error> {
        let count = devices.len();
        if position >= count {
            return Err(Error::NoSuchAdapter { wanted: position, count });
        }
        let device = devices.swap_remove(position);
        // Devices keep their order among those with the same description.
        let nth = devices.iter().take(position).filter(|other| other.adapter() == device.adapter()).count();
        let bare = BareDevice::open(device.adapter(), nth)?;
        let most = device.limits().buffer_bytes.min(bare.most_bytes());
        let bytes = (bytes.min(most) / VECTOR_BYTES).max(1) * VECTOR_BYTES;
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
        Ok(Bench { words, vyre, bare, counts: count_bytes(words) })
    }

    /// The words of the input.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The side without vyre.
    #[must_use]
    pub fn bare(&self) -> &BareDevice {
        &self.bare.device
    }
}

impl VyreSide {
    pub(super) fn result(&self, outcome: Outcome) -> &Buffer {
        match outcome {
            Outcome::Words(_) => &self.out,
            Outcome::Bins => &self.bins,
        }
    }

    /// Builds the pipeline of a program.
    pub(super) fn pipeline(&self, workload: &'static str, source: &str) -> Result<Pipeline, Error> {
        let failed = |message: String| Error::Program { workload, message };
        let parsed = text::parse(source).map_err(|error| failed(error.to_string()))?;
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).map_err(|errors| failed(format!("{} errors", errors.len())))?;
        Ok(self.device.create_pipeline(&valid, &PipelineOptions::default())?)
    }
}

impl BareSide {
    pub(super) fn result(&self, outcome: Outcome) -> &wgpu::Buffer {
        match outcome {
            Outcome::Words(_) => &self.out,
            Outcome::Bins => &self.bins,
        }
    }
}
