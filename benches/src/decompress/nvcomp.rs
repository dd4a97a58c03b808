//! nvCOMP in a process of its own, which runs on request.

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::harness::LineProcess;

/// `benches/nvcomp/nvcomp_batched.c` with copies of the blocks in the memory of the device.
pub struct NvComp {
    process: LineProcess,
    /// Version of nvCOMP.
    pub version: String,
}

impl NvComp {
    /// Starts the program with `copies` copies of the blocks.
    ///
    /// # Errors
    ///
    /// The program cannot be started, or finds no device.
    pub fn start(program: &Path, blocks: &Path, copies: usize) -> Result<NvComp, Error> {
        let failed = |message: String| Error::Process { program: program.display().to_string(), message };
        let copies = copies.to_string();
        let arguments = [blocks.as_os_str(), copies.as_ref(), "serve".as_ref()];
        let (process, greeting) = LineProcess::start(program, arguments).map_err(|error| failed(error.to_string()))?;
        let version = greeting.strip_prefix("ready ").and_then(|rest| rest.split(" blocks ").next());
        let version = version.ok_or_else(|| failed(format!("unexpected answer `{greeting}`")))?.to_owned();
        Ok(NvComp { process, version })
    }

    /// Decodes all blocks and returns the time of the device.
    ///
    /// # Errors
    ///
    /// The process has ended.
    pub fn run(&mut self) -> Result<Duration, Error> {
        let answer = self.request("run")?;
        answer.parse().map(Duration::from_nanos).map_err(|_| failed(format!("unexpected answer `{answer}`")))
    }

    /// Verifies the output.
    ///
    /// # Errors
    ///
    /// The output is wrong, or the process has ended.
    pub fn verify(&mut self) -> Result<(), Error> {
        match self.request("check")?.as_str() {
            "ok" => Ok(()),
            message => Err(Error::WrongResult { contender: self.version.clone(), message: message.to_owned() }),
        }
    }

    fn request(&mut self, line: &str) -> Result<String, Error> {
        self.process.request(line, &[]).map_err(|error| failed(error.to_string()))
    }
}

fn failed(message: String) -> Error {
    Error::Process { program: "nvCOMP".to_owned(), message }
}
