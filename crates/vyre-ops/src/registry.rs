//! The registry of all ops: the tables of the families, in the order of the specification.

use std::sync::LazyLock;

use vyre_ir::OpTable;

use crate::primitive::{bitwise, compare, math};
use crate::{Op, checksum, compression, graph};

/// Ops of each family. The families list their ops with [`op_family!`](crate::family::op_family).
static FAMILIES: &[&[Op]] = &[bitwise::OPS, math::OPS, compare::OPS, graph::OPS, compression::OPS, checksum::OPS];

static OPS: LazyLock<Vec<Op>> = LazyLock::new(|| FAMILIES.concat());

/// All ops, in a fixed order.
#[must_use]
pub fn ops() -> &'static [Op] {
    &OPS
}

/// Ids of all ops, in a fixed order. V016 reports a call of any other id, unless the table of the validator has further ops.
pub fn known_op_ids() -> impl ExactSizeIterator<Item = &'static str> {
    OPS.iter().map(|op| op.id)
}

/// The op with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.id == id)
}

/// The ops as a table for the validator, each with its canonical program. Building the table validates every program, so callers
/// should keep it.
#[must_use]
pub fn table() -> OpTable {
    OpTable::new(OPS.iter().map(Op::spec)).expect("ids are unique")
}
