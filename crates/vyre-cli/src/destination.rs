//! Destination of a result: a file that is replaced atomically, or standard output.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anstream::StripStream;
use anyhow::{Context as _, bail};

use crate::input::Input;
use crate::output::{STDOUT, plain_stdout, print_note, styled_stdout, visible};
use crate::write::{is_same_file, stream_file, write_file};

/// Destination of a result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    /// A file that the arguments name.
    Named(PathBuf),
    /// A file in the directory of the input; its name is printed.
    Beside(PathBuf),
}

impl Destination {
    /// Destination that `--output` names: a file, or standard output for `-` or a missing flag.
    pub(crate) fn new(output: Option<PathBuf>) -> Destination {
        match output {
            Some(path) if path.as_os_str() != "-" => Destination::Named(path),
            _ => Destination::Stdout,
        }
    }

    /// Rejects an output file that is the input. If `binary` names a binary form, also rejects terminals.
    pub(crate) fn check(&self, input: &Input, binary: Option<&str>) -> anyhow::Result<()> {
        match (self, binary) {
            (Destination::Stdout, Some(form)) if io::stdout().is_terminal() => {
                bail!("{form} is not for terminals; name a file with `-o`, or redirect standard output")
            }
            (Destination::Stdout, _) => Ok(()),
            (Destination::Named(path) | Destination::Beside(path), _) => {
                let name = visible(&path.to_string_lossy()).into_owned();
                // A terminal can be both input and output; a file cannot.
                if matches!(input, Input::File(source) if path.is_file() && is_same_file(source, path)) {
                    bail!("{name} is the input itself; name another file with `-o`");
                }
                match binary {
                    Some(form) if is_terminal(path) => bail!("{form} is not for terminals, and {name} is one"),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Calls `write` with a destination for coloured text. A file receives the text without colours, atomically.
    pub(crate) fn write_text(&self, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
        if *self == Destination::Stdout {
            return write(&mut styled_stdout());
        }
        let mut text = StripStream::new(Vec::new());
        write(&mut text)?;
        self.write(&text.into_inner())
    }

    /// Calls `write` with a destination for streamed bytes. A file is replaced atomically when all bytes are written.
    pub(crate) fn stream(&self, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
        match self {
            Destination::Stdout => {
                let mut out = plain_stdout();
                write(&mut out).and_then(|()| Ok(out.flush()?)).context(STDOUT)
            }
            Destination::Named(path) | Destination::Beside(path) => stream_file(path, write),
        }
    }

    /// Writes the contents, to a file atomically.
    pub(crate) fn write(&self, contents: &[u8]) -> anyhow::Result<()> {
        match self {
            Destination::Stdout => {
                let mut out = plain_stdout();
                out.write_all(contents).and_then(|()| out.flush()).context(STDOUT)
            }
            Destination::Named(path) => write_file(path, contents),
            Destination::Beside(path) => {
                write_file(path, contents)?;
                print_note(&format!("wrote {}", visible(&path.to_string_lossy())));
                Ok(())
            }
        }
    }
}

fn is_terminal(path: &Path) -> bool {
    // Opening a pipe for writing blocks until it has a reader, so only candidates for terminals are opened.
    let is_candidate = !path.is_file() && !path.is_dir() && !is_pipe(path);
    is_candidate && OpenOptions::new().write(true).open(path).is_ok_and(|file: File| file.is_terminal())
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}
