//! Names in statements.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, ForStatementInit, ForStatementLeft, ModuleExportName,
    Program, Statement, TSEnumDeclaration, TSEnumMemberName, TSModuleReference, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, TSTypeName, VariableDeclaration, VariableDeclarationKind,
};
use oxc_syntax::node::NodeId;

use super::{Binder, Scope};

impl<'a> Binder<'a, '_> {
    pub(super) fn program(&mut self, program: &Program<'a>) {
        self.out.is_module =
            program.source_type.is_module() && program.body.iter().any(|statement| statement.is_module_declaration());
        self.out.scopes.functions.push(Scope {
            parent: 0,
            is_arrow: false,
            this: None,
            arguments: None,
            captures: Vec::new(),
        });
        self.open();
        self.hoist_variables(&program.body);
        self.declare_block(&program.body, true);
        self.exports(&program.body);
        for statement in &program.body {
            self.statement(statement);
        }
        self.close();
    }

    /// Notes which variables are exported by which names.
    fn exports(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            match statement {
                Statement::ExportDeclaration(export) => match &export.declaration {
                    Declaration::VariableDeclaration(declaration) => {
                        for declarator in &declaration.declarations {
                            self.export_pattern(&declarator.id);
                        }
                    }
                    declaration => {
                        if let Some(id) = declaration.id() {
                            self.export(id.name.as_str(), id.name.as_str());
                        }
                    }
                },
                Statement::ExportNamedDeclaration(export) => {
                    for specifier in &export.specifiers {
                        if let ModuleExportName::IdentifierReference(local) = &specifier.local {
                            self.read(local);
                            self.export(local.name.as_str(), export_name(&specifier.exported));
                        }
                    }
                }
                Statement::ExportDefaultDeclaration(export) => {
                    let id = match &export.declaration {
                        ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.id.as_ref(),
                        ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
                        _ => None,
                    };
                    if let Some(id) = id {
                        self.export(id.name.as_str(), "default");
                    }
                }
                _ => {}
            }
        }
    }

    fn export_pattern(&mut self, pattern: &BindingPattern<'a>) {
        for identifier in pattern.get_binding_identifiers() {
            self.export(identifier.name.as_str(), identifier.name.as_str());
        }
    }

    fn export(&mut self, local: &'a str, exported: &'a str) {
        if let Some(variable) = self.resolve(local) {
            self.out.exports.entry(variable).or_default().push(exported);
            self.out.scopes.variables[variable as usize].reads += 1;
        }
    }

    pub(super) fn block(&mut self, statements: &[Statement<'a>]) {
        self.open();
        self.declare_block(statements, false);
        for statement in statements {
            self.statement(statement);
        }
        self.close();
    }

    pub(super) fn statement(&mut self, statement: &Statement<'a>) {
        if !self.enter() {
            return self.leave();
        }
        match statement {
            Statement::BlockStatement(block) => self.block(&block.body),
            Statement::ExpressionStatement(statement) => self.expression(&statement.expression),
            Statement::IfStatement(first) => {
                self.expression(&first.test);
                self.nested(&first.consequent);
                let mut alternate = first.alternate.as_ref();
                while let Some(Statement::IfStatement(next)) = alternate {
                    self.expression(&next.test);
                    self.nested(&next.consequent);
                    alternate = next.alternate.as_ref();
                }
                if let Some(last) = alternate {
                    self.nested(last);
                }
            }
            Statement::ReturnStatement(statement) => {
                if let Some(argument) = &statement.argument {
                    self.expression(argument);
                }
            }
            Statement::ThrowStatement(statement) => self.expression(&statement.argument),
            Statement::LabeledStatement(statement) => {
                let region = self.begin_region();
                self.nested(&statement.body);
                statement.node_id.set(NodeId::new(self.end_region(&region) as usize));
            }
            Statement::WithStatement(statement) => {
                self.expression(&statement.object);
                self.nested(&statement.body);
            }
            Statement::SwitchStatement(statement) => {
                self.expression(&statement.discriminant);
                let region = self.begin_region();
                self.open();
                for case in &statement.cases {
                    self.declare_block(&case.consequent, false);
                }
                for case in &statement.cases {
                    if let Some(test) = &case.test {
                        self.expression(test);
                    }
                    for statement in &case.consequent {
                        self.statement(statement);
                    }
                }
                self.close();
                statement.node_id.set(NodeId::new(self.end_region(&region) as usize));
            }
            Statement::TryStatement(statement) => {
                let region = self.begin_region();
                self.block(&statement.block.body);
                statement.node_id.set(NodeId::new(self.end_region(&region) as usize));
                if let Some(handler) = &statement.handler {
                    self.open();
                    if let Some(parameter) = &handler.param {
                        self.declare_pattern(&parameter.pattern, false);
                        self.initialise(&parameter.pattern);
                    }
                    self.block(&handler.body.body);
                    self.close();
                }
                if let Some(finalizer) = &statement.finalizer {
                    self.block(&finalizer.body);
                }
            }
            Statement::ForStatement(_)
            | Statement::ForInStatement(_)
            | Statement::ForOfStatement(_)
            | Statement::WhileStatement(_)
            | Statement::DoWhileStatement(_) => self.loop_statement(statement),
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => self.function_declaration(function),
                ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class_declaration(class),
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {}
                declaration => self.expression(declaration.to_expression()),
            },
            Statement::TSExportAssignment(export) => self.expression(&export.expression),
            _ => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
        self.leave();
    }

    fn nested(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::BlockStatement(block) => {
                if self.enter() {
                    self.block(&block.body);
                }
                self.leave();
            }
            _ => self.statement(statement),
        }
    }

    fn declaration(&mut self, declaration: &Declaration<'a>) {
        match declaration {
            Declaration::VariableDeclaration(declaration) => self.variables(declaration, false),
            Declaration::FunctionDeclaration(function) => self.function_declaration(function),
            Declaration::ClassDeclaration(class) => self.class_declaration(class),
            Declaration::TSEnumDeclaration(declaration) if !declaration.declare => self.enumeration(declaration),
            Declaration::TSNamespaceDeclaration(declaration) if !declaration.declare => self.namespace(declaration),
            Declaration::TSImportEqualsDeclaration(import) => {
                if let Some(variable) = self.resolve(import.id.name.as_str()) {
                    self.out.scopes.variables[variable as usize].is_initialised = true;
                    self.assign(variable);
                }
                match &import.module_reference {
                    TSModuleReference::IdentifierReference(name) => {
                        self.read(name);
                    }
                    TSModuleReference::QualifiedName(name) => self.type_name(&name.left),
                    TSModuleReference::ExternalModuleReference(_) => {}
                }
            }
            _ => {}
        }
    }

    fn type_name(&mut self, name: &TSTypeName<'a>) {
        let mut name = name;
        loop {
            match name {
                TSTypeName::IdentifierReference(identifier) => {
                    self.read(identifier);
                    return;
                }
                TSTypeName::QualifiedName(qualified) => name = &qualified.left,
                TSTypeName::ThisExpression(_) => return,
            }
        }
    }

    fn enumeration(&mut self, declaration: &TSEnumDeclaration<'a>) {
        if let Some(variable) = self.resolve(declaration.id.name.as_str()) {
            self.out.scopes.variables[variable as usize].is_initialised = true;
            self.assign(variable);
        }
        self.open();
        for member in &declaration.body.members {
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => name.name.as_str(),
                TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => name.value.as_str(),
                TSEnumMemberName::ComputedTemplateString(_) => continue,
            };
            let variable = self.declare(name, true);
            self.out.scopes.variables[variable as usize].assignments = 1;
            member.node_id.set(NodeId::new(variable as usize));
        }
        for member in &declaration.body.members {
            if let Some(initializer) = &member.initializer {
                self.expression(initializer);
            }
        }
        self.close();
    }

    fn namespace(&mut self, declaration: &TSNamespaceDeclaration<'a>) {
        if !self.enter() {
            return self.leave();
        }
        if let Some(variable) = self.resolve(declaration.id.name.as_str()) {
            self.assign(variable);
            // The body is code that may run before other parts of the namespace.
            self.out.scopes.variables[variable as usize].assignments += 1;
        }
        self.open();
        match &declaration.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                self.declare_identifier(&inner.id, true);
                self.namespace(inner);
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                self.hoist_variables(&block.body);
                self.declare_block(&block.body, true);
                for statement in &block.body {
                    self.statement(statement);
                }
            }
        }
        self.close();
        self.leave();
    }

    /// Declarators. Those of a loop's head are assigned without an initial value.
    fn variables(&mut self, declaration: &VariableDeclaration<'a>, is_assigned: bool) {
        if declaration.declare {
            return;
        }
        for declarator in &declaration.declarations {
            if let Some(init) = &declarator.init {
                self.expression(init);
                self.initialise(&declarator.id);
            } else if is_assigned || declaration.kind == VariableDeclarationKind::Let {
                // The variable of a loop is another one in each iteration: not a constant.
                self.initialise(&declarator.id);
            }
        }
    }

    fn loop_statement(&mut self, statement: &Statement<'a>) {
        self.open();
        let region;
        match statement {
            Statement::ForStatement(statement) => {
                match &statement.init {
                    Some(ForStatementInit::VariableDeclaration(declaration)) => {
                        if !declaration.kind.is_var() {
                            for declarator in &declaration.declarations {
                                self.declare_pattern(&declarator.id, false);
                            }
                        }
                        self.variables(declaration, false);
                    }
                    Some(init) => self.expression(init.to_expression()),
                    None => {}
                }
                let start = self.begin_region();
                if let Some(test) = &statement.test {
                    self.expression(test);
                }
                self.nested(&statement.body);
                if let Some(update) = &statement.update {
                    self.expression(update);
                }
                region = self.end_region(&start);
                statement.node_id.set(NodeId::new(region as usize));
            }
            Statement::ForInStatement(statement) => {
                self.expression(&statement.right);
                let start = self.begin_region();
                self.loop_left(&statement.left);
                self.nested(&statement.body);
                region = self.end_region(&start);
                statement.node_id.set(NodeId::new(region as usize));
            }
            Statement::ForOfStatement(statement) => {
                self.expression(&statement.right);
                let start = self.begin_region();
                self.loop_left(&statement.left);
                self.nested(&statement.body);
                region = self.end_region(&start);
                statement.node_id.set(NodeId::new(region as usize));
            }
            Statement::WhileStatement(statement) => {
                let start = self.begin_region();
                self.expression(&statement.test);
                self.nested(&statement.body);
                region = self.end_region(&start);
                statement.node_id.set(NodeId::new(region as usize));
            }
            Statement::DoWhileStatement(statement) => {
                let start = self.begin_region();
                self.nested(&statement.body);
                self.expression(&statement.test);
                region = self.end_region(&start);
                statement.node_id.set(NodeId::new(region as usize));
            }
            _ => {}
        }
        self.close();
    }

    fn loop_left(&mut self, left: &ForStatementLeft<'a>) {
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                if !declaration.kind.is_var() {
                    for declarator in &declaration.declarations {
                        self.declare_pattern(&declarator.id, false);
                    }
                }
                self.variables(declaration, true);
            }
            left => self.assignment_target(left.to_assignment_target()),
        }
    }

    /// Assigns the declared names of a pattern, and visits its defaults and keys.
    pub(super) fn initialise(&mut self, pattern: &BindingPattern<'a>) {
        if !self.enter() {
            return self.leave();
        }
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                if identifier.symbol_id.get().is_none() {
                    self.declare_identifier(identifier, true);
                }
                if let Some(symbol) = identifier.symbol_id.get() {
                    let variable = symbol.index() as u32;
                    self.out.scopes.variables[variable as usize].is_initialised = true;
                    self.assign(variable);
                }
            }
            BindingPattern::ObjectPattern(pattern) => {
                for property in &pattern.properties {
                    self.property_key(&property.key, property.computed);
                    self.initialise(&property.value);
                }
                if let Some(rest) = &pattern.rest {
                    self.initialise(&rest.argument);
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                for element in pattern.elements.iter().flatten() {
                    self.initialise(element);
                }
                if let Some(rest) = &pattern.rest {
                    self.initialise(&rest.argument);
                }
            }
            BindingPattern::AssignmentPattern(pattern) => {
                self.expression(&pattern.right);
                self.initialise(&pattern.left);
            }
        }
        self.leave();
    }
}

/// Text of an exported name.
pub(in crate::lang::javascript) fn export_name<'a>(name: &ModuleExportName<'a>) -> &'a str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str(),
    }
}
