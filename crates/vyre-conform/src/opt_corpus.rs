//! Optimizer corpus `tests/corpus/opt`: kernels before and after a pass, and results of runs.
//!
//! The directory of a file names its pass. The first comment is a headline. Runs and their results follow, in the format of
//! [`run_corpus`](crate::run_corpus). The entry of the kernel before and after the pass is at the end:
//!
//! ```text
//! // A sum with 0 is the other operand.
//! // prepare: promote
//! // run: grid 1
//! // in out = zeros: 1
//! // expect out = u32: 7
//! workgroup_size 1, 1, 1;
//! ...
//! // before:
//! //     v3 = add v1, 0
//! //     store out[0], v3 if v4
//! // after:
//! //     store out[0], v1 if v4
//! ```
//!
//! `// after: unchanged` means that the pass does not change the kernel. `// prepare:` names passes that run before `before`.
//!
//! Files of [`SPECIALIZE`] have fixed values: `// fix: params[0] = 7`. There `before` is the kernel without fixed values and
//! `after` the kernel with them, each after the passes of `// prepare:`.

use std::collections::BTreeMap;
use std::fmt;

use vyre_ir::text::{self, ParseErrors};
use vyre_ir::{BufferAccess, Diagnostic, Name, OpTable, Program, Specialization};
use vyre_kernel::{Kernel, LowerError, PassError, PassPipeline, UnknownPass, lower, lower_specialized};
use vyre_runtime::{Device, PipelineOptions, RunOptions, parse_contents, words};

use crate::run_corpus::{RunFailure, runs};
use crate::{Case, CaseError};

/// Directory of specialization, which is no pass.
pub const SPECIALIZE: &str = "specialize";

/// Line before the kernels.
const BEFORE: &str = "// before:\n";

/// Error of a corpus file.
#[derive(Debug)]
#[non_exhaustive]
pub enum OptFailure {
    /// The headline is missing.
    NoHeadline,
    /// A malformed directive.
    BadDirective(String),
    /// A specialization file without fixed values, or another file with fixed values.
    Fixed,
    /// A program that does not parse.
    Syntax(Box<ParseErrors>),
    /// A program that is not valid.
    Invalid(Box<Diagnostic>),
    /// A program that does not lower.
    Lower(LowerError),
    /// An unknown pass.
    UnknownPass(UnknownPass),
    /// A pass that yields an invalid kernel.
    Pass(Box<PassError>),
    /// Malformed runs, or runs with another result.
    Run(RunFailure),
    /// A run that fails on a device.
    Case(CaseError),
}

impl fmt::Display for OptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptFailure::NoHeadline => write!(f, "the first line does not say what the file shows"),
            OptFailure::BadDirective(text) => write!(f, "`{text}` is no directive"),
            OptFailure::Fixed => write!(f, "values are fixed in files of `{SPECIALIZE}` and nowhere else"),
            OptFailure::Syntax(error) => write!(f, "{error}"),
            OptFailure::Invalid(diagnostic) => write!(f, "{} at {}: {diagnostic}", diagnostic.rule, diagnostic.path),
            OptFailure::Lower(error) => write!(f, "{error}"),
            OptFailure::UnknownPass(error) => write!(f, "{error}"),
            OptFailure::Pass(error) => write!(f, "{error}"),
            OptFailure::Run(failure) => write!(f, "{failure}"),
            OptFailure::Case(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for OptFailure {}

impl From<RunFailure> for OptFailure {
    fn from(failure: RunFailure) -> OptFailure {
        OptFailure::Run(failure)
    }
}

/// A parsed corpus file.
#[derive(Clone, Debug)]
pub struct Example {
    /// Passes that run before `before`.
    pub prepare: Vec<String>,
    /// Fixed values.
    pub fixed: Specialization,
    /// The program.
    pub program: Program,
    /// Text before the kernels.
    head: String,
}

/// A run of an example, with the expected bytes of buffers after it.
#[derive(Clone, Debug)]
pub struct ExampleRun {
    /// Line of `// run:`.
    pub line: u32,
    /// The run.
    pub case: Case,
    /// Expected bytes, by the name of the buffer.
    pub expected: BTreeMap<Name, Vec<u8>>,
}

impl Example {
    /// Parses a file of a pass.
    ///
    /// # Errors
    ///
    /// Fails on a missing headline, a malformed directive, or a program that does not parse.
    pub fn read(pass: &str, source: &str) -> Result<Example, OptFailure> {
        let head = source.split(BEFORE).next().unwrap_or_default().trim_end().to_owned();
        let headline = source.lines().next().and_then(|line| line.strip_prefix("// ")).unwrap_or_default();
        if !headline.ends_with('.') {
            return Err(OptFailure::NoHeadline);
        }
        let program = text::parse(source).map_err(|error| OptFailure::Syntax(Box::new(error)))?.program;
        let (mut prepare, mut fixed) = (Vec::new(), Specialization::default());
        for comment in head.lines().filter_map(|line| line.strip_prefix("// ")) {
            if let Some(names) = comment.strip_prefix("prepare:") {
                prepare.extend(names.split(',').map(|name| name.trim().to_owned()));
            } else if let Some(value) = comment.strip_prefix("fix:") {
                let (binding, element, words) =
                    fixed_value(&program, value).ok_or_else(|| OptFailure::BadDirective(comment.to_owned()))?;
                fixed = fixed.with_words(binding, element, &words);
            }
        }
        if fixed.is_empty() == (pass == SPECIALIZE) {
            return Err(OptFailure::Fixed);
        }
        Ok(Example { prepare, fixed, program, head })
    }

    /// Passes of the example, the one under test last.
    #[must_use]
    pub fn passes(&self, pass: &str) -> Vec<String> {
        let last = (pass != SPECIALIZE).then(|| pass.to_owned());
        self.prepare.iter().cloned().chain(last).collect()
    }

    /// The file with its kernels regenerated.
    ///
    /// # Errors
    ///
    /// Fails on a program that is not valid or does not lower, and on a pass that is unknown or yields an invalid kernel.
    pub fn with_kernels(&self, pass: &str, ops: &OpTable) -> Result<String, OptFailure> {
        let valid = vyre_ir::validate(&self.program, ops)
            .map_err(|list| OptFailure::Invalid(Box::new(list.into_vec().swap_remove(0))))?;
        let mut before = lower(&valid).map_err(OptFailure::Lower)?;
        run_passes(&self.prepare, &mut before)?;
        let after = if pass == SPECIALIZE {
            let mut fixed = lower_specialized(&valid, &self.fixed).map_err(OptFailure::Lower)?;
            run_passes(&self.prepare, &mut fixed)?;
            fixed
        } else {
            let mut passed = before.clone();
            run_passes(&[pass.to_owned()], &mut passed)?;
            passed
        };
        let (before, after) = (entry(&before), entry(&after));
        let mut file = format!("{}\n\n{BEFORE}{before}", self.head);
        if before == after {
            file.push_str("// after: unchanged\n");
        } else {
            file.push_str("// after:\n");
            file.push_str(&after);
        }
        Ok(file)
    }

    /// Runs of the example.
    ///
    /// # Errors
    ///
    /// Fails on malformed runs.
    pub fn runs(&self, ops: &OpTable) -> Result<Vec<ExampleRun>, OptFailure> {
        let contents = |list: &[(String, String)]| {
            let bytes = list.iter().map(|(name, contents)| {
                let buffer = self.program.buffer(name).filter(|decl| decl.access != BufferAccess::Workgroup);
                let decl = buffer.ok_or_else(|| RunFailure::UnknownBuffer(name.clone()))?;
                let bytes = parse_contents(contents, decl.element);
                Ok((decl.name.clone(), bytes.map_err(|error| RunFailure::Contents(name.clone(), error))?))
            });
            bytes.collect::<Result<BTreeMap<_, _>, RunFailure>>()
        };
        let runs = runs(&self.head)?.into_iter().map(|run| {
            let (program, ops) = (self.program.clone(), ops.clone());
            let case = Case { program, ops, grid: run.grid, contents: contents(&run.inputs)? };
            Ok(ExampleRun { line: run.line, case, expected: contents(&run.expected)? })
        });
        runs.collect()
    }

    /// Runs the example on a device with its fixed values, and compares the results. Returns the number of runs.
    ///
    /// # Errors
    ///
    /// Fails at the first difference.
    pub fn check_runs(&self, ops: &OpTable, device: &dyn Device, options: &RunOptions) -> Result<usize, OptFailure> {
        let runs = self.runs(ops)?;
        let fixed = PipelineOptions::default().with_specialization(self.fixed.clone());
        for run in &runs {
            run.check(device, &fixed, options)?;
        }
        Ok(runs.len())
    }

    /// Runs the example on a device without specialization, with the fixed values in memory, and compares the results.
    ///
    /// # Errors
    ///
    /// Fails at the first difference.
    pub fn check_unfixed_runs(&self, ops: &OpTable, device: &dyn Device) -> Result<(), OptFailure> {
        for mut run in self.runs(ops)? {
            for (binding, element, words) in self.fixed.iter() {
                let is_fixed =
                    |decl: &&vyre_ir::BufferDecl| decl.access == BufferAccess::Uniform && decl.binding == binding;
                let Some(decl) = self.program.buffers.iter().find(is_fixed) else { continue };
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let start = element as usize * bytes.len();
                let bound = run.case.contents.get_mut(&decl.name);
                if let Some(place) = bound.and_then(|bound| bound.get_mut(start..start + bytes.len())) {
                    place.copy_from_slice(&bytes);
                }
            }
            run.check(device, &PipelineOptions::default(), &RunOptions::default())?;
        }
        Ok(())
    }
}

impl ExampleRun {
    fn check(&self, device: &dyn Device, pipeline: &PipelineOptions, options: &RunOptions) -> Result<(), OptFailure> {
        let outcome = self.case.run(device, pipeline, options).map_err(OptFailure::Case)?;
        if let Some(race) = outcome.report.races.races.first() {
            return Err(RunFailure::Race(race.to_string()).into());
        }
        for (name, expected) in &self.expected {
            let found = outcome.contents.get(name).map(Vec::as_slice).unwrap_or_default();
            if expected != found {
                let differs = expected.iter().zip(found).position(|(a, b)| a != b);
                let byte = differs.unwrap_or(expected.len().min(found.len()));
                let (expected, found) = (words(expected), words(found));
                let buffer = name.to_string();
                return Err(RunFailure::Mismatch { line: self.line, buffer, byte, expected, found }.into());
            }
        }
        Ok(())
    }
}

fn run_passes(names: &[String], kernel: &mut Kernel) -> Result<(), OptFailure> {
    let pipeline = PassPipeline::of(names).map_err(OptFailure::UnknownPass)?;
    pipeline.verify(true).run(kernel).map_err(|error| OptFailure::Pass(Box::new(error)))?;
    Ok(())
}

/// Statements of a kernel, as comments.
fn entry(kernel: &Kernel) -> String {
    let text = kernel.to_string();
    let statements = text.lines().skip_while(|line| *line != "entry {").skip(1).take_while(|line| *line != "}");
    statements.map(|statement| format!("// {statement}\n")).collect()
}

/// Parses `NAME[INDEX] = WORD, WORD`.
fn fixed_value(program: &Program, text: &str) -> Option<(u32, u32, Vec<u32>)> {
    let (place, value) = text.split_once('=')?;
    let (name, element) = place.trim().strip_suffix(']')?.split_once('[')?;
    let decl = program.buffer(name)?;
    let bytes = parse_contents(&format!("u32:{value}"), decl.element).ok()?;
    Some((decl.binding, element.trim().parse().ok()?, words(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "// A sum of constants is a constant.
// run: grid 1
// in out = zeros: 1
// expect out = u32: 5
workgroup_size 1, 1, 1;

buffer out: read_write u32 @0 output;

entry {
    out[0] = 2 + 3;
}

// before:
//     v3 = add 2, 3
//     v5 = lt 0, len(out)
//     store out[0], v3 if v5
// after:
//     v5 = ne len(out), 0
//     store out[0], 5 if v5
";

    fn read(pass: &str, source: &str) -> Result<String, OptFailure> {
        Example::read(pass, source)?.with_kernels(pass, &OpTable::default())
    }

    #[test]
    fn kernels_stand_at_the_end() {
        assert_eq!(read("fold", FILE).ok().as_deref(), Some(FILE));
        let bare = FILE.split("\n// before").next().unwrap_or_default();
        assert_eq!(read("fold", bare).ok().as_deref(), Some(FILE));
        let unchanged = read("cse", FILE).unwrap_or_default();
        assert!(unchanged.ends_with("if v5\n// after: unchanged\n"), "{unchanged}");
        let prepared = FILE.replace("// run", "// prepare: fold, cse\n// run");
        let prepared = read("dead-code", &prepared).unwrap_or_default();
        assert!(
            prepared.ends_with(
                "// before:\n//     v5 = ne len(out), 0\n//     store out[0], 5 if v5\n// after: unchanged\n"
            )
        );
    }

    #[test]
    fn files_say_what_they_show_and_fix_values_only_where_those_are_shown() {
        assert!(matches!(Example::read("fold", &FILE[3..]), Err(OptFailure::NoHeadline)));
        assert!(matches!(Example::read(SPECIALIZE, FILE), Err(OptFailure::Fixed)));
        assert!(matches!(read("no pass", FILE), Err(OptFailure::UnknownPass(_))));
        let fixed = FILE.replace("// run", "// fix: params[1] = 7\n// run");
        assert!(matches!(Example::read(SPECIALIZE, &fixed), Err(OptFailure::BadDirective(_))));
        let fixed = fixed.replace("buffer out", "buffer params: uniform u32 @1;\nbuffer out");
        assert!(matches!(Example::read("fold", &fixed), Err(OptFailure::Fixed)));
        let example = Example::read(SPECIALIZE, &fixed).expect("a file about fixed values");
        assert_eq!(example.fixed, Specialization::default().with(1, 1, 7));
    }
}
