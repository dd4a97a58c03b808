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

use crate::lang::ssa::{Region, Scope, Scopes, Variable};
use crate::lang::{LowerError, LowerOptions};

/// Name of the variable that holds the superclass inside a class.
const SUPER: &str = "%super";

/// Most captured variables that a function lists.
const MAX_CAPTURES: usize = 256;

/// Result of the binder.
#[derive(Debug, Default)]
pub(super) struct Bindings<'a> {
    /// Variables, functions and regions.
    pub(super) scopes: Scopes<'a>,
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
    binder.out.scopes.regions.push(Region::default());
    binder.out.scopes.stored_fields = Some(std::collections::HashSet::new());
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
        let number = u32::try_from(self.out.scopes.variables.len()).unwrap_or(u32::MAX);
        let scope = self.scopes.len();
        let stack = self.names.entry(name).or_default();
        if let Some(&last) = stack.last()
            && self.variable_marks[last as usize] == scope as u32
            && self.out.scopes.variables[last as usize].function == self.function
        {
            return last;
        }
        stack.push(number);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
        self.variable_marks.push(scope as u32);
        self.out.scopes.variables.push(Variable {
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
        while self.out.scopes.functions[function as usize].is_arrow {
            function = self.out.scopes.functions[function as usize].parent;
        }
        function
    }

    fn read(&mut self, identifier: &IdentifierReference<'a>) -> Option<u32> {
        let variable = self.lookup(identifier)?;
        self.out.scopes.variables[variable as usize].reads += 1;
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
        let entry = &mut self.out.scopes.variables[variable as usize];
        entry.assignments += 1;
        if entry.function == self.function {
            self.writes.push(variable);
        } else {
            entry.is_assigned_inside = true;
            entry.inner_assignments += 1;
            let known = if entry.inner_assignments == 1 { self.function } else { entry.assigner };
            let assigner = self.common_function(known, self.function);
            self.out.scopes.variables[variable as usize].assigner = assigner;
        }
    }

    /// Innermost function that two functions are in, or are.
    fn common_function(&self, mut left: u32, mut right: u32) -> u32 {
        // Functions have greater numbers than those around them.
        while left != right {
            if left > right {
                left = self.out.scopes.functions[left as usize].parent;
            } else {
                right = self.out.scopes.functions[right as usize].parent;
            }
        }
        left
    }

    fn lookup(&mut self, identifier: &IdentifierReference<'a>) -> Option<u32> {
        let name = identifier.name.as_str();
        let mut found = self.resolve(name);
        if name == "arguments" {
            let function = self.receiver_function();
            let is_local = found.is_some_and(|found| self.out.scopes.variables[found as usize].function >= function);
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
        let entry = &mut self.out.scopes.variables[variable as usize];
        if entry.function != self.function {
            entry.is_captured = true;
            let captures = &mut self.out.scopes.functions[self.function as usize].captures;
            if captures.len() < 4 * MAX_CAPTURES && captures.last() != Some(&variable) {
                captures.push(variable);
            }
        }
    }

    /// Completes the captured variables of a function: the function around it captures what is not its own.
    fn end_captures(&mut self, function: u32) {
        let mut captures = std::mem::take(&mut self.out.scopes.functions[function as usize].captures);
        captures.sort_unstable();
        captures.dedup();
        captures.truncate(MAX_CAPTURES);
        let parent = self.out.scopes.functions[function as usize].parent;
        for &variable in &captures {
            let outer = &mut self.out.scopes.functions[parent as usize].captures;
            if self.out.scopes.variables[variable as usize].function != parent && outer.len() < 4 * MAX_CAPTURES {
                outer.push(variable);
            }
        }
        self.out.scopes.functions[function as usize].captures = captures;
    }

    fn pseudo(&mut self, name: &'a str, function: u32) -> u32 {
        let number = u32::try_from(self.out.scopes.variables.len()).unwrap_or(u32::MAX);
        self.variable_marks.push(u32::MAX);
        self.out.scopes.variables.push(Variable {
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
        if let Some(variable) = self.out.scopes.functions[function as usize].arguments {
            return variable;
        }
        let variable = self.pseudo("arguments", function);
        self.out.scopes.functions[function as usize].arguments = Some(variable);
        variable
    }

    /// Notes a use of the receiver.
    fn this(&mut self) {
        let function = self.receiver_function();
        if function == self.function {
            return;
        }
        let variable = match self.out.scopes.functions[function as usize].this {
            Some(variable) => variable,
            None => {
                let variable = self.pseudo("this", function);
                self.out.scopes.functions[function as usize].this = Some(variable);
                variable
            }
        };
        self.out.scopes.variables[variable as usize].is_captured = true;
    }

    fn begin_region(&self) -> RegionStart {
        RegionStart { writes: self.writes.len(), stores: self.stores.len(), events: self.events }
    }

    /// Number of the region that began at a position. The logs keep each of its entries once.
    fn end_region(&mut self, start: &RegionStart) -> u32 {
        let number = u32::try_from(self.out.scopes.regions.len()).unwrap_or(u32::MAX);
        self.writes[start.writes..].sort_unstable();
        dedup_from(&mut self.writes, start.writes);
        self.stores[start.stores..].sort_unstable();
        dedup_from(&mut self.stores, start.stores);
        let variables = self.out.scopes.region_variables.len();
        self.out.scopes.region_variables.extend_from_slice(&self.writes[start.writes..]);
        let fields = self.out.scopes.region_fields.len();
        self.out.scopes.region_fields.extend_from_slice(&self.stores[start.stores..]);
        if self.out.scopes.region_variables.len() + self.out.scopes.region_fields.len() > self.options.max_instructions
        {
            self.stopped.get_or_insert(LowerError::TooLong);
        }
        self.out.scopes.regions.push(Region {
            variables: (variables as u32, self.out.scopes.region_variables.len() as u32),
            fields: (fields as u32, self.out.scopes.region_fields.len() as u32),
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
