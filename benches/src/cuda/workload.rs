//! Workloads: programs and hand-written kernels with the same result.

use vyre_ir::text::Parsed;
use vyre_runtime::{Device, Pipeline};

use super::problem::Problem;
use super::scale::Scale;
use crate::device::{build_pipeline, parse_program};
use crate::error::Error;
use crate::harness::Role;

/// Programs with the kernels that they are compared with. The ratio is that of the fastest program to the fastest kernel of the same
/// algorithm.
pub struct Workload {
    /// Name in reports.
    pub name: String,
    /// Description in one line.
    pub summary: &'static str,
    pub(super) problem: ProblemFactory,
    pub(super) programs: Vec<Program>,
    pub(super) kernels: Vec<Kernel>,
}

/// Creates the problem of a workload at a size.
pub(super) type ProblemFactory = Box<dyn Fn(Scale) -> Problem>;

/// Program with the inputs in the first slots and the result in the slot after them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    /// Invocations per workgroup; it replaces the workgroup size of the source.
    pub(super) workgroup_size: u32,
    /// Items of the problem per workgroup.
    pub(super) items: usize,
}

/// Hand-written kernel in CUDA C++. Its parameters are the addresses of the inputs, that of the result, and the number of items of
/// the problem.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) name: &'static str,
    pub(super) role: Role,
    /// File name without extension.
    pub(super) file: &'static str,
    pub(super) entry: String,
    /// Threads per block.
    pub(super) block: u32,
    /// Items of the problem per block.
    pub(super) items: usize,
}

impl Program {
    /// Program with one item per invocation.
    pub(super) const fn new(name: &'static str, source: &'static str, workgroup_size: u32) -> Program {
        Program { name, source, workgroup_size, items: workgroup_size as usize }
    }

    /// Sets the number of items per invocation.
    pub(super) const fn with_items_each(self, items: usize) -> Program {
        Program { items: self.workgroup_size as usize * items, ..self }
    }

    /// Parses the program and sets its workgroup size.
    pub(super) fn parse(&self) -> Result<Parsed, Error> {
        let mut parsed = parse_program(self.name, self.source)?;
        parsed.program.workgroup_size = [self.workgroup_size, 1, 1];
        // The buffer `slots` has a word per invocation, as in hand-written kernels.
        for slots in parsed.program.buffers.iter_mut().filter(|buffer| &*buffer.name == "slots") {
            slots.count = self.workgroup_size;
        }
        Ok(parsed)
    }

    /// Builds the pipeline on a device.
    pub(super) fn pipeline(&self, device: &dyn Device) -> Result<Pipeline, Error> {
        build_pipeline(device, self.name, &self.parse()?)
    }
}

impl Kernel {
    /// Kernel of the same algorithm with one item per thread.
    pub(super) fn peer(name: &'static str, file: &'static str, entry: impl Into<String>, block: u32) -> Kernel {
        Kernel { name, role: Role::Peer, file, entry: entry.into(), block, items: block as usize }
    }

    /// Sets the number of items per thread.
    pub(super) fn with_items_each(self, items: usize) -> Kernel {
        Kernel { items: self.block as usize * items, ..self }
    }

    /// Marks a kernel of another algorithm or shape, which is shown for information.
    pub(super) fn for_information(self) -> Kernel {
        Kernel { role: Role::Information, ..self }
    }
}
