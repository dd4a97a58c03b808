//! Types that annotations name: hints for the targets of calls, and values that are no texts of others.

use ruff_python_ast::{Expr, Stmt, StmtClassDef, StmtFunctionDef};

use crate::flow::{Constant, FunctionId, FunctionKind, Op, SymbolId, TypedPlace, ValueId};
use crate::lang::python::bind::number;

use super::modules::SELF;
use super::{Lowerer, span_of};

impl<'a> Lowerer<'a, '_> {
    /// Notes the type of the result of a function.
    pub(super) fn note_result_type(&mut self, function: &'a StmtFunctionDef, id: FunctionId) {
        if let Some(annotation) = &function.returns
            && let Some((module, name)) = self.annotated_type(annotation)
        {
            self.builder.module_mut().types.push((id, TypedPlace::Result, module, name));
        }
    }

    /// Notes the types of the fields of a class. Fields of models that check their data have no texts of others if their types have
    /// none: their getters yield numbers.
    pub(super) fn note_field_types(&mut self, class: &'a StmtClassDef, id: FunctionId, prototype: ValueId) {
        let is_checked = super::classes::has_base(class, &["BaseModel", "SQLModel"]);
        for statement in &class.body {
            let Stmt::AnnAssign(assign) = statement else { continue };
            let Expr::Name(field) = &*assign.target else { continue };
            let symbol = self.symbol(field.id.as_str());
            if is_checked && (is_plain_type(&assign.annotation) || self.is_enumeration(&assign.annotation)) {
                let span = span_of(assign);
                let getter = self.made_function(symbol, &[], FunctionKind::Method, span, |lowerer| {
                    let number = lowerer.emit(Op::Constant(Constant::Number(0.0)), span);
                    lowerer.emit(Op::Return(number), span);
                });
                self.emit(Op::DefineGetter(prototype, symbol, getter), span);
            } else if let Some((module, name)) = self.annotated_type(&assign.annotation) {
                self.builder.module_mut().types.push((id, TypedPlace::Field(symbol), module, name));
            }
        }
    }

    /// True if an annotation names an enumeration of the file.
    fn is_enumeration(&self, annotation: &Expr) -> bool {
        matches!(annotation, Expr::Name(name) if self.enumerations.contains(name.id.as_str()))
    }

    /// Module and name of the type that an annotation names.
    pub(super) fn annotated_type(&mut self, annotation: &'a Expr) -> Option<(SymbolId, SymbolId)> {
        match annotation {
            Expr::Name(name) => self.named_type(name.id.as_str(), number(&name.node_index)),
            Expr::Attribute(attribute) => {
                let Expr::Name(module) = &*attribute.value else { return None };
                self.member_type(module.id.as_str(), attribute.attr.as_str())
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
                let is_name =
                    |name: &str| name.chars().all(|character| character.is_alphanumeric() || character == '_');
                match name.split_once('.') {
                    Some((module, name)) if is_name(module) && is_name(name) => self.member_type(module, name),
                    None if is_name(name) => self.named_type(name, None),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Type that is a member of a module.
    fn member_type(&mut self, module: &str, name: &str) -> Option<(SymbolId, SymbolId)> {
        let variable = self.module_variable(module)?;
        let (specifier, member) = self.imported.get(&variable).copied()?;
        let name = self.symbol(name);
        match member {
            None => Some((specifier, name)),
            Some(member) => {
                let module = format!("{}.{}", self.builder.text(specifier), self.builder.text(member));
                Some((self.symbol(&module), name))
            }
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

/// True if values of a type have no text that others choose.
pub(super) fn is_plain_type(annotation: &Expr) -> bool {
    let is_plain = |name: &str| {
        matches!(
            name,
            "int"
                | "float"
                | "bool"
                | "complex"
                | "Decimal"
                | "UUID"
                | "UUID1"
                | "UUID4"
                | "date"
                | "datetime"
                | "time"
                | "timedelta"
                | "PositiveInt"
                | "NonNegativeInt"
                | "conint"
                | "StrictInt"
                | "StrictBool"
                | "Literal"
                | "None"
        )
    };
    match annotation {
        Expr::Name(name) => is_plain(name.id.as_str()),
        Expr::Attribute(attribute) => is_plain(attribute.attr.as_str()),
        Expr::NoneLiteral(_) => true,
        Expr::StringLiteral(text) => is_plain(text.value.to_str()),
        Expr::BinOp(union) => {
            let is_side = |side: &Expr| {
                matches!(side, Expr::NoneLiteral(_)) || matches!(side, Expr::Name(name) if is_plain(name.id.as_str()))
            };
            is_side(&union.left) && is_side(&union.right)
        }
        Expr::Subscript(subscript) => {
            let name = match &*subscript.value {
                Expr::Name(name) => name.id.as_str(),
                Expr::Attribute(attribute) => attribute.attr.as_str(),
                _ => return false,
            };
            let first = match &*subscript.slice {
                Expr::Tuple(tuple) => tuple.elts.first(),
                inner => Some(inner),
            };
            match name {
                "Literal" => true,
                "Optional" | "Annotated" | "list" | "List" | "set" | "Set" => {
                    matches!(first, Some(Expr::Name(name)) if is_plain(name.id.as_str()))
                }
                _ => false,
            }
        }
        _ => false,
    }
}
