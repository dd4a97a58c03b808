//! Programs that extract packages.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::tree::Tree;
use crate::error::Error;

/// Program that extracts packages.
#[derive(Clone, Debug)]
pub struct Extractor {
    /// Name in reports.
    pub name: String,
    kind: Kind,
    /// Path, or name in the search path.
    program: OsString,
    options: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vyre,
    Unzip,
    Tar,
    BsdTar,
    SevenZip,
    Gzip,
    Zstd,
    Lz4,
}

/// Form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveForm {
    /// Zip file.
    Zip,
    /// Tar file in a gzip stream.
    TarInGzip,
    /// Gzip stream.
    Gzip,
    /// Zstandard frame.
    Zstd,
    /// LZ4 frame.
    Lz4,
}

/// File name that peers give to the content of a stream.
const STREAM_NAME: &str = "content";

/// Cores that a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// The first core only.
    One,
    /// All cores.
    All,
}

impl Extractor {
    /// `vyre unpack` with further options.
    #[must_use]
    pub fn vyre(program: &Path, options: &[String]) -> Extractor {
        let (program, options) = (program.as_os_str().to_owned(), options.to_vec());
        Extractor { name: "**vyre unpack**".to_owned(), kind: Kind::Vyre, program, options }
    }

    /// Peers in the search path, and the names of those that are missing.
    #[must_use]
    pub fn peers() -> (Vec<Extractor>, Vec<&'static str>) {
        let all = [
            ("unzip", Kind::Unzip, &["unzip"][..]),
            ("tar", Kind::Tar, &["tar"]),
            ("bsdtar", Kind::BsdTar, &["bsdtar"]),
            ("7z", Kind::SevenZip, &["7z", "7zz", "7za"]),
            ("gzip", Kind::Gzip, &["gzip"]),
            ("zstd", Kind::Zstd, &["zstd"]),
            ("lz4", Kind::Lz4, &["lz4"]),
        ];
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for (name, kind, programs) in all {
            match programs.iter().find(|program| is_in_path(program)) {
                Some(program) => {
                    let (name, program) = (name.to_owned(), OsString::from(program));
                    found.push(Extractor { name, kind, program, options: Vec::new() });
                }
                None => missing.push(name),
            }
        }
        (found, missing)
    }

    /// Reports whether the program opens files of a form.
    #[must_use]
    pub fn opens(&self, form: ArchiveForm) -> bool {
        match self.kind {
            Kind::Vyre => true,
            Kind::Unzip => form == ArchiveForm::Zip,
            Kind::Tar => form == ArchiveForm::TarInGzip,
            Kind::BsdTar => matches!(form, ArchiveForm::Zip | ArchiveForm::TarInGzip),
            Kind::SevenZip => matches!(form, ArchiveForm::Zip | ArchiveForm::TarInGzip | ArchiveForm::Gzip),
            Kind::Gzip => form == ArchiveForm::Gzip,
            Kind::Zstd => form == ArchiveForm::Zstd,
            Kind::Lz4 => form == ArchiveForm::Lz4,
        }
    }

    /// Extracts a package into a new folder and returns the time.
    ///
    /// # Errors
    ///
    /// The program cannot be started, or fails.
    pub fn extract(&self, package: &Path, form: ArchiveForm, folder: &Path, cores: Cores) -> Result<Duration, Error> {
        fs::create_dir_all(folder).map_err(Error::of_file(folder))?;
        // Both prefixes start the program, so that the cost of the prefix is in all times.
        let mut command = Command::new(if cores == Cores::One { "taskset" } else { "env" });
        if cores == Cores::One {
            command.args(["-c", "0"]);
        }
        self.add_to(&mut command, package, form, folder);
        let failed = |message: String| Error::Process { program: self.name.clone(), message };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let start = Instant::now();
        let output = command.output().map_err(|error| failed(error.to_string()))?;
        let time = start.elapsed();
        match output.status.success() {
            true => Ok(time),
            false => {
                let message = String::from_utf8_lossy(&output.stderr);
                Err(failed(format!("{} on {}: {}", output.status, package.display(), message.trim())))
            }
        }
    }

    fn add_to(&self, command: &mut Command, package: &Path, form: ArchiveForm, folder: &Path) {
        let mut joined = OsString::from("-o");
        joined.push(folder);
        match self.kind {
            Kind::Vyre => {
                // Peers do not open nested archives. `--no-nested` would also leave a tar file in a gzip stream as it is.
                let is_nested = form == ArchiveForm::TarInGzip;
                command.arg(&self.program).args(["unpack", "--quiet"]).args((!is_nested).then_some("--no-nested"));
                command.arg("-o").arg(folder).arg(package)
            }
            Kind::Unzip => command.arg(&self.program).arg("-q").arg(package).arg("-d").arg(folder),
            Kind::Tar | Kind::BsdTar => command.arg(&self.program).arg("-xf").arg(package).arg("-C").arg(folder),
            Kind::SevenZip if form != ArchiveForm::TarInGzip => {
                command.arg(&self.program).args(["x", "-y", "-bso0", "-bsp0"]).arg(joined).arg(package)
            }
            // 7z opens one layer at a time.
            Kind::SevenZip => {
                let both = "\"$0\" x -so -tgzip \"$1\" 2>/dev/null | \"$0\" x -y -bso0 -bsp0 -si -ttar \"-o$2\"";
                command.args(["sh", "-c", both]).arg(&self.program).arg(package).arg(folder)
            }
            Kind::Gzip => {
                let command = command.args(["sh", "-c", "exec \"$0\" -dc \"$1\" >\"$2\""]).arg(&self.program);
                command.arg(package).arg(folder.join(STREAM_NAME))
            }
            Kind::Zstd => command.arg(&self.program).arg("-dqf").arg(package).arg("-o").arg(folder.join(STREAM_NAME)),
            Kind::Lz4 => command.arg(&self.program).arg("-dqf").arg(package).arg(folder.join(STREAM_NAME)),
        };
        command.args(&self.options);
    }
}

/// Folder for output, which is emptied after each run.
pub struct Scratch {
    folder: tempfile::TempDir,
    next: u32,
}

impl Scratch {
    /// Creates a folder inside another one.
    ///
    /// # Errors
    ///
    /// The folder cannot be created.
    pub fn new(inside: &Path) -> Result<Scratch, Error> {
        let folder = tempfile::Builder::new().prefix("vyre-extraction").tempdir_in(inside);
        Ok(Scratch { folder: folder.map_err(Error::of_file(inside))?, next: 0 })
    }

    /// Calls `work` with the path of a new folder, and removes the folder afterwards.
    ///
    /// # Errors
    ///
    /// `work` fails, or the folder cannot be removed.
    pub fn with<T>(&mut self, work: impl FnOnce(&Path) -> Result<T, Error>) -> Result<T, Error> {
        let folder: PathBuf = self.folder.path().join(self.next.to_string());
        self.next += 1;
        let result = work(&folder);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(Error::of_file(&folder))?;
        }
        result
    }
}

/// Extracts a package and reads the resulting folder.
///
/// # Errors
///
/// As [`Extractor::extract`].
pub fn tree_of(extractor: &Extractor, package: &Path, form: ArchiveForm, scratch: &mut Scratch) -> Result<Tree, Error> {
    scratch.with(|folder| {
        extractor.extract(package, form, folder, Cores::All)?;
        Tree::read(folder)
    })
}

fn is_in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
