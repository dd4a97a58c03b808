//! Limits while a program is read: the diagnostics of validation, without the tree.

use vyre_ir::text::{ErrorKind, ParseError, ParseOptions, parse, parse_with};
use vyre_ir::wire::{WireErrorKind, from_wire_within, to_wire};
use vyre_ir::{DEFAULT_MAX_NODE_COUNT, Diagnostic, OpTable, Rule, SizeLimits, validate};

fn limited(source: &str, limits: SizeLimits) -> Result<(), Vec<ParseError>> {
    let options = ParseOptions::default().with_limits(limits);
    parse_with(source, &options).map(|_| ()).map_err(|errors| errors.into_iter().collect())
}

/// The diagnostic of a program that exceeds a limit.
fn excess(source: &str, limits: SizeLimits) -> Diagnostic {
    let errors = limited(source, limits).expect_err("beyond a limit");
    match &errors[..] {
        [ParseError { kind: ErrorKind::LimitExceeded(diagnostic), .. }] => (**diagnostic).clone(),
        other => panic!("{other:?}"),
    }
}

fn program(entry: &str) -> String {
    format!("workgroup_size 1; buffer b: read_write u32 @0; entry {{\n{entry}\n}}\n")
}

/// Programs that exceed a limit of validation by their own nodes.
fn large_programs() -> Vec<String> {
    vec![
        program(&"barrier;\n".repeat(100_001)),
        program(&"b[1] = 2 + 3;\n".repeat(30_000)),
        program(&"let _ = b[b[b[0]]];\n".repeat(30_000)),
        program(&"if true { b[0] = 1; } else { b[1] = 1; }\n".repeat(20_000)),
        program(&"for i in 0..4 { b[i] = i; }\n".repeat(20_000)),
        program(&format!("let x = {}1;", "~".repeat(150_000))),
        program(&format!("let x = 1{};", " + 1".repeat(60_000))),
        program(&format!("{}{}", "{".repeat(100_001), "}".repeat(100_001))),
        program(&format!("{}{}", "{".repeat(65), "}".repeat(65))),
        program(&format!("{} return; {}", "if true {".repeat(70), "}".repeat(70))),
        program(&format!("{}{}", "for i in 0..2 {".repeat(80), "}".repeat(80))),
        program(&format!("if true {{ }} {} return; }}", "else if true { }".repeat(70) + " else {")),
    ]
}

#[test]
fn readers_report_what_validation_reports() {
    let ops = OpTable::default();
    for source in large_programs() {
        let parsed = parse(&source).expect("parses");
        let expected = parsed.validate(&ops).map(|_| ()).expect_err("beyond a limit").into_iter().next().expect("one");
        assert!(matches!(expected.rule, Rule::V018 | Rule::V019), "{expected}");
        let found = excess(&source, SizeLimits::of_validation());
        assert_eq!(found.message(), expected.message());
        assert_eq!((&found.path, found.location), (&expected.path, expected.location));
        assert_eq!(found.span.map(|span| span.start), expected.span.map(|span| span.start));

        let wire = from_wire_within(&to_wire(&parsed.program), &SizeLimits::of_validation());
        let mut without_span = found;
        without_span.span = None;
        let kind = wire.map(|_| ()).expect_err("beyond a limit").kind;
        assert_eq!(kind, WireErrorKind::LimitExceeded(Box::new(without_span)));
    }
}

/// A statement of more than twice as many nodes as the limit allows is not read to its end.
#[test]
fn the_statement_is_the_location_if_it_is_far_beyond_the_limit() {
    let source = program(&format!("barrier;\nlet x = {}1;", "~".repeat(1_000_000)));
    let found = excess(&source, SizeLimits::of_validation());
    assert_eq!((found.rule, found.path.as_str()), (Rule::V019, "entry[1]"));
    let expected = "vyre IR validation: V019: program has more than 100000 statement nodes. Fix: split the program into \
                    smaller kernels or run an optimization pass before lowering.";
    assert_eq!(found.message(), expected);
    assert_eq!(found.span.map(|span| span.start as usize), source.find("let x"));
}

#[test]
fn exactly_the_limit_passes() {
    let max = usize::try_from(DEFAULT_MAX_NODE_COUNT).expect("fits");
    let source = program(&"barrier;".repeat(max));
    assert!(limited(&source, SizeLimits::of_validation()).is_ok());
    assert!(validate(&parse(&source).expect("parses").program, &OpTable::default()).is_ok());
    let nested = program(&format!("{}{}", "{".repeat(64), "}".repeat(64)));
    assert!(limited(&nested, SizeLimits::of_validation()).is_ok());
}

#[test]
fn parentheses_are_no_nodes() {
    let source = program(&format!("let x = {}1{};", "(".repeat(300_000), ")".repeat(300_000)));
    assert!(limited(&source, SizeLimits::of_validation()).is_ok());
    let apart = program(&format!("let x = {}1{};", "( ".repeat(300_000), ") ".repeat(300_000)));
    assert!(limited(&apart, SizeLimits::of_validation()).is_ok());
}

#[test]
fn the_message_of_nesting_names_the_greatest_depth() {
    let nested = |depth: usize| format!("{}{}", "{".repeat(depth), "}".repeat(depth));
    let source = program(&format!("{} barrier; {} barrier; {}", nested(5), nested(9), nested(7)));
    let limits = SizeLimits::default().with_max_nesting(Some(4));
    let found = excess(&source, limits);
    assert_eq!(found.problem, "V018: program nesting depth 9 exceeds max 4");
    assert_eq!(found.path, "entry[0].block[0].block[0].block[0].block[0]");
}

#[test]
fn syntax_errors_before_the_limit_come_first_and_later_text_is_not_read() {
    let limits = SizeLimits::of_validation();
    let before = program(&format!("x += 1;\n{}", "barrier;\n".repeat(100_001)));
    let errors = limited(&before, limits).expect_err("an error");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind, ErrorKind::NotInLanguage("+=".to_owned()));
    let after = program(&format!("{}x += 1;", "barrier;\n".repeat(100_001)));
    assert_eq!(excess(&after, limits).rule, Rule::V019);
    let unclosed = format!("workgroup_size 1; entry {}", "{".repeat(200_000));
    assert_eq!(excess(&unclosed, limits).rule, Rule::V019);
}

#[test]
fn a_wire_file_of_one_byte_repeated_is_refused() {
    for byte in [0x07, 0x22, 0x08] {
        let mut bytes = b"VIR0\x01\x00\x00\x01\x01\x01".to_vec();
        bytes.extend(std::iter::repeat_n(byte, 1_000_000));
        let error = from_wire_within(&bytes, &SizeLimits::of_validation()).map(|_| ()).expect_err("too large");
        let WireErrorKind::LimitExceeded(diagnostic) = error.kind else { panic!("{error}") };
        assert_eq!(diagnostic.rule, Rule::V019);
    }
}
