//! Lowering: from the syntax tree to instructions.
//!
//! Functions are lowered one after the other, each after the function that creates it. Bodies of classes and comprehensions run
//! in the function around them.
//!
//! Attributes and items with constant keys are both fields: `a.b` and `a["b"]` are the field `b`, `a[0]` is the field `0`.

mod assign;
mod branches;
mod builtins;
mod calls;
mod checks;
mod classes;
mod collections;
mod comprehensions;
mod constants;
mod containers;
mod derived;
mod expressions;
mod functions;
mod harmless;
mod loops;
mod modules;
mod operators;
mod patterns;
mod predicates;
mod protect;
mod replace;
mod routes;
mod statements;
mod strings;
mod types;
mod variables;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::{Deref, DerefMut};

use foldhash::fast::FixedState;
use ruff_python_ast::{ExprLambda, ModModule, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::bind::Bindings;
use crate::flow::{CellId, FlowModule, FunctionId, Span, SymbolId, ValueId};
use crate::lang::ssa::Ssa;
use crate::lang::{LowerError, LowerOptions};

/// Lowers a file whose names are resolved.
pub(super) fn lower<'a>(
    module: &'a ModModule,
    mut bindings: Bindings<'a>,
    source: &'a str,
    options: &LowerOptions<'_>,
) -> Result<FlowModule, LowerError> {
    let mut lowerer = Lowerer {
        ssa: Ssa::new(std::mem::take(&mut bindings.scopes), options),
        bindings,
        source,
        imported: HashMap::default(),
        stars: Vec::new(),
        enumerations: enumerations(module),
        has_routes: memchr::memmem::find(source.as_bytes(), b"django").is_some(),
        has_random: memchr::memmem::find(source.as_bytes(), b"random").is_some(),
        queue: VecDeque::new(),
        current: Current::default(),
    };
    lowerer.file(module);
    let ssa = lowerer.ssa;
    match ssa.stopped {
        Some(error) => Err(error),
        None => {
            let mut module = ssa.builder.finish();
            module.calls_construct = true;
            module.has_return_places = true;
            module.has_private_names = true;
            Ok(module)
        }
    }
}

/// Names of the enumerations at the top level of a file.
fn enumerations(module: &ModModule) -> BTreeSet<&str> {
    let classes = module.body.iter().filter_map(|statement| match statement {
        Stmt::ClassDef(class) => Some(class),
        _ => None,
    });
    let bases = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"];
    classes.filter(|class| classes::has_base(class, &bases)).map(|class| class.name.as_str()).collect()
}

/// State of the lowering of a file.
struct Lowerer<'a, 'o> {
    ssa: Ssa<'a, 'o>,
    bindings: Bindings<'a>,
    source: &'a str,
    /// Variables that imports bind: specifier of the module, and name in it. No name: the module.
    imported: HashMap<u32, (SymbolId, Option<SymbolId>), FixedState>,
    /// Modules all of whose names are imported.
    stars: Vec<SymbolId>,
    /// Names of the enumerations of the file.
    enumerations: BTreeSet<&'a str>,
    /// The file may have routes of Django.
    has_routes: bool,
    /// The file may use random numbers.
    has_random: bool,
    queue: VecDeque<Pending<'a>>,
    current: Current,
}

impl<'a, 'o> Deref for Lowerer<'a, 'o> {
    type Target = Ssa<'a, 'o>;

    fn deref(&self) -> &Ssa<'a, 'o> {
        &self.ssa
    }
}

impl<'a, 'o> DerefMut for Lowerer<'a, 'o> {
    fn deref_mut(&mut self) -> &mut Ssa<'a, 'o> {
        &mut self.ssa
    }
}

/// A function that waits to be lowered.
struct Pending<'a> {
    id: FunctionId,
    /// Number in the bindings.
    number: u32,
    body: Body<'a>,
    /// The first parameter is the receiver.
    has_receiver: bool,
    /// Variable with the base classes, for code of a class.
    bases: Option<u32>,
    /// Class, for code of a class.
    class: Option<FunctionId>,
    /// The receiver is a class.
    is_static: bool,
    /// Default values of parameters by position.
    defaults: Vec<(usize, CellId)>,
}

/// Syntax of a function.
#[derive(Clone, Copy)]
enum Body<'a> {
    Function(&'a StmtFunctionDef),
    Lambda(&'a ExprLambda),
    Constructor(&'a StmtClassDef),
}

/// The function that is being lowered.
#[derive(Default)]
struct Current {
    receiver: Option<ValueId>,
    /// Variable of the receiver.
    self_variable: Option<u32>,
    exports: Option<ValueId>,
    /// Variable with the base classes.
    bases: Option<u32>,
    /// Class whose code it is.
    class: Option<FunctionId>,
    is_static: bool,
}

/// Span of the flow module.
fn at(range: TextRange) -> Span {
    Span::new(range.start().into(), range.end().into())
}

/// Span of a node.
fn span_of(node: &impl Ranged) -> Span {
    at(node.range())
}
