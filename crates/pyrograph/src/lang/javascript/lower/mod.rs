//! Lowering: from the syntax tree to instructions.
//!
//! Functions are lowered one after the other, each after the function that creates it. So a function knows which
//! variables around it are constants.

mod arrays;
mod assign;
mod branches;
mod calls;
mod checks;
mod classes;
mod compiled;
mod components;
mod constant_calls;
mod constants;
mod derived;
mod expressions;
mod folders;
mod forms;
mod functions;
mod jsx;
mod lists;
mod literals;
mod loops;
mod members;
mod modules;
mod operators;
mod patterns;
mod predicates;
mod protect;
mod resets;
mod statements;
mod switch;
mod typescript;
mod variables;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::{Deref, DerefMut};

use foldhash::fast::FixedState;
use oxc_ast::ast::{ArrowFunctionExpression, Class, Function, Program, StaticBlock};

use super::bind::Bindings;
use crate::flow::{self, FlowModule, FunctionId, FunctionKind, SymbolId, ValueId};
use crate::lang::ssa::{Note, Ssa};
use crate::lang::{LowerError, LowerOptions};

/// Lowers a file whose names are resolved.
pub(super) fn lower<'a>(
    program: &'a Program<'a>,
    mut bindings: Bindings<'a>,
    options: &LowerOptions<'_>,
) -> Result<FlowModule, LowerError> {
    let mut lowerer = Lowerer {
        ssa: Ssa::new(std::mem::take(&mut bindings.scopes), options),
        imported: HashMap::default(),
        source: program.source_text,
        loaders: HashSet::default(),
        has_amdefine: program.source_text.contains("amdefine"),
        asynchronous: HashSet::default(),
        machines: HashMap::default(),
        queue: VecDeque::new(),
        current: Current::new(FunctionKind::Module),
        bindings,
    };
    lowerer.file(program);
    let ssa = lowerer.ssa;
    match ssa.stopped {
        Some(error) => Err(error),
        None => Ok(ssa.builder.finish()),
    }
}

/// State of the lowering of a file.
struct Lowerer<'a, 'o> {
    ssa: Ssa<'a, 'o>,
    bindings: Bindings<'a>,
    /// Imported names: specifier, and name of the export. No name: all exports.
    imported: HashMap<&'a str, (SymbolId, Option<&'a str>), FixedState>,
    source: &'a str,
    /// Parameters `require` of the functions that bundlers and AMD wrap modules in.
    loaders: HashSet<u32, FixedState>,
    /// The file names the package that makes a function `define`: `var define = require("amdefine")(module)`.
    has_amdefine: bool,
    /// Functions that helper functions of compilers make async.
    asynchronous: HashSet<u32, FixedState>,
    /// Functions that are state machines: kind, whether they await.
    machines: HashMap<u32, (compiled::MachineKind, bool), FixedState>,
    queue: VecDeque<Pending<'a>>,
    current: Current<'a>,
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
    kind: FunctionKind,
    body: Body<'a>,
    /// Variable of the superclass, for code of a class.
    parent: Option<u32>,
    is_static: bool,
}

/// Syntax of a function.
#[derive(Clone, Copy)]
enum Body<'a> {
    Function(&'a Function<'a>),
    Arrow(&'a ArrowFunctionExpression<'a>),
    /// Constructor: the class, and the method if there is one.
    Constructor(&'a Class<'a>, Option<&'a Function<'a>>),
    StaticBlock(&'a StaticBlock<'a>),
}

/// The function that is being lowered.
struct Current<'a> {
    kind: FunctionKind,
    receiver: Option<ValueId>,
    exports: Option<ValueId>,
    module: Option<ValueId>,
    /// Parameters by position.
    parameters: Vec<ValueId>,
    /// Labels of the next statement.
    labels: Vec<&'a str>,
    label_region: u32,
    /// Variable of the superclass.
    parent: Option<u32>,
    is_static: bool,
    /// Class whose fields the constructor has still to store.
    fields: Option<&'a Class<'a>>,
    /// `this` of static fields.
    this_override: Option<ValueId>,
    /// Object that `export` stores to: of a namespace. None: of the module.
    namespace: Option<ValueId>,
    /// The function has returned on some path.
    has_returned: bool,
    /// State machine that the function is.
    machine: Option<compiled::Machine>,
}

impl Current<'_> {
    fn new(kind: FunctionKind) -> Self {
        Current {
            kind,
            receiver: None,
            exports: None,
            module: None,
            parameters: Vec::new(),
            labels: Vec::new(),
            label_region: 0,
            parent: None,
            is_static: false,
            fields: None,
            this_override: None,
            namespace: None,
            has_returned: false,
            machine: None,
        }
    }
}

/// Span of the flow module.
fn at(span: oxc_span::Span) -> flow::Span {
    flow::Span::new(span.start, span.end)
}
