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
use crate::finding::{Finding, Statistics};
use crate::knowledge::{Knowledge, ThreatModel};

/// First bytes of a kept report, with the version of its form.
const MAGIC: &[u8] = b"vyre scan report 1\n";

/// Bytes of the checksum.
const CHECKSUM: usize = 32;

#[derive(Serialize)]
struct Writing<'r> {
    models: &'r [ThreatModel],
    findings: &'r [Finding],
    coverage: &'r Coverage,
    warnings: &'r [String],
    libraries: &'r [LibraryUse],
    capabilities: &'r [Capability],
    statistics: &'r Statistics,
}

#[derive(Deserialize)]
struct Reading {
    models: Vec<ThreatModel>,
    findings: Vec<Finding>,
    coverage: Coverage,
    warnings: Vec<String>,
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
        let ScanReport { models, findings, coverage, warnings, libraries, capabilities, statistics, .. } = self;
        let body =
            serde_json::to_vec(&Writing { models, findings, coverage, warnings, libraries, capabilities, statistics });
        let body = body.ok()?;
        let mut bytes = Vec::with_capacity(MAGIC.len() + CHECKSUM + body.len());
        bytes.write_all(MAGIC).ok()?;
        bytes.write_all(&Sha256::digest(&body)).ok()?;
        bytes.write_all(&body).ok()?;
        Some(bytes)
    }

    /// Report of bytes that [`ScanReport::to_bytes`] made, with these rules. None: the bytes are damaged, or from another version.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], knowledge: Arc<Knowledge>) -> Option<ScanReport> {
        let (checksum, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(CHECKSUM)?;
        if Sha256::digest(body)[..] != *checksum {
            return None;
        }
        let Reading { models, findings, coverage, warnings, libraries, capabilities, statistics } =
            serde_json::from_slice(body).ok()?;
        if findings.iter().any(|finding| finding.rule >= knowledge.rules.len()) {
            return None;
        }
        let configuration = None;
        Some(ScanReport {
            knowledge,
            models,
            findings,
            coverage,
            warnings,
            libraries,
            configuration,
            capabilities,
            statistics,
        })
    }
}
