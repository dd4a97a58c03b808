//! Assignments.

use oxc_ast::ast::{
    AssignmentExpression, AssignmentOperator, AssignmentTarget, BinaryOperator, Expression, IdentifierReference,
    MemberExpression, SimpleAssignmentTarget, UpdateExpression,
};
use oxc_span::GetSpan;

use crate::flow::{BinaryOp, Constant, Op, Span, Test, ValueId};
use crate::lang::ssa::{Check, Exits, Key, MemberKey, Tested};

use super::{Lowerer, at};

/// Target of an assignment, evaluated.
#[derive(Clone, Copy)]
enum Slot<'a> {
    Identifier(&'a IdentifierReference<'a>),
    Member(ValueId, MemberKey, Span),
    Nothing,
}

impl<'a> Lowerer<'a, '_> {
    pub(super) fn assignment(&mut self, assignment: &'a AssignmentExpression<'a>) -> ValueId {
        let span = at(assignment.span);
        let Some(target) = assignment.left.as_simple_assignment_target() else {
            let value = self.expression(&assignment.right);
            self.assign_target(&assignment.left, value, span);
            return value;
        };
        let slot = self.slot(target);
        match assignment.operator {
            AssignmentOperator::Assign => {
                let name = match slot {
                    Slot::Identifier(identifier) => Some(self.symbol(identifier.name.as_str())),
                    Slot::Member(_, MemberKey::Name(name), _) => Some(name),
                    _ => None,
                };
                let value = self.passed(&assignment.right, name);
                self.fill(slot, value, span);
                value
            }
            AssignmentOperator::LogicalAnd | AssignmentOperator::LogicalOr | AssignmentOperator::LogicalNullish => {
                self.logical_assignment(assignment, slot)
            }
            operator => {
                let old = self.current_value(slot, span);
                let right = self.expression(&assignment.right);
                let operator = operator.to_binary_operator().unwrap_or(BinaryOperator::Subtraction);
                let value = self.operator(operator, old, right, span);
                self.fill(slot, value, span);
                value
            }
        }
    }

    fn logical_assignment(&mut self, assignment: &'a AssignmentExpression<'a>, slot: Slot<'a>) -> ValueId {
        let span = at(assignment.span);
        let old = self.current_value(slot, span);
        let is_nullish = assignment.operator == AssignmentOperator::LogicalNullish;
        // Result of the test with which the right side is evaluated.
        let sense = assignment.operator != AssignmentOperator::LogicalOr;
        let known = if is_nullish {
            self.constant(old).map(|constant| matches!(constant, Constant::Null | Constant::Undefined))
        } else {
            self.truth(old)
        };
        let mark = self.mark();
        let mut exits = Exits::default();
        match known {
            Some(result) if result == sense => {}
            Some(_) => {
                exits.states.extend(self.depart(mark));
                exits.values.push(old);
                self.frame.is_reachable = false;
            }
            None => {
                let test = if is_nullish { Test::EqualsConstant(Constant::Null) } else { Test::Truthy };
                let tested = match slot {
                    Slot::Identifier(identifier) => Self::variable_of(identifier).map(Tested::Variable),
                    Slot::Member(object, MemberKey::Name(field), _) => {
                        Some(Tested::Memory(Key::field(self.canon(object), field)))
                    }
                    _ => None,
                };
                let checks: Vec<Check> = tested
                    .map(|tested| {
                        let test = self.builder.test(test);
                        Check::new(tested, old, test, true)
                    })
                    .into_iter()
                    .collect();
                self.split(&checks, old, sense, mark, &mut exits, span);
            }
        }
        let mut values = exits.values;
        if self.frame.is_reachable {
            let value = self.expression(&assignment.right);
            self.fill(slot, value, span);
            values.push(value);
        } else {
            self.prune(at(assignment.right.span()));
        }
        self.finish_branches(mark, exits.states, values, span)
    }

    pub(super) fn update(&mut self, update: &'a UpdateExpression<'a>) -> ValueId {
        let span = at(update.span);
        let slot = self.slot(&update.argument);
        let old = self.current_value(slot, span);
        let one = self.constant_value(Constant::Number(1.0), span);
        let value = self.emit(Op::Binary(BinaryOp::Arithmetic, old, one), span);
        self.fill(slot, value, span);
        value
    }

    fn slot(&mut self, target: &'a SimpleAssignmentTarget<'a>) -> Slot<'a> {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => Slot::Identifier(identifier),
            SimpleAssignmentTarget::TSAsExpression(inner) => self.expression_slot(&inner.expression),
            SimpleAssignmentTarget::TSSatisfiesExpression(inner) => self.expression_slot(&inner.expression),
            SimpleAssignmentTarget::TSNonNullExpression(inner) => self.expression_slot(&inner.expression),
            SimpleAssignmentTarget::TSTypeAssertion(inner) => self.expression_slot(&inner.expression),
            target => self.member_slot(target.to_member_expression()),
        }
    }

    fn expression_slot(&mut self, expression: &'a Expression<'a>) -> Slot<'a> {
        match expression.get_inner_expression() {
            Expression::Identifier(identifier) => Slot::Identifier(identifier),
            expression => match expression.as_member_expression() {
                Some(member) => self.member_slot(member),
                None => Slot::Nothing,
            },
        }
    }

    fn member_slot(&mut self, member: &'a MemberExpression<'a>) -> Slot<'a> {
        let object = match member.object() {
            Expression::Super(parent) => self.this(at(parent.span)),
            object => self.expression(object),
        };
        self.frame.writes_arguments |= matches!(self.op(self.canon(object)), Op::Arguments);
        let key = self.member_key(member);
        Slot::Member(object, key, at(member.span()))
    }

    fn current_value(&mut self, slot: Slot<'a>, span: Span) -> ValueId {
        match slot {
            Slot::Identifier(identifier) => self.read_identifier(identifier),
            Slot::Member(object, key, span) => self.load(object, key, span),
            Slot::Nothing => self.undefined(span),
        }
    }

    fn fill(&mut self, slot: Slot<'a>, value: ValueId, span: Span) {
        match slot {
            Slot::Identifier(identifier) => self.write_identifier(identifier, value, span),
            Slot::Member(object, key, _) => {
                self.store(object, key, value, span);
                self.note_element_store(object, key, span);
                self.note_own_store(object, key, value, span);
                self.note_certain_store(object, key);
            }
            Slot::Nothing => {}
        }
    }

    /// Assigns to a target that is no pattern.
    pub(super) fn assign_simple(&mut self, target: &'a AssignmentTarget<'a>, value: ValueId, span: Span) {
        if let Some(target) = target.as_simple_assignment_target() {
            let slot = self.slot(target);
            self.fill(slot, value, span);
        }
    }
}
