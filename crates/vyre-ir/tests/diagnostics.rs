//! The collection of diagnostics: an error that renders code frames, of texts and of built programs.

use std::error::Error;

use vyre_ir::build::{ProgramBuilder, local_id};
use vyre_ir::render::Snippets;
use vyre_ir::{
    BinOp, BufferDecl, DataType, Diagnostics, Event, Expr, Node, OpTable, Program, ProgramLocation, Rule, Traversal,
    text, validate,
};

fn invalid(program: &Program) -> Diagnostics {
    validate(program, &OpTable::default()).map(|_| ()).expect_err("the program is invalid")
}

#[test]
fn diagnostics_are_errors_that_a_question_mark_passes_on() {
    fn check(source: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let parsed = text::parse(source)?;
        let ops = OpTable::default();
        parsed.validate(&ops)?;
        validate(&parsed.program, &ops)?;
        Ok(())
    }
    assert!(check("workgroup_size 1; entry { }").is_ok());
    let error = check("workgroup_size 1; entry { let x = y; }").expect_err("the variable is not declared");
    assert!(error.downcast_ref::<Diagnostics>().is_some_and(|list| list[0].rule == Rule::V006));
}

#[test]
fn every_diagnostic_is_rendered_with_frame_help_and_related_location() {
    let source = "\
workgroup_size 64, 1, 1;
buffer data: read u32 @0;

entry {
    data[0] = indx;
    let index = 1;
    if local_id.x < 4 { barrier; }
}
";
    let parsed = text::parse(source).expect("parses");
    let errors = parsed.validate(&OpTable::default()).map(|_| ()).expect_err("is invalid");
    let expected = "\
error[V005]: vyre IR validation: store to non-writable buffer `data`. Fix: declare it with BufferAccess::ReadWrite or \
BufferAccess::Workgroup.
  --> 5:5
   |
 5 |     data[0] = indx;
   |     ^^^^^^^^^^^^^^^
   = help: in the text format: `buffer data: read_write u32 @0;`
   = note: declared here: 2:1
   |
 2 | buffer data: read u32 @0;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^

error[V006]: vyre IR validation: reference to undeclared variable `indx`. Fix: add `let indx = ...;` before this use.
  --> 5:15
   |
 5 |     data[0] = indx;
   |               ^^^^

error[V010]: vyre IR validation: barrier may be reached by only part of a workgroup. Fix: move the barrier to uniform \
control flow.
  --> 7:25
   |
 7 |     if local_id.x < 4 { barrier; }
   |                         ^^^^^^^^
   = note: this condition may differ between invocations: 7:8";
    assert_eq!(errors.to_string(), expected);
    assert_eq!(format!("{errors:?}"), expected, "`main` and `expect` print errors with `Debug`");
    assert!(errors.in_file("p.vyre").to_string().contains("--> p.vyre:5:5\n"));
}

#[test]
fn built_programs_are_rendered_as_they_would_be_printed() {
    let mut p = ProgramBuilder::new([64, 1, 1]);
    let data = p.read("data", DataType::U32);
    let out = p.output("out", DataType::U32);
    let program = p.entry(|b| {
        b.if_(local_id(0).lt(4u32), |b| {
            b.store(&out, 0u32, data.load(0u32));
            b.barrier();
        });
        b.store(&out, 1u32, Expr::var("missing"));
    });
    let expected = "\
error[V010]: vyre IR validation: barrier may be reached by only part of a workgroup. Fix: move the barrier to uniform \
control flow.
  --> entry[0].then[1]
   |
 9 |         barrier;
   |         ^^^^^^^^
   = note: this condition may differ between invocations: entry[0].cond
   |
 7 |     if local_id.x < 4 {
   |        ^^^^^^^^^^^^^^

error[V006]: vyre IR validation: reference to undeclared variable `missing`. Fix: add `let missing = ...;` before this \
use.
   --> entry[1].value
    |
 11 |     out[1] = missing;
    |              ^^^^^^^";
    assert_eq!(invalid(&program).to_string(), expected);
}

#[test]
fn declarations_of_built_programs_have_frames() {
    let buffers = vec![BufferDecl::read("a", 0, DataType::U32), BufferDecl::read("a", 1, DataType::U32)];
    let program = Program::new(buffers, [1, 0, 1], Vec::new());
    let expected = "\
error[V003]: vyre IR validation: workgroup_size[1] is 0. Fix: all workgroup dimensions must be >= 1.
  --> workgroup_size[1]
   |
 1 | workgroup_size 1, 0, 1;
   |                   ^

error[V001]: vyre IR validation: duplicate buffer name `a`. Fix: each buffer must have a unique name.
  --> buffers[1]
   |
 4 | buffer a: read u32 @1;
   | ^^^^^^^^^^^^^^^^^^^^^^
   = note: first declared here: buffers[0]
   |
 3 | buffer a: read u32 @0;
   | ^^^^^^^^^^^^^^^^^^^^^^";
    assert_eq!(invalid(&program).to_string(), expected);
}

/// The frame of every statement and expression is that of the printed program.
#[test]
fn excerpts_agree_with_the_printed_program() {
    let texts = [
        "workgroup_size 4, 2, 1; entry { }",
        "workgroup_size 1; entry { return; { { barrier; } } { } }",
        "workgroup_size 1; buffer `a b`: read u32 @0; buffer o: read_write u32 @1 output; entry {
            let x = `a b`[0] + 1 * 2;
            if x == 1 { o[x] = -x; } else if x == 2 { } else if x > 3 { return; } else { x = select(x, 1, 2); { x = 4; } }
            if x { } else { if x { } else { } }
            if x { } else { if x { x = 1; } o[0] = 2; }
            for i in 0..min(x, 4) { for j in i..x { if j { break; } } }
            if x { if x { if x { barrier; } } else { x = 5; } }
            o[1] = atomic_add(o[2], vec2u32(1, x).y as u32);
        }",
    ];
    for source in texts {
        let program = text::parse(source).unwrap_or_else(|error| panic!("{error}")).program;
        let printed = text::print(&program);
        let source_map = text::parse(&printed).expect("printed programs parse").source_map;
        let index = vyre_ir::source::LineIndex::new(&printed);
        let mut locations: Vec<_> = (0..3).map(ProgramLocation::WorkgroupSize).collect();
        locations.extend((0..program.buffers.len()).map(ProgramLocation::Buffer));
        let nodes = Traversal::new(&program).filter(|event| matches!(event, Event::Expr(_) | Event::Statement(_)));
        let count = u32::try_from(nodes.count()).expect("a short program");
        locations.extend((0..count).map(ProgramLocation::Node));
        let snippets = Snippets::of_program(&program, locations.iter().copied());
        let mut frames = snippets.frames();
        for &location in &locations {
            let span = match location {
                ProgramLocation::WorkgroupSize(_) => continue,
                ProgramLocation::Buffer(position) => source_map.buffer(position),
                ProgramLocation::Node(ordinal) => source_map.span(ordinal),
            };
            let expected = span.map(|span| index.frame(span));
            assert_eq!(frames.frame(Some(location), None), expected, "{location:?} of\n{printed}");
        }
    }
}

/// A report on a large program keeps the statements with diagnostics, and no more.
#[test]
fn reports_on_large_programs_are_short() {
    let mut entry: Vec<Node> = (0..30_000).map(|_| Node::store("out", 0u32, 1u32)).collect();
    entry.push(Node::store("out", 0u32, Expr::var("missing")));
    let buffers = vec![BufferDecl::read_write("out", 0, DataType::U32)];
    let errors = invalid(&Program::new(buffers, [1; 3], entry));
    assert!(errors.to_string().contains("\n 30006 |     out[0] = missing;\n"), "{errors}");
}

/// The text of this statement would take gigabytes: a long name is a few bytes in a tree.
#[test]
fn statements_with_enormous_texts_have_no_frame() {
    let name = vyre_ir::Name::from("n".repeat(1 << 20));
    let chain =
        (0..4_000).fold(Expr::Var(name.clone()), |chain, _| Expr::binary(BinOp::Add, Expr::Var(name.clone()), chain));
    let errors = invalid(&Program::new(Vec::new(), [1; 3], vec![Node::Let { name: "x".into(), value: chain }]));
    let rendered = errors.to_string();
    assert_eq!(errors[0].rule, Rule::V051);
    assert!(rendered.len() < 4_000 && !rendered.contains(" | "), "{} bytes", rendered.len());
}

#[test]
fn names_cannot_control_the_terminal() {
    let program = Program::new(Vec::new(), [1; 3], vec![Node::assign("\u{1b}[31m", 1u32)]);
    let rendered = invalid(&program).to_string();
    assert!(!rendered.contains('\u{1b}') && rendered.contains("\\u{1b}[31m"), "{rendered}");
}

/// Buffers are no nodes, so that no limit on programs bounds the diagnostics of declarations.
#[test]
fn diagnostics_beyond_the_maximum_are_counted() {
    const BUFFERS: usize = 30_000;
    let buffers = (0..BUFFERS).map(|_| BufferDecl::read_write("b", 0, DataType::U32)).collect();
    let errors = invalid(&Program::new(buffers, [1; 3], Vec::new()));
    // All buffers but the first have the name and the slot of another one.
    assert_eq!((errors.len(), errors.omitted()), (10_000, 2 * (BUFFERS - 1) - 10_000));
    assert!(errors.to_string().ends_with("\n\n49998 more errors"));
    let few = (0..5_001).map(|_| BufferDecl::read_write("b", 0, DataType::U32)).collect();
    let errors = invalid(&Program::new(few, [1; 3], Vec::new()));
    assert_eq!((errors.len(), errors.omitted()), (10_000, 0));
    assert!(!errors.to_string().contains("more error"));
}

/// A diagnostic that another one makes superfluous is not counted, kept or not.
#[test]
fn retracted_diagnostics_are_not_counted() {
    let errors = |statements: usize| {
        let statement = "let _ = (v + v) * (v + v);\n";
        let source = format!("workgroup_size 1; entry {{ let v = 1i32; {} }}", statement.repeat(statements));
        let parsed = text::parse(&source).expect("parses");
        parsed.validate(&OpTable::default()).map(|_| ()).expect_err("the types are wrong")
    };
    let of_one = errors(1).len();
    for statements in [10, 4_000, 7_000, 10_000] {
        let errors = errors(statements);
        assert_eq!(errors.len() + errors.omitted(), of_one * statements, "{statements} statements");
    }
}
