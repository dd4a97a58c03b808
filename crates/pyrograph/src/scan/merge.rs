//! Union of the results of several programs.

use std::collections::BTreeMap;

use super::libraries::{LibraryMember, LibraryUse};
use crate::finding::Statistics;

/// Adds the statistics of a program.
pub(super) fn add_statistics(total: &mut Statistics, more: Statistics) {
    total.functions += more.functions;
    total.instructions += more.instructions;
    total.calls += more.calls;
    total.unresolved_calls += more.unresolved_calls;
    total.nodes += more.nodes;
    total.edges += more.edges;
    total.sources += more.sources;
    total.sinks += more.sinks;
    for (limit, count) in more.limits {
        match total.limits.iter_mut().find(|(known, _)| *known == limit) {
            Some((_, known)) => *known += count,
            None => total.limits.push((limit, count)),
        }
    }
    for (stage, seconds) in more.seconds {
        match total.seconds.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, known)) => *known += seconds,
            None => total.seconds.push((stage, seconds)),
        }
    }
}

/// Union of packages that programs import, by name.
pub(super) fn union_of_libraries(uses: Vec<LibraryUse>) -> Vec<LibraryUse> {
    let mut packages: BTreeMap<String, BTreeMap<String, LibraryMember>> = BTreeMap::new();
    for LibraryUse { package, members } in uses {
        let known = packages.entry(package).or_default();
        for member in members {
            match known.get_mut(&member.name) {
                Some(known) => known.uses += member.uses,
                None => {
                    known.insert(member.name.clone(), member);
                }
            }
        }
    }
    let uses = packages.into_iter();
    uses.map(|(package, members)| LibraryUse { package, members: members.into_values().collect() }).collect()
}
