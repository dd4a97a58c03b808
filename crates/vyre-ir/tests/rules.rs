//! Documentation of the rules: examples break their rule, texts are the permanent ones, and the page is up to date.

use std::fmt::Write as _;
use std::path::Path;

use vyre_ir::{
    DataType, Diagnostic, Expr, Node, OpSignature, OpSpec, OpTable, Program, Rule, UnOp, ValidProgram, text,
};

/// Ops that the examples call.
fn example_ops() -> OpTable {
    let unary = || OpSignature { inputs: vec![DataType::U32], output: DataType::U32 };
    let parse = |body: &str| {
        let source = format!(
            "workgroup_size 1; buffer x: read u32 @0; buffer result: read_write u32 @1 output; entry {{ {body} }}"
        );
        text::parse(&source).unwrap_or_else(|error| panic!("{error}")).program
    };
    let op =
        |id: &str, inlinable, program| OpSpec { id: id.into(), version: 1, signature: unary(), inlinable, program };
    let mut large = parse("");
    let chain = (0..59_996).fold(Expr::load("x", 0u32), |chain, _| Expr::unary(UnOp::BitNot, chain));
    large.entry.push(Node::store("result", 0u32, chain));
    OpTable::new([
        op("example.double", true, parse("result[0] = x[0] * 2;")),
        op("example.sort", false, parse("result[0] = x[0];")),
        op("example.forever", true, parse("result[0] = example.forever(x[0]);")),
        op("example.counter", true, parse("result[0] = atomic_add(result[0], x[0]);")),
        op("example.large", true, large),
    ])
    .expect("ids are unique")
}

fn diagnose(program: &Program, ops: &OpTable) -> Vec<Diagnostic> {
    vyre_ir::validate(program, ops).map(|_: ValidProgram<'_>| ()).err().unwrap_or_default().into_vec()
}

fn diagnose_text(source: &str, ops: &OpTable) -> Vec<Diagnostic> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    diagnose(&parsed.program, ops)
}

/// A rule of the table has documentation, examples, and cases in the corpus.
#[test]
fn every_rule_is_documented_and_has_corpus_cases() {
    for &rule in Rule::ALL {
        let info = rule.info();
        for text in [info.title, info.checks, info.why, info.breaks, info.passes] {
            assert!(!text.trim().is_empty(), "{rule}: {info:?}");
        }
        assert!(!info.messages.is_empty(), "{rule} documents no message");
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/validate").join(rule.code());
        let names = std::fs::read_dir(&cases).unwrap_or_else(|error| panic!("{}: {error}", cases.display()));
        let names: Vec<_> = names.map(|entry| entry.expect("a readable entry").file_name()).collect();
        for kind in ["pass_", "fail_"] {
            assert!(names.iter().any(|name| name.to_string_lossy().starts_with(kind)), "{rule} has no {kind} case");
        }
    }
}

#[test]
fn examples_break_their_rule_and_no_other() {
    let ops = example_ops();
    for &rule in Rule::ALL {
        let broken = diagnose_text(rule.info().breaks, &ops);
        assert_eq!(broken.iter().map(|it| it.rule).collect::<Vec<_>>(), [rule], "{}", rule.info().breaks);
        let fine = diagnose_text(rule.info().passes, &ops);
        assert!(fine.is_empty(), "{rule}: {}", fine[0]);
    }
}

/// True if a text matches a template with placeholders in angle brackets.
fn fits(template: &str, text: &str) -> bool {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('<') {
        // An operator such as `>= 1` is not a placeholder.
        let Some((_, after)) = after.split_once('>') else { break };
        parts.push(before);
        rest = after;
    }
    parts.push(rest);
    let Some(mut text) = text.strip_prefix(parts[0]) else { return false };
    for part in &parts[1..] {
        match text.find(part) {
            Some(at) if !part.is_empty() || at == 0 => text = &text[at + part.len()..],
            _ => return false,
        }
    }
    text.is_empty() || rest.is_empty()
}

#[test]
fn diagnostics_have_a_documented_text() {
    let ops = example_ops();
    for &rule in Rule::ALL {
        for diagnostic in diagnose_text(rule.info().breaks, &ops) {
            let message = diagnostic.message();
            let text = message.strip_prefix("vyre IR validation: ").unwrap_or_else(|| panic!("{message}"));
            let templates = rule.info().messages;
            assert!(templates.iter().any(|template| fits(template, text)), "{rule}: {text}\n{templates:?}");
        }
    }
}

/// The exact texts of V001 to V025.
#[test]
fn permanent_texts() {
    let buffers = "buffer r: read u32 @0; buffer w: read_write u32 @1; buffer i: read_write i32 @2; \
                   buffer raw: read bytes @3; buffer tile: workgroup u32[4];";
    let entry = |body: &str| format!("workgroup_size 64; {buffers} entry {{ {body} }}");
    let declared = |more: &str| format!("workgroup_size 64; {buffers} {more} entry {{ }}");
    let cases = [
        (declared("buffer r: read u32 @9;"), "duplicate buffer name `r`. Fix: each buffer must have a unique name."),
        (
            declared("buffer s: read u32 @1;"),
            "duplicate binding slot 1 (buffer `s`). Fix: each buffer must have a unique binding.",
        ),
        (
            "workgroup_size 1, 0, 1; entry { }".to_owned(),
            "workgroup_size[1] is 0. Fix: all workgroup dimensions must be >= 1.",
        ),
        (entry("let x = q[0];"), "load from unknown buffer `q`. Fix: declare it in Program::buffers."),
        (entry("let x = len(q);"), "buflen of unknown buffer `q`. Fix: declare it in Program::buffers."),
        (entry("let x = atomic_add(q[0], 1);"), "atomic on unknown buffer `q`. Fix: declare it in Program::buffers."),
        (entry("q[0] = 1;"), "store to unknown buffer `q`. Fix: declare it in Program::buffers."),
        (
            entry("r[0] = 1;"),
            "store to non-writable buffer `r`. Fix: declare it with BufferAccess::ReadWrite or \
             BufferAccess::Workgroup.",
        ),
        (entry("let x = y;"), "reference to undeclared variable `y`. Fix: add `let y = ...;` before this use."),
        (entry("y = 1;"), "assignment to undeclared variable `y`. Fix: add `let y = ...;` before this assignment."),
        (entry("let x = local_id.3;"), "invocation/workgroup ID axis 3 out of range. Fix: use 0 (x), 1 (y), or 2 (z)."),
        (
            entry("let x = 1; let x = 2;"),
            "duplicate local binding `x`. Fix: choose a unique local name; shadowing is not allowed.",
        ),
        (
            entry("let x = atomic_add(r[0], 1);"),
            "atomic on non-writable buffer `r`. Fix: declare it with BufferAccess::ReadWrite.",
        ),
        (
            entry("if local_id.x { barrier; }"),
            "barrier may be reached by only part of a workgroup. Fix: move the barrier to uniform control flow.",
        ),
        (entry("for k in 0..1 { k = 1; }"), "assignment to loop variable `k`. Fix: loop variables are immutable."),
        (
            entry("let x = u64(1, 2) as vec4u32;"),
            "unsupported cast from `u64` to `vec4u32`. Fix: see casts.md for valid conversions.",
        ),
        (
            entry("let x = raw[0];"),
            "operation on buffer `raw` with element type `bytes` is not supported. Fix: use a typed buffer.",
        ),
        (
            entry("let x = atomic_add(i[0], 1);"),
            "atomic on buffer `i` with non-u32 element type `i32`. Fix: atomics only support U32 elements.",
        ),
        (
            entry("for k in 0..true { }"),
            "loop bound expression must be `u32`, got `bool`. Fix: ensure `from` and `to` are U32.",
        ),
        (
            entry("let x = no.such.op();"),
            "V016: unknown op `no.such.op`. Fix: use a registered op id or add the op to core::ops::*.",
        ),
        (
            entry("let x = example.forever(1);"),
            "V017: call depth exceeds maximum of 32. Fix: reduce call nesting or mutually recursive operations.",
        ),
        (
            format!("workgroup_size 1; entry {{ {} {} }}", "{".repeat(70), "}".repeat(70)),
            "V018: program nesting depth 70 exceeds max 64. Fix: flatten nested If/Loop/Block structures or split \
             the program before lowering.",
        ),
        (
            entry("let x = example.large(example.large(1));"),
            "V019: program has more than 100000 statement nodes. Fix: split the program into smaller kernels or run \
             an optimization pass before lowering.",
        ),
        (
            entry("let x = example.sort(1);"),
            "V020: call to non-inlinable op `example.sort` is rejected by validation. Fix: lower this operation \
             through its dedicated backend path or rewrite the caller with explicit IR.",
        ),
        (
            entry("let x = true + 1;"),
            "binary operation left operand must be `u32`, got `bool`. Fix: cast or rewrite the operand to produce \
             U32.",
        ),
        (
            entry("if 1i32 { }"),
            "if condition must be `u32` or `bool`, got `i32`. Fix: cast or rewrite the condition to produce U32 or \
             Bool.",
        ),
        (
            entry("let x = 1 as bytes;"),
            "V023: cast to Bytes is unsupported in WGSL lowering. Fix: use buffer load/store directly for byte data.",
        ),
        (
            declared("buffer t: workgroup u32[0];"),
            "workgroup buffer `t` has count 0. Fix: declare a positive element count.",
        ),
        (
            entry("let x = atomic_add(tile[0], 1);"),
            "atomic on non-writable buffer `tile`. Fix: declare it with BufferAccess::ReadWrite.",
        ),
        (
            entry("let x = workgroup_atomic_add(r[0], 1);"),
            "workgroup atomic on buffer `r`, which is not workgroup memory. Fix: declare it with BufferAccess::Workgroup.",
        ),
        (
            entry("let x = workgroup_atomic_add(tile[0], 1, 2);"),
            "atomic `workgroup_atomic_add` with an expected value. Fix: remove `expected`; only compare-exchange compares.",
        ),
    ];
    let ops = example_ops();
    for (source, expected) in cases {
        let messages: Vec<_> = diagnose_text(&source, &ops).iter().map(Diagnostic::message).collect();
        assert_eq!(messages, [format!("vyre IR validation: {expected}")], "{source}");
    }
}

fn page() -> String {
    let mut page = String::from(
        "# Validation rules\n\n\
         This page is generated from the rules in `crates/vyre-ir/src/validate/rules`. `UPDATE_DOCS=1 cargo test -p \
         vyre-ir --test rules` regenerates it.\n\n\
         A program runs only if it breaks no rule. Validation reports all independent mistakes. A diagnostic has a \
         code, a location and a message of the form\n\n\
         ```text\nvyre IR validation: <problem>. Fix: <action>.\n```\n\n\
         Codes, meanings and texts are permanent: a new rule gets a new code, and no rule is changed or renumbered. \
         `vyre explain CODE` prints a rule in the terminal.\n\n\
         | Code | Rule |\n|---|---|\n",
    );
    for rule in Rule::ALL {
        let _ = writeln!(page, "| [{rule}](#{}) | {} |", rule.code().to_lowercase(), rule.info().title);
    }
    for rule in Rule::ALL {
        let info = rule.info();
        let _ = write!(page, "\n## {rule}\n\n**{}.** {}\n\nWhy: {}\n", info.title, info.checks, info.why);
        let _ = writeln!(page, "\n```text\n{}\n```", info.messages.join("\n"));
        let _ = writeln!(page, "\nBreaks the rule:\n\n```vyre\n{}```", info.breaks);
        let _ = writeln!(page, "\nDoes not:\n\n```vyre\n{}```", info.passes);
    }
    page
}

#[test]
fn generated_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page()).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page(), "docs/validation.md is out of date; run with UPDATE_DOCS=1");
}

#[test]
fn codes_parse_in_any_case() {
    assert_eq!("v010".parse(), Ok(Rule::V010));
    assert_eq!("V050".parse(), Ok(Rule::V050));
    assert!("V999".parse::<Rule>().is_err_and(|error| error.to_string().contains("V001 to V0")));
}
