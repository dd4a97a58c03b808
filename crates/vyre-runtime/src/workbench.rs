//! What hosts that run many programs on one device need again and again.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use vyre_ir::{OpTable, Program, validate};

use crate::commands::{Bindings, Command, CommandList};
use crate::device::{Buffer, Device, Pipeline, PipelineOptions, RunOptions, RunReport};
use crate::error::Error;

/// A device, how runs on it are done, and the pipelines that have been made, by a key of the host's. Buffers are words.
pub struct Workbench<K> {
    device: Arc<dyn Device>,
    /// How runs are done.
    pub run_options: RunOptions,
    pipelines: Mutex<HashMap<K, Pipeline>>,
}

impl<K: Eq + Hash> Workbench<K> {
    /// A workbench without pipelines.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> Workbench<K> {
        Workbench { device, run_options: RunOptions::default(), pipelines: Mutex::default() }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// A buffer with these words.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or memory that is used up.
    pub fn words(&self, words: &[u32]) -> Result<Buffer, Error> {
        let buffer = self.zeros(words.len() as u64)?;
        self.write(&buffer, words)?;
        Ok(buffer)
    }

    /// A buffer of so many zero words.
    ///
    /// # Errors
    ///
    /// A buffer beyond the limits of the device, or memory that is used up.
    pub fn zeros(&self, words: u64) -> Result<Buffer, Error> {
        self.device.create_buffer(words.saturating_mul(4))
    }

    /// Writes words to the start of a buffer.
    ///
    /// # Errors
    ///
    /// Words beyond the end of the buffer.
    pub fn write(&self, buffer: &Buffer, words: &[u32]) -> Result<(), Error> {
        // In parts, so that a large graph is not in memory a third time.
        const PART: usize = 1 << 18;
        if cfg!(target_endian = "little") {
            return self.device.write(buffer, 0, bytemuck::cast_slice(words));
        }
        for (part, words) in words.chunks(PART).enumerate() {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.device.write(buffer, (part * PART * 4) as u64, &bytes)?;
        }
        Ok(())
    }

    /// The words of a buffer.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<u32>, Error> {
        let bytes = self.device.read(buffer)?;
        let (words, _) = bytes.as_chunks::<4>();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// The pipeline with this key. If there is none yet, it is made of the program and the ops that it calls.
    ///
    /// # Errors
    ///
    /// A program that the device cannot compile.
    ///
    /// # Panics
    ///
    /// If the program is not valid: a host checks what it makes programs of.
    pub fn pipeline(&self, key: K, table: &OpTable, program: impl FnOnce() -> Program) -> Result<Pipeline, Error> {
        let known = || self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = known().get(&key) {
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
        known().insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// Runs commands.
    ///
    /// # Errors
    ///
    /// A failure of the device, or a run that was ended.
    pub fn run(&self, commands: &CommandList) -> Result<RunReport, Error> {
        self.device.run(commands, &self.run_options)
    }
}

impl Bindings {
    /// These buffers in the slots 0, 1, 2, ...
    #[must_use]
    pub fn in_order<'b>(buffers: impl IntoIterator<Item = &'b Buffer>) -> Bindings {
        (0..).zip(buffers).fold(Bindings::new(), |bindings, (slot, buffer)| bindings.with(slot, buffer))
    }
}

impl Command {
    /// Fills a whole buffer with a byte.
    #[must_use]
    pub fn fill_all(buffer: &Buffer, byte: u8) -> Command {
        Command::Fill { buffer: buffer.clone(), offset: 0, length: buffer.size(), byte }
    }
}
