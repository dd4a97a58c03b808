//! `vyre ops`: the library of ops.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use serde::Serialize;
use vyre::ir::text;
use vyre::ops::{Law, Op, find, ops};

use super::prose::{indent, section};
use crate::args::{Format, OpsArgs};
use crate::exit::Outcome;
use crate::nearest::nearest;
use crate::output::{STDOUT, STRONG, plain_stdout, styled_stdout, visible};
use crate::report::JsonArray;

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
            version: op.version,
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
    let shown = one.map_or(ops(), std::slice::from_ref);
    match args.format {
        Format::Human => {
            let mut out = styled_stdout();
            let written = match one {
                None => list(&mut out, shown),
                Some(op) => show(&mut out, op),
            };
            written.and_then(|()| out.flush()).context(STDOUT)?;
        }
        Format::Json => {
            let mut array = JsonArray::new(plain_stdout()).context(STDOUT)?;
            for op in shown {
                array.push(&Entry::new(op)).context(STDOUT)?;
            }
            array.finish().context(STDOUT)?;
        }
    }
    Ok(Outcome::Clean)
}

fn list(out: &mut impl Write, ops: &[Op]) -> io::Result<()> {
    let rows: Vec<(&Op, String)> = ops.iter().map(|op| (op, op.signature().to_string())).collect();
    let ids = rows.iter().map(|(op, _)| op.id.len()).max().unwrap_or_default();
    let signatures = rows.iter().map(|(_, signature)| signature.len()).max().unwrap_or_default();
    for (op, signature) in rows {
        let Op { id, version, summary, .. } = op;
        writeln!(out, "{STRONG}{id:ids$}{STRONG:#}  {version}  {signature:signatures$}  {summary}")?;
    }
    Ok(())
}

fn show(out: &mut impl Write, op: &Op) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}{}", op.id, op.signature())?;
    writeln!(out, "\n{}", op.summary)?;
    writeln!(out, "\nVersion {}, {}.", op.version, if op.inlinable { "inlinable" } else { "not inlinable" })?;
    let laws: Vec<String> = op.laws.iter().map(|law| format!("  {law:?}: {}", meaning(law))).collect();
    let laws = if laws.is_empty() { "  none".to_owned() } else { laws.join("\n") };
    section(out, "Laws", &laws)?;
    for variant in op.programs() {
        section(out, &format!("Program: {}", variant.name), &indent(&text::print(&variant.program())))?;
    }
    Ok(())
}

/// What a law says, as an equation; `f` is the op.
fn meaning(law: &Law) -> String {
    let argument = |position: usize| ["a", "b", "c"].get(position).copied().unwrap_or("the argument");
    match *law {
        Law::Commutative => "f(a, b) = f(b, a)".to_owned(),
        Law::Associative => "f(f(a, b), c) = f(a, f(b, c))".to_owned(),
        Law::Idempotent => "f(a, a) = a, or f(f(a)) = f(a) of one argument".to_owned(),
        Law::Involution => "f(f(a)) = a".to_owned(),
        Law::Identity(e) => format!("f(a, {e}) = f({e}, a) = a"),
        Law::LeftIdentity(e) => format!("f({e}, a) = a"),
        Law::RightIdentity(e) => format!("f(a, {e}) = a"),
        Law::Absorbing(z) => format!("f(a, {z}) = f({z}, a) = {z}"),
        Law::LeftAbsorbing(z) => format!("f({z}, a) = {z}"),
        Law::RightAbsorbing(z) => format!("f(a, {z}) = {z}"),
        Law::Diagonal(constant) => format!("f(a, a) = {constant}"),
        Law::LeftProjection => "f(f(a, b), b) = f(a, b)".to_owned(),
        Law::RightProjection => "f(a, f(a, b)) = f(a, b)".to_owned(),
        Law::Bounded { max } => format!("the result is at most {max}"),
        Law::AtMost(position) => format!("the result is at most {}", argument(position)),
        Law::AtLeast(position) => format!("the result is at least {}", argument(position)),
        Law::UndoneBy(id) => format!("g(f(a, b), b) = a, where g is {id}"),
        Law::ConverseOf(id) => format!("f(a, b) = g(b, a), where g is {id}"),
        Law::ComplementOf(id) => format!("f(a, b) is 1 where g(a, b) is 0, and 0 elsewhere, where g is {id}"),
        Law::DistributesOver(id) => format!("f(a, g(b, c)) = g(f(a, b), f(a, c)), where g is {id}"),
        // Laws may be added.
        _ => UNKNOWN_LAW.to_owned(),
    }
}

/// What is said of a law that this file does not know.
const UNKNOWN_LAW: &str = "see the documentation of the library";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_of_the_library_has_an_equation() {
        for op in ops() {
            for law in op.laws {
                assert_ne!(meaning(law), UNKNOWN_LAW, "{}: {law:?}", op.id);
            }
        }
    }
}
