//! Spans of instructions, pruned branches, and errors.

use crate::flow::{FlowModule, Op};
use crate::lang::{LowerError, LowerOptions};

use super::{lower, module};

/// Source texts of the instructions that a test selects.
fn texts<'t>(module: &FlowModule, text: &'t str, select: impl Fn(&Op) -> bool) -> Vec<&'t str> {
    let selected = module.instructions.iter().filter(|instruction| select(&instruction.op));
    selected.map(|instruction| &text[instruction.span.start as usize..instruction.span.end as usize]).collect()
}

#[test]
fn spans_of_expressions() {
    let text = "function f(a, { b }, ...c) { return g.h(a.i, `x${b}`)(c); }";
    let module = module(text);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::Parameter(_))), ["a", "{ b }"]);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::RestParameter(_))), ["...c"]);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::LoadField(..))), ["b", "g.h", "a.i"]);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::Concat(_))), ["`x${b}`"]);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::Call(_))), ["g.h(a.i, `x${b}`)", "g.h(a.i, `x${b}`)(c)"]);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::Return(_))), ["g.h(a.i, `x${b}`)(c)"]);
}

#[test]
fn spans_are_bytes() {
    let text = "use('é…', x.y);";
    let module = module(text);
    assert_eq!(texts(&module, text, |op| matches!(op, Op::LoadField(..))), ["x.y"]);
}

#[test]
fn pruned_branches() {
    let text = "const D = false; if (D) { a(); } else b(); D && c(); for (; D;) d(); use(D ? e : f);";
    let module = module(text);
    let pruned: Vec<&str> = module.pruned.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    assert_eq!(pruned, ["{ a(); }", "c()", "d();", "e"]);
    let calls = texts(&module, text, |op| matches!(op, Op::Call(_)));
    assert_eq!(calls, ["b()", "use(D ? e : f)"]);
}

#[test]
fn dialects() {
    for (path, text) in [
        ("a.js", "return 1"),
        ("a.js", "with (a) b; var let = 1; x = 010"),
        ("a.js", "<a/>; await b"),
        ("a.js", "function f(a: string): void {}"),
        ("a.ts", "const x = <T>y; let z: A<B> = w as any;"),
        ("a.d.ts", "declare module 'x' { export function f(): void; }"),
        ("a", "#!/usr/bin/env node\nuse(1)"),
        ("a.cjs", "\u{feff}'use strict'; module.exports = 1"),
    ] {
        assert!(lower(path, text, &LowerOptions::default()).is_ok(), "{path}: {text}");
    }
    let error = lower("a.js", "ok();\nfunction (", &LowerOptions::default());
    assert!(matches!(error, Err(LowerError::Syntax { line: 2, .. })));
}
