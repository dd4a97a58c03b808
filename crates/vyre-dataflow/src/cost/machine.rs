//! Speed of a machine: constants of the cost model.

use super::algorithm::{Algorithm, AlgorithmSpeed};

/// Exponent by which the speed of parallel host code grows with the number of threads: 16 threads are 9 times one thread.
const THREAD_EXPONENT: f64 = 0.8;

/// Nanoseconds of a step of each algorithm in plain code on one thread of a typical machine.
const HOST_STEP_NS: [f64; Algorithm::ALL.len()] = [55.0, 8.0, 33.0, 21.0, 48.0, 7.0];

/// Nanoseconds of a step of each op on one thread of a typical machine.
const CPU_OP_STEP_NS: [f64; Algorithm::ALL.len()] = [16.0, 20.0, 150.0, 90.0, 150.0, 14.0];

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
    /// Graph algorithms in plain code, on all threads.
    pub algorithms: AlgorithmSpeed,
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
    /// Graph ops.
    pub algorithms: AlgorithmSpeed,
}

impl Machine {
    /// Speed of a typical machine with this number of threads. It has no GPU.
    #[must_use]
    pub fn typical(threads: usize) -> Machine {
        let threads = threads.max(1);
        let mut host = HostSpeed {
            threads: 1,
            start_ms: 6.0,
            cached_step_ns: 2.7,
            memory_step_ns: 8.0,
            algorithms: AlgorithmSpeed::new(HOST_STEP_NS),
        };
        host.scale_to(threads);
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
            algorithms: AlgorithmSpeed::new(CPU_OP_STEP_NS),
        };
        let mut machine = Machine { host, devices: vec![cpu], is_calibrated: false };
        machine.devices[0].scale_ops(1.0 / parallel);
        machine
    }

    /// The same machine with another number of threads. Measured times are scaled; GPUs do not depend on threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Machine {
        let threads = threads.max(1);
        let ratio = self.host.threads as f64 / threads as f64;
        for cpu in self.devices.iter_mut().filter(|device| device.backend == "cpu") {
            let slower = ratio.powf(THREAD_EXPONENT);
            for time in [&mut cpu.order_edge_ns, &mut cpu.prune_edge_ns, &mut cpu.bit_edge_ns, &mut cpu.bit_word_ns] {
                *time *= slower;
            }
            cpu.lanes = (cpu.lanes * ratio.powf(-0.9)).max(1.0);
            cpu.scale_ops(slower);
        }
        self.host.scale_to(threads);
        self
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

impl DeviceSpeed {
    /// Multiplies the times of ops that use all threads for one request. Each search runs on one thread.
    fn scale_ops(&mut self, factor: f64) {
        for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Search) {
            self.algorithms.set(algorithm, self.algorithms.step_ns(algorithm) * factor);
        }
    }
}

impl HostSpeed {
    /// Sets the number of threads, and the times that depend on it.
    fn scale_to(&mut self, threads: usize) {
        let slower = (self.threads as f64 / threads as f64).powf(THREAD_EXPONENT);
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_parallel()) {
            self.algorithms.set(algorithm, self.algorithms.step_ns(algorithm) * slower);
        }
        self.threads = threads;
    }

    /// Nanoseconds of a search step on one thread, on a graph with this number of nodes.
    pub(crate) fn step_ns(&self, nodes: u64) -> f64 {
        // Flags and queue of 2^15 nodes fit a small cache; those of 2^20 nodes exceed a large one.
        let beyond_caches = ((nodes.max(1) as f64).log2() - 15.0).clamp(0.0, 5.0) / 5.0;
        self.cached_step_ns + (self.memory_step_ns - self.cached_step_ns) * beyond_caches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_threads_scales_measured_times() {
        let mut measured = Machine::typical(4);
        measured.is_calibrated = true;
        let one = measured.clone().with_threads(1);
        assert!(one.is_calibrated && one.host.threads == 1);
        assert!(one.devices[0].order_edge_ns > measured.devices[0].order_edge_ns);
        assert!(one.devices[0].lanes < measured.devices[0].lanes);
        for algorithm in Algorithm::ALL {
            let [before, after] = [&measured, &one].map(|machine| machine.host.algorithms.step_ns(algorithm));
            assert_eq!(after > before, algorithm.is_parallel(), "{algorithm:?}");
        }
        let back = one.with_threads(4);
        assert!((back.devices[0].prune_edge_ns - measured.devices[0].prune_edge_ns).abs() < 1e-6);
    }
}
