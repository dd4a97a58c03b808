//! scipy as a peer: a Python process that is given edges and tells how long its inner loops take.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::construction::Task;

/// A running Python with scipy.
pub struct Scipy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Its version.
    pub version: String,
}

/// What runs there. `load` is given the edges; the others tell seconds.
const SCRIPT: &str = include_str!("scipy_rows.py");

impl Scipy {
    /// Starts it, or says why that does not work.
    ///
    /// # Errors
    ///
    /// No such program, or no scipy in it.
    pub fn start(python: &str) -> io::Result<Scipy> {
        let mut child =
            Command::new(python).args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("a process without pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let mut output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        let mut version = String::new();
        output.read_line(&mut version)?;
        if version.is_empty() {
            return Err(io::Error::other("Python ended at once; it needs numpy and scipy"));
        }
        Ok(Scipy { child, input, output, version: version.trim().to_owned() })
    }

    /// Gives it edges.
    ///
    /// # Panics
    ///
    /// If it has ended.
    pub fn load(&mut self, nodes: u32, edges: &[(u32, u32)]) {
        let bytes: Vec<u8> = edges.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect();
        writeln!(self.input, "load {nodes} {}", edges.len()).expect("Python is running");
        self.input.write_all(&bytes).and_then(|()| self.input.flush()).expect("Python is running");
        assert_eq!(self.line(), "loaded");
    }

    /// How long a task took.
    ///
    /// # Panics
    ///
    /// If it has ended.
    pub fn time(&mut self, task: Task) -> Duration {
        writeln!(self.input, "{}", task.name()).and_then(|()| self.input.flush()).expect("Python is running");
        let line = self.line();
        Duration::from_secs_f64(line.parse().unwrap_or_else(|_| panic!("Python said {line:?}")))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("Python is running");
        line.trim().to_owned()
    }
}

impl Drop for Scipy {
    fn drop(&mut self) {
        // It waits for commands for ever otherwise.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
