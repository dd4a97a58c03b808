//! Standard output and standard error: colours, closed pipes, and escaping of control characters.

use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
pub(crate) use vyre::ir::source::{visible, visible_prefix};
pub(crate) use vyre::ir::spelling::{article, counted};
pub(crate) use vyre::ir::units::{duration, number, quantity, rate, short_size, size};

use crate::advice::advice;

/// Style of the word `error`.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Style of removed lines.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// Style of added lines.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// Style of the frame around source lines.
pub(crate) const GUTTER: Style = AnsiColor::Blue.on_default().bold();
/// Style of headings.
pub(crate) const STRONG: Style = Style::new().bold();

/// Style of the names of directories.
pub(crate) const DIRECTORY: Style = AnsiColor::Blue.on_default();
/// Style of the names of links.
pub(crate) const LINK: Style = AnsiColor::Cyan.on_default();
/// Style of what deserves attention and is no error.
pub(crate) const UNUSUAL: Style = AnsiColor::Yellow.on_default();

/// Context of write errors of standard output.
pub(crate) const STDOUT: &str = "cannot write to standard output";

/// Standard output with colours, which are stripped if they are disabled.
pub(crate) fn styled_stdout() -> BufWriter<IgnoreClosedPipe<impl Write>> {
    BufWriter::new(IgnoreClosedPipe::new(anstream::stdout().lock()))
}

/// Standard output without processing, for contents that must not change.
pub(crate) fn plain_stdout() -> BufWriter<IgnoreClosedPipe<impl Write>> {
    BufWriter::new(IgnoreClosedPipe::new(io::stdout().lock()))
}

/// Standard error with colours, which are stripped if they are disabled.
pub(crate) fn styled_stderr() -> BufWriter<IgnoreClosedPipe<impl Write>> {
    BufWriter::new(IgnoreClosedPipe::new(anstream::stderr().lock()))
}

/// Width of standard output in columns: that of the variable `COLUMNS`, otherwise that of the terminal. `None` for pipes and
/// files, whose lines are not wrapped.
pub(crate) fn columns() -> Option<usize> {
    let variable = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let terminal =
        || terminal_size::terminal_size_of(io::stdout()).map(|(terminal_size::Width(columns), _)| usize::from(columns));
    variable.or_else(terminal).filter(|&columns| columns > 0)
}

/// Reports whether standard output shows colours, by `--color`, the environment and the terminal.
pub(crate) fn has_colors() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Prints an error on standard error, with advice if there is any.
pub(crate) fn print_error(error: &anyhow::Error) {
    let advice = error.chain().find_map(|cause| advice(None, cause.downcast_ref()?));
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    print_note(&format!("{ERROR}error{ERROR:#}: {error:#}{advice}"));
}

/// Prints a line on standard error. A failure to do so cannot be reported.
pub(crate) fn print_note(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// A writer that discards output after its reader has closed the pipe, as in `vyre check ... | head`. The command completes
/// with its usual exit code.
pub(crate) struct IgnoreClosedPipe<W> {
    inner: W,
    is_closed: bool,
}

impl<W> IgnoreClosedPipe<W> {
    fn new(inner: W) -> IgnoreClosedPipe<W> {
        IgnoreClosedPipe { inner, is_closed: false }
    }

    /// Replaces the error of a closed pipe by `default`.
    fn ignore_closed_pipe<T>(&mut self, result: io::Result<T>, default: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(default)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for IgnoreClosedPipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.ignore_closed_pipe(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.ignore_closed_pipe(result, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_to_a_closed_pipe_is_discarded() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let mut out = IgnoreClosedPipe::new(Closed);
        assert!(out.write_all(b"one").is_ok() && out.flush().is_ok() && out.write_all(b"two").is_ok());
    }
}
