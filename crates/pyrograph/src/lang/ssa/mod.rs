//! SSA form while a syntax tree is walked: what the lowerings of all languages share.
//!
//! [`Ssa`] appends instructions, names variables, knows contents of memory, joins branches and loops, and makes guards. It knows
//! no syntax. A lowering owns one and dereferences to it.

mod branches;
mod captured;
mod checks;
mod core;
mod elements;
mod flags;
mod loops;
mod members;
mod predicates;
mod protect;
mod scopes;
mod state;
mod variables;

pub(in crate::lang) use branches::{Exits, MAX_TESTED};
pub(in crate::lang) use checks::{Check, MAX_CHECKS, Tested};
pub(in crate::lang) use members::MemberKey;
pub(in crate::lang) use predicates::{INSIDE, Outcomes, Returns, combined};
pub(in crate::lang) use scopes::{Region, Scope, Scopes, Variable};
pub(in crate::lang) use state::{Collector, Exit, Key, Mark};

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::flow::{Builder, CellId, Constant, FunctionId, Span, SymbolId, ValueId};
use crate::lang::{LowerError, LowerOptions};
use state::State;

/// A member of a captured variable that was tested: variable, names of the fields, cell.
type TestedMember = (u32, Vec<SymbolId>, CellId);

/// State of the lowering of a file, of any language.
pub(in crate::lang) struct Ssa<'a, 'o> {
    pub(in crate::lang) builder: Builder,
    pub(in crate::lang) scopes: Scopes<'a>,
    pub(in crate::lang) state: State,
    /// Cell of each captured variable, once it has one.
    cells: Vec<Option<CellId>>,
    /// Cells of variables that were tested before a function was created, by the function's number and the variable.
    tested_cells: HashMap<(u32, u32), CellId, FixedState>,
    tested_variables: HashSet<u32, FixedState>,
    /// Members that were tested before a function was created, by the function's number.
    tested_members: HashMap<u32, Vec<TestedMember>, FixedState>,
    /// Variables that a function captures which exists already.
    created: HashSet<u32, FixedState>,
    /// What is known of variables that are assigned once.
    pub(in crate::lang) known: HashMap<u32, Note, FixedState>,
    /// What is known of values.
    pub(in crate::lang) notes: HashMap<ValueId, Note, FixedState>,
    /// Functions by their number in the scopes.
    pub(in crate::lang) function_ids: Vec<Option<FunctionId>>,
    /// The value that each value is another name of.
    canonical: Vec<ValueId>,
    /// Parameter, result of a call or new object from which each value was loaded, or the maximum.
    origins: Vec<u32>,
    /// New lists that nobody but this function has, and choices among those and parameters.
    fresh: HashSet<ValueId, FixedState>,
    /// Cells that nothing assigns after their first value.
    constant_cells: Vec<bool>,
    /// Cells of which a function knows that is not their own.
    shared_cells: Vec<bool>,
    /// Number of assignments of each variable by its own function so far.
    written: Vec<u32>,
    pub(in crate::lang) assigned_globals: HashSet<SymbolId, FixedState>,
    /// Names of properties with getters or setters.
    pub(in crate::lang) accessors: HashSet<SymbolId, FixedState>,
    /// The function that is being lowered.
    pub(in crate::lang) frame: Frame<'a>,
    pub(in crate::lang) options: &'o LowerOptions<'o>,
    depth: u32,
    pub(in crate::lang) stopped: Option<LowerError>,
}

impl<'a, 'o> Ssa<'a, 'o> {
    /// State at the start of a file whose names are resolved.
    pub(in crate::lang) fn new(scopes: Scopes<'a>, options: &'o LowerOptions<'o>) -> Ssa<'a, 'o> {
        let variables = scopes.variables.len();
        Ssa {
            builder: Builder::new(),
            state: State::new(scopes.variables.iter().map(|variable| variable.is_hoisted)),
            cells: vec![None; variables],
            tested_cells: HashMap::default(),
            tested_variables: HashSet::default(),
            tested_members: HashMap::default(),
            created: HashSet::default(),
            known: HashMap::default(),
            notes: HashMap::default(),
            function_ids: vec![None; scopes.functions.len()],
            canonical: Vec::new(),
            origins: Vec::new(),
            fresh: HashSet::default(),
            constant_cells: Vec::new(),
            shared_cells: Vec::new(),
            written: vec![0; variables],
            assigned_globals: HashSet::default(),
            accessors: HashSet::default(),
            frame: Frame::new(FunctionId(0), 0),
            scopes,
            options,
            depth: 0,
            stopped: None,
        }
    }

    /// Begins the code of a function.
    pub(in crate::lang) fn begin_function(&mut self, id: FunctionId, number: u32) {
        self.frame = Frame::new(id, number);
        self.state.begin_function();
    }
}

/// What is known of a value besides its instruction.
#[derive(Clone, Debug)]
pub(in crate::lang) enum Note {
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
    Derived(Tested, ValueId),
    /// The absolute path of a file: place and name of the path that it was made of.
    Resolved(Tested, ValueId),
    /// The common beginning of paths. The tests hold if it equals the path of a folder.
    Common(Vec<Check>),
    /// The result of tests.
    Tests(Vec<Check>),
    /// A flag: places whose names depend on its truth.
    Flag(Vec<flags::Flagged>),
    /// Another module, or a member of it: specifier, name.
    Imported(SymbolId, Option<SymbolId>),
    /// Segments of a path: the place of the path, and its name.
    Segments(Tested, ValueId),
    /// Relative path of a file: the place of the file, and its name.
    Relative(Tested, ValueId),
}

/// A statement that `break` or `continue` leaves.
pub(in crate::lang) struct Target<'a> {
    labels: Vec<&'a str>,
    is_loop: bool,
    /// `break` without a label leaves it.
    is_breakable: bool,
    breaks: Collector,
    continues: Collector,
}

/// The function that is being lowered.
pub(in crate::lang) struct Frame<'a> {
    pub(in crate::lang) id: FunctionId,
    /// Number in the scopes.
    pub(in crate::lang) number: u32,
    pub(in crate::lang) is_reachable: bool,
    pub(in crate::lang) imports: HashMap<SymbolId, ValueId, FixedState>,
    pub(in crate::lang) globals: HashMap<SymbolId, ValueId, FixedState>,
    pub(in crate::lang) targets: Vec<Target<'a>>,
    /// Throws and calls of each protected region around.
    pub(in crate::lang) handlers: Vec<Vec<ValueId>>,
    /// Member loads of the current condition.
    pub(in crate::lang) loads: Vec<(Span, Key, ValueId)>,
    /// Members that tests have named.
    pub(in crate::lang) tested: Vec<(Key, ValueId)>,
    /// Variables that name lists, by the list.
    pub(in crate::lang) lists: HashMap<ValueId, u32, FixedState>,
    pub(in crate::lang) returns: Returns,
    /// Stores to fields of new objects since the last branch: object, field, instruction.
    pub(in crate::lang) stores: Vec<(ValueId, SymbolId, ValueId)>,
    /// Calls since the last branch that got a new object: object, call, position of the argument.
    pub(in crate::lang) resets: Vec<(ValueId, ValueId, u32)>,
    /// The function assigns elements of its array of arguments.
    pub(in crate::lang) writes_arguments: bool,
}

impl Frame<'_> {
    fn new(id: FunctionId, number: u32) -> Self {
        Frame {
            id,
            number,
            is_reachable: true,
            imports: HashMap::default(),
            globals: HashMap::default(),
            targets: Vec::new(),
            handlers: Vec::new(),
            loads: Vec::new(),
            tested: Vec::new(),
            lists: HashMap::default(),
            returns: Returns::default(),
            stores: Vec::new(),
            resets: Vec::new(),
            writes_arguments: false,
        }
    }
}
