//! `vyre ops`: the library of ops.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use serde::Serialize;
use vyre::ir::text;
use vyre::ops::{Op, find, ops};

use crate::args::{Format, OpsArgs};
use crate::exit::Outcome;
use crate::nearest::nearest;
use crate::output::{STDOUT, STRONG, columns, plain_stdout, styled_stdout, visible};
use crate::prose::{indent, section, wrap};
use crate::report::JsonArray;
use crate::table::{Cell, ProseTable};

/// An op as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct Entry {
    id: &'static str,
    version: u32,
    inputs: Vec<&'static str>,
    output: &'static str,
    inlinable: bool,
    laws: Vec<String>,
    summary: &'static str,
}

impl Entry {
    fn new(op: &Op) -> Entry {
        Entry {
            id: op.id,
            version: op.version(),
            inputs: op.inputs.iter().map(|input| input.name()).collect(),
            output: op.output.name(),
            inlinable: op.inlinable,
            laws: op.laws.iter().map(|law| format!("{law:?}")).collect(),
            summary: op.summary,
        }
    }
}

pub(crate) fn run(args: OpsArgs) -> anyhow::Result<Outcome> {
    let one = match args.id.as_deref() {
        None => None,
        Some(id) => match find(id) {
            Some(op) => Some(op),
            None => bail!(
                "no op has the id `{}`; the nearest are {}, and `vyre ops` lists all",
                visible(id),
                nearest(id, ops().iter().map(|op| op.id))
            ),
        },
    };
    let selected = one.map_or(ops(), std::slice::from_ref);
    match args.format {
        Format::Human => {
            let mut out = styled_stdout();
            let written = match one {
                None => list(&mut out, selected),
                Some(op) => show(&mut out, op),
            };
            written.and_then(|()| out.flush()).context(STDOUT)?;
        }
        Format::Json => {
            let mut array = JsonArray::new(plain_stdout()).context(STDOUT)?;
            for op in selected {
                array.push(&Entry::new(op)).context(STDOUT)?;
            }
            array.finish().context(STDOUT)?;
        }
    }
    Ok(Outcome::Clean)
}

fn list(out: &mut impl Write, ops: &[Op]) -> io::Result<()> {
    let mut table = ProseTable::new();
    for op in ops {
        let (version, signature) = (op.version().to_string(), op.signature().to_string());
        table.push(vec![
            Cell::styled(op.id, STRONG),
            Cell::plain(version),
            Cell::plain(signature),
            Cell::plain(op.summary),
        ]);
    }
    table.write(out, columns())
}

fn show(out: &mut impl Write, op: &Op) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}{}", op.id, op.signature())?;
    let summary = columns().map_or_else(|| op.summary.to_owned(), |columns| wrap(op.summary, columns, ""));
    writeln!(out, "\n{summary}")?;
    writeln!(out, "\nVersion {}, {}.", op.version(), if op.inlinable { "inlinable" } else { "not inlinable" })?;
    let laws: Vec<String> = op.laws.iter().map(|law| format!("  {law:?}: {law}")).collect();
    let laws = if laws.is_empty() { "  none".to_owned() } else { laws.join("\n") };
    section(out, "Laws", &laws)?;
    for variant in op.programs() {
        section(out, &format!("Program: {}", variant.name), &indent(&text::print(&variant.program())))?;
    }
    Ok(())
}
