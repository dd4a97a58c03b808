//! Making a failing case small, and a file of the corpus of it.
//!
//! [`reduce`] leaves out and simplifies what it can while the caller's predicate says that the case still fails:
//! statements, bodies, operands, variables, buffers, ops, invocations and contents. [`corpus_file()`] writes the rest
//! as a file of `tests/corpus/run`.
//!
//! Programs become different ones on the way. A loop may run for longer than before and a race may appear, so a
//! predicate that runs programs needs a short deadline, and one that compares results must refuse cases with races.
//! Variables, buffers and ops with odd names get other names.
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
//! # Ok::<(), text::ParseError>(())
//! ```

mod calls;
mod corpus_file;
mod edit;
mod names;
mod program;
mod rewrite;
mod search;
mod sizes;
mod survey;
mod unit;

pub use corpus_file::{CorpusFiles, corpus_file};
pub use search::ReduceLimits;

use crate::Case;
use search::Search;
use unit::Unit;

/// Shrinks a case while `fails` says that it still fails. `fails` is only asked of valid programs.
///
/// The result is valid and fails, unless the case itself does not: then it comes back as it is. No single change makes
/// it smaller and lets it still fail, unless a limit was reached. The same case, limits and answers give the same
/// result.
pub fn reduce(case: &Case, limits: &ReduceLimits, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let Some(mut search) = Search::start(case, limits, fails) else { return case.clone() };
    names::make_plain(&mut search);
    while !search.is_over() {
        let before = search.fingerprint();
        shrink(&mut search);
        if search.fingerprint() != before || search.refine() {
            continue;
        }
        // Single numbers take many tests each, so they wait until there are few.
        shrink_numbers(&mut search);
        if search.fingerprint() == before {
            break;
        }
    }
    search.into_current()
}

fn shrink(search: &mut Search<'_>) {
    calls::drop_unused(search);
    sizes::shrink_axes(search);
    for unit in Unit::all(search.current()) {
        program::shrink(search, &unit);
    }
    calls::drop_inputs(search);
    for unit in Unit::all(search.current()) {
        program::expand_calls(search, &unit);
    }
    calls::drop_unused(search);
    sizes::shrink_workgroup_buffers(search);
    sizes::shrink_contents(search);
}

fn shrink_numbers(search: &mut Search<'_>) {
    for unit in Unit::all(search.current()) {
        program::shrink_literals(search, &unit);
    }
    sizes::shrink_words(search);
}
