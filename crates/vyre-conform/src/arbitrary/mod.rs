//! Proptest strategies.
//!
//! [`arb_program`] yields arbitrary, mostly invalid programs, which cover the text and wire formats. The programs of
//! [`arb_plausible_program`] break few rules of validation, and those of [`arb_valid_program`] none.

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

/// Configuration with this number of cases, unless `PROPTEST_CASES` overrides it. It writes no files.
#[must_use]
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..default }
}

/// A number, often small or a boundary value.
fn arb_number() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..8u32, 2 => proptest::sample::select(&EDGES), 1 => any::<u32>()]
}
