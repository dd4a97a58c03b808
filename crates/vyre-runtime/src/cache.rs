//! Pipelines that have been built before.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use vyre_ir::{Convention, ProgramIdentity, Specialization, ValidProgram};

use crate::buffer::DeviceId;
use crate::device::Device;
use crate::error::Error;
use crate::pipeline::{Pipeline, PipelineOptions};

/// Pipelines by what they were built from: the device, the program, the ops that it calls and the options.
///
/// Keys are whole programs in wire form, not hashes, so two programs never share a pipeline. A [`ValidProgram`] makes its key
/// once, so keep it where the same program is run often. When the cache is full the pipeline that was asked for longest ago
/// goes.
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
    /// When a pipeline was last asked for, as a count of requests.
    clock: u64,
    /// Keys by the time of their last request.
    by_age: BTreeMap<u64, Key>,
}

#[derive(Debug)]
struct Entry {
    pipeline: Pipeline,
    used: u64,
}

/// Everything that a pipeline depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    device: DeviceId,
    program: ProgramIdentity,
    convention: Option<Convention>,
    specialization: Specialization,
}

impl PipelineCache {
    /// A cache of at most `capacity` pipelines.
    #[must_use]
    pub fn new(capacity: usize) -> PipelineCache {
        PipelineCache { capacity, entries: Mutex::default() }
    }

    /// The pipeline of a program, built unless it was before.
    ///
    /// Two threads that ask for the same one at the same time may both build it; both get the same.
    ///
    /// # Errors
    ///
    /// As [`Device::create_pipeline`]. Failures are not kept.
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

    /// How many pipelines are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().by_key.len()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all pipelines. Those that are in use stay until they are dropped.
    pub fn clear(&self) {
        *self.lock() = Entries::default();
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Entries are whole after every statement below, even if something panics in between.
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

    /// Keeps a pipeline, unless another thread was faster.
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
