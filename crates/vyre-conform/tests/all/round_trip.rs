//! Round trips of every program: print and parse, encode and decode, clone and compare.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use proptest::prelude::*;
use vyre_conform::arbitrary::{arb_plausible_program, arb_program, config};
use vyre_conform::program_from_bytes;
use vyre_ir::text::{ParseErrors, Parsed, format, parse, print};
use vyre_ir::wire::{from_wire, to_wire};
use vyre_ir::{Event, Expr, Node, Program, Traversal};

/// A program decoded from fuzzer bytes.
fn byte_program() -> impl Strategy<Value = Program> {
    proptest::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| program_from_bytes(&bytes))
}

fn failed(text: &str, error: &ParseErrors) -> TestCaseError {
    TestCaseError::fail(format!("{error}\n{text}"))
}

fn parsed(text: &str) -> Result<Parsed, TestCaseError> {
    parse(text).map_err(|error| failed(text, &error))
}

fn printed_program_parses_back(program: &Program) -> Result<(), TestCaseError> {
    let text = print(program);
    let again = parsed(&text)?.program;
    prop_assert_eq!(&again, program);
    prop_assert_eq!(print(&again), text);
    Ok(())
}

fn printed_text_is_formatted(program: &Program) -> Result<(), TestCaseError> {
    let text = print(program);
    let formatted = format(&text).map_err(|error| failed(&text, &error))?;
    prop_assert_eq!(formatted, text);
    Ok(())
}

/// Parses an expression.
fn parse_expression(text: &str) -> Result<Expr, TestCaseError> {
    let program = parsed(&format!("workgroup_size 1; entry {{ let _ = {text}; }}"))?.program;
    match &program.entry[..] {
        [Node::Let { value, .. }] => Ok(value.clone()),
        _ => Err(TestCaseError::fail(format!("no expression: {text}"))),
    }
}

fn every_part_has_a_span(program: &Program) -> Result<(), TestCaseError> {
    let text = print(program);
    let source_map = parsed(&text)?.source_map;
    let mut ordinal = 0;
    for event in Traversal::new(program) {
        let part = match event {
            Event::Expr(expr) => Some(expr),
            Event::Statement(_) => None,
            Event::EnterBody(_) | Event::LeaveBody(_) => continue,
        };
        let span = source_map.span(ordinal);
        let spanned = span.and_then(|span| text.get(span.start as usize..span.end as usize));
        let Some(spanned) = spanned else {
            return Err(TestCaseError::fail(format!("no text at {span:?}, ordinal {ordinal}\n{text}")));
        };
        if let Some(leaf) = part.filter(|expr| expr.operand_count() == 0) {
            prop_assert_eq!(&parse_expression(spanned)?, leaf);
        }
        ordinal += 1;
    }
    prop_assert_eq!(source_map.span(ordinal), None);
    for (position, buffer) in program.buffers.iter().enumerate() {
        let span = source_map.buffer(position).unwrap_or_default();
        let declaration = text.get(span.start as usize..span.end as usize).unwrap_or("");
        let alone = parsed(&format!("workgroup_size 1; {declaration} entry {{}}"))?.program;
        prop_assert_eq!(alone.buffers.first(), Some(buffer));
    }
    prop_assert_eq!(source_map.buffer(program.buffers.len()), None);
    Ok(())
}

fn encoded_program_decodes_back(program: &Program) -> Result<(), TestCaseError> {
    let bytes = to_wire(program);
    let decoded = from_wire(&bytes).map_err(|error| TestCaseError::fail(format!("{error}\n{program}")))?;
    prop_assert_eq!(&decoded, program);
    prop_assert_eq!(to_wire(&decoded), bytes);
    Ok(())
}

fn copies_are_equal(program: &Program) -> Result<(), TestCaseError> {
    let copy = program.clone();
    prop_assert_eq!(&copy, program);
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    prop_assert_eq!(hasher.hash_one(&copy), hasher.hash_one(program));
    prop_assert_eq!(format!("{copy:?}"), format!("{program:?}"));
    for event in Traversal::new(program) {
        match event {
            Event::Expr(expr) => {
                prop_assert_eq!(&expr.clone(), expr);
                prop_assert_eq!(hasher.hash_one(expr.clone()), hasher.hash_one(expr));
                prop_assert_eq!(&parse_expression(&format!("{expr:?}"))?, expr);
            }
            Event::Statement(node) => {
                prop_assert_eq!(&node.clone(), node);
                let shown = format!("{node:?}");
                let program = parsed(&format!("workgroup_size 1; entry {{ {shown} }}"))?.program;
                prop_assert_eq!(&program.entry[..], std::slice::from_ref(node));
            }
            Event::EnterBody(_) | Event::LeaveBody(_) => {}
        }
    }
    Ok(())
}

/// Programs are equal if and only if their texts are.
fn texts_tell_programs_apart(left: &Program, right: &Program) -> Result<(), TestCaseError> {
    prop_assert_eq!(left == right, print(left) == print(right));
    prop_assert_eq!(left == right, to_wire(left) == to_wire(right));
    Ok(())
}

/// Checks every property on the programs of a strategy.
macro_rules! hold_for {
    ($programs:ident, $strategy:expr) => {
        mod $programs {
            use super::*;

            proptest! {
                #![proptest_config(config(512))]

                #[test]
                fn printed_program_parses_back(program in $strategy) {
                    super::printed_program_parses_back(&program)?;
                }

                #[test]
                fn printed_text_is_formatted(program in $strategy) {
                    super::printed_text_is_formatted(&program)?;
                }

                #[test]
                fn every_part_has_a_span(program in $strategy) {
                    super::every_part_has_a_span(&program)?;
                }

                #[test]
                fn encoded_program_decodes_back(program in $strategy) {
                    super::encoded_program_decodes_back(&program)?;
                }

                #[test]
                fn copies_are_equal(program in $strategy) {
                    super::copies_are_equal(&program)?;
                }

                #[test]
                fn texts_tell_programs_apart(left in $strategy, right in $strategy) {
                    super::texts_tell_programs_apart(&left, &right)?;
                }
            }
        }
    };
}

hold_for!(any_programs, arb_program());
hold_for!(plausible_programs, arb_plausible_program());
hold_for!(byte_programs, byte_program());
