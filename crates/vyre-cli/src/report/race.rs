//! Report of data races.

use vyre::ir::render::Snippets;
use vyre::ir::source::SourceMap;
use vyre::ir::{BufferAccess, Program, ProgramLocation};
use vyre::runtime::{Access, Race, RaceKind};

use super::{Finding, FindingLocation, Report};
use crate::load::Loaded;

/// Report of the races of a program, each with the locations of both accesses.
pub(crate) fn race_report(name: &str, loaded: &Loaded, races: &[Race]) -> Report {
    let (snippets, source_map) = match loaded {
        Loaded::Text(parsed) => (Snippets::of_source(&parsed.source_map), Some(&parsed.source_map)),
        Loaded::Wire(program) => {
            let accesses = races.iter().flat_map(|race| [&race.first, &race.second]);
            let locations = accesses.map(|access| ProgramLocation::Node(access.ordinal));
            (Snippets::of_program(program, locations), None)
        }
    };
    let findings = races.iter().map(|race| finding(race, source_map, loaded.program())).collect();
    Report::new(name, snippets, findings)
}

fn finding(race: &Race, source_map: Option<&SourceMap>, program: &Program) -> Finding {
    let location = |access: &Access| FindingLocation {
        path: access.path.clone(),
        location: Some(ProgramLocation::Node(access.ordinal)),
        span: source_map.and_then(|source_map| source_map.span(access.ordinal)),
    };
    let problem = race.to_string();
    Finding {
        rule: "race",
        message: problem.clone(),
        problem,
        fix: Some(advice(race, program)),
        help: None,
        location: location(&race.first),
        related: Some(("the other access", location(&race.second))),
    }
}

/// Advice for a race: it depends on the statements, on the memory, and on the workgroups of the two invocations.
fn advice(race: &Race, program: &Program) -> String {
    let workgroup = |access: &Access| {
        let axis = |axis: usize| access.invocation[axis].checked_div(program.workgroup_size[axis]);
        [axis(0), axis(1), axis(2)]
    };
    let buffer = &race.buffer;
    let decl = program.buffers.iter().find(|decl| decl.name == *buffer);
    let atomics = match decl.map(|decl| decl.access) {
        Some(BufferAccess::Workgroup) => {
            "`workgroup_atomic_load`, `workgroup_atomic_store` or another workgroup atomic"
        }
        _ => "`atomic_load`, `atomic_store` or another atomic",
    };
    if race.kind == RaceKind::MixedAccess {
        return format!("use {atomics} for the plain access too, or put a `barrier` between the two");
    }
    if race.first.path == race.second.path {
        return format!(
            "these invocations run one statement on one element: let each access an element of its own, such as \
             `{buffer}[invocation_id.x]`, or let one of them run it alone, or use an atomic"
        );
    }
    if workgroup(&race.first) == workgroup(&race.second) {
        return "put a `barrier` between the two accesses, which one workgroup makes".to_owned();
    }
    format!("these are different workgroups, which no `barrier` orders: use {atomics} for both accesses, or two runs")
}
