//! `vyre check`: validates programs.

use std::io::{self, Write};

use anyhow::Context as _;
use vyre::ir::OpTable;
use vyre::ir::render::Snippets;

use crate::args::{CheckArgs, Format};
use crate::exit::Outcome;
use crate::input::expand;
use crate::load::{invalid, load};
use crate::output::{STDOUT, counted, plain_stdout, print_error, print_note, styled_stdout};
use crate::report::{JsonArray, Report, write_human};

/// Maximum number of blocks for one file in the human format without `--all`.
const MAX_BLOCKS: usize = 50;

pub(crate) fn run(args: CheckArgs) -> anyhow::Result<Outcome> {
    let limit = if args.all { usize::MAX } else { MAX_BLOCKS };
    let tally = match args.format {
        Format::Human => {
            let mut out = styled_stdout();
            // Flushed after each file, so that a long run shows its progress.
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
        print_note(&tally.to_string());
    }
    Ok(tally.outcome())
}

fn check_all(args: &CheckArgs, mut write: impl FnMut(&Report) -> io::Result<()>) -> anyhow::Result<Tally> {
    let ops = vyre::ops::table();
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
                print_error(&error);
            }
        }
    }
    Ok(tally)
}

/// Reports all errors of one input.
fn check(name: &str, bytes: Vec<u8>, ops: &OpTable) -> Report {
    let loaded = match load(name, bytes) {
        Ok(loaded) => loaded,
        Err(report) => return report,
    };
    match loaded.validate(ops) {
        Ok(_) => Report::new(name, Snippets::default(), Vec::new()),
        Err(diagnostics) => invalid(name, diagnostics),
    }
}

/// Totals of a run.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    errors: usize,
    unreadable: usize,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.errors += report.findings.len() + report.omitted;
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
