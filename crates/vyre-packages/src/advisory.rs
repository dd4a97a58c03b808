//! Advisories in OSV's format.

use std::cmp::Ordering;

use serde_json::Value;

use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::Package;
use crate::tree::{items, text};
use crate::version::compare;

/// An advisory: packages in the versions that a vulnerability affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advisory {
    /// Identifier, such as `GHSA-35jh-r3h4-6jhm`.
    pub id: String,
    /// A sentence about the vulnerability. It is empty if the advisory has none.
    pub summary: String,
    affected: Vec<Affected>,
}

/// A package in some versions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Affected {
    ecosystem: Ecosystem,
    name: String,
    versions: Vec<String>,
    ranges: Vec<Vec<Event>>,
}

/// A version at which a range begins or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    /// The range begins with this version; `0` is the beginning of all versions.
    Introduced(String),
    /// The range ends before this version.
    Fixed(String),
    /// The range ends behind this version.
    LastAffected(String),
}

/// Reads advisories: one object, an array of them, or one object in each line.
///
/// # Errors
///
/// Fails if the text is no JSON, or if an object is no advisory.
pub fn advisories(file: &str) -> Result<Vec<Advisory>, PackageError> {
    let file = file.trim_start_matches('\u{feff}');
    let mut advisories = Vec::new();
    let values = serde_json::Deserializer::from_str(file).into_iter::<Value>();
    for value in values {
        let value = value.map_err(|error| PackageError::new(format!("it is not valid JSON: {error}")))?;
        match value.as_array() {
            Some(all) => {
                for value in all {
                    advisories.extend(advisory(value)?);
                }
            }
            None => advisories.extend(advisory(&value)?),
        }
    }
    if advisories.is_empty() {
        return Err(PackageError::new("it has no advisory that is not withdrawn"));
    }
    Ok(advisories)
}

/// Reads an advisory. None: it is withdrawn.
fn advisory(value: &Value) -> Result<Option<Advisory>, PackageError> {
    let (id, summary) = (text(&value["id"]), text(&value["summary"]));
    if id.is_empty() || !value["affected"].is_array() {
        return Err(PackageError::new("it is no advisory in OSV's format: `id` or `affected` is missing"));
    }
    if value["withdrawn"].is_string() {
        return Ok(None);
    }
    let affected = items(&value["affected"]).map(affected).collect();
    Ok(Some(Advisory { id: id.to_owned(), summary: summary.to_owned(), affected }))
}

fn affected(value: &Value) -> Affected {
    let event = |event: &Value| {
        let of = |key: &str| event[key].as_str().map(str::to_owned);
        let introduced = of("introduced").map(Event::Introduced);
        introduced.or_else(|| of("fixed").map(Event::Fixed)).or_else(|| of("last_affected").map(Event::LastAffected))
    };
    // Ranges of commits say nothing of versions.
    let ranges = items(&value["ranges"]).filter(|range| range["type"] != "GIT");
    Affected {
        ecosystem: Ecosystem::from_osv(text(&value["package"]["ecosystem"])),
        name: text(&value["package"]["name"]).to_owned(),
        versions: items(&value["versions"]).map(|version| text(version).to_owned()).collect(),
        ranges: ranges.map(|range| items(&range["events"]).filter_map(event).collect()).collect(),
    }
}

impl Advisory {
    /// True if the advisory affects a package. A package of an unknown ecosystem is compared by its name and version. An advisory that
    /// names no versions, only commits for example, affects all of them.
    #[must_use]
    pub fn affects(&self, package: &Package) -> bool {
        self.affected.iter().any(|affected| affected.contains(package))
    }

    /// Names of the affected packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.affected.iter().map(|affected| affected.name.as_str())
    }
}

impl Affected {
    fn contains(&self, package: &Package) -> bool {
        let is_unknown = package.ecosystem == Ecosystem::Other(String::new());
        let same = |one: &str, other: &str| self.ecosystem.normalized(one) == self.ecosystem.normalized(other);
        (is_unknown || package.ecosystem == self.ecosystem)
            && same(&package.name, &self.name)
            && (self.versions.is_empty() && self.ranges.is_empty()
                || self.versions.contains(&package.version)
                || self.ranges.iter().any(|events| self.is_within(events, &package.version)))
    }

    /// True if a version is in a range: the last event at or before it is a beginning. A version that cannot be compared counts as affected,
    /// because nothing shows that it is not.
    fn is_within(&self, events: &[Event], version: &str) -> bool {
        let order = |other: &str| compare(&self.ecosystem, version, other);
        let is_from = |start: &str| start == "0" || order(start).is_none_or(Ordering::is_ge);
        let mut events: Vec<&Event> = events.iter().collect();
        events.sort_by(|one, other| self.order(one, other));
        events.iter().fold(false, |is_affected, event| match event {
            Event::Introduced(start) => is_affected || is_from(start),
            Event::Fixed(end) => is_affected && !order(end).is_some_and(Ordering::is_ge),
            Event::LastAffected(end) => is_affected && !order(end).is_some_and(Ordering::is_gt),
        })
    }

    /// Order of events by their versions. A beginning stands before an end of the same version.
    fn order(&self, one: &Event, other: &Event) -> Ordering {
        let version = |event: &Event| match event {
            Event::Introduced(version) => (version.clone(), 0),
            Event::Fixed(version) => (version.clone(), 1),
            Event::LastAffected(version) => (version.clone(), 2),
        };
        let ((one, rank), (other, other_rank)) = (version(one), version(other));
        let by_version = match (one == "0", other == "0") {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => compare(&self.ecosystem, &one, &other).unwrap_or(Ordering::Equal),
        };
        by_version.then(rank.cmp(&other_rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(ecosystem: Ecosystem, name: &str, version: &str) -> Package {
        let (name, version) = (name.to_owned(), version.to_owned());
        Package { id: format!("{name}@{version}"), name, version, ecosystem, is_root: false }
    }

    #[test]
    fn advisories_affect_versions() {
        let text = r#"{"id": "X-1", "summary": "bad", "affected": [
            {"package": {"ecosystem": "npm", "name": "a"}, "versions": ["9.9.9"],
             "ranges": [{"type": "SEMVER", "events": [
                {"introduced": "2.0.0"}, {"fixed": "2.1.0"}, {"introduced": "0"}, {"last_affected": "1.5.0"}]}]},
            {"package": {"ecosystem": "PyPI", "name": "Foo-Bar"},
             "ranges": [{"type": "GIT", "events": [{"introduced": "0"}]},
                        {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.0"}]}]}]}"#;
        let [advisory] = &advisories(text).expect("an advisory")[..] else { panic!("one advisory") };
        for (version, expected) in [
            ("0.0.1", true),
            ("1.5.0", true),
            ("1.5.1", false),
            ("2.0.0", true),
            ("2.0.9", true),
            ("2.1.0", false),
            ("9.9.9", true),
            ("x", true),
        ] {
            assert_eq!(advisory.affects(&package(Ecosystem::Npm, "a", version)), expected, "{version}");
        }
        assert!(!advisory.affects(&package(Ecosystem::Cargo, "a", "1.0.0")));
        assert!(advisory.affects(&package(Ecosystem::Python, "foo_bar", "1.9")));
        assert!(!advisory.affects(&package(Ecosystem::Python, "foo_bar", "2.0")));
        assert_eq!(advisory.names().collect::<Vec<&str>>(), ["a", "Foo-Bar"]);
    }

    #[test]
    fn lists_of_advisories_are_read() {
        let one = r#"{"id": "A", "affected": []}"#;
        let withdrawn = r#"{"id": "B", "withdrawn": "2024-01-01T00:00:00Z", "affected": []}"#;
        for text in [format!("[{one}, {one}]"), format!("{one}\n{withdrawn}\n{one}\n")] {
            assert_eq!(advisories(&text).expect("advisories").len(), 2);
        }
        for (text, message) in [
            ("{}", "it is no advisory in OSV's format: `id` or `affected` is missing"),
            (withdrawn, "it has no advisory that is not withdrawn"),
            ("", "it has no advisory that is not withdrawn"),
        ] {
            assert_eq!(advisories(text).expect_err(text).to_string(), message);
        }
    }
}
