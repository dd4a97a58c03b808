//! Loads and stores of fields: own, inherited, computed and of library values.

use super::layout::NodeIndex;
use super::objects::{ObjectIndex, ObjectKind};
use super::paths::Paths;
use super::solver::{Constraint, MAX_ANY_FIELDS, Solver, is_enumerable};
use crate::program::{Name, Names};

impl Solver<'_> {
    pub(super) fn load(&mut self, object: ObjectIndex, name: Name, target: NodeIndex, base: NodeIndex) {
        let kind = self.objects.kind(object);
        if let ObjectKind::External(path) = kind {
            if name == Names::DEFAULT {
                self.add(target, object);
            } else if !Names::is_hidden(name) {
                let member = self.member(path, name);
                self.add(target, member);
            }
        }
        if self.is_unknown(kind) {
            // The unknown value of libraries has no fields of its own: it stands for very different ones.
            return;
        }
        self.load_function_method(kind, object, name, target);
        if let Some(&getter) = self.getters.get(&name) {
            let function = self.look_up(object, getter);
            self.constrain(function, Constraint::Get(base, target));
        }
        let found = self.look_up(object, name);
        self.edge(found, target);
        self.load_special((object, name, base, target));
        // Patterns of arrays take elements of iterators that the program writes.
        if self.has_iterators && self.program.names.is_position(name) && !self.is_array(object) {
            self.iterate(object, target);
        }
    }

    /// Reads a field of a parent in the prototype chain.
    pub(super) fn load_inherited(&mut self, object: ObjectIndex, name: Name, result: NodeIndex) {
        let kind = self.objects.kind(object);
        if let ObjectKind::External(path) = kind
            && name != Names::DEFAULT
            && !Names::is_hidden(name)
            && !self.paths.text(path).starts_with("global.Object")
        {
            let member = self.member(path, name);
            self.add(result, member);
        }
        if self.is_unknown(kind) {
            return;
        }
        self.load_function_method(kind, object, name, result);
        let found = self.look_up(object, name);
        self.edge(found, result);
    }

    /// Reads `call`, `apply` or `bind` of a function.
    fn load_function_method(&mut self, kind: ObjectKind, object: ObjectIndex, name: Name, target: NodeIndex) {
        let is_function = matches!(
            kind,
            ObjectKind::Function(_)
                | ObjectKind::Bound(..)
                | ObjectKind::External(_)
                | ObjectKind::Promisified(_)
                | ObjectKind::Wrapped(_)
        );
        if is_function && matches!(name, Names::CALL | Names::APPLY | Names::BIND) {
            let method = self.object(ObjectKind::FunctionMethod(name, object));
            self.add(target, method);
        }
    }

    /// Node of what a name is in an object, or in the first object of its prototype chain that has it.
    pub(super) fn look_up(&mut self, object: ObjectIndex, name: Name) -> NodeIndex {
        if let Some(&result) = self.look_ups.get(&(object, name)) {
            return result;
        }
        let result = self.new_node();
        self.look_ups.insert((object, name), result);
        let field = self.field(object, name);
        self.edge(field, result);
        if name == Names::PROTO {
            let parent = self.field(object, Names::PARENT);
            self.edge(parent, result);
        }
        if name != Names::PROTOTYPE {
            self.deferred.push((object, name, result));
        }
        // Methods that are found in an object have it as their receiver.
        if !self.is_array(object) {
            self.constrain(result, Constraint::Dispatch(object));
        }
        result
    }

    /// True for the names under which getters and setters are stored.
    fn is_accessor(&self, name: Name) -> bool {
        let text = self.program.names.text(name);
        text.starts_with("get ") || text.starts_with("set ")
    }

    /// True for the value of libraries about which nothing is known.
    pub(super) fn is_unknown(&self, kind: ObjectKind) -> bool {
        matches!(kind, ObjectKind::External(path) if Paths::is_unknown(path))
    }

    /// True for arrays.
    pub(super) fn is_array(&self, object: ObjectIndex) -> bool {
        matches!(
            self.objects.kind(object),
            ObjectKind::Array(_) | ObjectKind::Arguments(_) | ObjectKind::Rest(_) | ObjectKind::Part(_)
        )
    }

    /// Reads the elements of an object.
    pub(super) fn load_all_elements(&mut self, object: ObjectIndex, target: NodeIndex) {
        if self.is_unknown(self.objects.kind(object)) {
            self.add(target, object);
            return;
        }
        if let Some(&elements) = self.element_nodes.get(&object) {
            self.edge(elements, target);
            return;
        }
        let elements = self.new_node();
        self.element_nodes.insert(object, elements);
        self.edge(elements, target);
        self.load_typed_element(object, elements);
        for position in 0..self.object_fields[object as usize].len().min(MAX_ANY_FIELDS) {
            let (name, field) = self.object_fields[object as usize][position];
            if name == Names::ELEMENT || self.program.names.is_position(name) {
                self.edge(field, elements);
            }
        }
        let copied = self.field(object, Names::COPIED);
        self.constrain(copied, Constraint::LoadElements(elements));
        if !self.is_array(object) {
            self.iterate(object, elements);
        }
    }

    /// Elements of a value of a library, if a model gives them a type.
    fn load_typed_element(&mut self, object: ObjectIndex, target: NodeIndex) {
        let ObjectKind::External(path) = self.objects.kind(object) else { return };
        let text = format!("{}.element", self.paths.text(path));
        if self.knowledge.canonical(&text).is_some() {
            let element = self.external(&text);
            self.add(target, element);
        }
    }

    /// Reads all fields of an object.
    pub(super) fn load_any(&mut self, object: ObjectIndex, target: NodeIndex) {
        if self.is_unknown(self.objects.kind(object)) {
            self.add(target, object);
            return;
        }
        if let Some(&any) = self.any_nodes.get(&object) {
            self.edge(any, target);
            return;
        }
        let any = self.new_node();
        self.any_nodes.insert(object, any);
        self.edge(any, target);
        self.load_typed_element(object, any);
        if self.object_fields[object as usize].len() > MAX_ANY_FIELDS {
            self.limit("fields of an object that a computed key reads");
        }
        for position in 0..self.object_fields[object as usize].len().min(MAX_ANY_FIELDS) {
            let (name, field) = self.object_fields[object as usize][position];
            if is_enumerable(name) {
                self.edge(field, any);
            }
        }
        for parent in [Names::PARENT, Names::COPIED] {
            let parent = self.field(object, parent);
            self.constrain(parent, Constraint::LoadAttributes(any));
        }
    }

    pub(super) fn store(&mut self, object: ObjectIndex, name: Name, origin: NodeIndex, base: NodeIndex) {
        if self.is_unknown(self.objects.kind(object)) {
            return;
        }
        if let ObjectKind::External(path) = self.objects.kind(object)
            && !Names::is_hidden(name)
        {
            let path = format!("{}.{}", self.paths.text(path), self.program.names.text(name));
            self.store_handler(&path, origin);
        }
        let name = if name == Names::PROTO { Names::PARENT } else { name };
        let field = self.field(object, name);
        self.stored.insert((object, name));
        self.edge(origin, field);
        if let Some(&setter) = self.setters.get(&name) {
            let function = self.look_up(object, setter);
            self.constrain(function, Constraint::Set(base, origin));
        }
        self.store_special(object, name, origin, base);
    }

    /// Goes on with a look-up in the prototype chain.
    pub(super) fn inherit(&mut self, object: ObjectIndex, name: Name, result: NodeIndex) {
        let field = self.field(object, name);
        if !self.objects_of(field).is_empty() {
            return;
        }
        if name == Names::DEFAULT {
            // CommonJS exports are the default export of importing ES modules.
            self.add(result, object);
        }
        if self.inherit_in_order(object, name, result) {
            return;
        }
        for parent in [Names::PARENT, Names::COPIED] {
            let parent = self.field(object, parent);
            self.constrain(parent, Constraint::Inherit(name, result));
        }
        // What a program stores by a computed name is no getter or setter.
        let is_field = name != Names::LENGTH && !Names::is_hidden(name) && !self.is_accessor(name);
        // Programs may set attributes of instances by computed names, but hardly those of modules and classes.
        let is_fixed = self.has_text_results
            && !matches!(
                self.objects.kind(object),
                ObjectKind::Instance(..)
                    | ObjectKind::DefaultInstance(_)
                    | ObjectKind::Allocation(_)
                    | ObjectKind::Keywords(_)
            );
        if is_field && !is_fixed && !self.is_array(object) && self.builtin_methods.binary_search(&name).is_err() {
            self.unfound.push((object, result));
        }
    }
}
