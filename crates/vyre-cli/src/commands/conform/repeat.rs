//! `vyre conform repeat`: runs failing programs again.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use vyre::conform::corpus::op_texts;
use vyre::conform::{Subject, check_file, corpus_ops, variants};
use vyre::ir::OpTable;
use vyre::runtime::{Device, RunOptions};

use super::Tested;
use super::failures::OPS;
use crate::args::conform::RepeatArgs;
use crate::exit::Outcome;
use crate::interrupt::end_on_interrupt;
use crate::output::{STDOUT, counted, plain_stdout, visible};

pub(super) fn run(args: &RepeatArgs) -> anyhow::Result<Outcome> {
    end_on_interrupt()?;
    let tested = Tested::open(&args.device)?;
    let variants = variants(tested.backend, tested.index);
    let mut out = plain_stdout();
    let mut outcome = Outcome::Clean;
    for file in &args.files {
        let name = visible(&file.to_string_lossy()).into_owned();
        let source = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
        let ops = ops_of(file)?;
        let check = |device: &dyn Device| check_file(&source, &ops, device, &RunOptions::default());
        let mut failed = Vec::new();
        let runs = check(&*tested.device).unwrap_or_else(|failure| {
            failed.push(failure.to_string());
            0
        });
        // A failure of the suite may be one of another configuration of the backend.
        for Subject { name, device } in &variants {
            failed.extend(check(&**device).err().map(|failure| format!("{name}: {failure}")));
        }
        if failed.is_empty() {
            writeln!(out, "{name}: {} with the expected results", counted(runs, "run")).context(STDOUT)?;
        }
        for failure in &failed {
            outcome.worsen(Outcome::Findings);
            let shown = failure.lines().map(visible).collect::<Vec<_>>().join("\n");
            writeln!(out, "{name}: {shown}").context(STDOUT)?;
        }
    }
    out.flush().context(STDOUT)?;
    Ok(outcome)
}

/// Ops of a program: those of the file beside it, or the library.
fn ops_of(file: &Path) -> anyhow::Result<OpTable> {
    let beside = file.with_extension(OPS);
    let name = visible(&beside.to_string_lossy()).into_owned();
    if !beside.is_file() {
        return Ok(vyre::ops::table());
    }
    let text = fs::read_to_string(&beside).with_context(|| format!("cannot read {name}"))?;
    let texts = op_texts(&text).with_context(|| format!("cannot read {name}"))?;
    corpus_ops::table_of(texts).with_context(|| format!("cannot read {name}"))
}
