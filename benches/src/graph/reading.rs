//! Readers of graph files. Each read runs in a process of its own, so that its peak memory is known.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use vyre_graph::{Input, ReadOptions, read_graph};

use super::peers;
use crate::harness::{Timed, peak_kib};

/// Reader of a graph file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Name on the command line of the child process.
    pub name: &'static str,
    /// Name in reports.
    pub about: &'static str,
    /// Extension of the file that it reads.
    pub extension: &'static str,
}

/// All readers, in the order of the report.
pub const READERS: &[Reader] = &[
    Reader { name: "text", about: "vyre, edge list", extension: "txt" },
    Reader { name: "matrix", about: "vyre, Matrix Market", extension: "mtx" },
    Reader { name: "binary", about: "vyre, binary file (mapped, checked)", extension: "vgr" },
    Reader { name: "transposed", about: "vyre, binary file, then transposition", extension: "vgr" },
    Reader { name: "indexed", about: "vyre, binary file with an index (mapped, checked)", extension: "indexed.vgr" },
    Reader { name: "lines", about: "lines, split and parse, then a counting sort", extension: "txt" },
    Reader { name: "petgraph", about: "lines, split and parse, then petgraph `Graph`", extension: "txt" },
    Reader { name: "scipy", about: "scipy.io.mmread with all threads, then tocsr", extension: "mtx" },
];

/// Time and memory of one read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Wall-clock time.
    pub time: Duration,
    /// Peak memory of the process in KiB.
    pub peak_kib: u64,
    /// Number of edges in the file.
    pub edges: u64,
}

impl Timed for Reading {
    fn time(&self) -> Duration {
        self.time
    }
}

/// Reads a file in this process, and prints seconds, KiB and the number of edges for the parent process.
///
/// # Errors
///
/// The file cannot be read, or the reader is unknown.
pub fn read_in_this_process(name: &str, path: &Path) -> Result<(), String> {
    let start = Instant::now();
    let edges = match name {
        "text" | "matrix" | "binary" => {
            let loaded = read_graph(Input::path(path), &ReadOptions::default(), &()).map_err(|e| e.to_string())?;
            loaded.view().csr.edge_count()
        }
        "transposed" => {
            let loaded = read_graph(Input::path(path), &ReadOptions::default(), &()).map_err(|e| e.to_string())?;
            loaded.view().csr.transposed().edge_count()
        }
        "indexed" => {
            let loaded = read_graph(Input::path(path), &ReadOptions::default(), &()).map_err(|e| e.to_string())?;
            loaded.valid().transposed().ok_or("the file has no index")?.edge_count()
        }
        "lines" => {
            let (nodes, edges) = lines(path)?;
            peers::counting_sort(nodes, edges.iter().copied(), edges.len()).1.len()
        }
        "petgraph" => {
            let (nodes, edges) = lines(path)?;
            peers::petgraph_lists(nodes, &edges).edge_count()
        }
        _ => return Err(format!("there is no reader `{name}`")),
    };
    let time = start.elapsed();
    println!("{} {} {edges}", time.as_secs_f64(), peak_kib().unwrap_or_default());
    Ok(())
}

/// Naive reader: line by line, split at white space.
fn lines(path: &Path) -> Result<(u32, Vec<(u32, u32)>), String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let (mut nodes, mut edges) = (0, Vec::new());
    for line in BufReader::with_capacity(1 << 20, file).lines() {
        let line = line.map_err(|e| e.to_string())?;
        if line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace().map(str::parse::<u32>);
        let (Some(Ok(source)), Some(Ok(target))) = (words.next(), words.next()) else {
            return Err(format!("not an edge: {line}"));
        };
        nodes = nodes.max(source + 1).max(target + 1);
        edges.push((source, target));
    }
    Ok((nodes, edges))
}

/// Script of scipy's reader, which prints the same three numbers.
const SCIPY: &str = "\
import resource, sys, time
import scipy.io
start = time.perf_counter()
graph = scipy.io.mmread(sys.argv[1]).tocsr()
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, graph.nnz)
";

impl Reader {
    /// True if the reader runs in Python.
    #[must_use]
    pub fn needs_python(&self) -> bool {
        self.name == "scipy"
    }

    /// Reads a file in a new process: this program with `--read-here NAME FILE`, or Python.
    ///
    /// # Errors
    ///
    /// The process fails.
    pub fn read(&self, path: &Path, python: Option<&str>) -> Result<Reading, String> {
        let mut command = match (self.name, python) {
            ("scipy", None) => return Err("no `--python` was given".to_owned()),
            ("scipy", Some(python)) => {
                let mut command = Command::new(python);
                command.args(["-c", SCIPY]);
                command
            }
            _ => {
                let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
                command.args(["--read-here", self.name]);
                command
            }
        };
        let output = command.arg(path).output().map_err(|e| e.to_string())?;
        let output_text = String::from_utf8_lossy(&output.stdout);
        let words: Vec<&str> = output_text.split_whitespace().collect();
        match words[..] {
            [seconds, peak, edges] if output.status.success() => Ok(Reading {
                time: Duration::from_secs_f64(seconds.parse().map_err(|_| format!("{output_text}"))?),
                peak_kib: peak.parse().map_err(|_| format!("{output_text}"))?,
                edges: edges.parse().map_err(|_| format!("{output_text}"))?,
            }),
            _ => Err(format!("{output_text}{}", String::from_utf8_lossy(&output.stderr))),
        }
    }
}
