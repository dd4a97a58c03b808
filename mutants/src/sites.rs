//! Places of a source file that mutants change.
//!
//! Constants, statics, `const fn`, types, patterns, attributes and the arguments of macros are left alone: a mutant is a
//! condition at run time, which stands in none of them.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Lit, Pat, ReturnType, Stmt, Type};

use crate::swaps;

/// How a mutant changes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An expression is replaced by another one.
    Replace,
    /// A statement is left out.
    Delete,
    /// A function returns at once.
    Return,
}

/// A place with its mutants.
#[derive(Clone, Debug)]
pub struct Site {
    pub range: Range<usize>,
    pub form: Form,
    /// Kind and text of each mutant.
    pub mutants: Vec<(&'static str, String)>,
    /// Name of the function around it.
    pub function: String,
}

/// Number of places that were left alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skipped {
    pub constants: usize,
    pub patterns: usize,
    pub macros: usize,
}

/// Finds the places of a file.
///
/// # Errors
///
/// Fails on a file that is no Rust.
pub fn sites(source: &str) -> Result<(Vec<Site>, Skipped), syn::Error> {
    let file = syn::parse_file(source)?;
    let mut finder = Finder { source, sites: Vec::new(), skipped: Skipped::default(), functions: Vec::new() };
    finder.visit_file(&file);
    // Places nest. An outer one comes before those inside it.
    finder.sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end), site.form as u8));
    Ok((finder.sites, finder.skipped))
}

struct Finder<'s> {
    source: &'s str,
    sites: Vec<Site>,
    skipped: Skipped,
    functions: Vec<String>,
}

fn range(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("test"))
}

/// True if a condition binds names.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(paren) => has_let(&paren.expr),
        _ => false,
    }
}

impl Finder<'_> {
    fn text(&self, range: Range<usize>) -> &str {
        self.source.get(range).unwrap_or_default()
    }

    fn add(&mut self, range: Range<usize>, form: Form, kind: &'static str, text: String) {
        let function = self.functions.last().cloned().unwrap_or_default();
        match self.sites.iter_mut().rev().find(|site| site.range == range && site.form == form) {
            Some(site) => site.mutants.push((kind, text)),
            None => self.sites.push(Site { range, form, mutants: vec![(kind, text)], function }),
        }
    }

    fn replace(&mut self, node: &impl Spanned, kind: &'static str, text: String) {
        let range = range(node);
        if !range.is_empty() {
            self.add(range, Form::Replace, kind, text);
        }
    }

    fn condition(&mut self, cond: &Expr) {
        if !has_let(cond) {
            let text = format!("!({})", self.text(range(cond)));
            self.replace(cond, "condition negated", text);
        }
    }

    /// Visits a function or a method.
    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        if is_test(attributes) {
            return;
        }
        if signature.constness.is_some() {
            self.skipped.constants += 1;
            return;
        }
        self.functions.push(signature.ident.to_string());
        self.body(&signature.output, block);
        self.visit_block(block);
        self.functions.pop();
    }

    fn body(&mut self, output: &ReturnType, block: &syn::Block) {
        let mut values: Vec<String> = Vec::new();
        match output {
            ReturnType::Default => values.push(String::new()),
            ReturnType::Type(_, ty) => match &**ty {
                Type::Path(path) => {
                    let Some(last) = path.path.segments.last() else { return };
                    let name = last.ident.to_string();
                    match name.as_str() {
                        "bool" => values.extend(["true".to_owned(), "false".to_owned()]),
                        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
                            values.extend(["0".to_owned(), "1".to_owned()]);
                        }
                        "Option" => values.push("None".to_owned()),
                        "Result" => values.push("Ok(Default::default())".to_owned()),
                        "Self" => {}
                        _ => values.push("Default::default()".to_owned()),
                    }
                }
                Type::Array(_) | Type::Tuple(_) => values.push("Default::default()".to_owned()),
                _ => {}
            },
        }
        let start = range(block).start + 1;
        if block.stmts.is_empty() {
            return;
        }
        for value in values {
            self.add(start..start, Form::Return, "function returns at once", value);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        // Texts for people.
        let is_format = item
            .trait_
            .as_ref()
            .and_then(|(_, path, _)| path.segments.last())
            .is_some_and(|last| matches!(last.ident.to_string().as_str(), "Display" | "Debug" | "Error"));
        if !is_format && !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {
        self.skipped.constants += 1;
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {
        self.skipped.constants += 1;
    }

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {
        self.skipped.constants += 1;
    }

    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        visit::visit_item_trait(self, item);
    }

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_pat(&mut self, pat: &'ast Pat) {
        if matches!(pat, Pat::Lit(_) | Pat::Range(_) | Pat::Or(_) | Pat::TupleStruct(_)) {
            self.skipped.patterns += 1;
        }
    }

    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        self.skipped.macros += 1;
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.visit_pat(&arm.pat);
        if let Some((_, guard)) = &arm.guard {
            if !has_let(guard) {
                self.replace(&**guard, "guard", "false".to_owned());
                self.replace(&**guard, "guard", "true".to_owned());
            }
            self.visit_expr(guard);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        let whole = range(stmt);
        match stmt {
            Stmt::Expr(expr, Some(_)) => {
                let is_deletable = match expr {
                    Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) | Expr::Binary(_) | Expr::Try(_) => true,
                    Expr::Break(inner) => inner.expr.is_none(),
                    Expr::Continue(_) => true,
                    Expr::Return(_) => true,
                    _ => false,
                };
                if is_deletable {
                    self.add(whole, Form::Delete, "statement deleted", String::new());
                }
            }
            Stmt::Macro(mac) => {
                let name = mac.mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                if !name.contains("assert") && !name.contains("macro_rules") {
                    self.add(whole, Form::Delete, "statement deleted", String::new());
                }
            }
            _ => {}
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) => {
                if !has_let(expr) {
                    let operator = self.text(range(&binary.op)).to_owned();
                    for new in swaps::operators(&operator) {
                        let (left, right) = (self.text(range(&binary.left)), self.text(range(&binary.right)));
                        let text = match new.ends_with('=') && !matches!(*new, "==" | "!=" | "<=" | ">=") {
                            true => format!("{left} {new} {right}"),
                            false => format!("({left}) {new} ({right})"),
                        };
                        let kind = match operator.as_str() {
                            "<" | "<=" | ">" | ">=" | "==" | "!=" => "comparison",
                            "&&" | "||" => "logical operator",
                            _ => "operator",
                        };
                        self.replace(binary, kind, text);
                    }
                }
            }
            Expr::Unary(unary) => {
                if matches!(unary.op, syn::UnOp::Not(_) | syn::UnOp::Neg(_)) {
                    let text = format!("({})", self.text(range(&unary.expr)));
                    self.replace(unary, "operator", text);
                }
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => {
                    if let Ok(value) = int.base10_parse::<u128>() {
                        let suffix = int.suffix();
                        self.replace(literal, "constant", format!("{}{suffix}", value + 1));
                        if value > 1 {
                            self.replace(literal, "constant", format!("{}{suffix}", value - 1));
                        }
                    }
                }
                Lit::Bool(bool) => self.replace(literal, "constant", (!bool.value).to_string()),
                Lit::Str(text) => {
                    if let Some(new) = swaps::instruction(&text.value()) {
                        self.replace(literal, "instruction", format!("{new:?}"));
                    }
                }
                _ => {}
            },
            Expr::Path(path) => {
                let segments: Vec<String> =
                    path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                if let [.., owner, variant] = &segments[..] {
                    let whole = self.text(range(path)).to_owned();
                    for new in swaps::variants(owner, variant) {
                        if let Some(start) = whole.strip_suffix(variant.as_str()) {
                            self.replace(path, "variant", format!("{start}{new}"));
                        }
                    }
                }
            }
            Expr::MethodCall(call) => {
                if let Some(new) = swaps::method(&call.method.to_string()) {
                    let (whole, name) = (range(call), range(&call.method));
                    let text = format!("{}{new}{}", self.text(whole.start..name.start), self.text(name.end..whole.end));
                    self.replace(call, "method", text);
                }
            }
            Expr::If(conditional) => self.condition(&conditional.cond),
            Expr::While(conditional) => self.condition(&conditional.cond),
            // The length is a constant.
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(String, String)> {
        let (sites, _) = sites(source).expect("is Rust");
        let of = |site: Site| {
            let text = source[site.range.clone()].to_owned();
            site.mutants.into_iter().map(move |(_, mutant)| (text.clone(), mutant))
        };
        sites.into_iter().flat_map(of).collect()
    }

    fn has(source: &str, original: &str, mutant: &str) -> bool {
        found(source).contains(&(original.to_owned(), mutant.to_owned()))
    }

    #[test]
    fn each_kind_of_place_is_found() {
        let source = "fn f(a: u32, b: u32) -> bool { g(a); if a < b { return true; } match a { 1 if b > 7 => !x, _ => Binary::Add == c } }";
        assert!(has(source, "a < b", "(a) <= (b)"));
        assert!(has(source, "a < b", "!(a < b)"));
        assert!(has(source, "g(a);", ""));
        assert!(has(source, "", "false"), "the function returns at once");
        assert!(has(source, "b > 7", "false"));
        assert!(has(source, "7", "8"));
        assert!(has(source, "!x", "(x)"));
        assert!(has(source, "Binary::Add", "Binary::Sub"));
        assert!(!has(source, "1", "2"), "a pattern");
    }

    #[test]
    fn constants_are_left_alone() {
        assert!(
            found("const A: u32 = 1 + 2; static B: u32 = 3; const fn f() -> u32 { 4 } struct S([u8; 5]);").is_empty()
        );
        assert!(found("fn f() { let _ = [x; 9]; }").iter().all(|(text, _)| text != "9"));
        assert!(found("#[cfg(test)] mod tests { fn f() -> u32 { 1 } }").is_empty());
    }
}
