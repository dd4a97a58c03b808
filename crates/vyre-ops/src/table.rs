//! The table of all ops. Adding an op adds a line here.

use vyre_ir::OpTable;

use crate::Op;
use crate::compression::{lz4, zstd};
use crate::graph::{bfs, components, pagerank, reachability, scc, shortest_path, toposort};
use crate::primitive::{bitwise, compare, math};

/// All ops, in the order of the specification.
static OPS: &[Op] = &[
    bitwise::and::OP,
    bitwise::or::OP,
    bitwise::xor::OP,
    bitwise::not::OP,
    bitwise::shl::OP,
    bitwise::shr::OP,
    bitwise::rotl::OP,
    bitwise::rotr::OP,
    bitwise::popcount::OP,
    bitwise::clz::OP,
    bitwise::ctz::OP,
    bitwise::reverse_bits::OP,
    bitwise::extract_bits::OP,
    bitwise::insert_bits::OP,
    math::add::OP,
    math::sub::OP,
    math::mul::OP,
    math::div::OP,
    math::modulo::OP,
    math::min::OP,
    math::max::OP,
    math::clamp::OP,
    math::abs::OP,
    math::negate::OP,
    math::abs_diff::OP,
    compare::eq::OP,
    compare::ne::OP,
    compare::lt::OP,
    compare::gt::OP,
    compare::le::OP,
    compare::ge::OP,
    compare::select::OP,
    compare::logical_not::OP,
    bfs::OP,
    reachability::OP,
    components::OP,
    scc::OP,
    toposort::OP,
    shortest_path::OP,
    pagerank::OP,
    lz4::OP,
    zstd::OP,
];

/// All ops, in a fixed order.
#[must_use]
pub fn ops() -> &'static [Op] {
    OPS
}

/// The op with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.id == id)
}

/// All ops as validation wants them, each with its canonical program. Building the table validates every program, so
/// keep it where it is used often.
#[must_use]
pub fn table() -> OpTable {
    OpTable::new(OPS.iter().map(Op::definition)).expect("the ids above are unique")
}
