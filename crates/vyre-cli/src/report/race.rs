//! Report of data races.

use vyre::runtime::{Access, Race, RaceKind};

use super::{Finding, FindingLocation, Report};
use crate::load::{Loaded, Source};

/// Report of the races of a program, each with the locations of both accesses.
pub(crate) fn race_report(name: &str, loaded: Loaded, races: &[Race]) -> Report {
    let form = loaded.form();
    let source = loaded.into_source();
    let findings = races.iter().map(|race| finding(race, source.as_ref())).collect();
    Report::new(name, form, source.map(|source| source.text), findings)
}

fn finding(race: &Race, source: Option<&Source>) -> Finding {
    let location = |access: &Access| FindingLocation {
        path: access.path.clone(),
        span: source.and_then(|source| source.map.span(access.ordinal)),
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
