//! Text form of flow modules, for tests and debugging.
//!
//! Each function lists its instructions in order. Values are `%` and their number, texts are in backquotes.

use std::fmt::{self, Write};

use super::{Call, CallKind, Constant, Fact, FlowModule, FunctionId, Op, SymbolId, Test, TestId, ValueId, ValueList};

impl fmt::Display for FlowModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut by_function: Vec<Vec<usize>> = vec![Vec::new(); self.functions.len()];
        for (value, instruction) in self.instructions.iter().enumerate() {
            by_function[instruction.function.index()].push(value);
        }
        for (number, function) in self.functions.iter().enumerate() {
            let name = function.name.map_or("", |name| self.text(name));
            write!(f, "function {number} `{name}` {:?}", function.kind)?;
            if let Some(parent) = function.parent {
                write!(f, " in {}", parent.0)?;
            }
            if function.is_async {
                f.write_str(" async")?;
            }
            if function.is_generator {
                f.write_str(" generator")?;
            }
            if !function.decorators.is_empty() {
                write!(f, " decorators {}", self.values(&function.decorators))?;
            }
            for (position, value) in &function.parameter_decorators {
                write!(f, " decorator of parameter {position} %{}", value.0)?;
            }
            if let Some(predicate) = &function.predicate {
                for (when, alternatives) in [
                    ("if true", &predicate.if_true),
                    ("if false", &predicate.if_false),
                    ("if it returns", &predicate.returned),
                ] {
                    if !alternatives.is_empty() {
                        write!(f, " {when}: {}", self.alternatives_text(alternatives))?;
                    }
                }
            }
            for &(position, specifier, name) in &function.parameter_types {
                write!(f, " type of parameter {position}: {}.{}", self.text(specifier), self.text(name))?;
            }
            f.write_char('\n')?;
            for &value in &by_function[number] {
                writeln!(f, "  %{value} = {}", self.op_text(&self.instructions[value].op))?;
            }
        }
        Ok(())
    }
}

impl FlowModule {
    /// Text of an identifier.
    #[must_use]
    pub fn text(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.index()]
    }

    /// Operands of a list.
    #[must_use]
    pub fn list(&self, list: ValueList) -> &[ValueId] {
        &self.operands[list.start as usize..][..list.len as usize]
    }

    /// Function by identifier.
    #[must_use]
    pub fn function(&self, function: FunctionId) -> &super::Function {
        &self.functions[function.index()]
    }

    fn values(&self, values: &[ValueId]) -> String {
        let values: Vec<String> = values.iter().map(|value| format!("%{}", value.0)).collect();
        values.join(", ")
    }

    /// Alternatives of a predicate, each with all of its facts.
    fn alternatives_text(&self, alternatives: &[Vec<Fact>]) -> String {
        let fact =
            |fact: &Fact| format!("parameter {} {} is {}", fact.parameter, self.test_text(fact.test), fact.holds);
        let text = |facts: &Vec<Fact>| facts.iter().map(fact).collect::<Vec<_>>().join(" and ");
        alternatives.iter().map(text).collect::<Vec<_>>().join(", or ")
    }

    /// Text form of a constant.
    #[must_use]
    pub fn constant_text(&self, constant: Constant) -> String {
        match constant {
            Constant::String(text) => format!("{:?}", self.text(text)),
            Constant::Number(number) => format!("{number}"),
            Constant::Bool(flag) => format!("{flag}"),
            Constant::Null => "null".into(),
            Constant::Undefined => "undefined".into(),
            Constant::Regex(pattern, flags) => format!("/{}/{}", self.text(pattern), self.text(flags)),
        }
    }

    /// Text form of a test.
    #[must_use]
    pub fn test_text(&self, test: TestId) -> String {
        match &self.tests[test.index()] {
            Test::Truthy => "truthy".into(),
            Test::EqualsConstant(constant) => format!("== {}", self.constant_text(*constant)),
            Test::EqualsValue(value) => format!("== %{}", value.0),
            Test::Ordered => "ordered".into(),
            Test::TypeIs(name) => format!("type {}", self.text(*name)),
            Test::InstanceOf(class) => format!("instanceof %{}", class.0),
            Test::MemberOfConstants(_) => "in constants".into(),
            Test::MemberOf(object) => format!("in %{}", object.0),
            Test::OwnKeyOf(object) => format!("own key of %{}", object.0),
            Test::Matches(pattern, flags) => format!("matches /{}/{}", self.text(*pattern), self.text(*flags)),
            Test::Method(name, arguments) => {
                format!("method {}({})", self.text(*name), self.values(self.list(*arguments)))
            }
            Test::Call(call, position) => format!("argument {position} of %{}", call.0),
            Test::Elements(_, test) => format!("elements {}", self.element_test_text(*test)),
            Test::Returned(call, position) => format!("returned argument {position} of %{}", call.0),
        }
    }

    /// Text form of a test of elements. Tests of elements do not nest.
    fn element_test_text(&self, test: TestId) -> String {
        match self.tests[test.index()] {
            Test::Elements(..) => "elements".into(),
            _ => self.test_text(test),
        }
    }

    fn call_text(&self, call: &Call) -> String {
        let kind = match call.kind {
            CallKind::Call => "call",
            CallKind::New => "new",
            CallKind::Super => "super",
            CallKind::Template => "template",
        };
        let arguments: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| {
                let name = argument.name.map_or(String::new(), |name| format!("{}=", self.text(name)));
                let name = if argument.is_spread { name.trim_end_matches('=') } else { &name };
                let spread = match (argument.is_spread, argument.name) {
                    (true, Some(_)) => "**",
                    (true, None) => "...",
                    (false, _) => "",
                };
                format!("{name}{spread}%{}", argument.value.0)
            })
            .collect();
        let receiver = call.receiver.map_or(String::new(), |receiver| format!(" on %{}", receiver.0));
        format!("{kind} %{}({}){receiver}", call.callee.0, arguments.join(", "))
    }

    /// Text form of an operation.
    #[must_use]
    pub fn op_text(&self, op: &Op) -> String {
        match *op {
            Op::Constant(constant) => self.constant_text(constant),
            Op::Function(function) => format!("function {}", function.0),
            Op::Parameter(position) => format!("parameter {position}"),
            Op::RestParameter(position) => format!("parameters from {position}"),
            Op::KeywordParameters => "named parameters".into(),
            Op::Receiver => "receiver".into(),
            Op::Arguments => "arguments".into(),
            Op::LoadCell(cell) => format!("load cell {}", self.cell_text(cell)),
            Op::StoreCell(cell, value) => format!("store cell {} = %{}", self.cell_text(cell), value.0),
            Op::Global(name) => format!("global {}", self.text(name)),
            Op::StoreGlobal(name, value) => format!("store global {} = %{}", self.text(name), value.0),
            Op::Import(name) => format!("import {:?}", self.text(name)),
            Op::Exports => "exports".into(),
            Op::ModuleObject => "module".into(),
            Op::Phi(values) => format!("phi {}", self.values(self.list(values))),
            Op::Copy(value) => format!("copy %{}", value.0),
            Op::Allocate(kind) => format!("new {kind:?}"),
            Op::LoadField(object, name) => format!("load %{}.{}", object.0, self.text(name)),
            Op::LoadKey(object, key) => format!("load %{}[%{}]", object.0, key.0),
            Op::StoreField(object, name, value) => {
                format!("store %{}.{} = %{}", object.0, self.text(name), value.0)
            }
            Op::StoreKey(object, key, value) => format!("store %{}[%{}] = %{}", object.0, key.0, value.0),
            Op::DefineGetter(object, name, value) => {
                format!("getter %{}.{} = %{}", object.0, self.text(name), value.0)
            }
            Op::DefineSetter(object, name, value) => {
                format!("setter %{}.{} = %{}", object.0, self.text(name), value.0)
            }
            Op::CopyFields(target, origin) => format!("copy fields %{} from %{}", target.0, origin.0),
            Op::RestOf(object, names) => format!("rest of %{} without {}", object.0, self.values(self.list(names))),
            Op::Inherit(child, parent) => format!("inherit %{} from %{}", child.0, parent.0),
            Op::Call(call) => self.call_text(&self.calls[call.index()]),
            Op::Return(value) => format!("return %{}", value.0),
            Op::Throw(value) => format!("throw %{}", value.0),
            Op::Catch(values) => format!("catch {}", self.values(self.list(values))),
            Op::Await(value) => format!("await %{}", value.0),
            Op::Yield(value) => format!("yield %{}", value.0),
            Op::YieldAll(value) => format!("yield all %{}", value.0),
            Op::Element(value) => format!("element of %{}", value.0),
            Op::EnumerateKey(value) => format!("key of %{}", value.0),
            Op::Concat(values) => format!("concat {}", self.values(self.list(values))),
            Op::Binary(op, left, right) => format!("{op:?} %{}, %{}", left.0, right.0),
            Op::Unary(op, value) => format!("{op:?} %{}", value.0),
            Op::Guard(value, test, holds) => {
                format!("guard %{} {} is {holds}", value.0, self.test_text(test))
            }
            Op::Markup(name, value) => format!("markup {} = %{}", self.text(name), value.0),
        }
    }

    fn cell_text(&self, cell: super::CellId) -> String {
        format!("{}#{}", self.text(self.cells[cell.index()].name), cell.0)
    }
}
