//! Wheels of PyPI, or of the index that pip is configured for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context as _, bail};

use super::program::{archive, failure, run};
use super::spec::Spec;

/// Programs that are pip, with the arguments before those of pip.
const PROGRAMS: [(&str, &[&str]); 3] = [("pip", &[]), ("pip3", &[]), ("python3", &["-m", "pip"])];

/// Fetches a wheel with `pip download`, which verifies it against the checksum of the index and installs nothing.
///
/// Source archives are refused: pip runs their code to learn what they are.
pub(super) fn fetch(spec: &Spec, folder: &Path) -> anyhow::Result<PathBuf> {
    let package = spec.argument();
    let arguments: [&OsStr; 12] = [
        "download".as_ref(),
        "--no-deps".as_ref(),
        "--only-binary".as_ref(),
        ":all:".as_ref(),
        "--no-input".as_ref(),
        "--disable-pip-version-check".as_ref(),
        "--progress-bar".as_ref(),
        "off".as_ref(),
        "--dest".as_ref(),
        folder.as_os_str(),
        "--".as_ref(),
        package.as_ref(),
    ];
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).context("cannot create a temporary folder")?;
    for (program, before) in PROGRAMS {
        let before = before.iter().map(OsStr::new);
        let arguments: Vec<&OsStr> = before.chain(arguments).collect();
        match run(program, &arguments, &empty)? {
            None => {}
            Some(output) if output.status.success() => return archive("pip download", folder, |_| true),
            Some(output) if has_no_pip(program, &output) => {}
            Some(output) => return Err(explained(spec, &output)),
        }
    }
    bail!("`pip` is not installed, or not in PATH; it fetches packages of PyPI");
}

/// True for a Python without pip.
fn has_no_pip(program: &str, output: &Output) -> bool {
    program == "python3" && String::from_utf8_lossy(&output.stderr).contains("No module named pip")
}

/// Error of pip. One about missing wheels says what to do.
fn explained(spec: &Spec, output: &Output) -> anyhow::Error {
    let error = failure("pip download", output);
    let text = String::from_utf8_lossy(&output.stderr);
    if !text.contains("No matching distribution found") && !text.contains("Could not find a version") {
        return error;
    }
    let name = &spec.name;
    error.context(format!(
        "there is no such version, or no wheel of it for this machine. A source archive is not fetched, because pip runs its code: \
         download that of {name} with a browser and scan the file"
    ))
}
