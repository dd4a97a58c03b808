//! Lowering: from the syntax tree to instructions.
//!
//! Functions are lowered one after the other, each after the function that creates it. So a function knows which
//! variables around it are constants.

mod assign;
mod branches;
mod calls;
mod checks;
mod classes;
mod compiled;
mod constants;
mod core;
mod derived;
mod elements;
mod expressions;
mod functions;
mod jsx;
mod literals;
mod loops;
mod members;
mod modules;
mod operators;
mod patterns;
mod predicates;
mod protect;
mod state;
mod statements;
mod switch;
mod typescript;
mod variables;

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::FixedState;
use oxc_ast::ast::{ArrowFunctionExpression, Class, Function, Program, StaticBlock};

use super::bind::Bindings;
use crate::flow::{self, Builder, CellId, Constant, FlowModule, FunctionId, FunctionKind, Span, SymbolId, ValueId};
use crate::lang::{LowerError, LowerOptions};
use predicates::Returns;
use state::{Collector, Key, State};

/// Lowers a file whose names are resolved.
pub(super) fn lower<'a>(
    program: &'a Program<'a>,
    bindings: Bindings<'a>,
    options: &LowerOptions<'_>,
) -> Result<FlowModule, LowerError> {
    let variables = bindings.variables.len();
    let functions = bindings.functions.len();
    let mut lowerer = Lowerer {
        builder: Builder::new(),
        state: State::new(bindings.variables.iter().map(|variable| variable.is_hoisted)),
        cells: vec![None; variables],
        tested_cells: HashMap::default(),
        tested_variables: HashSet::default(),
        created: HashSet::default(),
        known: HashMap::default(),
        notes: HashMap::default(),
        function_ids: vec![None; functions],
        canonical: Vec::new(),
        origins: Vec::new(),
        constant_cells: Vec::new(),
        shared_cells: Vec::new(),
        written: vec![0; variables],
        assigned_globals: HashSet::default(),
        accessors: HashSet::default(),
        imported: HashMap::default(),
        source: program.source_text,
        loaders: HashSet::default(),
        asynchronous: HashSet::default(),
        machines: HashMap::default(),
        queue: VecDeque::new(),
        current: Current::new(FunctionId(0), 0, FunctionKind::Module),
        bindings,
        options,
        depth: 0,
        stopped: None,
    };
    lowerer.file(program);
    match lowerer.stopped {
        Some(error) => Err(error),
        None => Ok(lowerer.builder.finish()),
    }
}

/// State of the lowering of a file.
struct Lowerer<'a, 'o> {
    builder: Builder,
    bindings: Bindings<'a>,
    state: State,
    /// Cell of each captured variable, once it has one.
    cells: Vec<Option<CellId>>,
    /// Cells of variables that were tested before a function was created, by the function's number and the variable.
    tested_cells: HashMap<(u32, u32), CellId, FixedState>,
    tested_variables: HashSet<u32, FixedState>,
    /// Variables that a function captures which exists already.
    created: HashSet<u32, FixedState>,
    /// What is known of variables that are assigned once.
    known: HashMap<u32, Note, FixedState>,
    /// What is known of values.
    notes: HashMap<ValueId, Note, FixedState>,
    /// Functions by their number in the bindings.
    function_ids: Vec<Option<FunctionId>>,
    /// The value that each value is another name of.
    canonical: Vec<ValueId>,
    /// Parameter from which each value was loaded, or the maximum.
    origins: Vec<u32>,
    /// Cells that nothing assigns after their first value.
    constant_cells: Vec<bool>,
    /// Cells of which a function knows that is not their own.
    shared_cells: Vec<bool>,
    /// Number of assignments of each variable by its own function so far.
    written: Vec<u32>,
    assigned_globals: HashSet<SymbolId, FixedState>,
    /// Names of properties with getters or setters.
    accessors: HashSet<SymbolId, FixedState>,
    /// Imported names: specifier, and name of the export. No name: all exports.
    imported: HashMap<&'a str, (SymbolId, Option<&'a str>), FixedState>,
    source: &'a str,
    /// Parameters `require` of the functions that bundlers and AMD wrap modules in.
    loaders: HashSet<u32, FixedState>,
    /// Functions that helper functions of compilers make async.
    asynchronous: HashSet<u32, FixedState>,
    /// Functions that are state machines: kind, whether they await.
    machines: HashMap<u32, (compiled::MachineKind, bool), FixedState>,
    queue: VecDeque<Pending<'a>>,
    current: Current<'a>,
    options: &'o LowerOptions<'o>,
    depth: u32,
    stopped: Option<LowerError>,
}

/// What is known of a value besides its instruction.
#[derive(Clone, Debug)]
enum Note {
    /// A constant.
    Constant(Constant),
    /// A collection of constants: array, set, or the keys of an object.
    Collection,
    /// A regular expression: pattern, flags.
    Regex(SymbolId, SymbolId),
    /// An object that does not change: its constant fields.
    Members(std::rc::Rc<HashMap<SymbolId, Constant, FixedState>>),
    /// The function `hasOwnProperty`.
    OwnProperty,
    /// A text that was made of another one: place and name of that one.
    Derived(checks::Tested, ValueId),
    /// The result of tests.
    Tests(Vec<checks::Check>),
    /// Relative path of a file: the place of the file, and its name.
    Relative(checks::Tested, ValueId),
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

/// A statement that `break` or `continue` leaves.
struct Target<'a> {
    labels: Vec<&'a str>,
    is_loop: bool,
    /// `break` without a label leaves it.
    is_breakable: bool,
    breaks: Collector,
    continues: Collector,
}

/// The function that is being lowered.
struct Current<'a> {
    id: FunctionId,
    number: u32,
    kind: FunctionKind,
    is_reachable: bool,
    receiver: Option<ValueId>,
    exports: Option<ValueId>,
    module: Option<ValueId>,
    imports: HashMap<SymbolId, ValueId, FixedState>,
    globals: HashMap<SymbolId, ValueId, FixedState>,
    /// Parameters by position.
    parameters: Vec<ValueId>,
    targets: Vec<Target<'a>>,
    /// Labels of the next statement.
    labels: Vec<&'a str>,
    label_region: u32,
    /// Throws and calls of each protected region around.
    handlers: Vec<Vec<ValueId>>,
    /// Variable of the superclass.
    parent: Option<u32>,
    is_static: bool,
    /// Class whose fields the constructor has still to store.
    fields: Option<&'a Class<'a>>,
    /// `this` of static fields.
    this_override: Option<ValueId>,
    /// Member loads of the current condition.
    loads: Vec<(Span, Key, ValueId)>,
    /// Variables that name lists, by the list.
    lists: HashMap<ValueId, u32, FixedState>,
    returns: Returns,
    /// Object that `export` stores to: of a namespace. None: of the module.
    namespace: Option<ValueId>,
    /// State machine that the function is.
    machine: Option<compiled::Machine>,
}

impl Current<'_> {
    fn new(id: FunctionId, number: u32, kind: FunctionKind) -> Self {
        Current {
            id,
            number,
            kind,
            is_reachable: true,
            receiver: None,
            exports: None,
            module: None,
            imports: HashMap::default(),
            globals: HashMap::default(),
            parameters: Vec::new(),
            targets: Vec::new(),
            labels: Vec::new(),
            label_region: 0,
            handlers: Vec::new(),
            parent: None,
            is_static: false,
            fields: None,
            this_override: None,
            loads: Vec::new(),
            lists: HashMap::default(),
            returns: Returns::default(),
            namespace: None,
            machine: None,
        }
    }
}

/// Span of the flow module.
fn at(span: oxc_span::Span) -> flow::Span {
    flow::Span::new(span.start, span.end)
}
