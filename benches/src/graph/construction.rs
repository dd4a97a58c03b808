//! Making a graph from edges, and turning it round.

use std::time::Duration;

use rayon::ThreadPool;
use vyre_graph::{CsrGraph, try_to_csr};

use super::peers;
use super::scipy::Scipy;
use crate::measure::time;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// From a list of edges to rows.
    Construct,
    /// From rows to the rows of the graph with all edges turned round.
    Transpose,
}

impl Task {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Task::Construct => "construct",
            Task::Transpose => "transpose",
        }
    }
}

/// Somebody who can do a task.
pub struct Contender<'c> {
    /// What it is called.
    pub name: String,
    run: Box<dyn FnMut(Task) -> Option<Duration> + 'c>,
}

impl Contender<'_> {
    /// How long it takes, or nothing where it cannot.
    pub fn time(&mut self, task: Task) -> Option<Duration> {
        (self.run)(task)
    }
}

/// All contenders for one list of edges, vyre with all threads first. What they make is compared before.
///
/// # Panics
///
/// Where one of them makes another graph.
#[must_use]
pub fn contenders<'c>(
    graph: &'c CsrGraph,
    edges: &'c [(u32, u32)],
    one: &'c ThreadPool,
    scipy: Option<&'c mut Scipy>,
) -> Vec<Contender<'c>> {
    let nodes = graph.node_count() as u32;
    let construct = move || try_to_csr(nodes, edges).expect("edges of a graph");
    check(graph, &construct(), edges);
    let on = |name: &str, run: Box<dyn FnMut(Task) -> Option<Duration> + 'c>| Contender { name: name.to_owned(), run };
    let vyre = move |task| match task {
        Task::Construct => time(construct),
        Task::Transpose => time(|| graph.transposed()),
    };
    let mut all = vec![
        on(&format!("vyre, {} threads", rayon::current_num_threads()), Box::new(move |task| Some(vyre(task)))),
        on("vyre, 1 thread", Box::new(move |task| Some(one.install(|| vyre(task))))),
        on(
            "counting sort, as first written",
            Box::new(move |task| {
                let view = graph.view();
                let turned = (0..nodes).flat_map(move |node| view.neighbours(node).iter().map(move |&to| (to, node)));
                Some(match task {
                    Task::Construct => time(|| peers::counting_sort(nodes, edges.iter().copied(), edges.len())),
                    Task::Transpose => time(|| peers::counting_sort(nodes, turned, edges.len())),
                })
            }),
        ),
        on(
            "petgraph `Csr` (sorted first where it must be)",
            Box::new(move |task| {
                Some(match task {
                    Task::Construct => time(|| peers::petgraph_rows(edges)),
                    Task::Transpose => time(|| peers::petgraph_turned(graph.view())),
                })
            }),
        ),
        on(
            "petgraph `Graph`",
            Box::new(move |task| match task {
                Task::Construct => Some(time(|| peers::petgraph_lists(nodes, edges))),
                // It holds both directions from the start.
                Task::Transpose => None,
            }),
        ),
    ];
    if let Some(scipy) = scipy {
        scipy.load(nodes, edges);
        all.push(on("scipy, its inner loop alone", Box::new(move |task| Some(scipy.time(task)))));
    }
    all
}

/// The same rows, each in any order if the list was shuffled; and transposing twice changes nothing but the order.
fn check(graph: &CsrGraph, made: &CsrGraph, edges: &[(u32, u32)]) {
    let (offsets, targets) = peers::counting_sort(graph.node_count() as u32, edges.iter().copied(), edges.len());
    assert!(made.offsets == offsets && made.targets == targets, "the graph differs from that of a counting sort");
    let twice = made.transposed().transposed();
    assert!(twice.offsets == graph.offsets && twice.targets == graph.targets, "transposing twice gives another graph");
}
