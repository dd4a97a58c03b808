//! `vyre check`: validates programs.

use std::io::{self, Write};

use anyhow::Context as _;
use vyre::ir::{Diagnostic, OpTable, Program, text, validate};

use crate::args::{CheckArgs, Format};
use crate::exit::Outcome;
use crate::input::{Form, expand};
use crate::load::{Loaded, load};
use crate::output::{complain, counted, plain_stdout, say, styled_stdout};
use crate::report::{Finding, JsonArray, Report, write_human};
use crate::text_size::text_is_too_large;

/// The most blocks for one file in the human form, unless all are asked for.
const MAX_BLOCKS: usize = 50;

pub(crate) fn run(args: CheckArgs) -> anyhow::Result<Outcome> {
    let limit = if args.all { usize::MAX } else { MAX_BLOCKS };
    let tally = match args.format {
        Format::Human => {
            let mut out = styled_stdout();
            // A long run shows what it finds as it finds it.
            let tally = check_all(&args, |report| write_human(&mut out, report, limit).and_then(|()| out.flush()))?;
            out.flush().context(STDOUT)?;
            tally
        }
        Format::Json => {
            let mut array = JsonArray::new(plain_stdout()).context(STDOUT)?;
            let tally = check_all(&args, |report| array.write(report))?;
            array.finish().context(STDOUT)?;
            tally
        }
    };
    if !args.quiet {
        say(&tally.to_string());
    }
    Ok(tally.outcome())
}

const STDOUT: &str = "cannot write to standard output";

/// The ops that programs may call.
fn ops() -> OpTable {
    OpTable::default()
}

fn check_all(args: &CheckArgs, mut write: impl FnMut(&Report) -> io::Result<()>) -> anyhow::Result<Tally> {
    let ops = ops();
    let mut tally = Tally::default();
    for input in expand(&args.files, &["vyre", "vir"]) {
        let read = input.and_then(|input| Ok((input.name(), input.read()?)));
        match read {
            Ok((name, bytes)) => {
                let report = check(&name, bytes, &ops);
                tally.add(&report);
                write(&report).context(STDOUT)?;
            }
            Err(error) => {
                tally.unreadable += 1;
                complain(&error);
            }
        }
    }
    Ok(tally)
}

/// Everything that is wrong with one input.
fn check(name: &str, bytes: Vec<u8>, ops: &OpTable) -> Report {
    match load(name, bytes) {
        Ok(Loaded::Text { text, parsed }) => {
            let diagnostics = parsed.validate(ops).err().unwrap_or_default();
            Report::new(name, Form::Text, Some(text), findings(diagnostics))
        }
        Ok(Loaded::Wire(program)) => {
            let mut diagnostics = validate(&program, ops).err().unwrap_or_default();
            let text = if diagnostics.is_empty() { None } else { locate(&program, &mut diagnostics) };
            Report::new(name, Form::Wire, text, findings(diagnostics))
        }
        Err(report) => report,
    }
}

fn findings(diagnostics: Vec<Diagnostic>) -> Vec<Finding> {
    diagnostics.into_iter().map(Finding::from).collect()
}

/// The text form of a program that came as bytes, so that reports can show lines, with the diagnostics placed in it.
fn locate(program: &Program, diagnostics: &mut [Diagnostic]) -> Option<String> {
    let text = Some(program).filter(|program| !text_is_too_large(program)).map(text::print)?;
    let parsed = text::parse(&text).ok()?;
    for diagnostic in diagnostics {
        diagnostic.locate(&parsed.source_map);
    }
    Some(text)
}

/// What a run has met.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    errors: usize,
    unreadable: usize,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.errors += report.findings.len();
        if report.findings.is_empty() {
            self.valid += 1;
        } else {
            self.invalid += 1;
        }
    }

    fn outcome(&self) -> Outcome {
        match self {
            Tally { unreadable: 1.., .. } => Outcome::Failure,
            Tally { invalid: 1.., .. } => Outcome::Findings,
            Tally { .. } => Outcome::Clean,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { valid, invalid, errors, unreadable } = self;
        write!(f, "{}: {valid} valid", counted(valid + invalid + unreadable, "file"))?;
        if *invalid > 0 {
            write!(f, ", {invalid} invalid ({})", counted(*errors, "error"))?;
        }
        if *unreadable > 0 {
            write!(f, ", {unreadable} unreadable")?;
        }
        Ok(())
    }
}
