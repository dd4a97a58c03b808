//! Peers in a process of their own, driven by lines on standard input and output.
//!
//! The peer times itself, so that neither the pipe nor the start of the process is in its times.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Running process that answers each request with one line.
pub struct LineProcess {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl LineProcess {
    /// Starts a program and returns it with its first line, which states its version.
    ///
    /// # Errors
    ///
    /// The program cannot be started or ends at once.
    pub fn start<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> io::Result<(LineProcess, String)> {
        let mut command = Command::new(program);
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| io::Error::other("the process has no output"))?;
        let mut process = LineProcess { child, input, output: BufReader::new(output) };
        let greeting = process.line()?;
        Ok((process, greeting))
    }

    /// Sends a request: a line, followed by words in little endian.
    ///
    /// # Errors
    ///
    /// The process has ended.
    pub fn request(&mut self, line: &str, words: &[&[u32]]) -> io::Result<String> {
        let input = self.input.as_mut().ok_or_else(|| io::Error::other("the process has no input"))?;
        writeln!(input, "{line}")?;
        for words in words {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            input.write_all(&bytes)?;
        }
        input.flush()?;
        self.line()
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err(io::Error::other("the process has ended")),
            _ => Ok(line.trim().to_owned()),
        }
    }
}

impl Drop for LineProcess {
    fn drop(&mut self) {
        // Every peer ends at the end of its input. A failure at this point does not affect any figure.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_line_by_line_until_the_process_ends() {
        // The process must read all that a request sends: a write to a process that has ended fails.
        let script = "echo version 1; read first; echo \"$first\"; read second; read words; echo \"$second $words\"";
        let (mut process, greeting) = LineProcess::start("sh", ["-c", script]).expect("there is a shell");
        assert_eq!(greeting, "version 1");
        assert_eq!(process.request("one", &[]).expect("it answers"), "one");
        assert_eq!(process.request("two", &[&[0x0a66_6f6f]]).expect("it answers"), "two oof");
        assert!(process.request("three", &[]).is_err());
    }
}
