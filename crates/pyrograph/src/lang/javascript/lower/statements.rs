//! Statements.

use oxc_ast::ast::{
    BindingPattern, CallExpression, Declaration, Expression, Statement, VariableDeclaration, VariableDeclarationKind,
};
use oxc_span::GetSpan;

use crate::flow::{Op, Span, ValueId};

use super::checks::strip;
use super::{Lowerer, Note, at};

impl<'a> Lowerer<'a, '_> {
    /// Statements of a block or body.
    pub(super) fn statements(&mut self, statements: &'a [Statement<'a>]) {
        self.hoist_functions(statements);
        for statement in statements {
            if self.stopped.is_some() {
                return;
            }
            if !self.frame.is_reachable {
                break;
            }
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &'a Statement<'a>) {
        if !self.enter() {
            return self.leave();
        }
        let (labels, region) = match statement {
            Statement::LabeledStatement(_) => (Vec::new(), 0),
            _ => (std::mem::take(&mut self.current.labels), self.current.label_region),
        };
        self.any_statement(statement, labels, region);
        self.frame.loads.clear();
        self.leave();
    }

    fn any_statement(&mut self, statement: &'a Statement<'a>, labels: Vec<&'a str>, region: u32) {
        match statement {
            Statement::BlockStatement(block) => {
                self.labeled(labels, region, at(block.span), |lowerer| lowerer.statements(&block.body));
            }
            Statement::ExpressionStatement(statement) => {
                let value = self.expression(&statement.expression);
                self.assertion(&statement.expression, value);
            }
            Statement::IfStatement(statement) => {
                self.labeled(labels, region, at(statement.span), |lowerer| lowerer.if_statement(statement));
            }
            Statement::ReturnStatement(statement) => {
                self.return_value(statement.argument.as_ref(), at(statement.span));
            }
            Statement::ThrowStatement(statement) => {
                let value = self.expression(&statement.argument);
                self.escape(value);
                let throw = self.emit(Op::Throw(value), at(statement.span));
                match self.frame.handlers.last_mut() {
                    Some(handler) => handler.push(throw),
                    None => self.frame.returns.has_throw = true,
                }
                self.frame.is_reachable = false;
            }
            Statement::BreakStatement(statement) => {
                self.leave_target(statement.label.as_ref().map(|label| label.name.as_str()), false);
            }
            Statement::ContinueStatement(statement) => {
                self.leave_target(statement.label.as_ref().map(|label| label.name.as_str()), true);
            }
            Statement::LabeledStatement(statement) => {
                self.current.labels.push(statement.label.name.as_str());
                self.current.label_region = statement.node_id.get().index() as u32;
                self.statement(&statement.body);
                self.current.labels.clear();
            }
            Statement::WhileStatement(statement) => self.while_statement(statement, labels),
            Statement::DoWhileStatement(statement) => self.do_statement(statement, labels),
            Statement::ForStatement(statement) => self.for_statement(statement, labels),
            Statement::ForInStatement(statement) => self.for_in(statement, labels),
            Statement::ForOfStatement(statement) => self.for_of(statement, labels),
            Statement::SwitchStatement(statement) => self.switch_statement(statement, labels),
            Statement::TryStatement(statement) => {
                self.labeled(labels, region, at(statement.span), |lowerer| lowerer.try_statement(statement));
            }
            Statement::WithStatement(statement) => {
                let object = self.expression(&statement.object);
                // The names of the body may be any member of the object.
                self.emit(Op::EnumerateKey(object), at(statement.span));
                self.statement(&statement.body);
            }
            Statement::EmptyStatement(_) | Statement::DebuggerStatement(_) | Statement::ImportDeclaration(_) => {}
            statement => match statement.as_declaration() {
                Some(declaration) => self.declaration(declaration),
                None => self.module_statement(statement),
            },
        }
    }

    pub(super) fn declaration(&mut self, declaration: &'a Declaration<'a>) {
        match declaration {
            Declaration::VariableDeclaration(declaration) => self.variable_declaration(declaration),
            Declaration::ClassDeclaration(class) if !class.declare => {
                self.class(class, None);
            }
            Declaration::TSEnumDeclaration(declaration) if !declaration.declare => self.enumeration(declaration),
            Declaration::TSNamespaceDeclaration(declaration) if !declaration.declare => self.namespace(declaration),
            Declaration::TSImportEqualsDeclaration(import) => self.import_equals(import),
            _ => {}
        }
    }

    pub(super) fn variable_declaration(&mut self, declaration: &'a VariableDeclaration<'a>) {
        if declaration.declare {
            return;
        }
        for declarator in &declaration.declarations {
            let Some(init) = &declarator.init else {
                if declaration.kind == VariableDeclarationKind::Let
                    && let BindingPattern::BindingIdentifier(identifier) = &declarator.id
                    && let Some(variable) = Self::declared(identifier)
                {
                    let value = self.undefined(at(identifier.span));
                    self.write(variable, value, at(identifier.span));
                }
                continue;
            };
            let (name, variable) = match &declarator.id {
                BindingPattern::BindingIdentifier(identifier) => {
                    (Some(self.symbol(identifier.name.as_str())), Self::declared(identifier))
                }
                _ => (None, None),
            };
            let value = self.passed(init, name);
            if let Expression::ArrayExpression(array) = strip(init)
                && !array.elements.iter().any(|element| element.is_spread())
            {
                self.note_length(value, array.elements.len(), at(array.span));
            }
            if let Some(variable) = variable {
                self.note_initial(variable, init, value);
                self.note_loader_variable(variable, value);
                self.note_segments(init, value);
            }
            self.bind(&declarator.id, value, at(declarator.span));
            self.frame.loads.clear();
        }
    }

    /// Notes what an initial value says about a variable: results of tests, objects that do not change.
    fn note_initial(&mut self, variable: u32, init: &'a Expression<'a>, value: ValueId) {
        let entry = &self.scopes.variables[variable as usize];
        let is_once = entry.assignments == 1;
        let is_only_read = entry.reads == entry.member_reads;
        match strip(init) {
            Expression::ObjectExpression(literal) if is_once && is_only_read => self.note_members(literal, value),
            Expression::CallExpression(call) if is_freeze(call) => {
                let literal = call.arguments.first().and_then(|argument| argument.as_expression());
                if let (Some(Expression::ObjectExpression(literal)), Op::Call(id)) = (literal, self.op(value)) {
                    let object = self.builder.module().calls[id.index()].arguments[0].value;
                    self.note_members(literal, object);
                    if let Some(note) = self.notes.get(&self.canon(object)).cloned() {
                        self.notes.insert(value, note);
                    }
                }
            }
            Expression::CallExpression(_)
            | Expression::UnaryExpression(_)
            | Expression::BinaryExpression(_)
            | Expression::ChainExpression(_) => {
                let is_fresh = matches!(self.op(value), Op::Call(_) | Op::Unary(..) | Op::Binary(..) | Op::Await(_));
                if is_fresh && !self.notes.contains_key(&value) {
                    let checks = self.checks(init, value);
                    if !checks.is_empty() {
                        self.notes.insert(value, Note::Tests(checks));
                    }
                }
            }
            Expression::LogicalExpression(_) => {
                let checks = std::mem::take(&mut self.frame.returns.conjunction);
                if !checks.is_empty() && self.canon(value) == value {
                    self.notes.insert(value, Note::Tests(checks));
                }
            }
            _ => {}
        }
    }

    pub(super) fn return_value(&mut self, argument: Option<&'a Expression<'a>>, span: Span) {
        if self.machine_return(argument, span) {
            return;
        }
        self.current.has_returned = true;
        let value = match argument {
            Some(argument) => {
                let value = self.passed(argument, None);
                if self.frame.is_reachable {
                    self.note_return(Some((argument, value)));
                }
                value
            }
            None => {
                self.note_return(None);
                self.undefined(span)
            }
        };
        if self.frame.is_reachable {
            self.escape(value);
            let span = argument.map_or(span, |argument| at(argument.span()));
            self.emit(Op::Return(value), span);
        }
        self.frame.is_reachable = false;
    }
}

/// `Object.freeze(...)`.
fn is_freeze(call: &CallExpression<'_>) -> bool {
    call.callee.is_specific_member_access("Object", "freeze")
}
