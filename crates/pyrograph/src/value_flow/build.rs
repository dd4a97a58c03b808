//! Construction of the value-flow graph from instructions.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use foldhash::fast::FixedState;

use super::graph::{ALL, EdgeKind, IDENTITY, ValueFlow};
use super::roles::{KeyUse, Roles, TextPart};
use crate::flow::{BinaryOp, Constant, Instruction, Op, ValueId, ValueList};
use crate::knowledge::{Knowledge, RuleMask};
use crate::limits::Effort;
use crate::points_to::{ActualArgument, Formal, NodeIndex, ObjectKind, PointsTo};
use crate::program::{FunctionIndex, Module, Name, Names, Program, ValueIndex};

/// Length of the text before a part of a text, in bytes, from which on it is not looked at.
const MAX_PREFIX: usize = 1024;

/// Largest number of edges between fields in callers and callees: a constant, and a part for each value.
const MIN_EDGES: u64 = 800_000;
const EDGES_PER_VALUE: u64 = 4;

/// Receiver, arguments and result of a call instance.
pub(super) type Actuals = (Option<NodeIndex>, Vec<ActualArgument>, Option<NodeIndex>);

/// State of the construction.
pub(super) struct Builder<'a> {
    pub(super) program: &'a Program,
    pub(super) knowledge: &'a Knowledge,
    pub(super) points_to: &'a PointsTo,
    pub(super) graph: ValueFlow,
    pub(super) roles: Roles,
    pub(super) escaping: Vec<bool>,
    pub(super) depths: Vec<u8>,
    pub(super) children: HashMap<u32, Vec<(Name, NodeIndex)>, FixedState>,
    /// Number of edges before fields in callers and callees were connected.
    pub(super) other_edges: usize,
    /// Number of local fields below each root.
    pub(super) root_sizes: HashMap<NodeIndex, u32, FixedState>,
    pub(super) new_locations: VecDeque<NodeIndex>,
    pub(super) root_cache: HashMap<NodeIndex, Vec<NodeIndex>, FixedState>,
    pub(super) root_depth: u32,
    /// Returned values of each function.
    pub(super) returns: HashMap<FunctionIndex, Vec<NodeIndex>, FixedState>,
    /// Instructions that return from each function, with the returned values.
    pub(super) return_places: HashMap<FunctionIndex, Vec<(ValueIndex, NodeIndex)>, FixedState>,
    /// Call instances of each function.
    pub(super) callers: HashMap<FunctionIndex, Vec<u32>, FixedState>,
    /// Call instances of each call instruction.
    pub(super) instances_of: HashMap<ValueIndex, Vec<u32>, FixedState>,
    pub(super) actuals: Vec<Actuals>,
    pub(super) is_new: Vec<bool>,
    /// Copies of the fields of other objects, by the root of the object: instruction and origin, in order.
    pub(super) copies: HashMap<NodeIndex, Vec<(ValueIndex, NodeIndex)>, FixedState>,
    /// Parameters that functions copy fields to, by the objects that callers pass.
    pub(super) filled: HashMap<NodeIndex, Vec<NodeIndex>, FixedState>,
    /// Fields that an object stores itself, with the last instruction that does.
    pub(super) own_fields: BTreeMap<(NodeIndex, Name), ValueIndex>,
    /// Values that are stored to fields of a value by name.
    pub(super) stored: HashMap<(NodeIndex, Name), Vec<ValueIndex>, FixedState>,
    /// Names of fields that instructions or models store.
    pub(super) stored_names: Vec<bool>,
    /// Names of fields that instructions store, other than functions.
    pub(super) data_names: Vec<bool>,
    /// Edges between callers and local fields of parameters, by function.
    pub(super) formal_edges: HashMap<FunctionIndex, u32, FixedState>,
    pub(super) rest_values: HashMap<FunctionIndex, (NodeIndex, u32), FixedState>,
    /// Objects of named arguments.
    pub(super) keyword_values: HashMap<FunctionIndex, NodeIndex, FixedState>,
    pub(super) catches: HashMap<ValueIndex, ValueIndex, FixedState>,
    /// Results of calls that are one of their arguments.
    pub(super) aliases: HashMap<NodeIndex, Vec<NodeIndex>, FixedState>,
    /// Objects that temporary nodes may be.
    pub(super) temporary_objects: HashMap<NodeIndex, Vec<u32>, FixedState>,
    /// Values that modules export by name: module, name.
    pub(super) exported: HashMap<(u32, Name), Vec<ValueIndex>, FixedState>,
    /// Values to which the program stores fields.
    pub(super) stored_bases: std::collections::HashSet<NodeIndex, FixedState>,
    /// Object literals that are elements of arrays.
    pub(super) queued: std::collections::HashSet<ValueIndex, FixedState>,
    /// Captured variables that hold a parameter.
    pub(super) cell_of: HashMap<ValueIndex, u32, FixedState>,
    /// Values that captured variables hold.
    pub(super) cell_values: HashMap<u32, Vec<ValueIndex>, FixedState>,
    /// Loads behind calls that got the object: call, position of the argument.
    pub(super) reloads: HashMap<ValueIndex, (ValueIndex, u32), FixedState>,
    /// Fields of parameters that functions store for certain: function, position, field.
    pub(super) certain_stores: std::collections::HashSet<(FunctionIndex, u32, Name), FixedState>,
    /// Captured variables that are followed by closure, with the functions that declare them.
    pub(super) followed_cells: HashMap<u32, FunctionIndex, FixedState>,
    pub(super) new_closures: Vec<(super::graph::Closure, u32, NodeIndex)>,
    pub(super) captured_count: usize,
    /// Receivers of the library calls to which functions are passed.
    pub(super) callback_receivers: HashMap<FunctionIndex, NodeIndex, FixedState>,
    /// Names of getters and setters by the names of their fields.
    pub(super) getters: HashMap<Name, Name, FixedState>,
    pub(super) setters: HashMap<Name, Name, FixedState>,
    /// Calls of predicates that were looked at for the current value.
    pub(super) predicate_work: std::cell::Cell<u32>,
    /// Functions whose result or return shows something of an argument.
    pub(super) showing: Vec<bool>,
    /// Calls that set the content type of a response.
    pub(super) content_types: HashMap<NodeIndex, Vec<super::responses::ContentType>, FixedState>,
    /// Loads by name, for fields that are inherited.
    pub(super) loads: Vec<(NodeIndex, Name, NodeIndex)>,
    /// Fields of literals that the call which gets the literal overwrites: `Object.assign({ a }, { a: 1 })`.
    pub(super) overwritten: BTreeSet<(NodeIndex, Name)>,
    /// Guards that depend on lists and values.
    pub(super) list_guards: Vec<super::trust::ListGuard>,
    /// Lists and values that the current guard depends on.
    pub(super) asked_lists: std::cell::RefCell<Vec<super::trust::Asked>>,
    /// Lists and values with untrusted data.
    pub(super) untrusted: BTreeMap<super::trust::Asked, super::trust::Trust>,
    /// The program uses schemas, or handlers that stand before others.
    pub(super) validates: bool,
    /// The program asks express-validator for the result of its checks.
    pub(super) has_validation_result: bool,
    /// Routes of handlers of requests.
    pub(super) routes: BTreeMap<FunctionIndex, Vec<super::validated::Route>>,
    /// Calls whose promises somebody awaits.
    pub(super) awaited: std::collections::HashSet<ValueIndex, FixedState>,
    /// Functions with a `throw` that nothing in them catches.
    pub(super) throwing: BTreeSet<FunctionIndex>,
    /// Fields for constant keys of maps.
    pub(super) map_slots: BTreeMap<String, Name>,
    /// The program stores values in maps under constant keys.
    pub(super) has_keyed: bool,
    /// Rules for which values are harmless as parts of texts.
    pub(super) clean_parts: RuleMask,
    pub(super) limits: BTreeMap<&'static str, u64>,
    /// Largest number of edges between fields in callers and callees.
    pub(super) max_edges: u64,
    pub(super) is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Result of the construction: graph, roles, limits that were reached.
pub type Built = (ValueFlow, Roles, BTreeMap<&'static str, u64>);

/// Builds the value-flow graph of a program, and finds its sources and sinks.
#[must_use]
pub fn build(
    program: &Program,
    knowledge: &Knowledge,
    points_to: &PointsTo,
    effort: Effort,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Built {
    let layout = &points_to.layout;
    let cells = (0..program.cell_count).map(|cell| layout.cell(cell));
    let thrown = (0..program.function_count)
        .flat_map(|function| [layout.formal(function, Formal::Throw), layout.formal(function, Formal::Yield)]);
    let caught = program.modules.iter().flat_map(|module| {
        let is_catch = |&(_, instruction): &(usize, &Instruction)| matches!(instruction.op, Op::Catch(_));
        let instructions = module.flow.instructions.iter().enumerate();
        instructions.filter(is_catch).map(|(position, _)| module.values + position as u32)
    });
    let called = points_to.callbacks.sites().iter().map(|site| site.result);
    let settled = points_to.settlements.iter().map(|&(_, settled)| settled);
    let shared = cells.chain(thrown).chain(caught).chain(called).chain(settled);
    let mut escaping = points_to.escaping(shared.chain(points_to.iterated.iter().copied()));
    for (object, escapes) in escaping.iter_mut().enumerate() {
        // What a consumer sends reaches the generator through its iterator.
        *escapes |= matches!(points_to.objects.kind(object as u32), ObjectKind::Iterator(_));
    }
    let mut builder = Builder {
        program,
        knowledge,
        points_to,
        graph: ValueFlow::new(points_to.node_count()),
        roles: Roles::default(),
        escaping,
        depths: Vec::new(),
        children: HashMap::default(),
        other_edges: 0,
        root_sizes: HashMap::default(),
        new_locations: VecDeque::new(),
        root_cache: HashMap::default(),
        root_depth: 0,
        returns: HashMap::default(),
        return_places: HashMap::default(),
        callers: HashMap::default(),
        instances_of: HashMap::default(),
        actuals: Vec::new(),
        is_new: Vec::new(),
        copies: HashMap::default(),
        filled: HashMap::default(),
        own_fields: BTreeMap::new(),
        stored: HashMap::default(),
        stored_names: super::names::stored_names(program, knowledge, points_to),
        data_names: super::names::data_names(program),
        formal_edges: HashMap::default(),
        rest_values: HashMap::default(),
        keyword_values: HashMap::default(),
        catches: HashMap::default(),
        aliases: HashMap::default(),
        temporary_objects: HashMap::default(),
        exported: HashMap::default(),
        stored_bases: std::collections::HashSet::default(),
        queued: std::collections::HashSet::default(),
        cell_of: HashMap::default(),
        cell_values: HashMap::default(),
        reloads: HashMap::default(),
        certain_stores: std::collections::HashSet::default(),
        followed_cells: HashMap::default(),
        new_closures: Vec::new(),
        captured_count: 0,
        callback_receivers: HashMap::default(),
        content_types: HashMap::default(),
        getters: program.names.accessors("get "),
        setters: program.names.accessors("set "),
        predicate_work: std::cell::Cell::new(0),
        showing: super::showing::showing(program, points_to),
        loads: Vec::new(),
        overwritten: BTreeSet::new(),
        list_guards: Vec::new(),
        asked_lists: std::cell::RefCell::default(),
        untrusted: BTreeMap::new(),
        validates: false,
        has_validation_result: false,
        routes: BTreeMap::new(),
        awaited: std::collections::HashSet::default(),
        throwing: BTreeSet::new(),
        map_slots: BTreeMap::new(),
        has_keyed: false,
        clean_parts: knowledge.part_sanitises(|name| {
            program.modules.iter().flat_map(|module| &module.flow.symbols).any(|symbol| **symbol == *name)
        }),
        limits: BTreeMap::new(),
        max_edges: effort.scale(MIN_EDGES + EDGES_PER_VALUE * u64::from(program.value_count)),
        is_cancelled,
    };
    builder.collect();
    builder.collect_map_keys();
    builder.collect_content_types();
    builder.collect_copies();
    builder.collect_validations();
    builder.add_links();
    builder.collect_cells();
    builder.collect_resets();
    builder.collect_filled();
    builder.add_instructions();
    builder.add_library_calls();
    builder.connect_closures();
    builder.other_edges = builder.graph.edges.len();
    builder.connect_locations();
    builder.inherit_fields();
    builder.connect_locations();
    builder.distrust_lists();
    builder.finish()
}

impl Builder<'_> {
    /// Counts a limit that was reached.
    pub(super) fn limit(&mut self, limit: &'static str) {
        *self.limits.entry(limit).or_default() += 1;
    }

    fn finish(mut self) -> Built {
        if (self.is_cancelled)() {
            self.limit("time limit of the value-flow graph");
        }
        self.graph.normalise();
        self.roles.sources.sort_unstable();
        self.roles.sources.dedup();
        self.roles.sinks.sort_unstable();
        self.roles.sinks.dedup();
        self.roles.keys.sort_unstable();
        (self.graph, self.roles, self.limits)
    }

    fn add_instructions(&mut self) {
        let program = self.program;
        for module in &program.modules {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let value = module.values + position as u32;
                let function = module.function(instruction.function);
                if position % 64 == 0 && (self.is_cancelled)() {
                    return;
                }
                self.add_instruction(module, function, value, instruction.op);
            }
        }
    }

    pub(super) fn intra(&mut self, from: NodeIndex, to: NodeIndex, mask: RuleMask) {
        self.flow(from, to, EdgeKind::Intra, mask);
    }

    fn add_instruction(&mut self, module: &Module, function: FunctionIndex, value: ValueIndex, op: Op) {
        let node = |value: ValueId| -> NodeIndex { module.value(value) };
        let layout = &self.points_to.layout;
        match op {
            Op::Constant(_)
            | Op::Function(_)
            | Op::Exports
            | Op::ModuleObject
            | Op::Allocate(_)
            | Op::Inherit(..)
            | Op::CopyFields(..)
            | Op::Catch(_)
            | Op::Unary(..)
            | Op::DefineGetter(..)
            | Op::DefineSetter(..)
            | Op::KeywordParameters
            | Op::Call(_) => {}
            Op::Parameter(position) => {
                if let Some(formal) = layout.parameter(function, position) {
                    self.intra(formal, value, ALL);
                }
            }
            Op::RestParameter(_) | Op::Arguments => {
                self.intra(layout.formal(function, Formal::Arguments), value, ALL);
            }
            Op::Receiver => self.intra(layout.formal(function, Formal::Receiver), value, ALL),
            Op::LoadCell(cell) => self.load_cell(module.cells + cell.0, function, value),
            Op::StoreCell(cell, origin) => {
                self.flow(node(origin), layout.cell(module.cells + cell.0), EdgeKind::Heap, ALL);
            }
            Op::Global(symbol) => {
                if let Some(global) = self.points_to.global(module.name(symbol)) {
                    self.flow(global, value, EdgeKind::Heap, ALL);
                }
                self.member_source(value, None, module.name(symbol));
            }
            Op::StoreGlobal(symbol, origin) => {
                if let Some(global) = self.points_to.global(module.name(symbol)) {
                    self.flow(node(origin), global, EdgeKind::Heap, ALL);
                }
            }
            Op::Import(symbol) => {
                // The value of `module.exports` of the other module.
                for &target in module.imported_modules(symbol) {
                    if let Some(object) = self.points_to.objects.get(ObjectKind::Module(target)) {
                        let exports = self.shared(object, Names::EXPORTS);
                        self.flow(exports, value, EdgeKind::Heap, ALL);
                    }
                }
            }
            Op::Phi(list) => {
                for &origin in module.flow.list(list) {
                    self.intra(node(origin), value, ALL);
                }
            }
            Op::Copy(origin) => self.intra(node(origin), value, ALL),
            Op::Await(origin) => {
                self.intra(node(origin), value, ALL);
                let target = match self.catches.get(&node(origin)) {
                    Some(&handler) => handler,
                    None => layout.formal(function, Formal::Throw),
                };
                for location in self.read_locations(node(origin), Names::ERROR) {
                    self.flow(location.node, target, location.kind(), location.mask());
                }
            }
            Op::Guard(origin, ..) => {
                let sanitised = self.guard_mask(module, ValueId(value - module.values));
                self.intra(node(origin), value, ALL & !sanitised);
                self.note_lists(value, node(origin));
            }
            Op::LoadField(base, symbol) => {
                let name = module.name(symbol);
                let clean = self.member_source(value, Some(node(base)), name) | self.validated_mask(value);
                if self.load_reset(node(base), name, value) {
                    return;
                }
                self.load_mask(node(base), name, value, ALL & !clean);
                if self.program.names.is_position(name) {
                    self.add_iterations(node(base), value);
                }
            }
            Op::LoadKey(base, key) => {
                let name = if self.has_attributes(module, node(base)) { Names::ELEMENT } else { Names::ANY };
                self.load_mask(node(base), name, value, ALL & !self.validated_mask(value));
                // The key of an own field does not lead to a prototype, and a bare object has none.
                if !self.is_part_of(node(key), node(base)) && !self.is_bare(node(base)) {
                    let function = module.function(module.instruction(value).function);
                    let (base, key) = (node(base), node(key));
                    self.roles.keys.push(KeyUse { value, base, key, stored: None, function, is_default: false });
                }
            }
            Op::Element(base) => self.add_element(node(base), value),
            Op::StoreField(base, symbol, origin) => {
                let name = module.name(symbol);
                if !self.overwritten.contains(&(node(base), name)) {
                    let clean = self.knowledge.field_sanitises(module.flow.text(symbol));
                    self.store_mask(node(base), name, node(origin), ALL & !clean);
                }
                self.store_sink(value, node(base), name, node(origin));
            }
            Op::StoreKey(base, key, origin) => {
                self.store(node(base), Names::ELEMENT, node(origin));
                self.store_key_sink(value, node(base), &[node(key), node(origin)]);
                self.store_mask(node(base), Names::KEY, node(key), ALL & !IDENTITY);
                // A new empty object and a function of the program are no data of an attacker.
                let is_new = matches!(module.flow.instructions[origin.index()].op, Op::Function(_) | Op::Allocate(_));
                let is_undefined = matches!(
                    module.flow.instructions[origin.index()].op,
                    Op::Constant(Constant::Undefined | Constant::Null)
                );
                let is_own = is_undefined || is_new && !self.stored_bases.contains(&node(origin));
                if !is_own {
                    self.roles.keys.push(KeyUse {
                        value,
                        base: node(base),
                        key: node(key),
                        stored: Some(node(origin)),
                        function: module.function(module.instruction(value).function),
                        is_default: is_default(module, (base, key), origin, 0),
                    });
                }
            }
            Op::RestOf(origin, _) => self.intra(node(origin), value, ALL & !IDENTITY),
            Op::Return(origin) => {
                let result = layout.formal(function, Formal::Return);
                let is_generator = module
                    .flow
                    .function(module.flow.instructions[(value - module.values) as usize].function)
                    .is_generator;
                let target = if is_generator { self.child(result, Names::RETURNED) } else { result };
                self.intra(node(origin), target, ALL);
            }
            Op::Throw(origin) => {
                let target = match self.catches.get(&value) {
                    Some(&handler) => handler,
                    None => layout.formal(function, Formal::Throw),
                };
                self.intra(node(origin), target, ALL);
            }
            Op::Yield(origin) => {
                let result = self.points_to.layout.formal(function, Formal::Return);
                let elements = self.child(result, Names::ELEMENT);
                self.intra(node(origin), elements, ALL);
                if let Some(iterator) = self.points_to.objects.get(ObjectKind::Iterator(function)) {
                    let sent = self.shared(iterator, Names::SENT);
                    self.flow(sent, value, EdgeKind::Heap, ALL);
                    let thrown = self.shared(iterator, Names::THROWN);
                    let handler = match self.catches.get(&value) {
                        Some(&handler) => handler,
                        None => self.points_to.layout.formal(function, Formal::Throw),
                    };
                    self.flow(thrown, handler, EdgeKind::Heap, ALL);
                }
            }
            Op::YieldAll(origin) => {
                let result = self.points_to.layout.formal(function, Formal::Return);
                let elements = self.child(result, Names::ELEMENT);
                self.load(node(origin), Names::ANY, elements);
                self.load(node(origin), Names::RETURNED, value);
                self.delegate(function, node(origin));
            }
            Op::EnumerateKey(base) => {
                self.intra(node(base), value, ALL & !IDENTITY);
                self.load(node(base), Names::KEY, value);
            }
            Op::Concat(list) => self.add_concat(module, value, list),
            Op::Binary(BinaryOp::Add, left, right) => {
                self.intra(node(left), value, ALL & !IDENTITY & !self.clean_parts);
                self.intra(node(right), value, ALL & !IDENTITY & !self.clean_parts);
                self.roles.parts.push(TextPart { part: node(right), whole: value });
            }
            Op::Binary(..) => {}
            Op::Markup(symbol, origin) => {
                let rules =
                    self.knowledge.member_by_name(module.flow.text(symbol)).map_or(0, |member| member.store_sinks);
                if rules != 0 {
                    self.add_sink(value, rules, 0, &[node(origin)]);
                }
            }
        }
    }

    /// Flows of the parts of a text. The text before a part may sanitise the part.
    fn add_concat(&mut self, module: &Module, value: ValueIndex, list: ValueList) {
        let mut prefix = String::new();
        let constants =
            module.flow.list(list).iter().filter_map(|&part| match module.flow.instructions[part.index()].op {
                Op::Constant(Constant::String(symbol)) => Some(module.flow.text(symbol)),
                _ => None,
            });
        let extended = constants.fold(0, |rules, text| rules | self.knowledge.extension_sanitises(text));
        let mut sanitised = 0;
        // Last character of a constant text before a part.
        let mut last: Option<char> = None;
        for &origin in module.flow.list(list) {
            match module.flow.instructions[origin.index()].op {
                Op::Constant(Constant::String(symbol)) => {
                    let text = module.flow.text(symbol);
                    last = text.chars().next_back();
                    if prefix.len() < MAX_PREFIX {
                        prefix.push_str(text);
                        sanitised = self.knowledge.concat_sanitises(&prefix);
                    }
                }
                _ => {
                    let mut sanitised_here = sanitised | extended | self.clean_parts;
                    if let Some(quote) = last.take().filter(|quote| matches!(quote, '\'' | '"')) {
                        let quote = quote.to_string();
                        if self.is_replaced(module.value(origin), &quote) {
                            sanitised_here |= self.knowledge.quote_sanitises(&quote);
                        }
                    }
                    if !prefix.is_empty() {
                        self.roles.parts.push(TextPart { part: module.value(origin), whole: value });
                    }
                    self.intra(module.value(origin), value, ALL & !IDENTITY & !sanitised_here);
                    // The text before later parts is not constant, but keeps what it began with.
                    if prefix.is_empty() {
                        prefix.push('\u{fffd}');
                        sanitised = self.knowledge.concat_sanitises(&prefix);
                    }
                }
            }
        }
    }

    /// Counts a use of a library that a model or rule knows.
    pub(super) fn count_library(&mut self, path: &str) {
        self.roles.count_library(self.knowledge, path);
    }
}

/// True if a store only makes sure that a member exists: `base[key] = base[key] || {}`.
fn is_default(module: &Module, place: (ValueId, ValueId), stored: ValueId, depth: u32) -> bool {
    let op = |value: ValueId| module.flow.instructions[value.index()].op;
    let plain = |mut value: ValueId| {
        while let Op::Guard(origin, ..) | Op::Copy(origin) = op(value) {
            value = origin;
        }
        value
    };
    let stored = plain(stored);
    match op(stored) {
        Op::Allocate(_) => true,
        Op::LoadKey(base, key) => plain(base) == plain(place.0) && plain(key) == plain(place.1),
        Op::Phi(list) => {
            let values = module.flow.list(list);
            depth < 4 && values.iter().all(|&value| value < stored && is_default(module, place, value, depth + 1))
        }
        _ => false,
    }
}
