//! Harness: runs the binary in a temporary directory.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

/// A valid program in canonical form.
pub(crate) const VALID: &str = include_str!("../fixtures/valid.vyre");

/// A program that breaks V005 once.
pub(crate) const INVALID: &str =
    "workgroup_size 64, 1, 1;\n\nbuffer data: read u32 @0;\n\nentry {\n    data[0] = 1;\n}\n";

/// A text with a syntax error.
pub(crate) const NO_PROGRAM: &str = "workgroup_size 64, 1, 1;\n\nentry {\n    let x = ;\n}\n";

/// A program that is not in canonical form, with a comment and a number that formatting must preserve.
pub(crate) const UGLY: &str = "workgroup_size 64;\nentry { // why\nlet x=0x10+1; }\n";

/// The canonical form of [`UGLY`].
pub(crate) const PRETTY: &str = "workgroup_size 64, 1, 1;\n\nentry { // why\n    let x = 0x10 + 1;\n}\n";

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is UTF-8")
    }
}

/// The binary, in `directory`, without the settings of the user who runs the tests.
pub(crate) fn vyre(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vyre"));
    command.current_dir(directory).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "CI"] {
        command.env_remove(variable);
    }
    command.env("VYRE_CALIBRATION", "");
    command
}

/// Runs a command to completion.
pub(crate) fn finish(command: &mut Command) -> Run {
    let output = command.output().expect("the binary starts");
    Run {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    }
}

/// An archive of these files, as registries have them.
pub(crate) fn archive_of<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append_data(&mut header, path, bytes).expect("an entry");
    }
    tar.into_inner().expect("a tar").finish().expect("a gzip")
}

/// A temporary directory with files, removed on drop.
pub(crate) struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    /// A directory with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox { directory: TempDir::new().expect("a temporary directory") };
        for (name, contents) in files {
            sandbox.write(name, contents.as_bytes());
        }
        sandbox
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file and creates its parent directories.
    pub(crate) fn write(&self, name: &str, contents: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a path below the root")).expect("directories");
        fs::write(path, contents).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file exists")
    }

    pub(crate) fn read_text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("the file is UTF-8")
    }

    /// The names of everything in the directory, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).expect("the directory exists");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries.map(name).map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs the binary.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        finish(vyre(self.root()).args(args))
    }

    /// Runs the binary with this standard input.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        let mut command = vyre(self.root());
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        // The binary does not read its input if its arguments are invalid.
        match stdin.write_all(input) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            result => result.expect("the binary reads its input"),
        }
        drop(stdin);
        let output = child.wait_with_output().expect("the binary ends");
        Run {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }
}
