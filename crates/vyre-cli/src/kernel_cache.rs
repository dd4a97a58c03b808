//! Folder of compiled kernels of GPUs.

use std::ffi::OsString;
use std::path::PathBuf;

/// Variable that names the folder. An empty value turns the cache off.
const VARIABLE: &str = "VYRE_KERNEL_CACHE";

/// Folder of the kernels of commands with a fixed set of programs; `None` if the cache is off or the system has no such folder.
///
/// Programs of users are not cached: their number has no bound.
pub(crate) fn kernel_cache() -> Option<PathBuf> {
    folder(|name| std::env::var_os(name))
}

fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = variable(VARIABLE) {
        return (!folder.is_empty()).then(|| PathBuf::from(folder));
    }
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = match cfg!(windows) {
        true => absolute("LOCALAPPDATA")?,
        false => absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?,
    };
    Some(caches.join("vyre").join("kernels"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_folder_follows_the_variables() {
        let found = |variables: &[(&str, &str)]| {
            let value = |name: &str| variables.iter().find(|(given, _)| *given == name).map(|(_, value)| value.into());
            folder(value).map(|path| path.display().to_string())
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("HOME", "relative")]), None);
        assert_eq!(found(&[("HOME", "/home/a")]).as_deref(), Some("/home/a/.cache/vyre/kernels"));
        assert_eq!(found(&[("HOME", "/a"), ("XDG_CACHE_HOME", "/c")]).as_deref(), Some("/c/vyre/kernels"));
        assert_eq!(found(&[("HOME", "/a"), (VARIABLE, "/k")]).as_deref(), Some("/k"));
        assert_eq!(found(&[("HOME", "/a"), (VARIABLE, "")]), None);
    }
}
