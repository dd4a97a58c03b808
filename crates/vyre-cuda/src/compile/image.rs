//! Machine code of kernels, shared by all pipelines with the same PTX.
//!
//! Images live in host memory, so they survive the loss of a context. An image is dropped with the last pipeline that uses
//! it.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, Weak};

use vyre_runtime::Error;
use vyre_runtime::shell::artifact::hash128;

use super::link::link;
use super::store::KernelStore;
use crate::driver::context::Context;
use crate::driver::module::LoadedKernel;
use crate::ptx::Ptx;
use crate::sync::lock;

/// Minimum number of entries before unused ones are removed.
const MIN_SWEEP_ENTRIES: usize = 64;

/// Images of a device.
pub(crate) struct Images {
    store: Option<KernelStore>,
    known: Mutex<ImageTable>,
}

/// Weak table of images by the hash of their PTX.
#[derive(Default)]
struct ImageTable {
    by_hash: HashMap<u128, Weak<Image>>,
    /// Number of entries at which dropped ones are removed.
    sweep_at: usize,
}

/// Machine code of a kernel.
pub(crate) struct Image {
    source: Source,
    code: Vec<u8>,
    /// The kernel in the context that used it last.
    loaded: Mutex<Option<Arc<LoadedKernel>>>,
}

/// PTX of a kernel and its launch requirements.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// Dynamic shared memory of a block, in bytes.
    pub(crate) shared_bytes: u32,
    /// Threads of a block.
    pub(crate) threads: u64,
}

impl Images {
    pub(crate) fn new(store: Option<KernelStore>) -> Images {
        Images { store, known: Mutex::default() }
    }

    /// Returns the image of a source, compiled and loaded into a context. Two threads may compile the same source at the
    /// same time; the last one stays in the table.
    pub(crate) fn get(&self, context: &Arc<Context>, source: Source) -> Result<Arc<Image>, Error> {
        let hash = hash128(source.text.as_bytes());
        let known = lock(&self.known).by_hash.get(&hash).and_then(Weak::upgrade);
        if let Some(image) = known.filter(|image| image.source == source) {
            return Ok(image);
        }
        let image = match self.stored(context, &source) {
            Some(image) => image,
            None => {
                let code = link(&context.enter()?, &source.text)?;
                let image = Image { source, code, loaded: Mutex::default() };
                image.load(context)?;
                if let Some(store) = &self.store {
                    store.insert(&image.source.text, &image.code);
                }
                image
            }
        };
        let image = Arc::new(image);
        let mut known = lock(&self.known);
        if known.by_hash.len() >= known.sweep_at {
            known.by_hash.retain(|_, image| image.strong_count() > 0);
            known.sweep_at = (known.by_hash.len() * 2).max(MIN_SWEEP_ENTRIES);
        }
        known.by_hash.insert(hash, Arc::downgrade(&image));
        Ok(image)
    }

    /// Image from the store, if the driver loads it.
    fn stored(&self, context: &Arc<Context>, source: &Source) -> Option<Image> {
        let code = self.store.as_ref()?.get(&source.text)?;
        let image = Image { source: source.clone(), code, loaded: Mutex::default() };
        image.load(context).ok()?;
        Some(image)
    }
}

impl Image {
    /// Loads the kernel into a context, unless it already is.
    pub(crate) fn load(&self, context: &Arc<Context>) -> Result<Arc<LoadedKernel>, Error> {
        let mut slot = lock(&self.loaded);
        if let Some(loaded) = slot.as_ref().filter(|loaded| loaded.is_in(context)) {
            return Ok(Arc::clone(loaded));
        }
        // The code is whole output of the driver's linker: `link` returned it, or its checksum in the store was right. Only
        // users with write access to the store's folder can forge that.
        let entry = CString::new(Ptx::ENTRY).unwrap_or_default();
        let loaded = LoadedKernel::load(context, &self.code, &entry)?;
        loaded.prepare(&context.enter()?, self.source.shared_bytes, self.source.threads)?;
        let loaded = Arc::new(loaded);
        *slot = Some(Arc::clone(&loaded));
        Ok(loaded)
    }
}
