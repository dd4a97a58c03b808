//! Names of a file: variables, their scopes and functions, and what loops and protected blocks may change.
//!
//! The binder writes its results into the cells of the tree: the reference of an identifier is the number of its variable
//! (none: a global), the node of a function, loop or `try` is the number of its function or region.

mod expressions;
mod functions;
mod hoist;
mod statements;

pub(super) use statements::export_name;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use oxc_ast::ast::{BindingIdentifier, IdentifierReference, Program};
use oxc_syntax::{reference::ReferenceId, symbol::SymbolId};

use crate::lang::{LowerError, LowerOptions};

/// Name of the variable that holds the superclass inside a class.
const SUPER: &str = "%super";

/// A variable.
#[derive(Debug)]
pub(super) struct Variable<'a> {
    /// Name.
    pub(super) name: &'a str,
    /// Declaring function.
    pub(super) function: u32,
    /// Functions inside the declaring one use it.
    pub(super) is_captured: bool,
    /// Functions inside the declaring one assign it.
    pub(super) is_assigned_inside: bool,
    /// Number of assignments, with the initial one.
    pub(super) assignments: u32,
    /// Number of assignments by functions inside the declaring one.
    pub(super) inner_assignments: u32,
    /// Innermost function inside the declaring one that all those assignments are in. 0: there is none.
    pub(super) assigner: u32,
    /// The first assignment is part of the declaration.
    pub(super) is_initialised: bool,
    /// It exists from the start of its function: `var`, parameter.
    pub(super) is_hoisted: bool,
    /// Reads.
    pub(super) reads: u32,
    /// Reads of which only a member is read.
    pub(super) member_reads: u32,
}

/// A function.
#[derive(Debug)]
pub(super) struct Scope {
    /// Function around it.
    pub(super) parent: u32,
    /// It has no receiver of its own.
    pub(super) is_arrow: bool,
    /// Variable that arrow functions read the receiver from.
    pub(super) this: Option<u32>,
    /// Variable `arguments`.
    pub(super) arguments: Option<u32>,
    /// Variables of functions around it that it or functions inside it use: the first ones.
    pub(super) captures: Vec<u32>,
}

/// Most captured variables that a function lists.
const MOST_CAPTURES: usize = 256;

/// What a loop or a protected block may change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Region {
    /// Range of [`Bindings::region_variables`]: variables of the same function that are assigned.
    pub(super) variables: (u32, u32),
    /// Range of [`Bindings::region_fields`]: names of stored fields.
    pub(super) fields: (u32, u32),
    /// It calls something, or stores to a computed key.
    pub(super) changes_all: bool,
}

/// Result of the binder.
#[derive(Debug, Default)]
pub(super) struct Bindings<'a> {
    /// Variables by number.
    pub(super) variables: Vec<Variable<'a>>,
    /// Functions by number. The first one is the file.
    pub(super) functions: Vec<Scope>,
    /// Regions by number.
    pub(super) regions: Vec<Region>,
    /// Variables of regions.
    pub(super) region_variables: Vec<u32>,
    /// Fields of regions.
    pub(super) region_fields: Vec<&'a str>,
    /// Exported names of variables.
    pub(super) exports: HashMap<u32, Vec<&'a str>, FixedState>,
    /// Globals that the file assigns.
    pub(super) assigned_globals: HashMap<&'a str, (), FixedState>,
    /// Names of properties for which the file defines getters or setters.
    pub(super) accessors: HashMap<&'a str, (), FixedState>,
    /// The file has imports or exports of ES modules.
    pub(super) is_module: bool,
}

/// Resolves the names of a file.
pub(super) fn bind<'a>(program: &Program<'a>, options: &LowerOptions<'_>) -> Result<Bindings<'a>, LowerError> {
    let mut binder = Binder {
        out: Bindings::default(),
        names: HashMap::default(),
        scopes: Vec::new(),
        function: 0,
        writes: Vec::new(),
        stores: Vec::new(),
        events: 0,
        variable_marks: Vec::new(),
        depth: 0,
        max_depth: options.max_depth,
        steps: 0,
        options,
        stopped: None,
    };
    binder.out.regions.push(Region::default());
    binder.program(program);
    match binder.stopped {
        Some(error) => Err(error),
        None => Ok(binder.out),
    }
}

/// State of the binder.
struct Binder<'a, 'o> {
    out: Bindings<'a>,
    /// Visible variables of each name, the innermost last.
    names: HashMap<&'a str, Vec<u32>, FixedState>,
    /// Names that each open scope declares.
    scopes: Vec<Vec<&'a str>>,
    /// Current function.
    function: u32,
    /// Assigned variables of the current function, in order.
    writes: Vec<u32>,
    /// Stored fields of the current function, in order.
    stores: Vec<&'a str>,
    /// Number of calls and computed stores so far.
    events: u32,
    /// Region that last listed each variable, to list it once.
    variable_marks: Vec<u32>,
    depth: u32,
    max_depth: u32,
    steps: u32,
    options: &'o LowerOptions<'o>,
    stopped: Option<LowerError>,
}

/// Positions in the logs at the start of a region.
struct RegionStart {
    writes: usize,
    stores: usize,
    events: u32,
}

impl<'a> Binder<'a, '_> {
    /// Enters a level of nesting. False: the work stops.
    fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > self.max_depth {
            self.stopped.get_or_insert(LowerError::TooDeep);
        }
        self.steps += 1;
        if self.steps & 0x3fff == 0 && self.options.cancelled.is_some_and(|cancelled| cancelled()) {
            self.stopped.get_or_insert(LowerError::TimedOut);
        }
        self.stopped.is_none()
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn open(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn close(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(stack) = self.names.get_mut(name) {
                stack.pop();
            }
        }
    }

    /// Declares a name in the innermost scope. A name that the scope has already is the same variable.
    fn declare(&mut self, name: &'a str, is_hoisted: bool) -> u32 {
        let number = u32::try_from(self.out.variables.len()).unwrap_or(u32::MAX);
        let scope = self.scopes.len();
        let stack = self.names.entry(name).or_default();
        if let Some(&last) = stack.last()
            && self.variable_marks[last as usize] == scope as u32
            && self.out.variables[last as usize].function == self.function
        {
            return last;
        }
        stack.push(number);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
        self.variable_marks.push(scope as u32);
        self.out.variables.push(Variable {
            name,
            function: self.function,
            is_captured: false,
            is_assigned_inside: false,
            assignments: 0,
            inner_assignments: 0,
            assigner: 0,
            is_initialised: false,
            is_hoisted,
            reads: 0,
            member_reads: 0,
        });
        number
    }

    fn declare_identifier(&mut self, identifier: &BindingIdentifier<'a>, is_hoisted: bool) -> u32 {
        let variable = self.declare(identifier.name.as_str(), is_hoisted);
        identifier.symbol_id.set(Some(SymbolId::from_usize(variable as usize)));
        variable
    }

    fn resolve(&self, name: &str) -> Option<u32> {
        self.names.get(name).and_then(|stack| stack.last().copied())
    }

    /// Innermost function with a receiver of its own.
    fn receiver_function(&self) -> u32 {
        let mut function = self.function;
        while self.out.functions[function as usize].is_arrow {
            function = self.out.functions[function as usize].parent;
        }
        function
    }

    fn read(&mut self, identifier: &IdentifierReference<'a>) -> Option<u32> {
        let variable = self.lookup(identifier)?;
        self.out.variables[variable as usize].reads += 1;
        Some(variable)
    }

    fn write(&mut self, identifier: &IdentifierReference<'a>) {
        match self.lookup(identifier) {
            Some(variable) => self.assign(variable),
            None => {
                self.events += 1;
                self.out.assigned_globals.insert(identifier.name.as_str(), ());
            }
        }
    }

    /// Counts an assignment of a variable in the current function.
    fn assign(&mut self, variable: u32) {
        let entry = &mut self.out.variables[variable as usize];
        entry.assignments += 1;
        if entry.function == self.function {
            self.writes.push(variable);
        } else {
            entry.is_assigned_inside = true;
            entry.inner_assignments += 1;
            let known = if entry.inner_assignments == 1 { self.function } else { entry.assigner };
            let assigner = self.common_function(known, self.function);
            self.out.variables[variable as usize].assigner = assigner;
        }
    }

    /// Innermost function that two functions are in, or are.
    fn common_function(&self, mut left: u32, mut right: u32) -> u32 {
        // Functions have greater numbers than those around them.
        while left != right {
            if left > right {
                left = self.out.functions[left as usize].parent;
            } else {
                right = self.out.functions[right as usize].parent;
            }
        }
        left
    }

    fn lookup(&mut self, identifier: &IdentifierReference<'a>) -> Option<u32> {
        let name = identifier.name.as_str();
        let mut found = self.resolve(name);
        if name == "arguments" {
            let function = self.receiver_function();
            let is_local = found.is_some_and(|found| self.out.variables[found as usize].function >= function);
            if function != 0 && !is_local {
                found = Some(self.arguments_of(function));
            }
        }
        let variable = found?;
        identifier.reference_id.set(Some(ReferenceId::from_usize(variable as usize)));
        self.capture(variable);
        Some(variable)
    }

    fn capture(&mut self, variable: u32) {
        let entry = &mut self.out.variables[variable as usize];
        if entry.function != self.function {
            entry.is_captured = true;
            let captures = &mut self.out.functions[self.function as usize].captures;
            if captures.len() < 4 * MOST_CAPTURES && captures.last() != Some(&variable) {
                captures.push(variable);
            }
        }
    }

    /// Completes the captured variables of a function: the function around it captures what is not its own.
    fn end_captures(&mut self, function: u32) {
        let mut captures = std::mem::take(&mut self.out.functions[function as usize].captures);
        captures.sort_unstable();
        captures.dedup();
        captures.truncate(MOST_CAPTURES);
        let parent = self.out.functions[function as usize].parent;
        for &variable in &captures {
            let outer = &mut self.out.functions[parent as usize].captures;
            if self.out.variables[variable as usize].function != parent && outer.len() < 4 * MOST_CAPTURES {
                outer.push(variable);
            }
        }
        self.out.functions[function as usize].captures = captures;
    }

    fn pseudo(&mut self, name: &'a str, function: u32) -> u32 {
        let number = u32::try_from(self.out.variables.len()).unwrap_or(u32::MAX);
        self.variable_marks.push(u32::MAX);
        self.out.variables.push(Variable {
            name,
            function,
            is_captured: false,
            is_assigned_inside: false,
            assignments: 1,
            inner_assignments: 0,
            assigner: 0,
            is_initialised: true,
            is_hoisted: true,
            reads: 0,
            member_reads: 0,
        });
        number
    }

    fn arguments_of(&mut self, function: u32) -> u32 {
        if let Some(variable) = self.out.functions[function as usize].arguments {
            return variable;
        }
        let variable = self.pseudo("arguments", function);
        self.out.functions[function as usize].arguments = Some(variable);
        variable
    }

    /// Notes a use of the receiver.
    fn this(&mut self) {
        let function = self.receiver_function();
        if function == self.function {
            return;
        }
        let variable = match self.out.functions[function as usize].this {
            Some(variable) => variable,
            None => {
                let variable = self.pseudo("this", function);
                self.out.functions[function as usize].this = Some(variable);
                variable
            }
        };
        self.out.variables[variable as usize].is_captured = true;
    }

    fn begin_region(&self) -> RegionStart {
        RegionStart { writes: self.writes.len(), stores: self.stores.len(), events: self.events }
    }

    /// Number of the region that began at a position. The logs keep each of its entries once.
    fn end_region(&mut self, start: &RegionStart) -> u32 {
        let number = u32::try_from(self.out.regions.len()).unwrap_or(u32::MAX);
        self.writes[start.writes..].sort_unstable();
        dedup_from(&mut self.writes, start.writes);
        self.stores[start.stores..].sort_unstable();
        dedup_from(&mut self.stores, start.stores);
        let variables = self.out.region_variables.len();
        self.out.region_variables.extend_from_slice(&self.writes[start.writes..]);
        let fields = self.out.region_fields.len();
        self.out.region_fields.extend_from_slice(&self.stores[start.stores..]);
        if self.out.region_variables.len() + self.out.region_fields.len() > self.options.max_instructions {
            self.stopped.get_or_insert(LowerError::TooLong);
        }
        self.out.regions.push(Region {
            variables: (variables as u32, self.out.region_variables.len() as u32),
            fields: (fields as u32, self.out.region_fields.len() as u32),
            changes_all: self.events != start.events,
        });
        number
    }
}

/// Removes repeated neighbours from a position on.
fn dedup_from<T: PartialEq + Copy>(items: &mut Vec<T>, start: usize) {
    let mut kept = start;
    for index in start..items.len() {
        if kept == start || items[kept - 1] != items[index] {
            items[kept] = items[index];
            kept += 1;
        }
    }
    items.truncate(kept);
}
