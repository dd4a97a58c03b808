//! Diagnostics of programs that exceed a limit while they are read.

use super::hooks::ExceededLimit;
use super::rules;
use crate::Program;
use crate::diagnostic::{Diagnostic, ProgramLocation, Report};

/// Diagnostic of a program with too many nodes. `ordinal` is the first node beyond the limit.
pub(crate) fn excess_of_nodes(program: &Program, ordinal: u32, max: u64) -> Diagnostic {
    diagnostic(program, &ExceededLimit::NodeCount { location: ProgramLocation::Node(ordinal), max })
}

/// Diagnostic of a program whose bodies are nested too deep. `ordinal` is the first statement beyond the limit.
pub(crate) fn excess_of_nesting(program: &Program, ordinal: u32, depth: u64, max: u64) -> Diagnostic {
    diagnostic(program, &ExceededLimit::NestingDepth { location: ProgramLocation::Node(ordinal), depth, max })
}

fn diagnostic(program: &Program, exceeded: &ExceededLimit<'_>) -> Diagnostic {
    let mut report = Report::default();
    rules::exceeded_limit(exceeded, &mut report);
    let (diagnostics, _) = report.finish(program);
    diagnostics.into_iter().next().expect("an exceeded limit has a rule")
}
