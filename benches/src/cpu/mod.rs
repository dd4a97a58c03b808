//! The CPU backend: workloads as programs and as native code, compile times, dispatch overhead.
//!
//! A [`Workload`] names no backend: it is a program in text form, the contents of its buffers, a grid, and native code of the same
//! algorithm, whose result is the expected one.

mod bfs;
mod comparison;
mod compile;
mod csr;
mod dispatch;
mod elementwise;
mod histogram;
mod lz4;
mod prefix_sum;
mod workload;

pub use comparison::{PeerTimes, Team, compare_with_native};
pub use compile::{CompileTimes, HitTimes, KernelSequence, time_cache_hit, time_compile};
pub use dispatch::EmptyDispatch;
pub use workload::{DeviceRun, NativeCode, NativeRun, Peer, Scale, Throughput, Workload};

/// Workload by its name, created on demand.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in reports.
    pub name: &'static str,
    /// Creates the workload.
    pub create: fn(Scale) -> Workload,
}

/// All workloads, in the order of the report.
pub const WORKLOADS: [Entry; 9] = [
    Entry { name: "xor", create: elementwise::xor },
    Entry { name: "polynomial", create: elementwise::polynomial },
    Entry { name: "histogram", create: histogram::private_bins },
    Entry { name: "histogram_banks", create: histogram::banked_bins },
    Entry { name: "histogram_global", create: histogram::global_bins },
    Entry { name: "csr", create: csr::row_sums },
    Entry { name: "bfs_level", create: bfs::pull_level },
    Entry { name: "prefix_sum", create: prefix_sum::tiles },
    Entry { name: "lz4", create: lz4::blocks },
];

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;
    use vyre_jit::{JitDevice, JitOptions};
    use vyre_runtime::{Device, ReferenceDevice, RunOptions};

    use super::*;

    /// Runs every workload in its smallest form on a device and compares it with all native code.
    fn agrees_with_native_code(device: &dyn Device, options: &RunOptions) {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        for entry in WORKLOADS {
            let workload = (entry.create)(Scale::Tiny);
            assert_eq!(workload.name, entry.name);
            let on_device = DeviceRun::new(&workload, device).unwrap_or_else(|error| panic!("{error}"));
            let report = on_device.run_with(options).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            assert_eq!(report.races.total, 0, "{}: {:?}", entry.name, report.races);
            for peer in &workload.peers {
                let mut native = NativeRun::new(&workload, peer);
                native.run(&pool);
                native.verify(&workload, &on_device).unwrap_or_else(|error| panic!("{error}"));
                assert!(
                    workload.results.iter().any(|&slot| native.words(slot) != workload.buffers[slot]),
                    "{}: no buffer has changed",
                    entry.name
                );
            }
        }
    }

    #[test]
    fn workloads_on_the_reference_device_have_no_races_and_agree() {
        let mut options = RunOptions::default();
        options.check_races = true;
        agrees_with_native_code(&ReferenceDevice::new(), &options);
    }

    #[test]
    fn workloads_on_the_cpu_agree() {
        let device = JitDevice::new(&JitOptions::default().with_threads(2)).expect("two threads");
        agrees_with_native_code(&device, &RunOptions::default());
    }
}
