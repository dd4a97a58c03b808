//! Races as a report, in the form of everything else that is wrong with a program.

use vyre::runtime::{Access, Race, RaceKind};

use super::{Finding, Place, Report};
use crate::load::{Loaded, Source};

/// The report of the races of a program, each with the places of both accesses.
pub(crate) fn race_report(name: &str, loaded: Loaded, races: &[Race]) -> Report {
    let form = loaded.form();
    let source = loaded.into_source();
    let findings = races.iter().map(|race| finding(race, source.as_ref())).collect();
    Report::new(name, form, source.map(|source| source.text), findings)
}

fn finding(race: &Race, source: Option<&Source>) -> Finding {
    let place = |access: &Access| Place {
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
        place: place(&race.first),
        related: Some(("the other access", place(&race.second))),
    }
}
