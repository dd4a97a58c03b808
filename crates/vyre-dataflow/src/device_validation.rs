//! Validation of graphs on a device: the checks of [`CsrView::validate`] as a program.
//!
//! The program finds the smallest position of a violation of each kind with atomic minima. It accepts any arrays whose lengths the host
//! has checked, so it reads nothing beyond their ends. It runs where a graph is uploaded anyway. A violation is rare, so the host then
//! repeats the check, which makes the error.

use vyre_graph::{CsrError, CsrView};
use vyre_ir::build::{Body, Buffer as Handle, ProgramBuilder, invocation_id};
use vyre_ir::{AtomicOp, DataType, Expr, OpTable, Program};
use vyre_runtime::{Bindings, Command, CommandList, Error};

use crate::device_preparation::role;
use crate::error::DataflowError;
use crate::executor::Executor;
use crate::strides::each_invocation;
use crate::uploaded_graph::UploadedGraph;

/// Minimum number of nodes and edges, in total, of a graph that a GPU validates. The host validates smaller ones in less time than a
/// round trip to the device takes.
pub(crate) const MIN_ON_DEVICE: usize = 1 << 20;
/// Maximum length of an array. Positions and strides of the program must not exceed `u32`.
const MAX_LENGTH: usize = 1 << 31;
const WORKGROUP: u32 = 256;
/// Number of the last valid role.
const MAX_ROLE: u32 = vyre_graph::LABEL_SANITIZER;
/// Position that means that there is no violation.
const NONE: u32 = u32::MAX;

/// Words of the buffer `violations`, in the order of the checks on the host. Each is the smallest position of a violation of its kind, or
/// [`NONE`].
///
/// | Word | Name | Position |
/// |---|---|---|
/// | 0 | `FIRST_OFFSET` | 0 |
/// | 1 | `DECREASE` | position in `offsets` of the smaller offset |
/// | 2 | `LAST_OFFSET` | last position in `offsets` |
/// | 3 | `TARGET` | position in `targets` |
/// | 4 | `ROLE` | node |
mod kind {
    pub(super) const FIRST_OFFSET: u32 = 0;
    pub(super) const DECREASE: u32 = 1;
    pub(super) const LAST_OFFSET: u32 = 2;
    pub(super) const TARGET: u32 = 3;
    pub(super) const ROLE: u32 = 4;
    pub(super) const COUNT: u32 = 5;
}

/// Validates a graph on the device. Returns the uploaded graph, or None if the device cannot hold it and the host must validate it.
///
/// # Errors
///
/// The error of [`CsrView::validate`], or a failure of the device.
pub(crate) fn validate_on_device(
    executor: &Executor,
    graph: CsrView<'_>,
) -> Result<Option<UploadedGraph>, DataflowError> {
    graph.validate_lengths()?;
    if graph.offsets.len().max(graph.targets.len()) > MAX_LENGTH {
        return Ok(None);
    }
    let validated = UploadedGraph::new(executor, graph).and_then(|uploaded| {
        let positions = violations(executor, &uploaded, graph)?;
        Ok((uploaded, positions))
    });
    let (uploaded, positions) = match validated {
        Err(DataflowError::Device(Error::ResourceExceeded { .. })) => return Ok(None),
        validated => validated?,
    };
    let Some(first) = (0..).zip(positions).find(|&(_, position)| position != NONE) else {
        return Ok(Some(uploaded));
    };
    match graph.validate() {
        Err(error) if place(&error) == Some(first) => Err(error.into()),
        result => Err(DataflowError::Validation { host: result.err() }),
    }
}

/// Kind and position of a violation. None if the program does not check for it.
fn place(error: &CsrError) -> Option<(u32, u32)> {
    let (kind, position) = match *error {
        CsrError::FirstOffset { .. } => (kind::FIRST_OFFSET, 0),
        CsrError::OffsetDecreases { position, .. } => (kind::DECREASE, position),
        CsrError::LastOffset { position, .. } => (kind::LAST_OFFSET, position),
        CsrError::Target { position, .. } => (kind::TARGET, position),
        CsrError::ReservedRole { node, .. } => (kind::ROLE, node),
        _ => return None,
    };
    Some((kind, u32::try_from(position).ok()?))
}

/// Runs the program. Returns the word of each kind of violation.
fn violations(executor: &Executor, uploaded: &UploadedGraph, graph: CsrView<'_>) -> Result<Vec<u32>, DataflowError> {
    let pipeline = executor.pipeline("validate".to_owned(), &OpTable::default(), program)?;
    let positions = executor.zeros(u64::from(kind::COUNT))?;
    let most = graph.node_count().max(graph.edge_count()) as u32;
    let mut commands = CommandList::new();
    commands.push(Command::fill_all(&positions, 0xff));
    let bindings = Bindings::in_order(uploaded.buffers().into_iter().chain([&positions]));
    commands.dispatch(&pipeline, &bindings, [executor.workgroups(most.div_ceil(WORKGROUP)), 1, 1]);
    executor.run_untimed(&commands)?;
    Ok(executor.read(&positions)?)
}

/// Finds the smallest position of each kind of violation. An invocation visits ascending positions and records the first one of a kind.
fn program() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [offsets, targets, node_data] = ["offsets", "targets", "node_data"].map(|name| p.read(name, DataType::U32));
    let violations = p.read_write("violations", DataType::U32);
    p.entry(|b| {
        let nodes = b.let_("nodes", node_data.len());
        let edges = b.let_("edges", targets.len());
        let [decrease, target, reserved] = ["decrease", "target", "reserved"].map(|name| b.let_(name, NONE));
        each_invocation(b, WORKGROUP, &nodes, |b, node| {
            let next = b.let_("next", node + 1u32);
            b.if_(offsets.load(&next).lt(offsets.load(node)), |b| b.assign(&decrease, decrease.min(&next)));
            b.if_(role(node_data.load(node)).gt(MAX_ROLE), |b| b.assign(&reserved, reserved.min(node)));
        });
        each_invocation(b, WORKGROUP, &edges, |b, edge| {
            b.if_(targets.load(edge).ge(&nodes), |b| b.assign(&target, target.min(edge)));
        });
        for (kind, position) in [(kind::DECREASE, &decrease), (kind::TARGET, &target), (kind::ROLE, &reserved)] {
            b.if_(position.ne(NONE), |b| record(b, &violations, kind, position));
        }
        b.if_(invocation_id(0).eq(0u32), |b| {
            b.if_(offsets.load(0u32).ne(0u32), |b| record(b, &violations, kind::FIRST_OFFSET, 0u32));
            b.if_(offsets.load(&nodes).ne(&edges), |b| record(b, &violations, kind::LAST_OFFSET, &nodes));
        });
    })
}

/// Records a violation.
fn record(b: &mut Body<'_>, violations: &Handle, kind: u32, position: impl Into<Expr>) {
    b.discard(Expr::atomic(AtomicOp::Min, violations.name(), kind, position));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_graph::CsrGraph;
    use vyre_graph::generate::{SplitMix64, rmat, roles};
    use vyre_jit::{JitDevice, JitOptions};
    use vyre_runtime::ReferenceDevice;

    use super::*;

    /// The reference interpreter, which checks for races.
    fn reference() -> Executor {
        let mut executor = Executor::new(Arc::new(ReferenceDevice::new()));
        executor.runner.run_options.check_races = true;
        executor
    }

    fn cpu() -> Executor {
        let device = JitDevice::new(&JitOptions::default().with_threads(2)).expect("threads can be started");
        Executor::new(Arc::new(device))
    }

    /// Words of the buffer `violations`, by plain loops.
    fn expected(graph: CsrView<'_>) -> Vec<u32> {
        let (offsets, nodes) = (graph.offsets, graph.node_count());
        let first = |at: Option<usize>| at.map_or(NONE, |at| at as u32);
        vec![
            first((offsets[0] != 0).then_some(0)),
            first((1..=nodes).find(|&at| offsets[at] < offsets[at - 1])),
            first((offsets[nodes] as usize != graph.edge_count()).then_some(nodes)),
            first(graph.targets.iter().position(|&target| target as usize >= nodes)),
            first(graph.node_data.iter().position(|&word| (word >> 16) & 0xff > 4)),
        ]
    }

    /// Compares the device with the host. Returns the kind of the error.
    fn check(executor: &Executor, graph: CsrView<'_>) -> Option<u32> {
        let uploaded = UploadedGraph::new(executor, graph).expect("the device has memory");
        let found = violations(executor, &uploaded, graph).expect("the program runs without races");
        assert_eq!(found, expected(graph), "{graph:?}");
        let host = graph.validate();
        let kind = host.as_ref().err().and_then(place).map(|(kind, _)| kind);
        match validate_on_device(executor, graph) {
            Ok(uploaded) => assert!(uploaded.is_some() && host.is_ok(), "{graph:?}"),
            Err(error) => assert_eq!(Err(error), host.map_err(DataflowError::Graph), "{graph:?}"),
        }
        kind
    }

    /// Replaces the first, the last or a random word of an array.
    fn damage(graph: &mut CsrGraph, random: &mut SplitMix64) {
        let CsrGraph { offsets, targets, node_data } = graph;
        let array = [offsets, targets, node_data].into_iter().nth(random.below(3) as usize).expect("below 3");
        let last = array.len() as u64 - 1;
        let position = [0, last, random.below(last + 1)][random.below(3) as usize] as usize;
        let old = array[position];
        let values = [0, u32::MAX, old.wrapping_add(1), old.wrapping_sub(1), random.next_word() as u32];
        array[position] = values[random.below(5) as usize];
    }

    fn compare_with_host(executor: &Executor, cases: u64) {
        let mut counts = [0; kind::COUNT as usize];
        for case in 0..cases {
            let mut random = SplitMix64::new(case);
            // More edges than invocations of a workgroup.
            let mut graph = rmat(3 + case as u32 % 5, 4, case).expect("a valid shape");
            roles(&mut graph, case);
            assert_eq!(check(executor, graph.view()), None);
            for _ in 0..4 {
                damage(&mut graph, &mut random);
                if let Some(kind) = check(executor, graph.view()) {
                    counts[kind as usize] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 0), "each kind occurs: {counts:?}");
    }

    #[test]
    fn the_reference_finds_what_the_host_finds() {
        compare_with_host(&reference(), 20);
    }

    #[test]
    fn the_cpu_finds_what_the_host_finds() {
        compare_with_host(&cpu(), 60);
    }

    #[test]
    fn graphs_without_nodes_or_edges_are_checked() {
        for executor in [reference(), cpu()] {
            assert_eq!(check(&executor, CsrGraph::default().view()), None);
            let graph = |offsets: &[u32], targets: &[u32], words: &[u32]| {
                let (offsets, targets, node_data) = (offsets.to_vec(), targets.to_vec(), words.to_vec());
                check(&executor, CsrGraph { offsets, targets, node_data }.view())
            };
            assert_eq!(graph(&[0, 0], &[], &[0]), None);
            assert_eq!(graph(&[0, 0], &[], &[5 << 16]), Some(kind::ROLE));
            assert_eq!(graph(&[1], &[], &[]), Some(kind::FIRST_OFFSET));
            assert_eq!(graph(&[0], &[0], &[]), Some(kind::LAST_OFFSET));
        }
    }

    #[test]
    fn the_host_checks_lengths() {
        let graph = CsrGraph { offsets: vec![0, 0], targets: Vec::new(), node_data: vec![0, 0] };
        let error = CsrError::OffsetsLength { found: 2, nodes: 2 };
        assert_eq!(validate_on_device(&cpu(), graph.view()).err(), Some(DataflowError::Graph(error)));
        let none = CsrView { offsets: &[], targets: &[], node_data: &[] };
        let error = CsrError::OffsetsLength { found: 0, nodes: 0 };
        assert_eq!(validate_on_device(&cpu(), none).err(), Some(DataflowError::Graph(error)));
    }
}
