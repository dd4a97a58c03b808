//! Outputs that would replace a file that the scan reads.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use vyre::pyrograph::input::is_read_by_name;
use vyre::pyrograph::report::PAGE_MARK;

use crate::output::visible;

/// Bytes of the beginning of a file that tell a page and a script.
const BEGINNING: u64 = 4096;

/// Refuses an output in a scanned folder that replaces code, a manifest or an archive. A page of an earlier scan may be replaced.
pub(crate) fn refuse_scanned_file(output: &Path, scanned: &[PathBuf]) -> anyhow::Result<()> {
    let Ok(file) = output.canonicalize() else { return Ok(()) };
    let is_inside =
        |folder: &PathBuf| folder.is_dir() && folder.canonicalize().is_ok_and(|folder| file.starts_with(folder));
    if !file.is_file() || !scanned.iter().any(is_inside) {
        return Ok(());
    }
    let mut beginning = Vec::new();
    // A file that cannot be read cannot be replaced either, and that error says more.
    let _ = File::open(&file).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    let has = |mark: &str| beginning.windows(mark.len()).any(|part| part == mark.as_bytes());
    let is_script = beginning.starts_with(b"#!");
    if (is_script || is_read_by_name(&file.to_string_lossy())) && !has(PAGE_MARK) {
        let name = visible(&output.to_string_lossy()).into_owned();
        bail!("{name} is one of the files that are scanned; name another file with `-o`");
    }
    Ok(())
}
