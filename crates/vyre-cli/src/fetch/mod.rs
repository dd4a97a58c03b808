//! Packages of registries, fetched as archives with the user's own npm or pip.
//!
//! Nothing of a package is built, installed or executed. Archives are in a temporary folder, which is removed at the end.

mod npm;
mod pip;
mod program;
mod spec;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::TempDir;

use crate::graph::Bar;
use crate::output::visible;

use spec::Registry;
pub(crate) use spec::Spec;

/// A path to scan, which may be a package of a registry.
#[derive(Debug)]
pub(crate) struct Fetched {
    /// Path of a file or folder.
    pub(crate) path: PathBuf,
    /// Path or package as the user wrote it.
    pub(crate) name: String,
    /// Folder of the archive, which is removed when it is dropped. None: the path is the user's own.
    _folder: Option<TempDir>,
}

impl Fetched {
    /// Fetches a package, or takes a path as it is.
    pub(crate) fn new(path: &Path, bar: &Bar) -> anyhow::Result<Fetched> {
        let name = visible(&path.to_string_lossy()).into_owned();
        let Some(spec) = Spec::of_path(path)? else {
            return Ok(Fetched { path: path.to_owned(), name, _folder: None });
        };
        let folder = tempfile::Builder::new().prefix("vyre-").tempdir().context("cannot create a temporary folder")?;
        bar.working("fetching");
        let path = fetch(&spec, folder.path()).with_context(|| format!("cannot fetch {spec}"))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        bar.note(&format!("fetched {spec}: {}", visible(&file)));
        Ok(Fetched { path, name, _folder: Some(folder) })
    }
}

/// Paths to scan.
#[derive(Debug)]
pub(crate) struct Inputs {
    /// Paths of files and folders.
    pub(crate) paths: Vec<PathBuf>,
    /// Keeps the archives until the end of the scan.
    _fetched: Vec<Fetched>,
}

impl Inputs {
    /// Fetches the packages among the paths. A package must be the only path: reports name files by their path in it.
    pub(crate) fn fetch(paths: &[PathBuf], bar: &Bar) -> anyhow::Result<Inputs> {
        for path in paths.iter().filter(|_| paths.len() > 1) {
            if let Some(spec) = Spec::of_path(path)? {
                bail!("{spec} is a package of a registry, which must be the only path of a scan");
            }
        }
        let fetched: Vec<Fetched> = paths.iter().map(|path| Fetched::new(path, bar)).collect::<anyhow::Result<_>>()?;
        Ok(Inputs { paths: fetched.iter().map(|fetched| fetched.path.clone()).collect(), _fetched: fetched })
    }
}

/// Fetches packages of npm into an empty folder. Those that cannot be fetched together have none.
pub(crate) fn fetch_several(specs: &[&Spec], folder: &Path) -> Vec<Option<PathBuf>> {
    npm::fetch_several(specs, folder)
}

/// Fetches the archive of a package into an empty folder.
pub(crate) fn fetch(spec: &Spec, folder: &Path) -> anyhow::Result<PathBuf> {
    match spec.registry {
        Registry::Npm => npm::fetch(spec, folder),
        Registry::Pypi => pip::fetch(spec, folder),
    }
}
