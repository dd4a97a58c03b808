//! GraphBLAS as a peer: a Python process with SuiteSparse:GraphBLAS that times searches on the graph that it receives.

use std::io;
use std::time::Duration;

use vyre_graph::{Role, try_to_csr};

use super::digest::Digest;
use super::taint_graph::TaintGraph;
use crate::harness::LineProcess;

/// Running Python with python-graphblas.
pub struct GraphBlas {
    process: LineProcess,
    /// Versions of python-graphblas and SuiteSparse:GraphBLAS.
    pub version: String,
}

const SCRIPT: &str = include_str!("graphblas_levels.py");

impl GraphBlas {
    /// Starts Python.
    ///
    /// # Errors
    ///
    /// The program does not exist, or lacks numpy or python-graphblas.
    pub fn start(python: &str) -> io::Result<GraphBlas> {
        let (process, version) = LineProcess::start(python, ["-c", SCRIPT])
            .map_err(|error| io::Error::other(format!("{python}: {error}; it needs numpy and python-graphblas")))?;
        Ok(GraphBlas { process, version })
    }

    /// Sends a graph, without edges that leave sanitizers. No time of it counts.
    ///
    /// # Errors
    ///
    /// Python has ended.
    pub fn load(&mut self, graph: TaintGraph<'_>) -> io::Result<()> {
        let nodes = graph.roles.len() as u32;
        let open = try_to_csr(nodes, &graph.edges()).map_err(io::Error::other)?;
        let sinks: Vec<u32> = (0..nodes).filter(|&node| graph.roles[node as usize] == Role::Sink).collect();
        let request = format!("load {nodes} {} {}", open.targets.len(), sinks.len());
        match self.process.request(&request, &[&open.offsets, &open.targets, &sinks])?.as_str() {
            "loaded" => Ok(()),
            other => Err(io::Error::other(format!("Python answers {other:?}"))),
        }
    }

    /// Time and findings of a search from some sources.
    ///
    /// # Errors
    ///
    /// Python has ended.
    pub fn search(&mut self, threads: usize, sources: &[u32]) -> io::Result<(Duration, Digest)> {
        let line = self.process.request(&format!("search {threads} {}", sources.len()), &[sources])?;
        let parse = || {
            let mut words = line.split_whitespace();
            let seconds = words.next()?.parse().ok()?;
            let digest = Digest { findings: words.next()?.parse().ok()?, sum: words.next()?.parse().ok()? };
            Some((Duration::from_secs_f64(seconds), digest))
        };
        parse().ok_or_else(|| io::Error::other(format!("Python answers {line:?}")))
    }
}
