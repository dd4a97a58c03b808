//! A host reference rejects arguments that do not match its signature.

use vyre_ir::DataType;
use vyre_ops::{Value, ValueError, ops};

#[test]
fn wrong_number_of_arguments() {
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        let expected = op.inputs.len();
        for found in (0..5).filter(|&found| found != expected) {
            let arguments = vec![Value::U32(1); found];
            assert_eq!(op.call(&arguments), Err(ValueError::ArgumentCount { expected, found }), "{}", op.id);
        }
    }
}

#[test]
fn wrong_type_of_an_argument() {
    let others =
        [Value::I32(1), Value::Bool(true), Value::U64(1), Value::Vec2U32([1, 0]), Value::Vec4U32([1, 0, 0, 0])];
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        for position in 0..op.inputs.len() {
            for other in others {
                let mut arguments = vec![Value::U32(1); op.inputs.len()];
                arguments[position] = other;
                let (expected, found) = (DataType::U32, other.data_type());
                let error = ValueError::ArgumentType { position, expected, found };
                assert_eq!(op.call(&arguments), Err(error), "{}", op.id);
            }
        }
    }
}
