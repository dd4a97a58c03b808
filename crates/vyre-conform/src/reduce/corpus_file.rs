//! Output of a case as a file of `tests/corpus/run`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use vyre_ir::{BufferAccess, BufferDecl, Name, text};
use vyre_runtime::words;

use super::fresh_names::replace_names;
use super::normalize_names::{rename_bound, rename_ops};
use super::shrink_ops::called;
use crate::Case;

/// Corpus files that reproduce a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusFiles {
    /// The program, with the run and its expectations. The headline is missing and must be added.
    pub program: String,
    /// A file for `tests/corpus/run/ops` with the ops that the program calls, if any. Ids must be unique across all files of
    /// that directory.
    pub ops: Option<String>,
}

/// Maximum width of a line of contents.
const MAX_WIDTH: usize = 120;

/// Writes a case as a file of `tests/corpus/run`, and the ops that it calls as a file of ops.
///
/// Buffers and ops whose names cannot stand in comments are renamed. Expectations of read-only buffers are omitted if the
/// program writes another buffer. The corpus requires an expectation for each run, so it rejects the file of a program that
/// binds no buffer.
#[must_use]
pub fn corpus_file(case: &Case, expected: &BTreeMap<Name, Vec<u8>>) -> CorpusFiles {
    // Expectations are renamed as contents are.
    let names: Vec<&Name> = case.program.buffers.iter().map(|buffer| &buffer.name).collect();
    let names =
        replace_names(&names, "b", &|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != '='));
    let outcome = Case { contents: expected.clone(), ..case.clone() };
    let expected = rename_bound(&outcome, &names).contents;
    let case = rename_ops(&rename_bound(case, &names));

    let mut out = String::new();
    let [x, y, z] = case.grid;
    let _ = match (y, z) {
        (1, 1) => writeln!(out, "// run: grid {x}"),
        _ => writeln!(out, "// run: grid {x},{y},{z}"),
    };
    let bound = || case.program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup);
    for decl in bound() {
        let bytes = case.contents.get(&decl.name).map(Vec::as_slice).unwrap_or_default();
        push_contents(&mut out, "in", decl, bytes);
    }
    let with_expectation = || bound().filter_map(|decl| Some((decl, expected.get(&decl.name)?)));
    let any_written = with_expectation().any(|(decl, _)| decl.access.is_writable());
    for (decl, bytes) in with_expectation().filter(|(decl, _)| decl.access.is_writable() || !any_written) {
        push_contents(&mut out, "expect", decl, bytes);
    }
    out.push_str(&text::print(&case.program));
    CorpusFiles { program: out, ops: ops_file(&case) }
}

fn ops_file(case: &Case) -> Option<String> {
    let called = called(case);
    let mut out = String::new();
    for op in case.ops.iter().filter(|op| called.contains(&op.id)) {
        let separator = if out.is_empty() { "" } else { "\n" };
        let word = if op.inlinable { "" } else { " not-inlinable" };
        let _ = write!(out, "{separator}// op: {}{word}\n{}", op.id, text::print(&op.program));
    }
    (!out.is_empty()).then_some(out)
}

/// Appends a line `// in name = contents`, with continuation lines.
fn push_contents(out: &mut String, directive: &str, decl: &BufferDecl, bytes: &[u8]) {
    let start = format!("// {directive} {} = ", decl.name);
    let size = decl.element.element_bytes();
    if bytes.is_empty() {
        let _ = writeln!(out, "{start}empty");
    } else if bytes.iter().all(|&byte| byte == 0) && bytes.len().is_multiple_of(size) {
        let _ = writeln!(out, "{start}zeros: {}", bytes.len() / size);
    } else if bytes.len().is_multiple_of(4) {
        push_list(out, format!("{start}u32: "), &words(bytes));
    } else {
        let numbers: Vec<u32> = bytes.iter().map(|&byte| u32::from(byte)).collect();
        push_list(out, format!("{start}bytes: "), &numbers);
    }
}

/// Appends a list of numbers to its first line. Runs of three or more equal values are compressed.
fn push_list(out: &mut String, start: String, numbers: &[u32]) {
    let mut line = start;
    let mut is_first = true;
    for run in numbers.chunk_by(|a, b| a == b) {
        let number = if run[0] < 10_000 { run[0].to_string() } else { format!("{:#x}", run[0]) };
        let (item, times) = if run.len() < 3 { (number, run.len()) } else { (format!("{number}*{}", run.len()), 1) };
        for _ in 0..times {
            if is_first {
                line.push_str(&item);
            } else if line.len() + ", ".len() + item.len() > MAX_WIDTH {
                let _ = writeln!(out, "{line}");
                line = format!("//     : {item}");
            } else {
                let _ = write!(line, ", {item}");
            }
            is_first = false;
        }
    }
    let _ = writeln!(out, "{line}");
}
