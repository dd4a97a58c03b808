//! Constants and their operators.

use oxc_ast::ast::BinaryOperator;

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
                Constant::Number(number) => number != 0.0 && !number.is_nan(),
                Constant::Bool(flag) => flag,
                Constant::Null | Constant::Undefined => false,
                Constant::Regex(..) => true,
            }),
            Op::Function(_) | Op::Allocate(_) => Some(true),
            _ => None,
        }
    }

    /// Text of a constant in a concatenation.
    pub(super) fn constant_text(&self, constant: Constant) -> Option<String> {
        match constant {
            Constant::String(text) => Some(self.builder.text(text).to_owned()),
            Constant::Number(number) => number_text(number),
            Constant::Bool(flag) => Some(flag.to_string()),
            Constant::Null => Some("null".into()),
            Constant::Undefined => Some("undefined".into()),
            Constant::Regex(..) => None,
        }
    }

    /// Name of a field, if a key is constant.
    pub(super) fn key_text(&self, key: ValueId) -> Option<String> {
        if let Op::LoadField(base, name) = self.op(self.canon(key))
            && let Op::Global(global) = self.op(self.canon(base))
            && self.builder.text(global) == "Symbol"
        {
            return Some(format!("@@{}", self.builder.text(name)));
        }
        self.constant(key).and_then(|constant| self.constant_text(constant))
    }

    /// Whether a value is a text for certain.
    pub(super) fn is_text(&self, value: ValueId) -> bool {
        matches!(
            self.op(self.canon(value)),
            Op::Constant(Constant::String(_)) | Op::Concat(_) | Op::Unary(crate::flow::UnaryOp::TypeOf, _)
        )
    }

    /// Result of an operator on constants.
    pub(super) fn fold(&mut self, operator: BinaryOperator, left: Constant, right: Constant) -> Option<Constant> {
        match operator {
            BinaryOperator::StrictEquality => self.strictly_equal(left, right).map(Constant::Bool),
            BinaryOperator::StrictInequality => self.strictly_equal(left, right).map(|equal| Constant::Bool(!equal)),
            BinaryOperator::Equality => self.loosely_equal(left, right).map(Constant::Bool),
            BinaryOperator::Inequality => self.loosely_equal(left, right).map(|equal| Constant::Bool(!equal)),
            BinaryOperator::LessThan
            | BinaryOperator::LessEqualThan
            | BinaryOperator::GreaterThan
            | BinaryOperator::GreaterEqualThan => {
                let (Constant::Number(left), Constant::Number(right)) = (left, right) else { return None };
                Some(Constant::Bool(match operator {
                    BinaryOperator::LessThan => left < right,
                    BinaryOperator::LessEqualThan => left <= right,
                    BinaryOperator::GreaterThan => left > right,
                    _ => left >= right,
                }))
            }
            BinaryOperator::Addition => match (left, right) {
                (Constant::Number(left), Constant::Number(right)) => Some(Constant::Number(left + right)),
                (Constant::String(_), _) | (_, Constant::String(_)) => {
                    let text = self.constant_text(left)? + &self.constant_text(right)?;
                    if text.len() > LONGEST_TEXT {
                        return None;
                    }
                    Some(Constant::String(self.symbol(&text)))
                }
                _ => None,
            },
            _ => {
                let (Constant::Number(left), Constant::Number(right)) = (left, right) else { return None };
                arithmetic(operator, left, right).map(Constant::Number)
            }
        }
    }

    fn strictly_equal(&self, left: Constant, right: Constant) -> Option<bool> {
        match (left, right) {
            (Constant::Regex(..), _) | (_, Constant::Regex(..)) => None,
            (Constant::Number(left), Constant::Number(right)) => Some(left == right),
            _ => Some(left == right),
        }
    }

    fn loosely_equal(&self, left: Constant, right: Constant) -> Option<bool> {
        match (left, right) {
            (Constant::Null | Constant::Undefined, Constant::Null | Constant::Undefined) => Some(true),
            (Constant::Null | Constant::Undefined, _) | (_, Constant::Null | Constant::Undefined) => Some(false),
            (Constant::String(_), Constant::String(_))
            | (Constant::Number(_), Constant::Number(_))
            | (Constant::Bool(_), Constant::Bool(_)) => self.strictly_equal(left, right),
            _ => None,
        }
    }

    /// `typeof` of a value.
    pub(super) fn type_name(&self, value: ValueId) -> Option<&'static str> {
        match self.op(self.canon(value)) {
            Op::Constant(constant) => Some(match constant {
                Constant::String(_) => "string",
                Constant::Number(_) => "number",
                Constant::Bool(_) => "boolean",
                Constant::Undefined => "undefined",
                Constant::Null | Constant::Regex(..) => "object",
            }),
            Op::Function(_) => Some("function"),
            Op::Allocate(_) => Some("object"),
            Op::Concat(_) => Some("string"),
            _ => None,
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

fn arithmetic(operator: BinaryOperator, left: f64, right: f64) -> Option<f64> {
    Some(match operator {
        BinaryOperator::Subtraction => left - right,
        BinaryOperator::Multiplication => left * right,
        BinaryOperator::Division => left / right,
        BinaryOperator::Remainder => left % right,
        BinaryOperator::BitwiseOR => f64::from(integer(left)? | integer(right)?),
        BinaryOperator::BitwiseAnd => f64::from(integer(left)? & integer(right)?),
        BinaryOperator::BitwiseXOR => f64::from(integer(left)? ^ integer(right)?),
        BinaryOperator::ShiftLeft => f64::from(integer(left)?.wrapping_shl(integer(right)? as u32 & 31)),
        BinaryOperator::ShiftRight => f64::from(integer(left)?.wrapping_shr(integer(right)? as u32 & 31)),
        _ => return None,
    })
}

/// A number as an integer of 32 bits, if it is one.
fn integer(number: f64) -> Option<i32> {
    (number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX)).then_some(number as i32)
}
