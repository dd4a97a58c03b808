//! Worklist of the points-to analysis.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use foldhash::fast::FixedState;

use super::builtin_methods::builtin_methods;
use super::callbacks::Callbacks;
use super::calls::PendingCall;
use super::iteration::Iteration;
use super::layout::{Formal, Layout, NodeIndex};
use super::links::{Definition, LibraryCall, Link};
use super::objects::{ObjectIndex, ObjectKind, Objects, PathIndex};
use super::orders::LateSuper;
use super::paths::Paths;
use super::result::PointsTo;
use super::sets::{Inserted, PointsToSet};
use super::special::{MissingLoad, SpecialNames};
use crate::flow::FunctionKind;
use crate::knowledge::Knowledge;
use crate::limits::Effort;
use crate::lists::Lists;
use crate::program::{FunctionIndex, Name, Names, Program, ValueIndex};

/// Largest number of targets of a call.
const MAX_TARGETS: usize = 12;
/// Largest number of nodes.
const MAX_NODES: usize = 48 << 20;
/// Largest number of fields of an object that a load with a computed key reads. Values have fewer objects.
pub(super) const MAX_ANY_FIELDS: usize = 128;
/// Largest number of `new` calls of a class whose instances are told apart.
const MAX_INSTANCES: u32 = 8;
/// Work of one analysis in processed (node, object, constraint) triples: a constant and a part for each value. More is a limit
/// that is reported.
const MIN_WORK: u64 = 16_000_000;
const WORK_PER_VALUE: u64 = 32;

/// Reaction of the analysis when an object arrives at a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constraint {
    /// Load of a field: name, target.
    Load(Name, NodeIndex),
    /// Load of a field that a child does not have: name, look-up of the child.
    Inherit(Name, NodeIndex),
    /// The object is found under a name in an object, which becomes the receiver.
    Dispatch(ObjectIndex),
    /// Load of all fields.
    LoadAny(NodeIndex),
    /// Load of all attributes.
    LoadAttributes(NodeIndex),
    /// Load of all elements of an array, set or iterator.
    LoadElements(NodeIndex),
    /// Store to a field.
    Store(Name, NodeIndex),
    /// Call: the object is the callee.
    Call(ValueIndex),
    /// Call of a getter: receiver, target.
    Get(NodeIndex, NodeIndex),
    /// Call of a setter: receiver, value.
    Set(NodeIndex, NodeIndex),
    /// Call of a method that syntax implies, with a result: receiver, argument, target.
    GetWith(NodeIndex, NodeIndex, NodeIndex),
    /// Call of a method that syntax implies, without a result: receiver, arguments.
    SetWith(NodeIndex, NodeIndex, NodeIndex),
    /// The object is the result of a function of a library, unless it is a value of a library that nobody knows: target, and
    /// whether all values of libraries are left out.
    Result(NodeIndex, bool),
    /// The object reaches a node unless it is a function.
    Data(NodeIndex),
    /// Load of an item: key, target.
    Item(NodeIndex, NodeIndex),
    /// Store of an item: key, value.
    StoreItem(NodeIndex, NodeIndex),
    /// The object may be a descriptor: object with the attribute, target.
    Descriptor(NodeIndex, NodeIndex),
    /// The object may be a descriptor: object with the attribute, value that is stored.
    SetDescriptor(NodeIndex, NodeIndex),
    /// The object is called by a library: number of the site.
    Callback(u32),
    /// The object is the reason of a rejected promise: the promise.
    Reject(NodeIndex),
    /// The object is a table of descriptors of properties: call, object that gets the properties.
    Define(ValueIndex, NodeIndex),
    /// The object makes the iterator of a receiver: receiver, elements.
    Iterate(NodeIndex, NodeIndex),
    /// The object is `next` of an iterator: iterator, elements.
    Next(NodeIndex, NodeIndex),
    /// The object is `__next__` of an iterator: iterator, elements.
    NextElement(NodeIndex, NodeIndex),
    /// The object is the method that a call of an instance calls: number of the call.
    CallMethod(u32),
    /// The object is one of the functions that a composed function calls: number of the call.
    CallStep(u32),
    /// The object is a class, whose instances are at a node.
    Instance(NodeIndex),
    /// The object is an argument of a library function: path, position.
    LibraryArgument(PathIndex, u32),
    /// The object is the executor's `promisify` argument: result.
    Promisify(NodeIndex),
    /// The object is an argument of an unknown function, whose result may wrap it: call, and whether functions count.
    Wrap(ValueIndex, bool),
}

/// State of the analysis.
pub(super) struct Solver<'a> {
    pub(super) program: &'a Program,
    pub(super) knowledge: &'a Knowledge,
    pub(super) layout: Layout,
    pub(super) objects: Objects,
    pub(super) paths: Paths,
    sets: Vec<PointsToSet>,
    edges: Lists<NodeIndex>,
    edge_set: HashSet<u64, FixedState>,
    constraints: Lists<Constraint>,
    pub(super) fields: HashMap<(ObjectIndex, Name), NodeIndex, FixedState>,
    pub(super) object_fields: Vec<Vec<(Name, NodeIndex)>>,
    /// Union of all fields of an object that loads with computed keys read.
    pub(super) any_nodes: HashMap<ObjectIndex, NodeIndex, FixedState>,
    /// Union of all elements of an object.
    pub(super) element_nodes: HashMap<ObjectIndex, NodeIndex, FixedState>,
    /// Object of each field node beyond the layout.
    pub(super) field_owner: HashMap<NodeIndex, ObjectIndex, FixedState>,
    pub(super) globals: HashMap<Name, NodeIndex, FixedState>,
    pub(super) getters: HashMap<Name, Name, FixedState>,
    pub(super) setters: HashMap<Name, Name, FixedState>,
    pub(super) catches: HashMap<ValueIndex, ValueIndex, FixedState>,
    /// Captured variables with imports of packages.
    pub(super) imported_cells: HashSet<u32, FixedState>,
    queue: VecDeque<NodeIndex>,
    queued: Vec<bool>,
    pub(super) links: Vec<Link>,
    pub(super) link_set: HashSet<(ValueIndex, FunctionIndex, Option<NodeIndex>, Option<NodeIndex>), FixedState>,
    pub(super) targets: HashMap<ValueIndex, u32, FixedState>,
    pub(super) library_calls: Vec<LibraryCall>,
    pub(super) library_set: HashSet<(NodeIndex, Option<PathIndex>), FixedState>,
    pub(super) callbacks: Callbacks,
    pub(super) has_iterators: bool,
    /// Names of the functions of scripts of pages.
    pub(super) page_functions: BTreeSet<Name>,
    /// The program has methods that make texts of objects.
    pub(super) has_conversions: bool,
    /// The program has methods with the name `then`.
    pub(super) has_thenables: bool,
    /// The program makes the functions of `shelljs` global.
    pub(super) has_shell_globals: bool,
    pub(super) iterations: HashMap<ObjectIndex, Vec<Iteration>, FixedState>,
    pub(super) iterated: Vec<NodeIndex>,
    /// Elements that the iterators of an object yield.
    pub(super) iteration_elements: HashMap<ObjectIndex, NodeIndex, FixedState>,
    /// Receiver of the method that made each iterator.
    pub(super) iterators: HashMap<NodeIndex, NodeIndex, FixedState>,
    /// Calls of the sites of `callbacks`.
    pub(super) site_calls: Vec<PendingCall>,
    /// Calls of instances.
    pub(super) method_calls: Vec<PendingCall>,
    pub(super) settlements: Vec<(NodeIndex, NodeIndex)>,
    pub(super) copies: Vec<(ValueIndex, NodeIndex, NodeIndex)>,
    pub(super) aliases: Vec<(NodeIndex, NodeIndex)>,
    pub(super) definitions: Vec<Definition>,
    pub(super) stored: HashSet<(ObjectIndex, Name), FixedState>,
    members: HashMap<(PathIndex, Name), ObjectIndex, FixedState>,
    /// Result of the look-up of a name in an object and its prototype chain.
    pub(super) look_ups: HashMap<(ObjectIndex, Name), NodeIndex, FixedState>,
    /// Look-ups that go on in the prototype chain, if the object does not get the field first.
    pub(super) deferred: Vec<(ObjectIndex, Name, NodeIndex)>,
    /// Look-ups that read fields with computed keys, if the prototype chain does not have the field.
    pub(super) unfound: Vec<(ObjectIndex, NodeIndex)>,
    /// Results of functions of libraries are mostly texts, which are other objects than the arguments.
    pub(super) has_text_results: bool,
    /// The result of the call whose flows are added has a type of its own.
    pub(super) has_typed_result: bool,
    /// Methods that syntax calls.
    pub(super) special: SpecialNames,
    /// Loads from instances with methods for missing names.
    pub(super) missing: Vec<MissingLoad>,
    /// Methods that values of the language have; objects with computed keys do not get them.
    pub(super) builtin_methods: Vec<Name>,
    /// Functions of files without exports, with receivers that they have if nobody calls them with another one.
    pub(super) seeds: Vec<(FunctionIndex, ObjectIndex)>,
    /// Modules that export something.
    pub(super) exporting: Vec<bool>,
    /// Classes and places whose values annotations say to be their instances.
    pub(super) noted_types: Vec<(NodeIndex, NodeIndex)>,
    /// Fields with types: class, name, class of the values.
    pub(super) typed_fields: Vec<(FunctionIndex, Name, NodeIndex)>,
    /// Look-ups behind classes that nobody makes instances of.
    pub(super) late_supers: Vec<LateSuper>,
    /// Look-ups behind classes that instances of other classes have answered.
    pub(super) answered_supers: HashSet<Name, FixedState>,
    /// Number of `new` calls of each class.
    pub(super) instances: HashMap<FunctionIndex, u32, FixedState>,
    pub(super) limits: BTreeMap<&'static str, u64>,
    work: u64,
    max_work: u64,
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
    stopped: bool,
}

/// Solves the points-to constraints of a program.
#[must_use]
pub fn solve(
    program: &Program,
    knowledge: &Knowledge,
    effort: Effort,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> PointsTo {
    let mut solver = Solver::new(program, knowledge, effort, is_cancelled);
    solver.set_up();
    solver.run();
    // Each pass resolves calls that had no target so far; their targets can make new objects.
    for _ in 0..4 {
        if !solver.resolve_unknown_calls() {
            break;
        }
        solver.run();
    }
    solver.finish()
}

impl<'a> Solver<'a> {
    fn new(
        program: &'a Program,
        knowledge: &'a Knowledge,
        effort: Effort,
        is_cancelled: &'a (dyn Fn() -> bool + Sync),
    ) -> Solver<'a> {
        let layout = Layout::new(program);
        let mut sets = Vec::new();
        sets.resize_with(layout.end as usize, PointsToSet::default);
        let queued = vec![false; layout.end as usize];
        Solver {
            program,
            knowledge,
            layout,
            objects: Objects::default(),
            paths: Paths::default(),
            sets,
            edges: Lists::new(),
            edge_set: HashSet::default(),
            constraints: Lists::new(),
            fields: HashMap::default(),
            object_fields: Vec::new(),
            any_nodes: HashMap::default(),
            element_nodes: HashMap::default(),
            field_owner: HashMap::default(),
            globals: HashMap::default(),
            getters: HashMap::default(),
            setters: HashMap::default(),
            catches: HashMap::default(),
            imported_cells: HashSet::default(),
            queue: VecDeque::new(),
            queued,
            links: Vec::new(),
            link_set: HashSet::default(),
            targets: HashMap::default(),
            library_calls: Vec::new(),
            library_set: HashSet::default(),
            callbacks: Callbacks::default(),
            has_iterators: false,
            page_functions: BTreeSet::new(),
            has_conversions: false,
            has_thenables: false,
            has_shell_globals: false,
            iterations: HashMap::default(),
            iterated: Vec::new(),
            iteration_elements: HashMap::default(),
            iterators: HashMap::default(),
            site_calls: Vec::new(),
            method_calls: Vec::new(),
            settlements: Vec::new(),
            copies: Vec::new(),
            aliases: Vec::new(),
            definitions: Vec::new(),
            stored: HashSet::default(),
            members: HashMap::default(),
            look_ups: HashMap::default(),
            deferred: Vec::new(),
            unfound: Vec::new(),
            has_text_results: program.modules.iter().any(|module| module.flow.calls_construct),
            has_typed_result: false,
            special: SpecialNames::new(&program.names),
            missing: Vec::new(),
            builtin_methods: builtin_methods(&program.names),
            seeds: Vec::new(),
            exporting: Vec::new(),
            noted_types: Vec::new(),
            typed_fields: Vec::new(),
            late_supers: Vec::new(),
            answered_supers: HashSet::default(),
            instances: HashMap::default(),
            limits: BTreeMap::new(),
            work: 0,
            max_work: effort.scale(MIN_WORK + WORK_PER_VALUE * u64::from(program.value_count)),
            is_cancelled,
            stopped: false,
        }
    }

    fn finish(mut self) -> PointsTo {
        self.links.sort_by_key(|link| (link.call, link.function, link.receiver, link.result));
        self.library_calls.sort_by_key(|library| (library.call, library.result, library.path));
        PointsTo {
            layout: self.layout,
            objects: self.objects,
            paths: self.paths,
            links: self.links,
            library_calls: self.library_calls,
            settlements: self.settlements,
            copies: self.copies,
            aliases: self.aliases,
            definitions: self.definitions,
            callbacks: self.callbacks,
            iterations: self.iterations,
            iterated: self.iterated,
            limits: self.limits,
            stored: self.stored,
            sets: self.sets,
            fields: self.fields,
            object_fields: self.object_fields,
            globals: self.globals,
        }
    }

    /// Processes the worklist until it is empty.
    fn run(&mut self) {
        loop {
            self.propagate();
            if self.stopped {
                return;
            }
            // Fields that are still missing are inherited. Later passes see the objects that this one finds.
            let deferred = std::mem::take(&mut self.deferred);
            if !deferred.is_empty() {
                for (object, name, result) in deferred {
                    self.inherit(object, name, result);
                }
                continue;
            }
            if self.resolve_missing() || self.find_late_supers() || self.use_types() {
                continue;
            }
            let unfound = std::mem::take(&mut self.unfound);
            if unfound.is_empty() && !self.plant_seeds() {
                return;
            }
            for (object, result) in unfound {
                let is_known = |&&object: &&ObjectIndex| !self.is_unknown(self.objects.kind(object));
                if self.objects_of(result).iter().find(is_known).is_none() {
                    let element = self.field(object, Names::ELEMENT);
                    let is_instance =
                        matches!(self.objects.kind(object), ObjectKind::Instance(..) | ObjectKind::DefaultInstance(_));
                    match self.has_text_results && is_instance {
                        // Methods have names.
                        true => self.constrain(element, Constraint::Data(result)),
                        false => self.edge(element, result),
                    }
                }
            }
        }
    }

    /// Propagates objects until nothing changes.
    fn propagate(&mut self) {
        let mut delta = Vec::new();
        while let Some(node) = self.queue.pop_front() {
            self.queued[node as usize] = false;
            if self.stopped {
                continue;
            }
            self.sets[node as usize].take_delta(&mut delta);
            if delta.is_empty() {
                continue;
            }
            let mut position = self.edges.first(node);
            while let Some((target, next)) = self.edges.get(position) {
                for &object in &delta {
                    self.add(target, object);
                }
                self.work += delta.len() as u64;
                position = next;
            }
            if let Some(&owner) = self.field_owner.get(&node) {
                self.seed_receivers(owner, &delta);
            }
            let mut position = self.constraints.first(node);
            while let Some((constraint, next)) = self.constraints.get(position) {
                for &object in &delta {
                    self.react(constraint, node, object);
                }
                self.work += delta.len() as u64;
                position = next;
            }
            self.spend();
        }
    }

    /// Counts a unit of work. At the limit the analysis stops.
    fn spend(&mut self) {
        self.work += 1;
        if self.work > self.max_work && !self.stopped {
            self.limit("work of the points-to analysis");
            self.stopped = true;
        }
        if self.work.is_multiple_of(4096) && !self.stopped && (self.is_cancelled)() {
            self.limit("time limit of the points-to analysis");
            self.stopped = true;
        }
    }

    /// Counts a limit that was reached.
    pub(super) fn limit(&mut self, limit: &'static str) {
        *self.limits.entry(limit).or_default() += 1;
    }

    /// Fields of an object.
    pub(super) fn fields_of(&self, object: ObjectIndex) -> &[(Name, NodeIndex)] {
        &self.object_fields[object as usize]
    }

    /// True if the program stores a field of an object by name.
    pub(super) fn has_store(&self, object: ObjectIndex, name: Name) -> bool {
        self.stored.contains(&(object, name))
    }

    /// Objects of a node.
    pub(super) fn objects_of(&self, node: NodeIndex) -> &[ObjectIndex] {
        self.sets[node as usize].items()
    }

    /// New node.
    pub(super) fn new_node(&mut self) -> NodeIndex {
        let node = self.sets.len() as NodeIndex;
        if self.sets.len() >= MAX_NODES {
            self.limit("nodes of the points-to analysis");
            self.stopped = true;
            return node - 1;
        }
        self.sets.push(PointsToSet::default());
        self.queued.push(false);
        node
    }

    /// Object of a kind.
    pub(super) fn object(&mut self, kind: ObjectKind) -> ObjectIndex {
        let (object, is_new) = self.objects.intern(kind);
        if is_new {
            self.object_fields.push(Vec::new());
            self.initialise(object, kind);
        }
        object
    }

    /// Fields that objects of some kinds have from the beginning.
    fn initialise(&mut self, object: ObjectIndex, kind: ObjectKind) {
        match kind {
            ObjectKind::Prototype(function) => {
                let constructor = self.object(ObjectKind::Function(function));
                let field = self.field(object, Names::CONSTRUCTOR);
                self.add(field, constructor);
            }
            ObjectKind::Function(function) => {
                let (module, id) = self.program.function(function);
                if matches!(module.flow.function(id).kind, FunctionKind::Ordinary | FunctionKind::Constructor) {
                    let prototype = self.object(ObjectKind::Prototype(function));
                    let field = self.field(object, Names::PROTOTYPE);
                    self.add(field, prototype);
                }
            }
            ObjectKind::DefaultInstance(function) | ObjectKind::Instance(_, function) => {
                let class = self.object(ObjectKind::Function(function));
                let parent = self.field(object, Names::PARENT);
                let prototype = self.field(class, Names::PROTOTYPE);
                self.edge(prototype, parent);
            }
            // A class that an unknown function makes is its own prototype.
            ObjectKind::Wrapped(_) => {
                let field = self.field(object, Names::PROTOTYPE);
                self.add(field, object);
            }
            ObjectKind::Module(module) => {
                let exports = self.object(ObjectKind::Exports(module));
                let field = self.field(object, Names::EXPORTS);
                // A module that assigns `module.exports` exports nothing else.
                if !self.program.modules[module as usize].assigns_exports() {
                    self.add(field, exports);
                }
            }
            ObjectKind::Iterator(function) => {
                let field = self.field(object, Names::ELEMENT);
                self.edge(self.layout.formal(function, Formal::Yield), field);
                let returned = self.field(object, Names::RETURNED);
                self.edge(self.layout.formal(function, Formal::Return), returned);
            }
            _ => {}
        }
    }

    /// Object of an API path.
    pub(super) fn external(&mut self, path: &str) -> ObjectIndex {
        let path = self.paths.intern(path, self.knowledge);
        self.object(ObjectKind::External(path))
    }

    /// Object of a member of an API path.
    pub(super) fn member(&mut self, path: PathIndex, name: Name) -> ObjectIndex {
        if let Some(&member) = self.members.get(&(path, name)) {
            return member;
        }
        let mut text = format!("{}.{}", self.paths.text(path), self.program.names.text(name));
        // `promisifyAll` adds methods with this ending.
        if let Some(plain) = text.strip_suffix("Async")
            && !self.knowledge.knows(&text)
            && self.knowledge.knows(plain)
        {
            text.truncate(plain.len());
        }
        let member = self.external(&text);
        self.members.insert((path, name), member);
        member
    }

    /// Node of a field.
    pub(super) fn field(&mut self, object: ObjectIndex, name: Name) -> NodeIndex {
        if let Some(&node) = self.fields.get(&(object, name)) {
            return node;
        }
        let node = self.new_node();
        self.fields.insert((object, name), node);
        self.field_owner.insert(node, object);
        if !Names::is_hidden(name) {
            let is_position = name == Names::ELEMENT || self.program.names.is_position(name);
            if is_position
                && self.object_fields[object as usize].len() < MAX_ANY_FIELDS
                && let Some(&elements) = self.element_nodes.get(&object)
            {
                self.edge(node, elements);
            }
            let is_array = self.is_array(object);
            // Named fields that the program never stores are read by computed keys too, see `look_up`.
            let mixes = |solver: &Solver<'_>, name: Name| is_array && solver.program.names.is_position(name);
            if name == Names::ELEMENT {
                for position in 0..self.object_fields[object as usize].len() {
                    let (other, target) = self.object_fields[object as usize][position];
                    if mixes(self, other) {
                        self.edge(node, target);
                    }
                }
            } else if mixes(self, name)
                && let Some(&element) = self.fields.get(&(object, Names::ELEMENT))
            {
                self.edge(element, node);
            }
            if is_enumerable(name)
                && let Some(&any) = self.any_nodes.get(&object)
            {
                match self.object_fields[object as usize].len() {
                    ..MAX_ANY_FIELDS => self.edge(node, any),
                    _ => self.limit("fields of an object that a computed key reads"),
                }
            }
        }
        self.object_fields[object as usize].push((name, node));
        node
    }

    /// Adds an object to a node.
    pub(super) fn add(&mut self, node: NodeIndex, object: ObjectIndex) {
        match self.sets[node as usize].insert(object) {
            Inserted::New => {
                if !self.queued[node as usize] {
                    self.queued[node as usize] = true;
                    self.queue.push_back(node);
                }
            }
            Inserted::Full => self.limit("objects of a value"),
            Inserted::Known | Inserted::Saturated => {}
        }
    }

    /// Adds an inclusion: the target may be what the origin may be.
    pub(super) fn edge(&mut self, origin: NodeIndex, target: NodeIndex) {
        if origin == target || !self.edge_set.insert(u64::from(origin) << 32 | u64::from(target)) {
            return;
        }
        self.inclusion(origin, target);
    }

    /// Adds an inclusion that is known to be new, such as that of an instruction.
    pub(super) fn inclusion(&mut self, origin: NodeIndex, target: NodeIndex) {
        self.spend();
        if self.stopped {
            return;
        }
        self.edges.push(origin, target);
        for position in 0..self.sets[origin as usize].items().len() {
            let object = self.sets[origin as usize].items()[position];
            self.add(target, object);
        }
    }

    /// Adds a constraint, and applies it to the objects that the node has.
    pub(super) fn constrain(&mut self, node: NodeIndex, constraint: Constraint) {
        self.spend();
        if self.stopped {
            return;
        }
        self.constraints.push(node, constraint);
        for position in 0..self.sets[node as usize].items().len() {
            let object = self.sets[node as usize].items()[position];
            self.react(constraint, node, object);
        }
    }

    fn react(&mut self, constraint: Constraint, node: NodeIndex, object: ObjectIndex) {
        match constraint {
            Constraint::Load(name, target) => self.load(object, name, target, node),
            Constraint::Inherit(name, result) => self.load_inherited(object, name, result),
            Constraint::Dispatch(receiver) => self.seed_receiver(receiver, object),
            Constraint::LoadAny(target) if self.has_attributes(object) => {
                // Attributes are no items.
                let elements = self.field(object, Names::ELEMENT);
                self.edge(elements, target);
            }
            Constraint::LoadAny(target) => self.load_any(object, target),
            Constraint::LoadAttributes(target) => self.load_any(object, target),
            Constraint::LoadElements(target) => self.load_all_elements(object, target),
            Constraint::Store(name, origin) => self.store(object, name, origin, node),
            Constraint::Call(call) => self.call(call, object),
            Constraint::Get(receiver, target) => self.invoke(object, Some(receiver), &[], Some(target)),
            Constraint::Set(receiver, value) => self.invoke(object, Some(receiver), &[value], None),
            Constraint::GetWith(receiver, argument, target) => {
                self.invoke(object, Some(receiver), &[argument], Some(target));
            }
            Constraint::SetWith(receiver, first, second) => {
                self.invoke(object, Some(receiver), &[first, second], None);
            }
            Constraint::Result(target, is_new) => self.add_result(object, target, is_new),
            Constraint::Data(target) => {
                if !matches!(self.objects.kind(object), ObjectKind::Function(_) | ObjectKind::Bound(..)) {
                    self.add(target, object);
                }
            }
            Constraint::Item(key, target) => self.load_item(object, node, key, target),
            Constraint::StoreItem(key, value) => self.store_item(object, node, key, value),
            Constraint::Descriptor(base, target) => self.descriptor(object, node, base, target),
            Constraint::SetDescriptor(base, value) => self.set_descriptor(object, node, base, value),
            Constraint::Callback(site) => self.callback(site, object),
            Constraint::Iterate(receiver, elements) => self.make_iterator(object, receiver, elements),
            Constraint::Next(iterator, elements) => self.next_element(object, iterator, elements),
            Constraint::NextElement(iterator, elements) => self.next_item(object, iterator, elements),
            Constraint::Reject(promise) => self.reject(node, promise),
            Constraint::Define(call, target) => self.define_all(object, call, target),
            Constraint::CallMethod(number) => self.call_method(number, object),
            Constraint::CallStep(number) => self.call_step(number, object),
            Constraint::Instance(target) => {
                if let ObjectKind::Function(class) = self.objects.kind(object) {
                    let (module, id) = self.program.function(class);
                    if module.flow.function(id).kind == FunctionKind::Constructor {
                        let instance = self.object(ObjectKind::DefaultInstance(class));
                        self.add(target, instance);
                    }
                }
            }
            Constraint::LibraryArgument(path, position) => self.library_argument(object, path, position),
            Constraint::Promisify(target) => {
                let promisified = self.object(ObjectKind::Promisified(object));
                self.add(target, promisified);
            }
            Constraint::Wrap(call, has_functions) => self.wrap(object, call, has_functions),
        }
    }

    /// Instance of a class that a `new` call makes. A class with many such calls has one instance for the others.
    pub(super) fn instance(&mut self, call: ValueIndex, function: FunctionIndex) -> ObjectIndex {
        if let Some(known) = self.objects.get(ObjectKind::Instance(call, function)) {
            return known;
        }
        let count = self.instances.entry(function).or_default();
        *count += 1;
        match *count {
            ..=MAX_INSTANCES => self.object(ObjectKind::Instance(call, function)),
            _ => self.object(ObjectKind::DefaultInstance(function)),
        }
    }

    /// Counts a target of a call. False: the call has too many.
    pub(super) fn count_target(&mut self, call: ValueIndex) -> bool {
        let count = self.targets.entry(call).or_default();
        *count += 1;
        if *count as usize > MAX_TARGETS {
            self.limit("targets of a call");
            return false;
        }
        true
    }
}

impl Solver<'_> {
    /// Functions in fields of objects, by the names of the fields.
    pub(super) fn methods_by_name(&self) -> BTreeMap<Name, Vec<FunctionIndex>> {
        let mut methods: BTreeMap<Name, Vec<FunctionIndex>> = BTreeMap::new();
        for fields in &self.object_fields {
            for &(name, node) in fields {
                for &object in self.objects_of(node) {
                    if let ObjectKind::Function(function) = self.objects.kind(object) {
                        methods.entry(name).or_default().push(function);
                    }
                }
            }
        }
        for functions in methods.values_mut() {
            functions.sort_unstable();
            functions.dedup();
        }
        methods
    }
}

/// True for fields that loads with computed keys read. The links between functions and prototypes are none of them.
pub(super) fn is_enumerable(name: Name) -> bool {
    !Names::is_hidden(name) && !matches!(name, Names::PROTOTYPE | Names::CONSTRUCTOR | Names::PROTO)
}
