//! File with the calibration of this machine.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use vyre::engine::dataflow::cost::{Machine, machine_identity};

use crate::cache_path::cache_path;
use crate::output::visible;
use crate::termination::Registration;

/// Maximum size of a file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 16;

/// Variable of the environment that names another file.
const VARIABLE: &str = "VYRE_CALIBRATION";

/// Begin of the names of temporary files, which have [`RANDOM_LENGTH`] more characters and an extension.
const PREFIX: &str = ".vyre-calibration-";
/// Number of random characters in the name of a temporary file.
const RANDOM_LENGTH: usize = 12;
/// Extensions of temporary files: of a new calibration, and of the graph that is measured.
const EXTENSIONS: [&str; 2] = [".tmp", ".vgr"];

/// Time after which a temporary file is one of a command that was killed.
const STALE: Duration = Duration::from_secs(3_600);

/// The file of the calibration, or `None` if there is no place for it. `VYRE_CALIBRATION` names another file.
pub(crate) fn calibration_file() -> Option<PathBuf> {
    cache_path(VARIABLE, "calibration")
}

/// Speed of this machine: that of its calibration, or that of a typical machine. A calibration that cannot be used is reported by
/// `note` and ignored. A calibration holds for all threads; another number of threads scales it.
pub(crate) fn machine(threads: Option<usize>, note: impl Fn(&str)) -> Machine {
    let machine = calibrated(note);
    match threads.filter(|&threads| threads > 0) {
        Some(threads) => machine.with_threads(threads),
        None => machine,
    }
}

/// Speed of this machine with all threads.
fn calibrated(note: impl Fn(&str)) -> Machine {
    let read = calibration_file().map(|file| (read(&file), file));
    match read {
        Some((Ok(Some(machine)), _)) => machine,
        Some((Err(error), file)) => {
            let file = file.display().to_string();
            note(&format!(
                "the calibration {} is ignored: {error:#}; `vyre devices --calibrate` measures this machine",
                visible(&file)
            ));
            Machine::default()
        }
        _ => Machine::default(),
    }
}

/// Reads a calibration; `None` if there is no file.
fn read(file: &Path) -> anyhow::Result<Option<Machine>> {
    match std::fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // Reading a pipe could wait forever, and some devices have no end.
        Ok(metadata) if !metadata.is_file() => bail!("it is no regular file"),
        Ok(metadata) if metadata.len() > MAX_BYTES => bail!("it is too long"),
        _ => {}
    }
    let text = std::fs::read_to_string(file)?;
    Ok(Some(Machine::from_text(&text, &machine_identity())?))
}

/// Place of a new calibration, and of the graph that is measured. Files are beside the calibration, so that the next calibration deletes
/// what a killed command left. The place is opened before the measurement, so that a place that cannot be written fails at once.
pub(crate) struct NewCalibration {
    file: PathBuf,
    /// It is dropped before its entry.
    temporary: tempfile::NamedTempFile,
    _registration: Registration,
}

impl NewCalibration {
    pub(crate) fn new() -> anyhow::Result<NewCalibration> {
        let Some(file) = calibration_file() else {
            bail!("there is no folder for the calibration; name a file with the variable VYRE_CALIBRATION");
        };
        let (registration, temporary) =
            place(&file).with_context(|| visible(&file.display().to_string()).into_owned())?;
        Ok(NewCalibration { file, temporary, _registration: registration })
    }

    /// Creates a file for the graph that is measured.
    pub(crate) fn graph_file(&self) -> anyhow::Result<(Registration, tempfile::NamedTempFile)> {
        let folder = folder_of(&self.file);
        let create = || temporary(EXTENSIONS[1]).tempfile_in(folder);
        Registration::create(create).with_context(|| visible(&folder.display().to_string()).into_owned())
    }

    /// Writes the calibration of this machine. Returns its path.
    pub(crate) fn save(self, machine: &Machine) -> anyhow::Result<PathBuf> {
        let NewCalibration { file, mut temporary, _registration } = self;
        io::Write::write_all(&mut temporary, machine.to_text(&machine_identity()).as_bytes())
            .and_then(|()| temporary.persist(&file).map_err(|error| error.error))
            .with_context(|| visible(&file.display().to_string()).into_owned())?;
        Ok(file)
    }
}

/// Creates a temporary file beside a file that it may replace.
fn place(file: &Path) -> anyhow::Result<(Registration, tempfile::NamedTempFile)> {
    if std::fs::symlink_metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
        bail!("it is no regular file, so it is not replaced");
    }
    let folder = folder_of(file);
    std::fs::create_dir_all(folder)?;
    remove_stale(folder);
    let mut builder = temporary(EXTENSIONS[0]);
    // A calibration has no code. Where the user names a file, others may read it as far as the umask permits.
    #[cfg(unix)]
    if std::env::var_os(VARIABLE).is_some() {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    Ok(Registration::create(|| builder.tempfile_in(folder))?)
}

/// Folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Builder of a temporary file.
fn temporary(extension: &'static str) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM_LENGTH).suffix(extension);
    builder
}

/// Deletes temporary files of commands that were killed.
fn remove_stale(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        let is_stale = entry.metadata().is_ok_and(|metadata| {
            let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok());
            metadata.is_file() && age.is_some_and(|age| age > STALE)
        });
        if is_stale {
            // A file of another user may remain.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// True for the name of a temporary file.
fn is_temporary(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let random = rest.and_then(|rest| EXTENSIONS.iter().find_map(|extension| rest.strip_suffix(extension)));
    random
        .is_some_and(|random| random.len() == RANDOM_LENGTH && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use std::fs::{File, write};
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn files_of_killed_calibrations_are_deleted_and_no_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = |path: &Path| {
            let time = SystemTime::now() - 2 * STALE;
            File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_modified(time))
                .expect("the owner may set times");
        };
        let created = |extension| {
            let (file, path) =
                temporary(extension).tempfile_in(folder.path()).expect("is created").keep().expect("is kept");
            drop(file);
            path
        };
        let [stale, graph, young] = [EXTENSIONS[0], EXTENSIONS[1], EXTENSIONS[0]].map(created);
        let others = ["calibration", ".vyre-calibration-notes.tmp", ".tmpAb12Cd", "vyre-Ab12.vgr"]
            .map(|name| folder.path().join(name));
        for other in &others {
            write(other, "x").expect("is written");
        }
        others.iter().chain([&stale, &graph]).for_each(|path| old(path));
        remove_stale(folder.path());
        assert!(!stale.exists() && !graph.exists() && young.exists());
        assert!(others.iter().all(|other| other.exists()));
    }
}
