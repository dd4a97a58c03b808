//! `vyre convert`: text to wire and back.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use vyre::ir::{text, wire};

use crate::args::{ConvertArgs, Target};
use crate::exit::Outcome;
use crate::input::Input;
use crate::load::{Loaded, load};
use crate::output::{STDOUT, plain_stdout, say, styled_stderr, visible};
use crate::report::write_human;
use crate::text_size::text_is_too_large;
use crate::write::{is_same_file, write_file};

pub(crate) fn run(args: ConvertArgs) -> anyhow::Result<Outcome> {
    let input = Input::new(&args.input);
    let loaded = match load(&input.name(), input.read()?) {
        Ok(loaded) => loaded,
        Err(report) => {
            let mut out = styled_stderr();
            write_human(&mut out, &report, usize::MAX).and_then(|()| out.flush())?;
            return Ok(Outcome::Failure);
        }
    };
    let target = args.to.or_else(|| args.output.as_deref().and_then(target_of)).unwrap_or(match &loaded {
        Loaded::Text { .. } => Target::Wire,
        Loaded::Wire(_) => Target::Text,
    });
    let destination = Destination::new(&input, args.output, target);
    destination.check(&input, target)?;
    destination.write(&encode(&loaded, target)?)?;
    Ok(Outcome::Clean)
}

/// The form that the extension of a file stands for.
fn target_of(path: &Path) -> Option<Target> {
    match path.extension()?.to_str()? {
        "vyre" => Some(Target::Text),
        "vir" => Some(Target::Wire),
        _ => None,
    }
}

fn encode(loaded: &Loaded, target: Target) -> anyhow::Result<Vec<u8>> {
    let program = loaded.program();
    match target {
        Target::Wire => Ok(wire::to_wire(program)),
        Target::Text if text_is_too_large(program) => bail!("the text form of the program would take more than 32 MiB"),
        Target::Text => Ok(match loaded {
            // From text to text the comments stay.
            Loaded::Text { text, .. } => text::format(text)?,
            Loaded::Wire(program) => text::print(program),
        }
        .into_bytes()),
    }
}

/// Where the result goes.
enum Destination {
    Stdout,
    /// A file that the arguments name.
    Named(PathBuf),
    /// A file beside the input.
    Beside(PathBuf),
}

impl Destination {
    fn new(input: &Input, output: Option<PathBuf>, target: Target) -> Destination {
        match (output, input, target) {
            (Some(path), _, _) if path.as_os_str() == "-" => Destination::Stdout,
            (Some(path), _, _) => Destination::Named(path),
            (None, Input::File(path), Target::Wire) => Destination::Beside(path.with_extension("vir")),
            (None, Input::File(_) | Input::Stdin, Target::Text | Target::Wire) => Destination::Stdout,
        }
    }

    /// Refuses what would destroy the input or garble a terminal.
    fn check(&self, input: &Input, target: Target) -> anyhow::Result<()> {
        match self {
            Destination::Stdout if target == Target::Wire && io::stdout().is_terminal() => {
                bail!("wire form is not for terminals; name a file with `-o`, or redirect standard output")
            }
            Destination::Stdout => Ok(()),
            Destination::Named(path) | Destination::Beside(path) => {
                let shown = visible(&path.to_string_lossy()).into_owned();
                // A terminal may be input and output at once; a file may not.
                if matches!(input, Input::File(source) if path.is_file() && is_same_file(source, path)) {
                    bail!("{shown} is the input itself; name another file with `-o`");
                }
                if target == Target::Wire && is_terminal(path) {
                    bail!("wire form is not for terminals, and {shown} is one");
                }
                Ok(())
            }
        }
    }

    fn write(&self, contents: &[u8]) -> anyhow::Result<()> {
        match self {
            Destination::Stdout => {
                let mut out = plain_stdout();
                out.write_all(contents).and_then(|()| out.flush()).context(STDOUT)
            }
            Destination::Named(path) => write_file(path, contents),
            Destination::Beside(path) => {
                write_file(path, contents)?;
                say(&format!("wrote {}", visible(&path.to_string_lossy())));
                Ok(())
            }
        }
    }
}

fn is_terminal(path: &Path) -> bool {
    // Opening a pipe for writing waits for its reader, so only what may be a terminal is opened.
    let may_be = !path.is_file() && !path.is_dir() && !is_pipe(path);
    may_be && OpenOptions::new().write(true).open(path).is_ok_and(|file: File| file.is_terminal())
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
