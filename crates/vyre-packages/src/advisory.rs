//! Advisories in OSV's format.

use std::cmp::Ordering;

use serde_json::Value;

use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::formats::purl;
use crate::graph::Package;
use crate::tree::{items, text};
use crate::version::{compare, is_comparable};

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
    ranges: Vec<AffectedRange>,
}

/// A range of versions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AffectedRange {
    events: Vec<Event>,
    /// Versions of which at least one must be behind all affected versions, if there are any.
    limits: Vec<String>,
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

/// Reads advisories: one object, an array of them, or one object in each line. Withdrawn ones are left out.
///
/// # Errors
///
/// Fails if the text is no JSON, or if an object is no advisory.
pub fn advisories(file: &str) -> Result<Vec<Advisory>, PackageError> {
    let file = file.trim_start_matches('\u{feff}');
    let mut advisories = Vec::new();
    let mut count = 0;
    let values = serde_json::Deserializer::from_str(file).into_iter::<Value>();
    for value in values {
        let value = value.map_err(|error| PackageError::new(format!("it is not valid JSON: {error}")))?;
        match value.as_array() {
            Some(all) => {
                for value in all {
                    advisories.extend(advisory(value)?);
                }
                count += all.len();
            }
            None => {
                advisories.extend(advisory(&value)?);
                count += 1;
            }
        }
    }
    if count == 0 {
        return Err(PackageError::new("it has no advisory"));
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
    let package = &value["package"];
    let (mut ecosystem, mut name) =
        (Ecosystem::from_osv(text(&package["ecosystem"])), text(&package["name"]).to_owned());
    if name.is_empty()
        && let Some((of_url, name_of_url, _)) = purl::parse(text(&package["purl"]))
    {
        (ecosystem, name) = (of_url, name_of_url);
    }
    // Ranges of commits say nothing of versions.
    let ranges = items(&value["ranges"]).filter(|range| range["type"] != "GIT");
    Affected {
        ecosystem,
        name,
        versions: items(&value["versions"]).map(|version| text(version).to_owned()).collect(),
        ranges: ranges.map(|range| affected_range(&range["events"])).collect(),
    }
}

/// Reads the events of a range. A range with an event that is none affects all versions.
fn affected_range(value: &Value) -> AffectedRange {
    let mut range = AffectedRange { events: Vec::new(), limits: Vec::new() };
    for event in items(value) {
        let of = |key: &str| event[key].as_str().map(str::to_owned);
        let introduced = of("introduced").map(Event::Introduced);
        let known = introduced.or_else(|| of("fixed").map(Event::Fixed));
        match (known.or_else(|| of("last_affected").map(Event::LastAffected)), of("limit")) {
            (Some(event), _) => range.events.push(event),
            (None, Some(limit)) => range.limits.push(limit),
            (None, None) => {
                return AffectedRange { events: vec![Event::Introduced("0".to_owned())], limits: Vec::new() };
            }
        }
    }
    range
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
    fn is_within(&self, range: &AffectedRange, version: &str) -> bool {
        let order = |other: &str| compare(&self.ecosystem, version, other);
        let is_from = |start: &str| start == "0" || order(start).is_none_or(Ordering::is_ge);
        let is_below = |limit: &String| limit == "*" || order(limit).is_none_or(Ordering::is_lt);
        if !range.limits.is_empty() && !range.limits.iter().any(is_below) {
            return false;
        }
        let mut events: Vec<&Event> = range.events.iter().collect();
        events.sort_by(|one, other| self.order(one, other));
        events.iter().fold(false, |is_affected, event| match event {
            Event::Introduced(start) => is_affected || is_from(start),
            Event::Fixed(end) => is_affected && !order(end).is_some_and(Ordering::is_ge),
            Event::LastAffected(end) => is_affected && !order(end).is_some_and(Ordering::is_gt),
        })
    }

    /// Total order of events by their versions: the beginning of all versions, then versions, then texts that are none. A beginning stands
    /// before an end of the same version.
    fn order(&self, one: &Event, other: &Event) -> Ordering {
        let parts = |event: &Event| match event {
            Event::Introduced(version) => (version.clone(), 0),
            Event::Fixed(version) => (version.clone(), 1),
            Event::LastAffected(version) => (version.clone(), 2),
        };
        let class = |version: &str| match version {
            "0" => 0,
            version if is_comparable(&self.ecosystem, version) => 1,
            _ => 2,
        };
        let ((one, rank), (other, other_rank)) = (parts(one), parts(other));
        let by_version = match (class(&one), class(&other)) {
            (1, 1) => compare(&self.ecosystem, &one, &other).unwrap_or(Ordering::Equal),
            (2, 2) => one.cmp(&other),
            (class, other_class) => class.cmp(&other_class),
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
        assert_eq!(advisories(withdrawn), Ok(Vec::new()));
        for (text, message) in [
            ("{}", "it is no advisory in OSV's format: `id` or `affected` is missing"),
            ("", "it has no advisory"),
            ("[]", "it has no advisory"),
        ] {
            assert_eq!(advisories(text).expect_err(text).to_string(), message);
        }
    }

    fn affects(events: &str, version: &str) -> bool {
        let package_url = r#"{"purl": "pkg:npm/a"}"#;
        let text = format!(
            r#"{{"id": "A", "affected": [{{"package": {package_url}, "ranges": [{{"type": "SEMVER", "events": [{events}]}}]}}]}}"#
        );
        let [advisory] = &advisories(&text).expect("an advisory")[..] else { panic!("one advisory") };
        advisory.affects(&package(Ecosystem::Npm, "a", version))
    }

    #[test]
    fn limits_end_ranges_and_unknown_events_affect_all_versions() {
        for (events, version, expected) in [
            (r#"{"introduced": "0"}, {"limit": "1.5.0"}"#, "1.5.0", false),
            (r#"{"introduced": "0"}, {"limit": "1.5.0"}"#, "1.4.9", true),
            (r#"{"introduced": "0"}, {"limit": "1.5.0"}, {"limit": "*"}"#, "1.5.0", true),
            (r#"{"introduced": 5}, {"fixed": "1.0.0"}"#, "2.0.0", true),
            (r#"{"introduced": "x"}"#, "2.0.0", true),
            (r#"{"introduced": "0"}, {"fixed": "x"}"#, "2.0.0", true),
            ("", "2.0.0", false),
        ] {
            assert_eq!(affects(events, version), expected, "{events} {version}");
        }
    }

    /// A comparison that is no total order makes a sort panic.
    #[test]
    fn events_of_any_texts_are_sorted() {
        let texts = ["1.2.0", "x", "0", "9.0.0", "", "1.x", "3.4.5-rc.1", "z9", "v2", "7.1.0", "?"];
        let keys = ["introduced", "fixed", "last_affected"];
        let mut state = 1_u32;
        for count in [10, 40, 300] {
            let events: Vec<String> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let (key, text) = (keys[(state >> 8) as usize % 3], texts[(state >> 16) as usize % texts.len()]);
                    format!(r#"{{"{key}": "{text}"}}"#)
                })
                .collect();
            // The last beginning is no version, so nothing shows that a version is not affected.
            assert!(affects(&format!(r#"{}, {{"introduced": "~"}}"#, events.join(",")), "5.0.0"), "{count}");
        }
    }
}
