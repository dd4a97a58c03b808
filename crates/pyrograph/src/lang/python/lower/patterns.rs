//! `match`.

use ruff_python_ast::{Expr, Pattern, Singleton, StmtMatch};
use ruff_text_size::Ranged;

use crate::flow::{AllocateKind, BinaryOp, Constant, Op, Span, Test, ValueId};
use crate::lang::ssa::{Check, Exit, Exits, Mark, MemberKey};

use super::{Lowerer, at, span_of};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn match_statement(&mut self, statement: &'a StmtMatch) {
        let span = span_of(statement);
        let value = self.expression(&statement.subject);
        let loads = std::mem::take(&mut self.frame.loads);
        let mark = self.mark();
        let mut states: Vec<Exit> = Vec::new();
        for case in &statement.cases {
            if !self.frame.is_reachable {
                self.prune(at(case.range()));
                continue;
            }
            self.frame.loads.clone_from(&loads);
            let mut others = Exits::default();
            self.match_pattern(&case.pattern, &statement.subject, value, mark, &mut others);
            if self.frame.is_reachable
                && let Some(guard) = &case.guard
            {
                self.jump(guard, true, mark, &mut others);
            }
            if self.frame.is_reachable {
                self.statements(&case.body);
            } else {
                self.prune(at(case.range()));
            }
            states.extend(self.depart(mark));
            self.join(others.states, span);
        }
        states.extend(self.depart(mark));
        self.state.release(mark);
        self.join(states, span);
    }

    /// Continues where the pattern matches. The exits are the points where it does not.
    fn match_pattern(
        &mut self,
        pattern: &'a Pattern,
        subject: &'a Expr,
        value: ValueId,
        mark: Mark,
        others: &mut Exits,
    ) {
        if !self.enter() {
            return self.leave();
        }
        let span = at(pattern.range());
        match pattern {
            Pattern::MatchValue(inner) => {
                let constant = self.expression(&inner.value);
                self.match_constant(subject, value, constant, mark, others, span);
            }
            Pattern::MatchSingleton(inner) => {
                let constant = match inner.value {
                    Singleton::None => Constant::Null,
                    Singleton::True => Constant::Bool(true),
                    Singleton::False => Constant::Bool(false),
                };
                let constant = self.constant_value(constant, span);
                self.match_constant(subject, value, constant, mark, others, span);
            }
            Pattern::MatchOr(inner) => {
                let mut matched: Vec<Exit> = Vec::new();
                for alternative in &inner.patterns {
                    if !self.frame.is_reachable {
                        break;
                    }
                    let mut rest = Exits::default();
                    self.match_pattern(alternative, subject, value, mark, &mut rest);
                    matched.extend(self.depart(mark));
                    self.join(rest.states, span);
                }
                others.states.extend(self.depart(mark));
                self.join(matched, span);
            }
            Pattern::MatchAs(inner) => {
                if let Some(pattern) = &inner.pattern {
                    self.match_pattern(pattern, subject, value, mark, others);
                }
                if let (Some(name), true) = (&inner.name, self.frame.is_reachable) {
                    self.write_identifier(name, value);
                }
            }
            Pattern::MatchStar(_) => {}
            _ => {
                // The structure is not known.
                others.states.extend(self.exit(mark));
                self.bind_pattern(pattern, value);
            }
        }
        self.leave();
    }

    fn match_constant(
        &mut self,
        subject: &'a Expr,
        value: ValueId,
        constant: ValueId,
        mark: Mark,
        others: &mut Exits,
        span: Span,
    ) {
        if let (Some(left), Some(right)) = (self.constant(value), self.constant(constant))
            && let Some(equal) = self.fold_comparison(ruff_python_ast::CmpOp::Eq, left, right)
        {
            if !equal {
                others.states.extend(self.depart(mark));
                self.frame.is_reachable = false;
            }
            return;
        }
        let test = match self.constant(constant) {
            Some(constant) => Test::EqualsConstant(constant),
            None => Test::EqualsValue(constant),
        };
        let checks: Vec<Check> = match self.place(subject) {
            Some((tested, name)) if self.canon(name) == self.canon(value) => {
                let test = self.builder.test(test);
                vec![Check::new(tested, name, test, true)]
            }
            _ => Vec::new(),
        };
        let result = self.emit(Op::Binary(BinaryOp::Comparison, value, constant), span);
        self.split(&checks, result, true, mark, others, span);
    }

    /// Binds the names of a pattern to the parts of a value.
    fn bind_pattern(&mut self, pattern: &'a Pattern, value: ValueId) {
        if !self.enter() {
            return self.leave();
        }
        let span = at(pattern.range());
        match pattern {
            Pattern::MatchSequence(inner) => {
                let star = inner.patterns.iter().position(|pattern| matches!(pattern, Pattern::MatchStar(_)));
                for (position, pattern) in inner.patterns.iter().enumerate() {
                    let part = match star {
                        Some(star) if position >= star => self.emit(Op::Element(value), span),
                        _ => {
                            let field = self.symbol(&position.to_string());
                            self.load(value, MemberKey::Name(field), span)
                        }
                    };
                    self.bind_pattern(pattern, part);
                }
            }
            Pattern::MatchStar(inner) => {
                if let Some(name) = &inner.name {
                    let list = self.allocate(AllocateKind::Array, span);
                    self.store_element(list, value, span);
                    self.write_identifier(name, list);
                }
            }
            Pattern::MatchMapping(inner) => {
                for (key, pattern) in inner.keys.iter().zip(&inner.patterns) {
                    let key = self.expression(key);
                    let key = self.key(value, key);
                    let part = self.load(value, key, span);
                    self.bind_pattern(pattern, part);
                }
                if let Some(name) = &inner.rest {
                    let list = self.builder.list(&[]);
                    let rest = self.emit(Op::RestOf(value, list), span);
                    self.write_identifier(name, rest);
                }
            }
            Pattern::MatchClass(inner) => {
                self.expression(&inner.cls);
                for (position, pattern) in inner.arguments.patterns.iter().enumerate() {
                    // `case str(name)` binds the value itself; other classes list their attributes.
                    let part = match position {
                        0 if inner.arguments.patterns.len() == 1 => value,
                        _ => self.emit(Op::Element(value), span),
                    };
                    self.bind_pattern(pattern, part);
                }
                for keyword in &inner.arguments.keywords {
                    let part = self.load_field(value, keyword.attr.as_str(), span);
                    self.bind_pattern(&keyword.pattern, part);
                }
            }
            Pattern::MatchAs(inner) => {
                if let Some(pattern) = &inner.pattern {
                    self.bind_pattern(pattern, value);
                }
                if let Some(name) = &inner.name {
                    self.write_identifier(name, value);
                }
            }
            Pattern::MatchOr(inner) => {
                for pattern in &inner.patterns {
                    self.bind_pattern(pattern, value);
                }
            }
            Pattern::MatchValue(_) | Pattern::MatchSingleton(_) => {}
        }
        self.leave();
    }
}
