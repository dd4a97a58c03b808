//! Ops in certificates: hashes and verdicts.

use std::sync::LazyLock;

use vyre_ir::wire::to_wire;
use vyre_ops::{Op, ops};

use super::{Counts, OpVerdict, Verdict};
use crate::hash::of_parts;
use crate::suite::{ItemReport, Report, SectionReport};

/// The signature as `vyre ops` prints it.
pub(super) fn signature(op: &Op) -> String {
    let inputs: Vec<String> = op.inputs.iter().map(ToString::to_string).collect();
    format!("({}) -> {}", inputs.join(", "), op.output)
}

/// Hash of id, version, signature and all programs of an op.
fn computed_hash(op: &Op) -> String {
    let (version, signature) = (op.version().to_le_bytes(), signature(op));
    let programs: Vec<(&str, Vec<u8>)> =
        op.programs().map(|variant| (variant.name, to_wire(&variant.program()))).collect();
    let head = [op.id.as_bytes(), &version, signature.as_bytes(), &[u8::from(op.inlinable)]];
    let programs = programs.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    of_parts(head.into_iter().chain(programs))
}

/// Hashes of all ops. Building the programs takes a while, so they are kept.
static HASHES: LazyLock<Vec<String>> = LazyLock::new(|| ops().iter().map(computed_hash).collect());

/// Hash of an op of the library.
pub(super) fn op_hash(op: &Op) -> String {
    let position = ops().iter().position(|known| known.id == op.id);
    position.and_then(|position| HASHES.get(position)).cloned().unwrap_or_else(|| computed_hash(op))
}

/// Hash of the op table.
pub(super) fn table_hash() -> String {
    of_parts(HASHES.iter().map(|hash| hash.as_bytes()))
}

/// Sections that run an op on the device. That of round trips runs none.
fn sections_of(op: &Op) -> &'static [&'static str] {
    match op.id.split_once('.') {
        Some(("graph", _)) => &["graph-archetypes", "graph-ops"],
        Some(("compression", _)) => &["compression-archetypes", "compressed-blocks"],
        Some(("checksum", _)) => &["checksums"],
        _ => &["laws", "composition"],
    }
}

/// Verdicts on all ops of the library.
pub(super) fn verdicts(report: &Report) -> Vec<OpVerdict> {
    let of_op = |op: &Op| {
        let counts = counts_of(&report.sections, op.id);
        OpVerdict {
            id: op.id.to_owned(),
            version: op.version(),
            signature: signature(op),
            hash: op_hash(op),
            verdict: verdict(report, op, &counts),
            counts,
        }
    };
    ops().iter().map(of_op).collect()
}

/// Counts of the items about an op.
pub(super) fn counts_of(sections: &[SectionReport], id: &str) -> Counts {
    let items = sections.iter().flat_map(|section| &section.items);
    let about = items.filter(|item| item.op.as_deref() == Some(id));
    about.fold(Counts::default(), |counts, item| Counts {
        checked: counts.checked.saturating_add(item.checked),
        failed: counts.failed.saturating_add(item.failed),
        skipped: counts.skipped.saturating_add(item.skipped),
    })
}

/// Reports whether a section has checked an op.
fn has_checked(section: &SectionReport, op: &Op) -> bool {
    section.items.iter().any(|item| item.checked > 0 && item.op.as_deref() == Some(op.id))
}

/// Reports whether a check failed that names no op, such as one that panicked. The checks of ops that it stood for are lost.
fn has_failed_without_an_op(section: &SectionReport) -> bool {
    section.items.iter().any(|item| item.failed > 0 && item.op.is_none())
}

/// An op is conformant only if all sections that run it checked it, to their ends, and no check failed there that may have been about it.
fn verdict(report: &Report, op: &Op, counts: &Counts) -> Verdict {
    let sections = || sections_of(op).iter().map(|name| report.section(name));
    let ended_early = || {
        let has_item = |items: &[ItemReport]| items.iter().any(|item| item.op.as_deref() == Some(op.id));
        let others = report.sections.iter().filter(|section| has_item(&section.items));
        sections().flatten().chain(others).any(|section| section.ended_early.is_some())
    };
    match (counts.failed, counts.checked) {
        (1.., _) => Verdict::Failed,
        _ if ended_early() => Verdict::Interrupted,
        (0, 0) => Verdict::Unchecked,
        _ if sections().any(|section| {
            section.is_none_or(|section| !has_checked(section, op) || has_failed_without_an_op(section))
        }) =>
        {
            Verdict::Partial
        }
        (0, 1..) => Verdict::Conformant,
    }
}
