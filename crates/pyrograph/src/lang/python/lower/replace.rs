//! Replacements that leave a text without something: `text.replace("<", "")`, `re.sub("[^a-z]", "", text)`.

use crate::flow::{Constant, Op, Span, SymbolId, Test, TestId, ValueId};

use super::Lowerer;

/// Most replacements of one text.
const MOST: usize = 8;

impl Lowerer<'_, '_> {
    /// Result of a call with what a replacement shows about it.
    pub(super) fn replaced(
        &mut self,
        callee: ValueId,
        receiver: Option<ValueId>,
        arguments: &[ValueId],
        value: ValueId,
        span: Span,
    ) -> ValueId {
        let Some((tests, origin, by)) = self.replacement(callee, receiver, arguments) else { return value };
        let mut all = tests;
        // What the text lacked before, it lacks still, unless it was put in.
        let mut before = origin;
        while let Op::Guard(inner, test, false) = self.op(before)
            && all.len() < MOST
        {
            if self.is_kept(test, by) {
                all.push(test);
            }
            before = inner;
        }
        let mut value = value;
        for test in all {
            value = self.emit(Op::Guard(value, test, false), span);
        }
        value
    }

    /// Tests that do not hold for the result of a replacement, the text before it, and what is put in.
    fn replacement(
        &mut self,
        callee: ValueId,
        receiver: Option<ValueId>,
        arguments: &[ValueId],
    ) -> Option<(Vec<TestId>, ValueId, SymbolId)> {
        let Op::LoadField(object, method) = self.op(self.canon(callee)) else { return None };
        match (self.builder.text(method), arguments) {
            ("replace", &[old, new]) => {
                let (old_text, by) = (self.constant_symbol(old)?, self.constant_symbol(new)?);
                if self.builder.text(old_text).is_empty() || self.builder.text(by).contains(self.builder.text(old_text))
                {
                    return None;
                }
                let name = self.symbol("includes");
                let list = self.builder.list(&[old]);
                let test = self.builder.test(Test::Method(name, list));
                Some((vec![test], receiver?, by))
            }
            ("sub", arguments) => {
                let (pattern, by, text) = match *arguments {
                    [pattern, by, text] if self.is_import(object, "re") => (self.constant_symbol(pattern)?, by, text),
                    [by, text] => (self.regex(receiver?)?.0, by, text),
                    _ => return None,
                };
                let by = self.constant_symbol(by)?;
                let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
                if !self.builder.text(by).chars().all(is_plain) {
                    return None;
                }
                let flags = self.symbol("");
                let test = self.builder.test(Test::Matches(pattern, flags));
                Some((vec![test], text, by))
            }
            _ => None,
        }
    }

    /// True if a text still lacks what a test asks for, after something was put in.
    fn is_kept(&self, test: TestId, by: SymbolId) -> bool {
        match &self.builder.module().tests[test.index()] {
            Test::Method(_, list) => match self.builder.module().list(*list) {
                &[text] => match self.constant(text) {
                    Some(Constant::String(text)) => !self.builder.text(by).contains(self.builder.text(text)),
                    _ => false,
                },
                _ => false,
            },
            Test::Matches(..) => self.builder.text(by).is_empty(),
            _ => false,
        }
    }
}
