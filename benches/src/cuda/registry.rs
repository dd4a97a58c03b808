//! Registry of all workloads.

use super::workload::Workload;
use super::{elementwise, gather, histogram, scan, small_workgroups};

/// All workloads, in the order of the report.
#[must_use]
pub fn workloads() -> Vec<Workload> {
    let mut workloads = elementwise::workloads();
    workloads.extend(scan::workloads());
    workloads.extend(histogram::workloads());
    workloads.push(gather::workload());
    workloads.extend(small_workgroups::workloads());
    workloads
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use vyre_ir::OpTable;

    use super::*;
    use crate::harness::Role;

    /// Sources of the kernels, macros not expanded.
    const SOURCES: [(&str, &str); 6] = [
        ("xor", include_str!("kernels/xor.cu")),
        ("polynomial", include_str!("kernels/polynomial.cu")),
        ("scan", include_str!("kernels/scan.cu")),
        ("histogram", include_str!("kernels/histogram.cu")),
        ("gather", include_str!("kernels/gather.cu")),
        ("small_workgroups", include_str!("kernels/small_workgroups.cu")),
    ];

    #[test]
    fn names_are_unique() {
        let all = workloads();
        let names: BTreeSet<&str> = all.iter().map(|workload| &*workload.name).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn programs_are_valid_and_kernels_are_in_their_files() {
        let sources: BTreeMap<&str, &str> = SOURCES.into();
        for workload in workloads() {
            assert!(!workload.programs.is_empty() && !workload.kernels.is_empty(), "{}", workload.name);
            for program in &workload.programs {
                let parsed = program.parse().unwrap_or_else(|error| panic!("{}: {error}", workload.name));
                assert!(parsed.validate(&OpTable::default()).is_ok(), "{}: {}", workload.name, program.name);
            }
            for kernel in &workload.kernels {
                // Macros append the size to the name of a kernel.
                let stem = kernel.entry.trim_end_matches(|c: char| c.is_ascii_digit());
                assert!(sources[kernel.file].contains(stem), "{} is not in {}.cu", kernel.entry, kernel.file);
            }
            let peers = workload.kernels.iter().filter(|kernel| kernel.role == Role::Peer);
            assert!(peers.count() > 0, "{} has no peer", workload.name);
        }
    }
}
