//! Strategies for buffers and programs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use vyre_ir::{BufferAccess, BufferDecl, DataType, Program};

use super::{arb_name, arb_node, arb_number};

/// Any buffer declaration, sensible or not.
pub fn arb_buffer() -> impl Strategy<Value = BufferDecl> {
    let access = select(&BufferAccess::ALL);
    let element = select(&DataType::ALL);
    (arb_name(), arb_number(), access, element, arb_number(), any::<bool>()).prop_map(
        |(name, binding, access, element, count, is_output)| BufferDecl {
            name,
            binding,
            access,
            element,
            count,
            is_output,
        },
    )
}

/// Any program, nearly always invalid.
pub fn arb_program() -> impl Strategy<Value = Program> {
    let workgroup_size = [arb_number(), arb_number(), arb_number()];
    (vec(arb_buffer(), 0..4), workgroup_size, vec(arb_node(), 0..6))
        .prop_map(|(buffers, workgroup_size, entry)| Program::new(buffers, workgroup_size, entry))
}
