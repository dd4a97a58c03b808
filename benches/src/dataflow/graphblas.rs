//! GraphBLAS as a peer: a Python process with SuiteSparse that is given a graph and tells how long searches take.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use vyre_graph::{Role, try_to_csr};

use super::answer::Digest;
use super::plain::Plain;

/// A running Python with python-graphblas.
pub struct GraphBlas {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Its version.
    pub version: String,
}

/// What runs there.
const SCRIPT: &str = include_str!("graphblas_levels.py");

impl GraphBlas {
    /// Starts it, or says why that does not work.
    ///
    /// # Errors
    ///
    /// No such program, or no python-graphblas in it.
    pub fn start(python: &str) -> io::Result<GraphBlas> {
        let mut child =
            Command::new(python).args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("a process without pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        let mut started = GraphBlas { child, input, output, version: String::new() };
        started.version = started
            .line()
            .map_err(|_| io::Error::other("Python ended at once; it needs numpy and python-graphblas"))?;
        Ok(started)
    }

    /// Gives it a graph, without edges that leave sanitizers. This is not counted.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn load(&mut self, graph: Plain<'_>) -> io::Result<()> {
        let nodes = graph.roles.len() as u32;
        let open = try_to_csr(nodes, &graph.edges()).map_err(io::Error::other)?;
        let sinks: Vec<u32> = (0..nodes).filter(|&node| graph.roles[node as usize] == Role::Sink).collect();
        writeln!(self.input, "load {nodes} {} {}", open.targets.len(), sinks.len())?;
        for words in [&open.offsets, &open.targets, &sinks] {
            self.words(words)?;
        }
        self.input.flush()?;
        match self.line()?.as_str() {
            "loaded" => Ok(()),
            other => Err(io::Error::other(format!("Python said {other:?}"))),
        }
    }

    /// How long a search from these sources took, and what it found.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn search(&mut self, threads: usize, sources: &[u32]) -> io::Result<(Duration, Digest)> {
        writeln!(self.input, "search {threads} {}", sources.len())?;
        self.words(sources)?;
        self.input.flush()?;
        let line = self.line()?;
        let parse = || {
            let mut words = line.split_whitespace();
            let seconds = words.next()?.parse().ok()?;
            let digest = Digest { findings: words.next()?.parse().ok()?, sum: words.next()?.parse().ok()? };
            Some((Duration::from_secs_f64(seconds), digest))
        };
        parse().ok_or_else(|| io::Error::other(format!("Python said {line:?}")))
    }

    fn words(&mut self, words: &[u32]) -> io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.input.write_all(&bytes)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err(io::Error::other("Python has ended")),
            _ => Ok(line.trim().to_owned()),
        }
    }
}

impl Drop for GraphBlas {
    fn drop(&mut self) {
        // It waits for commands for ever otherwise.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
