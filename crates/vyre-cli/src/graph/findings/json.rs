//! JSON format of findings: one object.

use std::io::{self, Write};

use serde::Serialize;
use vyre::engine::dataflow::{Finding, Fingerprint};

use super::{FindingContext, FindingWriter, Totals};
use crate::graph::results::{BackendEntry, GraphEntry};

/// A finding as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct Entry<'r> {
    source: u32,
    sink: u32,
    depth: u32,
    source_index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_name: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sink_name: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_labels: Option<Vec<&'r str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sink_labels: Option<Vec<&'r str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'r [u32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_names: Option<Vec<&'r str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_dependencies: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl<'r> Entry<'r> {
    fn new(context: &'r FindingContext<'r>, finding: &Finding, path: Option<&'r [u32]>) -> Entry<'r> {
        let Finding { source, sink, depth, source_index, facts } = *finding;
        let description = context.description(finding).map(|(_, description)| description);
        Entry {
            source,
            sink,
            depth,
            source_index,
            facts: context.has_facts.then_some(facts),
            source_name: context.name(source),
            sink_name: context.name(sink),
            source_labels: context.source_labels(source),
            sink_labels: context.sink_labels(sink),
            path,
            // Either all nodes have names or none does.
            path_names: path.and_then(|path| path.iter().map(|&node| context.name(node)).collect()),
            path_dependencies: path.and_then(|path| context.dependency_kinds(path)),
            rule: description.map(|description| &*description.id),
            severity: description.map(|description| description.severity.name()),
            message: context.message(finding),
        }
    }
}

/// Writes an object with an array of findings.
pub(super) struct JsonWriter<'o> {
    out: &'o mut dyn Write,
    context: &'o FindingContext<'o>,
    is_empty: bool,
}

impl<'o> JsonWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> JsonWriter<'o> {
        JsonWriter { out, context, is_empty: true }
    }
}

impl FindingWriter for JsonWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        write_start(self.out, self.context)?;
        self.out.write_all(b",\n  \"findings\": [")
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let before: &[u8] = if std::mem::take(&mut self.is_empty) { b"\n    " } else { b",\n    " };
        self.out.write_all(before)?;
        Ok(serde_json::to_writer(&mut *self.out, &Entry::new(self.context, finding, path))?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self, totals: &Totals) -> io::Result<()> {
        self.out.write_all(if self.is_empty { b"]" } else { b"\n  ]" })?;
        write_end(self.out, self.context, totals, None)
    }
}

/// Writes the object without the array of findings.
pub(super) fn write_totals(
    out: &mut dyn Write,
    context: &FindingContext<'_>,
    totals: &Totals,
    fingerprint: Option<Fingerprint>,
) -> io::Result<()> {
    write_start(out, context)?;
    write_end(out, context, totals, fingerprint)
}

fn write_start(out: &mut dyn Write, context: &FindingContext<'_>) -> io::Result<()> {
    out.write_all(b"{\n  \"graph\": ")?;
    serde_json::to_writer(&mut *out, &GraphEntry::new(context.graph))?;
    out.write_all(b",\n  \"backend\": ")?;
    serde_json::to_writer(&mut *out, &BackendEntry { name: context.backend, device: &context.device })?;
    write!(out, ",\n  \"sources\": {}", context.sources)
}

fn write_end(
    out: &mut dyn Write,
    context: &FindingContext<'_>,
    totals: &Totals,
    fingerprint: Option<Fingerprint>,
) -> io::Result<()> {
    let Totals { findings: total, suppressed, .. } = totals;
    if context.has_suppressions() {
        write!(out, ",\n  \"suppressed\": {suppressed}")?;
    }
    let fingerprint = fingerprint.map_or_else(|| "null".to_owned(), |fingerprint| format!("\"{fingerprint}\""));
    write!(out, ",\n  \"total\": {total},\n  \"fingerprint\": {fingerprint}\n}}\n")
}
