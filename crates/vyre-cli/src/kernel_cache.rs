//! Folder of compiled kernels.

use std::path::PathBuf;

use crate::cache_path::cache_path;

/// Folder of the kernels of commands with a fixed set of programs; `None` if the cache is off or the system has no such folder.
/// `VYRE_KERNEL_CACHE` names another folder.
///
/// Programs of users are not cached: their number has no bound.
pub(crate) fn kernel_cache() -> Option<PathBuf> {
    cache_path("VYRE_KERNEL_CACHE", "kernels")
}
