//! Reading files. Each read is a process of its own, so that the memory it needed can be told.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use vyre_graph::{Input, ReadOptions, read_graph};

use super::peers;

/// A way to read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// What it is called on the command line of the child process.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The file it reads: the ending of its name.
    pub ending: &'static str,
}

/// All ways to read the files of a graph.
#[must_use]
pub fn readers() -> &'static [Reader] {
    &[
        Reader { name: "text", about: "vyre, edge list", ending: "txt" },
        Reader { name: "matrix", about: "vyre, Matrix Market", ending: "mtx" },
        Reader { name: "binary", about: "vyre, binary file (mapped, checked)", ending: "vgr" },
        Reader { name: "lines", about: "lines, split, parse; then a counting sort", ending: "txt" },
        Reader { name: "petgraph", about: "lines, split, parse; then petgraph `Graph`", ending: "txt" },
        Reader { name: "scipy", about: "scipy.io.mmread (all threads), then tocsr", ending: "mtx" },
    ]
}

/// What a read took.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// How long it took.
    pub time: Duration,
    /// The most memory that the process had at a time, in KiB.
    pub peak_kib: u64,
    /// How many edges it found.
    pub edges: u64,
}

/// Reads a file in this process. What it took is printed as three numbers, for the parent.
///
/// # Errors
///
/// A file that cannot be read, or an unknown name.
pub fn read_here(name: &str, path: &Path) -> Result<(), String> {
    let start = Instant::now();
    let edges = match name {
        "text" | "matrix" | "binary" => {
            let loaded = read_graph(Input::path(path), &ReadOptions::default(), &()).map_err(|e| e.to_string())?;
            loaded.view().csr.edge_count()
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

/// A reader as one would write it first.
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

fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// What scipy's reader does, as three numbers.
const SCIPY: &str = "\
import resource, sys, time
import scipy.io
start = time.perf_counter()
graph = scipy.io.mmread(sys.argv[1]).tocsr()
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, graph.nnz)
";

impl Reader {
    /// Reads a file in a process of its own: this program with `read NAME FILE`, or Python.
    ///
    /// # Errors
    ///
    /// What went wrong there.
    pub fn read(&self, path: &Path, python: Option<&str>) -> Result<Reading, String> {
        let mut command = match (self.name, python) {
            ("scipy", None) => return Err("no Python was given".to_owned()),
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
        let said = String::from_utf8_lossy(&output.stdout);
        let words: Vec<&str> = said.split_whitespace().collect();
        match words[..] {
            [seconds, peak, edges] if output.status.success() => Ok(Reading {
                time: Duration::from_secs_f64(seconds.parse().map_err(|_| format!("{said}"))?),
                peak_kib: peak.parse().map_err(|_| format!("{said}"))?,
                edges: edges.parse().map_err(|_| format!("{said}"))?,
            }),
            _ => Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr))),
        }
    }
}
