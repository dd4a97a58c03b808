//! Reports that are kept: a [`ScanReport`] as bytes and back.
//!
//! The knowledge of a report is not kept. Whoever reads one must have the same rules.

use std::io::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{LibraryUse, ScanReport};
use crate::capability::Capability;
use crate::coverage::Coverage;
use crate::finding::{Finding, Statistics, SuppressedFinding};
use crate::knowledge::{Knowledge, ThreatModel};

/// First bytes of a kept report, with the version of its form.
const MAGIC: &[u8] = b"vyre scan report 2\n";

/// Bytes of the checksum.
const CHECKSUM: usize = 32;

#[derive(Serialize)]
struct Writing<'r> {
    models: &'r [ThreatModel],
    has_requests: bool,
    findings: &'r [Finding],
    suppressed: &'r [SuppressedFinding],
    coverage: &'r Coverage,
    warnings: &'r [String],
    notes: &'r [String],
    libraries: &'r [LibraryUse],
    capabilities: &'r [Capability],
    statistics: &'r Statistics,
}

#[derive(Deserialize)]
struct Reading {
    models: Vec<ThreatModel>,
    has_requests: bool,
    findings: Vec<Finding>,
    suppressed: Vec<SuppressedFinding>,
    coverage: Coverage,
    warnings: Vec<String>,
    notes: Vec<String>,
    libraries: Vec<LibraryUse>,
    capabilities: Vec<Capability>,
    statistics: Statistics,
}

impl ScanReport {
    /// Bytes of the report, with a checksum. None: the result depends on the speed of the machine, or on an interruption.
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        if self.coverage.is_interrupted || self.coverage.has_timeouts() {
            return None;
        }
        let ScanReport { knowledge: _, models, findings, suppressed, baseline: _, coverage, warnings, notes, .. } =
            self;
        let ScanReport { has_requests, libraries, configuration: _, capabilities, statistics, .. } = self;
        let writing = Writing {
            models,
            has_requests: *has_requests,
            findings,
            suppressed,
            coverage,
            warnings,
            notes,
            libraries,
            capabilities,
            statistics,
        };
        let body = serde_json::to_vec(&writing).ok()?;
        let mut bytes = Vec::with_capacity(MAGIC.len() + CHECKSUM + body.len());
        bytes.write_all(MAGIC).ok()?;
        bytes.write_all(&Sha256::digest(&body)).ok()?;
        bytes.write_all(&body).ok()?;
        Some(bytes)
    }

    /// Report of bytes that [`ScanReport::to_bytes`] made, with these rules. The folder is empty: it depends on the
    /// current folder of the scan. None: the bytes are damaged, or from another version.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], knowledge: Arc<Knowledge>) -> Option<ScanReport> {
        let (checksum, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(CHECKSUM)?;
        if Sha256::digest(body)[..] != *checksum {
            return None;
        }
        let read: Reading = serde_json::from_slice(body).ok()?;
        let silenced = read.suppressed.iter().map(|suppressed| &suppressed.finding);
        if read.findings.iter().chain(silenced).any(|finding| finding.rule >= knowledge.rules.len()) {
            return None;
        }
        Some(ScanReport {
            knowledge,
            models: read.models,
            has_requests: read.has_requests,
            findings: read.findings,
            suppressed: read.suppressed,
            baseline: None,
            coverage: read.coverage,
            warnings: read.warnings,
            notes: read.notes,
            folder: String::new(),
            libraries: read.libraries,
            configuration: None,
            selection: None,
            capabilities: read.capabilities,
            statistics: read.statistics,
        })
    }
}
