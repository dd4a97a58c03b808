//! Runner of the programs of a library: a device, its run options, and pipelines by key.

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

/// Device with run options and a pipeline cache that is keyed by values of a library, such as the ids of its ops. Buffers
/// hold 32-bit words.
///
/// A lookup by key neither builds nor encodes the program, which a [`PipelineCache`](crate::PipelineCache) needs. The cache
/// is never evicted, so the keys must be few.
pub struct KeyedRunner<K> {
    device: Arc<dyn Device>,
    /// Options of all runs.
    pub run_options: RunOptions,
    pipelines: Mutex<HashMap<K, Pipeline>>,
}

impl<K: Eq + Hash> KeyedRunner<K> {
    /// Creates a runner with an empty cache.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> KeyedRunner<K> {
        KeyedRunner { device, run_options: RunOptions::default(), pipelines: Mutex::default() }
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
        self.device.buffer_from(words)
    }

    /// Creates a buffer of these words, from their memory where the device can use it ([`Device::buffer_of`]).
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn take_words(&self, words: Vec<u32>) -> Result<Buffer, Error> {
        self.device.buffer_of(words)
    }

    /// Creates a buffer of zero words.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or exhausted memory.
    pub fn zeros(&self, words: u64) -> Result<Buffer, Error> {
        self.device.zeros::<u32>(words)
    }

    /// Writes words to the start of a buffer.
    ///
    /// # Errors
    ///
    /// Words beyond the end of the buffer.
    pub fn write(&self, buffer: &Buffer, words: &[u32]) -> Result<(), Error> {
        self.device.write_range(buffer, 0, words)
    }

    /// Reads the words of a buffer.
    ///
    /// # Errors
    ///
    /// A buffer of no whole number of words, or a failure of the device.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u32>, Error> {
        self.device.read_vec(buffer)
    }

    /// The pipeline with this key. On a miss, `program` is called and its result compiled.
    ///
    /// # Errors
    ///
    /// A program that the device cannot compile.
    ///
    /// # Panics
    ///
    /// If the program is not valid. The library must pass valid programs.
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

    /// Reports whether the cache has the pipeline with this key.
    #[must_use]
    pub fn has_pipeline(&self, key: &K) -> bool {
        self.pipelines.lock().unwrap_or_else(PoisonError::into_inner).contains_key(key)
    }

    /// Runs commands with the options of the runner.
    ///
    /// # Errors
    ///
    /// A failure of the device, or a run that was stopped.
    pub fn run(&self, commands: &CommandList) -> Result<RunReport, Error> {
        self.device.run(commands, &self.run_options)
    }
}
