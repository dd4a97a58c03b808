//! Breadth-first search from many sources: what `graph.bfs` and `graph.reachability` have in common.
//!
//! One invocation searches for one source, with a bitmap of visited nodes and a queue of its own. The queue is a ring, so it
//! must hold the widest two levels, not all nodes. A node is put into it at most once; sanitizers and nodes at the last depth,
//! which are not expanded, never.

use std::collections::VecDeque;

use vyre_graph::{CsrView, Role, role_of};
use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, Var, local_id, num_workgroups, pack, workgroup_id};
use vyre_ir::{AtomicOp, BufferAccess, BufferDecl, DataType, Expr, Program};
use vyre_runtime::{Bindings, Buffer, Command, CommandList};

use super::batches::{Batch, Plan};
use super::error::GraphError;
use super::resident::{GraphOnDevice, GraphOps, Progress};

/// The workgroup size of the program.
const WORKGROUP: u32 = 64;

/// A node that a search has reported.
///
/// Findings are ordered by source, node, depth and the position of the source, which is the order in which ops give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// Where the search began.
    pub source: u32,
    /// What it has found.
    pub node: u32,
    /// The number of edges on the shortest way.
    pub depth: u32,
    /// Which of the sources it was, from 0. It tells equal sources apart.
    pub source_index: u32,
}

/// How searches are done. By default they are complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traversal {
    /// The most edges of a way; without it, ways are of any length.
    pub max_depth: Option<u32>,
    /// The most findings, of all sources together. More are an error. Without it, there is room for all.
    pub max_findings: Option<u32>,
    /// How many nodes the queue of a source holds. A queue that is too short is an error. Without it, it is long enough.
    pub queue_capacity: Option<u32>,
    /// How many bytes of the device's memory may be used at a time for queues, bitmaps and findings; sources are searched in
    /// batches that fit, of at least one. Without it, 1 GiB.
    pub memory: Option<u64>,
    /// The grid to dispatch; any grid that has a workgroup gives the same findings. Without it, one invocation for each source.
    pub grid: Option<[u32; 3]>,
}

impl Traversal {
    /// The same with ways of at most so many edges.
    #[must_use]
    pub fn with_max_depth(mut self, depth: u32) -> Traversal {
        self.max_depth = Some(depth);
        self
    }

    /// The same with at most so many findings.
    #[must_use]
    pub fn with_max_findings(mut self, findings: u32) -> Traversal {
        self.max_findings = Some(findings);
        self
    }

    /// The same with queues of so many nodes.
    #[must_use]
    pub fn with_queue_capacity(mut self, nodes: u32) -> Traversal {
        self.queue_capacity = Some(nodes);
        self
    }

    /// The same with so many bytes of memory.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Traversal {
        self.memory = Some(bytes);
        self
    }

    /// The same with a grid.
    #[must_use]
    pub fn with_grid(mut self, grid: [u32; 3]) -> Traversal {
        self.grid = Some(grid);
        self
    }
}

/// Which nodes a search reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// Sinks, and the start where it is source and sink.
    Sinks,
    /// Every node but the start.
    Everything,
}

impl Report {
    /// Whether a node that was reached is reported.
    fn reached(self, role: &Var) -> Expr {
        match self {
            Report::Sinks => is_role(role, Role::Sink).or(is_role(role, Role::SourceAndSink)),
            Report::Everything => 1u32.into(),
        }
    }

    /// The most findings of one source.
    fn most(self, graph: CsrView<'_>) -> u64 {
        match self {
            Report::Sinks => graph.node_data.iter().filter(|&&word| role_of(word).is_sink()).count() as u64,
            Report::Everything => graph.node_count() as u64,
        }
    }
}

fn is_role(role: &Var, wanted: Role) -> Expr {
    role.eq(wanted.number())
}

/// The buffers of the program that its parts share.
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

    /// Counts a finding, and writes it where there is room.
    fn report(&self, b: &mut Body<'_>, finding: [Expr; 4]) {
        let slot = b.atomic("slot", AtomicOp::Add, &self.finding_count, 0u32, 1u32);
        b.if_(slot.lt(self.params.load(2u32)), |b| {
            b.store(&self.findings, &slot, pack(DataType::Vec4U32, finding));
        });
    }
}

/// The queue of one search.
struct Ring<'q> {
    queue: &'q Handle,
    overflow: &'q Handle,
    /// Where it begins in the buffer, and how many nodes it holds.
    base: Var,
    capacity: Var,
    /// The places of the next node to take and of the next free place, and how many nodes wait.
    head: Var,
    tail: Var,
    waiting: Var,
}

impl Ring<'_> {
    /// Puts a node in, or counts it as dropped.
    fn push(&self, b: &mut Body<'_>, node: &Var) {
        b.if_else(
            self.waiting.lt(&self.capacity),
            |b| {
                b.store(self.queue, &self.base + &self.tail, node);
                self.step(b, &self.tail);
                b.assign(&self.waiting, &self.waiting + 1u32);
            },
            |b| b.discard(Expr::atomic(AtomicOp::Add, self.overflow.name(), 1u32, 1u32)),
        );
    }

    /// Takes the next node out.
    fn pop(&self, b: &mut Body<'_>) -> Var {
        let node = b.let_("node", self.queue.load(&self.base + &self.head));
        self.step(b, &self.head);
        b.assign(&self.waiting, &self.waiting - 1u32);
        node
    }

    /// The place behind a place.
    fn step(&self, b: &mut Body<'_>, place: &Var) {
        b.assign(place, place + 1u32);
        b.if_(place.eq(&self.capacity), |b| b.assign(place, 0u32));
    }
}

/// The program. Its buffers are described in `docs/graph.md`.
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
        // Workgroups of any grid share the sources in rows of a workgroup's size.
        let rows = b.let_("rows", &source_count / WORKGROUP + (&source_count % WORKGROUP).ne(0u32));
        let plane = b.let_("plane", workgroup_id(2) * num_workgroups(1) + workgroup_id(1));
        let group = b.let_("group", &plane * num_workgroups(0) + workgroup_id(0));
        let groups = b.let_("groups", num_workgroups(0) * num_workgroups(1) * num_workgroups(2));
        b.for_("round", 0u32, &rows / &groups + 1u32, |b, round| {
            let row = b.let_("row", round * &groups + &group);
            let source = b.let_("source", &row * WORKGROUP + local_id(0));
            b.if_(row.lt(&rows).and(source.lt(&source_count)), |b| {
                let start = b.let_("start", sources.load(&source));
                b.if_(start.lt(buffers.params.load(1u32)), |b| {
                    search(b, report, &buffers, [&offsets, &targets], &source, &start, &capacity);
                });
            });
        });
    })
}

/// The search from one source.
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
    let [head, tail, waiting] = ["head", "tail", "waiting"].map(|name| b.let_(name, 0u32));
    let (queue, overflow) = (&buffers.queue, &buffers.finding_count);
    let ring = Ring { queue, overflow, base, capacity: capacity.clone(), head, tail, waiting };
    // Marks a node as visited, and does `when_new` if it was not before. Most nodes are met again and again, so a plain load
    // comes before the atomic: what it gives may be out of date, but a bit never goes away.
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
        b.if_(is_role(&start_role, Role::SourceAndSink), |b| {
            buffers.report(b, [start.into(), start.into(), 0u32.into(), source.into()]);
        });
    }
    b.if_(start_role.ne(Role::Sanitizer.number()).and(max_depth.ne(0u32)), |b| ring.push(b, start));

    // The depth of the nodes that are found next, and how many nodes are left of the level before it.
    let depth = b.let_("depth", 1u32);
    let left = b.let_("left", &ring.waiting);
    b.for_("step", 0u32, buffers.params.load(1u32), |b, _| {
        b.if_(ring.waiting.eq(0u32), |b| b.break_());
        b.if_(left.eq(0u32), |b| {
            b.assign(&depth, &depth + 1u32);
            b.assign(&left, &ring.waiting);
        });
        b.assign(&left, &left - 1u32);
        let node = ring.pop(b);
        b.for_("edge", offsets.load(&node), offsets.load(&node + 1u32), |b, edge| {
            let target = b.let_("target", targets.load(edge));
            visit(b, &target, &|b| {
                let role = b.let_("role", buffers.role(&target));
                b.if_(report.reached(&role), |b| {
                    buffers.report(b, [start.into(), (&target).into(), (&depth).into(), source.into()]);
                });
                b.if_(role.ne(Role::Sanitizer.number()).and(depth.lt(&max_depth)), |b| ring.push(b, &target));
            });
        });
    });
}

/// Searches from all sources, in as many batches as it takes.
pub(crate) fn run(
    graph: &GraphOnDevice<'_>,
    report: Report,
    name: &'static str,
    build: fn() -> Program,
    sources: &[u32],
    options: &Traversal,
) -> Result<Vec<Finding>, GraphError> {
    graph.check_sources(sources)?;
    match options.grid {
        Some(grid) if grid.contains(&0) => return Err(GraphError::EmptyGrid { grid }),
        _ => {}
    }
    let limit = options.max_findings.map_or(u64::MAX, u64::from);
    let device_limits = graph.ops.device().limits();
    let mut plan = Plan::new(graph.host.node_count(), sources.len(), report.most(graph.host), device_limits, options);
    let mut scratch = None;
    let mut found = Vec::new();
    let mut total = 0u64;
    let mut done = 0;
    graph.ops.tell(Progress::new("sources", 0, Some(sources.len() as u64)));
    while done < sources.len() {
        let batch = plan.batch((sources.len() - done) as u64);
        let part = &sources[done..done + batch.sources as usize];
        // What is beyond the limit is counted, not kept.
        let batch = Batch { findings: batch.findings.min(limit.saturating_sub(total)), ..batch };
        let (counts, rows) = dispatch(graph, (name, build), part, batch, options, &mut scratch)?;
        let [count, dropped] = counts.map(u64::from);
        if dropped > 0 {
            plan.lengthen_queues(batch, dropped)?;
            continue;
        }
        if count > batch.findings && total + count <= limit {
            plan.make_room(batch, count)?;
            continue;
        }
        plan.has_fitted();
        total += count;
        if total <= limit {
            found.extend(
                rows.into_iter().map(|finding| Finding { source_index: finding.source_index + done as u32, ..finding }),
            );
        }
        done += part.len();
        graph.ops.tell(Progress::new("sources", done as u64, Some(sources.len() as u64)));
    }
    if total > limit {
        return Err(GraphError::TooManyFindings { found: total, limit });
    }
    found.sort_unstable();
    Ok(found)
}

/// Buffers of a batch, which batches of the same size use again: to get new memory can take longer than to search.
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
            findings: ops.zeros(batch.findings * 4)?,
            counts: ops.zeros(2)?,
            visited: ops.zeros(batch.sources * u64::from(words))?,
            queue: ops.zeros(batch.sources * batch.capacity)?,
        })
    }
}

/// Searches from some sources: the two counters, and the findings that there was room for.
fn dispatch(
    graph: &GraphOnDevice<'_>,
    (name, build): (&'static str, fn() -> Program),
    sources: &[u32],
    batch: Batch,
    options: &Traversal,
    scratch: &mut Option<Scratch>,
) -> Result<([u32; 2], Vec<Finding>), GraphError> {
    let ops = graph.ops;
    let nodes = graph.host.node_count() as u32;
    let words = nodes.div_ceil(32);
    let room = match scratch.take() {
        Some(room) if room.batch == batch => room,
        // What there was is released before there is more.
        _ => Scratch::new(ops, batch, words)?,
    };
    let room = scratch.insert(room);
    let params = [batch.sources as u32, nodes, batch.findings as u32, options.max_depth.unwrap_or(u32::MAX), words];
    let buffers = [
        &graph.labels,
        &graph.edges.offsets,
        &graph.edges.targets,
        &ops.words(sources)?,
        &room.findings,
        &room.counts,
        &ops.words(&params)?,
        &room.visited,
        &room.queue,
    ];
    let grid = options.grid.unwrap_or([sources.len().div_ceil(WORKGROUP as usize) as u32, 1, 1]);
    let mut commands = CommandList::new();
    commands.push(Command::fill_all(&room.counts, 0));
    commands.push(Command::fill_all(&room.visited, 0));
    commands.dispatch(&ops.pipeline(name, build)?, &Bindings::in_order(buffers), grid);
    ops.run(&commands)?;
    let counts = ops.read(&room.counts)?;
    let counts = [counts[0], counts[1]];
    let rows = if counts[0] == 0 { Vec::new() } else { ops.read(&room.findings)? };
    let (rows, _) = rows.as_chunks::<4>();
    let rows = rows.iter().take(counts[0] as usize);
    let finding = |&[source, node, depth, source_index]: &[u32; 4]| Finding { source, node, depth, source_index };
    Ok((counts, rows.map(finding).collect()))
}

/// The search in plain Rust, from one source: every node that it reaches with its depth, the start first.
pub(crate) fn reference_search(graph: CsrView<'_>, start: u32, max_depth: u32) -> Vec<(u32, u32)> {
    let mut reached = Vec::new();
    let mut seen = vec![false; graph.node_count()];
    let mut waiting = VecDeque::from([(start, 0u32)]);
    seen[start as usize] = true;
    while let Some((node, depth)) = waiting.pop_front() {
        reached.push((node, depth));
        if role_of(graph.node_data[node as usize]) == Role::Sanitizer || depth == max_depth {
            continue;
        }
        for &target in graph.neighbours(node) {
            if !std::mem::replace(&mut seen[target as usize], true) {
                waiting.push_back((target, depth + 1));
            }
        }
    }
    reached
}
