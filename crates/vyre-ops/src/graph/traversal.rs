//! Breadth-first search from many sources, which `graph.bfs` and `graph.reachability` share.
//!
//! Each invocation runs the BFS of one source, with a bitmap of visited nodes and a queue of its own. The queue is a ring, so it
//! must hold the two widest consecutive levels, not all nodes. A node enters the queue at most once. Sanitizers and nodes at the
//! maximum depth are not expanded and never enter it.

use std::collections::VecDeque;

use vyre_graph::{CsrView, LABEL_SANITIZER, LABEL_SINK, LABEL_SOURCE_AND_SINK, Role, role_of};
use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, num_workgroups, pack, workgroup_id};
use vyre_ir::{AtomicOp, BufferAccess, BufferDecl, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList};

use super::batch_plan::{Batch, BatchPlan, check_memory};
use super::device::{GraphOnDevice, GraphOps, Progress, check_sources};
use super::error::GraphError;
use super::traversal_options::TraversalOptions;

/// Workgroup size of the program.
const WORKGROUP: u32 = 64;

/// A node that a traversal reports.
///
/// Findings are ordered by source, node, depth and position of the source. Ops return them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// Start of the traversal.
    pub source: u32,
    /// The reported node.
    pub node: u32,
    /// Number of edges of a shortest path.
    pub depth: u32,
    /// Position of the source in the list of sources, from 0. It distinguishes equal sources.
    pub source_index: u32,
}

/// Nodes that a traversal reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// Sinks, and the start if it is source and sink.
    Sinks,
    /// Every node but the start.
    AllNodes,
}

impl Report {
    /// Condition that a reached node is reported.
    fn condition(self, role: &Var) -> Expr {
        match self {
            Report::Sinks => role.eq(LABEL_SINK).or(role.eq(LABEL_SOURCE_AND_SINK)),
            Report::AllNodes => 1u32.into(),
        }
    }

    /// Maximum number of findings of one source.
    pub(crate) fn max_findings(self, graph: CsrView<'_>) -> u64 {
        match self {
            Report::Sinks => graph.node_data.iter().filter(|&&word| role_of(word).is_sink()).count() as u64,
            Report::AllNodes => graph.node_count() as u64,
        }
    }
}

/// Buffers of the program.
struct Buffers {
    labels: Handle,
    findings: Handle,
    finding_count: Handle,
    params: Handle,
    visited: Handle,
    queue: Handle,
}

impl Buffers {
    fn role(&self, node: &Var) -> Expr {
        (self.labels.load(node) >> 16u32) & 0xffu32
    }

    /// Counts a finding, and stores it if there is room.
    fn report(&self, b: &mut Body<'_>, finding: [Expr; 4]) {
        let slot = b.atomic("slot", AtomicOp::Add, &self.finding_count, 0u32, 1u32);
        b.if_(slot.lt(self.params.load(2u32)), |b| {
            b.store(&self.findings, &slot, pack(DataType::Vec4U32, finding));
        });
    }
}

/// Ring queue of one BFS.
struct RingQueue<'q> {
    queue: &'q Handle,
    overflow: &'q Handle,
    /// Begin of the ring in the buffer, and its capacity in nodes.
    base: Var,
    capacity: Var,
    /// Positions of the next node and of the next free slot, and the number of nodes in the queue.
    head: Var,
    tail: Var,
    length: Var,
}

impl RingQueue<'_> {
    /// Appends a node, or counts it as dropped.
    fn push(&self, b: &mut Body<'_>, node: &Var) {
        b.if_else(
            self.length.lt(&self.capacity),
            |b| {
                b.store(self.queue, &self.base + &self.tail, node);
                self.advance(b, &self.tail);
                b.assign(&self.length, &self.length + 1u32);
            },
            |b| b.discard(Expr::atomic(AtomicOp::Add, self.overflow.name(), 1u32, 1u32)),
        );
    }

    /// Removes the next node.
    fn pop(&self, b: &mut Body<'_>) -> Var {
        let node = b.let_("node", self.queue.load(&self.base + &self.head));
        self.advance(b, &self.head);
        b.assign(&self.length, &self.length - 1u32);
        node
    }

    /// Advances a position of the ring.
    fn advance(&self, b: &mut Body<'_>, position: &Var) {
        b.assign(position, position + 1u32);
        b.if_(position.eq(&self.capacity), |b| b.assign(position, 0u32));
    }
}

/// Builds the program. `docs/graph.md` describes its buffers.
pub(crate) fn program(report: Report) -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let labels = p.read("node_labels", DataType::U32);
    let offsets = p.read("edge_offsets", DataType::U32);
    let targets = p.read("edge_targets", DataType::U32);
    let sources = p.read("source_nodes", DataType::U32);
    let findings = p.read_write("findings", DataType::Vec4U32);
    let finding_count = p.read_write("finding_count", DataType::U32);
    let params = p.declare(BufferDecl::storage("params", 6, BufferAccess::Uniform, DataType::U32));
    let visited = p.read_write("visited_set", DataType::U32);
    let queue = p.read_write("queue", DataType::U32);
    let buffers = Buffers { labels, findings, finding_count, params, visited, queue };
    p.entry(|b| {
        let source_count = b.let_("num_sources", buffers.params.load(0u32));
        let capacity = b.let_("capacity", buffers.queue.len() / &source_count);
        // The workgroups of any grid share the sources in chunks of the workgroup size.
        let chunks = b.let_("chunks", &source_count / WORKGROUP + (&source_count % WORKGROUP).ne(0u32));
        let plane = b.let_("plane", workgroup_id(2) * num_workgroups(1) + workgroup_id(1));
        let group = b.let_("group", &plane * num_workgroups(0) + workgroup_id(0));
        let groups = b.let_("groups", num_workgroups(0) * num_workgroups(1) * num_workgroups(2));
        b.for_("iteration", 0u32, &chunks / &groups + 1u32, |b, iteration| {
            let chunk = b.let_("chunk", iteration * &groups + &group);
            let source = b.let_("source", &chunk * WORKGROUP + local_id(0));
            b.if_(chunk.lt(&chunks).and(source.lt(&source_count)), |b| {
                let start = b.let_("start", sources.load(&source));
                b.if_(start.lt(buffers.params.load(1u32)), |b| {
                    search(b, report, &buffers, [&offsets, &targets], &source, &start, &capacity);
                });
            });
        });
    })
}

/// BFS from one source.
fn search(
    b: &mut Body<'_>,
    report: Report,
    buffers: &Buffers,
    [offsets, targets]: [&Handle; 2],
    source: &Var,
    start: &Var,
    capacity: &Var,
) {
    let max_depth = b.let_("max_depth", buffers.params.load(3u32));
    let bitmap = b.let_("bitmap", source * buffers.params.load(4u32));
    let base = b.let_("base", source * capacity);
    let [head, tail, length] = ["head", "tail", "length"].map(|name| b.let_(name, 0u32));
    let (queue, overflow) = (&buffers.queue, &buffers.finding_count);
    let ring = RingQueue { queue, overflow, base, capacity: capacity.clone(), head, tail, length };
    // Marks a node as visited, and runs `when_new` if it was not before. Most visits find the bit set, so a plain load precedes
    // the atomic. The load may be stale, but bits are never cleared.
    let visit = |b: &mut Body<'_>, node: &Var, when_new: &dyn Fn(&mut Body<'_>)| {
        let bit = b.let_("bit", 1u32 << (node & 31u32));
        let word = b.let_("word", &bitmap + (node >> 5u32));
        b.if_((buffers.visited.load(&word) & &bit).is_zero(), |b| {
            let before = b.atomic("before", AtomicOp::Or, &buffers.visited, &word, &bit);
            b.if_((&before & &bit).is_zero(), when_new);
        });
    };

    visit(b, start, &|_| {});
    let start_role = b.let_("start_role", buffers.role(start));
    if report == Report::Sinks {
        b.if_(start_role.eq(LABEL_SOURCE_AND_SINK), |b| {
            buffers.report(b, [start.into(), start.into(), 0u32.into(), source.into()]);
        });
    }
    b.if_(start_role.ne(LABEL_SANITIZER).and(max_depth.ne(0u32)), |b| ring.push(b, start));

    // Depth of the nodes that are found next, and number of unexpanded nodes of the level before.
    let depth = b.let_("depth", 1u32);
    let left = b.let_("left", &ring.length);
    b.for_("step", 0u32, buffers.params.load(1u32), |b, _| {
        b.if_(ring.length.eq(0u32), |b| b.break_());
        b.if_(left.eq(0u32), |b| {
            b.assign(&depth, &depth + 1u32);
            b.assign(&left, &ring.length);
        });
        b.assign(&left, &left - 1u32);
        let node = ring.pop(b);
        b.for_("edge", offsets.load(&node), offsets.load(&node + 1u32), |b, edge| {
            let target = b.let_("target", targets.load(edge));
            visit(b, &target, &|b| {
                let role = b.let_("role", buffers.role(&target));
                b.if_(report.condition(&role), |b| {
                    buffers.report(b, [start.into(), (&target).into(), (&depth).into(), source.into()]);
                });
                b.if_(role.ne(LABEL_SANITIZER).and(depth.lt(&max_depth)), |b| ring.push(b, &target));
            });
        });
    });
}

/// Runs the traversal from all sources, in batches.
pub(crate) fn run(
    graph: &GraphOnDevice<'_>,
    report: Report,
    name: &'static str,
    build: fn() -> Program,
    sources: &[u32],
    options: &TraversalOptions,
) -> Result<Vec<Finding>, GraphError> {
    check_sources(graph.host, sources)?;
    match options.grid {
        Some(grid) if grid.contains(&0) => return Err(GraphError::EmptyGrid { grid }),
        _ => {}
    }
    let limit = options.max_findings.unwrap_or(u64::MAX);
    let device_limits = graph.ops.device().limits();
    let (nodes, reportable) = (graph.host.node_count(), report.max_findings(graph.host));
    check_memory(nodes, sources.len(), reportable, options)?;
    let mut plan = BatchPlan::new(nodes, sources.len(), reportable, device_limits, options);
    let mut scratch = None;
    let mut found = Vec::new();
    let mut total = 0u64;
    let mut done = 0;
    graph.ops.report(Progress::new("sources", 0, Some(sources.len() as u64)));
    while done < sources.len() {
        let batch = plan.batch((sources.len() - done) as u64)?;
        let part = &sources[done..done + batch.sources as usize];
        // Findings beyond the limit are counted, but not stored.
        let batch = Batch { findings: batch.findings.min(limit.saturating_sub(total)), ..batch };
        let BatchResult { count, dropped, findings } =
            dispatch(graph, (name, build), part, batch, options, &mut scratch)?;
        if dropped > 0 {
            plan.grow_queues(batch, dropped)?;
            continue;
        }
        if count > batch.findings && total + count <= limit {
            plan.grow_findings(batch, count)?;
            continue;
        }
        plan.confirm();
        total += count;
        if total <= limit {
            found.extend(
                findings
                    .into_iter()
                    .map(|finding| Finding { source_index: finding.source_index + done as u32, ..finding }),
            );
        }
        done += part.len();
        graph.ops.report(Progress::new("sources", done as u64, Some(sources.len() as u64)));
    }
    if total > limit {
        return Err(GraphError::TooManyFindings { found: total, limit });
    }
    found.sort_unstable();
    Ok(found)
}

/// Buffers of a batch. Batches of the same size reuse them, since an allocation can take longer than a traversal.
struct Scratch {
    batch: Batch,
    findings: Buffer,
    counts: Buffer,
    visited: Buffer,
    queue: Buffer,
}

impl Scratch {
    fn new(ops: &GraphOps, batch: Batch, words: u32) -> Result<Scratch, GraphError> {
        Ok(Scratch {
            batch,
            findings: ops.zeroed(batch.findings * 4)?,
            counts: ops.zeroed(2)?,
            visited: ops.zeroed(batch.sources * u64::from(words))?,
            queue: ops.zeroed(batch.sources * batch.capacity)?,
        })
    }
}

/// Result of a batch.
struct BatchResult {
    /// Number of findings, including those without room.
    count: u64,
    /// Number of nodes that did not fit a queue.
    dropped: u64,
    /// Findings that were stored.
    findings: Vec<Finding>,
}

/// Runs a batch.
fn dispatch(
    graph: &GraphOnDevice<'_>,
    (name, build): (&'static str, fn() -> Program),
    sources: &[u32],
    batch: Batch,
    options: &TraversalOptions,
    scratch: &mut Option<Scratch>,
) -> Result<BatchResult, GraphError> {
    let ops = graph.ops;
    let nodes = graph.host.node_count() as u32;
    let words = nodes.div_ceil(32);
    let reused = match scratch.take() {
        Some(reused) if reused.batch == batch => reused,
        // The old buffers are released before the allocation.
        _ => Scratch::new(ops, batch, words)?,
    };
    let scratch = scratch.insert(reused);
    let params = [batch.sources as u32, nodes, batch.findings as u32, options.max_depth.unwrap_or(u32::MAX), words];
    let buffers = [
        &graph.labels,
        &graph.edges.offsets,
        &graph.edges.targets,
        &ops.upload(sources)?,
        &scratch.findings,
        &scratch.counts,
        &ops.upload(&params)?,
        &scratch.visited,
        &scratch.queue,
    ];
    let grid = options.grid.unwrap_or([sources.len().div_ceil(WORKGROUP as usize) as u32, 1, 1]);
    let mut commands = CommandList::new();
    commands.push(Command::fill_all(&scratch.counts, 0));
    commands.push(Command::fill_all(&scratch.visited, 0));
    commands.dispatch(&ops.pipeline(name, build)?, &Bindings::in_order(buffers), grid);
    ops.run(&commands)?;
    let counts = ops.read(&scratch.counts)?;
    let words = if counts[0] == 0 { Vec::new() } else { ops.read(&scratch.findings)? };
    let (stored, _) = words.as_chunks::<4>();
    let finding = |&[source, node, depth, source_index]: &[u32; 4]| Finding { source, node, depth, source_index };
    let findings = stored.iter().take(counts[0] as usize).map(finding).collect();
    Ok(BatchResult { count: u64::from(counts[0]), dropped: u64::from(counts[1]), findings })
}

/// Host reference of the BFS from one source: every reached node with its depth, the start first.
pub(crate) fn bfs_on_host(graph: CsrView<'_>, start: u32, max_depth: u32) -> Vec<(u32, u32)> {
    let mut reached = Vec::new();
    let mut seen = vec![false; graph.node_count()];
    let mut queue = VecDeque::from([(start, 0u32)]);
    seen[start as usize] = true;
    while let Some((node, depth)) = queue.pop_front() {
        reached.push((node, depth));
        if role_of(graph.node_data[node as usize]) == Role::Sanitizer || depth == max_depth {
            continue;
        }
        for &target in graph.neighbours(node) {
            if !std::mem::replace(&mut seen[target as usize], true) {
                queue.push_back((target, depth + 1));
            }
        }
    }
    reached
}
