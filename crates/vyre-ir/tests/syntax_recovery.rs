//! Several syntax errors a file: one mistake gives one error, and the parser continues after it.

use vyre_ir::text::{ErrorKind, ParseErrors, ParseOptions, parse, parse_with};

fn errors(source: &str) -> ParseErrors {
    parse(source).map(|parsed| parsed.program).expect_err(source)
}

/// Line of each error.
fn lines(source: &str) -> Vec<u32> {
    errors(source).iter().map(|error| error.location.line).collect()
}

/// Statements with one mistake. None contains a `}` that closes more than the statement.
const MISTAKES: [&str; 66] = [
    "x += 1;",
    "x++;",
    "++x;",
    "x == 1;",
    "a.x = 4;",
    "f(1);",
    "5 = x;",
    "let 5 = x;",
    "let x 5;",
    "let x = ;",
    "let x = 1 +;",
    "let x = (1 + 2;",
    "let x = 1 + 2);",
    "let x = a[1;",
    "let x = min(1);",
    "let x = min(1, 2, 3);",
    "let x = f(1,,2);",
    "let x = f(1 2);",
    "let x = a < b < c;",
    "let x = a ? b : c;",
    "let x = 1.5;",
    "let x = 4294967296;",
    "let x = 1u;",
    "let x = 0xzz;",
    "let x = `abc;",
    "let x = \"abc\";",
    "let x = gr\u{f6}\u{df}e + 1;",
    "let x = a and b;",
    "let x = local_id;",
    "let x = u32;",
    "let x = a as f32;",
    "let x = if a { 1 } else { 2 };",
    "let x = S { a: 1, b: 2 };",
    "let x = atomic_add(a, 1);",
    "let x = arrayLength(&b);",
    "let x: u32 = 1;",
    "let mut x = 1;",
    "let if = 1;",
    "let x = 1",
    "return 5;",
    "barrier();",
    "*p = 1;",
    "u32 x = 1;",
    "int i = 0;",
    "float f = 1;",
    "var x = 1;",
    "const x = 1;",
    "a = b = c;",
    "b[i] += 1;",
    "b[i = 1;",
    "while x { x = 1; }",
    "while (x < 3) { x = x + 1; }",
    "loop { break; }",
    "do { x = 1; } while (x < 3);",
    "for (int i = 0; i < n; i++) { x = 1; }",
    "for i in 0 { }",
    "for i in 0..=4 { }",
    "if x = 1 { x = 2; } else { x = 3; }",
    "if (a) return;",
    "if (a) x = 1; else y = 2;",
    "if a { x = 1; } else x = 2;",
    "if a and b { x = 1; } else if c { x = 2; } else { x = 3; }",
    "switch x { case 1: { y = 2; } default: { } }",
    "struct S { a: u32, b: u32 }",
    "fn f(a: u32) { x = a; }",
    "__syncthreads();",
];

#[test]
fn one_mistake_gives_one_error() {
    for mistake in MISTAKES {
        let found = lines(&format!("workgroup_size 1;\nentry {{\nlet ok = 1;\n{mistake}\nlet fine = 2;\n}}\n"));
        assert_eq!(found, [4], "{mistake}");
    }
}

#[test]
fn every_mistake_of_a_file_is_found() {
    for first in MISTAKES {
        for second in ["x += 1;", "let y = (1 + ;", "while b { y = 1; }"] {
            let source =
                format!("workgroup_size 1;\nentry {{\n{first}\nif a {{\nlet ok = 1;\n{second}\n}}\nlet z = ];\n}}\n");
            assert_eq!(lines(&source), [3, 6, 8], "{source}");
        }
    }
}

#[test]
fn mistakes_in_bodies_of_wrong_heads_are_found() {
    let heads = ["if x = 1", "while x", "for (i = 0; i < 3; i++)", "fn f(x: u32)", "loop", "if a and b", "for i in 3"];
    for head in heads {
        let source = format!("workgroup_size 1;\nentry {{\n{head} {{\nlet ok = 1;\nx += 1;\n}}\ny += 1;\n}}\n");
        assert_eq!(lines(&source), [3, 5, 7], "{source}");
    }
}

#[test]
fn wrong_declarations_hide_no_others() {
    let source = "\
buffer a read u32 @0;
buffer b: u32 @1;
buffer c: read f32 @2;
const N = 4;
struct S { a: u32, b: u32 }
buffer d: read u32;
buffer e: read u32 @3;
workgroup_size x;
entry {
    let a = 1 + ;
}
";
    assert_eq!(lines(source), [1, 2, 3, 4, 5, 6, 8, 10]);
}

#[test]
fn a_program_of_another_language_gets_an_error_for_each_foreign_construct() {
    let source = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i < len(data)) {
        data[i] += 1;
    }
}
";
    assert_eq!(lines(source), [1, 2, 6]);
    let suggestions: Vec<_> = errors(source).into_iter().filter_map(|error| error.suggestion).collect();
    assert_eq!(suggestions[0], "write `buffer b: read_write u32 @0;`");
    assert!(suggestions[1].contains("`workgroup_size 64, 1, 1;`"), "{suggestions:?}");
}

#[test]
fn statements_outside_of_the_entry_are_reported_once() {
    assert_eq!(lines("workgroup_size 1;\nlet a = 1;\na = 2;\nif a { }\nentry {\nx += 1;\n}\n"), [2, 6]);
}

#[test]
fn braces_are_reported_only_without_other_errors() {
    assert_eq!(lines("workgroup_size 1;\nentry {\nif a {\n"), [3]);
    assert_eq!(lines("workgroup_size 1;\nentry {\nx += 1;\nif a {\n"), [3]);
    assert_eq!(lines("workgroup_size 1;\nentry {\n}\n}\n"), [4]);
    assert_eq!(lines("workgroup_size 1;\nentry {\n}\nlet x = 1;\n}\n"), [4]);
}

#[test]
fn a_missing_workgroup_size_hides_no_other_error() {
    assert_eq!(lines("entry {\nx += 1;\n}\n"), [1, 2]);
}

#[test]
fn errors_beyond_the_limit_are_counted() {
    let source = format!("workgroup_size 1; entry {{ {} }}", "x += 1; ".repeat(100));
    let few = parse_with(&source, &ParseOptions::default().with_max_errors(3)).map(|_| ()).expect_err("errors");
    assert_eq!((few.len(), few.omitted()), (3, 97));
    assert!(few.to_string().ends_with("\n\n97 more syntax errors"), "{few}");
    assert_eq!(errors(&source).len(), 20);
}

#[test]
fn all_errors_are_printed_with_their_lines() {
    let printed = errors("workgroup_size 1;\nentry {\n    x += 1;\n    let y = 2 +;\n}\n").to_string();
    let expected = "\
3:7: there is no `+=` in this language
  |
3 |     x += 1;
  |       ^^
help: write the whole assignment: `x = x + ...;`

4:16: expected an expression, found `;`
  |
4 |     let y = 2 +;
  |                ^";
    assert_eq!(printed, expected);
}

#[test]
fn names_beyond_ascii_are_marked_as_a_whole() {
    for name in ["gr\u{f6}\u{df}e", "\u{e4}", "na\u{ef}ve_2", "\u{4f8b}\u{5b50}", "o\u{308}l"] {
        let errors = errors(&format!("workgroup_size 1; entry {{ let {name} = 1; }}"));
        assert_eq!(errors.len(), 1, "{errors}");
        assert_eq!(errors[0].kind, ErrorKind::UnquotedName(name.to_owned()));
        let span = errors[0].span;
        assert_eq!((span.start, span.end), (30, 30 + name.len() as u32));
        let suggestion = errors[0].suggestion.clone().unwrap_or_default();
        assert_eq!(suggestion, format!("write `` `{name}` ``"));
        let quoted = suggestion.trim_start_matches("write `` ").trim_end_matches(" ``");
        assert!(parse(&format!("workgroup_size 1; entry {{ let {quoted} = 1; }}")).is_ok());
    }
}

#[test]
fn white_space_may_separate_an_op_from_its_arguments() {
    let program =
        |call: &str| parse(&format!("workgroup_size 1; entry {{ let x = {call}; }}")).map(|parsed| parsed.program);
    let expected = program("primitive.math.min(1, 2)");
    assert!(expected.is_ok());
    for call in ["primitive.math.min (1, 2)", "primitive.math.min\n(1, 2)", "primitive.math.min // op\n (1, 2)"] {
        assert_eq!(program(call), expected, "{call}");
    }
}

#[test]
fn a_missing_semicolon_of_a_declaration_hides_no_other_error() {
    for (source, expected) in [
        ("workgroup_size 64\nentry {\n x += 1;\n let 2 = y;\n}", &[1, 3, 4][..]),
        ("workgroup_size 64 entry {\n x += 1;\n}", &[1, 2]),
        ("workgroup_size 64\nbuffer a: read u32 @0\nbuffer b: read u32 @1;\nentry {}", &[1, 2]),
        ("workgroup_size 64\nbuffer a: read f32 @0;\nentry {}", &[1, 2]),
        ("workgroup_size 64;\nbuffer a: read u32\nbuffer b: read f32 @1;\nentry {}", &[3, 3]),
        ("workgroup_size 64\nconst N = 4;\nentry {}", &[1, 2]),
        // One mistake.
        ("workgroup_size 64;\nbuffer a: read u32 @0\nouput;\nentry {}", &[2]),
        ("workgroup_size 64;\nbuffer entry: read u32 @0;\nentry {}", &[2]),
        ("workgroup_size 64;\nbuffer buffer: read u32 @0;\nentry {}", &[2]),
        ("workgroup_size 64;\nworkgroup_size 64\nentry {}", &[2]),
        ("workgroup_size 64 }\nentry {}", &[1]),
        ("workgroup_size 64", &[1]),
    ] {
        assert_eq!(lines(source), expected, "{source}");
    }
    let errors = errors("workgroup_size 64\nbuffer a: read u32 @0\nentry {}");
    for error in &errors {
        assert_eq!(error.suggestion.as_deref(), Some("end the declaration with `;`"));
    }
}
