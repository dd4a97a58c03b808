//! Loads and stores of members.

use oxc_ast::ast::{Expression, MemberExpression};
use oxc_span::GetSpan;

use crate::flow::{Constant, Op, Span, SymbolId, ValueId};
use crate::lang::ImportedConstant;
use crate::lang::ssa::MemberKey;

use super::calls::strip_types;
use super::{Lowerer, Note, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn member_key(&mut self, member: &'a MemberExpression<'a>) -> MemberKey {
        match member {
            MemberExpression::ComputedMemberExpression(member) => {
                let key = self.expression(&member.expression);
                self.key(key)
            }
            MemberExpression::StaticMemberExpression(member) => {
                MemberKey::Name(self.symbol(member.property.name.as_str()))
            }
            MemberExpression::PrivateFieldExpression(member) => {
                let name = format!("#{}", member.field.name);
                MemberKey::Name(self.symbol(&name))
            }
        }
    }

    /// Key of a computed value. A constant is a name.
    pub(super) fn key(&mut self, key: ValueId) -> MemberKey {
        match self.key_text(key) {
            Some(text) => MemberKey::Name(self.symbol(&text)),
            None => MemberKey::Value(key),
        }
    }

    /// Value of a member expression.
    pub(super) fn member(&mut self, member: &'a MemberExpression<'a>) -> ValueId {
        let span = at(member.span());
        if let Some(value) = self.sent_member(member, span) {
            return value;
        }
        let object = match member.object() {
            Expression::Super(parent) => return self.super_member(member, at(parent.span), span),
            object => {
                if let Some(value) = self.argument_member(object, member) {
                    return value;
                }
                self.expression(object)
            }
        };
        let key = self.member_key(member);
        if let MemberKey::Value(_) = key {
            self.note_list(member.object(), object);
        }
        self.load(object, key, span)
    }

    /// Value of an expression that goes on from here: it is assigned, passed, returned or part of a text. The load of a member that was
    /// read before gets a name here, so that a witness shows the read whose value goes on.
    pub(super) fn passed(&mut self, expression: &'a Expression<'a>, name: Option<SymbolId>) -> ValueId {
        let value = self.named(expression, name);
        let member = match strip_types(expression) {
            Expression::ChainExpression(chain) => chain.expression.as_member_expression(),
            expression => expression.as_member_expression(),
        };
        let Some(span) = member.map(|member| at(member.span())) else { return value };
        let first = self.canon(value);
        let is_load = matches!(self.op(first), Op::LoadField(..) | Op::LoadKey(..));
        if !is_load || self.builder.module().instructions[first.index()].span == span {
            return value;
        }
        self.emit(Op::Copy(value), span)
    }

    /// Notes the variable that names a list.
    pub(super) fn note_list(&mut self, expression: &Expression<'a>, list: ValueId) {
        if let Expression::Identifier(identifier) = expression
            && let Some(variable) = Self::variable_of(identifier)
        {
            let list = self.canon(list);
            self.frame.lists.insert(list, variable);
        }
    }

    /// `arguments[0]`, if the parameter is declared.
    fn argument_member(&mut self, object: &'a Expression<'a>, member: &'a MemberExpression<'a>) -> Option<ValueId> {
        let Expression::Identifier(identifier) = object else { return None };
        let MemberExpression::ComputedMemberExpression(computed) = member else { return None };
        if identifier.name != "arguments" {
            return None;
        }
        let variable = Self::variable_of(identifier)?;
        if self.scopes.functions[self.frame.number as usize].arguments != Some(variable) {
            return None;
        }
        if self.frame.writes_arguments {
            return None;
        }
        let Expression::NumericLiteral(index) = &computed.expression else { return None };
        let index = index.value;
        (index.fract() == 0.0 && index >= 0.0 && index < self.current.parameters.len() as f64)
            .then(|| self.current.parameters[index as usize])
    }

    /// `super.name`.
    fn super_member(&mut self, member: &'a MemberExpression<'a>, parent: Span, span: Span) -> ValueId {
        let home = self.super_home(parent);
        let key = self.member_key(member);
        let value = self.load(home, key, span);
        // Getters of the superclass read fields of the receiver.
        let this = self.this(parent);
        let own = self.load(this, key, span);
        self.phi(&[value, own], span)
    }

    /// Member of a constant: the length of a text, or a character of it.
    fn folded_member(&mut self, base: ValueId, field: SymbolId) -> Option<Constant> {
        let Op::Constant(Constant::String(text)) = self.op(base) else { return None };
        let (text, field) = (self.builder.text(text), self.builder.text(field));
        if field == "length" {
            return Some(Constant::Number(text.encode_utf16().count() as f64));
        }
        let position: usize = field.parse().ok()?;
        let character = text.get(position..=position).filter(|_| text.is_ascii())?.to_owned();
        Some(Constant::String(self.symbol(&character)))
    }

    /// Load of a member, or the value that is known to be there.
    pub(super) fn load(&mut self, object: ValueId, key: MemberKey, span: Span) -> ValueId {
        if let MemberKey::Name(field) = key
            && let Some(constant) = self.folded_member(self.canon(object), field)
        {
            return self.constant_value(constant, span);
        }
        if let MemberKey::Name(field) = key
            && let Some(constant) = self.imported_constant(object, field)
        {
            return self.constant_value(constant, span);
        }
        let count = self.builder.module().instructions.len();
        let value = self.ssa.load(object, key, span);
        if value.index() >= count && matches!(key, MemberKey::Name(_)) {
            self.note_reload(object, value);
        }
        value
    }

    /// Constant that another module exports: `flags.RELEASE`, `keys.names.user`.
    fn imported_constant(&mut self, object: ValueId, field: SymbolId) -> Option<Constant> {
        let constants = &self.options.constants?.members;
        let member = self.builder.text(field);
        let (specifier, path) = match self.imported_value(object)? {
            (specifier, None) => (specifier, member.to_owned()),
            (specifier, Some(name)) => (specifier, format!("{}.{member}", self.builder.text(name))),
        };
        let specifier = self.builder.text(specifier).to_owned();
        Some(match constants.get(&(specifier, path))? {
            ImportedConstant::String(text) => Constant::String(self.symbol(text)),
            ImportedConstant::Number(number) => Constant::Number(*number),
            ImportedConstant::Bool(flag) => Constant::Bool(*flag),
        })
    }

    /// Module, or member of a module, that a value is: specifier, name.
    pub(super) fn imported_value(&self, value: ValueId) -> Option<(SymbolId, Option<SymbolId>)> {
        let value = self.canon(value);
        if let Some(&Note::Imported(specifier, name)) = self.notes.get(&value) {
            return Some((specifier, name));
        }
        match self.op(value) {
            Op::Import(specifier) => Some((specifier, None)),
            Op::LoadField(outer, name) => match self.imported_value(outer)? {
                (specifier, None) => Some((specifier, Some(name))),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn load_field(&mut self, object: ValueId, name: &str, span: Span) -> ValueId {
        let field = self.symbol(name);
        self.load(object, MemberKey::Name(field), span)
    }
}
