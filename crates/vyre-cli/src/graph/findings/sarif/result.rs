//! A result, as a value that is serialised without a tree of it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use vyre::engine::dataflow::{Finding, Fingerprint};
use vyre::pyrograph::report::sarif::{escaped, level};

use super::place::{Location, Places, Text};
use super::rules::Rule;
use crate::graph::findings::FindingContext;
use crate::output::counted;

/// A result. Fields are permanent: append, never rename.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry<'r> {
    rule_id: &'r str,
    rule_index: usize,
    level: &'static str,
    message: Text<'r>,
    locations: [Location<'r>; 1],
    related_locations: [Location<'r>; 1],
    partial_fingerprints: PartialFingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Suppression<'r>>>,
    properties: Properties,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_flows: Option<[CodeFlow<'r>; 1]>,
}

#[derive(Serialize)]
struct PartialFingerprints {
    #[serde(rename = "sourceAndSink/v1")]
    source_and_sink: String,
}

#[derive(Serialize)]
struct Suppression<'r> {
    kind: &'static str,
    status: &'static str,
    justification: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    source: u32,
    sink: u32,
    depth: u32,
    source_index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow<'r> {
    thread_flows: [ThreadFlow<'r>; 1],
}

#[derive(Serialize)]
struct ThreadFlow<'r> {
    locations: Steps<'r>,
}

/// Steps of a witness.
struct Steps<'r> {
    places: &'r Places<'r>,
    path: &'r [u32],
    /// True if the path leads from the sink to the source.
    is_reversed: bool,
}

#[derive(Serialize)]
struct Step<'r> {
    location: Location<'r>,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let last = self.path.len().saturating_sub(1);
        serializer.collect_seq(self.path.iter().enumerate().map(|(position, &node)| {
            let ends = if self.is_reversed { ["sink", "source"] } else { ["source", "sink"] };
            let message = match position {
                0 => Some(ends[0]),
                _ if position == last => Some(ends[1]),
                _ => None,
            };
            Step { location: self.places.location(node, message) }
        }))
    }
}

impl<'r> Entry<'r> {
    pub(super) fn new(
        context: &'r FindingContext<'r>,
        places: &'r Places<'r>,
        rule: &'r Rule<'r>,
        rule_index: usize,
        finding: &Finding,
        path: Option<&'r [u32]>,
    ) -> Entry<'r> {
        let Finding { source, sink, depth, source_index, facts } = *finding;
        let (from, to) = (context.display_name(source), context.display_name(sink));
        let text = match rule.description {
            Some(description) => Cow::Owned(escaped(&description.message_of(&from, &to)).into_owned()),
            None if context.is_reversed => Cow::Owned(message(&to, &from, depth)),
            None => Cow::Owned(message(&from, &to, depth)),
        };
        // Either all results of a run have suppressions, or none.
        let suppressions = context.has_suppressions().then(|| {
            let reason = context.labels.as_ref().and_then(|labels| labels.suppression(finding));
            let suppression = |justification| Suppression { kind: "external", status: "accepted", justification };
            reason.map(suppression).into_iter().collect()
        });
        Entry {
            rule_id: &rule.id,
            rule_index,
            level: level(rule.severity()),
            message: Text { text },
            locations: [places.location(sink, None)],
            related_locations: [places.location(source, Some("source"))],
            partial_fingerprints: PartialFingerprints {
                source_and_sink: fingerprint(&rule.id, &from, &to).to_string(),
            },
            suppressions,
            properties: Properties { source, sink, depth, source_index, facts: context.has_facts.then_some(facts) },
            code_flows: path.map(|path| {
                let locations = Steps { places, path, is_reversed: context.is_reversed };
                [CodeFlow { thread_flows: [ThreadFlow { locations }] }]
            }),
        }
    }
}

fn message(source: &str, sink: &str, depth: u32) -> String {
    let path = match depth {
        0 => "is a sink itself".to_owned(),
        _ => format!("reaches {} over {}", escaped(sink), counted(depth as usize, "edge")),
    };
    format!("{} {path}.", escaped(source))
}

/// Fingerprint of a finding. Depends only on the names of rule, source and sink.
fn fingerprint(rule: &str, source: &str, sink: &str) -> Fingerprint {
    let mut fingerprint = Fingerprint::EMPTY;
    for text in [rule, source, sink] {
        fingerprint.add_bytes(text.as_bytes());
        fingerprint.add_bytes(&[0]);
    }
    fingerprint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_messages_are_escaped() {
        assert_eq!(message("a[0]", "b](c", 2), "a[0] reaches b\\](c over 2 edges.");
        assert_eq!(message("a", "a", 0), "a is a sink itself.");
    }

    #[test]
    fn fingerprints_depend_on_the_boundaries_of_names() {
        assert_ne!(fingerprint("taint", "ab", "c"), fingerprint("taint", "a", "bc"));
    }
}
