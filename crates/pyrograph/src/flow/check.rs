//! Check of flow modules: what later stages rely on.

use std::fmt;

use super::{FlowModule, FunctionId, FunctionKind, Op, Span, SymbolId, Test, TestId, ValueId, ValueList};

/// A violation of the contract of front ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowProblem {
    /// Instruction. None: a table of the module.
    pub value: Option<ValueId>,
    /// What is wrong.
    pub message: &'static str,
}

impl fmt::Display for FlowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "%{}: {}", value.0, self.message),
            None => f.write_str(self.message),
        }
    }
}

impl std::error::Error for FlowProblem {}

impl FlowModule {
    /// Checks that the module of a text is well-formed.
    ///
    /// All numbers are in range. Operands belong to the function of their instruction, and are defined before it, except those
    /// of phis. Cells belong to a function around their uses. Spans are ranges of the text.
    ///
    /// # Errors
    ///
    /// The first violation.
    pub fn check(&self, text: &str) -> Result<(), FlowProblem> {
        let checker = Checker { module: self, text };
        checker.tables().map_err(|message| FlowProblem { value: None, message })?;
        for (position, instruction) in self.instructions.iter().enumerate() {
            let value = ValueId(position as u32);
            let problem = |message| FlowProblem { value: Some(value), message };
            ensure(instruction.function.index() < self.functions.len(), "the function does not exist")
                .and_then(|()| checker.span(instruction.span))
                .and_then(|()| checker.op(value, instruction.function, instruction.op))
                .map_err(problem)?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, message: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(message) }
}

struct Checker<'m> {
    module: &'m FlowModule,
    text: &'m str,
}

impl Checker<'_> {
    fn tables(&self) -> Result<(), &'static str> {
        let module = self.module;
        let Some(top) = module.functions.first() else { return Err("the module has no function") };
        ensure(
            top.kind == FunctionKind::Module && top.parent.is_none(),
            "the first function is not the top-level code",
        )?;
        for (number, function) in module.functions.iter().enumerate() {
            self.span(function.span)?;
            for symbol in function.name.iter().chain(function.parameters.iter().flatten()) {
                self.symbol(*symbol)?;
            }
            match function.parent {
                Some(parent) => ensure(parent.index() < number, "a function is before the function around it")?,
                None => ensure(number == 0, "a function has no function around it")?,
            }
            for decorator in &function.decorators {
                ensure(decorator.index() < module.instructions.len(), "a decorator does not exist")?;
            }
            if let Some(predicate) = &function.predicate {
                let count = function.parameters.len();
                let lists = [&predicate.if_true, &predicate.if_false, &predicate.returned];
                for fact in lists.into_iter().flatten().flatten() {
                    ensure(fact.test.index() < module.tests.len(), "the test of a predicate does not exist")?;
                    ensure((fact.parameter as usize) < count, "the parameter of a predicate does not exist")?;
                }
            }
            for &(position, specifier, name) in &function.parameter_types {
                ensure((position as usize) < function.parameters.len(), "a parameter with a type does not exist")?;
                self.symbol(specifier)?;
                self.symbol(name)?;
            }
        }
        for cell in &module.cells {
            self.symbol(cell.name)?;
            ensure(cell.owner.index() < module.functions.len(), "the function of a cell does not exist")?;
        }
        module.pruned.iter().try_for_each(|&span| self.span(span))
    }

    fn span(&self, span: Span) -> Result<(), &'static str> {
        let range = span.start as usize..span.end as usize;
        ensure(self.text.get(range).is_some(), "a span is no range of the text")
    }

    fn symbol(&self, symbol: SymbolId) -> Result<(), &'static str> {
        ensure(symbol.index() < self.module.symbols.len(), "a symbol does not exist")
    }

    /// Operand that the instruction of a function uses.
    fn operand(&self, operand: ValueId, user: ValueId, function: FunctionId) -> Result<(), &'static str> {
        ensure(operand < user, "an operand is not defined before its use")?;
        self.phi_operand(operand, function)
    }

    fn phi_operand(&self, operand: ValueId, function: FunctionId) -> Result<(), &'static str> {
        let Some(definition) = self.module.instructions.get(operand.index()) else {
            return Err("an operand does not exist");
        };
        ensure(definition.function == function, "an operand is of another function")
    }

    fn list(&self, list: ValueList) -> Result<&[ValueId], &'static str> {
        let start = list.start as usize;
        self.module.operands.get(start..start + list.len as usize).ok_or("a list of operands does not exist")
    }

    fn cell(&self, cell: super::CellId, function: FunctionId) -> Result<(), &'static str> {
        let Some(cell) = self.module.cells.get(cell.index()) else { return Err("a cell does not exist") };
        let mut around = Some(function);
        while let Some(function) = around {
            if function == cell.owner {
                return Ok(());
            }
            around = self.module.functions[function.index()].parent;
        }
        Err("a cell is not of a function around its use")
    }

    fn test(&self, test: TestId, user: ValueId, function: FunctionId) -> Result<(), &'static str> {
        let Some(test) = self.module.tests.get(test.index()) else { return Err("a test does not exist") };
        match *test {
            Test::Truthy | Test::EqualsConstant(_) | Test::Ordered => Ok(()),
            Test::EqualsValue(value)
            | Test::InstanceOf(value)
            | Test::MemberOf(value)
            | Test::MemberOfConstants(value)
            | Test::OwnKeyOf(value)
            | Test::Call(value, _)
            | Test::Returned(value, _) => self.operand(value, user, function),
            // Tests of elements do not nest, and their operands are of the loop before.
            Test::Elements(value, test) => {
                self.operand(value, user, function)?;
                match self.module.tests.get(test.index()) {
                    Some(Test::Elements(..)) => Err("a test of elements is of a test of elements"),
                    Some(_) => self.test(test, user, function),
                    None => Err("a test does not exist"),
                }
            }
            Test::TypeIs(symbol) => self.symbol(symbol),
            Test::Matches(pattern, flags) => self.symbol(pattern).and_then(|()| self.symbol(flags)),
            Test::Method(symbol, list) => {
                self.symbol(symbol)?;
                self.list(list)?.iter().try_for_each(|&value| self.operand(value, user, function))
            }
        }
    }

    fn op(&self, value: ValueId, function: FunctionId, op: Op) -> Result<(), &'static str> {
        let operand = |operand| self.operand(operand, value, function);
        let operands = |list: &[ValueId]| list.iter().try_for_each(|&value| operand(value));
        match op {
            Op::Constant(_)
            | Op::Parameter(_)
            | Op::RestParameter(_)
            | Op::KeywordParameters
            | Op::Receiver
            | Op::Arguments
            | Op::Exports
            | Op::ModuleObject
            | Op::Allocate(_) => Ok(()),
            Op::Function(inner) => {
                let Some(inner) = self.module.functions.get(inner.index()) else {
                    return Err("the function of a closure does not exist");
                };
                ensure(inner.parent == Some(function), "a closure is made outside of the function around it")
            }
            Op::Global(symbol) | Op::Import(symbol) => self.symbol(symbol),
            Op::LoadCell(cell) => self.cell(cell, function),
            Op::StoreCell(cell, a) => self.cell(cell, function).and_then(|()| operand(a)),
            Op::StoreGlobal(symbol, a) | Op::LoadField(a, symbol) | Op::Markup(symbol, a) => {
                self.symbol(symbol).and_then(|()| operand(a))
            }
            Op::StoreField(a, symbol, b) | Op::DefineGetter(a, symbol, b) | Op::DefineSetter(a, symbol, b) => {
                self.symbol(symbol).and_then(|()| operands(&[a, b]))
            }
            Op::Phi(list) => {
                let list = self.list(list)?;
                ensure(!list.is_empty(), "a phi has no operands")?;
                list.iter().try_for_each(|&value| self.phi_operand(value, function))
            }
            Op::Catch(list) | Op::Concat(list) => operands(self.list(list)?),
            Op::Copy(a)
            | Op::Return(a)
            | Op::Throw(a)
            | Op::Await(a)
            | Op::Yield(a)
            | Op::YieldAll(a)
            | Op::Element(a)
            | Op::EnumerateKey(a)
            | Op::Unary(_, a) => operand(a),
            Op::Guard(a, test, _) => operand(a).and_then(|()| self.test(test, value, function)),
            Op::LoadKey(a, b) | Op::CopyFields(a, b) | Op::Inherit(a, b) | Op::Binary(_, a, b) => operands(&[a, b]),
            Op::StoreKey(a, b, c) => operands(&[a, b, c]),
            Op::RestOf(a, list) => operand(a).and_then(|()| operands(self.list(list)?)),
            Op::Call(call) => {
                let Some(call) = self.module.calls.get(call.index()) else { return Err("a call does not exist") };
                operand(call.callee)?;
                call.receiver.map_or(Ok(()), operand)?;
                for argument in &call.arguments {
                    operand(argument.value)?;
                    argument.name.map_or(Ok(()), |name| self.symbol(name))?;
                }
                Ok(())
            }
        }
    }
}
