//! Constants and their operators.

use ruff_python_ast::{CmpOp, Operator};

use crate::flow::{Constant, Op, ValueId};

use super::Lowerer;

/// Longest text that operators on constants make.
const LONGEST_TEXT: usize = 512;

impl Lowerer<'_, '_> {
    /// Truth of a value, if it is known.
    pub(super) fn truth(&self, value: ValueId) -> Option<bool> {
        match self.op(self.canon(value)) {
            Op::Constant(constant) => Some(match constant {
                Constant::String(text) => !self.builder.text(text).is_empty(),
                Constant::Number(number) => number != 0.0,
                Constant::Bool(flag) => flag,
                Constant::Null | Constant::Undefined => false,
                Constant::Regex(..) => true,
            }),
            Op::Function(_) => Some(true),
            _ => None,
        }
    }

    /// Text of a constant in a formatted text.
    pub(super) fn constant_text(&self, constant: Constant) -> Option<String> {
        match constant {
            Constant::String(text) => Some(self.builder.text(text).to_owned()),
            Constant::Number(number) => number_text(number),
            Constant::Bool(true) => Some("True".into()),
            Constant::Bool(false) => Some("False".into()),
            Constant::Null => Some("None".into()),
            Constant::Undefined | Constant::Regex(..) => None,
        }
    }

    /// True if a value is a text for certain.
    pub(super) fn is_text(&self, value: ValueId) -> bool {
        matches!(self.op(self.canon(value)), Op::Constant(Constant::String(_)) | Op::Concat(_))
    }

    /// Result of an operator on constants.
    pub(super) fn fold(&mut self, operator: Operator, left: Constant, right: Constant) -> Option<Constant> {
        match (left, right) {
            (Constant::Number(left), Constant::Number(right)) => {
                arithmetic(operator, left, right).map(Constant::Number)
            }
            (Constant::String(left), Constant::String(right)) if operator == Operator::Add => {
                let text = format!("{}{}", self.builder.text(left), self.builder.text(right));
                (text.len() <= LONGEST_TEXT).then(|| Constant::String(self.symbol(&text)))
            }
            (Constant::String(text), Constant::Number(count)) if operator == Operator::Mult => {
                let text = self.builder.text(text);
                let is_short = count >= 0.0 && count.fract() == 0.0 && text.len() as f64 * count <= LONGEST_TEXT as f64;
                let text = is_short.then(|| text.repeat(count as usize))?;
                Some(Constant::String(self.symbol(&text)))
            }
            _ => None,
        }
    }

    /// Result of a comparison of constants.
    pub(super) fn fold_comparison(&self, operator: CmpOp, left: Constant, right: Constant) -> Option<bool> {
        let equal = || match (left, right) {
            (Constant::Regex(..) | Constant::Undefined, _) | (_, Constant::Regex(..) | Constant::Undefined) => None,
            (Constant::Number(number), Constant::Bool(flag)) | (Constant::Bool(flag), Constant::Number(number)) => {
                Some(number == f64::from(u8::from(flag)))
            }
            _ => Some(left == right),
        };
        let order = || match (left, right) {
            (Constant::Number(left), Constant::Number(right)) => left.partial_cmp(&right),
            (Constant::String(left), Constant::String(right)) => {
                Some(self.builder.text(left).cmp(self.builder.text(right)))
            }
            _ => None,
        };
        match operator {
            CmpOp::Eq | CmpOp::Is => equal(),
            CmpOp::NotEq | CmpOp::IsNot => equal().map(|equal| !equal),
            CmpOp::Lt => order().map(std::cmp::Ordering::is_lt),
            CmpOp::LtE => order().map(std::cmp::Ordering::is_le),
            CmpOp::Gt => order().map(std::cmp::Ordering::is_gt),
            CmpOp::GtE => order().map(std::cmp::Ordering::is_ge),
            CmpOp::In | CmpOp::NotIn => {
                let (Constant::String(part), Constant::String(whole)) = (left, right) else { return None };
                let is_in = self.builder.text(whole).contains(self.builder.text(part));
                Some(is_in == (operator == CmpOp::In))
            }
        }
    }
}

/// Decimal text of an integer.
pub(super) fn number_text(number: f64) -> Option<String> {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        // The number is an integer that 64 bits hold.
        return Some(format!("{}", number as i64));
    }
    None
}

fn arithmetic(operator: Operator, left: f64, right: f64) -> Option<f64> {
    let is_exact = |number: f64| number.abs() < 9e15;
    let result = match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div if right != 0.0 => left / right,
        Operator::FloorDiv if right != 0.0 => (left / right).floor(),
        Operator::Mod if right != 0.0 => left - right * (left / right).floor(),
        Operator::Pow if right.abs() < 64.0 => left.powf(right),
        _ => return None,
    };
    (result.is_finite() && is_exact(result)).then_some(result)
}
