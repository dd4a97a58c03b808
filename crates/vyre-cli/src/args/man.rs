//! Arguments of `vyre man`.

use std::path::PathBuf;

use clap::Args;

/// Write manual pages
///
/// Writes a page for each command to a folder, which is made if it does not exist: vyre.1, vyre-scan.1, vyre-graph-bfs.1 and so on. The
/// pages have the texts of `--help`. Other files of the folder are left alone.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  the pages were written
  2  the folder or a page could not be written

Examples:
  vyre man ~/.local/share/man/man1     install the pages for `man vyre-scan`
  vyre man pages && man ./pages/vyre-scan.1")]
pub(crate) struct ManArgs {
    /// Folder for the pages
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}
