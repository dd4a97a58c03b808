//! Digest of what decides which findings a scan can have. A baseline with another one proves nothing about findings that are gone.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::read::read_text;
use crate::args::scan::ScanArgs;

/// Digest of the paths, options and rules of a scan.
///
/// Files stand for each other: the releases of a package are archives with different names.
pub(crate) fn selection(args: &ScanArgs) -> anyhow::Result<String> {
    let (selection, running) = (&args.selection, &args.running);
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn std::fmt::Debug| {
        // A string takes all texts.
        let _ = writeln!(text, "{name} {value:?}");
    };
    let mut paths: Vec<String> = args.paths.iter().filter(|path| path.is_dir()).map(|path| name(path)).collect();
    paths.sort_unstable();
    paths.dedup();
    line("folders", &paths);
    line("files", &args.paths.iter().any(|path| !path.is_dir()));
    line("include", &selection.include);
    line("exclude", &selection.exclude);
    line("rule", &selection.rule);
    line("sources", &selection.sources);
    line("dependencies", &(selection.dependencies, selection.with_deps));
    line("limits", &(running.effort, running.memory, running.max_file));
    for file in &selection.rules {
        line("rules", &read_text(file)?);
    }
    let digest = Sha256::digest(text.as_bytes());
    Ok(digest.iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")))
}

/// Name of a folder without the parts that mean nothing: `./a/` is `a`.
fn name(path: &std::path::Path) -> String {
    let parts = path.components().filter(|part| *part != std::path::Component::CurDir);
    parts.collect::<std::path::PathBuf>().to_string_lossy().into_owned()
}
