//! Pipeline cache of the driver, kept in a file for later processes.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use vyre_runtime::shell::artifact::{Magic, SealedFiles, hash64, read_sealed, write_sealed};
use wgpu::{AdapterInfo, Device, PipelineCache, PipelineCacheDescriptor};

/// Pipeline cache and its file.
pub(crate) struct PipelineStore {
    cache: PipelineCache,
    file: PathBuf,
    saved: Mutex<Saved>,
}

/// State of the file.
struct Saved {
    /// Checksum of the contents.
    checksum: u64,
    /// Time of the last comparison with the cache.
    checked: Option<Instant>,
}

/// Minimum time between two writes of the file. Drop writes the rest.
const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// Magic number of the file.
const MAGIC: Magic = *b"VYREPC01";

/// The files of this store; the folder has files of other backends, too.
const FILES: SealedFiles =
    SealedFiles { magic: MAGIC, is_name: |name| name.starts_with("wgpu_pipeline_cache_") && name.ends_with(".bin") };

/// Maximum size of a file that is read.
const MAX_FILE_BYTES: u64 = 1 << 30;

impl PipelineStore {
    /// Opens the store of an adapter; `None` if its driver has no pipeline caches. A missing or damaged file, or one of
    /// another driver, gives an empty store.
    #[expect(unsafe_code, reason = "drivers trust the bytes of their own caches")]
    pub(crate) fn open(device: &Device, adapter: &AdapterInfo, folder: &Path) -> Option<PipelineStore> {
        let key = wgpu::util::pipeline_cache_key(adapter)?;
        let file = folder.join(format!("{key}.bin"));
        // Without a bound: only temporary files that killed processes left are deleted.
        FILES.prune(folder, usize::MAX, u64::MAX);
        let data = read_sealed(&file, MAGIC, MAX_FILE_BYTES);
        let saved = Mutex::new(Saved { checksum: data.as_deref().map_or(0, hash64), checked: None });
        let descriptor = PipelineCacheDescriptor { label: None, data: data.as_deref(), fallback: true };
        // SAFETY: the checksum shows that `save` wrote these bytes; the driver compares its own version with theirs.
        let cache = unsafe { device.create_pipeline_cache(&descriptor) };
        Some(PipelineStore { cache, file, saved })
    }

    pub(crate) fn cache(&self) -> &PipelineCache {
        &self.cache
    }

    /// Writes the file if the cache has changed, at most once in [`MIN_WRITE_INTERVAL`].
    pub(crate) fn save(&self) {
        let last = self.saved.lock().unwrap_or_else(PoisonError::into_inner).checked;
        if last.is_none_or(|last| last.elapsed() >= MIN_WRITE_INTERVAL) {
            self.save_now();
        }
    }

    /// Writes the file if the cache has changed. A failure costs compile time in the next process and nothing else.
    fn save_now(&self) {
        let Some(data) = self.cache.get_data() else { return };
        let checksum = hash64(&data);
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Saved { checksum, checked: Some(Instant::now()) };
        if std::mem::replace(&mut *saved, now).checksum == checksum {
            return;
        }
        let _ = write_sealed(&self.file, MAGIC, &data);
    }
}

impl Drop for PipelineStore {
    fn drop(&mut self) {
        self.save_now();
    }
}
