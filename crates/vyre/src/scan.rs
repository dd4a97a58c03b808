//! Scan of a package in one call.

use std::path::Path;

use crate::error::Error;
use crate::pyrograph::scan::{ScanControl, ScanOptions, ScanReport, scan as scan_paths};
use crate::session::Session;

/// Finds which untrusted inputs of a package reach which dangerous calls, with every step between them.
///
/// The path is an archive (npm `.tgz`, zip, archives inside archives), a folder or a file with JavaScript, TypeScript or Python. Nothing
/// of it is executed. [`ScanOptions::default`] uses the built-in rules, and the threat model that `package.json` suggests. The
/// scan runs on the CPU; [`Session::scan`] runs it on the device of a session.
///
/// A file that cannot be parsed is no error: [`ScanReport::coverage`] lists it, and
/// [`is_incomplete`](crate::pyrograph::coverage::Coverage::is_incomplete) is true then.
/// [`report::write`](crate::pyrograph::report::write) writes text, JSON or SARIF.
///
/// ```
/// use vyre::pyrograph::scan::ScanOptions;
///
/// # let directory = std::env::temp_dir().join(format!("vyre-scan-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory)?;
/// # let file = directory.join("server.js");
/// let code = "require('child_process').exec(process.argv[2]);";
/// std::fs::write(&file, code)?;
/// let report = vyre::scan(&file, &ScanOptions::default())?;
/// for finding in &report.findings {
///     println!("{}: {}", report.knowledge.rules[finding.rule].id, finding.message);
/// }
/// assert!(!report.coverage.is_incomplete());
/// # std::fs::remove_dir_all(&directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Scan`]: the path does not exist, rules or patterns are not valid, or the engine failed.
pub fn scan(path: impl AsRef<Path>, options: &ScanOptions) -> Result<ScanReport, Error> {
    Session::new()?.scan(path, options)
}

impl Session {
    /// Finds which untrusted inputs of a package reach which dangerous calls, as [`scan`] does, on the device of the session.
    ///
    /// # Errors
    ///
    /// As [`scan`].
    pub fn scan(&self, path: impl AsRef<Path>, options: &ScanOptions) -> Result<ScanReport, Error> {
        let paths = [path.as_ref().to_owned()];
        Ok(scan_paths(&paths, options, self.device().clone(), &ScanControl::default())?)
    }
}
