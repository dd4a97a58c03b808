//! Options of GPU backends.

use std::path::PathBuf;

/// Options of a GPU backend.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GpuOptions {
    /// True if the optimizer runs on kernels before they are compiled.
    pub optimize: bool,
    /// Folder of compiled code for later processes, where the driver supports it; `None` keeps none.
    pub cache_folder: Option<PathBuf>,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions { optimize: true, cache_folder: None }
    }
}

impl GpuOptions {
    /// Enables or disables the optimizer.
    #[must_use]
    pub fn with_optimizer(self, optimize: bool) -> GpuOptions {
        GpuOptions { optimize, ..self }
    }

    /// Keeps compiled code in a folder, which is created if it does not exist.
    #[must_use]
    pub fn with_cache_folder(self, folder: impl Into<PathBuf>) -> GpuOptions {
        GpuOptions { cache_folder: Some(folder.into()), ..self }
    }
}
