//! Rewrites of operations on types other than `u32`: suggestions with the same mathematical meaning.
//!
//! All operators take `u32`. A cast alone keeps the meaning of some operations on other types and changes that of
//! others: `as u32` makes -1 the greatest number, and drops the high word of a `u64`. A suggestion here either computes
//! the result that the operator has on the type of its operands, or contains no code to copy.
//!
//! In a suggestion the statements to insert end with `;`, and the expression that replaces the operation comes last. It is
//! in parentheses unless it is a call, so that it keeps its meaning as an operand.

use std::fmt;

use crate::text::print_expr;
use crate::{BinOp, DataType, Expr, UnOp};

/// Sign bit of an `i32`. With this bit inverted, the order of words is the order of signed numbers.
const SIGN: &str = "0x80000000";

/// High word of a `u32` as a `u64`.
const ZERO: &str = "0";

/// Names of components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// An operand with its type, or with the type that it was meant to have.
#[derive(Clone, Copy)]
pub(super) struct TypedExpr<'p> {
    pub(super) ty: Option<DataType>,
    pub(super) expr: &'p Expr,
}

/// Suggestion for an operator on operands that are not both `u32`.
pub(super) fn binary(op: BinOp, left: TypedExpr<'_>, right: TypedExpr<'_>) -> Option<String> {
    let (Some(left_type), Some(right_type)) = (left.ty, right.ty) else {
        return left
            .ty
            .or(right.ty)
            .and_then(loss_of_cast)
            .map(|loss| format!("`{}` takes two `u32`; {loss}", op.text()));
    };
    let a = OperandText::new(left.expr, left_type, "a");
    let b = OperandText::new(right.expr, right_type, "b");
    let rewrite = match (left_type, right_type) {
        (DataType::I32, DataType::I32) => signed(op, &a, &b),
        (DataType::U32, DataType::I32 | DataType::Bool | DataType::U64) if is_shift(op) => {
            Some(shift_amount(op, &a, &b))
        }
        (DataType::I32, DataType::U32) if is_shift(op) || b.is_signed_literal => signed(op, &a, &b),
        (DataType::U32, DataType::I32) if a.is_signed_literal => signed(op, &a, &b),
        (DataType::I32, DataType::U32) | (DataType::U32, DataType::I32) => signed_and_unsigned(op, &a, &b),
        (DataType::Bool | DataType::U32, DataType::Bool | DataType::U32) => {
            Some(Rewrite::new("a `bool` becomes 0 or 1", operation(op, &a.word(), &b.word())))
        }
        (DataType::U64 | DataType::U32, DataType::U64 | DataType::U32) => wide(op, &a, &b),
        _ => vector(op, &a, &b),
    };
    let Some(rewrite) = rewrite else {
        let loss = loss_of_cast(left_type).or_else(|| loss_of_cast(right_type));
        return loss.map(|loss| format!("`{}` takes two `u32`; {loss}", op.text()));
    };
    let placeholders = match (a.is_placeholder, b.is_placeholder) {
        (true, true) => "with `a` and `b` for the operands, ",
        (true, false) => "with `a` for the left operand, ",
        (false, true) => "with `b` for the right operand, ",
        (false, false) => "",
    };
    Some(rewrite.suggestion(placeholders))
}

/// Suggestion for an operator on an operand that is not `u32`.
pub(super) fn unary(op: UnOp, operand: TypedExpr<'_>) -> Option<String> {
    let ty = operand.ty?;
    let a = OperandText::new(operand.expr, ty, "a");
    let applied = |operand: &str| match op {
        UnOp::Negate | UnOp::BitNot | UnOp::LogicalNot => format!("{}{operand}", op.text()),
        UnOp::Popcount | UnOp::Clz | UnOp::Ctz | UnOp::ReverseBits => format!("{}({operand})", op.text()),
    };
    let of_word = match op {
        UnOp::Negate | UnOp::BitNot | UnOp::LogicalNot => applied(&a.word()),
        UnOp::Popcount | UnOp::Clz | UnOp::Ctz | UnOp::ReverseBits => applied(&a.cast()),
    };
    let rewrite = match (ty, op) {
        (DataType::I32, UnOp::Negate | UnOp::BitNot) => Rewrite::new(SAME_BITS, format!("({of_word}) as i32")),
        (DataType::I32, UnOp::ReverseBits) => Rewrite::new(SAME_BITS, format!("{of_word} as i32")),
        (DataType::I32, UnOp::LogicalNot | UnOp::Popcount | UnOp::Clz | UnOp::Ctz) => Rewrite::new(KEEPS_BITS, of_word),
        (DataType::Bool, UnOp::BitNot) => Rewrite::new("a `bool` becomes 0 or 1", format!("!{}", a.word())),
        (DataType::Bool, _) => Rewrite::new("a `bool` becomes 0 or 1", of_word),
        (DataType::U64, _) => {
            let (low, high) = (a.component(0), a.component(1));
            let value = match op {
                UnOp::Negate => format!("u64(-{low}, ~{high} + ({low} == 0))"),
                UnOp::BitNot => format!("u64(~{low}, ~{high})"),
                UnOp::LogicalNot => format!("!({} as bool as u32)", a.text),
                UnOp::Popcount => format!("popcount({low}) + popcount({high})"),
                UnOp::Clz => format!("select({high}, clz({high}), 32 + clz({low}))"),
                UnOp::Ctz => format!("select({low}, ctz({low}), 32 + ctz({high}))"),
                UnOp::ReverseBits => format!("u64(reverse_bits({high}), reverse_bits({low}))"),
            };
            Rewrite::new(WORDS, value)
        }
        (DataType::Vec2U32 | DataType::Vec4U32, _) => {
            let values: Vec<String> = a.components().map(|component| applied(&component)).collect();
            Rewrite::new(EACH_COMPONENT, format!("{ty}({})", values.join(", ")))
        }
        (DataType::U32 | DataType::Bytes, _) => return None,
    };
    Some(rewrite.suggestion(if a.is_placeholder { "with `a` for the operand, " } else { "" }))
}

/// Loss of the cast of a value of this type to `u32`.
fn loss_of_cast(ty: DataType) -> Option<String> {
    match ty {
        DataType::I32 => Some("`as u32` keeps the bits of an `i32`, so that -1 becomes 4294967295".to_owned()),
        DataType::U64 => Some("`as u32` keeps only the low word of a `u64`".to_owned()),
        DataType::Vec2U32 | DataType::Vec4U32 => Some(format!("`as u32` keeps only the first component of a `{ty}`")),
        DataType::Bool => Some("`as u32` makes a `bool` 0 or 1".to_owned()),
        DataType::U32 | DataType::Bytes => None,
    }
}

/// Suggestion for a value of type `from` where a value of type `to` is wanted: the cast, if it keeps every value, else its
/// loss.
pub(super) fn cast(from: DataType, to: DataType) -> Option<String> {
    use DataType::{Bool, Bytes, I32, U32, U64, Vec2U32, Vec4U32};
    match (from, to) {
        (Bytes, _) | (_, Bytes) => None,
        (Bool, U32 | I32 | U64) | (U32, U64) | (U64, Vec2U32) | (Vec2U32, U64) => {
            Some(format!("write `... as {to}` around the value"))
        }
        (_, Bool) => Some(format!("`... as {to}` is true unless the value is 0")),
        (U32 | I32 | Bool, Vec2U32 | Vec4U32) => Some(format!("`... as {to}` repeats the value in every component")),
        (U32, I32) => Some("`... as i32` keeps the bits, so that 4294967295 becomes -1".to_owned()),
        (I32, U32) => loss_of_cast(from),
        (I32, U64) => Some("`... as u64` extends the sign, so that -1 becomes 18446744073709551615".to_owned()),
        (U64, U32 | I32) => Some(format!("`... as {to}` keeps only the low word")),
        (Vec2U32 | Vec4U32, U32 | I32) => Some(format!("`... as {to}` keeps only the first component")),
        (Vec4U32, U64 | Vec2U32) => Some(format!("`... as {to}` keeps only the first two components")),
        (U64, Vec4U32) => Some("with `a` for the value, `vec4u32(a.x, a.y, 0, 0)` has its words".to_owned()),
        (Vec2U32, Vec4U32) => Some("with `a` for the value, `vec4u32(a.x, a.y, 0, 0)` has its components".to_owned()),
        (U32, U32) | (I32, I32) | (U64, U64) | (Vec2U32, Vec2U32) | (Vec4U32, Vec4U32) => None,
    }
}

const SAME_BITS: &str = "the bits of the operands give the bits of the result";
const KEEPS_BITS: &str = "`as u32` keeps the bits of an `i32`";
const WORDS: &str = "`.x` is the low word of a `u64` and `.y` the high word";
const EACH_COMPONENT: &str = "operators take components";

/// Code that computes the result of an operation.
struct Rewrite {
    reason: String,
    /// Statements before the operation.
    statements: Vec<String>,
    /// Expression that replaces the operation, a call or in parentheses.
    value: String,
}

/// An expression as an operand: in parentheses, unless it is a call or in parentheses already.
fn operand(value: String) -> String {
    let word = value.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let mut depth = 0_usize;
    // The parenthesis after the word must be closed by the last character.
    let is_closed = value.bytes().enumerate().skip(word).all(|(position, byte)| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || position + 1 == value.len()
    });
    if is_closed && value.ends_with(')') { value } else { format!("({value})") }
}

impl Rewrite {
    fn new(reason: impl Into<String>, value: String) -> Rewrite {
        Rewrite { reason: reason.into(), statements: Vec::new(), value: operand(value) }
    }

    fn after(mut self, statements: impl IntoIterator<Item = String>) -> Rewrite {
        self.statements.extend(statements);
        self
    }

    fn suggestion(&self, placeholders: &str) -> String {
        let Rewrite { reason, statements, value } = self;
        let mut code = String::new();
        for (position, statement) in statements.iter().enumerate() {
            let separator = if position + 1 == statements.len() { " and " } else { ", " };
            code.push_str(&format!("`{statement}`{separator}"));
        }
        format!("{reason}; {placeholders}write {code}`{value}`")
    }
}

/// An operand as text.
struct OperandText {
    ty: DataType,
    text: String,
    is_placeholder: bool,
    /// True for a `u32` literal that has the same value as an `i32`.
    is_signed_literal: bool,
}

impl OperandText {
    /// Text of a short operand that can be repeated, else the placeholder.
    fn new(expr: &Expr, ty: DataType, placeholder: &str) -> OperandText {
        /// Maximum length of a repeated operand.
        const MAX_CHARACTERS: usize = 24;
        let is_short = match expr {
            Expr::LitU32(_) | Expr::LitI32(_) | Expr::LitBool(_) | Expr::Var(_) | Expr::BufLen { .. } => true,
            Expr::Load { buffer: _, index } => index.operand_count() == 0,
            _ => false,
        };
        let is_short = is_short && expr.name().is_none_or(|name| name.len() <= MAX_CHARACTERS);
        let text = if is_short { print_expr(expr) } else { String::new() };
        let is_placeholder = text.is_empty() || text.len() > MAX_CHARACTERS || text.contains('`');
        let text = if is_placeholder { placeholder.to_owned() } else { text };
        let is_signed_literal = matches!(expr, Expr::LitU32(value) if i32::try_from(*value).is_ok());
        OperandText { ty, text, is_placeholder, is_signed_literal }
    }

    /// The operand as `u32`, without parentheses.
    fn cast(&self) -> String {
        if self.ty == DataType::U32 { self.text.clone() } else { format!("{} as u32", self.text) }
    }

    /// The operand as `u32`.
    fn word(&self) -> String {
        if self.ty == DataType::U32 { self.text.clone() } else { format!("({} as u32)", self.text) }
    }

    /// The operand as `u32`, ordered as signed numbers are.
    fn biased(&self) -> String {
        format!("{} ^ {SIGN}", self.cast())
    }

    /// Bool of the operand as `u32`.
    fn truth(&self) -> String {
        if self.ty == DataType::U32 { self.text.clone() } else { format!("({} as bool as u32)", self.text) }
    }

    /// A component; that of a `u32` is its value, in every component of a vector and in the low word of a `u64`.
    fn component(&self, lane: usize) -> String {
        if self.ty == DataType::U32 { self.text.clone() } else { format!("{}.{}", self.text, COMPONENTS[lane]) }
    }

    fn components(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.ty.components() as usize).map(|lane| self.component(lane))
    }

    /// Low and high word of the operand as `u64`.
    fn words(&self) -> (String, String) {
        let high = if self.ty == DataType::U32 { ZERO.to_owned() } else { self.component(1) };
        (self.component(0), high)
    }
}

impl fmt::Display for OperandText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_shift(op: BinOp) -> bool {
    matches!(op, BinOp::Shl | BinOp::Shr)
}

/// The operator applied to two operands, as an infix operator or as a function.
fn operation(op: BinOp, left: &str, right: &str) -> String {
    match op {
        BinOp::Min | BinOp::Max | BinOp::AbsDiff | BinOp::MulHi => format!("{}({left}, {right})", op.text()),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => format!("{left} {} {right}", op.text()),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr => {
            format!("{left} {} {right}", op.text())
        }
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::And | BinOp::Or => {
            format!("{left} {} {right}", op.text())
        }
    }
}

/// Shift of a `u32` by one number of another type.
fn shift_amount(op: BinOp, a: &OperandText, b: &OperandText) -> Rewrite {
    // The low word of a `u64` has the same remainder.
    let amount = if b.ty == DataType::U64 { b.component(0) } else { b.word() };
    Rewrite::new("the amount of a shift is a `u32`, taken modulo 32", operation(op, &a.text, &amount))
}

/// Operation on signed numbers. An operand of type `u32` has the same value as an `i32`, or is the amount of a shift.
fn signed(op: BinOp, a: &OperandText, b: &OperandText) -> Option<Rewrite> {
    let (x, y) = (a.word(), b.word());
    let (biased_a, biased_b) = (a.biased(), b.biased());
    let name = op.text();
    let words = || [format!("let left_word = {};", a.cast()), format!("let right_word = {};", b.cast())];
    let magnitudes =
        || ("select(left_word >> 31, -left_word, left_word)", "select(right_word >> 31, -right_word, right_word)");
    Some(match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl => {
            Rewrite::new(SAME_BITS, format!("({}) as i32", operation(op, &x, &y)))
        }
        BinOp::Shr => Rewrite::new(
            "`>>` shifts in zeros, not the sign",
            format!("((({biased_a}) >> {y}) - ({SIGN} >> {y})) as i32"),
        ),
        BinOp::Eq | BinOp::Ne | BinOp::And | BinOp::Or => Rewrite::new(KEEPS_BITS, operation(op, &x, &y)),
        BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => Rewrite::new(
            format!(
                "`{name}` compares unsigned numbers, which have the order of signed ones if the sign bits are inverted"
            ),
            operation(op, &format!("({biased_a})"), &format!("({biased_b})")),
        ),
        BinOp::Min | BinOp::Max => Rewrite::new(
            format!(
                "`{name}` compares unsigned numbers, which have the order of signed ones if the sign bits are inverted"
            ),
            format!("({} ^ {SIGN}) as i32", operation(op, &biased_a, &biased_b)),
        ),
        BinOp::AbsDiff => Rewrite::new(
            "`abs_diff` takes unsigned numbers, which have the distances of signed ones if the sign bits are inverted",
            operation(op, &biased_a, &biased_b),
        ),
        BinOp::Div => {
            let (m, n) = magnitudes();
            let quotient = format!("let quotient = {m} / {n};");
            Rewrite::new("`/` divides unsigned numbers", "select((left_word ^ right_word) >> 31, -quotient, quotient) as i32".to_owned())
                .after(words().into_iter().chain([quotient]))
        }
        BinOp::Mod => {
            let (m, n) = magnitudes();
            let remainder = format!("let remainder = {m} % {n};");
            Rewrite::new("`%` divides unsigned numbers", "select(left_word >> 31, -remainder, remainder) as i32".to_owned())
                .after(words().into_iter().chain([remainder]))
        }
        BinOp::MulHi => Rewrite::new(
            "`mul_hi` multiplies unsigned numbers",
            "(mul_hi(left_word, right_word) - select(left_word >> 31, right_word, 0) - select(right_word >> 31, left_word, 0)) as i32".to_owned(),
        )
        .after(words()),
    })
}

/// Operation on a signed and an unsigned number, if its result modulo 2^32 does not depend on the signs.
fn signed_and_unsigned(op: BinOp, a: &OperandText, b: &OperandText) -> Option<Rewrite> {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::BitAnd
        | BinOp::BitOr
        | BinOp::BitXor
        | BinOp::And
        | BinOp::Or => Some(Rewrite::new(KEEPS_BITS, operation(op, &a.word(), &b.word()))),
        BinOp::Div | BinOp::Mod | BinOp::Shl | BinOp::Shr => None,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => None,
        BinOp::Min | BinOp::Max | BinOp::AbsDiff | BinOp::MulHi => None,
    }
}

/// Operation on 64-bit numbers, if it takes few operators.
fn wide(op: BinOp, a: &OperandText, b: &OperandText) -> Option<Rewrite> {
    let ((a0, a1), (b0, b1)) = (a.words(), b.words());
    let symbol = op.text();
    let order = |strict: &str, symbol: &str| format!("{a1} {strict} {b1} || {a1} == {b1} && {a0} {symbol} {b0}");
    let whole = |operand: &OperandText| match operand.ty {
        DataType::U32 => format!("{operand} as u64"),
        _ => operand.text.clone(),
    };
    let value = match op {
        BinOp::Add => {
            let high: Vec<&str> = [a1.as_str(), b1.as_str()].into_iter().filter(|&word| word != ZERO).collect();
            let value = format!("u64(low_word, {} + (low_word < {a0}))", high.join(" + "));
            return Some(Rewrite::new(WORDS, value).after([format!("let low_word = {a0} + {b0};")]));
        }
        BinOp::Sub if b1 == ZERO => format!("u64({a0} - {b0}, {a1} - ({a0} < {b0}))"),
        BinOp::Sub => format!("u64({a0} - {b0}, {a1} - {b1} - ({a0} < {b0}))"),
        BinOp::Mul if b1 == ZERO => format!("u64({a0} * {b0}, mul_hi({a0}, {b0}) + {a1} * {b0})"),
        BinOp::Mul if a1 == ZERO => format!("u64({a0} * {b0}, mul_hi({a0}, {b0}) + {a0} * {b1})"),
        BinOp::Mul => format!("u64({a0} * {b0}, mul_hi({a0}, {b0}) + {a0} * {b1} + {a1} * {b0})"),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => format!("u64({a0} {symbol} {b0}, {a1} {symbol} {b1})"),
        BinOp::Eq => format!("{a0} == {b0} && {a1} == {b1}"),
        BinOp::Ne => format!("{a0} != {b0} || {a1} != {b1}"),
        BinOp::Lt | BinOp::Le => order("<", symbol),
        BinOp::Gt | BinOp::Ge => order(">", symbol),
        BinOp::And | BinOp::Or => operation(op, &a.truth(), &b.truth()),
        BinOp::Min => format!("select({}, {}, {})", order("<", "<"), whole(a), whole(b)),
        BinOp::Max => format!("select({}, {}, {})", order(">", ">"), whole(a), whole(b)),
        BinOp::Div | BinOp::Mod | BinOp::Shl | BinOp::Shr | BinOp::AbsDiff | BinOp::MulHi => return None,
    };
    Some(Rewrite::new(WORDS, value))
}

/// Operation on vectors, component by component. A `u32` stands for a vector with this number in every component.
fn vector(op: BinOp, a: &OperandText, b: &OperandText) -> Option<Rewrite> {
    let ty = match (a.ty, b.ty) {
        (DataType::Vec2U32, DataType::Vec2U32 | DataType::U32) => DataType::Vec2U32,
        (DataType::Vec4U32, DataType::Vec4U32 | DataType::U32) => DataType::Vec4U32,
        (DataType::U32, DataType::Vec2U32 | DataType::Vec4U32) => b.ty,
        _ => return None,
    };
    let components = (0..ty.components() as usize).map(|lane| operation(op, &a.component(lane), &b.component(lane)));
    let components: Vec<String> = components.collect();
    let value = match op {
        BinOp::Eq => components.join(" && "),
        BinOp::Ne => components.join(" || "),
        BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::And | BinOp::Or => return None,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => format!("{ty}({})", components.join(", ")),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr => {
            format!("{ty}({})", components.join(", "))
        }
        BinOp::Min | BinOp::Max | BinOp::AbsDiff | BinOp::MulHi => format!("{ty}({})", components.join(", ")),
    };
    Some(Rewrite::new(EACH_COMPONENT, value))
}

#[cfg(test)]
mod tests {
    use super::operand;

    #[test]
    fn compound_values_are_in_parentheses() {
        for closed in ["u64(a, b)", "select(a, (b), c)", "(a + b)", "((a) + (b))"] {
            assert_eq!(operand(closed.to_owned()), closed);
        }
        for open in ["a + b", "(a) + (b)", "f(a) + f(b)", "(a) as i32", "!(a)", "a == (b)", "f(a).x", "a"] {
            assert_eq!(operand(open.to_owned()), format!("({open})"));
        }
    }
}
