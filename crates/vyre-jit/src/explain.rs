//! How lanes go through a kernel, in words.

use std::fmt::Write as _;

use vyre_kernel::{Kernel, Op, Statement};

use crate::plan::{Plan, Region, Step};
use crate::vector::{LANES, Manner};

impl Plan {
    /// A line for each region, in the order in which they stand in the kernel, and one on names.
    pub(crate) fn explain(&self, kernel: &Kernel) -> String {
        let mut text = String::new();
        let mut number = 0;
        let mut pending: Vec<&Step> = self.steps.iter().rev().collect();
        while let Some(step) = pending.pop() {
            match step {
                Step::Region(region) => {
                    number += 1;
                    let manner = match &region.manner {
                        Manner::Single(reason) => format!("one lane at a time, because {}", reason.describe(kernel)),
                        Manner::Groups(groups) => format!("{LANES} lanes at a time{}", groups.describe(kernel)),
                    };
                    let _ = writeln!(text, "region {number}{}: {manner}", place(kernel, region));
                }
                Step::If { cond: _, then, otherwise } => {
                    pending.extend(otherwise.iter().rev().chain(then.iter().rev()));
                }
                Step::Loop { body, .. } => pending.extend(body.iter().rev()),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
        if number == 0 {
            text.push_str("no regions: everything is done once for a workgroup\n");
        }
        text.push_str("values (v0, v1, ...) and slots (s0, ...) are those of the kernel, as `vyre lower` prints it\n");
        text
    }
}

/// Where a region begins and ends, as far as that has a name.
fn place(kernel: &Kernel, region: &Region) -> String {
    let (Some(&first), Some(&last)) = (region.statements.first(), region.statements.last()) else {
        return String::new();
    };
    if region.statements.len() == 1 {
        return format!(" ({})", name(kernel, first));
    }
    format!(" ({} to {})", name(kernel, first), name(kernel, last))
}

fn name(kernel: &Kernel, statement: Statement) -> String {
    match statement {
        Statement::Let(value) => match kernel.op(value) {
            Op::Load { buffer, .. } => format!("{value}, a load of {}", kernel.buffers[buffer].name),
            Op::Atomic { buffer, .. } => format!("{value}, an atomic on {}", kernel.buffers[buffer].name),
            _ => value.to_string(),
        },
        Statement::Set { slot, value: _ } => format!("the assignment to {slot}"),
        Statement::Store { buffer, .. } => format!("the store to {}", kernel.buffers[buffer].name),
        Statement::If { cond, .. } => format!("the branch on {cond}"),
        Statement::Loop { variable, .. } => format!("the loop over {variable}"),
        Statement::Block { .. } => "the block that is run once".to_owned(),
        Statement::Break => "the break".to_owned(),
        Statement::Return => "the return".to_owned(),
        Statement::Barrier => "the barrier".to_owned(),
    }
}
