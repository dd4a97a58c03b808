//! Classes and decorators.
//!
//! A class is the function of its constructor. Its names are fields of the object in `prototype`, from which the class inherits
//! too, so that `Class.name` finds them.

use ruff_python_ast::{Decorator, Expr, Stmt, StmtClassDef, StmtFunctionDef};

use crate::flow::{Argument, Call, CallKind, CellId, FunctionKind, Op, Span, ValueId, field};
use crate::lang::python::bind::number;
use crate::lang::python::bind::visit::constructor;

use super::{Body, Lowerer, span_of};

/// Kind of attribute that a function is of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MethodKind {
    Method,
    Static,
    Class,
    Getter,
    Setter,
    /// Setters and deleters that do not matter.
    Other,
}

impl<'a> Lowerer<'a, '_> {
    /// A function of a module or function.
    pub(super) fn function_statement(&mut self, function: &'a StmtFunctionDef) {
        let decorators = self.decorators(&function.decorator_list);
        let (value, id) = self.function_value(function, FunctionKind::Ordinary, false, false);
        self.builder.module_mut().functions[id.index()].decorators.clone_from(&decorators);
        let value = self.decorated(value, &decorators, span_of(&function.name));
        self.write_identifier(&function.name, value);
    }

    fn decorators(&mut self, decorators: &'a [Decorator]) -> Vec<ValueId> {
        decorators.iter().map(|decorator| self.expression(&decorator.expression)).collect()
    }

    /// A decorated value is the result of its decorators, or itself: most decorators of libraries call it in the end.
    fn decorated(&mut self, value: ValueId, decorators: &[ValueId], span: Span) -> ValueId {
        let mut result = value;
        for &callee in decorators.iter().rev() {
            let arguments = vec![Argument { value: result, is_spread: false, name: None }];
            let call = Call { callee, receiver: None, arguments, kind: CallKind::Call };
            let called = self.emit_call(call, false, span);
            // What a decorator of the program returns replaces the value.
            let is_own = matches!(self.op(self.canon(callee)), Op::Function(_) | Op::LoadCell(_));
            result = if is_own { called } else { self.phi(&[result, called], span) };
        }
        result
    }

    pub(super) fn class_statement(&mut self, class: &'a StmtClassDef) {
        let span = span_of(class);
        let decorators = self.decorators(&class.decorator_list);
        let mut bases = Vec::new();
        let mut metaclass = None;
        if let Some(arguments) = &class.arguments {
            for base in &arguments.args {
                bases.push(self.expression(base));
            }
            for keyword in &arguments.keywords {
                let value = self.expression(&keyword.value);
                if keyword.arg.as_ref().is_some_and(|name| name.as_str() == "metaclass") {
                    metaclass = Some(value);
                }
            }
        }
        let class_number = number(&class.node_index).unwrap_or(0);
        let variable = self.bindings.bases.get(&class_number).copied();
        if let (Some(variable), false) = (variable, bases.is_empty()) {
            let all = self.phi(&bases, span);
            self.write(variable, all, span);
        }
        let outer = (self.current.bases, self.current.class);
        self.current.bases = variable.filter(|_| !bases.is_empty());
        let name = self.symbol(class.name.as_str());
        let constructor = constructor(class);
        let parameters = constructor.map(|function| &*function.parameters);
        let mut record =
            self.function_record(FunctionKind::Constructor, Some(name), parameters, constructor.is_some(), span);
        if constructor.is_none() {
            for field in data_fields(class) {
                let symbol = self.symbol(field);
                record.parameters.push(Some(symbol));
            }
        }
        let defaults = match parameters {
            Some(parameters) => self.default_values(parameters, true),
            None => Vec::new(),
        };
        let (value, id) = self.create(Body::Constructor(class), class_number, record, false, false, defaults);
        self.current.class = Some(id);
        if let Some(pending) = self.queue.back_mut() {
            pending.class = Some(id);
        }
        let prototype = self.load_field(value, "prototype", span);
        self.emit(Op::Inherit(value, prototype), span);
        for &base in &bases {
            self.emit(Op::Inherit(value, base), span);
            let inherited = self.load_field(base, "prototype", span);
            self.emit(Op::Inherit(prototype, inherited), span);
            // Classes of libraries have no prototypes of their own.
            if !matches!(self.op(self.canon(base)), Op::Function(_)) {
                self.emit(Op::Inherit(prototype, base), span);
            }
        }
        // The class is an instance of its metaclass.
        if let Some(metaclass) = metaclass {
            let inherited = self.load_field(metaclass, "prototype", span);
            self.emit(Op::Inherit(value, inherited), span);
        }
        if constructor.is_some() || !data_fields(class).is_empty() {
            let field = self.symbol(field::INIT);
            self.emit(Op::StoreField(prototype, field, value), span);
        }
        self.class_body(class, prototype);
        self.note_field_types(class, id, prototype);
        (self.current.bases, self.current.class) = outer;
        self.builder.module_mut().functions[id.index()].decorators.clone_from(&decorators);
        let result = self.decorated_class(value, &decorators, span_of(&class.name));
        self.write_identifier(&class.name, result);
    }

    /// Decorators of classes mostly return the class.
    fn decorated_class(&mut self, value: ValueId, decorators: &[ValueId], span: Span) -> ValueId {
        for &callee in decorators.iter().rev() {
            let arguments = vec![Argument { value, is_spread: false, name: None }];
            self.emit_call(Call { callee, receiver: None, arguments, kind: CallKind::Call }, false, span);
        }
        value
    }

    /// Statements of a class: names become fields of its prototype.
    fn class_body(&mut self, class: &'a StmtClassDef, prototype: ValueId) {
        for statement in &class.body {
            if self.stopped.is_some() || !self.frame.is_reachable {
                return;
            }
            match statement {
                Stmt::FunctionDef(function) => self.method_statement(function, prototype),
                statement => {
                    self.statements(std::slice::from_ref(statement));
                    self.store_names(statement, prototype);
                }
            }
        }
    }

    /// Stores the names that a statement of a class binds.
    fn store_names(&mut self, statement: &'a Stmt, prototype: ValueId) {
        let mut names: Vec<(&'a str, Option<u32>, Span)> = Vec::new();
        let target = |target: &'a Expr, names: &mut Vec<(&'a str, Option<u32>, Span)>| {
            if let Expr::Name(name) = target {
                names.push((name.id.as_str(), number(&name.node_index), span_of(name)));
            }
        };
        match statement {
            Stmt::Assign(assign) => assign.targets.iter().for_each(|each| target(each, &mut names)),
            Stmt::AnnAssign(assign) if assign.value.is_some() => target(&assign.target, &mut names),
            Stmt::ClassDef(inner) => {
                names.push((inner.name.as_str(), number(&inner.name.node_index), span_of(&inner.name)));
            }
            Stmt::If(inner) => {
                for statement in inner.body.iter().chain(inner.elif_else_clauses.iter().flat_map(|clause| &clause.body))
                {
                    if !matches!(statement, Stmt::If(_)) {
                        self.store_names(statement, prototype);
                    }
                }
            }
            Stmt::FunctionDef(inner) => {
                names.push((inner.name.as_str(), number(&inner.name.node_index), span_of(&inner.name)));
            }
            _ => {}
        }
        for (name, variable, span) in names {
            let Some(value) = variable.and_then(|variable| self.name(variable)) else { continue };
            let field = self.symbol(name);
            self.store_field(prototype, field, value, span);
        }
    }

    fn method_statement(&mut self, function: &'a StmtFunctionDef, prototype: ValueId) {
        let span = span_of(function);
        let mut kind = MethodKind::Method;
        let mut others = Vec::new();
        for decorator in &function.decorator_list {
            match method_kind(&decorator.expression) {
                Some(known) => kind = known,
                None => others.push(self.expression(&decorator.expression)),
            }
        }
        let name = function.name.as_str();
        if matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__") {
            kind = MethodKind::Class;
        }
        let has_parameters = !function.parameters.posonlyargs.is_empty() || !function.parameters.args.is_empty();
        let has_receiver = kind != MethodKind::Static && has_parameters;
        let function_kind = if kind == MethodKind::Static { FunctionKind::Ordinary } else { FunctionKind::Method };
        if name == "__init__" && number(&function.node_index).is_some_and(|id| self.function_ids[id as usize].is_some())
        {
            // It is the function of the class.
            return;
        }
        let (value, id) = self.function_value(function, function_kind, has_receiver, kind == MethodKind::Class);
        self.builder.module_mut().functions[id.index()].decorators.clone_from(&others);
        let value = self.decorated(value, &others, span_of(&function.name));
        let field = self.symbol(name);
        match kind {
            MethodKind::Getter => {
                self.emit(Op::DefineGetter(prototype, field, value), span);
            }
            MethodKind::Setter => {
                self.emit(Op::DefineSetter(prototype, field, value), span);
            }
            MethodKind::Other => {}
            MethodKind::Method | MethodKind::Static | MethodKind::Class => {
                self.store_field(prototype, field, value, span);
                if matches!(name, "__iter__" | "__aiter__") {
                    let field = self.symbol("@@iterator");
                    self.store_field(prototype, field, value, span);
                }
            }
        }
        if let Some(variable) = number(&function.name.node_index) {
            self.write(variable, value, span_of(&function.name));
        }
    }

    /// Code of a class: that of `__init__`, or the one that classes without it have.
    pub(super) fn constructor_body(&mut self, class: &'a StmtClassDef, defaults: &[(usize, CellId)]) {
        let start = Span::new(span_of(class).start, span_of(class).start);
        if let Some(function) = constructor(class) {
            self.parameters(&function.parameters, true, defaults);
            self.statements(&function.body);
            return;
        }
        let fields = data_fields(class);
        if !fields.is_empty() {
            let receiver = self.receiver(start);
            for (position, name) in fields.into_iter().enumerate() {
                let value = self.emit(Op::Parameter(position as u32), start);
                let field = self.symbol(name);
                self.store_field(receiver, field, value, start);
                if is_named_tuple(class) {
                    let field = self.symbol(&position.to_string());
                    self.store_field(receiver, field, value, start);
                }
            }
            let post = class.body.iter().any(
                |statement| matches!(statement, Stmt::FunctionDef(function) if function.name.as_str() == "__post_init__"),
            );
            if post {
                self.method_call(receiver, "__post_init__", &[], start);
            }
            return;
        }
        if let Some(variable) = self.current.bases {
            let rest = self.emit(Op::RestParameter(0), start);
            let named = self.emit(Op::KeywordParameters, start);
            let receiver = self.receiver(start);
            let callee = match self.behind(receiver, "__init__", start) {
                Some(callee) => callee,
                None => self.read(variable, start),
            };
            let empty = self.symbol("");
            let arguments = vec![
                Argument { value: rest, is_spread: true, name: None },
                Argument { value: named, is_spread: true, name: Some(empty) },
            ];
            self.emit_call(Call { callee, receiver: Some(receiver), arguments, kind: CallKind::Super }, false, start);
        }
    }
}

/// Meaning of a decorator of a method.
fn method_kind(decorator: &Expr) -> Option<MethodKind> {
    match decorator {
        Expr::Name(name) => match name.id.as_str() {
            "staticmethod" => Some(MethodKind::Static),
            "classmethod" => Some(MethodKind::Class),
            "property" | "cached_property" => Some(MethodKind::Getter),
            "abstractmethod" | "override" | "final" => Some(MethodKind::Method),
            _ => None,
        },
        Expr::Attribute(attribute) => match attribute.attr.as_str() {
            "setter" => Some(MethodKind::Setter),
            "getter" | "cached_property" => Some(MethodKind::Getter),
            "deleter" => Some(MethodKind::Other),
            "abstractmethod" | "override" => Some(MethodKind::Method),
            _ => None,
        },
        _ => None,
    }
}

/// Names of the fields of a dataclass or named tuple, in order.
fn data_fields(class: &StmtClassDef) -> Vec<&str> {
    let is_data = class.decorator_list.iter().any(|decorator| {
        let callee = match &decorator.expression {
            Expr::Call(call) => &*call.func,
            callee => callee,
        };
        match callee {
            Expr::Name(name) => matches!(name.id.as_str(), "dataclass" | "define" | "attrs" | "frozen" | "mutable"),
            Expr::Attribute(attribute) => {
                matches!(attribute.attr.as_str(), "dataclass" | "s" | "define" | "frozen" | "attrs")
            }
            _ => false,
        }
    });
    if !is_data && !is_named_tuple(class) && !has_base(class, &["BaseModel", "TypedDict"]) {
        return Vec::new();
    }
    let names = class.body.iter().filter_map(|statement| match statement {
        Stmt::AnnAssign(assign) => match &*assign.target {
            Expr::Name(name) => Some(name.id.as_str()),
            _ => None,
        },
        _ => None,
    });
    names.collect()
}

fn is_named_tuple(class: &StmtClassDef) -> bool {
    has_base(class, &["NamedTuple"])
}

/// True if a base class has one of these names.
pub(super) fn has_base(class: &StmtClassDef, names: &[&str]) -> bool {
    let Some(arguments) = &class.arguments else { return false };
    arguments.args.iter().any(|base| match base {
        Expr::Name(name) => names.contains(&name.id.as_str()),
        Expr::Attribute(attribute) => names.contains(&attribute.attr.as_str()),
        _ => false,
    })
}
