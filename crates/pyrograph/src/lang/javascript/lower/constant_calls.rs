//! Calls of the language's functions whose result is known when all values are constants.

use crate::flow::{Argument, Constant, Op, ValueId};

use super::Lowerer;
use super::constants::number_text;

impl Lowerer<'_, '_> {
    /// Result of a method of a constant text, or of a function of `Math`, with constant arguments.
    pub(super) fn folded_call(
        &mut self,
        callee: ValueId,
        receiver: Option<ValueId>,
        arguments: &[Argument],
    ) -> Option<Constant> {
        if arguments.len() > 8 || arguments.iter().any(|argument| argument.is_spread) {
            return None;
        }
        match self.op(self.canon(callee)) {
            Op::LoadField(object, method) => {
                let object = self.canon(object);
                if let Op::Global(global) = self.op(object)
                    && self.builder.text(global) == "Math"
                {
                    let numbers = self.numbers(arguments)?;
                    return mathematics(self.builder.text(method), &numbers).map(Constant::Number);
                }
                let Some(Constant::String(text)) = self.constant(receiver?) else { return None };
                let arguments: Option<Vec<Constant>> =
                    arguments.iter().map(|argument| self.constant(argument.value)).collect();
                self.text_method(self.builder.text(text).to_owned(), self.builder.text(method).to_owned(), &arguments?)
            }
            Op::Global(function) => {
                let [argument] = arguments else { return None };
                let constant = self.constant(argument.value)?;
                match (self.builder.text(function), constant) {
                    ("String", Constant::String(_)) => Some(constant),
                    ("String", Constant::Number(number)) => {
                        let text = number_text(number)?;
                        Some(Constant::String(self.symbol(&text)))
                    }
                    ("Number", Constant::Number(_)) => Some(constant),
                    ("Number" | "parseInt" | "parseFloat", Constant::String(text)) => {
                        let text = self.builder.text(text);
                        let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                        text.parse().ok().filter(|_| is_decimal).map(Constant::Number)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn numbers(&self, arguments: &[Argument]) -> Option<Vec<f64>> {
        let number = |argument: &Argument| match self.constant(argument.value) {
            Some(Constant::Number(number)) => Some(number),
            _ => None,
        };
        arguments.iter().map(number).collect()
    }

    /// Result of a method of a text. Texts beyond ASCII are left out: their lengths count UTF-16 units.
    fn text_method(&mut self, text: String, method: String, arguments: &[Constant]) -> Option<Constant> {
        let texts: Option<Vec<String>> = arguments
            .iter()
            .map(|argument| match argument {
                Constant::String(symbol) => Some(self.builder.text(*symbol).to_owned()),
                _ => None,
            })
            .collect();
        let number = |position: usize| match arguments.get(position) {
            Some(Constant::Number(number)) => Some(*number),
            _ => None,
        };
        if !text.is_ascii() {
            return None;
        }
        let found = |position: Option<usize>| Constant::Number(position.map_or(-1.0, |position| position as f64));
        let made = match (method.as_str(), texts.as_deref()) {
            ("indexOf", Some([part])) => return Some(found(text.find(part.as_str()))),
            ("lastIndexOf", Some([part])) => return Some(found(text.rfind(part.as_str()))),
            ("includes", Some([part])) => return Some(Constant::Bool(text.contains(part.as_str()))),
            ("startsWith", Some([part])) => return Some(Constant::Bool(text.starts_with(part.as_str()))),
            ("endsWith", Some([part])) => return Some(Constant::Bool(text.ends_with(part.as_str()))),
            ("toUpperCase", Some([])) => text.to_ascii_uppercase(),
            ("toLowerCase", Some([])) => text.to_ascii_lowercase(),
            ("trim", Some([])) => text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']).to_owned(),
            ("toString" | "valueOf", Some([])) => text,
            ("charAt", _) if arguments.len() == 1 => {
                let position = whole(number(0)?)?;
                text.get(position..position + 1).unwrap_or_default().to_owned()
            }
            ("charCodeAt", _) if arguments.len() == 1 => {
                let byte = *text.as_bytes().get(whole(number(0)?)?)?;
                return Some(Constant::Number(f64::from(byte)));
            }
            ("slice" | "substring", _) if matches!(arguments.len(), 1 | 2) => {
                let start = whole(number(0)?)?.min(text.len());
                let end = match arguments.len() {
                    1 => text.len(),
                    _ => whole(number(1)?)?.min(text.len()),
                };
                // The two methods differ where the end is before the start.
                text.get(start..end)?.to_owned()
            }
            _ => return None,
        };
        Some(Constant::String(self.symbol(&made)))
    }
}

/// Result of a function of `Math`.
fn mathematics(function: &str, numbers: &[f64]) -> Option<f64> {
    match (function, numbers) {
        ("max", [first, rest @ ..]) => Some(rest.iter().fold(*first, |most, number| most.max(*number))),
        ("min", [first, rest @ ..]) => Some(rest.iter().fold(*first, |least, number| least.min(*number))),
        ("abs", [number]) => Some(number.abs()),
        ("floor", [number]) => Some(number.floor()),
        ("ceil", [number]) => Some(number.ceil()),
        ("trunc", [number]) => Some(number.trunc()),
        ("sqrt", [number]) => Some(number.sqrt()),
        ("pow", [base, exponent]) => Some(base.powf(*exponent)),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// A number as a position, if it is one.
fn whole(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number < 1e9).then_some(number as usize)
}
