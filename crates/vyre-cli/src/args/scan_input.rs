//! Arguments of `vyre scan` that say what is scanned.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

/// Input and configuration of a scan.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct ScanInputArgs {
    /// Compare with an older version: report new and vanished findings and capabilities
    ///
    /// OLD is an archive, a folder, a file, or a package of a registry, and so is the path to scan. Capabilities are the network,
    /// processes, files, the environment, code made at run time, native code, and scripts of the installation. The exit code
    /// is 1 if a finding or a capability is new.
    #[arg(long, value_name = "OLD", conflicts_with = "explain_missing")]
    pub(crate) compare: Option<PathBuf>,

    /// Scan the dependencies of a `package-lock.json`, fetched with npm, one line each
    ///
    /// Checksums of the lockfile are verified. A dependency is reachable if a chain of imports leads to it from the code in the
    /// folder of the lockfile. Packages that cannot be fetched make the scan incomplete.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "compare", "explain_missing"])]
    pub(crate) lockfile: Option<PathBuf>,

    /// Project configuration; the default is `vyre.toml` of the scanned folder, if it has one
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,

    /// Use no project configuration
    #[arg(long)]
    pub(crate) no_config: bool,

    /// Keep reports in this folder, and use them again for the same contents, options and rules
    ///
    /// The folder must not be inside of a scanned folder. Nothing is ever removed from it.
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Print notes about every stage, the cache and the configuration
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Options of the command line, which take precedence over the configuration.
    #[arg(skip)]
    pub(crate) given: Vec<String>,

    /// Description of the configuration, for reports.
    #[arg(skip)]
    pub(crate) configuration: Option<String>,
}

impl ScanInputArgs {
    /// Notes which options the command line has.
    pub(super) fn note_given(&mut self, matches: &ArgMatches) {
        let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        self.given = matches.ids().map(clap::Id::as_str).filter(is_given).map(str::to_owned).collect();
    }
}
