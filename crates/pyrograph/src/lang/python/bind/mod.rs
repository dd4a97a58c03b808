//! Names of a file: variables, their scopes and functions, and what loops and protected blocks may change.
//!
//! The binder writes its results into the nodes of the tree: the number of a name is that of its variable (none: a name that the
//! file does not bind), the number of a function, class, loop, comprehension or `try` that of its function or region.

mod collect;
pub(super) mod visit;

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use ruff_python_ast::{AtomicNodeIndex, ModModule, NodeIndex};

use crate::lang::ssa::{Region, Scope, Scopes, Variable};
use crate::lang::{LowerError, LowerOptions};
use collect::Names;

/// Most captured variables that a function lists.
const MAX_CAPTURES: usize = 256;

/// Result of the binder.
#[derive(Debug, Default)]
pub(super) struct Bindings<'a> {
    /// Variables, functions and regions.
    pub(super) scopes: Scopes<'a>,
    /// Variables of the module, in order.
    pub(super) module: Vec<u32>,
    /// Variables of the module by name.
    pub(super) module_names: HashMap<&'a str, u32, FixedState>,
    /// Functions that yield.
    pub(super) generators: HashSet<u32, FixedState>,
    /// Names of methods that syntax calls, such as `__add__`.
    pub(super) special: HashSet<&'a str, FixedState>,
    /// Names of properties.
    pub(super) accessors: Vec<&'a str>,
    /// Variable with the base classes of each class, by the function of the class.
    pub(super) bases: HashMap<u32, u32, FixedState>,
}

/// Number that the binder gave to a node.
pub(super) fn number(node: &AtomicNodeIndex) -> Option<u32> {
    node.load().as_u32()
}

/// Resolves the names of a file.
pub(super) fn bind<'a>(
    module: &'a ModModule,
    text: &str,
    options: &LowerOptions<'_>,
) -> Result<Bindings<'a>, LowerError> {
    let mut binder = Binder {
        out: Bindings::default(),
        scopes: Vec::new(),
        function: 0,
        writes: Vec::new(),
        stores: Vec::new(),
        events: 0,
        classes: Vec::new(),
        has_walrus: text.contains(":="),
        depth: 0,
        steps: 0,
        options,
        stopped: None,
    };
    binder.out.scopes.regions.push(Region::default());
    binder.out.scopes.functions.push(scope(0));
    binder.file(module);
    match binder.stopped {
        Some(error) => Err(error),
        None => Ok(binder.out),
    }
}

fn scope(parent: u32) -> Scope {
    Scope { parent, is_arrow: false, this: None, arguments: None, captures: Vec::new() }
}

/// Kinds of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Module,
    Function,
    /// Body of a class, which runs in the function around it. Functions in it do not see its names.
    Class,
    /// Comprehension, which runs in the function around it.
    Comprehension,
}

/// An open scope.
struct Open<'a> {
    kind: ScopeKind,
    function: u32,
    names: HashMap<&'a str, u32, FixedState>,
    /// Names that belong to the module.
    globals: Vec<&'a str>,
}

/// State of the binder.
struct Binder<'a, 'o> {
    out: Bindings<'a>,
    scopes: Vec<Open<'a>>,
    /// Current function.
    function: u32,
    /// Assigned variables of the current function, in order.
    writes: Vec<u32>,
    /// Stored fields of the current function, in order.
    stores: Vec<&'a str>,
    /// Number of calls and computed stores so far.
    events: u32,
    /// Variables with the base classes of the classes around.
    classes: Vec<u32>,
    has_walrus: bool,
    depth: u32,
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
        if self.depth > self.options.max_depth {
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

    fn open(&mut self, kind: ScopeKind, names: Names<'a>) {
        self.scopes.push(Open { kind, function: self.function, names: HashMap::default(), globals: names.globals });
        for name in names.bound {
            self.declare(name);
        }
    }

    fn close(&mut self) {
        self.scopes.pop();
    }

    /// Declares a name in the innermost scope.
    fn declare(&mut self, name: &'a str) -> u32 {
        let last = self.scopes.len().saturating_sub(1);
        self.declare_in(last, name)
    }

    fn declare_in(&mut self, scope: usize, name: &'a str) -> u32 {
        let Some(open) = self.scopes.get_mut(scope) else { return 0 };
        if let Some(&variable) = open.names.get(name) {
            return variable;
        }
        let number = u32::try_from(self.out.scopes.variables.len()).unwrap_or(u32::MAX);
        open.names.insert(name, number);
        if open.kind == ScopeKind::Module {
            self.out.module.push(number);
        }
        let function = open.function;
        self.out.scopes.variables.push(variable(name, function));
        number
    }

    /// Variable that the binder makes itself.
    fn pseudo(&mut self, name: &'static str) -> u32 {
        let number = u32::try_from(self.out.scopes.variables.len()).unwrap_or(u32::MAX);
        self.out.scopes.variables.push(Variable { assignments: 1, ..variable(name, self.function) });
        number
    }

    /// Variable of a name, as code of the current function sees it.
    fn resolve(&mut self, name: &'a str) -> Option<u32> {
        let mut has_class = false;
        for position in (0..self.scopes.len()).rev() {
            let open = &self.scopes[position];
            if open.globals.contains(&name) {
                return Some(self.declare_in(0, name));
            }
            if open.kind == ScopeKind::Class {
                let is_hidden = has_class || open.function != self.function;
                has_class = true;
                if is_hidden {
                    continue;
                }
            }
            if let Some(&variable) = open.names.get(name) {
                return Some(variable);
            }
        }
        None
    }

    fn read(&mut self, node: &AtomicNodeIndex, name: &'a str) -> Option<u32> {
        let variable = self.resolve(name)?;
        set(node, variable);
        self.capture(variable);
        self.out.scopes.variables[variable as usize].reads += 1;
        Some(variable)
    }

    fn write(&mut self, node: &AtomicNodeIndex, name: &'a str) {
        if let Some(variable) = self.resolve(name) {
            set(node, variable);
            self.capture(variable);
            self.assign(variable);
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
        let scopes = &mut self.out.scopes;
        let (variables, fields) = (scopes.region_variables.len(), scopes.region_fields.len());
        scopes.region_variables.extend_from_slice(&self.writes[start.writes..]);
        scopes.region_fields.extend_from_slice(&self.stores[start.stores..]);
        if scopes.region_variables.len() + scopes.region_fields.len() > self.options.max_instructions {
            self.stopped.get_or_insert(LowerError::TooLong);
        }
        scopes.regions.push(Region {
            variables: (variables as u32, scopes.region_variables.len() as u32),
            fields: (fields as u32, scopes.region_fields.len() as u32),
            changes_all: self.events != start.events,
        });
        number
    }
}

fn variable<'a>(name: &'a str, function: u32) -> Variable<'a> {
    Variable {
        name,
        function,
        is_captured: false,
        is_assigned_inside: false,
        assignments: 0,
        inner_assignments: 0,
        assigner: 0,
        is_initialised: true,
        is_hoisted: true,
        reads: 0,
        member_reads: 0,
    }
}

fn set(node: &AtomicNodeIndex, number: u32) {
    node.set(NodeIndex::from(number));
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
