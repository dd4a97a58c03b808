//! LRU cache of pipelines.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vyre_ir::{Convention, ProgramIdentity, Specialization, ValidProgram};

use crate::buffer::DeviceId;
use crate::device::Device;
use crate::error::Error;
use crate::pipeline::{Pipeline, PipelineOptions};

/// LRU cache of pipelines, keyed by the device, the program, the ops that it calls and the options.
///
/// Keys contain whole programs in wire form, not hashes, so two programs never share a pipeline. A [`ValidProgram`] computes
/// its key on first use and keeps it.
///
/// ```
/// use vyre_ir::{OpTable, text};
/// use vyre_runtime::{PipelineCache, PipelineOptions, ReferenceDevice};
///
/// let parsed = text::parse("workgroup_size 1; buffer b: read_write u32 @0; entry { b[0] = 1; }").expect("parses");
/// let ops = OpTable::default();
/// let program = parsed.validate(&ops).expect("is valid");
/// let (cache, device) = (PipelineCache::new(64), ReferenceDevice::new());
/// let first = cache.pipeline(&device, &program, &PipelineOptions::default())?;
/// let second = cache.pipeline(&device, &program, &PipelineOptions::default())?;
/// assert!(first.is_same(&second));
/// # Ok::<(), vyre_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct PipelineCache {
    capacity: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    by_key: HashMap<Key, Entry>,
    /// Number of requests so far.
    clock: u64,
    /// Keys by the number of their last request.
    by_age: BTreeMap<u64, Key>,
}

#[derive(Debug)]
struct Entry {
    pipeline: Pipeline,
    used: u64,
}

/// Inputs of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    device: DeviceId,
    program: ProgramIdentity,
    convention: Option<Convention>,
    specialization: Specialization,
}

impl PipelineCache {
    /// Creates a cache of at most `capacity` pipelines.
    #[must_use]
    pub fn new(capacity: usize) -> PipelineCache {
        PipelineCache { capacity, entries: Mutex::default() }
    }

    /// The pipeline of a program. A miss compiles it.
    ///
    /// Two threads may compile the same program at the same time; both get the same pipeline.
    ///
    /// # Errors
    ///
    /// As [`Device::create_pipeline`]. Failures are not cached.
    pub fn pipeline(
        &self,
        device: &dyn Device,
        program: &ValidProgram<'_>,
        options: &PipelineOptions,
    ) -> Result<Pipeline, Error> {
        let key = Key {
            device: device.id(),
            program: program.identity().clone(),
            convention: options.convention,
            specialization: options.specialization.clone(),
        };
        if let Some(known) = self.lock().get(&key) {
            return Ok(known);
        }
        let built = device.create_pipeline(program, options)?;
        Ok(self.lock().insert(key, built, self.capacity))
    }

    /// Number of cached pipelines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().by_key.len()
    }

    /// True if the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all pipelines. Handles outside of the cache stay valid.
    pub fn clear(&self) {
        *self.lock() = Entries::default();
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // The entries are consistent after every statement below, so a panic of another thread is harmless.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn get(&mut self, key: &Key) -> Option<Pipeline> {
        let entry = self.by_key.get_mut(key)?;
        self.clock += 1;
        if let Some(key) = self.by_age.remove(&entry.used) {
            self.by_age.insert(self.clock, key);
        }
        entry.used = self.clock;
        Some(entry.pipeline.clone())
    }

    /// Adds a pipeline, unless another thread has added it.
    fn insert(&mut self, key: Key, pipeline: Pipeline, capacity: usize) -> Pipeline {
        if let Some(known) = self.get(&key) {
            return known;
        }
        if capacity == 0 {
            return pipeline;
        }
        while self.by_key.len() >= capacity {
            let Some((_, oldest)) = self.by_age.pop_first() else { break };
            self.by_key.remove(&oldest);
        }
        self.clock += 1;
        self.by_age.insert(self.clock, key.clone());
        self.by_key.insert(key, Entry { pipeline: pipeline.clone(), used: self.clock });
        pipeline
    }
}
