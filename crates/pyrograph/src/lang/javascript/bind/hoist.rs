//! Declarations of scopes, before their statements are visited.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, ForStatementInit, ForStatementLeft, ImportDeclaration,
    ImportDeclarationSpecifier, ImportOrExportKind, Statement, VariableDeclaration,
};

use super::Binder;

impl<'a> Binder<'a, '_> {
    /// Declares what `var` and functions in nested blocks declare in the function.
    pub(super) fn hoist_variables(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            self.hoist_statement(statement);
        }
    }

    fn hoist_statement(&mut self, statement: &Statement<'a>) {
        if !self.enter() {
            return self.leave();
        }
        match statement {
            Statement::VariableDeclaration(declaration) => self.hoist_var(declaration),
            Statement::ExportDeclaration(export) => {
                if let Declaration::VariableDeclaration(declaration) = &export.declaration {
                    self.hoist_var(declaration);
                }
            }
            Statement::BlockStatement(block) => self.hoist_block(&block.body),
            Statement::IfStatement(statement) => {
                self.hoist_nested(&statement.consequent);
                // A chain of `else if` is not nested here.
                let mut alternate = statement.alternate.as_ref();
                while let Some(Statement::IfStatement(next)) = alternate {
                    self.hoist_nested(&next.consequent);
                    alternate = next.alternate.as_ref();
                }
                if let Some(last) = alternate {
                    self.hoist_nested(last);
                }
            }
            Statement::ForStatement(statement) => {
                if let Some(ForStatementInit::VariableDeclaration(declaration)) = &statement.init {
                    self.hoist_var(declaration);
                }
                self.hoist_nested(&statement.body);
            }
            Statement::ForInStatement(statement) => {
                self.hoist_left(&statement.left);
                self.hoist_nested(&statement.body);
            }
            Statement::ForOfStatement(statement) => {
                self.hoist_left(&statement.left);
                self.hoist_nested(&statement.body);
            }
            Statement::WhileStatement(statement) => self.hoist_nested(&statement.body),
            Statement::DoWhileStatement(statement) => self.hoist_nested(&statement.body),
            Statement::WithStatement(statement) => self.hoist_nested(&statement.body),
            Statement::LabeledStatement(statement) => self.hoist_nested(&statement.body),
            Statement::SwitchStatement(statement) => {
                for case in &statement.cases {
                    self.hoist_block(&case.consequent);
                }
            }
            Statement::TryStatement(statement) => {
                self.hoist_block(&statement.block.body);
                if let Some(handler) = &statement.handler {
                    self.hoist_block(&handler.body.body);
                }
                if let Some(finalizer) = &statement.finalizer {
                    self.hoist_block(&finalizer.body);
                }
            }
            _ => {}
        }
        self.leave();
    }

    fn hoist_left(&mut self, left: &ForStatementLeft<'a>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = left {
            self.hoist_var(declaration);
        }
    }

    fn hoist_nested(&mut self, statement: &Statement<'a>) {
        self.hoist_block(std::slice::from_ref(statement));
    }

    fn hoist_block(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if let Statement::FunctionDeclaration(function) = statement
                && !self.out.is_module
                && let Some(name) = &function.id
            {
                self.declare_identifier(name, true);
            }
            self.hoist_statement(statement);
        }
    }

    fn hoist_var(&mut self, declaration: &VariableDeclaration<'a>) {
        // Ambient declarations name variables of other files.
        if declaration.kind.is_var() && !declaration.declare {
            for declarator in &declaration.declarations {
                self.declare_pattern(&declarator.id, true);
            }
        }
    }

    /// Declares the names of a pattern.
    pub(super) fn declare_pattern(&mut self, pattern: &BindingPattern<'a>, is_hoisted: bool) {
        if !self.enter() {
            return self.leave();
        }
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                self.declare_identifier(identifier, is_hoisted);
            }
            BindingPattern::ObjectPattern(pattern) => {
                for property in &pattern.properties {
                    self.declare_pattern(&property.value, is_hoisted);
                }
                if let Some(rest) = &pattern.rest {
                    self.declare_pattern(&rest.argument, is_hoisted);
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                for element in pattern.elements.iter().flatten() {
                    self.declare_pattern(element, is_hoisted);
                }
                if let Some(rest) = &pattern.rest {
                    self.declare_pattern(&rest.argument, is_hoisted);
                }
            }
            BindingPattern::AssignmentPattern(pattern) => self.declare_pattern(&pattern.left, is_hoisted),
        }
        self.leave();
    }

    /// Declares what the statements of a block declare in the block.
    pub(super) fn declare_block(&mut self, statements: &[Statement<'a>], is_body: bool) {
        for statement in statements {
            match statement {
                Statement::ImportDeclaration(import) => self.declare_import(import),
                Statement::ExportDeclaration(export) => self.declare_declaration(&export.declaration, is_body),
                Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        if let Some(name) = &function.id {
                            self.declare_identifier(name, is_body);
                        }
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        if let Some(name) = &class.id {
                            self.declare_identifier(name, false);
                        }
                    }
                    _ => {}
                },
                _ => {
                    if let Some(declaration) = statement.as_declaration() {
                        self.declare_declaration(declaration, is_body);
                    }
                }
            }
        }
    }

    fn declare_declaration(&mut self, declaration: &Declaration<'a>, is_body: bool) {
        match declaration {
            Declaration::VariableDeclaration(declaration) if !declaration.kind.is_var() && !declaration.declare => {
                for declarator in &declaration.declarations {
                    self.declare_pattern(&declarator.id, false);
                }
            }
            Declaration::FunctionDeclaration(function) if !function.declare => {
                if let Some(name) = &function.id
                    && (is_body || self.out.is_module)
                {
                    self.declare_identifier(name, is_body);
                }
            }
            Declaration::ClassDeclaration(class) if !class.declare => {
                if let Some(name) = &class.id {
                    self.declare_identifier(name, false);
                }
            }
            Declaration::TSEnumDeclaration(declaration) if !declaration.declare => {
                self.declare_identifier(&declaration.id, true);
            }
            Declaration::TSNamespaceDeclaration(declaration) if !declaration.declare => {
                self.declare_identifier(&declaration.id, true);
            }
            Declaration::TSImportEqualsDeclaration(declaration)
                if declaration.import_kind == ImportOrExportKind::Value =>
            {
                self.declare_identifier(&declaration.id, true);
            }
            _ => {}
        }
    }

    fn declare_import(&mut self, import: &ImportDeclaration<'a>) {
        if import.import_kind == ImportOrExportKind::Type {
            return;
        }
        for specifier in import.specifiers.iter().flatten() {
            let local = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    if specifier.import_kind == ImportOrExportKind::Type {
                        continue;
                    }
                    &specifier.local
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => &specifier.local,
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => &specifier.local,
            };
            let variable = self.declare_identifier(local, true);
            self.out.scopes.variables[variable as usize].is_initialised = true;
            self.assign(variable);
        }
    }
}
