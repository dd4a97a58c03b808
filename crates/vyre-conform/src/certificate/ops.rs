//! Ops in certificates: hashes and verdicts.

use std::sync::LazyLock;

use vyre_ir::wire::to_wire;
use vyre_ops::{Op, ops};

use super::digest::of_parts;
use super::{Counts, OpVerdict, Verdict};
use crate::suite::SectionReport;

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

/// Verdicts on all ops of the library by the items that are about them. An op with checks in a section that ended early has not been
/// checked to the end.
pub(super) fn verdicts(sections: &[SectionReport]) -> Vec<OpVerdict> {
    let is_about = |section: &SectionReport, id: &str| section.items.iter().any(|item| item.op.as_deref() == Some(id));
    let is_interrupted =
        |id: &str| sections.iter().any(|section| section.ended_early.is_some() && is_about(section, id));
    let counts = |id: &str| {
        let items = sections.iter().flat_map(|section| &section.items).filter(|item| item.op.as_deref() == Some(id));
        items.fold(Counts::default(), |counts, item| Counts {
            checked: counts.checked + item.checked,
            failed: counts.failed + item.failed,
            skipped: counts.skipped + item.skipped,
        })
    };
    let verdict = |id: &str, counts: &Counts| match (counts.failed, counts.checked) {
        (1.., _) => Verdict::Failed,
        _ if is_interrupted(id) => Verdict::Interrupted,
        (0, 0) => Verdict::Unchecked,
        (0, 1..) => Verdict::Conformant,
    };
    let of_op = |op: &Op| {
        let counts = counts(op.id);
        OpVerdict {
            id: op.id.to_owned(),
            version: op.version(),
            signature: signature(op),
            hash: op_hash(op),
            verdict: verdict(op.id, &counts),
            counts,
        }
    };
    ops().iter().map(of_op).collect()
}
