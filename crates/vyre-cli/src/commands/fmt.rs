//! `vyre fmt`: rewrites text programs in canonical form.

use std::fs;
use std::io::Write;

use anyhow::{Context as _, bail};
use vyre::ir::convert::{ConvertError, text_to_text, text_to_wire};

use super::diff::write_diff;
use crate::args::FmtArgs;
use crate::exit::Outcome;
use crate::input::{Form, Input, MAX_BYTES, expand};
use crate::load::{decode, syntax_report};
use crate::output::{counted, plain_stdout, print_error, print_note, styled_stderr, styled_stdout, visible};
use crate::report::{Report, write_human};
use crate::write::write_file;

pub(crate) fn run(args: FmtArgs) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Clean;
    let mut tally = Tally::default();
    for input in expand(&args.files, &["vyre"]) {
        match input.and_then(|input| format_one(&input, args.check)) {
            Ok(Change::None) => tally.unchanged += 1,
            Ok(Change::Written) => tally.changed += 1,
            Ok(Change::Needed) => {
                tally.changed += 1;
                outcome.worsen(Outcome::Findings);
            }
            Ok(Change::Streamed) => {}
            Ok(Change::NotAProgram) => {
                tally.failed += 1;
                outcome.worsen(Outcome::Failure);
            }
            Err(error) => {
                tally.failed += 1;
                outcome.worsen(Outcome::Failure);
                print_error(&error);
            }
        }
    }
    if !args.quiet && !tally.is_empty() {
        print_note(&tally.to_string(args.check));
    }
    Ok(outcome)
}

/// Result of formatting an input.
enum Change {
    /// The input is in canonical form.
    None,
    /// The file was rewritten.
    Written,
    /// The file is not in canonical form; the change was reported.
    Needed,
    /// The canonical form was written to standard output.
    Streamed,
    /// The input is not a program; the error was reported.
    NotAProgram,
}

fn format_one(input: &Input, only_check: bool) -> anyhow::Result<Change> {
    let name = input.name();
    let bytes = input.read()?;
    if Form::of(&bytes) == Form::Wire {
        bail!("{} is in wire form, which has no layout; see its text with `vyre convert`", visible(&name));
    }
    let not_a_program = |report: &Report| -> anyhow::Result<Change> {
        let mut out = styled_stderr();
        write_human(&mut out, report, usize::MAX).and_then(|()| out.flush())?;
        Ok(Change::NotAProgram)
    };
    let source = match decode(&name, bytes) {
        Ok(source) => source,
        Err(report) => return not_a_program(&report),
    };
    let formatted = match text_to_text(&source, MAX_BYTES) {
        Ok(formatted) => formatted,
        Err(ConvertError::Syntax(errors)) => return not_a_program(&syntax_report(&name, source, errors)),
        Err(_) => bail!("{} would, once formatted, take more than 32 MiB", visible(&name)),
    };
    // Guards against formatter bugs: the formatted text must parse to the same program. The encoding of a program is
    // unique.
    if text_to_wire(&formatted) != text_to_wire(&source) {
        bail!("formatting would change what {} means, so it was left as it is; please report this", visible(&name));
    }
    let changes = formatted != source;
    match input {
        _ if only_check && changes => {
            let mut out = styled_stdout();
            write_diff(&mut out, &name, &source, &formatted).and_then(|()| out.flush()).context(STDOUT)?;
            Ok(Change::Needed)
        }
        Input::File(path) if changes => {
            if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
                bail!("{} is no ordinary file; format it with `vyre fmt -`", visible(&name));
            }
            write_file(path, formatted.as_bytes())?;
            Ok(Change::Written)
        }
        Input::Stdin if !only_check => {
            let mut out = plain_stdout();
            out.write_all(formatted.as_bytes()).and_then(|()| out.flush()).context(STDOUT)?;
            Ok(Change::Streamed)
        }
        Input::File(_) | Input::Stdin => Ok(Change::None),
    }
}

const STDOUT: &str = "cannot write to standard output";

/// Totals of a run.
#[derive(Default)]
struct Tally {
    changed: usize,
    unchanged: usize,
    failed: usize,
}

impl Tally {
    fn is_empty(&self) -> bool {
        let Tally { changed, unchanged, failed } = self;
        changed + unchanged + failed == 0
    }

    fn to_string(&self, only_check: bool) -> String {
        let Tally { changed, unchanged, failed } = self;
        let verb = if only_check { "would be formatted" } else { "formatted" };
        let mut text =
            format!("{}: {changed} {verb}, {unchanged} unchanged", counted(changed + unchanged + failed, "file"));
        if *failed > 0 {
            text.push_str(&format!(", {failed} failed"));
        }
        text
    }
}
