//! JSON format of entries: one object.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use vyre::engine::decompress::{
    ArchiveProblem, BlockCounts, Entry, EntryKind, EntryOutcome, EntryPath, ExtractTotals, HostReason, Problem,
    ProblemKind, Refusal, Summary,
};

use super::stats::gigabytes_per_second;
use super::{Archive, End, EntryWriter, Outcome, Runner};

/// An entry as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct EntryFields<'e> {
    path: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<Vec<String>>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    size: Option<u64>,
    bytes: u64,
    compressed_size: u64,
    method: &'e str,
    offset: u64,
    mode: Option<u32>,
    modified: Option<i64>,
    opened: bool,
    problems: Vec<ProblemJson>,
    #[serde(flatten)]
    outcome: OutcomeFields,
}

/// Extraction outcome of an entry as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct OutcomeFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written_to: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<Option<ProblemJson>>,
}

/// A problem as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct ProblemJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    kind: &'static str,
    message: String,
}

impl From<&Problem> for ProblemJson {
    fn from(problem: &Problem) -> ProblemJson {
        let kind = match &problem.kind {
            ProblemKind::Truncated { .. } => "truncated",
            ProblemKind::Corrupt { .. } => "corrupt",
            ProblemKind::Checksum { .. } => "checksum",
            ProblemKind::Size { .. } => "size",
            ProblemKind::TrailingGarbage { .. } => "trailing-garbage",
            ProblemKind::Unsupported { .. } => "unsupported",
            ProblemKind::Readings { .. } => "readings",
            ProblemKind::Limit(_) => "limit",
            ProblemKind::OutOfMemory { .. } => "out-of-memory",
            ProblemKind::OutOfStorage { .. } => "out-of-storage",
            _ => "other",
        };
        ProblemJson { offset: Some(problem.offset), kind, message: problem.kind.to_string() }
    }
}

impl<'e> EntryFields<'e> {
    fn new(entry: &'e Entry, outcome: &Outcome<'_>) -> EntryFields<'e> {
        let (kind, target) = match &entry.kind {
            EntryKind::File => ("file", None),
            EntryKind::Directory => ("directory", None),
            EntryKind::Symlink { target } => ("symlink", Some(text(target))),
            EntryKind::Hardlink { target } => ("hardlink", Some(text(target))),
            EntryKind::Special { what } => ("special", Some((*what).to_owned())),
            _ => ("other", None),
        };
        let EntryPath { names } = &entry.path;
        let is_text = names.iter().all(|name| std::str::from_utf8(name).is_ok());
        EntryFields {
            path: names.iter().map(|name| text(name)).collect(),
            path_bytes: (!is_text).then(|| names.iter().map(|name| hexadecimal(name)).collect()),
            kind,
            target,
            size: entry.size,
            bytes: entry.bytes.len() as u64,
            compressed_size: entry.compressed_size,
            method: entry.method,
            offset: entry.offset,
            mode: entry.mode,
            modified: entry.modified,
            opened: entry.is_opened,
            problems: entry.problems.iter().map(ProblemJson::from).collect(),
            outcome: OutcomeFields::new(outcome),
        }
    }
}

impl OutcomeFields {
    fn new(outcome: &Outcome<'_>) -> OutcomeFields {
        let reason =
            |refusal: Refusal| ProblemJson { offset: None, kind: refusal.name(), message: refusal.to_string() };
        let extracted = match outcome {
            Outcome::Extracted(extracted) => *extracted,
            Outcome::Listed(refusal) => {
                return OutcomeFields { placement: None, written_to: None, refusal: refusal.map(reason).map(Some) };
            }
        };
        let refusal = match extracted.outcome {
            EntryOutcome::Refused(refusal) => Some(reason(refusal)),
            _ => None,
        };
        let written_to = (!extracted.path.is_empty()).then(|| text(&extracted.path));
        OutcomeFields {
            placement: Some(extracted.outcome.name()),
            written_to: Some(written_to),
            refusal: Some(refusal),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Problem of an archive as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct ArchiveProblemFields {
    path: Vec<String>,
    format: &'static str,
    #[serde(flatten)]
    problem: ProblemJson,
}

impl From<&ArchiveProblem> for ArchiveProblemFields {
    fn from(archive: &ArchiveProblem) -> ArchiveProblemFields {
        let path = archive.path.names.iter().map(|name| text(name)).collect();
        ArchiveProblemFields { path, format: archive.format, problem: ProblemJson::from(&archive.problem) }
    }
}

/// Totals of extraction as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct ExtractedFields {
    files: u64,
    damaged: u64,
    directories: u64,
    links: u64,
    opened: u64,
    nothing: u64,
    refused: u64,
    bytes: u64,
}

impl From<&ExtractTotals> for ExtractedFields {
    fn from(extracted: &ExtractTotals) -> ExtractedFields {
        let ExtractTotals { files, damaged, directories, links, opened, nothing, refused, bytes, .. } = *extracted;
        ExtractedFields { files, damaged, directories, links, opened, nothing, refused, bytes }
    }
}

/// Statistics of the engine as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct StatsFields<'s> {
    format: &'s [&'static str],
    entries: u64,
    damaged: u64,
    archive_problems: u64,
    output: u64,
    layers: u32,
    dispatches: u64,
    device_blocks: u64,
    device_output: u64,
    host_blocks: BTreeMap<&'static str, u64>,
    host_output: u64,
    zstd_blocks: ZstdBlockFields,
    host_seconds: f64,
    device_seconds: f64,
    seconds: f64,
    gigabytes_per_second: f64,
}

/// Numbers of zstd blocks by type as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct ZstdBlockFields {
    raw: u64,
    rle: u64,
    compressed: u64,
}

impl<'s> StatsFields<'s> {
    fn new(summary: &'s Summary, time: std::time::Duration) -> StatsFields<'s> {
        let BlockCounts { device, device_output, host, host_output, zstd, .. } = &summary.blocks;
        StatsFields {
            format: &summary.format,
            entries: summary.entries,
            damaged: summary.damaged,
            archive_problems: summary.problem_count,
            output: summary.output,
            layers: summary.layers,
            dispatches: summary.dispatches,
            device_blocks: *device,
            device_output: *device_output,
            host_blocks: host.iter().map(|(reason, count)| (reason_name(*reason), *count)).collect(),
            host_output: *host_output,
            zstd_blocks: ZstdBlockFields { raw: zstd.raw, rle: zstd.rle, compressed: zstd.compressed },
            host_seconds: summary.host_time.as_secs_f64(),
            device_seconds: summary.device_time.as_secs_f64(),
            seconds: time.as_secs_f64(),
            gigabytes_per_second: gigabytes_per_second(summary.output, time),
        }
    }
}

/// Machine-readable name of a reason. Names are permanent.
fn reason_name(reason: HostReason) -> &'static str {
    match reason {
        HostReason::HostRoute => "host-wanted",
        HostReason::NoDeviceOp => "no-op-for-method",
        HostReason::LinkedBlocks => "linked-blocks",
        HostReason::TooFewBlocks => "few-blocks",
        HostReason::CompressedZstdBlock => "compressed-zstd-block",
        HostReason::RefusedByDevice => "refused-by-device",
        HostReason::DeviceMemory => "device-memory",
        HostReason::Limits => "limits",
        HostReason::UnknownSize => "unknown-size",
        _ => "other",
    }
}

/// Writes an object with an array of entries.
pub(crate) struct JsonWriter<'o> {
    out: &'o mut dyn Write,
    archive: &'o Archive,
    runner: &'o Runner,
    has_begun: bool,
}

impl<'o> JsonWriter<'o> {
    pub(crate) fn new(out: &'o mut dyn Write, archive: &'o Archive, runner: &'o Runner) -> JsonWriter<'o> {
        JsonWriter { out, archive, runner, has_begun: false }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.out.write_all(b"{\n  \"archive\": ")?;
        let archive = serde_json::json!({ "file": self.archive.file, "bytes": self.archive.bytes.len() });
        serde_json::to_writer(&mut *self.out, &archive)?;
        self.out.write_all(b",\n  \"backend\": ")?;
        let backend = serde_json::json!({ "name": self.runner.backend, "device": self.runner.device });
        serde_json::to_writer(&mut *self.out, &backend)?;
        self.out.write_all(b",\n  \"entries\": [")
    }

    fn field(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        write!(self.out, ",\n  \"{name}\": ")?;
        Ok(serde_json::to_writer(&mut *self.out, value)?)
    }
}

impl EntryWriter for JsonWriter<'_> {
    fn has_output(&self, _: &Entry, _: &Outcome<'_>) -> bool {
        true
    }

    fn entry(&mut self, entry: &Entry, outcome: &Outcome<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            self.out.write_all(b",\n    ")?;
        } else {
            self.begin()?;
            self.out.write_all(b"\n    ")?;
        }
        Ok(serde_json::to_writer(&mut *self.out, &EntryFields::new(entry, outcome))?)
    }

    fn end(&mut self, end: &End<'_>) -> io::Result<()> {
        if self.has_begun {
            self.out.write_all(b"\n  ]")?;
        } else {
            self.begin()?;
            self.out.write_all(b"]")?;
        }
        let none = Vec::new();
        let problems = end.summary.map_or(&none, |summary| &summary.problems);
        self.field("problems", &problems.iter().map(ArchiveProblemFields::from).collect::<Vec<_>>())?;
        self.field("extracted", &end.extracted.map(ExtractedFields::from))?;
        self.field("stats", &end.summary.map(|summary| StatsFields::new(summary, end.time)))?;
        let error =
            |error: &super::EarlyEnd| ProblemJson { offset: None, kind: error.kind, message: error.message.clone() };
        self.field("error", &end.early_end.map(error))?;
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}
