//! Captured variables, by closure: what a closure holds comes from the call that made it.
//!
//! A function that makes closures may be called often. The variables that a closure captures are those of one call. So they are followed
//! like fields: from the place where the closure is made, through returns, arguments and fields of object literals, to the calls of
//! the closure. Where that is not possible, such as for closures in arrays or those that a library calls, a closure has the values of
//! all calls.

use super::build::Builder;
use super::graph::{ALL, Closure, EdgeKind, ExtraNode};
use crate::flow::{FunctionKind, Op, ValueId};
use crate::points_to::{ActualArgument, NodeIndex, ObjectKind};
use crate::program::{FunctionIndex, Module, Name, Names, ValueIndex};

/// Most values of a join that are followed.
const MAX_JOINED: usize = 16;
/// Largest number of captured variables of closures: a constant and a part for each value.
const MIN_CAPTURED: usize = 4_000;
const VALUES_PER_CAPTURED: usize = 8;

impl Builder<'_> {
    /// Collects the captured variables that are followed: only the function that declares one assigns it, and several calls of this
    /// function make closures.
    pub(super) fn collect_cells(&mut self) {
        let program = self.program;
        for module in &program.modules {
            let mut is_foreign = vec![false; module.flow.cells.len()];
            let mut is_assigned = vec![false; module.flow.cells.len()];
            for instruction in &module.flow.instructions {
                if let Op::StoreCell(cell, _) = instruction.op {
                    is_assigned[cell.index()] = true;
                    is_foreign[cell.index()] |= module.flow.cells[cell.index()].owner != instruction.function;
                }
            }
            for (number, cell) in module.flow.cells.iter().enumerate() {
                let owner = module.function(cell.owner);
                let is_module = module.flow.function(cell.owner).kind == FunctionKind::Module;
                let calls = self.callers.get(&owner).map_or(0, Vec::len);
                if is_assigned[number] && !is_foreign[number] && !is_module && calls > 1 {
                    self.followed_cells.insert(module.cells + number as u32, owner);
                }
            }
        }
    }

    /// Flow of a load of a captured variable.
    pub(super) fn load_cell(&mut self, cell: u32, function: FunctionIndex, value: ValueIndex) {
        match self.followed_cells.get(&cell) {
            Some(&owner) if owner != function => {
                let captured = self.captured(Closure::Own(function), cell);
                self.intra(captured, value, ALL);
            }
            _ => self.flow(self.points_to.layout.cell(cell), value, EdgeKind::Heap, ALL),
        }
    }

    /// Node of a captured variable of a closure.
    fn captured(&mut self, closure: Closure, cell: u32) -> NodeIndex {
        let node = ExtraNode::Captured(closure, cell);
        let limit = MIN_CAPTURED + self.program.value_count as usize / VALUES_PER_CAPTURED;
        if !self.graph.numbers.contains_key(&node) && self.captured_count >= limit {
            self.limit("captured variables of closures");
            return self.points_to.layout.cell(cell);
        }
        let (node, is_new) = self.graph.node(node);
        if is_new {
            self.captured_count += 1;
            self.depths.resize(self.graph.extra.len(), 0);
            self.new_closures.push((closure, cell, node));
        }
        node
    }

    /// Connects captured variables of closures with those of the closures that they come from.
    pub(super) fn connect_closures(&mut self) {
        while let Some((closure, cell, node)) = self.new_closures.pop() {
            if (self.is_cancelled)() {
                return;
            }
            let is_known = match closure {
                Closure::Own(function) => self.connect_own(function, cell, node),
                Closure::Value(value) => self.connect_closure(value, None, cell, node),
                Closure::Field(value, name) => self.connect_closure(value, Some(name), cell, node),
            };
            if !is_known {
                self.flow(self.points_to.layout.cell(cell), node, EdgeKind::Heap, ALL);
            }
        }
    }

    /// The closure that runs is the one that is called. False: some calls are not known.
    fn connect_own(&mut self, function: FunctionIndex, cell: u32, node: NodeIndex) -> bool {
        let instances = self.callers.get(&function).cloned().unwrap_or_default();
        let mut is_known = !instances.is_empty();
        for instance in instances {
            match self.callee_of(instance, function) {
                Some(callee) => {
                    let origin = self.captured(Closure::Value(callee), cell);
                    self.flow(origin, node, EdgeKind::Call(instance), ALL);
                }
                None => is_known = false,
            }
        }
        is_known
    }

    /// Value that a call instruction calls, if it is the function itself.
    fn callee_of(&self, instance: u32, function: FunctionIndex) -> Option<NodeIndex> {
        let link = self.points_to.links.get(instance as usize)?;
        if link.call >= self.program.value_count || link.result != Some(link.call) || link.is_new {
            return None;
        }
        let module = self.program.module_of_value(link.call);
        let Op::Call(call) = module.instruction(link.call).op else { return None };
        let callee = module.value(module.flow.calls[call.index()].callee);
        let object = self.points_to.objects.get(ObjectKind::Function(function))?;
        self.points_to.objects_of(callee).contains(&object).then_some(callee)
    }

    /// Connects a captured variable of a closure in a value, or in a field of a value. False: it may come from elsewhere too.
    fn connect_closure(&mut self, value: NodeIndex, field: Option<Name>, cell: u32, node: NodeIndex) -> bool {
        if value >= self.program.value_count {
            return false;
        }
        let module = self.program.module_of_value(value);
        let function = module.function(module.instruction(value).function);
        let of = |value: NodeIndex| match field {
            Some(name) => Closure::Field(value, name),
            None => Closure::Value(value),
        };
        match module.instruction(value).op {
            Op::Copy(origin) | Op::Guard(origin, ..) | Op::Await(origin) => {
                let origin = self.captured(of(module.value(origin)), cell);
                self.intra(origin, node, ALL);
                true
            }
            Op::Phi(list) => {
                let values: Vec<ValueId> = module.flow.list(list).to_vec();
                for &origin in values.iter().take(MAX_JOINED) {
                    let origin = self.captured(of(module.value(origin)), cell);
                    self.intra(origin, node, ALL);
                }
                values.len() <= MAX_JOINED
            }
            Op::Call(_) => self.connect_result(value, field, cell, node),
            Op::Parameter(position) => {
                let passed =
                    |builder: &Self, instance: u32| match builder.actuals[instance as usize].1.get(position as usize) {
                        Some(&ActualArgument::One(argument)) => Some(Some(argument)),
                        None | Some(ActualArgument::Absent) => Some(None),
                        _ => None,
                    };
                self.connect_passed(function, field, cell, node, &passed)
            }
            Op::Receiver if field.is_some() => {
                let passed = |builder: &Self, instance: u32| {
                    builder.actuals[instance as usize].0.filter(|_| !builder.is_new[instance as usize]).map(Some)
                };
                self.connect_passed(function, field, cell, node, &passed)
            }
            Op::Function(made) if field.is_none() => {
                self.connect_made(module, function, module.function(made), cell, node)
            }
            Op::LoadField(base, symbol) if field.is_none() => {
                let origin = self.captured(Closure::Field(module.value(base), module.name(symbol)), cell);
                self.intra(origin, node, ALL);
                true
            }
            Op::Allocate(_) => match field {
                Some(name) => self.connect_literal(value, name, cell, node),
                None => true,
            },
            Op::Constant(_) => true,
            _ => false,
        }
    }

    /// A closure holds the variables of the function that makes it, or those that this one holds itself.
    fn connect_made(
        &mut self,
        module: &Module,
        maker: FunctionIndex,
        made: FunctionIndex,
        cell: u32,
        node: NodeIndex,
    ) -> bool {
        let Some(&owner) = self.followed_cells.get(&cell) else { return false };
        let mut around = module.flow.function(crate::flow::FunctionId(made - module.functions)).parent;
        while let Some(parent) = around {
            let parent_index = module.function(parent);
            if parent_index == owner {
                break;
            }
            around = module.flow.function(parent).parent;
        }
        if around.is_none() {
            // Another function at the same place, which does not hold the variable.
            return true;
        }
        if maker == owner {
            for value in self.cell_values.get(&cell).cloned().unwrap_or_default() {
                self.intra(value, node, ALL);
            }
        } else {
            let origin = self.captured(Closure::Own(maker), cell);
            self.intra(origin, node, ALL);
        }
        true
    }

    /// The result of a call is what its targets return.
    fn connect_result(&mut self, call: ValueIndex, field: Option<Name>, cell: u32, node: NodeIndex) -> bool {
        let instances = self.instances_of.get(&call).cloned().unwrap_or_default();
        let mut is_known = !instances.is_empty() && self.points_to.library_calls_of(call).is_empty();
        for instance in instances {
            let function = self.graph.instances[instance as usize].function;
            let (module, id) = self.program.function(function);
            let is_link = (instance as usize) < self.points_to.links.len();
            if !is_link || self.is_new[instance as usize] || module.flow.function(id).is_generator {
                is_known = false;
                continue;
            }
            for value in self.returns.get(&function).cloned().unwrap_or_default() {
                let closure = match field {
                    Some(name) => Closure::Field(value, name),
                    None => Closure::Value(value),
                };
                let origin = self.captured(closure, cell);
                self.flow(origin, node, EdgeKind::Return(instance), ALL);
            }
        }
        is_known
    }

    /// A parameter or receiver is what the calls pass. `passed` says what a call passes. None: that is not known.
    fn connect_passed(
        &mut self,
        function: FunctionIndex,
        field: Option<Name>,
        cell: u32,
        node: NodeIndex,
        passed: &dyn Fn(&Self, u32) -> Option<Option<NodeIndex>>,
    ) -> bool {
        let instances = self.callers.get(&function).cloned().unwrap_or_default();
        let mut is_known = !instances.is_empty();
        for instance in instances {
            let is_link = (instance as usize) < self.points_to.links.len();
            let Some(actual) = passed(self, instance).filter(|_| is_link) else {
                is_known = false;
                continue;
            };
            let Some(actual) = actual else { continue };
            let closure = match field {
                Some(name) => Closure::Field(actual, name),
                None => Closure::Value(actual),
            };
            let origin = self.captured(closure, cell);
            self.flow(origin, node, EdgeKind::Call(instance), ALL);
        }
        is_known
    }

    /// A field of a literal is what the function that makes the literal stores to it. False: others may store too.
    fn connect_literal(&mut self, literal: ValueIndex, name: Name, cell: u32, node: NodeIndex) -> bool {
        let points_to = self.points_to;
        let Some(object) = points_to.objects.get(ObjectKind::Allocation(literal)) else { return false };
        let stored = self.stored.get(&(literal, name)).cloned().unwrap_or_default();
        let known: Vec<FunctionIndex> = stored.iter().flat_map(|&value| self.functions_of(value)).collect();
        let is_known = |field: Name| {
            points_to
                .field(object, field)
                .is_none_or(|field| points_to.functions_of(field).all(|function| known.contains(&function)))
        };
        let is_complete = !self.copies.contains_key(&literal) && is_known(name) && is_known(Names::ELEMENT);
        for value in stored {
            let origin = self.captured(Closure::Value(value), cell);
            self.intra(origin, node, ALL);
        }
        is_complete
    }
}
