//! Facts about the program that the builder collects before it adds edges.

use super::build::Builder;
use super::graph::{ALL, EdgeKind, ExtraNode, IDENTITY};
use crate::flow::{AllocateKind, Constant, Op, ValueId};
use crate::knowledge::Root;
use crate::points_to::{ActualArgument, NodeIndex, ObjectKind};
use crate::program::{Module, Names, ValueIndex};

impl Builder<'_> {
    /// Facts that later steps look up: returned values, copies, own fields, rest parameters, handlers.
    pub(super) fn collect(&mut self) {
        let program = self.program;
        for (number, module) in program.modules.iter().enumerate() {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let value = module.values + position as u32;
                let function = module.function(instruction.function);
                match instruction.op {
                    Op::StoreCell(cell, origin) => {
                        let cell = module.cells + cell.0;
                        if matches!(module.flow.instructions[origin.index()].op, Op::Parameter(_)) {
                            self.cell_of.insert(module.value(origin), cell);
                        }
                        self.cell_values.entry(cell).or_default().push(module.value(origin));
                    }
                    Op::Await(origin) => {
                        self.awaited.insert(self.unnamed(module.value(origin)));
                    }
                    Op::Return(origin) => {
                        let origin = module.value(origin);
                        self.returns.entry(function).or_default().push(origin);
                        if module.flow.has_return_places {
                            self.return_places.entry(function).or_default().push((value, origin));
                        }
                        // Who awaits the function awaits what it returns.
                        if module.flow.function(instruction.function).is_async {
                            self.awaited.insert(self.unnamed(origin));
                        }
                    }
                    Op::RestOf(origin, names) => {
                        self.copies.entry(value).or_default().push((value, module.value(origin)));
                        for &name in module.flow.list(names) {
                            if let Op::Constant(Constant::String(symbol)) = module.flow.instructions[name.index()].op {
                                self.own_fields.insert((value, module.name(symbol)), ValueIndex::MAX);
                            }
                        }
                    }
                    Op::StoreField(base, symbol, origin) => {
                        let key = (module.value(base), module.name(symbol));
                        self.own_fields.insert(key, value);
                        self.stored_bases.insert(key.0);
                        self.stored.entry(key).or_default().push(module.value(origin));
                        if key.1 == Names::ELEMENT || program.names.is_position(key.1) {
                            self.note_queued(module, origin);
                        }
                        if is_exports(module, base) {
                            let key = (number as u32, module.name(symbol));
                            self.exported.entry(key).or_default().push(module.value(origin));
                        }
                    }
                    Op::Call(call) => {
                        let call = &module.flow.calls[call.index()];
                        if let Op::LoadField(_, method) = module.flow.instructions[call.callee.index()].op
                            && matches!(module.flow.text(method), "push" | "unshift")
                        {
                            call.arguments.iter().for_each(|argument| self.note_queued(module, argument.value));
                        }
                    }
                    Op::RestParameter(position) => {
                        self.rest_values.insert(function, (value, position));
                    }
                    Op::KeywordParameters => {
                        self.keyword_values.insert(function, value);
                    }
                    Op::Throw(_) => {
                        self.throwing.insert(function);
                    }
                    Op::Catch(list) => {
                        for &thrower in module.flow.list(list) {
                            self.catches.entry(module.value(thrower)).or_insert(value);
                        }
                    }
                    _ => {}
                }
            }
        }
        let points_to = self.points_to;
        for &(result, target) in &points_to.aliases {
            self.aliases.entry(result).or_default().push(target);
        }
        for library in &points_to.library_calls {
            if let Some(receiver) = library.receiver {
                for &argument in &library.arguments {
                    let ActualArgument::One(node) = argument else { continue };
                    for &object in points_to.objects_of(node) {
                        if let ObjectKind::Function(function) = points_to.objects.kind(object) {
                            self.callback_receivers.entry(function).or_insert(receiver);
                        }
                    }
                }
            }
            let Some(model) = &library.model else { continue };
            for (from, to) in &model.flows {
                if from.steps.is_empty() && to.steps.is_empty() && to.root == Root::Return && model.sanitizes.is_empty()
                {
                    let nodes = self.root_nodes(library, from.root);
                    self.aliases.entry(library.result).or_default().extend(nodes);
                }
            }
        }
    }

    /// Notes an object literal that becomes an element of an array.
    fn note_queued(&mut self, module: &Module, value: ValueId) {
        if matches!(module.flow.instructions[value.index()].op, Op::Allocate(AllocateKind::Object)) {
            self.queued.insert(module.value(value));
        }
    }

    /// Copies of all fields, by the objects that are their targets.
    pub(super) fn collect_copies(&mut self) {
        let (program, points_to) = (self.program, self.points_to);
        let mut copies: Vec<(ValueIndex, NodeIndex, NodeIndex)> = points_to.copies.clone();
        for module in &program.modules {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                if let Op::CopyFields(target, origin) = instruction.op {
                    copies.push((module.values + position as u32, module.value(target), module.value(origin)));
                }
            }
        }
        for &(copy, target, origin) in &points_to.copies {
            self.note_overwritten(copy, target, origin);
        }
        for (copy, target, origin) in copies {
            for root in self.roots(target) {
                self.copies.entry(root).or_default().push((copy, origin));
            }
            // A tainted object has tainted fields.
            self.store_mask(target, Names::ELEMENT, origin, ALL & !IDENTITY);
        }
        for (number, definition) in points_to.definitions.iter().enumerate() {
            let stored = match (definition.is_value, program.names.get("value")) {
                (true, _) => definition.origin,
                (false, Some(value)) => {
                    let stored = self.temporary(definition.call, 900_000 + number as u32);
                    self.load(definition.origin, value, stored);
                    stored
                }
                (false, None) => continue,
            };
            self.store(definition.object, definition.name, stored);
        }
    }

    /// Flows of data in prototypes and other parents to loads from their children.
    pub(super) fn inherit_fields(&mut self) {
        let points_to = self.points_to;
        for (base, name, target) in std::mem::take(&mut self.loads) {
            let mut objects: Vec<u32> = points_to.objects_of(base).to_vec();
            let mut seen = objects.clone();
            for _ in 0..4 {
                let mut parents = Vec::new();
                for &object in &objects {
                    // An own field hides inherited ones.
                    if points_to.is_stored(object, name) {
                        continue;
                    }
                    let Some(parent) = points_to.field(object, Names::PARENT) else { continue };
                    for &parent in points_to.objects_of(parent) {
                        if !seen.contains(&parent) && seen.len() < 64 {
                            seen.push(parent);
                            parents.push(parent);
                        }
                    }
                }
                for &parent in &parents {
                    if let Some(&shared) = self.graph.numbers.get(&ExtraNode::Shared(parent, name)) {
                        self.flow(shared, target, EdgeKind::Heap, ALL);
                    }
                }
                objects = parents;
            }
        }
    }
}

/// True if a value is the object of the exports of a module.
fn is_exports(module: &Module, value: ValueId) -> bool {
    match module.flow.instructions[value.index()].op {
        Op::Exports => true,
        Op::LoadField(object, name) => {
            module.name(name) == Names::EXPORTS
                && matches!(module.flow.instructions[object.index()].op, Op::ModuleObject)
        }
        _ => false,
    }
}
