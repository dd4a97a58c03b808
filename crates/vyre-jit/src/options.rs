//! Options of the CPU backend.

use std::path::PathBuf;

use crate::vectorize::VectorizationMode;

/// Options of a CPU device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JitOptions {
    /// Number of threads; 0 for one per core.
    pub threads: usize,
    /// True if kernels are optimized.
    pub optimize: bool,
    /// Regions that are vectorized.
    pub vectorization: VectorizationMode,
    /// Folder of machine code for later processes; `None` keeps none.
    pub cache_folder: Option<PathBuf>,
}

impl Default for JitOptions {
    fn default() -> JitOptions {
        JitOptions { threads: 0, optimize: true, vectorization: VectorizationMode::default(), cache_folder: None }
    }
}

impl JitOptions {
    /// Sets the number of threads; 0 for one per core.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> JitOptions {
        JitOptions { threads, ..self }
    }

    /// Turns the optimizer passes on or off.
    #[must_use]
    pub fn with_optimizer(self, optimize: bool) -> JitOptions {
        JitOptions { optimize, ..self }
    }

    /// Sets the vectorization mode.
    #[must_use]
    pub fn with_vectorization(self, vectorization: VectorizationMode) -> JitOptions {
        JitOptions { vectorization, ..self }
    }

    /// Keeps machine code in a folder, which is created if it does not exist. Files are used only if no other user can change
    /// them.
    #[must_use]
    pub fn with_cache_folder(self, folder: impl Into<PathBuf>) -> JitOptions {
        JitOptions { cache_folder: Some(folder.into()), ..self }
    }
}
