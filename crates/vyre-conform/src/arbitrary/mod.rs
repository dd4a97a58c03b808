//! Proptest strategies.
//!
//! [`arb_program`] gives any program, mostly an invalid one, and so reaches everything that the text and wire formats
//! must carry. [`arb_plausible_program`] gives programs that break few rules of validation, and [`arb_valid_program`]
//! programs that break none.

mod expr;
mod name;
mod node;
mod plausible;
mod program;

pub use expr::arb_expr;
pub use name::arb_name;
pub use node::arb_node;
pub use plausible::{arb_plausible_program, arb_valid_program};
pub use program::{arb_buffer, arb_program};

use proptest::prelude::*;

use crate::pool::EDGES;

/// A configuration with this number of cases, unless `PROPTEST_CASES` says otherwise, that writes no files.
#[must_use]
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

/// A number, often a small one or one at an edge.
fn arb_number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..8u32, 2 => proptest::sample::select(&EDGES), 1 => any::<u32>()]
}
