//! Speed of a machine: constants of the cost model.

/// Exponent by which the speed of parallel host code grows with the number of threads: 16 threads are 9 times one thread.
const THREAD_EXPONENT: f64 = 0.8;

/// Speed of the host and of the devices that were measured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Machine {
    /// Plain code on the host.
    pub host: HostSpeed,
    /// Devices, by the names of their backends. The CPU is always one of them.
    pub devices: Vec<DeviceSpeed>,
    /// True if the constants were measured on this machine.
    pub is_calibrated: bool,
}

/// Speed of plain code on the host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HostSpeed {
    /// Number of threads.
    pub threads: usize,
    /// Milliseconds of a command that uses no device.
    pub start_ms: f64,
    /// Nanoseconds of a search step on one thread, on a graph that fits the caches. An edge is one step and a node two.
    pub cached_step_ns: f64,
    /// Nanoseconds of a search step on one thread, on a graph beyond the caches.
    pub memory_step_ns: f64,
}

/// Speed of the engine on a device, with the preparation of its graphs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceSpeed {
    /// Name of the backend.
    pub backend: String,
    /// Name of the device; empty if it was not measured.
    pub name: String,
    /// Driver of the device, if it has one.
    pub driver: Option<String>,
    /// Milliseconds of a command that runs the smallest analysis on the device: start, compilation, end of the process.
    pub start_ms: f64,
    /// Nanoseconds per edge of transposing, pruning and renumbering by degree.
    pub order_edge_ns: f64,
    /// Nanoseconds per edge of pruning.
    pub prune_edge_ns: f64,
    /// Nanoseconds per edge of an upload.
    pub load_edge_ns: f64,
    /// Nanoseconds per edge of the bit-parallel strategy, whatever the number of sources of a batch.
    pub bit_edge_ns: f64,
    /// Nanoseconds per edge and 32 sources of the bit-parallel strategy.
    pub bit_word_ns: f64,
    /// Microseconds of a level that hardly has work.
    pub level_us: f64,
    /// Nanoseconds of a step of one search of the per-source strategy, of which [`lanes`](DeviceSpeed::lanes) run at a time.
    pub step_ns: f64,
    /// Number of searches of the per-source strategy that run at a time at full speed.
    pub lanes: f64,
    /// Nanoseconds of a step and source of the distances strategy, on one thread.
    pub distance_step_ns: f64,
    /// Nanoseconds per source and sink of reading and converting depths.
    pub output_ns: f64,
}

impl Machine {
    /// Speed of a typical machine with this number of threads. It has no GPU.
    #[must_use]
    pub fn typical(threads: usize) -> Machine {
        let threads = threads.max(1);
        let host = HostSpeed { threads, start_ms: 6.0, cached_step_ns: 2.7, memory_step_ns: 8.0 };
        let parallel = (threads as f64).powf(THREAD_EXPONENT);
        let cpu = DeviceSpeed {
            backend: "cpu".to_owned(),
            name: String::new(),
            driver: None,
            start_ms: host.start_ms + 10.0,
            order_edge_ns: 56.0 / parallel,
            prune_edge_ns: 36.0 / parallel,
            load_edge_ns: 1.3,
            bit_edge_ns: 21.0 / parallel,
            bit_word_ns: 1.9 / parallel,
            level_us: 200.0,
            step_ns: 8.0,
            lanes: (threads as f64).powf(0.9),
            distance_step_ns: 2.5,
            output_ns: 4.0,
        };
        Machine { host, devices: vec![cpu], is_calibrated: false }
    }

    /// Speed of the device of a backend.
    #[must_use]
    pub fn device(&self, backend: &str) -> Option<&DeviceSpeed> {
        self.devices.iter().find(|device| device.backend == backend)
    }
}

impl Default for Machine {
    /// A typical machine with the threads of this one.
    fn default() -> Machine {
        Machine::typical(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

impl HostSpeed {
    /// Nanoseconds of a search step on one thread, on a graph with this number of nodes.
    pub(crate) fn step_ns(&self, nodes: u64) -> f64 {
        // Flags and queue of 2^15 nodes fit a small cache; those of 2^20 nodes exceed a large one.
        let beyond_caches = ((nodes.max(1) as f64).log2() - 15.0).clamp(0.0, 5.0) / 5.0;
        self.cached_step_ns + (self.memory_step_ns - self.cached_step_ns) * beyond_caches
    }
}
