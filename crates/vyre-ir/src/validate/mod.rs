//! The validator: every rule, in the order limits, structure, types, uniformity.
//!
//! [`validate`] reports all independent mistakes and no consequences of one: an expression that failed has an unknown
//! type, which fits everywhere. Success gives a [`ValidProgram`], which carries what was found out about each
//! expression; nothing else can be lowered or run.
//!
//! Time and memory are linear in the size of the program, and nothing recurses. One rule is one file below `rules`
//! and one line in `codes`.

mod check;
mod codes;
mod facts;
mod fitness;
mod limits;
mod rules;
mod uniformity;

pub use codes::{ParseRuleError, Rule, RuleInfo};
pub use facts::{ValidProgram, Variable};
pub use limits::{MAX_CALL_DEPTH, MAX_NAME_BYTES, MAX_NESTING_DEPTH, MAX_NODE_COUNT};

pub(crate) use fitness::{Fitness, summarize};
pub(crate) use limits::called_ops;

use crate::diagnostic::{Diagnostic, Report};
use crate::text::Parsed;
use crate::{OpTable, Program};

/// Checks a program against every rule.
///
/// ```
/// use vyre_ir::{OpTable, Rule, text, validate};
///
/// let text = "workgroup_size 1; buffer b: read u32 @0; entry { b[0] = 1; }";
/// let parsed = text::parse(text)?;
/// let diagnostics = validate(&parsed.program, &OpTable::default()).unwrap_err();
/// assert_eq!(diagnostics[0].rule, Rule::V005);
/// assert_eq!(diagnostics[0].path, "entry[0]");
/// # Ok::<(), text::ParseError>(())
/// ```
///
/// # Errors
///
/// All diagnostics, sorted by location, then by code. Where a limit is exceeded, that alone.
pub fn validate<'p>(program: &'p Program, ops: &'p OpTable) -> Result<ValidProgram<'p>, Vec<Diagnostic>> {
    let mut report = Report::default();
    let sizes = match limits::check(program, ops, &mut report) {
        Some(sizes) => sizes,
        None => return Err(report.finish(program)),
    };
    check::check_declarations(program, &mut report);
    let (resolved, uniformity) = check::check_entry(program, ops, sizes.nodes, &mut report);
    if report.is_empty() {
        Ok(ValidProgram::new(program, ops, sizes, resolved, uniformity))
    } else {
        Err(report.finish(program))
    }
}

impl Parsed {
    /// Checks the program against every rule, as [`validate`] does; diagnostics have their locations in the text.
    ///
    /// # Errors
    ///
    /// As [`validate`].
    pub fn validate<'p>(&'p self, ops: &'p OpTable) -> Result<ValidProgram<'p>, Vec<Diagnostic>> {
        validate(&self.program, ops).map_err(|mut diagnostics| {
            for diagnostic in &mut diagnostics {
                diagnostic.locate(&self.source_map);
            }
            // Declarations may stand in any order in a text.
            diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| span.start));
            diagnostics
        })
    }
}
