//! The validator: every rule, in the order limits, declarations, names and types, uniformity.
//!
//! [`validate`] reports all independent mistakes and no consequences of them: an expression that failed has an unknown
//! type, which no rule reports. Success yields a [`ValidProgram`] with the facts that validation derived; lowering and
//! dispatch accept nothing else.
//!
//! Time and memory are linear in the size of the program, and nothing recurses.
//!
//! # Layers
//!
//! | Module | Contents | Uses |
//! |---|---|---|
//! | `codes` | table of the rules, [`Rule`] | |
//! | `declaration` | buffer declarations in the text format, for suggestions | |
//! | `rewrite` | suggestions for operations on other types than `u32` | |
//! | `hooks` | constructs that rules check | `codes`, `rewrite` |
//! | `rules` | one file for each rule, and a function for each hook | `codes`, `declaration`, `hooks`, `rewrite` |
//! | `resolution` | resolved names and types | |
//! | `divergence` | divergence analysis | `hooks`, `resolution` |
//! | `measure` | size of a program | `hooks` |
//! | `check` | name resolution and type checking | all of the above |
//! | `valid_program` | [`ValidProgram`] | `check`, `measure` |
//! | `excess` | diagnostics of programs that exceed a limit while they are read | `rules` |
//! | `inlining` | summaries of ops | [`validate`] |
//!
//! A new rule is one file below `rules`, one line in the table of `codes`, and its cases in `tests/corpus/validate`.

mod check;
mod codes;
mod declaration;
mod divergence;
mod excess;
mod hooks;
mod inlining;
mod measure;
mod resolution;
mod rewrite;
mod rules;
mod valid_program;

pub use codes::{ParseRuleError, Rule, RuleInfo};
pub use resolution::Variable;
pub use valid_program::ValidProgram;

pub(crate) use excess::{excess_of_nesting, excess_of_nodes};

use crate::diagnostic::Report;
use crate::render::Snippets;
use crate::text::Parsed;
use crate::{Diagnostics, OpTable, Program};

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
/// # Ok::<(), text::ParseErrors>(())
/// ```
///
/// [`Diagnostics`] is an error, so that `?` passes it on:
///
/// ```
/// use vyre_ir::build::{ProgramBuilder, invocation_id};
/// use vyre_ir::{DataType, OpTable, validate};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let mut p = ProgramBuilder::new([64, 1, 1]);
///     let out = p.output("out", DataType::U32);
///     let program = p.entry(|b| b.store(&out, invocation_id(0), 1u32));
///     let ops = OpTable::default();
///     let valid = validate(&program, &ops)?;
///     assert_eq!(valid.program(), &program);
///     Ok(())
/// }
/// ```
///
/// # Errors
///
/// All diagnostics, sorted by location, then by code; of more than 10,000, the first ones that are found, and the
/// [number](Diagnostics::omitted) of the others. A program that exceeds a limit gets only the diagnostic of that limit. The error prints the lines of the program as [`print`](crate::text::print()) writes them.
pub fn validate<'p>(program: &'p Program, ops: &'p OpTable) -> Result<ValidProgram<'p>, Diagnostics> {
    check(program, ops).map_err(|report| {
        let snippets = Snippets::of_program(program, report.locations());
        let (diagnostics, omitted) = report.finish(program);
        Diagnostics::new(diagnostics, omitted, snippets)
    })
}

fn check<'p>(program: &'p Program, ops: &'p OpTable) -> Result<ValidProgram<'p>, Report> {
    let mut report = Report::default();
    let size = match measure::check_limits(program, ops) {
        Ok(size) => size,
        Err(exceeded) => {
            rules::exceeded_limit(&exceeded, &mut report);
            return Err(report);
        }
    };
    rules::declarations(program, &mut report);
    let facts = check::check_entry(program, ops, size.nodes, &mut report);
    if report.is_empty() { Ok(ValidProgram::new(program, ops, size, facts)) } else { Err(report) }
}

impl Parsed {
    /// Checks the program against every rule, as [`validate`] does, and sets the spans of the diagnostics.
    ///
    /// # Errors
    ///
    /// As [`validate`]. The error prints the lines of the text.
    pub fn validate<'p>(&'p self, ops: &'p OpTable) -> Result<ValidProgram<'p>, Diagnostics> {
        check(&self.program, ops).map_err(|report| {
            let (mut diagnostics, omitted) = report.finish(&self.program);
            for diagnostic in &mut diagnostics {
                diagnostic.locate(&self.source_map);
            }
            // Declarations may appear in any order in a text.
            diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| span.start));
            Diagnostics::new(diagnostics, omitted, Snippets::of_source(&self.source_map))
        })
    }
}
