//! Tests of the programs of `graph.bfs` and `graph.reachability` alone, with buffers that the host code would reject.
//!
//! The host code checks graphs, sources and sizes. The behaviour of a program without these checks is documented too: it ignores
//! sources outside of the graph, treats unknown roles as normal, counts findings beyond `max_findings` without writing them,
//! and counts nodes that do not fit its queues.

use std::collections::VecDeque;
use std::sync::Arc;

use vyre_graph::generate::SplitMix64;
use vyre_graph::{CsrGraph, try_to_csr};
use vyre_ir::{OpTable, validate};
use vyre_runtime::{Bindings, Buffer, CommandList, Device, Error, Pipeline, PipelineOptions, RunOptions, words};

use super::shapes::Shape;

/// Inputs of a run.
#[derive(Clone, Debug)]
struct Query {
    graph: CsrGraph,
    sources: Vec<u32>,
    max_findings: u32,
    max_depth: u32,
    /// Words of the buffer `queue`.
    queue_words: u32,
    grid: [u32; 3],
    reports_everything: bool,
}

/// Expected output: all findings, and the number of dropped nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Outcome {
    findings: Vec<[u32; 4]>,
    dropped: u32,
}

/// Canary for words that must not be written.
const UNTOUCHED: u32 = 0xdead_beef;

impl Query {
    fn role(&self, node: u32) -> u32 {
        (self.graph.node_data[node as usize] >> 16) & 0xff
    }

    /// Reference search in plain Rust, with bounded queues.
    fn expected(&self) -> Outcome {
        let mut outcome = Outcome::default();
        let nodes = self.graph.node_count() as u32;
        let capacity = (self.queue_words as usize).checked_div(self.sources.len()).unwrap_or(0);
        for (index, &source) in (0..).zip(&self.sources) {
            if source >= nodes {
                continue;
            }
            let mut seen = vec![false; nodes as usize];
            seen[source as usize] = true;
            if self.role(source) == 3 && !self.reports_everything {
                outcome.findings.push([source, source, 0, index]);
            }
            let mut queue = VecDeque::new();
            if self.role(source) != 4 && self.max_depth > 0 {
                if capacity > 0 { queue.push_back((source, 0)) } else { outcome.dropped += 1 }
            }
            while let Some((node, depth)) = queue.pop_front() {
                for &target in self.graph.view().neighbours(node) {
                    if std::mem::replace(&mut seen[target as usize], true) {
                        continue;
                    }
                    let role = self.role(target);
                    if self.reports_everything || role == 2 || role == 3 {
                        outcome.findings.push([source, target, depth + 1, index]);
                    }
                    if role != 4 && depth + 1 < self.max_depth {
                        if queue.len() < capacity {
                            queue.push_back((target, depth + 1));
                        } else {
                            outcome.dropped += 1;
                        }
                    }
                }
            }
        }
        outcome.findings.sort_unstable();
        outcome
    }

    fn run(&self, device: &dyn Device, pipeline: &Pipeline) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let buffer = |words: &[u32]| -> Result<Buffer, Error> {
            let buffer = device.create_buffer(words.len() as u64 * 4)?;
            device.write(&buffer, 0, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
            Ok(buffer)
        };
        let nodes = self.graph.node_count() as u32;
        let bitmap = nodes.div_ceil(32);
        let count = self.sources.len() as u32;
        // Canaries after the last finding detect a violation of `max_findings`.
        let findings = buffer(&vec![UNTOUCHED; 4 * (self.max_findings as usize + 3)])?;
        let counts = buffer(&[0, 0])?;
        let buffers = [
            buffer(&self.graph.node_data)?,
            buffer(&self.graph.offsets)?,
            buffer(&self.graph.targets)?,
            buffer(&self.sources)?,
            findings.clone(),
            counts.clone(),
            buffer(&[count, nodes, self.max_findings, self.max_depth, bitmap])?,
            buffer(&vec![0; (count * bitmap) as usize])?,
            buffer(&vec![UNTOUCHED; self.queue_words as usize])?,
        ];
        let bindings = (0..).zip(&buffers).fold(Bindings::new(), |all, (slot, buffer)| all.with(slot, buffer));
        let mut commands = CommandList::new();
        commands.dispatch(pipeline, &bindings, self.grid);
        device.run(&commands, &RunOptions::default())?;
        Ok((words(&device.read(&counts)?), words(&device.read(&findings)?)))
    }

    /// Compares a run with the expected output.
    fn check(&self, device: &dyn Device, pipeline: &Pipeline) -> Result<(), String> {
        let expected = self.expected();
        let (counts, rows) = self.run(device, pipeline).map_err(|error| error.to_string())?;
        let wanted = [expected.findings.len() as u32, expected.dropped];
        if counts != wanted {
            return Err(format!("counts are {counts:?} instead of {wanted:?}"));
        }
        let (rows, _) = rows.as_chunks::<4>();
        let (written, behind) = rows.split_at(expected.findings.len().min(self.max_findings as usize));
        let mut written = written.to_vec();
        written.sort_unstable();
        // With too little space, the findings are any subset without duplicates.
        let is_right = if expected.findings.len() <= self.max_findings as usize {
            written == expected.findings
        } else {
            written.is_sorted_by(|a, b| a < b) && written.iter().all(|row| expected.findings.contains(row))
        };
        if !is_right {
            return Err(format!("findings are {written:?} instead of {:?}", expected.findings));
        }
        match behind.iter().flatten().find(|&&word| word != UNTOUCHED) {
            Some(word) => Err(format!("{word:#x} was written behind the findings")),
            None => Ok(()),
        }
    }
}

/// Generates a query: a small graph with any roles, sources inside and outside, and too small buffers of every kind.
fn query(seed: u64) -> Query {
    let mut random = SplitMix64::new(seed);
    let nodes = random.below(40) as u32;
    let edges = random.below(4 * u64::from(nodes) + 1) as u32;
    let shape = match random.below(4) {
        _ if nodes == 0 => Shape::empty(0),
        0 => Shape::star(nodes),
        1 => Shape::chain(nodes),
        2 => Shape::complete(nodes.min(12)),
        _ => Shape::random(nodes, edges, &mut random),
    };
    let mut graph = try_to_csr(shape.nodes, &shape.edges).expect("shapes have edges inside");
    for word in &mut graph.node_data {
        // Known and unknown roles, with random other bits.
        let role = [0, 0, 1, 2, 2, 3, 4, 5, 7, 255][random.below(10) as usize];
        *word = random.next_word() as u32 & 0xff00_ffff | role << 16;
    }
    let count = random.below(90) as usize;
    let sources: Vec<u32> = (0..count).map(|_| random.below(u64::from(shape.nodes) + 3) as u32).collect();
    Query {
        graph,
        max_findings: [0, 1, 3, 10_000][random.below(4) as usize],
        max_depth: [0, 1, 2, 3, u32::MAX - 1, u32::MAX][random.below(6) as usize],
        // From no words per source to enough, with a remainder.
        queue_words: (count as u64 * [0, 1, 2, 3, 40][random.below(5) as usize] + random.below(count as u64 + 1))
            as u32,
        grid: [[1, 1, 1], [2, 1, 1], [9, 1, 1], [1, 3, 1], [2, 1, 2], [3, 2, 2]][random.below(6) as usize],
        reports_everything: random.below(3) == 0,
        sources,
    }
}

/// Runs the programs with the inputs of a number of seeds, and panics at the first difference.
#[track_caller]
pub fn expect_documented_behaviour(device: &Arc<dyn Device>, seeds: u64) {
    let pipeline = |id: &str| {
        let program = vyre_ops::find(id).expect("is in the library").program();
        let table = OpTable::default();
        let valid = validate(&program, &table).expect("is valid");
        device.create_pipeline(&valid, &PipelineOptions::default()).unwrap_or_else(|error| panic!("{error}"))
    };
    let (sinks, everything) = (pipeline("graph.bfs"), pipeline("graph.reachability"));
    let (mut findings, mut dropped) = (0, 0);
    for seed in 0..seeds {
        let query = query(seed);
        let pipeline = if query.reports_everything { &everything } else { &sinks };
        if let Err(problem) = query.check(&**device, pipeline) {
            panic!("seed {seed}: {problem}\n{query:?}");
        }
        let expected = query.expected();
        findings += expected.findings.len();
        dropped += expected.dropped;
    }
    println!("{seeds} runs of the programs alone: {findings} findings, {dropped} nodes that did not fit");
    assert!(findings > 0 && dropped > 0, "these runs show nothing");
}
