//! Enumerations and namespaces of TypeScript.

use std::collections::HashMap;
use std::rc::Rc;

use oxc_ast::ast::{
    Statement, TSEnumDeclaration, TSEnumMemberName, TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};

use crate::flow::{AllocateKind, Constant, Op};

use super::constants::number_text;
use super::{Lowerer, Note, at};

impl<'a> Lowerer<'a, '_> {
    pub(super) fn enumeration(&mut self, declaration: &'a TSEnumDeclaration<'a>) {
        let object = self.allocate(AllocateKind::Object, at(declaration.span));
        let mut members = HashMap::default();
        let mut next = Some(0.0);
        for member in &declaration.body.members {
            let span = at(member.span);
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => name.name.as_str(),
                TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => name.value.as_str(),
                TSEnumMemberName::ComputedTemplateString(name) => {
                    name.quasis.first().map_or("", |quasi| quasi.value.raw.as_str())
                }
            };
            let field = self.symbol(name);
            let value = match (&member.initializer, next) {
                (Some(initializer), _) => self.expression(initializer),
                (None, Some(number)) => self.constant_value(Constant::Number(number), span),
                (None, None) => self.undefined(span),
            };
            next = None;
            if let Some(constant) = self.constant(value) {
                members.insert(field, constant);
                if let Constant::Number(number) = constant {
                    next = Some(number + 1.0);
                    if let Some(text) = number_text(number) {
                        let reverse = self.symbol(&text);
                        let name = self.text(name, span);
                        self.store_field(object, reverse, name, span);
                    }
                }
            }
            self.store_field(object, field, value, span);
            let variable = member.node_id.get().index() as u32;
            let is_named = !matches!(member.id, TSEnumMemberName::ComputedTemplateString(_));
            if is_named && self.scopes.variables[variable as usize].reads > 0 {
                self.write(variable, value, span);
            }
        }
        self.notes.insert(object, Note::Members(Rc::new(members)));
        if let Some(variable) = Self::declared(&declaration.id) {
            self.write(variable, object, at(declaration.id.span));
        }
    }

    pub(super) fn namespace(&mut self, declaration: &'a TSNamespaceDeclaration<'a>) {
        if !self.enter() {
            return self.leave();
        }
        let span = at(declaration.span);
        let variable = Self::declared(&declaration.id);
        // A namespace may continue a function, class or namespace of the same name.
        let old = variable.and_then(|variable| self.name(variable));
        let object = match old {
            Some(old) if !matches!(self.op(self.canon(old)), Op::Constant(_)) => old,
            _ => self.allocate(AllocateKind::Object, span),
        };
        if let Some(variable) = variable {
            self.write(variable, object, at(declaration.id.span));
        }
        let outer = self.current.namespace.replace(object);
        match &declaration.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                self.namespace(inner);
                if let Some(value) = Self::declared(&inner.id).and_then(|variable| self.name(variable)) {
                    self.export(inner.id.name.as_str(), value, at(inner.span));
                }
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                self.statements(&block.body);
                self.export_names(&block.body);
            }
        }
        self.current.namespace = outer;
        self.leave();
    }

    /// Stores the exported declarations of a namespace.
    fn export_names(&mut self, statements: &'a [Statement<'a>]) {
        for statement in statements {
            let Statement::ExportDeclaration(export) = statement else { continue };
            let mut identifiers = Vec::new();
            match &export.declaration {
                oxc_ast::ast::Declaration::VariableDeclaration(declaration) => {
                    for declarator in &declaration.declarations {
                        identifiers.extend(declarator.id.get_binding_identifiers());
                    }
                }
                declaration => identifiers.extend(declaration.id()),
            }
            for identifier in identifiers {
                let value = Self::declared(identifier).and_then(|variable| self.name(variable));
                if let Some(value) = value {
                    self.export(identifier.name.as_str(), value, at(identifier.span));
                }
            }
        }
    }
}
