//! Capabilities of a package: what its code can do beside computing, and what its installation runs.
//!
//! A capability is a kind, such as the network, and a name: the API path of a call (`https.request`), a variable of the environment,
//! a script of a manifest, a file. It does not depend on positions, so two versions of a package can be compared.

mod kind;
mod table;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::finding::Location;

pub use kind::CapabilityKind;
pub(crate) use table::Table;

/// A capability with one place that shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Capability {
    /// Kind.
    pub kind: CapabilityKind,
    /// Name: API path, variable, script or file.
    pub name: String,
    /// The installation of the package runs the code.
    pub is_at_install: bool,
    /// First place in order of files.
    pub location: Location,
}

/// Sorts capabilities and keeps the first place of each. An import says nothing beside a use of a member of the same module.
pub(crate) fn distinct(mut capabilities: Vec<Capability>) -> Vec<Capability> {
    capabilities.sort();
    capabilities.dedup_by(|next, kept| {
        (next.kind, &next.name, next.is_at_install) == (kept.kind, &kept.name, kept.is_at_install)
    });
    let names: BTreeSet<(CapabilityKind, bool, String)> =
        capabilities.iter().map(|each| (each.kind, each.is_at_install, each.name.clone())).collect();
    let is_implied = |each: &Capability| {
        let prefix = format!("{}.", each.name);
        let next = names.range((each.kind, each.is_at_install, prefix.clone())..).next();
        next.is_some_and(|(kind, is_at_install, name)| {
            (*kind, *is_at_install) == (each.kind, each.is_at_install) && name.starts_with(&prefix)
        })
    };
    capabilities.retain(|each| !is_implied(each));
    capabilities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Span;

    #[test]
    fn capabilities_are_listed_once_at_their_first_place() {
        let capability = |name: &str, is_at_install, start| Capability {
            kind: CapabilityKind::Network,
            name: name.to_owned(),
            is_at_install,
            location: Location { file: 0, span: Span::new(start, start + 1) },
        };
        let all = vec![
            capability("https", false, 0),
            capability("https.get", false, 9),
            capability("https.get", false, 5),
            capability("https.get", true, 7),
            capability("https-proxy", false, 1),
        ];
        let names: Vec<(String, bool, u32)> =
            distinct(all).into_iter().map(|each| (each.name, each.is_at_install, each.location.span.start)).collect();
        let expected = [("https-proxy", false, 1), ("https.get", false, 5), ("https.get", true, 7)];
        assert_eq!(names, expected.map(|(name, is_at_install, start)| (name.to_owned(), is_at_install, start)));
    }
}
