//! scipy as a peer: a Python process that times the inner loops of scipy on the edges that it receives.

use std::io;
use std::time::Duration;

use super::task::Task;
use crate::harness::LineProcess;

/// Running Python with scipy.
pub struct Scipy {
    process: LineProcess,
    /// Versions of scipy and numpy.
    pub version: String,
}

const SCRIPT: &str = include_str!("scipy_csr.py");

impl Scipy {
    /// Starts Python.
    ///
    /// # Errors
    ///
    /// The program does not exist, or lacks numpy or scipy.
    pub fn start(python: &str) -> io::Result<Scipy> {
        let (process, version) = LineProcess::start(python, ["-c", SCRIPT])
            .map_err(|error| io::Error::other(format!("{python}: {error}; it needs numpy and scipy")))?;
        Ok(Scipy { process, version })
    }

    /// Sends a list of edges.
    ///
    /// # Errors
    ///
    /// Python has ended.
    pub fn load(&mut self, nodes: u32, edges: &[(u32, u32)]) -> io::Result<()> {
        let words: Vec<u32> = edges.iter().flat_map(|&(source, target)| [source, target]).collect();
        match self.process.request(&format!("load {nodes} {}", edges.len()), &[&words])?.as_str() {
            "loaded" => Ok(()),
            other => Err(io::Error::other(format!("Python answers {other:?}"))),
        }
    }

    /// Time of a task on the edges that were sent last.
    ///
    /// # Errors
    ///
    /// Python has ended.
    pub fn time(&mut self, task: Task) -> io::Result<Duration> {
        let line = self.process.request(task.name(), &[])?;
        let seconds = line.parse().map_err(|_| io::Error::other(format!("Python answers {line:?}")))?;
        Ok(Duration::from_secs_f64(seconds))
    }
}
