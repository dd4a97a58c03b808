//! Folder of compiled kernels.

use std::path::PathBuf;

use crate::cache_path::cache_path;

/// Folder of the kernels of commands with a fixed set of programs; `None` if the cache is off or the system has no such folder.
/// `VYRE_KERNEL_CACHE` names another folder.
///
/// Commands that run a program of the user by itself use no cache. The kernels of a `--transfer` program are cached as those of the engine
/// are; the cache of the CPU backend is bounded.
pub(crate) fn kernel_cache() -> Option<PathBuf> {
    cache_path("VYRE_KERNEL_CACHE", "kernels")
}
