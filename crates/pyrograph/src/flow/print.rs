//! Text form of flow modules, for tests and debugging.

use std::fmt;

use super::{FlowModule, FunctionId, SymbolId};

impl fmt::Display for FlowModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, function) in self.functions.iter().enumerate() {
            let name = function.name.map_or("", |name| self.text(name));
            writeln!(f, "function {number} `{name}` {:?}", function.kind)?;
            for (value, instruction) in self.instructions.iter().enumerate() {
                if instruction.function.index() == number {
                    writeln!(f, "  %{value} = {:?}", instruction.op)?;
                }
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
    pub fn list(&self, list: super::ValueList) -> &[super::ValueId] {
        &self.operands[list.start as usize..][..list.len as usize]
    }

    /// Function by identifier.
    #[must_use]
    pub fn function(&self, function: FunctionId) -> &super::Function {
        &self.functions[function.index()]
    }
}
