//! Workloads: programs and hand-written kernels with the same result.

use vyre_ir::text::Parsed;
use vyre_ir::{OpTable, text};
use vyre_runtime::{Device, Pipeline, PipelineOptions};

use super::error::Error;
use super::problem::Problem;
use super::scale::Scale;
use super::{elementwise, gather, histogram, scan, small_workgroups};

/// Programs with the kernels that they are compared with. The fastest program and the fastest kernel of the same algorithm
/// make the ratio.
pub struct Workload {
    /// The name in reports.
    pub name: String,
    /// What it does.
    pub summary: &'static str,
    pub(super) problem: MakeProblem,
    pub(super) programs: Vec<Program>,
    pub(super) kernels: Vec<Kernel>,
}

/// Makes what a workload is run on, at a size.
pub(super) type MakeProblem = Box<dyn Fn(Scale) -> Problem>;

/// A program: the inputs in the first slots, the result in the one after them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    /// The invocations of a workgroup, whatever the source says.
    pub(super) workgroup_size: u32,
    /// The items of the problem that a workgroup takes.
    pub(super) items: usize,
}

/// A kernel written by hand in CUDA C++. Its parameters are the addresses of the inputs, that of the result, and the number
/// of items of the problem.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) name: &'static str,
    pub(super) role: Role,
    /// The file without its extension.
    pub(super) file: &'static str,
    pub(super) entry: String,
    /// The threads of a block.
    pub(super) block: u32,
    /// The items of the problem that a block takes.
    pub(super) items: usize,
}

/// What a row of a report is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A program.
    Program,
    /// A kernel of the same algorithm, which the programs are compared with.
    Peer,
    /// A kernel with the same result by another algorithm or another shape; shown for information.
    OtherWay,
}

impl Program {
    /// A program whose workgroups take one item for each invocation.
    pub(super) const fn new(name: &'static str, source: &'static str, workgroup_size: u32) -> Program {
        Program { name, source, workgroup_size, items: workgroup_size as usize }
    }

    /// The same with so many items for each invocation.
    pub(super) const fn with_items_each(self, items: usize) -> Program {
        Program { items: self.workgroup_size as usize * items, ..self }
    }

    /// The program with its size of a workgroup.
    pub(super) fn parse(&self) -> Result<Parsed, Error> {
        let mut parsed = text::parse(self.source).map_err(|error| self.invalid(error.to_string()))?;
        parsed.program.workgroup_size = [self.workgroup_size, 1, 1];
        // Memory with a word for each lane, as hand-written kernels have it.
        for slots in parsed.program.buffers.iter_mut().filter(|buffer| &*buffer.name == "slots") {
            slots.count = self.workgroup_size;
        }
        Ok(parsed)
    }

    /// Builds it on a device.
    pub(super) fn pipeline(&self, device: &dyn Device) -> Result<Pipeline, Error> {
        let parsed = self.parse()?;
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).map_err(|errors| {
            let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
            self.invalid(messages.join("; "))
        })?;
        Ok(device.create_pipeline(&valid, &PipelineOptions::default())?)
    }

    fn invalid(&self, message: String) -> Error {
        Error::Program { code: self.name.to_owned(), message }
    }
}

impl Kernel {
    /// A kernel of the same algorithm whose blocks take one item for each thread.
    pub(super) fn peer(name: &'static str, file: &'static str, entry: impl Into<String>, block: u32) -> Kernel {
        Kernel { name, role: Role::Peer, file, entry: entry.into(), block, items: block as usize }
    }

    /// The same with so many items for each thread.
    pub(super) fn with_items_each(self, items: usize) -> Kernel {
        Kernel { items: self.block as usize * items, ..self }
    }

    /// The same for information.
    pub(super) fn other_way(self) -> Kernel {
        Kernel { role: Role::OtherWay, ..self }
    }
}

/// Every workload, in the order of the report.
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

    use super::*;

    /// The kernels of a source, macros not expanded.
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
                // Where a macro makes the name, it puts the size behind it.
                let stem = kernel.entry.trim_end_matches(|c: char| c.is_ascii_digit());
                assert!(sources[kernel.file].contains(stem), "{} is not in {}.cu", kernel.entry, kernel.file);
            }
            let peers = workload.kernels.iter().filter(|kernel| kernel.role == Role::Peer);
            assert!(peers.count() > 0, "{} has no peer", workload.name);
        }
    }
}
