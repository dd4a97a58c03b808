//! Verification of certificates.

use serde_json::Value;
use vyre_ops::ops;

use super::{
    Certificate, CertificateError, Counts, FORMAT, INTEGER, SUITE_HASH, Verdict, digest, is_partial, ops as op_hashes,
};
use crate::suite;

/// Result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The certificate; `None` if its fields are those of no certificate.
    pub certificate: Option<Certificate>,
    /// Damage: fields that were changed after the run.
    pub damage: Vec<String>,
    /// What has changed in vyre since: the version, the suite, ops.
    pub changes: Vec<String>,
}

impl Verification {
    /// Reports whether the certificate is as the run wrote it.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty()
    }

    /// Reports whether the certificate is intact, and suite and ops are those of this build.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.is_intact() && self.changes.is_empty()
    }
}

/// Verifies the digest of a certificate, and compares it with this build. `sections` are the names of all sections that this build
/// knows, those of the application included.
///
/// # Errors
///
/// Text that is no JSON, or a certificate of another form.
pub fn verify(text: &str, sections: &[&str]) -> Result<Verification, CertificateError> {
    let value: Value = serde_json::from_str(text).map_err(CertificateError::Malformed)?;
    let mut damage = Vec::new();
    match digest::stated(&value) {
        Some(stated) if stated == digest::of_fields(&value) => {}
        Some(_) => damage.push("the digest is not that of the other fields: a field was changed".to_owned()),
        None => damage.push("it has no digest".to_owned()),
    }
    if let Some(format) = value.get("format").and_then(Value::as_u64).filter(|format| *format != u64::from(FORMAT))
        && damage.is_empty()
    {
        return Err(CertificateError::Format(format));
    }
    // Not from the value, which has lost fields that stand twice.
    let certificate: Certificate = match serde_json::from_str(text) {
        Ok(certificate) => certificate,
        Err(error) => {
            damage.push(format!("its fields are not those of a certificate: {error}"));
            return Ok(Verification { certificate: None, damage, changes: Vec::new() });
        }
    };
    damage.extend(inconsistencies(&certificate));
    let changes = changes(&certificate, sections);
    Ok(Verification { certificate: Some(certificate), damage, changes })
}

/// Fields that contradict others.
fn inconsistencies(certificate: &Certificate) -> Vec<String> {
    let mut found = Vec::new();
    let sum = certificate.sections.iter().fold(Counts::default(), |sum, section| Counts {
        checked: sum.checked.saturating_add(section.checked),
        failed: sum.failed.saturating_add(section.failed),
        skipped: sum.skipped.saturating_add(section.skipped),
    });
    if sum != certificate.counts {
        found.push("the counts are not the sums of those of the sections".to_owned());
    }
    for section in &certificate.sections {
        let sums = section.items.iter().fold([0_u64; 3], |[checked, failed, skipped], item| {
            [
                checked.saturating_add(item.checked),
                failed.saturating_add(item.failed),
                skipped.saturating_add(item.skipped),
            ]
        });
        if sums != [section.checked, section.failed, section.skipped] {
            found.push(format!("the counts of section `{}` are not the sums of those of its items", section.name));
        }
        if section.failed > section.checked {
            found.push(format!("section `{}` has more failed checks than checks", section.name));
        }
    }
    for (position, section) in certificate.sections.iter().enumerate() {
        if certificate.sections[..position].iter().any(|other| other.name == section.name) {
            found.push(format!("section `{}` stands twice", section.name));
        }
    }
    if !may_have_verdict(certificate) {
        found.push("the verdict is not that of the sections".to_owned());
    }
    if certificate.tracks.iter().any(|track| track.name == INTEGER && track.verdict != certificate.verdict) {
        found.push(format!("the verdict of track `{INTEGER}` is not that of the sections"));
    }
    for op in &certificate.ops {
        let is_failed = op.verdict == Verdict::Failed;
        let is_unfounded = op.verdict == Verdict::Conformant && op.counts.checked == 0;
        if is_failed != (op.counts.failed > 0)
            || is_unfounded
            || op.counts != op_hashes::counts_of(&certificate.sections, &op.id)
        {
            found.push(format!("verdict or counts of op `{}` are not those of the sections", op.id));
        }
    }
    found
}

/// Reports whether the sections allow the verdict. A run that was cancelled between two sections is interrupted, although none says so.
fn may_have_verdict(certificate: &Certificate) -> bool {
    let Certificate { verdict, counts, sections, left_out, amounts, level, .. } = certificate;
    let has_early_end = sections.iter().any(|section| section.ended_early.is_some());
    let is_partial = is_partial(sections, left_out, *amounts, *level);
    match verdict {
        Verdict::Failed => counts.failed > 0,
        _ if counts.failed > 0 => false,
        Verdict::Interrupted => true,
        _ if has_early_end => false,
        Verdict::Unchecked => counts.checked == 0,
        _ if counts.checked == 0 => false,
        Verdict::Partial => is_partial,
        Verdict::Conformant => !is_partial,
        Verdict::NotOffered => false,
    }
}

/// What has changed since.
fn changes(certificate: &Certificate, sections: &[&str]) -> Vec<String> {
    let mut changes = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    if certificate.version != version {
        changes.push(format!("vyre was version {}, and is {version}", certificate.version));
    }
    if certificate.suite != SUITE_HASH {
        changes.push(format!("the suite was {}, and is {}", short(&certificate.suite), short(SUITE_HASH)));
    }
    if let Some(corpus) = &certificate.corpus {
        changes.push(format!("the run had a corpus of its own, {}", short(corpus)));
    }
    // Sections of applications are only known to them.
    for section in suite::sections() {
        let name = section.name();
        let is_known = certificate.sections.iter().any(|section| section.name == name)
            || certificate.left_out.iter().any(|left_out| left_out == name);
        if !is_known {
            changes.push(format!("section `{name}` is new"));
        }
    }
    for section in certificate.sections.iter().filter(|section| !sections.contains(&&*section.name)) {
        changes.push(format!("section `{}` no longer exists", section.name));
    }
    for op in ops() {
        match certificate.ops.iter().find(|certified| certified.id == op.id) {
            None => changes.push(format!("op `{}` is new", op.id)),
            Some(certified) if certified.version != op.version() => {
                changes.push(format!("op `{}` was version {}, and is {}", op.id, certified.version, op.version()));
            }
            Some(certified) if certified.hash != op_hashes::op_hash(op) => {
                changes.push(format!("op `{}` has other programs or another signature", op.id));
            }
            Some(_) => {}
        }
    }
    for certified in certificate.ops.iter().filter(|certified| ops().iter().all(|op| op.id != certified.id)) {
        changes.push(format!("op `{}` no longer exists", certified.id));
    }
    if changes.iter().all(|change| !change.starts_with("op ")) && certificate.op_table != op_hashes::table_hash() {
        changes.push("the op table has another order or another hash".to_owned());
    }
    changes
}

/// The first digits of a hash.
pub(super) fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
