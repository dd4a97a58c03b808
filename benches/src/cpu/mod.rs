//! What the CPU backend is measured on: workloads as programs and as native code, compiling, dispatching and memory.
//!
//! A [`Workload`] is data and names no backend: a program in text form, the contents of its buffers, a grid, and native
//! code of the same algorithm, which says what must come out.

mod bfs;
mod compile;
mod csr;
mod data;
mod dispatch;
mod duel;
mod elementwise;
mod error;
mod histogram;
mod lz4;
mod prefix_sum;
mod resident;
mod workload;

pub use compile::{CompileTimes, HitTimes, Kernels, time_cache_hit, time_compile};
pub use dispatch::EmptyDispatch;
pub use duel::{Duel, Team, duels};
pub use error::Error;
pub use resident::resident_kib;
pub use workload::{Amount, Code, OnDevice, OnHost, Peer, Scale, Workload};

/// A workload by its name, made only when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in reports.
    pub name: &'static str,
    /// Makes the workload.
    pub make: fn(Scale) -> Workload,
}

/// Every workload, in the order of the report.
pub const WORKLOADS: [Entry; 9] = [
    Entry { name: "xor", make: elementwise::xor },
    Entry { name: "polynomial", make: elementwise::polynomial },
    Entry { name: "histogram", make: histogram::private_bins },
    Entry { name: "histogram_banks", make: histogram::banked_bins },
    Entry { name: "histogram_global", make: histogram::global_bins },
    Entry { name: "csr", make: csr::row_sums },
    Entry { name: "bfs_level", make: bfs::pull_level },
    Entry { name: "prefix_sum", make: prefix_sum::tiles },
    Entry { name: "lz4", make: lz4::blocks },
];

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;
    use vyre_jit::{JitDevice, JitOptions};
    use vyre_runtime::{Device, ReferenceDevice, RunOptions};

    use super::*;

    /// Runs every workload in its smallest form on a device, and compares with all native code.
    fn agrees_with_native_code(device: &dyn Device, options: &RunOptions) {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        for entry in WORKLOADS {
            let workload = (entry.make)(Scale::Tiny);
            assert_eq!(workload.name, entry.name);
            let on_device = OnDevice::new(&workload, device).unwrap_or_else(|error| panic!("{error}"));
            let report = on_device.run_with(options).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            assert_eq!(report.races.total, 0, "{}: {:?}", entry.name, report.races);
            for peer in &workload.peers {
                let mut on_host = OnHost::new(&workload, peer);
                on_host.run(&pool);
                on_host.compare(&workload, &on_device).unwrap_or_else(|error| panic!("{error}"));
                assert!(
                    workload.results.iter().any(|&slot| on_host.words(slot) != workload.buffers[slot]),
                    "{}: nothing was done",
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
