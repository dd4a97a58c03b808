//! nvCOMP in a process of its own, which runs when it is told to.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::error::Error;

/// `benches/nvcomp/nvcomp_lz4.c` with so many copies of the blocks in the memory of the device.
pub struct NvComp {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Which version.
    pub version: String,
}

impl NvComp {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// It cannot be started, or finds no device.
    pub fn start(program: &Path, blocks: &Path, copies: usize) -> Result<NvComp, Error> {
        let failed = |what: String| Error::Program { program: program.display().to_string(), what };
        let mut command = Command::new(program);
        command.arg(blocks).arg(copies.to_string()).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let output = output.ok_or_else(|| failed("it has no output".to_owned()))?;
        let mut nvcomp = NvComp { process, input, output: BufReader::new(output), version: String::new() };
        let answer = nvcomp.answer()?;
        let version = answer.strip_prefix("ready ").and_then(|rest| rest.split(" blocks ").next());
        nvcomp.version = version.ok_or_else(|| failed(format!("it says `{answer}`")))?.to_owned();
        Ok(nvcomp)
    }

    /// Decodes all blocks, and says how long the device takes.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn run(&mut self) -> Result<Duration, Error> {
        let answer = self.ask("run")?;
        answer.parse().map(Duration::from_nanos).map_err(|_| self.failed(format!("it says `{answer}`")))
    }

    /// Has it check its output.
    ///
    /// # Errors
    ///
    /// The output is wrong, or it has ended.
    pub fn check(&mut self) -> Result<(), Error> {
        match self.ask("check")?.as_str() {
            "ok" => Ok(()),
            wrong => Err(Error::Wrong { who: self.version.clone(), what: wrong.to_owned() }),
        }
    }

    fn ask(&mut self, question: &str) -> Result<String, Error> {
        let asked = self.input.as_mut().map(|input| writeln!(input, "{question}").and_then(|()| input.flush()));
        match asked {
            Some(Ok(())) => self.answer(),
            _ => Err(self.failed("it has ended".to_owned())),
        }
    }

    fn answer(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(bytes) if bytes > 0 => Ok(line.trim_end().to_owned()),
            _ => Err(self.failed("it has ended".to_owned())),
        }
    }

    fn failed(&self, what: String) -> Error {
        Error::Program { program: "nvCOMP".to_owned(), what }
    }
}

impl Drop for NvComp {
    fn drop(&mut self) {
        // It ends with its input. A failure of it was seen before, or does not matter any more.
        drop(self.input.take());
        let _ = self.process.wait();
    }
}
