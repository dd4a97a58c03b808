//! Stubs: annotations of a `.pyi` file as hints for the functions and classes of the module beside it.
//!
//! A stub is lowered like a module. Its functions and those of the module have the same qualified names. A hint of the stub counts
//! where the module has none of its own, and where all declarations of the name (`@overload`) agree.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{FlowModule, FunctionId, FunctionKind, SymbolId, TypedPlace};

/// Separator of the names of nested functions.
const SEPARATOR: char = '.';

/// Module and name of a type. None: declarations disagree.
type Hint<'s> = Option<(&'s str, &'s str)>;

/// Hints of all declarations of a name.
#[derive(Default)]
struct Hints<'s> {
    /// Number of declarations.
    declarations: usize,
    /// Number of declarations with a type of the result.
    results: usize,
    result: Option<Hint<'s>>,
    /// By the names of the parameters.
    parameters: BTreeMap<&'s str, Hint<'s>>,
    /// By the names of the fields.
    fields: BTreeMap<&'s str, Hint<'s>>,
}

/// Adds the hints of a stub to a module.
pub(super) fn apply(module: &mut FlowModule, stub: &FlowModule) {
    let hints = hints(stub);
    if hints.is_empty() {
        return;
    }
    let known: BTreeSet<(u32, Option<SymbolId>)> = module
        .types
        .iter()
        .map(|&(function, place, ..)| match place {
            TypedPlace::Result => (function.0, None),
            TypedPlace::Field(field) => (function.0, Some(field)),
        })
        .collect();
    let mut symbols = Symbols::new(module);
    for (id, name) in qualified_names(module) {
        let Some(hints) = hints.get(&name) else { continue };
        let mut types: BTreeMap<u32, (SymbolId, SymbolId)> = BTreeMap::new();
        for (position, parameter) in module.functions[id.index()].parameters.clone().into_iter().enumerate() {
            let hint = parameter.and_then(|name| hints.parameters.get(module.text(name)).copied().flatten());
            if let Some((specifier, name)) = hint {
                types.insert(position as u32, (symbols.symbol(module, specifier), symbols.symbol(module, name)));
            }
        }
        for &(position, specifier, name) in &module.function(id).parameter_types {
            types.insert(position, (specifier, name));
        }
        module.functions[id.index()].parameter_types =
            types.into_iter().map(|(position, (specifier, name))| (position, specifier, name)).collect();
        // A declaration without a type that has a name disagrees.
        if let Some(Some((specifier, name))) = hints.result
            && hints.results == hints.declarations
            && !known.contains(&(id.0, None))
        {
            let hint = (symbols.symbol(module, specifier), symbols.symbol(module, name));
            module.types.push((id, TypedPlace::Result, hint.0, hint.1));
        }
        for (&field, &hint) in &hints.fields {
            let Some((specifier, name)) = hint else { continue };
            let field = symbols.symbol(module, field);
            if !known.contains(&(id.0, Some(field))) {
                let hint = (symbols.symbol(module, specifier), symbols.symbol(module, name));
                module.types.push((id, TypedPlace::Field(field), hint.0, hint.1));
            }
        }
    }
}

/// Hints of a stub by qualified name.
fn hints(stub: &FlowModule) -> BTreeMap<String, Hints<'_>> {
    let mut hints: BTreeMap<String, Hints<'_>> = BTreeMap::new();
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for (id, name) in qualified_names(stub) {
        let function = stub.function(id);
        let entry = hints.entry(name.clone()).or_default();
        entry.declarations += 1;
        for &(position, specifier, name) in &function.parameter_types {
            if let Some(Some(parameter)) = function.parameters.get(position as usize) {
                let hint = Some((stub.text(specifier), stub.text(name)));
                agree(entry.parameters.entry(stub.text(*parameter)).or_insert(hint), hint);
            }
        }
        names.insert(id.0, name);
    }
    for &(function, place, specifier, name) in &stub.types {
        let hint = Some((stub.text(specifier), stub.text(name)));
        let Some(entry) = names.get(&function.0).and_then(|name| hints.get_mut(name)) else { continue };
        match place {
            TypedPlace::Result => {
                entry.results += 1;
                agree(entry.result.get_or_insert(hint), hint);
            }
            TypedPlace::Field(field) => agree(entry.fields.entry(stub.text(field)).or_insert(hint), hint),
        }
    }
    hints
}

/// Removes a hint that another one contradicts.
fn agree<'s>(known: &mut Hint<'s>, hint: Hint<'s>) {
    if *known != hint {
        *known = None;
    }
}

/// Qualified names of the functions and classes of a module, such as `Class.method`: names of what contains them, by spans.
fn qualified_names(module: &FlowModule) -> Vec<(FunctionId, String)> {
    /// Longest qualified name. Deeper functions have no hints.
    const MAX_NAME: usize = 1024;
    let mut ids: Vec<FunctionId> = (0..module.functions.len() as u32).map(FunctionId).collect();
    ids.retain(|&id| module.function(id).kind != FunctionKind::Module);
    ids.sort_by_key(|&id| (module.function(id).span.start, Reverse(module.function(id).span.end)));
    let mut around: Vec<(u32, String)> = Vec::new();
    let mut names = Vec::new();
    for id in ids {
        let function = module.function(id);
        while around.last().is_some_and(|&(end, _)| end <= function.span.start) {
            around.pop();
        }
        let Some(name) = function.name else { continue };
        let name = match around.last() {
            Some((_, outer)) if outer.len() > MAX_NAME => continue,
            Some((_, outer)) => format!("{outer}{SEPARATOR}{}", module.text(name)),
            None => module.text(name).to_owned(),
        };
        around.push((function.span.end, name.clone()));
        names.push((id, name));
    }
    names
}

/// Symbols of a module by text.
struct Symbols {
    numbers: BTreeMap<Box<str>, SymbolId>,
}

impl Symbols {
    fn new(module: &FlowModule) -> Symbols {
        let mut numbers = BTreeMap::new();
        for (number, text) in (0..).zip(&module.symbols) {
            numbers.entry(text.clone()).or_insert(SymbolId(number));
        }
        Symbols { numbers }
    }

    /// Symbol of a text.
    fn symbol(&mut self, module: &mut FlowModule, text: &str) -> SymbolId {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let new = SymbolId(module.symbols.len() as u32);
        module.symbols.push(text.into());
        self.numbers.insert(text.into(), new);
        new
    }
}
