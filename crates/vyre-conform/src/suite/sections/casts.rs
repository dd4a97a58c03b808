//! Cast table: every pair of types.

use vyre_ir::{DataType, OpTable, text};

use crate::suite::context::{Context, Item, Settings};
use crate::suite::samples::{CORNERS, after, bytes, case};
use crate::suite::section::Section;

/// Every cast on corner cases, and the casts that validation rejects.
pub(in crate::suite) struct Casts;

/// Types of values.
const TYPES: [DataType; 6] =
    [DataType::U32, DataType::I32, DataType::Bool, DataType::U64, DataType::Vec2U32, DataType::Vec4U32];

impl Section for Casts {
    fn name(&self) -> &'static str {
        "casts"
    }

    fn about(&self) -> &'static str {
        "The table of casts: every pair of types on corner cases, and the pairs that V012 and V023 reject."
    }

    fn cost(&self, _: &Settings) -> u64 {
        300
    }

    fn run(&self, context: &Context) {
        let mut done = 0;
        for from in TYPES {
            for to in TYPES {
                if context.must_end() {
                    return;
                }
                let item = Item::new(format!("{from} to {to}"));
                if is_rejected(from, to) {
                    check_rejected(context, &item, from, to, "V012");
                } else {
                    check(context, &item, from, to);
                }
                done += 1;
                context.advanced(done, 42);
            }
            check_rejected(context, &Item::new(format!("{from} to bytes")), from, DataType::Bytes, "V023");
        }
    }
}

fn is_rejected(from: DataType, to: DataType) -> bool {
    to == DataType::Vec4U32 && matches!(from, DataType::U64 | DataType::Vec2U32)
}

fn program(from: DataType, to: DataType, stored: DataType) -> String {
    format!(
        "workgroup_size 8;
        buffer input: read {from} @0;
        buffer out: read_write {stored} @1;
        entry {{ let i = invocation_id.x; if i < len(input) {{ out[i] = input[i] as {to}; }} }}"
    )
}

fn check_rejected(context: &Context, item: &Item, from: DataType, to: DataType, rule: &str) {
    let stored = if to == DataType::Bytes { from } else { to };
    let parsed = text::parse(&program(from, to, stored));
    let rules: Vec<String> = match &parsed {
        Ok(parsed) => {
            let rejected = parsed.validate(&OpTable::default()).err();
            rejected.map(|list| list.iter().map(|one| one.rule.to_string()).collect()).unwrap_or_default()
        }
        Err(error) => vec![error.to_string()],
    };
    if rules.iter().any(|found| found == rule) {
        context.passed(item, 1);
    } else {
        context.failed(item, format!("validation does not report {rule}, but {rules:?}"), None);
    }
}

fn check(context: &Context, item: &Item, from: DataType, to: DataType) {
    let lanes = from.element_bytes() / 4;
    // Every corner case in every component, beside others.
    let words: Vec<u32> = (0..CORNERS.len() * lanes * 2)
        .map(|at| {
            let (element, lane) = (at / lanes, at % lanes);
            let word = CORNERS[(element + lane * (1 + element / CORNERS.len() * 7)) % CORNERS.len()];
            // Zeros in all components but one, for `bool`.
            if element >= CORNERS.len() && lane != element % lanes { 0 } else { word }
        })
        .collect();
    let elements = words.len() / lanes;
    let expected: Vec<u32> = words.chunks(lanes).flat_map(|value| cast(from, to, value)).collect();
    let out = vec![0xa5; expected.len() * 4];
    let buffers = [("input", bytes(&words)), ("out", out)];
    let groups = elements.div_ceil(8) as u32;
    let case = case(&program(from, to, to), &OpTable::default(), [groups, 1, 1], buffers);
    let expected = after(&case, [("out", bytes(&expected))]);
    context.judge(item, None, &case, Some(expected));
}

/// The table of casts, on the words of a value in a buffer.
fn cast(from: DataType, to: DataType, value: &[u32]) -> Vec<u32> {
    let any = u32::from(value.iter().any(|&word| word != 0));
    // A `bool` in a buffer is any word.
    let value: &[u32] = if from == DataType::Bool { &[any] } else { value };
    let first = value.first().copied().unwrap_or(0);
    let second = match (from, value.get(1)) {
        (_, Some(&second)) => second,
        (DataType::I32, None) => (first.cast_signed() >> 31).cast_unsigned(),
        (_, None) => 0,
    };
    let is_scalar = value.len() == 1;
    match to {
        DataType::U32 | DataType::I32 => vec![first],
        DataType::Bool => vec![any],
        DataType::U64 => vec![first, second],
        DataType::Vec2U32 if is_scalar => vec![first; 2],
        DataType::Vec2U32 => vec![first, second],
        _ if is_scalar => vec![first; 4],
        _ => value.to_vec(),
    }
}
