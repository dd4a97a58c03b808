//! Programs agree with their host references, and both agree with the examples.

use vyre_ops::{Example, Op, Value, ops};

use crate::evaluator::evaluate;
use crate::samples::{CORNERS, Words};

const RANDOM_INPUTS: usize = 10_000;

fn reference(op: &Op, arguments: &[u32]) -> u32 {
    let values: Vec<Value> = arguments.iter().copied().map(Value::U32).collect();
    match op.call(&values) {
        Ok(Value::U32(result)) => result,
        other => panic!("{} on {arguments:x?}: {other:?}", op.id),
    }
}

fn inputs(arity: usize) -> Vec<Vec<u32>> {
    let mut inputs: Vec<Vec<u32>> = match arity {
        1 => CORNERS.iter().map(|&a| vec![a]).collect(),
        2 => CORNERS.iter().flat_map(|&a| CORNERS.iter().map(move |&b| vec![a, b])).collect(),
        _ => panic!("no primitive has {arity} inputs"),
    };
    let mut words = Words::new(0x0b5);
    inputs.extend((0..RANDOM_INPUTS).map(|_| (0..arity).map(|_| words.word()).collect()));
    inputs
}

#[test]
fn programs_agree_with_references() {
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        let inputs = inputs(op.inputs.len());
        for variant in op.programs() {
            let program = variant.program();
            for arguments in &inputs {
                let result = evaluate(&program, arguments);
                assert_eq!(result, Ok(reference(op, arguments)), "{} ({}) on {arguments:x?}", op.id, variant.name);
            }
        }
    }
}

/// Every op on words has examples that follow from the specification by hand, and both its reference and its program agree with
/// them.
#[test]
fn references_and_programs_agree_with_the_examples() {
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        assert!(!op.examples.is_empty(), "{} has no examples", op.id);
        for &Example { arguments, result } in op.examples {
            assert_eq!(reference(op, arguments), result, "reference of {} on {arguments:x?}", op.id);
            assert_eq!(evaluate(&op.program(), arguments), Ok(result), "program of {} on {arguments:x?}", op.id);
        }
    }
}
