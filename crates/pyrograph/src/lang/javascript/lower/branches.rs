//! Conditions and branches.

use oxc_ast::ast::{Expression, IfStatement, LogicalOperator, Statement, UnaryOperator};
use oxc_span::GetSpan;

use crate::flow::{Constant, Span, Test, ValueId};
use crate::lang::ssa::{Check, Exits, MAX_TESTED, Mark, combined};

use super::{Lowerer, at};

/// Links of a chain of alternatives that are lowered together.
const MAX_LINKS: usize = 64;

impl<'a> Lowerer<'a, '_> {
    /// Lowers a condition and continues where its result is `sense`. The exits are the points with the other result.
    /// The value is that of the last part that was evaluated.
    pub(super) fn jump(
        &mut self,
        condition: &'a Expression<'a>,
        sense: bool,
        mark: Mark,
        exits: &mut Exits,
    ) -> Option<ValueId> {
        if !self.enter() {
            self.leave();
            return None;
        }
        let value = self.jump_inner(condition, sense, mark, exits);
        self.leave();
        value
    }

    fn jump_inner(
        &mut self,
        condition: &'a Expression<'a>,
        sense: bool,
        mark: Mark,
        exits: &mut Exits,
    ) -> Option<ValueId> {
        match condition {
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
                let span = at(unary.span);
                let mut inner = Exits { wants_facts: exits.wants_facts, ..Exits::default() };
                self.jump(&unary.argument, !sense, mark, &mut inner);
                exits.facts.append(&mut inner.facts);
                if exits.wants_values && !inner.states.is_empty() {
                    let value = self.constant_value(Constant::Bool(!sense), span);
                    exits.values.push(value);
                }
                exits.states.append(&mut inner.states);
                let is_wanted = exits.wants_values && self.frame.is_reachable;
                is_wanted.then(|| self.constant_value(Constant::Bool(sense), span))
            }
            Expression::LogicalExpression(logical) if logical.operator != LogicalOperator::Coalesce => {
                // Operators of the same kind nest to the left.
                let operator = logical.operator;
                let mut parts = vec![&logical.right];
                let mut left = &logical.left;
                while let Expression::LogicalExpression(inner) = left
                    && inner.operator == operator
                {
                    parts.push(&inner.right);
                    left = &inner.left;
                }
                parts.push(left);
                parts.reverse();
                let is_and = operator == LogicalOperator::And;
                if parts.len() > MAX_TESTED {
                    return self.jump_long(parts, mark, exits, at(condition.span()));
                }
                if is_and == sense {
                    // All parts must have the result.
                    let mut value = None;
                    for part in parts {
                        value = self.jump(part, sense, mark, exits);
                        if !self.frame.is_reachable {
                            self.prune(at(part.span()));
                            return value;
                        }
                    }
                    return value;
                }
                // One part with the result suffices.
                let wants_facts = !self.frame.returns.parameters.is_empty();
                let mut found = Exits { wants_values: exits.wants_values, wants_facts, ..Exits::default() };
                let mut values = Vec::new();
                let last = parts.len() - 1;
                for (index, part) in parts.into_iter().enumerate() {
                    if index < last {
                        self.jump(part, !sense, mark, &mut found);
                        values.append(&mut found.values);
                        if !self.frame.is_reachable {
                            break;
                        }
                    } else if let Some(value) = self.jump(part, sense, mark, exits) {
                        values.push(value);
                    }
                }
                if self.frame.is_reachable {
                    self.note_facts(&mut found);
                }
                self.frame.returns.met = found.facts;
                found.states.extend(self.depart(mark));
                let span = at(condition.span());
                self.join(found.states, span);
                let is_wanted = exits.wants_values && self.frame.is_reachable && !values.is_empty();
                is_wanted.then(|| self.phi(&values, span))
            }
            Expression::ConditionalExpression(conditional) => {
                let span = at(conditional.span);
                let met = self.frame.returns.met.clone();
                let mut others = Exits::default();
                self.jump(&conditional.test, true, mark, &mut others);
                let mut values = Vec::new();
                if self.frame.is_reachable {
                    values.extend(self.jump(&conditional.consequent, sense, mark, exits));
                }
                let first = self.depart(mark);
                self.join(others.states, span);
                if self.frame.is_reachable {
                    values.extend(self.jump(&conditional.alternate, sense, mark, exits));
                }
                let second = self.depart(mark);
                self.join(first.into_iter().chain(second).collect(), span);
                self.frame.returns.met = met;
                let is_wanted = exits.wants_values && self.frame.is_reachable && !values.is_empty();
                is_wanted.then(|| self.phi(&values, span))
            }
            Expression::SequenceExpression(sequence) => {
                let (last, first) = sequence.expressions.split_last()?;
                for expression in first {
                    let met = std::mem::take(&mut self.frame.returns.met);
                    self.expression(expression);
                    self.frame.returns.met = met;
                }
                self.jump(last, sense, mark, exits)
            }
            Expression::TSAsExpression(inner) => self.jump(&inner.expression, sense, mark, exits),
            Expression::TSNonNullExpression(inner) => self.jump(&inner.expression, sense, mark, exits),
            Expression::ParenthesizedExpression(inner) => self.jump(&inner.expression, sense, mark, exits),
            _ => self.jump_leaf(condition, sense, mark, exits),
        }
    }

    /// A condition of very many parts: all are evaluated, and both results are possible.
    fn jump_long(
        &mut self,
        parts: Vec<&'a Expression<'a>>,
        mark: Mark,
        exits: &mut Exits,
        span: Span,
    ) -> Option<ValueId> {
        let values: Vec<ValueId> = parts.into_iter().map(|part| self.expression(part)).collect();
        let value = self.phi(&values, span);
        self.note_facts(exits);
        exits.states.extend(self.exit(mark));
        exits.values.push(value);
        Some(value)
    }

    fn jump_leaf(
        &mut self,
        condition: &'a Expression<'a>,
        sense: bool,
        mark: Mark,
        exits: &mut Exits,
    ) -> Option<ValueId> {
        let loads = self.frame.loads.len();
        let met = std::mem::take(&mut self.frame.returns.met);
        let value = self.expression(condition);
        self.frame.returns.met = met;
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
        self.split(&checks, value, sense, mark, exits, at(condition.span()))
    }

    /// `value ?? other`: continues where the value is absent.
    fn jump_absent(&mut self, left: &'a Expression<'a>, mark: Mark, exits: &mut Exits) {
        let loads = self.frame.loads.len();
        let value = self.expression(left);
        let span = at(left.span());
        let constant = self.constant(value);
        match constant {
            Some(Constant::Null | Constant::Undefined) => {}
            Some(_) => {
                exits.states.extend(self.depart(mark));
                exits.values.push(value);
                self.frame.is_reachable = false;
            }
            None => {
                let place = self.place(left);
                let checks: Vec<Check> = place
                    .map(|(place, name)| {
                        let test = self.builder.test(Test::EqualsConstant(Constant::Null));
                        Check::new(place, name, test, true)
                    })
                    .into_iter()
                    .collect();
                self.split(&checks, value, true, mark, exits, span);
            }
        }
        self.frame.loads.truncate(loads);
    }

    /// Value of `&&`, `||` or `??`.
    pub(super) fn logical(&mut self, expression: &'a Expression<'a>) -> ValueId {
        let Expression::LogicalExpression(logical) = expression else { return self.undefined(at(expression.span())) };
        let span = at(logical.span);
        let mark = self.mark();
        let has_parameters = !self.frame.returns.parameters.is_empty();
        let mut exits = Exits { wants_values: true, wants_facts: has_parameters, ..Exits::default() };
        let mut outcomes = [Vec::new(), Vec::new()];
        self.frame.returns.met.clear();
        match logical.operator {
            LogicalOperator::And => {
                self.jump(&logical.left, true, mark, &mut exits);
            }
            LogicalOperator::Or => {
                self.jump(&logical.left, false, mark, &mut exits);
            }
            LogicalOperator::Coalesce => self.jump_absent(&logical.left, mark, &mut exits),
        }
        let met = std::mem::take(&mut self.frame.returns.met);
        let mut values = std::mem::take(&mut exits.values);
        if self.frame.is_reachable {
            let value = self.expression(&logical.right);
            if self.frame.is_reachable {
                values.push(value);
                if logical.operator != LogicalOperator::Coalesce {
                    let sense = logical.operator == LogicalOperator::And;
                    let checks = self.checks(&logical.right, value);
                    exits.checks.extend(checks.iter().filter_map(|check| check.only_if(sense)));
                    if has_parameters {
                        outcomes = self.outcomes(&logical.right, value).map(|facts| combined(facts, &met));
                    }
                }
            }
        } else {
            self.prune(at(logical.right.span()));
        }
        self.frame.returns.conjunction = exits.checks;
        if has_parameters && logical.operator != LogicalOperator::Coalesce {
            // The left side decides: `&&` is false, `||` is true.
            let decided = usize::from(logical.operator == LogicalOperator::Or);
            outcomes[decided].append(&mut exits.facts);
            self.frame.returns.logical = Some((span, outcomes));
        }
        self.finish_branches(mark, exits.states, values, span)
    }

    /// Value of `test ? a : b`.
    pub(super) fn conditional(&mut self, expression: &'a Expression<'a>) -> ValueId {
        let span = at(expression.span());
        let mark = self.mark();
        let mut states = Vec::new();
        let mut values = Vec::new();
        let mut rest = expression;
        // A chain of alternatives is not nested, up to a length.
        let mut links = 0;
        while let Expression::ConditionalExpression(conditional) = rest
            && links < MAX_LINKS
        {
            links += 1;
            let mut exits = Exits::default();
            self.jump(&conditional.test, true, mark, &mut exits);
            if self.frame.is_reachable {
                let value = self.expression(&conditional.consequent);
                if self.frame.is_reachable {
                    values.push(value);
                }
            } else {
                self.prune(at(conditional.consequent.span()));
            }
            states.extend(self.depart(mark));
            self.join(exits.states, span);
            rest = &conditional.alternate;
            if !self.frame.is_reachable {
                self.prune(at(rest.span()));
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

    pub(super) fn if_statement(&mut self, statement: &'a IfStatement<'a>) {
        let span = at(statement.span);
        let mark = self.mark();
        let mut states = Vec::new();
        let mut next = Some(statement);
        // A chain of `else if` is not nested, up to a length.
        let mut links = 0;
        while let Some(current) = next.take() {
            links += 1;
            let mut exits = Exits::default();
            self.jump(&current.test, true, mark, &mut exits);
            if self.frame.is_reachable {
                self.statement(&current.consequent);
            } else {
                self.skip(&current.consequent);
                self.prune(at(current.consequent.span()));
            }
            states.extend(self.depart(mark));
            self.join(exits.states, span);
            match &current.alternate {
                Some(alternate) if !self.frame.is_reachable => {
                    self.skip(alternate);
                    self.prune(at(alternate.span()));
                }
                Some(Statement::IfStatement(inner)) if links < MAX_LINKS => next = Some(inner),
                Some(alternate) => self.statement(alternate),
                None => {}
            }
        }
        states.extend(self.depart(mark));
        self.state.release(mark);
        self.join(states, span);
    }
}
