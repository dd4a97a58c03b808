//! Certificates: what a run of the suite has proven, for which backend, device and driver, and by which suite and op table.
//!
//! A [`Certificate`] is JSON. Its digest covers every other field, so [`verify()`] detects accidental changes of any of them. It is not
//! signed: whoever changes a field can compute the digest again. Hashes of the op table and of the suite tell whether they have changed
//! since. `docs/certificate.schema.json` is the schema.
//!
//! Every op and every track has a verdict. Tracks are families of semantics: `integer` is the one of all programs of today,
//! `strict float` and `approximate` are not offered until the language has them.

mod digest;
mod junit;
mod ops;
mod page;
mod table;
mod text;
mod time;
mod verify;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use junit::junit;
pub use page::page;
pub use table::table;
pub use text::text;
pub use verify::{Verification, verify};

use crate::suite::{Amounts, Level, Report, SectionReport};

/// Version of the form of certificates.
pub const FORMAT: u32 = 1;

/// Statement in every certificate.
pub const NOTICE: &str = "Not signed: the digest detects accidental changes only. Repeat the run to be certain.";

/// Track of all programs of today.
const INTEGER: &str = "integer";

/// Hash of this suite: its sources, its corpus, and the sources of what its expected results come from.
pub const SUITE_HASH: &str = env!("VYRE_SUITE_HASH");

/// Result of a run of the suite, with everything that is needed to repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Version of the form: [`FORMAT`].
    pub format: u32,
    /// [`NOTICE`].
    pub notice: String,
    /// Verdict on the backend.
    pub verdict: Verdict,
    /// Name of the backend.
    pub backend: String,
    /// Name of the device.
    pub device: String,
    /// Driver of the device and its version.
    pub driver: Option<String>,
    /// Version of vyre.
    pub version: String,
    /// Operating system and processor of the host.
    pub host: String,
    /// Start of the run, in UTC.
    pub time: String,
    /// Duration in milliseconds.
    pub milliseconds: u64,
    /// The level.
    pub level: Level,
    /// First seed of everything random.
    pub seed: u64,
    /// Number of generated programs that were asked for.
    pub programs: u64,
    /// All numbers of checks. Certificates of older versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amounts: Option<Amounts>,
    /// Hash of the corpus, if it was not that of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<String>,
    /// Counts of all sections together.
    pub counts: Counts,
    /// Verdicts by track.
    pub tracks: Vec<Track>,
    /// Verdicts by op.
    pub ops: Vec<OpVerdict>,
    /// Reports of the sections.
    pub sections: Vec<SectionReport>,
    /// Sections that did not run.
    pub left_out: Vec<String>,
    /// Hash of the op table: ids, versions, signatures and all programs.
    pub op_table: String,
    /// Hash of the suite: [`SUITE_HASH`].
    pub suite: String,
    /// SHA-256 of all other fields.
    pub digest: String,
}

/// Verdict on a backend, an op or a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All sections ran and made checks, and no check failed. Only the check of shaders by tools may be without any.
    Conformant,
    /// Some sections did not run, or made no check, or the amounts of checks are not those of the level; no check failed. Of an op: no check that names it failed, but one of its sections has
    /// failed.
    Partial,
    /// A check failed.
    Failed,
    /// The run was cancelled, or a section ended before all its checks were made; no check failed.
    Interrupted,
    /// No check was made.
    Unchecked,
    /// The language has no such programs.
    NotOffered,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Conformant => "conformant",
            Verdict::Partial => "partial",
            Verdict::Failed => "failed",
            Verdict::Interrupted => "interrupted",
            Verdict::Unchecked => "unchecked",
            Verdict::NotOffered => "not offered",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Counts of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Checks that were made, failed ones included.
    pub checked: u64,
    /// Checks that failed.
    pub failed: u64,
    /// Checks that were not made.
    pub skipped: u64,
}

/// Verdict on a track.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Track {
    /// `integer`, `strict float` or `approximate`.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
}

/// Verdict on an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpVerdict {
    /// The id.
    pub id: String,
    /// Version of the semantics.
    pub version: u32,
    /// The signature.
    pub signature: String,
    /// Hash of id, version, signature and all programs.
    pub hash: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Counts of all items about the op.
    pub counts: Counts,
}

/// Reports whether a run without failures is only a part of the suite: sections are missing, or the amounts are not those of its level.
fn is_partial(sections: &[SectionReport], left_out: &[String], amounts: Option<Amounts>, level: Level) -> bool {
    !left_out.is_empty()
        || sections.iter().any(SectionReport::is_missing)
        || amounts.is_some_and(|amounts| !amounts.are_of(level))
}

/// Text that is no certificate.
#[derive(Debug)]
#[non_exhaustive]
pub enum CertificateError {
    /// Malformed JSON, or other fields than those of a certificate.
    Malformed(serde_json::Error),
    /// A form of another version.
    Format(u64),
    /// A field is missing that every certificate has, or one stands there that this one cannot have.
    Damaged,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Malformed(error) => write!(f, "this is no certificate: {error}"),
            CertificateError::Format(format) => {
                write!(f, "the certificate has form {format}, and this build reads form {FORMAT}")
            }
            CertificateError::Damaged => {
                f.write_str("the certificate is damaged: a field was removed or added after the run")
            }
        }
    }
}

impl std::error::Error for CertificateError {}

impl Certificate {
    /// The certificate of a run that ended now.
    #[must_use]
    pub fn of(report: &Report) -> Certificate {
        let [checked, failed, skipped] = report.counts();
        let verdict = match () {
            () if failed > 0 => Verdict::Failed,
            () if report.is_interrupted => Verdict::Interrupted,
            () if checked == 0 => Verdict::Unchecked,
            () if is_partial(&report.sections, &report.left_out, Some(report.amounts), report.level) => {
                Verdict::Partial
            }
            () => Verdict::Conformant,
        };
        let track = |name: &str, verdict| Track { name: name.to_owned(), verdict };
        let mut certificate = Certificate {
            format: FORMAT,
            notice: NOTICE.to_owned(),
            verdict,
            backend: report.backend.clone(),
            device: report.device.clone(),
            driver: report.driver.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            host: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            time: time::before_now(report.milliseconds),
            milliseconds: report.milliseconds,
            level: report.level,
            seed: report.seed,
            programs: report.programs,
            amounts: Some(report.amounts),
            corpus: report.corpus.clone(),
            counts: Counts { checked, failed, skipped },
            tracks: vec![
                track(INTEGER, verdict),
                track("strict float", Verdict::NotOffered),
                track("approximate", Verdict::NotOffered),
            ],
            ops: ops::verdicts(report),
            sections: report.sections.clone(),
            left_out: report.left_out.clone(),
            op_table: ops::table_hash(),
            suite: SUITE_HASH.to_owned(),
            digest: String::new(),
        };
        certificate.seal();
        certificate
    }

    /// Sets the digest to that of the other fields. The certificate of a run has it; tests change other fields first.
    pub fn seal(&mut self) {
        self.digest = self.computed_digest();
    }

    /// Reads a certificate. [`verify()`] checks it.
    ///
    /// # Errors
    ///
    /// Malformed JSON, other fields, or a form of another version.
    pub fn from_json(text: &str) -> Result<Certificate, CertificateError> {
        let value: Value = serde_json::from_str(text).map_err(CertificateError::Malformed)?;
        if let Some(format) = value.get("format").and_then(Value::as_u64).filter(|&format| format != u64::from(FORMAT))
        {
            return Err(CertificateError::Format(format));
        }
        // Not from the value, which has lost fields that stand twice.
        let certificate: Certificate = serde_json::from_str(text).map_err(CertificateError::Malformed)?;
        // The digest covers the text. A field that may be null is the same to the certificate if it is missing.
        if certificate.is_intact() && digest::of_fields(&value) != certificate.digest {
            return Err(CertificateError::Damaged);
        }
        Ok(certificate)
    }

    /// Reports whether the digest is that of the other fields.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.digest == self.computed_digest()
    }

    /// The certificate as JSON, with a line for each field.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them are always JSON.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    fn computed_digest(&self) -> String {
        serde_json::to_value(self).map(|value| digest::of_fields(&value)).unwrap_or_default()
    }
}
