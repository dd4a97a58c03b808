//! Paths in the cache folder of the user.

use std::ffi::OsString;
use std::path::PathBuf;

/// Path of a file or folder in the cache of the user; `None` if it is off or the system has no such folder.
///
/// The variable of the environment names another path. An empty value turns the cache off.
pub(crate) fn cache_path(variable: &str, name: &str) -> Option<PathBuf> {
    path(variable, name, |name| std::env::var_os(name))
}

fn path(variable: &str, name: &str, value: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(path) = value(variable) {
        return (!path.is_empty()).then(|| PathBuf::from(path));
    }
    let absolute = |name| value(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = match cfg!(windows) {
        true => absolute("LOCALAPPDATA")?,
        false => absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?,
    };
    Some(caches.join("vyre").join(name))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_path_follows_the_variables() {
        let found = |variables: &[(&str, &str)]| {
            let value = |name: &str| variables.iter().find(|(given, _)| *given == name).map(|(_, value)| value.into());
            path("VYRE_KERNEL_CACHE", "kernels", value).map(|path| path.display().to_string())
        };
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("HOME", "relative")]), None);
        assert_eq!(found(&[("HOME", "/home/a")]).as_deref(), Some("/home/a/.cache/vyre/kernels"));
        assert_eq!(found(&[("HOME", "/a"), ("XDG_CACHE_HOME", "/c")]).as_deref(), Some("/c/vyre/kernels"));
        assert_eq!(found(&[("HOME", "/a"), ("VYRE_KERNEL_CACHE", "/k")]).as_deref(), Some("/k"));
        assert_eq!(found(&[("HOME", "/a"), ("VYRE_KERNEL_CACHE", "")]), None);
    }
}
