//! Imports and exports.

use ruff_python_ast::{Expr, ExprCall, Stmt, StmtImport, StmtImportFrom};

use crate::flow::{Op, Span, SymbolId, ValueId, field};
use crate::lang::python::bind::number;
use crate::lang::ssa::MemberKey;

use super::{Lowerer, span_of};

/// Modules of the standard library that the packages `backports.NAME` bring to older versions of Python. They have the same
/// functions.
const BACKPORTS: [&str; 9] =
    ["asyncio", "configparser", "csv", "lzma", "ssl", "statistics", "tarfile", "tempfile", "zoneinfo"];

/// Specifier of the file itself.
pub(super) const SELF: &str = "%self";

impl<'a> Lowerer<'a, '_> {
    /// Another module, by its dotted name. Dots before the name lead to packages around the file.
    pub(super) fn import(&mut self, specifier: &str, span: Span) -> ValueId {
        let symbol = self.symbol(without_backports(specifier));
        self.import_symbol(symbol, span)
    }

    pub(super) fn import_symbol(&mut self, symbol: SymbolId, span: Span) -> ValueId {
        if let Some(&value) = self.frame.imports.get(&symbol) {
            return value;
        }
        let value = self.emit(Op::Import(symbol), span);
        self.frame.imports.insert(symbol, value);
        value
    }

    pub(super) fn import_statement(&mut self, import: &'a StmtImport) {
        for alias in &import.names {
            let span = span_of(alias);
            let name = alias.name.as_str();
            let specifier = match &alias.asname {
                Some(_) => name,
                // `import a.b` binds `a`.
                None => name.split('.').next().unwrap_or(name),
            };
            let value = self.import(specifier, span);
            if specifier != name {
                self.import(name, span);
            }
            let specifier = self.symbol(without_backports(specifier));
            if let Some(variable) = number(&alias.node_index) {
                self.imported.insert(variable, (specifier, None));
                self.write(variable, value, span);
            }
        }
    }

    pub(super) fn import_from(&mut self, import: &'a StmtImportFrom) {
        let span = span_of(import);
        let dots = ".".repeat(import.level.min(64) as usize);
        let specifier = format!("{dots}{}", import.module.as_ref().map_or("", |module| module.as_str()));
        let symbol = self.symbol(without_backports(&specifier));
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                if !self.stars.contains(&symbol) {
                    self.stars.push(symbol);
                }
                let exports = self.exports(span);
                let module = self.star(symbol, span);
                self.emit(Op::CopyFields(exports, module), span);
                self.note_store_all(exports);
                self.frame.globals.clear();
                continue;
            }
            let alias_span = span_of(alias);
            let name = self.symbol(alias.name.as_str());
            if specifier == "backports" && BACKPORTS.contains(&alias.name.as_str()) {
                let value = self.import_symbol(name, alias_span);
                if let Some(variable) = number(&alias.node_index) {
                    self.imported.insert(variable, (name, None));
                    self.write(variable, value, alias_span);
                }
                continue;
            }
            let module = self.import_symbol(symbol, span);
            let value = self.load(module, MemberKey::Name(name), alias_span);
            if let Some(variable) = number(&alias.node_index) {
                self.imported.insert(variable, (symbol, Some(name)));
                self.write(variable, value, alias_span);
            }
        }
    }

    /// Public names of a module.
    pub(super) fn star(&mut self, specifier: SymbolId, span: Span) -> ValueId {
        let specifier = format!("{}{}", field::STAR, self.builder.text(specifier));
        self.import(&specifier, span)
    }

    /// Names that the module offers to others, if it lists them. A list that is not constant offers everything.
    pub(super) fn note_public_names(&mut self, body: &'a [Stmt]) {
        let mut names: Option<Vec<SymbolId>> = None;
        for statement in body {
            let (target, value, is_more) = match statement {
                Stmt::Assign(assign) => match &*assign.targets {
                    [target] => (target, &*assign.value, false),
                    _ => continue,
                },
                Stmt::AnnAssign(assign) => match &assign.value {
                    Some(value) => (&*assign.target, &**value, false),
                    None => continue,
                },
                Stmt::AugAssign(assign) => (&*assign.target, &*assign.value, true),
                // `__all__.append(...)`, `__all__.extend(...)`, and lists under conditions.
                Stmt::Expr(expression) => match &*expression.value {
                    Expr::Call(call) if is_method_of(call, "__all__") => return,
                    _ => continue,
                },
                _ => continue,
            };
            if !matches!(target, Expr::Name(name) if name.id.as_str() == "__all__") {
                continue;
            }
            let elements = match value {
                Expr::List(list) => &list.elts,
                Expr::Tuple(tuple) => &tuple.elts,
                _ => return,
            };
            let mut list = if is_more { names.take().unwrap_or_default() } else { Vec::new() };
            for element in elements {
                let Expr::StringLiteral(name) = element else { return };
                list.push(self.symbol(name.value.to_str()));
            }
            names = Some(list);
        }
        if let Some(mut names) = names {
            names.sort_unstable();
            names.dedup();
            self.builder.module_mut().public_names = Some(names);
        }
    }

    pub(super) fn exports(&mut self, span: Span) -> ValueId {
        if let Some(value) = self.current.exports {
            return value;
        }
        let value = self.emit(Op::Exports, span);
        self.current.exports = Some(value);
        value
    }

    /// Exports the variables of the module as they are at its end.
    pub(super) fn export_all(&mut self, span: Span) {
        let exports = self.exports(span);
        for variable in self.bindings.module.clone() {
            let name = self.scopes.variables[variable as usize].name;
            if self.scopes.variables[variable as usize].assignments == 0 {
                continue;
            }
            let value = self.read(variable, span);
            if matches!(self.op(value), Op::Constant(crate::flow::Constant::Undefined)) {
                continue;
            }
            let field = self.symbol(name);
            self.store_field(exports, field, value, span);
        }
    }
}

/// Module of the standard library that a package of `backports` stands for, or the module itself.
fn without_backports(specifier: &str) -> &str {
    match specifier.strip_prefix("backports.") {
        Some(module) if BACKPORTS.contains(&module.split('.').next().unwrap_or(module)) => module,
        _ => specifier,
    }
}

/// True if a call is one of a method of a variable.
fn is_method_of(call: &ExprCall, variable: &str) -> bool {
    match &*call.func {
        Expr::Attribute(attribute) => matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == variable),
        _ => false,
    }
}
