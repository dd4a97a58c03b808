//! Components of Vue: the functions of an options object have one receiver, with the members of all its tables.
//!
//! `{ data() { return { text } }, methods: { show() { this.text } } }`: the receiver of `show` has the fields that `data` returns, the
//! methods, and the computed properties.

use oxc_ast::ast::{
    ArrowFunctionBody, Expression, ObjectExpression, ObjectProperty, ObjectPropertyKind, PropertyKind, Statement,
};

use crate::flow::{Call, CallKind, Op, Span, ValueId};

use super::checks::strip;
use super::{Lowerer, at};

/// Tables of functions.
const TABLES: [&str; 3] = ["methods", "computed", "watch"];

/// Other members of options objects, of which one is enough.
const OTHERS: [&str; 18] = [
    "data",
    "props",
    "template",
    "el",
    "components",
    "mixins",
    "extends",
    "setup",
    "directives",
    "created",
    "mounted",
    "beforeCreate",
    "beforeMount",
    "updated",
    "destroyed",
    "unmounted",
    "beforeDestroy",
    "activated",
];

impl<'a> Lowerer<'a, '_> {
    /// Connects the parts of an options object, if a literal is one. Its properties were lowered just before.
    pub(super) fn component(&mut self, literal: &'a ObjectExpression<'a>, object: ValueId) {
        let has_table = properties(literal).any(|(name, property)| TABLES.contains(&name) && table(property).is_some());
        let has_data = properties(literal).any(|(name, _)| name == "data");
        let has_other = properties(literal).any(|(name, _)| OTHERS.contains(&name));
        let has_hook =
            properties(literal).any(|(name, property)| OTHERS[9..].contains(&name) && is_function(&property.value));
        if !(has_table && has_other || has_data && has_hook) {
            return;
        }
        let all: Vec<_> = properties(literal).collect();
        for (name, property) in all {
            let span = at(property.span);
            match name {
                "data" => self.component_data(object, property, span),
                "methods" => {
                    let methods = self.load_field(object, name, span);
                    self.copy_members(object, methods, &table(property).map_or_else(Vec::new, names), span);
                }
                "computed" | "watch" => self.component_table(object, name, property, span),
                _ => {}
            }
        }
    }

    /// Copies members to the instance: those with known names one by one.
    fn copy_members(&mut self, object: ValueId, origin: ValueId, names: &[&str], span: Span) {
        for name in names {
            let value = self.load_field(origin, name, span);
            let field = self.symbol(name);
            self.store_field(object, field, value, span);
        }
        self.emit(Op::CopyFields(object, origin), span);
        self.note_store_all(object);
    }

    /// The fields of an instance are those of `data`, or of what it returns.
    fn component_data(&mut self, object: ValueId, property: &'a ObjectProperty<'a>, span: Span) {
        let mut data = self.load_field(object, "data", span);
        if is_function(&property.value) {
            let call = Call { callee: data, receiver: Some(object), arguments: Vec::new(), kind: CallKind::Call };
            data = self.emit_call(call, false, span);
        }
        self.copy_members(object, data, &data_names(&property.value), span);
    }

    /// Computed properties are getters of the instance. Functions that watch a property are called with the instance.
    fn component_table(&mut self, object: ValueId, name: &str, property: &'a ObjectProperty<'a>, span: Span) {
        let Some(literal) = table(property) else { return };
        let members = self.load_field(object, name, span);
        let entries: Vec<_> = properties(literal).collect();
        for (member, entry) in entries {
            let span = at(entry.span);
            let mut function = self.load_field(members, member, span);
            if let Expression::ObjectExpression(_) = strip(&entry.value) {
                function = self.load_field(function, if name == "computed" { "get" } else { "handler" }, span);
            } else if !is_function(&entry.value) {
                continue;
            }
            if name == "computed" {
                let field = self.symbol(member);
                self.accessors.insert(field);
                self.emit(Op::DefineGetter(object, field, function), span);
            } else {
                let field = self.symbol(&format!("%watch {member}"));
                self.store_field(object, field, function, span);
            }
        }
    }
}

/// Properties with constant names.
fn properties<'a>(literal: &'a ObjectExpression<'a>) -> impl Iterator<Item = (&'a str, &'a ObjectProperty<'a>)> + 'a {
    literal.properties.iter().filter_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) if !property.computed && property.kind == PropertyKind::Init => {
            let name = match &property.key {
                oxc_ast::ast::PropertyKey::StaticIdentifier(name) => name.name.as_str(),
                oxc_ast::ast::PropertyKey::StringLiteral(name) => name.value.as_str(),
                _ => return None,
            };
            Some((name, &**property))
        }
        _ => None,
    })
}

fn names<'a>(literal: &'a ObjectExpression<'a>) -> Vec<&'a str> {
    properties(literal).map(|(name, _)| name).collect()
}

/// Names of the fields of `data`: of a literal, or of the literals that a function returns.
fn data_names<'a>(data: &'a Expression<'a>) -> Vec<&'a str> {
    let returned = |statements: &'a [Statement<'a>]| {
        let literals = statements.iter().filter_map(|statement| match statement {
            Statement::ReturnStatement(statement) => statement.argument.as_ref(),
            _ => None,
        });
        literals.flat_map(data_names).collect()
    };
    match strip(data) {
        Expression::ObjectExpression(literal) => names(literal),
        Expression::FunctionExpression(function) => {
            function.body.as_ref().map_or_else(Vec::new, |body| returned(&body.statements))
        }
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => returned(&body.statements),
            body => body.as_expression().map_or_else(Vec::new, data_names),
        },
        _ => Vec::new(),
    }
}

/// Literal of a table.
fn table<'a>(property: &'a ObjectProperty<'a>) -> Option<&'a ObjectExpression<'a>> {
    match strip(&property.value) {
        Expression::ObjectExpression(literal) => Some(literal),
        _ => None,
    }
}

fn is_function(expression: &Expression<'_>) -> bool {
    matches!(strip(expression), Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
}
