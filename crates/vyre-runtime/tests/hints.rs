//! Suggestions of diagnostics: a program with the suggested code computes the mathematical result of the operation.

use vyre_ir::{BinOp, DataType, OpTable, UnOp, text};
use vyre_runtime::{
    Bindings, Buffer, CommandList, Device, PipelineOptions, ReferenceDevice, RunOptions, words as to_words,
};

const TYPES: [DataType; 6] =
    [DataType::U32, DataType::I32, DataType::Bool, DataType::U64, DataType::Vec2U32, DataType::Vec4U32];

/// Words with edge values of signed and unsigned numbers, and small ones.
const WORDS: [u32; 14] =
    [0, 1, 2, 3, 5, 31, 32, 33, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff];

/// Number of words of a value.
fn width(ty: DataType) -> usize {
    ty.components().max(1) as usize
}

/// Values of a type: edge values in every word.
fn values(ty: DataType) -> Vec<Vec<u32>> {
    match ty {
        DataType::Bool => vec![vec![0], vec![1]],
        DataType::U32 | DataType::I32 => WORDS.iter().map(|&word| vec![word]).collect(),
        DataType::U64 => {
            let highs = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
            WORDS.iter().flat_map(|&low| highs.map(|high| vec![low, high])).collect()
        }
        _ => (0..WORDS.len())
            .map(|at| (0..width(ty)).map(|lane| WORDS[(at + 5 * lane) % WORDS.len()]).collect())
            .collect(),
    }
}

/// The suggestion of the first diagnostic of a body.
fn help(buffers: &str, body: &str) -> Option<String> {
    let source = format!("workgroup_size 1; {buffers} entry {{ {body} }}");
    let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let errors = parsed.validate(&OpTable::default()).map(|_| ()).expect_err(body);
    errors[0].help.clone()
}

/// Statements and value that a suggestion contains, if it contains code to copy.
fn suggested_code(help: &str) -> Option<(String, String)> {
    let (_, code) = help.split_once("write ")?;
    let pieces: Vec<&str> = code.split('`').skip(1).step_by(2).collect();
    let (value, statements) = pieces.split_last()?;
    assert!(statements.iter().all(|statement| statement.ends_with(';')), "{help}");
    Some((statements.join(" "), (*value).to_owned()))
}

/// Runs `statements` and stores `value` for every pair of operands. Returns the words of each result.
fn run(buffers: &str, before: &str, code: &(String, String), a: &[Vec<u32>], b: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let (statements, value) = code;
    let device = ReferenceDevice::new();
    let ops = OpTable::default();
    let valid_type = TYPES.into_iter().find_map(|ty| {
        let source = format!(
            "workgroup_size 1; {buffers} buffer out: read_write {ty} @2; \
             entry {{ let i = workgroup_id.x; {before} {statements} out[i] = {value}; }}"
        );
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        parsed.validate(&ops).is_ok().then_some((ty, parsed))
    });
    let (ty, parsed) = valid_type.unwrap_or_else(|| panic!("`{statements} {value}` is not valid"));
    let valid = parsed.validate(&ops).expect("is valid");
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("a pipeline");
    let count = a.len();
    let upload = |values: &[Vec<u32>]| -> Buffer {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let buffer = device.create_buffer(bytes.len() as u64).expect("memory");
        device.write(&buffer, 0, &bytes).expect("it fits");
        buffer
    };
    let out = device.create_buffer((count * width(ty) * 4) as u64).expect("memory");
    let mut bindings = Bindings::new().with(0, &upload(a)).with(2, &out);
    if buffers.contains("@1") {
        bindings = bindings.with(1, &upload(b));
    }
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &bindings, [u32::try_from(count).expect("few cases"), 1, 1]);
    device.run(&commands, &RunOptions::default()).expect("it runs");
    let found = to_words(&device.read(&out).expect("it is read"));
    found.chunks(width(ty)).map(<[u32]>::to_vec).collect()
}

/// Value of the words of a number.
fn number(ty: DataType, words: &[u32]) -> i128 {
    match ty {
        DataType::I32 => i128::from(words[0].cast_signed()),
        DataType::U64 => i128::from(words[0]) | i128::from(words[1]) << 32,
        _ => i128::from(words[0]),
    }
}

/// Result of an operator on numbers. A division by 0 gives 0, and shift amounts are taken modulo 32.
fn result(op: BinOp, a: i128, b: i128) -> i128 {
    let amount = b.rem_euclid(32);
    match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div => a.checked_div(b).unwrap_or(0),
        BinOp::Mod => a.checked_rem(b).unwrap_or(0),
        BinOp::BitAnd => a & b,
        BinOp::BitOr => a | b,
        BinOp::BitXor => a ^ b,
        BinOp::Shl => a << amount,
        BinOp::Shr => a >> amount,
        BinOp::Eq => i128::from(a == b),
        BinOp::Ne => i128::from(a != b),
        BinOp::Lt => i128::from(a < b),
        BinOp::Gt => i128::from(a > b),
        BinOp::Le => i128::from(a <= b),
        BinOp::Ge => i128::from(a >= b),
        BinOp::And => i128::from(a != 0 && b != 0),
        BinOp::Or => i128::from(a != 0 || b != 0),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::AbsDiff => (a - b).abs(),
        BinOp::MulHi => (a * b) >> 32,
    }
}

/// Low words of a number.
fn low_words(number: i128, count: usize) -> Vec<u32> {
    (0..count).map(|word| (number >> (32 * word)) as u32).collect()
}

/// Words that the operator gives on these types.
fn expected(op: BinOp, (left, a): (DataType, &[u32]), (right, b): (DataType, &[u32]), words: usize) -> Vec<u32> {
    let is_vector = |ty| matches!(ty, DataType::Vec2U32 | DataType::Vec4U32);
    if !is_vector(left) && !is_vector(right) {
        return low_words(result(op, number(left, a), number(right, b)), words);
    }
    if !is_vector(left) && matches!(op, BinOp::Shl | BinOp::Shr) {
        return low_words(result(op, number(left, a), i128::from(b[0])), words);
    }
    let count = width(left).max(width(right));
    let lane = |words: &[u32], lane: usize| i128::from(words[lane % words.len()]);
    let lanes: Vec<u32> = (0..count).map(|at| low_words(result(op, lane(a, at), lane(b, at)), 1)[0]).collect();
    match op {
        BinOp::Eq => vec![u32::from(lanes.iter().all(|&lane| lane == 1))],
        BinOp::Ne => vec![u32::from(lanes.contains(&1))],
        _ => lanes,
    }
}

fn operation(op: BinOp, a: &str, b: &str) -> String {
    match op {
        BinOp::Min | BinOp::Max | BinOp::AbsDiff | BinOp::MulHi => format!("{}({a}, {b})", op.text()),
        _ => format!("{a} {} {b}", op.text()),
    }
}

/// Operations for which no suggestion has code, because it would be wrong or long.
fn has_no_code(op: BinOp, left: DataType, right: DataType) -> bool {
    use DataType::{I32, U32, U64};
    let order = matches!(op, BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::And | BinOp::Or);
    match (left, right) {
        (U32, _) if matches!(op, BinOp::Shl | BinOp::Shr) => false,
        (I32, U32) if matches!(op, BinOp::Shl | BinOp::Shr) => false,
        (I32, U32) | (U32, I32) => !matches!(
            op,
            BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::BitAnd
                | BinOp::BitOr
                | BinOp::BitXor
                | BinOp::And
                | BinOp::Or
        ),
        (U64, U64 | U32) | (U32, U64) => {
            matches!(op, BinOp::Div | BinOp::Mod | BinOp::Shl | BinOp::Shr | BinOp::AbsDiff | BinOp::MulHi)
        }
        (DataType::Vec2U32 | DataType::Vec4U32, right) if right == U32 || right == left => order,
        (U32, DataType::Vec2U32 | DataType::Vec4U32) => order,
        (left, right) => {
            !(left == right || [left, right] == [DataType::Bool, U32] || [left, right] == [U32, DataType::Bool])
        }
    }
}

#[test]
fn suggested_operations_have_the_mathematical_result() {
    let (mut with_code, mut without) = (0, 0);
    for &op in BinOp::ALL {
        for (left, right) in TYPES.into_iter().flat_map(|left| TYPES.map(|right| (left, right))) {
            if (left, right) == (DataType::U32, DataType::U32) {
                continue;
            }
            let buffers = format!("buffer a: read {left} @0; buffer b: read {right} @1;");
            let operands = "let p = a[i]; let q = b[i];";
            let context = format!("{left} {} {right}", op.text());
            let body = format!("let i = workgroup_id.x; {operands} let r = {};", operation(op, "p", "q"));
            let help = help(&buffers, &body).unwrap_or_else(|| panic!("{context}: no suggestion"));
            let code = suggested_code(&help);
            assert_eq!(code.is_none(), has_no_code(op, left, right), "{context}: {help}");
            let Some(code) = code else {
                without += 1;
                continue;
            };
            with_code += 1;
            let (lefts, rights) = (values(left), values(right));
            let pairs = lefts.iter().flat_map(|a| rights.iter().map(move |b| (a.clone(), b.clone())));
            let (a, b): (Vec<_>, Vec<_>) = pairs.unzip();
            let found = run(&buffers, operands, &code, &a, &b);
            for ((a, b), found) in a.iter().zip(&b).zip(found) {
                let expected = expected(op, (left, a), (right, b), found.len());
                assert_eq!(found, expected, "{context} of {a:x?} and {b:x?}: {help}");
            }
        }
    }
    println!("{with_code} suggestions with code, {without} without");
    assert!(with_code > 100 && without > 100, "{with_code} {without}");
}

/// A `u32` literal that an `i32` can hold stands for a signed number.
#[test]
fn comparisons_with_literals_are_signed() {
    let buffers = "buffer a: read i32 @0;";
    let operands = "let p = a[i];";
    for &op in BinOp::ALL {
        for literal in [0, 1, 5, 31, 0x7fff_ffff_u32] {
            for literal_is_left in [false, true] {
                let literal_text = literal.to_string();
                let [a, b] = if literal_is_left { [literal_text.as_str(), "p"] } else { ["p", literal_text.as_str()] };
                let body = format!("let i = workgroup_id.x; {operands} let r = {};", operation(op, a, b));
                let help = help(buffers, &body).unwrap_or_else(|| panic!("{body}: no suggestion"));
                let code = suggested_code(&help).unwrap_or_else(|| panic!("{body}: {help}"));
                let values = values(DataType::I32);
                let found = run(buffers, operands, &code, &values, &[]);
                for (value, found) in values.iter().zip(found) {
                    let number = i128::from(value[0].cast_signed());
                    let literal = i128::from(literal);
                    let [a, b] = if literal_is_left { [literal, number] } else { [number, literal] };
                    // A shifted literal is a `u32`, whose bits are the same.
                    assert_eq!(found, low_words(result(op, a, b), found.len()), "{body} of {value:x?}: {help}");
                }
            }
        }
    }
}

#[test]
fn suggested_unary_operations_have_the_mathematical_result() {
    for &op in UnOp::ALL {
        for ty in TYPES.into_iter().filter(|&ty| ty != DataType::U32) {
            let buffers = format!("buffer a: read {ty} @0;");
            let operands = "let p = a[i];";
            let operation = match op {
                UnOp::Negate | UnOp::BitNot | UnOp::LogicalNot => format!("{}p", op.text()),
                _ => format!("{}(p)", op.text()),
            };
            let body = format!("let i = workgroup_id.x; {operands} let r = {operation};");
            let help = help(&buffers, &body).unwrap_or_else(|| panic!("{body}: no suggestion"));
            let code = suggested_code(&help).unwrap_or_else(|| panic!("{body}: {help}"));
            let values = values(ty);
            let found = run(&buffers, operands, &code, &values, &[]);
            for (value, found) in values.iter().zip(found) {
                let of_word = |word: u32| match op {
                    UnOp::Negate => word.wrapping_neg(),
                    UnOp::BitNot => !word,
                    UnOp::LogicalNot => u32::from(word == 0),
                    UnOp::Popcount => word.count_ones(),
                    UnOp::Clz => word.leading_zeros(),
                    UnOp::Ctz => word.trailing_zeros(),
                    UnOp::ReverseBits => word.reverse_bits(),
                };
                let expected = match ty {
                    DataType::U64 => {
                        let number = u64::from(value[0]) | u64::from(value[1]) << 32;
                        let wide = |number: u64| vec![number as u32, (number >> 32) as u32];
                        match op {
                            UnOp::Negate => wide(number.wrapping_neg()),
                            UnOp::BitNot => wide(!number),
                            UnOp::LogicalNot => vec![u32::from(number == 0)],
                            UnOp::Popcount => vec![number.count_ones()],
                            UnOp::Clz => vec![number.leading_zeros()],
                            UnOp::Ctz => vec![number.trailing_zeros()],
                            UnOp::ReverseBits => wide(number.reverse_bits()),
                        }
                    }
                    DataType::Bool if op == UnOp::BitNot => vec![value[0] ^ 1],
                    _ => value.iter().map(|&word| of_word(word)).collect(),
                };
                assert_eq!(found, expected, "{operation} of a `{ty}` {value:x?}: {help}");
            }
        }
    }
}

#[test]
fn suggested_conditions_are_true_unless_the_value_is_zero() {
    for ty in [DataType::I32, DataType::U64, DataType::Vec2U32, DataType::Vec4U32] {
        let buffers = format!("buffer a: read {ty} @0;");
        let help = help(&buffers, "let p = a[0]; if p { }").expect("a suggestion");
        assert_eq!(help, "`... as bool` is true unless the value is 0");
        let values = values(ty);
        let code = (String::new(), "(p as bool) as u32".to_owned());
        for (value, found) in values.iter().zip(run(&buffers, "let p = a[i];", &code, &values, &[])) {
            assert_eq!(found, [u32::from(value.iter().any(|&word| word != 0))], "{ty} {value:x?}");
        }
    }
}

#[test]
fn clamp_is_written_with_min_and_max() {
    let buffers = "buffer a: read u32 @0;";
    let help = help(buffers, "let r = clamp(a[0], 2, 5);").expect("a suggestion");
    assert_eq!(help, "write `min(max(a, b), c)`");
    let values = values(DataType::U32);
    let code = (String::new(), "min(max(p, 2), 5)".to_owned());
    for (value, found) in values.iter().zip(run(buffers, "let p = a[i];", &code, &values, &[])) {
        assert_eq!(found, [value[0].clamp(2, 5)]);
    }
}
