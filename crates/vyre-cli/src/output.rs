//! Standard output and standard error: colours, closed pipes, and text that cannot harm a terminal.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use vyre::ir::source::is_deceptive;

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

/// Context of an error of standard output.
pub(crate) const STDOUT: &str = "cannot write to standard output";

/// Standard output with escape sequences for colours, which are removed where they are not wanted.
pub(crate) fn styled_stdout() -> BufWriter<UntilClosed<impl Write>> {
    BufWriter::new(UntilClosed::new(anstream::stdout().lock()))
}

/// Standard output as it is, for contents that must not change.
pub(crate) fn plain_stdout() -> BufWriter<UntilClosed<impl Write>> {
    BufWriter::new(UntilClosed::new(io::stdout().lock()))
}

/// Standard error with colours where they are wanted.
pub(crate) fn styled_stderr() -> BufWriter<UntilClosed<impl Write>> {
    BufWriter::new(UntilClosed::new(anstream::stderr().lock()))
}

/// Reports a failure on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let advice = error.chain().find_map(|cause| advice(cause.downcast_ref()?));
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    say(&format!("{ERROR}error{ERROR:#}: {error:#}{advice}"));
}

/// Prints a line on standard error. There is nowhere to report that this failed.
pub(crate) fn say(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Takes everything after its reader has gone, as in `vyre check ... | head`, so that the work is finished quietly
/// and the exit code is the one it would have been.
pub(crate) struct UntilClosed<W> {
    inner: W,
    closed: bool,
}

impl<W> UntilClosed<W> {
    fn new(inner: W) -> UntilClosed<W> {
        UntilClosed { inner, closed: false }
    }

    /// Replaces the error of a closed pipe by `otherwise`.
    fn forgive<T>(&mut self, result: io::Result<T>, otherwise: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(otherwise)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.forgive(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.forgive(result, ())
    }
}

/// A name or message as a terminal may show it: without control characters, without characters that change the
/// direction of the text or have no width, and cut where it is very long.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    visible_start(text, 1000)
}

/// The first `limit` characters of a text as a terminal may show them; `...` stands for the rest.
pub(crate) fn visible_start(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit && !text.contains(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let mut rest = text.chars();
    for c in rest.by_ref().take(limit) {
        if is_deceptive(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if rest.next().is_some() {
        shown.push_str("...");
    }
    Cow::Owned(shown)
}

/// `count` of something, as in `1 file` and `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_shown_as_escapes() {
        assert_eq!(visible("plain \u{e4}"), "plain \u{e4}");
        assert_eq!(visible("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(visible_start("abcdef", 3), "abc...");
        assert_eq!(visible_start("abc", 3), "abc");
    }

    #[test]
    fn a_closed_pipe_takes_everything() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let mut out = UntilClosed::new(Closed);
        assert!(out.write_all(b"one").is_ok() && out.flush().is_ok() && out.write_all(b"two").is_ok());
    }
}
