//! Compiled shaders in a file, so that the next process need not compile them again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
const MAGIC: [u8; 8] = *b"VYREPC01";

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 30;

impl CompiledStore {
    /// The store of an adapter, with what its file holds. Drivers without such a thing have none. A file that is missing,
    /// damaged or from another driver is an empty store.
    #[expect(unsafe_code, reason = "drivers trust what they have written")]
    pub(crate) fn open(device: &Device, adapter: &AdapterInfo, folder: &Path) -> Option<CompiledStore> {
        let key = wgpu::util::pipeline_cache_key(adapter)?;
        let file = folder.join(format!("{key}.bin"));
        let data = read(&file);
        let saved = Mutex::new((data.as_deref().map_or(0, checksum), None));
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
        let sum = checksum(&data);
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *saved, (sum, Some(Instant::now()))).0 == sum {
            return;
        }
        let whole: Vec<u8> = MAGIC.into_iter().chain(sum.to_le_bytes()).chain(data).collect();
        // Another process may do the same at the same time; the file is always one of theirs as a whole.
        let temporary = self.file.with_extension(format!("{}.tmp", std::process::id()));
        let written = self.file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&temporary, whole));
        if written.and_then(|()| fs::rename(&temporary, &self.file)).is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }
}

impl Drop for CompiledStore {
    fn drop(&mut self) {
        self.save_now();
    }
}

/// What a file of a store holds, if it is whole.
fn read(file: &Path) -> Option<Vec<u8>> {
    if fs::metadata(file).ok()?.len() > MOST_BYTES {
        return None;
    }
    let whole = fs::read(file).ok()?;
    let (magic, rest) = whole.split_first_chunk::<8>()?;
    let (sum, data) = rest.split_first_chunk::<8>()?;
    (*magic == MAGIC && u64::from_le_bytes(*sum) == checksum(data)).then(|| data.to_vec())
}

/// FNV-1a over 64 bits: it only has to tell damaged files, and must not change between versions of a crate.
fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cache.bin");
        let data = b"what a driver has compiled";
        let whole: Vec<u8> = MAGIC.into_iter().chain(checksum(data).to_le_bytes()).chain(*data).collect();
        fs::write(&file, &whole).expect("it can be written");
        assert_eq!(read(&file).as_deref(), Some(&data[..]));
        for damage in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[damage] ^= 1;
            fs::write(&file, &damaged).expect("it can be written");
            assert_eq!(read(&file), None, "byte {damage}");
            fs::write(&file, &whole[..damage]).expect("it can be written");
            assert_eq!(read(&file), None, "the first {damage} bytes");
        }
        assert_eq!(read(&folder.path().join("missing")), None);
    }
}
