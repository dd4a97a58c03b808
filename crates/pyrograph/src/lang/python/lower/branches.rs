//! Conditions and branches.

use ruff_python_ast::{BoolOp, Expr, StmtIf, UnaryOp};

use crate::flow::{Constant, Span, ValueId};
use crate::lang::ssa::{Exits, MAX_TESTED, Mark};

use super::{Lowerer, span_of};

/// Links of a chain of alternatives that are lowered together.
const MAX_LINKS: usize = 64;

impl<'a> Lowerer<'a, '_> {
    /// Lowers a condition and continues where its result is `sense`. The exits are the points with the other result.
    /// The value is that of the last part that was evaluated.
    pub(super) fn jump(&mut self, condition: &'a Expr, sense: bool, mark: Mark, exits: &mut Exits) -> Option<ValueId> {
        if !self.enter() {
            self.leave();
            return None;
        }
        let value = self.jump_inner(condition, sense, mark, exits);
        self.leave();
        value
    }

    fn jump_inner(&mut self, condition: &'a Expr, sense: bool, mark: Mark, exits: &mut Exits) -> Option<ValueId> {
        let span = span_of(condition);
        match condition {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                let mut inner = Exits { wants_facts: exits.wants_facts, ..Exits::default() };
                self.jump(&unary.operand, !sense, mark, &mut inner);
                exits.facts.append(&mut inner.facts);
                if exits.wants_values && !inner.states.is_empty() {
                    let value = self.constant_value(Constant::Bool(!sense), span);
                    exits.values.push(value);
                }
                exits.states.append(&mut inner.states);
                let is_wanted = exits.wants_values && self.frame.is_reachable;
                is_wanted.then(|| self.constant_value(Constant::Bool(sense), span))
            }
            Expr::BoolOp(logical) => {
                if logical.values.len() > MAX_TESTED {
                    return self.jump_long(&logical.values, mark, exits, span);
                }
                if (logical.op == BoolOp::And) == sense {
                    // All parts must have the result.
                    let mut value = None;
                    for part in &logical.values {
                        value = self.jump(part, sense, mark, exits);
                        if !self.frame.is_reachable {
                            self.prune(span_of(part));
                            return value;
                        }
                    }
                    return value;
                }
                self.jump_any(&logical.values, sense, mark, exits, span)
            }
            Expr::If(conditional) => {
                let mut others = Exits::default();
                self.jump(&conditional.test, true, mark, &mut others);
                let mut values = Vec::new();
                if self.frame.is_reachable {
                    values.extend(self.jump(&conditional.body, sense, mark, exits));
                }
                let first = self.depart(mark);
                self.join(others.states, span);
                if self.frame.is_reachable {
                    values.extend(self.jump(&conditional.orelse, sense, mark, exits));
                }
                let second = self.depart(mark);
                self.join(first.into_iter().chain(second).collect(), span);
                let is_wanted = exits.wants_values && self.frame.is_reachable && !values.is_empty();
                is_wanted.then(|| self.phi(&values, span))
            }
            _ => self.jump_leaf(condition, sense, mark, exits),
        }
    }

    /// One part with the result suffices.
    fn jump_any(
        &mut self,
        parts: &'a [Expr],
        sense: bool,
        mark: Mark,
        exits: &mut Exits,
        span: Span,
    ) -> Option<ValueId> {
        let mut found = Exits { wants_values: exits.wants_values, ..Exits::default() };
        let mut values = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if index + 1 < parts.len() {
                self.jump(part, !sense, mark, &mut found);
                values.append(&mut found.values);
                if !self.frame.is_reachable {
                    break;
                }
            } else if let Some(value) = self.jump(part, sense, mark, exits) {
                values.push(value);
            }
        }
        found.states.extend(self.depart(mark));
        self.join(found.states, span);
        let is_wanted = exits.wants_values && self.frame.is_reachable && !values.is_empty();
        is_wanted.then(|| self.phi(&values, span))
    }

    /// A condition of very many parts: all are evaluated, and both results are possible.
    fn jump_long(&mut self, parts: &'a [Expr], mark: Mark, exits: &mut Exits, span: Span) -> Option<ValueId> {
        let values: Vec<ValueId> = parts.iter().map(|part| self.expression(part)).collect();
        let value = self.phi(&values, span);
        self.note_facts(exits);
        exits.states.extend(self.exit(mark));
        exits.values.push(value);
        Some(value)
    }

    fn jump_leaf(&mut self, condition: &'a Expr, sense: bool, mark: Mark, exits: &mut Exits) -> Option<ValueId> {
        let loads = self.frame.loads.len();
        let value = self.expression(condition);
        if !self.frame.is_reachable {
            self.frame.loads.truncate(loads);
            return None;
        }
        if let Some(result) = self.truth(value) {
            self.frame.loads.truncate(loads);
            if result == sense {
                return Some(value);
            }
            self.note_facts(exits);
            exits.states.extend(self.depart(mark));
            exits.values.push(value);
            self.frame.is_reachable = false;
            return None;
        }
        let checks = self.checks(condition, value);
        self.frame.loads.truncate(loads);
        if exits.wants_values {
            exits.checks.extend(checks.iter().filter_map(|check| check.only_if(sense)));
        }
        self.split(&checks, value, sense, mark, exits, span_of(condition))
    }

    /// Value of `and` or `or`.
    pub(super) fn logical(&mut self, expression: &'a Expr) -> ValueId {
        let span = span_of(expression);
        let Expr::BoolOp(logical) = expression else { return self.undefined(span) };
        let Some((last, first)) = logical.values.split_last() else { return self.undefined(span) };
        let mark = self.mark();
        let has_parameters = !self.frame.returns.parameters.is_empty();
        let mut exits = Exits { wants_values: true, wants_facts: has_parameters, ..Exits::default() };
        let mut outcomes = [Vec::new(), Vec::new()];
        let sense = logical.op == BoolOp::And;
        for part in first {
            if self.frame.is_reachable {
                self.jump(part, sense, mark, &mut exits);
            }
        }
        let mut values = std::mem::take(&mut exits.values);
        if self.frame.is_reachable {
            let value = self.expression(last);
            if self.frame.is_reachable {
                values.push(value);
                let checks = self.checks(last, value);
                exits.checks.extend(checks.iter().filter_map(|check| check.only_if(sense)));
                if has_parameters {
                    outcomes = self.outcomes(last, value);
                }
            }
        } else {
            self.prune(span_of(last));
        }
        self.frame.returns.conjunction = exits.checks;
        if has_parameters {
            // The parts before decide: `and` is false, `or` is true.
            outcomes[usize::from(!sense)].append(&mut exits.facts);
            self.frame.returns.logical = Some((span, outcomes));
        }
        self.finish_branches(mark, exits.states, values, span)
    }

    /// Value of `a if test else b`.
    pub(super) fn conditional(&mut self, expression: &'a Expr) -> ValueId {
        let span = span_of(expression);
        let mark = self.mark();
        let mut states = Vec::new();
        let mut values = Vec::new();
        let mut rest = expression;
        // A chain of alternatives is not nested, up to a length.
        let mut links = 0;
        while let Expr::If(conditional) = rest
            && links < MAX_LINKS
        {
            links += 1;
            let mut exits = Exits::default();
            self.jump(&conditional.test, true, mark, &mut exits);
            if self.frame.is_reachable {
                let value = self.expression(&conditional.body);
                if self.frame.is_reachable {
                    values.push(value);
                }
            } else {
                self.prune(span_of(&*conditional.body));
            }
            states.extend(self.depart(mark));
            self.join(exits.states, span);
            rest = &conditional.orelse;
            if !self.frame.is_reachable {
                self.prune(span_of(rest));
                break;
            }
        }
        if self.frame.is_reachable {
            let value = self.expression(rest);
            if self.frame.is_reachable {
                values.push(value);
            }
        }
        self.finish_branches(mark, states, values, span)
    }

    pub(super) fn if_statement(&mut self, statement: &'a StmtIf) {
        let span = span_of(statement);
        let mark = self.mark();
        let mut states = Vec::new();
        let clauses = statement.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), clause.body.as_slice()));
        for (test, body) in std::iter::once((Some(&*statement.test), statement.body.as_slice())).chain(clauses) {
            if !self.frame.is_reachable {
                body.first().map(span_of).into_iter().for_each(|span| self.prune(span));
                break;
            }
            let mut exits = Exits::default();
            if let Some(test) = test {
                self.jump(test, true, mark, &mut exits);
            }
            if self.frame.is_reachable {
                self.statements(body);
            } else {
                body.first().map(span_of).into_iter().for_each(|span| self.prune(span));
            }
            states.extend(self.depart(mark));
            self.join(exits.states, span);
        }
        states.extend(self.depart(mark));
        self.state.release(mark);
        self.join(states, span);
    }
}
