//! File with the calibration of this machine.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use vyre::engine::dataflow::cost::{Machine, machine_identity};

use crate::cache_path::cache_path;
use crate::output::visible;
use crate::termination::Registration;

/// Maximum size of a file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 16;

/// The file of the calibration, or `None` if there is no place for it. `VYRE_CALIBRATION` names another file.
pub(crate) fn calibration_file() -> Option<PathBuf> {
    cache_path("VYRE_CALIBRATION", "calibration")
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

/// Place of a new calibration. It is opened before the measurement, so that a place that cannot be written fails at once.
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
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    Ok(Registration::create(|| tempfile::NamedTempFile::new_in(folder))?)
}
