//! Modules: imports, exports, `require`, AMD.

use oxc_ast::ast::{
    self, CallExpression, ExportDefaultDeclarationKind, Expression, FormalParameters, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ImportOrExportKind, Statement, TSImportEqualsDeclaration,
    TSModuleReference, TSType, TSTypeName,
};
use oxc_span::GetSpan;

use crate::flow::{Argument, Call, CallKind, Constant, Op, Span, SymbolId, ValueId};
use crate::lang::javascript::bind::export_name;

use super::{Lowerer, at};

impl<'a> Lowerer<'a, '_> {
    /// Another module.
    pub(super) fn import(&mut self, specifier: &str, span: Span) -> ValueId {
        let symbol = self.symbol(specifier);
        self.import_symbol(symbol, span)
    }

    fn import_symbol(&mut self, symbol: SymbolId, span: Span) -> ValueId {
        if let Some(&value) = self.frame.imports.get(&symbol) {
            return value;
        }
        let value = self.emit(Op::Import(symbol), span);
        self.frame.imports.insert(symbol, value);
        value
    }

    pub(super) fn exports(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.exports {
            return value;
        }
        let value = self.emit(Op::Exports, span);
        self.current.exports = Some(value);
        value
    }

    pub(super) fn module_object(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.module {
            return value;
        }
        let value = self.emit(Op::ModuleObject, span);
        self.current.module = Some(value);
        value
    }

    /// Exports a value by a name, from the module or the namespace around.
    pub(super) fn export(&mut self, name: &str, value: ValueId, span: Span) {
        let target = match self.current.namespace {
            Some(namespace) => namespace,
            None => self.exports(span),
        };
        let field = self.symbol(name);
        self.store_field(target, field, value, span);
    }

    /// Notes the names that an import binds, those of types too.
    fn note_imported(&mut self, import: &'a ImportDeclaration<'a>) {
        let module = self.symbol(import.source.value.as_str());
        for specifier in import.specifiers.iter().flatten() {
            let (local, name) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    (&specifier.local, Some(export_name(&specifier.imported)))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => (&specifier.local, None),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => (&specifier.local, None),
            };
            self.imported.insert(local.name.as_str(), (module, name));
        }
    }

    /// Types of parameters that are imported: position, specifier of the module, name of the type.
    pub(super) fn parameter_types(&mut self, parameters: &FormalParameters<'a>) -> Vec<(u32, SymbolId, SymbolId)> {
        let mut types = Vec::new();
        for (position, parameter) in parameters.items.iter().enumerate() {
            let Some(annotation) = &parameter.type_annotation else { continue };
            let TSType::TSTypeReference(reference) = &annotation.type_annotation else { continue };
            let (binding, member) = match &reference.type_name {
                TSTypeName::IdentifierReference(name) => (name.name.as_str(), None),
                TSTypeName::QualifiedName(name) => match &name.left {
                    TSTypeName::IdentifierReference(left) => (left.name.as_str(), Some(name.right.name.as_str())),
                    _ => continue,
                },
                TSTypeName::ThisExpression(_) => continue,
            };
            let name = match (self.imported.get(binding).copied(), member) {
                (Some((module, None)), Some(member)) => Some((module, member)),
                (Some((module, Some(name))), None) => Some((module, name)),
                _ => None,
            };
            if let Some((module, name)) = name {
                let name = self.symbol(name);
                types.push((position as u32, module, name));
            }
        }
        types
    }

    /// Imports are bound before the other statements run.
    pub(super) fn imports(&mut self, statements: &'a [Statement<'a>]) {
        for statement in statements {
            let Statement::ImportDeclaration(import) = statement else { continue };
            self.note_imported(import);
            if import.import_kind == ImportOrExportKind::Type {
                continue;
            }
            let span = at(import.span);
            let Some(specifiers) = &import.specifiers else {
                self.import(import.source.value.as_str(), span);
                continue;
            };
            for specifier in specifiers {
                let (local, name, span) = match specifier {
                    ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                        if specifier.import_kind == ImportOrExportKind::Type {
                            continue;
                        }
                        (&specifier.local, Some(export_name(&specifier.imported)), at(specifier.span))
                    }
                    ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                        (&specifier.local, Some("default"), at(specifier.span))
                    }
                    ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                        (&specifier.local, None, at(specifier.span))
                    }
                };
                let mut value = self.import(import.source.value.as_str(), at(import.span));
                if let Some(name) = name {
                    value = self.load_field(value, name, span);
                }
                if let Some(variable) = Self::declared(local) {
                    self.write(variable, value, span);
                }
            }
        }
    }

    /// Import and export statements.
    pub(super) fn module_statement(&mut self, statement: &'a Statement<'a>) {
        match statement {
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => {
                let span = at(export.span);
                match &export.declaration {
                    // Functions are created before.
                    ExportDefaultDeclarationKind::FunctionDeclaration(_)
                    | ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {}
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        let name = self.symbol("default");
                        let value = self.class(class, Some(name));
                        if class.id.is_none() {
                            self.export("default", value, span);
                        }
                    }
                    declaration => {
                        let name = self.symbol("default");
                        let value = self.named(declaration.to_expression(), Some(name));
                        self.export("default", value, span);
                    }
                }
            }
            Statement::ExportFromDeclaration(export) => {
                if export.export_kind == ImportOrExportKind::Type {
                    return;
                }
                let module = self.import(export.source.value.as_str(), at(export.span));
                for specifier in &export.specifiers {
                    if specifier.export_kind == ImportOrExportKind::Type {
                        continue;
                    }
                    let span = at(specifier.span);
                    let value = self.load_field(module, export_name(&specifier.local), span);
                    self.export(export_name(&specifier.exported), value, span);
                }
            }
            Statement::ExportAllDeclaration(export) => {
                if export.export_kind == ImportOrExportKind::Type {
                    return;
                }
                let span = at(export.span);
                let module = self.import(export.source.value.as_str(), span);
                match &export.exported {
                    Some(name) => self.export(export_name(name), module, span),
                    None => {
                        let exports = self.exports(span);
                        self.emit(Op::CopyFields(exports, module), span);
                        self.note_store_all(exports);
                    }
                }
            }
            Statement::TSExportAssignment(export) => {
                let span = at(export.span);
                let value = self.expression(&export.expression);
                let module = self.module_object(span);
                let field = self.symbol("exports");
                self.store_field(module, field, value, span);
            }
            _ => {}
        }
    }

    /// `import x = require("y")`, `import x = a.b`.
    pub(super) fn import_equals(&mut self, import: &'a TSImportEqualsDeclaration<'a>) {
        if import.import_kind == ImportOrExportKind::Type {
            return;
        }
        let span = at(import.span);
        let value = match &import.module_reference {
            TSModuleReference::ExternalModuleReference(reference) => {
                self.import(reference.expression.value.as_str(), span)
            }
            TSModuleReference::IdentifierReference(identifier) => self.read_identifier(identifier),
            TSModuleReference::QualifiedName(name) => {
                let mut names = vec![name.right.name.as_str()];
                let mut left = &name.left;
                while let TSTypeName::QualifiedName(inner) = left {
                    names.push(inner.right.name.as_str());
                    left = &inner.left;
                }
                let TSTypeName::IdentifierReference(root) = left else { return };
                let mut value = self.read_identifier(root);
                for name in names.into_iter().rev() {
                    value = self.load_field(value, name, span);
                }
                value
            }
        };
        if let Some(variable) = Self::declared(&import.id) {
            self.write(variable, value, span);
        }
    }

    /// `require("x")`.
    pub(super) fn require(&mut self, call: &'a CallExpression<'a>) -> Option<ValueId> {
        self.require_argument(call, 0)
    }

    /// Call of `require` whose specifier is the argument at a position. Others are evaluated and ignored, as Node does.
    fn require_argument(&mut self, call: &'a CallExpression<'a>, position: usize) -> Option<ValueId> {
        let arguments: Vec<&'a Expression<'a>> =
            call.arguments.iter().map(ast::Argument::as_expression).collect::<Option<_>>()?;
        if !is_constant_shape(arguments.get(position)?) {
            return None;
        }
        let mut values: Vec<ValueId> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let value = values.swap_remove(position);
        match self.constant(value) {
            Some(Constant::String(specifier)) => Some(self.import_symbol(specifier, at(call.span))),
            _ => {
                let span = at(call.span);
                let callee = self.global("require", at(call.callee.span()));
                let arguments = vec![Argument { value, is_spread: false, name: None }];
                let call = Call { callee, receiver: None, arguments, kind: CallKind::Call };
                let loaded = self.emit_call(call, true, span);
                Some(self.or_module_of_folder(loaded, value, span))
            }
        }
    }

    /// `require.call(this, "x")`.
    pub(super) fn require_by_method(&mut self, callee: ValueId, call: &'a CallExpression<'a>) -> Option<ValueId> {
        let Op::LoadField(function, name) = self.op(self.canon(callee)) else { return None };
        if self.builder.text(name) != "call" || !self.is_loader(function) {
            return None;
        }
        self.require_argument(call, 1)
    }

    /// True if a value is a function that loads a module by its name: `require` itself, that of a module object, what `createRequire`
    /// of the module `module` returns, `process.getBuiltinModule`.
    pub(super) fn is_loader(&self, value: ValueId) -> bool {
        match self.op(self.canon(value)) {
            Op::Global(name) => self.builder.text(name) == "require",
            Op::LoadField(object, name) => {
                let object = self.op(self.canon(object));
                match self.builder.text(name) {
                    "require" => {
                        object == Op::ModuleObject || self.is_main_module(object) || self.is_global_object(object)
                    }
                    "getBuiltinModule" => matches!(object, Op::Global(name) if self.builder.text(name) == "process"),
                    _ => false,
                }
            }
            Op::Call(call) => self.is_create_require(self.builder.module().calls[call.index()].callee),
            _ => false,
        }
    }

    /// `require.main`, `process.mainModule`.
    fn is_main_module(&self, object: Op) -> bool {
        let Op::LoadField(owner, name) = object else { return false };
        let Op::Global(owner) = self.op(self.canon(owner)) else { return false };
        matches!((self.builder.text(owner), self.builder.text(name)), ("require", "main") | ("process", "mainModule"))
    }

    /// The object of all global variables.
    fn is_global_object(&self, object: Op) -> bool {
        matches!(object, Op::Global(name) if matches!(self.builder.text(name), "globalThis" | "global"))
    }

    fn is_create_require(&self, callee: ValueId) -> bool {
        let Op::LoadField(object, name) = self.op(self.canon(callee)) else {
            // A captured variable.
            return self.imported_value(callee).is_some_and(|(specifier, name)| {
                self.builder.text(specifier).trim_start_matches("node:") == "module"
                    && name.is_some_and(|name| self.builder.text(name) == "createRequire")
            });
        };
        if self.builder.text(name) != "createRequire" {
            return false;
        }
        let is_main =
            |name: Option<SymbolId>| name.is_none_or(|name| matches!(self.builder.text(name), "default" | "Module"));
        self.imported_value(object).is_some_and(|(specifier, name)| {
            self.builder.text(specifier).trim_start_matches("node:") == "module" && is_main(name)
        })
    }

    /// Notes a variable that holds the function `require`, for functions that capture it.
    pub(super) fn note_loader_variable(&mut self, variable: u32, value: ValueId) {
        if self.scopes.variables[variable as usize].assignments == 1 && self.is_loader(value) {
            self.loaders.insert(variable);
        }
    }

    /// `import("x")`.
    pub(super) fn dynamic_import(&mut self, import: &'a ImportExpression<'a>) -> ValueId {
        let span = at(import.span);
        let value = self.expression(&import.source);
        if let Some(Constant::String(specifier)) = self.constant(value) {
            return self.import_symbol(specifier, span);
        }
        let callee = self.global("import", span);
        let arguments = vec![Argument { value, is_spread: false, name: None }];
        let loaded = self.emit_call(Call { callee, receiver: None, arguments, kind: CallKind::Call }, false, span);
        self.or_module_of_folder(loaded, value, span)
    }

    /// `define(["a"], factory)` of AMD: the factory is called with the modules, and its result is exported.
    pub(super) fn define(&mut self, call: &'a CallExpression<'a>) -> Option<ValueId> {
        let arguments: Vec<&'a Expression<'a>> =
            call.arguments.iter().map(ast::Argument::as_expression).collect::<Option<_>>()?;
        let (dependencies, factory) = match arguments.as_slice() {
            [Expression::StringLiteral(_), Expression::ArrayExpression(array), factory]
            | [Expression::ArrayExpression(array), factory] => (Some(array), *factory),
            [Expression::StringLiteral(_), factory] | [factory] => (None, *factory),
            _ => return None,
        };
        let span = at(call.span);
        let mut values = Vec::new();
        // A factory that gets the exports stores to them; otherwise its result is exported.
        let mut has_exports = match factory {
            Expression::FunctionExpression(function) => dependencies.is_none() && function.params.items.len() > 1,
            _ => false,
        };
        match dependencies {
            Some(array) => {
                for element in &array.elements {
                    let Some(Expression::StringLiteral(name)) = element.as_expression() else { return None };
                    has_exports |= matches!(name.value.as_str(), "exports" | "module");
                    values.push(self.dependency(name.value.as_str(), at(name.span)));
                }
            }
            None => {
                for name in ["require", "exports", "module"] {
                    values.push(self.dependency(name, span));
                }
            }
        }
        let callee = self.expression(factory);
        let value = if matches!(self.op(self.canon(callee)), Op::Allocate(_)) {
            callee
        } else {
            let arguments = values.into_iter().map(|value| Argument { value, is_spread: false, name: None }).collect();
            self.emit_call(Call { callee, receiver: None, arguments, kind: CallKind::Call }, false, span)
        };
        if !has_exports {
            let module = self.module_object(span);
            let field = self.symbol("exports");
            self.store_field(module, field, value, span);
        }
        Some(value)
    }

    fn dependency(&mut self, name: &str, span: Span) -> ValueId {
        match name {
            "require" => self.global("require", span),
            "exports" => self.exports(span),
            "module" => self.module_object(span),
            name => self.import(name, span),
        }
    }
}

/// True if an expression may fold to a constant. Others are modules of AMD and callbacks.
fn is_constant_shape(expression: &Expression<'_>) -> bool {
    !matches!(
        expression,
        Expression::ArrayExpression(_)
            | Expression::ObjectExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
    )
}
