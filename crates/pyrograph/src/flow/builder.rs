//! Construction of flow modules.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::{
    Call, CallId, Cell, CellId, FlowModule, Function, FunctionId, Instruction, Op, Span, SymbolId, Test, TestId,
    ValueId, ValueList,
};

/// Builder of a [`FlowModule`]: appends instructions and interns texts.
#[derive(Debug, Default)]
pub struct Builder {
    module: FlowModule,
    symbols: HashMap<Box<str>, SymbolId, FixedState>,
}

impl Builder {
    /// Empty module.
    #[must_use]
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Module as built so far.
    #[must_use]
    pub fn module(&self) -> &FlowModule {
        &self.module
    }

    /// Module as built so far, for changes of functions.
    pub fn module_mut(&mut self) -> &mut FlowModule {
        &mut self.module
    }

    /// Finished module.
    #[must_use]
    pub fn finish(self) -> FlowModule {
        self.module
    }

    /// Identifier of a text.
    pub fn symbol(&mut self, text: &str) -> SymbolId {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = SymbolId(number(self.module.symbols.len()));
        self.module.symbols.push(text.into());
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// Text of an identifier.
    #[must_use]
    pub fn text(&self, symbol: SymbolId) -> &str {
        &self.module.symbols[symbol.index()]
    }

    /// Appends a function.
    pub fn function(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(number(self.module.functions.len()));
        self.module.functions.push(function);
        id
    }

    /// Appends a captured variable.
    pub fn cell(&mut self, name: SymbolId, owner: FunctionId) -> CellId {
        let id = CellId(number(self.module.cells.len()));
        self.module.cells.push(Cell { name, owner });
        id
    }

    /// Appends an instruction.
    pub fn push(&mut self, function: FunctionId, op: Op, span: Span) -> ValueId {
        let id = ValueId(number(self.module.instructions.len()));
        self.module.instructions.push(Instruction { op, function, span });
        id
    }

    /// Appends a list of operands.
    pub fn list(&mut self, values: &[ValueId]) -> ValueList {
        let start = number(self.module.operands.len());
        self.module.operands.extend_from_slice(values);
        ValueList { start, len: number(values.len()) }
    }

    /// Appends a call. [`Op::Call`] makes an instruction of it.
    pub fn call(&mut self, call: Call) -> CallId {
        let id = CallId(number(self.module.calls.len()));
        self.module.calls.push(call);
        id
    }

    /// Appends a test.
    pub fn test(&mut self, test: Test) -> TestId {
        let id = TestId(number(self.module.tests.len()));
        self.module.tests.push(test);
        id
    }
}

/// Number of a table entry. Front ends limit files to far fewer than 2^32 nodes.
fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
