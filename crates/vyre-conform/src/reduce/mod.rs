//! Test case reduction by hierarchical delta debugging (Zeller and Hildebrandt, TSE 2002; Misherghi and Su, ICSE 2006).
//!
//! [`reduce`] removes and simplifies statements, bodies, operands, variables, buffers, ops, invocations and contents while
//! the caller's predicate reports that the case still fails. [`corpus_file()`] writes the result as a file of
//! `tests/corpus/run`.
//!
//! Reduction does not preserve behaviour. A loop may run longer than before and a race may appear, so a predicate that runs
//! programs needs a short deadline, and one that compares results must reject cases with races. Variables, buffers and ops
//! with unusual names are renamed.
//!
//! ```
//! use std::collections::BTreeMap;
//! use vyre_conform::Case;
//! use vyre_conform::reduce::{ReduceLimits, reduce};
//! use vyre_ir::{OpTable, text};
//!
//! let text = "workgroup_size 64; buffer b: read_write u32 @0;
//!     entry { let i = local_id.x; if i < 5 { b[i] = i * 2 + popcount(i); } }";
//! let program = text::parse(text)?.program;
//! let case = Case { program, ops: OpTable::default(), grid: [8, 1, 1], contents: BTreeMap::new() };
//! let small = reduce(&case, &ReduceLimits::default(), &mut |case| text::print(&case.program).contains("popcount"));
//! assert_eq!(text::print(&small.program), "workgroup_size 1, 1, 1;\n\nentry {\n    let _ = popcount(0);\n}\n");
//! # Ok::<(), text::ParseErrors>(())
//! ```

mod changes;
mod corpus_file;
pub(crate) mod fresh_names;
mod inline;
mod normalize_names;
pub(crate) mod program_index;
pub(crate) mod rewrite;
mod search;
mod shrink_inputs;
pub(crate) mod shrink_ops;
mod shrink_program;
mod unit;

pub use corpus_file::{CorpusFiles, corpus_file};
pub use search::ReduceLimits;

use crate::Case;
use search::Search;
use unit::Unit;

/// Reduces a case while `fails` returns true. `fails` is called with valid programs only.
///
/// The result is valid and fails. A case that does not fail is returned unchanged. The result is 1-minimal, unless a limit was
/// reached: no single change yields a smaller case that fails. Equal cases, limits and answers give equal results.
pub fn reduce(case: &Case, limits: &ReduceLimits, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let Some(mut search) = Search::start(case, limits, fails) else { return case.clone() };
    normalize_names::normalize(&mut search);
    while !search.is_exhausted() {
        let before = search.fingerprint();
        shrink(&mut search);
        if search.fingerprint() != before || search.refine() {
            continue;
        }
        // Each number takes many tests, so numbers are reduced last, when few are left.
        shrink_numbers(&mut search);
        if search.fingerprint() == before {
            break;
        }
    }
    search.into_current()
}

fn shrink(search: &mut Search<'_>) {
    shrink_ops::drop_unused(search);
    shrink_inputs::shrink_axes(search);
    for unit in Unit::all(search.current()) {
        shrink_program::shrink(search, &unit);
    }
    shrink_ops::drop_inputs(search);
    for unit in Unit::all(search.current()) {
        shrink_program::inline_calls(search, &unit);
    }
    shrink_ops::drop_unused(search);
    shrink_inputs::shrink_workgroup_buffers(search);
    shrink_inputs::shrink_contents(search);
}

fn shrink_numbers(search: &mut Search<'_>) {
    shrink_inputs::minimize_axes(search);
    for unit in Unit::all(search.current()) {
        shrink_program::shrink_literals(search, &unit);
    }
    shrink_inputs::shrink_words(search);
}
