//! Programs agree with their host references, and both with the documented meanings.

use vyre_ops::{Op, Value, find, ops};

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

/// Results that follow from the specification by hand.
const DOCUMENTED: &[(&str, &[u32], u32)] = &[
    ("bitwise.and", &[0b1100, 0b1010], 0b1000),
    ("bitwise.or", &[0b1100, 0b1010], 0b1110),
    ("bitwise.xor", &[0b1100, 0b1010], 0b0110),
    ("bitwise.not", &[0xffff_0000], 0x0000_ffff),
    ("bitwise.shl", &[1, 31], 0x8000_0000),
    ("bitwise.shl", &[3, 33], 6),
    ("bitwise.shr", &[0x8000_0000, 31], 1),
    ("bitwise.shr", &[6, 33], 3),
    ("bitwise.rotl", &[0x8000_0001, 4], 0x18),
    ("bitwise.rotl", &[0x1234_5678, 32], 0x1234_5678),
    ("bitwise.rotr", &[0x8000_0001, 4], 0x1800_0000),
    ("bitwise.rotr", &[0x1234_5678, 0], 0x1234_5678),
    ("bitwise.popcount", &[u32::MAX], 32),
    ("bitwise.clz", &[0], 32),
    ("bitwise.clz", &[1], 31),
    ("bitwise.ctz", &[0], 32),
    ("bitwise.ctz", &[0x8000_0000], 31),
    ("bitwise.reverse_bits", &[1], 0x8000_0000),
    // Offset 8, count 12.
    ("bitwise.extract_bits", &[0x1234_5678, 12 << 5 | 8], 0x456),
    // Offset 24, count 31: only 8 bits are left.
    ("bitwise.extract_bits", &[0x1234_5678, 31 << 5 | 24], 0x12),
    // A count of 0; bits from 10 on are ignored.
    ("bitwise.extract_bits", &[u32::MAX, 4], 0),
    ("bitwise.extract_bits", &[0x1234_5678, 0xffff_fc00 | 8 << 5], 0x78),
    // Offset 8, count 12, new bits 0xabc.
    ("bitwise.insert_bits", &[0xabc << 10 | 12 << 5 | 8, 0x1234_5678], 0x123a_bc78),
    // New bits beyond the count and beyond bit 31 are dropped.
    ("bitwise.insert_bits", &[0xfff << 10 | 4 << 5 | 8, 0], 0xf00),
    ("bitwise.insert_bits", &[0x3 << 10 | 2 << 5 | 31, 0], 0x8000_0000),
    // A count of 0; a count beyond the 22 new bits.
    ("bitwise.insert_bits", &[0xffff_fc00, 0x1234_5678], 0x1234_5678),
    ("bitwise.insert_bits", &[0xffff_fc00 | 31 << 5, u32::MAX], 0x803f_ffff),
    ("math.add", &[u32::MAX, 2], 1),
    ("math.sub", &[1, 2], u32::MAX),
    ("math.mul", &[0x1_0001, 0x1_0001], 0x0002_0001),
    ("math.div", &[7, 2], 3),
    ("math.div", &[7, 0], 0),
    ("math.mod", &[7, 4], 3),
    ("math.mod", &[7, 0], 0),
    ("math.min", &[u32::MAX, 1], 1),
    ("math.max", &[u32::MAX, 1], u32::MAX),
    // From 0x10 to 0x20 | 0x10.
    ("math.clamp", &[5, 0x0020_0010], 0x10),
    ("math.clamp", &[0x25, 0x0020_0010], 0x25),
    ("math.clamp", &[0x99, 0x0020_0010], 0x30),
    ("math.abs", &[0xffff_ffff], 1),
    ("math.abs", &[0x8000_0000], 0x8000_0000),
    ("math.abs", &[0x7fff_ffff], 0x7fff_ffff),
    ("math.negate", &[1], u32::MAX),
    ("math.negate", &[0x8000_0000], 0x8000_0000),
    ("math.abs_diff", &[1, u32::MAX], 0xffff_fffe),
    ("compare.eq", &[4, 4], 1),
    ("compare.ne", &[4, 4], 0),
    ("compare.lt", &[1, 0x8000_0000], 1),
    ("compare.gt", &[1, 0x8000_0000], 0),
    ("compare.le", &[4, 4], 1),
    ("compare.ge", &[3, 4], 0),
    ("compare.select", &[7, 0x8000_0000], 7),
    ("compare.select", &[7, 0], 0),
    ("compare.logical_not", &[0], 1),
    ("compare.logical_not", &[9], 0),
];

#[test]
fn documented_results() {
    for &(name, arguments, expected) in DOCUMENTED {
        let op = find(&format!("primitive.{name}")).unwrap_or_else(|| panic!("no op {name}"));
        assert_eq!(reference(op, arguments), expected, "reference of {name} on {arguments:x?}");
        assert_eq!(evaluate(&op.program(), arguments), Ok(expected), "program of {name} on {arguments:x?}");
    }
    for op in ops().iter().filter(|op| op.reference.is_some()) {
        let has_example = DOCUMENTED.iter().any(|(name, _, _)| op.id.ends_with(&format!(".{name}")));
        assert!(has_example, "{} has no documented result", op.id);
    }
}
