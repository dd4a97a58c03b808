//! Archives of npm.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context as _, bail};

use super::program::{archive, failure, run};
use super::spec::Spec;

/// The program. npm is a script on Windows.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Fetches an archive with `npm pack`, which verifies it against the checksum of the registry and installs nothing.
pub(super) fn fetch(spec: &Spec, folder: &Path) -> anyhow::Result<PathBuf> {
    let output = pack(&[spec], folder)?;
    if !output.status.success() {
        return Err(failure("npm pack", &output));
    }
    archive("npm pack", folder, |name| name.ends_with(".tgz"))
}

/// Fetches several archives with one run. Packages that npm did not fetch have none, and neither have those whose archives would have
/// the same name, such as `@a/b` and `a-b`.
pub(super) fn fetch_several(specs: &[&Spec], folder: &Path) -> Vec<Option<PathBuf>> {
    let names: Vec<String> = specs.iter().map(|spec| file_name(spec)).collect();
    let is_alone = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    let together: Vec<&Spec> =
        specs.iter().zip(&names).filter(|(_, name)| is_alone(name)).map(|(spec, _)| *spec).collect();
    if !together.is_empty() {
        // Errors show again when a package is fetched by itself.
        let _ = pack(&together, folder);
    }
    let archive = |name: &String| Some(folder.join(name)).filter(|archive| is_alone(name) && archive.is_file());
    names.iter().map(archive).collect()
}

/// Name of the archive that npm writes.
fn file_name(spec: &Spec) -> String {
    let name = spec.name.trim_start_matches('@').replace('/', "-");
    format!("{name}-{}.tgz", spec.version.as_deref().unwrap_or_default())
}

/// Runs `npm pack`.
fn pack(specs: &[&Spec], folder: &Path) -> anyhow::Result<Output> {
    let packages: Vec<String> = specs.iter().map(|spec| spec.argument()).collect();
    let mut arguments: Vec<&OsStr> = vec![
        "pack".as_ref(),
        // Packages of a registry have been packed already; scripts run for folders and repositories only.
        "--ignore-scripts".as_ref(),
        "--loglevel=error".as_ref(),
        "--pack-destination".as_ref(),
        folder.as_os_str(),
        "--".as_ref(),
    ];
    arguments.extend(packages.iter().map(OsStr::new));
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).context("cannot create a temporary folder")?;
    let Some(output) = run(NPM, &arguments, &empty)? else {
        bail!("`npm` is not installed, or not in PATH; it fetches packages of npm");
    };
    Ok(output)
}
