//! Archives of the dependencies of a lockfile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;
use tempfile::TempDir;
use vyre::pyrograph::coverage::FileRecord;
use vyre::pyrograph::knowledge::Severity;
use vyre::pyrograph::scan::ScanReport;

use super::integrity::verify;
use super::parse::{Lockfile, Origin};
use crate::fetch::{Spec, fetch, fetch_several};
use crate::graph::Bar;

/// Packages that one run of npm fetches.
const BATCH: usize = 25;

/// A version of a package, which may be in several folders.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Folders of the lockfile.
    pub(crate) folders: Vec<String>,
    pub(crate) is_development: bool,
    /// Archive, or the reason why there is none.
    pub(crate) archive: Result<PathBuf, String>,
    /// The lockfile has a checksum, and the archive has it.
    pub(crate) is_verified: bool,
}

/// Result of a package.
#[derive(Debug)]
pub(crate) enum PackageResult {
    Scanned(Scanned),
    /// The archive exists, but was not scanned: the reason.
    NotScanned(String),
}

/// Part of the report of a package that is kept. Whole reports of all packages, with their texts, could exceed the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// Number of findings by severity, from the worst.
    pub(crate) severities: Vec<(Severity, usize)>,
    /// Some code was not analysed.
    pub(crate) is_incomplete: bool,
    /// Packages that the code imports.
    pub(crate) imports: BTreeSet<String>,
    /// Versions of the packages inside of the archive, by folder: `node_modules/a`. Empty: the manifest has none.
    pub(crate) bundled: BTreeMap<String, String>,
}

impl Scanned {
    pub(crate) fn new(report: &ScanReport) -> Scanned {
        let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
        for finding in &report.findings {
            *counts.entry(finding.severity).or_default() += 1;
        }
        Scanned {
            severities: counts.into_iter().rev().collect(),
            is_incomplete: report.coverage.is_incomplete(),
            imports: report.libraries.iter().map(|library| library.package.clone()).collect(),
            bundled: bundled(&report.coverage.files),
        }
    }

    /// Number of findings.
    pub(crate) fn findings(&self) -> usize {
        self.severities.iter().map(|(_, count)| count).sum()
    }
}

/// Versions of the packages in the folders of dependencies of an archive.
fn bundled(files: &[FileRecord]) -> BTreeMap<String, String> {
    let manifest = |file: &FileRecord| {
        // The files of an archive of npm are in one folder.
        let (_, path) = file.path.split_once('/')?;
        let folder = path.strip_suffix("/package.json").filter(|folder| folder.starts_with("node_modules/"))?;
        let manifest: Value = serde_json::from_str(file.text.as_deref().unwrap_or_default()).unwrap_or_default();
        Some((folder.to_owned(), manifest["version"].as_str().unwrap_or_default().to_owned()))
    };
    files.iter().filter_map(manifest).collect()
}

/// Packages of a lockfile.
#[derive(Debug)]
pub(crate) struct Packages {
    pub(crate) packages: Vec<Package>,
    _folder: TempDir,
}

/// Fetches all packages of a lockfile and verifies their checksums.
pub(crate) fn fetch_all(lockfile: &Lockfile, bar: &Bar, is_cancelled: &dyn Fn() -> bool) -> anyhow::Result<Packages> {
    let folder = tempfile::Builder::new().prefix("vyre-").tempdir().context("cannot create a temporary folder")?;
    let mut packages: BTreeMap<(&str, &str, Option<&str>, &Origin), Package> = BTreeMap::new();
    for (path, entry) in &lockfile.entries {
        let archive = match &entry.origin {
            Origin::Bundled => continue,
            Origin::Registry => Err("not fetched".to_owned()),
            Origin::Elsewhere(address) => Err(format!("it is not from a registry: {address}")),
        };
        let key = (entry.name.as_str(), entry.version.as_str(), entry.integrity.as_deref(), &entry.origin);
        let package = packages.entry(key).or_insert_with(|| Package {
            name: entry.name.clone(),
            version: entry.version.clone(),
            folders: Vec::new(),
            is_development: true,
            archive,
            is_verified: false,
        });
        package.folders.push(path.clone());
        package.is_development &= entry.is_development;
    }
    let checksums: Vec<Option<String>> =
        packages.keys().map(|(_, _, integrity, _)| integrity.map(str::to_owned)).collect();
    let mut packages: Vec<Package> = packages.into_values().collect();
    let is_of_registry = |package: &Package| {
        package
            .folders
            .first()
            .and_then(|path| lockfile.entries.get(path))
            .is_some_and(|entry| entry.origin == Origin::Registry)
    };
    let wanted: Vec<usize> = (0..packages.len()).filter(|&position| is_of_registry(&packages[position])).collect();
    for (number, batch) in wanted.chunks(BATCH).enumerate() {
        bar.count("fetching packages", (number * BATCH) as u64, wanted.len() as u64);
        if is_cancelled() {
            break;
        }
        fetch_batch(&mut packages, batch, &folder.path().join(number.to_string()));
    }
    for (package, integrity) in packages.iter_mut().zip(checksums) {
        let (Ok(archive), Some(integrity)) = (&package.archive, integrity) else { continue };
        match verify(archive, &integrity) {
            Ok(()) => package.is_verified = true,
            Err(error) => package.archive = Err(format!("{error:#}")),
        }
    }
    bar.clear();
    Ok(Packages { packages, _folder: folder })
}

/// Fetches some packages with one run of npm, and those that fail one by one, so that each has its own error.
fn fetch_batch(packages: &mut [Package], batch: &[usize], folder: &Path) {
    let mut specs: Vec<(usize, Spec)> = Vec::new();
    for &position in batch {
        match Spec::npm(&packages[position].name, &packages[position].version) {
            Ok(spec) => specs.push((position, spec)),
            Err(error) => packages[position].archive = Err(format!("{error:#}")),
        }
    }
    if std::fs::create_dir(folder).is_err() {
        return;
    }
    let all: Vec<&Spec> = specs.iter().map(|(_, spec)| spec).collect();
    let archives = if all.is_empty() { Vec::new() } else { fetch_several(&all, folder) };
    for ((position, spec), archive) in specs.iter().zip(archives) {
        packages[*position].archive = match archive {
            Some(archive) => Ok(archive),
            None => {
                let own = folder.join(position.to_string());
                let fetched = std::fs::create_dir(&own).map_err(anyhow::Error::from).and_then(|()| fetch(spec, &own));
                fetched.map_err(|error| format!("{error:#}"))
            }
        };
    }
}
