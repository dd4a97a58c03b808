//! Compiled shaders in a file, so that the next process need not compile them again.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use vyre_runtime::shell::artifact::{Magic, hash64, read_sealed, write_sealed};
use wgpu::{AdapterInfo, Device, PipelineCache, PipelineCacheDescriptor};

/// What drivers have compiled, with the file that keeps it.
pub(crate) struct CompiledStore {
    cache: PipelineCache,
    file: PathBuf,
    /// The checksum of what the file holds, and when that was looked at.
    saved: Mutex<(u64, Option<Instant>)>,
}

/// How long after it was written a file is left alone; what comes meanwhile is written later, or at the end.
const PAUSE: Duration = Duration::from_secs(1);

/// The first bytes of a file, before the checksum of the rest.
const MAGIC: Magic = *b"VYREPC01";

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 30;

impl CompiledStore {
    /// The store of an adapter, with what its file holds. Drivers without such a thing have none. A file that is missing,
    /// damaged or from another driver is an empty store.
    #[expect(unsafe_code, reason = "drivers trust what they have written")]
    pub(crate) fn open(device: &Device, adapter: &AdapterInfo, folder: &Path) -> Option<CompiledStore> {
        let key = wgpu::util::pipeline_cache_key(adapter)?;
        let file = folder.join(format!("{key}.bin"));
        let data = read_sealed(&file, MAGIC, MAX_BYTES);
        let saved = Mutex::new((data.as_deref().map_or(0, hash64), None));
        let descriptor = PipelineCacheDescriptor { label: None, data: data.as_deref(), fallback: true };
        // SAFETY: the bytes are those that `save` has written, as their checksum shows; the driver compares its own version
        // with theirs.
        let cache = unsafe { device.create_pipeline_cache(&descriptor) };
        Some(CompiledStore { cache, file, saved })
    }

    pub(crate) fn cache(&self) -> &PipelineCache {
        &self.cache
    }

    /// Writes what is new to the file, unless that was done just now.
    pub(crate) fn save(&self) {
        let (_, last) = *self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= PAUSE) {
            self.save_now();
        }
    }

    /// That it cannot be written costs time in the next process and nothing else.
    fn save_now(&self) {
        let Some(data) = self.cache.get_data() else { return };
        let sum = hash64(&data);
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *saved, (sum, Some(Instant::now()))).0 == sum {
            return;
        }
        let _ = write_sealed(&self.file, MAGIC, &data);
    }
}

impl Drop for CompiledStore {
    fn drop(&mut self) {
        self.save_now();
    }
}
