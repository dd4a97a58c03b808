//! Cache of reports by content: `--cache DIR`.
//!
//! The key is a digest of all contents of the input, the options, the rules and this build of the command. A kept report has a checksum;
//! one that is damaged is ignored.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use anyhow::{Context as _, anyhow, bail};
use sha2::{Digest as _, Sha256};
use vyre::pyrograph::input::{current_folder, digest};
use vyre::pyrograph::knowledge::Knowledge;
use vyre::pyrograph::scan::{ScanOptions, ScanReport};

use super::read::read_text;
use crate::args::scan::ScanArgs;
use crate::output::{print_note, visible};

/// Largest kept report that is read.
const MAX_BYTES: u64 = 4 << 30;

/// A folder with reports.
pub(crate) struct Cache {
    folder: PathBuf,
    /// Digest of the rules of the user.
    rules: Vec<u8>,
    is_quiet: bool,
    is_verbose: bool,
}

impl Cache {
    /// The cache of the arguments. The folder is created.
    pub(crate) fn new(args: &ScanArgs) -> anyhow::Result<Option<Cache>> {
        let Some(folder) = &args.input.cache else { return Ok(None) };
        let name = visible(&folder.to_string_lossy()).into_owned();
        let unusable = || format!("cannot use the cache {name}");
        fs::create_dir_all(folder).with_context(unusable)?;
        let folder = fs::canonicalize(folder).with_context(unusable)?;
        // The scan would see its own reports, and a stranger could have put reports there.
        let project = args.input.lockfile.iter().map(|file| file.parent().unwrap_or(Path::new("")).join("."));
        let scanned: Vec<PathBuf> = args.paths.iter().chain(&args.input.compare).cloned().chain(project).collect();
        for path in scanned.iter().filter(|path| path.is_dir()) {
            if fs::canonicalize(path).is_ok_and(|path| folder.starts_with(path)) {
                bail!("the cache {name} is inside of a scanned folder; use another one");
            }
        }
        let mut hasher = Sha256::new();
        for file in &args.selection.rules {
            add(&mut hasher, read_text(file)?.as_bytes());
        }
        for rule in &args.selection.rule {
            add(&mut hasher, rule.as_bytes());
        }
        let rules = hasher.finalize().to_vec();
        let is_verbose = args.input.verbose && !args.quiet;
        Ok(Some(Cache { folder, rules, is_quiet: args.quiet, is_verbose }))
    }

    /// The report of paths: a kept one, or that of `scan`, which is kept then.
    pub(crate) fn report<E>(
        &self,
        paths: &[PathBuf],
        options: &ScanOptions,
        scan: impl FnOnce() -> Result<ScanReport, E>,
    ) -> Result<ScanReport, E> {
        // What cannot be read is an error of the scan.
        let Ok(contents) = digest(paths, options) else { return scan() };
        let file = self.folder.join(self.name(&contents, options));
        if let Some(mut report) = self.load(&file, options) {
            report.folder = current_folder(paths, &report.coverage);
            if self.is_verbose {
                print_note(&format!("cache: the report is from {}", visible(&file.to_string_lossy())));
            }
            return Ok(report);
        }
        let report = scan()?;
        if let Some(bytes) = report.to_bytes()
            && let Err(error) = self.store(&file, &bytes)
            && !self.is_quiet
        {
            print_note(&format!("warning: the report is not kept: {error:#}"));
        }
        Ok(report)
    }

    /// Name of the file of a report.
    fn name(&self, contents: &[u8], options: &ScanOptions) -> String {
        let mut options = options.clone();
        // The rules count by their texts. The others do not change a report that is kept.
        (options.knowledge, options.jobs, options.time_limit) = (None, None, None);
        let mut hasher = Sha256::new();
        add(&mut hasher, build().as_bytes());
        add(&mut hasher, format!("{options:?}").as_bytes());
        add(&mut hasher, &self.rules);
        add(&mut hasher, contents);
        let digits: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{digits}.report")
    }

    fn load(&self, file: &Path, options: &ScanOptions) -> Option<ScanReport> {
        let metadata = fs::metadata(file).ok()?;
        let knowledge = options.knowledge.clone().unwrap_or_else(Knowledge::builtin);
        let bytes = (metadata.len() <= MAX_BYTES).then(|| fs::read(file).ok()).flatten();
        let report = bytes.and_then(|bytes| ScanReport::from_bytes(&bytes, Arc::clone(&knowledge)));
        if report.is_none() && !self.is_quiet {
            let name = visible(&file.to_string_lossy()).into_owned();
            print_note(&format!("warning: {name} is damaged or of another version, and ignored"));
        }
        report
    }

    /// Writes a report atomically, so that other commands never see a part of it.
    fn store(&self, file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let mut temporary = tempfile::NamedTempFile::new_in(&self.folder)?;
        temporary.write_all(bytes)?;
        temporary.persist(file).map_err(|error| anyhow!("{}", error.error))?;
        Ok(())
    }
}

/// Adds a text with its length, which keeps neighbouring texts apart.
fn add(hasher: &mut Sha256, text: &[u8]) {
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

/// This build of the command: its version, and length and time of its file.
fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let metadata = std::env::current_exe().and_then(fs::metadata);
    let file = metadata.map(|metadata| {
        let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (metadata.len(), time.map(|time| time.as_nanos()))
    });
    format!("{version} {file:?}")
}
