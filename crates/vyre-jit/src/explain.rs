//! Vectorization report: one line per region, in words (`vyre lower --explain`).

use std::fmt::Write as _;

use vyre_kernel::{Compare, Id, Kernel, Op, Statement, ValueId};

use crate::plan::{Plan, Region, Step};
use crate::vectorize::{Assumption, SIMD_LANES, ScalarReason, SimdPlan, VectorizationPlan};

impl Plan {
    /// Reports the vectorization of each region in program order, and explains the names.
    pub(crate) fn explain(&self, kernel: &Kernel) -> String {
        let mut text = String::new();
        let mut number = 0;
        let mut pending: Vec<&Step> = self.steps.iter().rev().collect();
        while let Some(step) = pending.pop() {
            match step {
                Step::Region(region) => {
                    number += 1;
                    let vectorization = match &region.vectorization {
                        VectorizationPlan::Scalar(reason) => format!("scalar: {}", describe_reason(*reason, kernel)),
                        VectorizationPlan::Simd(plan) => {
                            format!("vectorized, {SIMD_LANES} invocations at a time{}", describe_plan(plan, kernel))
                        }
                    };
                    let _ = writeln!(text, "region {number}{}: {vectorization}", describe_extent(kernel, region));
                }
                Step::If { cond: _, then, otherwise } => {
                    pending.extend(otherwise.iter().rev().chain(then.iter().rev()));
                }
                Step::Loop { body, .. } => pending.extend(body.iter().rev()),
                Step::Compute(_) | Step::Collective(_) | Step::Set { .. } | Step::Break | Step::Return => {}
            }
        }
        if number == 0 {
            text.push_str("no regions: the workgroup computes everything once\n");
        }
        text.push_str("values (v0, v1, ...) and slots (s0, ...) are those of the kernel, as `vyre lower` prints it\n");
        text
    }
}

fn describe_reason(reason: ScalarReason, kernel: &Kernel) -> String {
    match reason {
        ScalarReason::NoVectors => "vectorization is turned off, or this machine has no 128-bit vectors".to_owned(),
        ScalarReason::Width(1) => "the workgroup is one invocation wide".to_owned(),
        ScalarReason::Width(width) => {
            format!("the workgroup width {width} is not a multiple of the SIMD width {SIMD_LANES}")
        }
        ScalarReason::Size(count) => format!("{count} statements are too many for a second version"),
        ScalarReason::CodeBudget => "earlier regions used up the code budget of vectorization".to_owned(),
        ScalarReason::EarlierReturns => "invocations that returned in an earlier region must be skipped".to_owned(),
        ScalarReason::DivergentBranch(cond) => {
            format!("divergent branch on `{}`, which depends on more than ids", describe_condition(kernel, cond))
        }
        ScalarReason::DivergentBounds(variable) => format!("divergent bounds of the loop over {variable}"),
        ScalarReason::DivergentExit(cond) => format!("divergent exit on `{}`", describe_condition(kernel, cond)),
        ScalarReason::Cost { scalarized, operations } => {
            format!("no gain expected, since {scalarized} of {operations} operations would be scalarized")
        }
    }
}

/// Describes a SIMD plan in words that follow "4 invocations at a time".
fn describe_plan(plan: &SimdPlan, kernel: &Kernel) -> String {
    let mut text = String::new();
    let assumptions = &plan.preconditions.assumptions;
    if !assumptions.is_empty() {
        let conditions: Vec<String> = assumptions
            .iter()
            .map(|&Assumption { cond, outcome }| {
                format!("{}`{}`", if outcome { "" } else { "not " }, describe_condition(kernel, cond))
            })
            .collect();
        text += &format!(", in scanlines where all invocations satisfy {}; scalar in others", conditions.join(", "));
    }
    if plan.group_tests > 0 {
        let what = if plan.group_tests == 1 { "access or branch is" } else { "accesses or branches are" };
        text += &format!("; {} {what} tested for each SIMD group", plan.group_tests);
    }
    if plan.scalarized > 0 {
        let what = if plan.scalarized == 1 { "operation is" } else { "operations are" };
        text += &format!("; {} {what} scalarized", plan.scalarized);
    }
    text
}

/// Prints a condition as the kernel has it, or its name if it is no comparison.
fn describe_condition(kernel: &Kernel, cond: ValueId) -> String {
    let Op::Compare(compare, a, b) = kernel.op(cond) else { return cond.to_string() };
    let sign = match compare {
        Compare::Eq => "==",
        Compare::Ne => "!=",
        Compare::Lt => "<",
        Compare::Le => "<=",
    };
    format!("{} {sign} {}", describe_operand(kernel, a), describe_operand(kernel, b))
}

fn describe_operand(kernel: &Kernel, value: ValueId) -> String {
    let axis = |axis: u8| ["x", "y", "z"].get(usize::from(axis)).copied().unwrap_or("?");
    match kernel.op(value) {
        Op::Word(word) => word.to_string(),
        Op::Id(id, at) => {
            let name = match id {
                Id::Invocation => "invocation_id",
                Id::Workgroup => "workgroup_id",
                Id::Local => "local_id",
                Id::NumWorkgroups => "num_workgroups",
            };
            format!("{name}.{}", axis(at))
        }
        Op::Length(buffer) => format!("len({})", kernel.buffers[buffer].name),
        _ => value.to_string(),
    }
}

/// Names the first and last statement of a region.
fn describe_extent(kernel: &Kernel, region: &Region) -> String {
    let (Some(&first), Some(&last)) = (region.statements.first(), region.statements.last()) else {
        return String::new();
    };
    if region.statements.len() == 1 {
        return format!(" ({})", describe_statement(kernel, first));
    }
    format!(" ({} to {})", describe_statement(kernel, first), describe_statement(kernel, last))
}

fn describe_statement(kernel: &Kernel, statement: Statement) -> String {
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
        Statement::Block { .. } => "the breakable block".to_owned(),
        Statement::Break => "the break".to_owned(),
        Statement::Return => "the return".to_owned(),
        Statement::Barrier => "the barrier".to_owned(),
    }
}
