//! Construction and transposition of CSR graphs, against a counting sort, petgraph and scipy.

use std::cell::RefCell;
use std::time::Duration;

use rayon::ThreadPool;
use vyre_graph::{CsrGraph, try_to_csr};

use super::peers;
use super::scipy::Scipy;
use super::task::Task;
use crate::harness::{Contender, Measure, Role, time};

/// vyre, which checks its result against a counting sort.
struct Vyre<'c> {
    graph: &'c CsrGraph,
    edges: &'c [(u32, u32)],
    task: Task,
    /// Pool of one thread; all threads without it.
    pool: Option<&'c ThreadPool>,
}

impl Vyre<'_> {
    fn construct(&self) -> CsrGraph {
        try_to_csr(self.graph.node_count() as u32, self.edges).expect("edges of a graph")
    }
}

impl Measure<Duration, String> for Vyre<'_> {
    fn measure(&mut self, _runs: u32) -> Result<Duration, String> {
        let work = || match self.task {
            Task::Construct => time(|| self.construct()),
            Task::Transpose => time(|| self.graph.transposed()),
        };
        Ok(self.pool.map_or_else(work, |pool| pool.install(work)))
    }

    fn verify(&mut self, _runs: u32) -> Result<(), String> {
        let Vyre { graph, edges, task, .. } = *self;
        let made = match task {
            Task::Construct => {
                let (offsets, targets) =
                    peers::counting_sort(graph.node_count() as u32, edges.iter().copied(), edges.len());
                let made = self.construct();
                if made.offsets != offsets || made.targets != targets {
                    return Err("the graph differs from that of a counting sort".to_owned());
                }
                made
            }
            Task::Transpose => graph.clone(),
        };
        // Transposing twice sorts the rows and changes nothing else.
        let twice = made.transposed().transposed();
        match twice.offsets == graph.offsets && twice.targets == graph.targets {
            true => Ok(()),
            false => Err("transposing twice gives another graph".to_owned()),
        }
    }
}

/// All contenders for a task on one list of edges, vyre with all threads first.
pub fn csr_contenders<'c>(
    graph: &'c CsrGraph,
    edges: &'c [(u32, u32)],
    task: Task,
    one: &'c ThreadPool,
    scipy: Option<&'c RefCell<Scipy>>,
) -> Vec<Contender<'c>> {
    let nodes = graph.node_count() as u32;
    let vyre = |pool| Vyre { graph, edges, task, pool };
    let mut contenders = vec![
        Contender::new(format!("vyre, {} threads", rayon::current_num_threads()), Role::Ours, vyre(None)),
        Contender::new("vyre, 1 thread", Role::Ours, vyre(Some(one))),
        Contender::new("counting sort", Role::Peer, move |_| {
            let view = graph.view();
            let reversed = (0..nodes).flat_map(move |node| view.neighbours(node).iter().map(move |&to| (to, node)));
            Ok(match task {
                Task::Construct => time(|| peers::counting_sort(nodes, edges.iter().copied(), edges.len())),
                Task::Transpose => time(|| peers::counting_sort(nodes, reversed, edges.len())),
            })
        }),
        Contender::new("petgraph `Csr`, with sorting", Role::Peer, move |_| {
            Ok(match task {
                Task::Construct => time(|| peers::petgraph_csr(edges)),
                Task::Transpose => time(|| peers::petgraph_transposed(graph.view())),
            })
        }),
    ];
    // `Graph` holds both directions, so it has no transposition.
    if task == Task::Construct {
        let work = move |_| Ok(time(|| peers::petgraph_lists(nodes, edges)));
        contenders.push(Contender::new("petgraph `Graph`", Role::Peer, work));
    }
    if let Some(scipy) = scipy {
        let work = move |_| scipy.borrow_mut().time(task).map_err(|error| format!("scipy: {error}"));
        contenders.push(Contender::new("scipy, inner loop", Role::Peer, work));
    }
    contenders
}
