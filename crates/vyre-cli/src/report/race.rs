//! Report of data races.

use vyre::ir::ProgramLocation;
use vyre::ir::render::Snippets;
use vyre::ir::source::SourceMap;
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
    let findings = races.iter().map(|race| finding(race, source_map)).collect();
    Report::new(name, snippets, findings)
}

fn finding(race: &Race, source_map: Option<&SourceMap>) -> Finding {
    let location = |access: &Access| FindingLocation {
        path: access.path.clone(),
        location: Some(ProgramLocation::Node(access.ordinal)),
        span: source_map.and_then(|source_map| source_map.span(access.ordinal)),
    };
    let fix = match race.kind {
        RaceKind::DataRace => {
            "put a `barrier` between the accesses of a workgroup; between workgroups, make both accesses atomic"
        }
        RaceKind::MixedAccess => "make both accesses atomic",
    };
    let problem = race.to_string();
    Finding {
        rule: "race",
        message: problem.clone(),
        problem,
        fix: Some(fix.to_owned()),
        help: None,
        location: location(&race.first),
        related: Some(("the other access", location(&race.second))),
    }
}
