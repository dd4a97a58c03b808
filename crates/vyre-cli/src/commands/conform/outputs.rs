//! Results of a run: failing programs, the certificate, the report for CI systems, and standard output.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use vyre::conform::certificate::{Certificate, junit, text};

use super::failures;
use crate::args::conform::{ConformArgs, ConformFormat};
use crate::output::{STDOUT, counted, plain_stdout, print_note, visible};
use crate::write::{check_file, is_same_file, write_file};

/// Checks that all files can be written, and creates the folder of failures. A run can take hours, and its results must not be lost.
pub(super) fn check(args: &ConformArgs) -> anyhow::Result<()> {
    if let (Some(out), Some(junit)) = (&args.out, &args.junit)
        && is_one_file(out, junit)
    {
        bail!("`--out` and `--junit` name one file, {}", visible(&out.to_string_lossy()));
    }
    for file in args.out.iter().chain(&args.junit) {
        check_file(file)?;
    }
    if let Some(folder) = &args.failures {
        failures::create(folder)?;
        check_file(&folder.join("new.vyre"))?;
    }
    Ok(())
}

/// Reports whether two paths name one file, which may not exist. All results can go to a pipe or a device.
pub(super) fn is_one_file(one: &Path, other: &Path) -> bool {
    let is_stream = fs::metadata(one).is_ok_and(|metadata| !metadata.is_file());
    !is_stream && (is_same_file(one, other) || resolved(one) == resolved(other))
}

/// The path with its folder resolved.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or_else(|| path.to_owned(), |name| folder.join(name))
}

/// Writes all results. Returns the errors of those that cannot be written; the others are.
pub(super) fn write(args: &ConformArgs, certificate: &Certificate) -> Vec<anyhow::Error> {
    let file = |path: &Option<PathBuf>, contents: &dyn Fn() -> String| match path {
        Some(path) => write_file(path, contents().as_bytes()),
        None => Ok(()),
    };
    let results = [
        write_failures(args, certificate),
        file(&args.out, &|| certificate.to_json()),
        file(&args.junit, &|| junit(certificate, &args.only)),
        print(args, certificate),
    ];
    results.into_iter().filter_map(Result::err).collect()
}

fn write_failures(args: &ConformArgs, certificate: &Certificate) -> anyhow::Result<()> {
    let Some(folder) = &args.failures else { return Ok(()) };
    let written = failures::write(folder, certificate, args)?;
    if written > 0 && !args.quiet {
        print_note(&format!("{} in {}", counted(written, "failure"), visible(&folder.to_string_lossy())));
    }
    Ok(())
}

fn print(args: &ConformArgs, certificate: &Certificate) -> anyhow::Result<()> {
    let shown = match args.format {
        ConformFormat::Human => text(certificate),
        ConformFormat::Json => certificate.to_json(),
    };
    let mut out = plain_stdout();
    out.write_all(shown.as_bytes()).and_then(|()| out.flush()).context(STDOUT)
}
