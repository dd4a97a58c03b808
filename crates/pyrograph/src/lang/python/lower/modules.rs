//! Imports and exports.

use ruff_python_ast::{Expr, StmtImport, StmtImportFrom};

use crate::flow::{Op, Span, SymbolId, ValueId};
use crate::lang::python::bind::number;
use crate::lang::ssa::MemberKey;

use super::{Lowerer, span_of};

/// Specifier of the file itself.
pub(super) const SELF: &str = "%self";

impl<'a> Lowerer<'a, '_> {
    /// Another module, by its dotted name. Dots before the name lead to packages around the file.
    pub(super) fn import(&mut self, specifier: &str, span: Span) -> ValueId {
        let symbol = self.symbol(specifier);
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
            let specifier = self.symbol(specifier);
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
        let symbol = self.symbol(&specifier);
        for alias in &import.names {
            let module = self.import_symbol(symbol, span);
            if alias.name.as_str() == "*" {
                if !self.stars.contains(&symbol) {
                    self.stars.push(symbol);
                }
                let exports = self.exports(span);
                self.emit(Op::CopyFields(exports, module), span);
                self.note_store_all(exports);
                self.frame.globals.clear();
                continue;
            }
            let alias_span = span_of(alias);
            let name = self.symbol(alias.name.as_str());
            let value = self.load(module, MemberKey::Name(name), alias_span);
            if let Some(variable) = number(&alias.node_index) {
                self.imported.insert(variable, (symbol, Some(name)));
                self.write(variable, value, alias_span);
            }
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

    /// Module and name of the type that an annotation names.
    pub(super) fn annotated_type(&mut self, annotation: &'a Expr) -> Option<(SymbolId, SymbolId)> {
        match annotation {
            Expr::Name(name) => self.named_type(name.id.as_str(), number(&name.node_index)),
            Expr::Attribute(attribute) => {
                let Expr::Name(module) = &*attribute.value else { return None };
                let variable = self.module_variable(module.id.as_str())?;
                let (specifier, member) = self.imported.get(&variable).copied()?;
                let name = self.symbol(attribute.attr.as_str());
                match member {
                    None => Some((specifier, name)),
                    Some(member) => {
                        let module = format!("{}.{}", self.builder.text(specifier), self.builder.text(member));
                        Some((self.symbol(&module), name))
                    }
                }
            }
            // `Optional[T]`, `Annotated[T, ...]`.
            Expr::Subscript(subscript) => {
                let Expr::Name(outer) = &*subscript.value else { return None };
                match (outer.id.as_str(), &*subscript.slice) {
                    ("Optional", inner @ Expr::Name(_)) => self.annotated_type(inner),
                    ("Annotated", Expr::Tuple(tuple)) => match tuple.elts.first() {
                        Some(first @ Expr::Name(_)) => self.annotated_type(first),
                        _ => None,
                    },
                    _ => None,
                }
            }
            // `T | None`.
            Expr::BinOp(union) => match (&*union.left, &*union.right) {
                (inner @ (Expr::Name(_) | Expr::Attribute(_)), Expr::NoneLiteral(_))
                | (Expr::NoneLiteral(_), inner @ (Expr::Name(_) | Expr::Attribute(_))) => self.annotated_type(inner),
                _ => None,
            },
            Expr::StringLiteral(text) => {
                let name = text.value.to_str();
                let is_name = name.chars().all(|character| character.is_alphanumeric() || character == '_');
                if is_name { self.named_type(name, None) } else { None }
            }
            _ => None,
        }
    }

    fn named_type(&mut self, name: &str, variable: Option<u32>) -> Option<(SymbolId, SymbolId)> {
        let variable = variable.or_else(|| self.module_variable(name))?;
        if let Some(&(specifier, member)) = self.imported.get(&variable) {
            return member.map(|member| (specifier, member));
        }
        let is_class = name.starts_with(|first: char| first.is_uppercase());
        is_class.then(|| (self.symbol(SELF), self.symbol(name)))
    }

    /// Variable of the module by its name.
    fn module_variable(&self, name: &str) -> Option<u32> {
        self.bindings.module_names.get(name).copied()
    }
}
