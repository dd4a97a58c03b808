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

/// Runs `statements` and stores `value` for every pair of operands. Returns the words of each result, after a check that
/// the value keeps its meaning as an operand.
fn run(buffers: &str, before: &str, code: &(String, String), a: &[Vec<u32>], b: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let (statements, value) = code;
    let (ty, found) = run_values(buffers, before, statements, std::slice::from_ref(value), a, b);
    let contexts = contexts(ty);
    let pasted: Vec<String> = contexts.iter().map(|(context, _)| context.replace("HINT", value)).collect();
    let (_, results) = run_values(buffers, before, statements, &pasted, a, b);
    for (case, (found, results)) in found.iter().zip(results.chunks(contexts.len())).enumerate() {
        for ((pasted, (_, meaning)), result) in pasted.iter().zip(&contexts).zip(results) {
            let operands = (&a[case], b.get(case));
            assert_eq!(result, &[meaning(found)], "`{pasted}` of {operands:x?}, where `{value}` is {found:x?}");
        }
    }
    found
}

/// An expression with a suggested value as an operand, and its result by the words of the value.
type Context = (&'static str, fn(&[u32]) -> u32);

/// Expressions in which a suggested value of this type is an operand.
fn contexts(ty: DataType) -> Vec<Context> {
    match ty {
        DataType::U32 => vec![
            ("0 && HINT", |_| 0),
            ("HINT && 0", |_| 0),
            ("1 && HINT", |v| u32::from(v[0] != 0)),
            ("1 || HINT", |_| 1),
            ("HINT * 2", |v| v[0].wrapping_mul(2)),
            ("2 * HINT", |v| v[0].wrapping_mul(2)),
            ("5 - HINT", |v| 5_u32.wrapping_sub(v[0])),
            ("HINT == 0", |v| u32::from(v[0] == 0)),
            ("1 ^ HINT", |v| v[0] ^ 1),
            ("HINT & 1", |v| v[0] & 1),
            ("-HINT", |v| v[0].wrapping_neg()),
            ("!HINT", |v| u32::from(v[0] == 0)),
            ("HINT as bool as u32", |v| u32::from(v[0] != 0)),
        ],
        DataType::I32 => vec![
            ("HINT as u32 * 2", |v| v[0].wrapping_mul(2)),
            ("5 - HINT as u32", |v| 5_u32.wrapping_sub(v[0])),
            ("HINT as bool as u32", |v| u32::from(v[0] != 0)),
            ("(HINT as u64).y", |v| (v[0].cast_signed() >> 31).cast_unsigned()),
        ],
        _ => vec![("HINT.x * 2", |v| v[0].wrapping_mul(2)), ("5 - HINT.y", |v| 5_u32.wrapping_sub(v[1]))],
    }
}

/// Runs `statements` and stores each of `values` for every pair of operands. Returns their type and the words of each
/// result.
fn run_values(
    buffers: &str,
    before: &str,
    statements: &str,
    values: &[String],
    a: &[Vec<u32>],
    b: &[Vec<u32>],
) -> (DataType, Vec<Vec<u32>>) {
    let stores: String = (values.iter().enumerate())
        .map(|(position, value)| format!("out[i * {} + {position}] = {value}; ", values.len()))
        .collect();
    let device = ReferenceDevice::new();
    let ops = OpTable::default();
    let valid_type = TYPES.into_iter().find_map(|ty| {
        let source = format!(
            "workgroup_size 1; {buffers} buffer out: read_write {ty} @2; \
             entry {{ let i = workgroup_id.x; {before} {statements} {stores} }}"
        );
        let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
        parsed.validate(&ops).is_ok().then_some((ty, parsed))
    });
    let (ty, parsed) = valid_type.unwrap_or_else(|| panic!("`{statements} {stores}` is not valid"));
    let valid = parsed.validate(&ops).expect("is valid");
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("a pipeline");
    let count = a.len();
    let upload = |values: &[Vec<u32>]| -> Buffer {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let buffer = device.create_buffer(bytes.len() as u64).expect("memory");
        device.write(&buffer, 0, &bytes).expect("it fits");
        buffer
    };
    let out = device.create_buffer((count * values.len() * width(ty) * 4) as u64).expect("memory");
    let mut bindings = Bindings::new().with(0, &upload(a)).with(2, &out);
    if buffers.contains("@1") {
        bindings = bindings.with(1, &upload(b));
    }
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &bindings, [u32::try_from(count).expect("few cases"), 1, 1]);
    device.run(&commands, &RunOptions::default()).expect("it runs");
    let found = to_words(&device.read(&out).expect("it is read"));
    (ty, found.chunks(width(ty)).map(<[u32]>::to_vec).collect())
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
        let code = (String::new(), "((p as bool) as u32)".to_owned());
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

/// The replaced expression is the right operand of `&&`, which binds more tightly than `||`.
#[test]
fn a_suggestion_keeps_its_meaning_in_the_expression_around_it() {
    let buffers = "buffer a: read u64 @0; buffer b: read u64 @1;";
    let operands = "let p = a[i]; let q = b[i]; let f = 0;";
    let cases = [
        ("f && p != q", "p != q", "(p.x != q.x || p.y != q.y)"),
        ("f && p < q", "p < q", "(p.y < q.y || p.y == q.y && p.x < q.x)"),
        ("f * popcount(p)", "popcount(p)", "(popcount(p.x) + popcount(p.y))"),
    ];
    for (whole, part, replacement) in cases {
        let body = format!("let i = workgroup_id.x; {operands} let r = {whole};");
        let help = help(buffers, &body).expect("a suggestion");
        let (statements, value) = suggested_code(&help).expect("code");
        assert_eq!(value, replacement);
        let numbers = values(DataType::U64);
        let pairs = numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a.clone(), b.clone())));
        let (a, b): (Vec<_>, Vec<_>) = pairs.unzip();
        let code = [whole.replace(part, &value)];
        let (_, found) = run_values(buffers, operands, &statements, &code, &a, &b);
        assert!(found.iter().all(|found| found == &[0]), "{help}");
    }
}

/// No component of an amount is dropped.
#[test]
fn a_shift_by_a_vector_is_a_vector() {
    let help = help("buffer v: read vec4u32 @0;", "let r = 2 << v[0];").expect("a suggestion");
    let (_, value) = suggested_code(&help).expect("code");
    assert_eq!(value, "vec4u32(2 << v[0].x, 2 << v[0].y, 2 << v[0].z, 2 << v[0].w)");
}

#[test]
fn absolute_values_of_signed_numbers() {
    let buffers = "buffer a: read i32 @0;";
    let help = help(buffers, "let r = abs(a[0]);").expect("a suggestion");
    let value = help.split('`').rev().nth(1).expect("code");
    assert_eq!(value, "select((a as u32) >> 31, -(a as u32), a as u32)");
    let values = values(DataType::I32);
    let code = (String::new(), value.to_owned());
    for (value, found) in values.iter().zip(run(buffers, "let a = a[i];", &code, &values, &[])) {
        assert_eq!(found, [value[0].cast_signed().unsigned_abs()]);
    }
}

#[test]
fn the_lowest_bit_of_zero_has_a_number() {
    let buffers = "buffer a: read u32 @0;";
    let help = help(buffers, "let r = findLSB(a[0]);").expect("a suggestion");
    let pieces: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
    assert_eq!(pieces, ["ctz(a)", "select(a, ctz(a), 0xffffffff)"]);
    let values = values(DataType::U32);
    for (piece, of_zero) in pieces.into_iter().zip([32, u32::MAX]) {
        let code = (String::new(), piece.to_owned());
        for (value, found) in values.iter().zip(run(buffers, "let a = a[i];", &code, &values, &[])) {
            let expected = if value[0] == 0 { of_zero } else { value[0].trailing_zeros() };
            assert_eq!(found, [expected]);
        }
    }
}
