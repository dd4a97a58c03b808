//! `vyre conform repeat`: runs failing programs again.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use vyre::conform::corpus::op_texts;
use vyre::conform::{RunFailure, Subject, check_file, corpus_ops};
use vyre::ir::{OpSpec, OpTable};
use vyre::runtime::{Device, RunOptions};

use super::Tested;
use super::failures::OPS;
use super::show::read_text;
use crate::args::conform::RepeatArgs;
use crate::exit::Outcome;
use crate::interrupt::end_on_interrupt;
use crate::output::{STDOUT, counted, plain_stdout, print_error, visible};

pub(super) fn run(args: &RepeatArgs) -> anyhow::Result<Outcome> {
    end_on_interrupt()?;
    let programs: Vec<&PathBuf> = args.files.iter().filter(|file| !has_ops(file)).collect();
    if programs.is_empty() {
        bail!("no file has a program; the ops of NAME.vyre are in NAME.{OPS}");
    }
    let tested = Tested::open(&args.device)?;
    let variants = tested.variants()?;
    let mut out = plain_stdout();
    let mut outcome = Outcome::Clean;
    for file in programs {
        let found = repeat(file, &tested, &variants, &mut out).unwrap_or_else(|error| {
            // The lines about the files before must not follow the error. What cannot be written now fails at the end too.
            let _ = out.flush();
            print_error(&error);
            Outcome::Failure
        });
        outcome.worsen(found);
    }
    out.flush().context(STDOUT)?;
    Ok(outcome)
}

/// Reports whether a file has the ops of the program beside it.
fn has_ops(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&format!(".{OPS}")))
}

/// Runs the program of a file. Fails if the file is wrong.
fn repeat(file: &Path, tested: &Tested, variants: &[Subject], out: &mut impl Write) -> anyhow::Result<Outcome> {
    let name = visible(&file.to_string_lossy()).into_owned();
    let source = read_text(file, "failing program")?;
    let ops = ops_of(file)?;
    let check = |device: &dyn Device| check_file(&source, &ops, device, &RunOptions::default());
    let mut failed = Vec::new();
    let runs = match check(&*tested.device) {
        Ok(runs) => runs,
        Err(failure) if is_of_file(&failure) => return Err(anyhow!("{name}: {}", shown(&failure.to_string()))),
        Err(failure) => {
            failed.push(failure.to_string());
            0
        }
    };
    // A failure of the suite may be one of another configuration of the backend.
    for Subject { name, device } in variants {
        failed.extend(check(&**device).err().map(|failure| format!("{name}: {failure}")));
    }
    if failed.is_empty() {
        writeln!(out, "{name}: {} with the expected results", counted(runs, "run")).context(STDOUT)?;
        return Ok(Outcome::Clean);
    }
    for failure in &failed {
        writeln!(out, "{name}: {}", shown(failure)).context(STDOUT)?;
    }
    Ok(Outcome::Findings)
}

/// Reports whether a failure is one of the file, and not of the device.
fn is_of_file(failure: &RunFailure) -> bool {
    !matches!(failure, RunFailure::Device(_) | RunFailure::Mismatch { .. } | RunFailure::Race(_))
}

fn shown(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// Ops of a program: those of the file beside it, and those of the library that the file does not replace.
fn ops_of(file: &Path) -> anyhow::Result<OpTable> {
    let library = vyre::ops::table();
    let beside = file.with_extension(OPS);
    if !beside.is_file() {
        return Ok(library);
    }
    let name = visible(&beside.to_string_lossy()).into_owned();
    let read = || -> anyhow::Result<OpTable> {
        let own = corpus_ops::table_of(op_texts(&read_text(&beside, "file of ops")?)?)?;
        let others = library.iter().filter(|op| own.get(&op.id).is_none());
        let ops: Vec<OpSpec> = own.iter().chain(others).cloned().collect();
        Ok(OpTable::new(ops)?)
    };
    read().with_context(|| format!("cannot read {name}"))
}
