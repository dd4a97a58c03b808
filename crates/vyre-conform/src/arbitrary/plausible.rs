//! Strategies for programs that are valid, or nearly so.

use proptest::collection::vec;
use proptest::prelude::*;
use vyre_ir::Program;

use crate::generate::{Care, generate};

/// A program whose buffers have fixed roles and whose names, types and control flow are mostly right.
///
/// Three in four are valid; the others have a few mistakes. A program shrinks as its list of choices.
pub fn arb_plausible_program() -> impl Strategy<Value = Program> {
    prop_oneof![3 => arb_program_with(Care::Full), 1 => arb_program_with(Care::WithSlips)]
}

/// A valid program that calls no ops. Its loops have at most 16 iterations each and nest at most three deep.
pub fn arb_valid_program() -> impl Strategy<Value = Program> {
    arb_program_with(Care::Full)
}

fn arb_program_with(care: Care) -> impl Strategy<Value = Program> {
    vec(any::<u8>(), 0..400).prop_map(move |choices| generate(care, &choices))
}
