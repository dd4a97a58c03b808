//! Programs that are mostly valid.

use proptest::collection::vec;
use proptest::prelude::*;
use vyre_ir::Program;

use crate::generate::{Care, generate};

/// A program whose buffers have fixed roles and whose names, types and control flow are mostly right.
///
/// About one in four has mistakes strewn in. It shrinks like the list of choices that it was made from.
pub fn arb_plausible_program() -> impl Strategy<Value = Program> {
    let care = prop_oneof![3 => Just(Care::Full), 1 => Just(Care::WithSlips)];
    (care, vec(any::<u8>(), 0..400)).prop_map(|(care, choices)| generate(care, &choices))
}
