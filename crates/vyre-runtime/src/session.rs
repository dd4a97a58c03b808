//! Session: a device, its run options and a cache of pipelines, for hosts that run many programs.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use vyre_ir::{OpTable, Program, validate};

use crate::buffer::Buffer;
use crate::commands::CommandList;
use crate::device::Device;
use crate::error::Error;
use crate::pipeline::{Pipeline, PipelineOptions};
use crate::run::{RunOptions, RunReport};

/// Device with run options and a pipeline cache, keyed by values of the host. Buffers hold 32-bit words.
///
/// The cache is never evicted, so the keys must be few.
pub struct Session<K> {
    device: Arc<dyn Device>,
    /// Options of all runs.
    pub run_options: RunOptions,
    pipelines: Mutex<HashMap<K, Pipeline>>,
}

impl<K: Eq + Hash> Session<K> {
    /// Creates a session with an empty cache.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> Session<K> {
        Session { device, run_options: RunOptions::default(), pipelines: Mutex::default() }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// Creates a buffer with these words.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn words(&self, words: &[u32]) -> Result<Buffer, Error> {
        let buffer = self.zeros(words.len() as u64)?;
        self.write(&buffer, words)?;
        Ok(buffer)
    }

    /// Creates a buffer of zero words.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn zeros(&self, words: u64) -> Result<Buffer, Error> {
        self.device.create_buffer(words.saturating_mul(4))
    }

    /// Writes words to the start of a buffer.
    ///
    /// # Errors
    ///
    /// Words beyond the end of the buffer.
    pub fn write(&self, buffer: &Buffer, words: &[u32]) -> Result<(), Error> {
        // In chunks, so that no second copy of a large graph exists.
        const CHUNK_WORDS: usize = 1 << 18;
        if cfg!(target_endian = "little") {
            return self.device.write(buffer, 0, bytemuck::cast_slice(words));
        }
        for (chunk, words) in words.chunks(CHUNK_WORDS).enumerate() {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.device.write(buffer, (chunk * CHUNK_WORDS * 4) as u64, &bytes)?;
        }
        Ok(())
    }

    /// Reads the words of a buffer.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u32>, Error> {
        let bytes = self.device.read(buffer)?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// The pipeline with this key. On a miss, `program` is called and its result compiled.
    ///
    /// # Errors
    ///
    /// A program that the device cannot compile.
    ///
    /// # Panics
    ///
    /// If the program is not valid. The host must pass valid programs.
    pub fn pipeline(&self, key: K, table: &OpTable, program: impl FnOnce() -> Program) -> Result<Pipeline, Error> {
        let cached = || self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = cached().get(&key) {
            return Ok(pipeline.clone());
        }
        let program = program();
        let valid = validate(&program, table).unwrap_or_else(|problems| {
            panic!(
                "a program of a library is not valid: {}",
                problems.first().map(ToString::to_string).unwrap_or_default()
            )
        });
        let pipeline = self.device.create_pipeline(&valid, &PipelineOptions::default())?;
        cached().insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// Runs commands with the options of the session.
    ///
    /// # Errors
    ///
    /// A failure of the device, or a run that was stopped.
    pub fn run(&self, commands: &CommandList) -> Result<RunReport, Error> {
        self.device.run(commands, &self.run_options)
    }
}
