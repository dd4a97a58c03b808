//! Working memory that a loaded graph keeps between analyses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_dataflow::{Dataflow, DataflowError, Finding, Loaded, Options, Strategy};
use vyre_graph::generate::{rmat, roles};
use vyre_graph::{CsrGraph, Role, ValidGraph};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Buffer, Device, Error};

/// The CPU, with a counter of the bytes of created buffers.
struct Counting {
    device: JitDevice,
    bytes: AtomicU64,
}

impl Counting {
    fn device() -> Arc<Wrapped<Counting>> {
        let device = JitDevice::new(&JitOptions::default().with_threads(1)).unwrap_or_else(|error| panic!("{error}"));
        Arc::new(Wrapped(Counting { device, bytes: AtomicU64::new(0) }))
    }
}

impl DeviceWrapper for Counting {
    fn inner(&self) -> &dyn Device {
        &self.device
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.device.create_buffer(bytes)
    }
}

fn graph() -> CsrGraph {
    let mut graph = rmat(10, 8, 1).expect("a valid shape");
    roles(&mut graph, 2);
    graph
}

#[test]
fn a_second_search_of_the_same_shape_allocates_no_frontiers() {
    let device = Counting::device();
    let engine = Dataflow::new(Arc::clone(&device) as Arc<dyn Device>).with_gpu_programs(true);
    let graph = graph();
    let loaded = engine.load(graph.view()).expect("a valid graph");
    let search = |first: u32, count: u32, prune: bool| -> (Vec<Finding>, u64) {
        let sources: Vec<u32> = (first..first + count).collect();
        let options = Options::default().with_strategy(Strategy::BitParallel).with_prune(prune);
        let before = device.0.bytes.load(Ordering::Relaxed);
        let (findings, _) = loaded.taint(&sources, &options).unwrap_or_else(|error| panic!("{error}"));
        let bytes = device.0.bytes.load(Ordering::Relaxed) - before;
        let fresh = engine.load(graph.view()).expect("a valid graph");
        assert_eq!(findings, fresh.taint(&sources, &options).unwrap_or_else(|error| panic!("{error}")).0);
        (findings, bytes)
    };
    // Three source sets of four words for each node, at least.
    let frontiers = 3 * 4 * 4 * graph.node_count() as u64;
    search(0, 100, false);
    let (findings, bytes) = search(0, 100, false);
    assert!(!findings.is_empty() && bytes < frontiers, "{bytes} bytes");
    let (_, bytes) = search(200, 97, false);
    assert!(bytes < frontiers, "other sources, the same shape: {bytes} bytes");
    let (_, bytes) = search(0, 200, false);
    assert!(bytes > 2 * frontiers, "larger sets: {bytes} bytes");
    let (_, bytes) = search(0, 100, false);
    assert!(bytes > frontiers, "the smaller sets were freed: {bytes} bytes");
    // The graph with pruning is another one.
    search(0, 100, true);
    let (_, bytes) = search(0, 100, true);
    assert!(bytes < frontiers, "{bytes} bytes");
}

/// All nodes but the first have an edge to it. It is large enough to be validated on a GPU.
fn star() -> CsrGraph {
    let leaves = 1 << 19;
    let mut node_data = vec![0; leaves as usize + 1];
    node_data[0] = Role::Sink.word();
    CsrGraph { offsets: [0].into_iter().chain(0..=leaves).collect(), targets: vec![0; leaves as usize], node_data }
}

#[test]
fn a_graph_that_the_device_validates_is_uploaded_once() {
    let device = Counting::device();
    let engine = Dataflow::new(Arc::clone(&device) as Arc<dyn Device>).with_gpu_programs(true);
    let mut graph = star();
    let uploaded = 4 * (graph.offsets.len() + graph.targets.len() + graph.node_data.len()) as u64;
    let options = Options::default().with_strategy(Strategy::BitParallel);
    let search = |loaded: &Loaded<'_>| {
        let before = device.0.bytes.load(Ordering::Relaxed);
        let (findings, _) = loaded.taint(&[3, 5], &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(findings.iter().map(|finding| finding.depth).collect::<Vec<_>>(), [1, 1]);
        device.0.bytes.load(Ordering::Relaxed) - before
    };
    let valid = engine.load_valid(ValidGraph::new(graph.view()).expect("the graph is valid"));
    let loaded = engine.load(graph.view()).expect("the graph is valid");
    assert_eq!(search(&loaded) + uploaded, search(&valid));
    graph.targets[77] = u32::MAX;
    let error = graph.validate().expect_err("there is no such node");
    assert_eq!(engine.load(graph.view()).err(), Some(DataflowError::Graph(error)));
}
