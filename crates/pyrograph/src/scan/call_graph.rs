//! Call graph of a package: which functions call which, and where.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::analysed::Analysed;
use super::analysis::{Visited, Visitor, analyse_each, limit_problem, limits_of_program, thread_pool};
use super::watch::Watch;
use super::{ScanControl, ScanError, ScanOptions};
use crate::coverage::Coverage;
use crate::flow::{Op, Span};
use crate::knowledge::Knowledge;
use crate::lines::LineIndex;

/// Call graph. Functions and calls are in order of files and positions; edges are sorted.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CallGraph {
    /// Paths of the files.
    pub files: Vec<String>,
    /// Functions. The top-level code of a file is a function too.
    pub functions: Vec<CallGraphFunction>,
    /// Places of calls with targets in the package. Loads and stores that call getters and setters are calls.
    pub calls: Vec<CallGraphRange>,
    /// Callers and the functions that they call, as numbers of functions.
    pub function_edges: Vec<(u32, u32)>,
    /// Numbers of calls, and the functions that they call.
    pub call_edges: Vec<(u32, u32)>,
}

/// Function of a call graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CallGraphFunction {
    /// Name, or a description.
    pub name: String,
    /// Place.
    #[serde(flatten)]
    pub range: CallGraphRange,
}

/// Place of a function or call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct CallGraphRange {
    /// Number of the file.
    pub file: u32,
    /// Line and column of the first character. Both start at 1.
    pub start: (u32, u32),
    /// Line and column after the last character.
    pub end: (u32, u32),
}

/// Call graph of archives, folders and files, with the files that it covers.
///
/// # Errors
///
/// As [`scan`](super::scan).
pub fn call_graph(
    paths: &[PathBuf],
    options: &ScanOptions,
    control: &ScanControl,
) -> Result<(CallGraph, Coverage), ScanError> {
    let pool = thread_pool(options)?;
    pool.install(|| {
        let knowledge = options.knowledge.clone().unwrap_or_else(Knowledge::builtin);
        let watch = Watch::new(control, options);
        let mut total = CallGraph::default();
        let mut input = analyse_each(paths, options, &knowledge, control, &watch, &mut total)?;
        input.coverage.is_interrupted |= watch.is_over();
        Ok((total, input.coverage))
    })
}

impl Visitor for CallGraph {
    fn visit(
        &mut self,
        analysed: &mut Analysed,
        _knowledge: &Arc<Knowledge>,
        is_last: bool,
    ) -> Result<Visited, ScanError> {
        if !is_last && !limits_of_program(&analysed.statistics).is_empty() {
            return Ok(Visited::Split);
        }
        analysed.input.coverage.problems.extend(limit_problem(analysed));
        self.append(graph(analysed));
        Ok(Visited::Done)
    }
}

impl CallGraph {
    /// Appends the graph of another program.
    fn append(&mut self, other: CallGraph) {
        let (files, functions) = (self.files.len() as u32, self.functions.len() as u32);
        let calls = self.calls.len() as u32;
        let moved = |range: CallGraphRange| CallGraphRange { file: range.file + files, ..range };
        self.files.extend(other.files);
        self.functions.extend(
            other.functions.into_iter().map(|function| CallGraphFunction { range: moved(function.range), ..function }),
        );
        self.calls.extend(other.calls.into_iter().map(moved));
        let edges = other.function_edges.into_iter();
        self.function_edges.extend(edges.map(|(from, to)| (from + functions, to + functions)));
        self.call_edges.extend(other.call_edges.into_iter().map(|(from, to)| (from + calls, to + functions)));
    }
}

fn graph(analysed: &Analysed) -> CallGraph {
    let program = &analysed.program;
    let mut graph = CallGraph::default();
    let mut calls: BTreeMap<u32, u32> = BTreeMap::new();
    let iterators = iterators(analysed);
    for module in &program.modules {
        let record = &analysed.input.coverage.files[module.file as usize];
        let lines = LineIndex::new(record.text.as_deref().unwrap_or_default());
        let file = graph.files.len() as u32;
        graph.files.push(record.path.clone());
        let range = |span: Span| {
            let place = |offset: u32| {
                let position = lines.position(offset as usize);
                (position.line as u32, position.column as u32)
            };
            CallGraphRange { file, start: place(span.start), end: place(span.end) }
        };
        for (number, function) in module.flow.functions.iter().enumerate() {
            let name = program.function_name(module.functions + number as u32).to_owned();
            graph.functions.push(CallGraphFunction { name, range: range(function.span) });
        }
        for (number, instruction) in module.flow.instructions.iter().enumerate() {
            let value = module.values + number as u32;
            if let Op::Element(base) = instruction.op {
                let caller = module.function(instruction.function);
                for object in analysed.points_to.objects_of(module.value(base)) {
                    let called = iterators.get(object).into_iter().flatten();
                    graph.function_edges.extend(called.map(|&function| (caller, function)));
                }
            }
            let links = analysed.points_to.links_of(value);
            if links.is_empty() {
                continue;
            }
            let call = *calls.entry(value).or_insert_with(|| {
                graph.calls.push(range(instruction.span));
                graph.calls.len() as u32 - 1
            });
            for link in links {
                graph.call_edges.push((call, link.function));
                graph.function_edges.push((module.function(instruction.function), link.function));
            }
        }
    }
    for edges in [&mut graph.function_edges, &mut graph.call_edges] {
        edges.sort_unstable();
        edges.dedup();
    }
    graph
}

/// Methods that an iteration over an object calls, by object. No instruction calls them.
fn iterators(analysed: &Analysed) -> BTreeMap<u32, Vec<u32>> {
    let points_to = &analysed.points_to;
    let mut methods: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut made: Vec<(u32, u32)> = Vec::new();
    for link in points_to.links.iter().filter(|link| link.call >= analysed.program.value_count) {
        let (Some(receiver), Some(result)) = (link.receiver, link.result) else { continue };
        for &object in points_to.objects_of(receiver) {
            methods.entry(object).or_default().push(link.function);
            made.extend(points_to.objects_of(result).iter().map(|&iterator| (object, iterator)));
        }
    }
    // The iterator that an object makes has methods of its own.
    for (object, iterator) in made {
        if object != iterator {
            let more = methods.get(&iterator).cloned().unwrap_or_default();
            methods.entry(object).or_default().extend(more);
        }
    }
    methods
}
