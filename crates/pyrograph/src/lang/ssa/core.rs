//! Instructions, joins, and the memory of the function.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::flow::{AllocateKind, Call, Constant, Instruction, Op, Span, SymbolId, ValueId};
use crate::lang::LowerError;

use super::Ssa;
use super::state::{Exit, Key, Kill, Mark, Owner, Place, State, UNDEFINED, UNSET};

/// Origin of values that were not loaded from a parameter, the result of a call or a new object.
const NO_ORIGIN: u32 = u32::MAX;

/// Longest path from a parameter or its like to an object of which something is known.
const LONGEST_PATH: usize = 8;

/// What decides how places relate to memory.
struct Owners<'l> {
    instructions: &'l [Instruction],
    canonical: &'l [ValueId],
    origins: &'l [u32],
    lists: &'l [ValueId],
    fresh: &'l HashSet<ValueId, FixedState>,
    constant_cells: &'l [bool],
    shared_cells: &'l [bool],
    assigned_globals: &'l HashSet<SymbolId, FixedState>,
}

impl Owners<'_> {
    /// How the place of a key relates to memory.
    fn of(&self, state: &State, key: Key) -> Owner {
        let other = |is_constant| Owner { is_local: false, reached: None, is_constant };
        match key.place() {
            Place::Cell(cell) => {
                // Calls change a cell only if a function that knows it exists.
                let is_shared = self.shared_cells[cell.index()];
                let reached = if is_shared { None } else { Some(state.killed_at(Kill::Cell(cell))) };
                Owner { is_local: false, reached, is_constant: self.constant_cells[cell.index()] }
            }
            Place::Global(name) => other(!self.assigned_globals.contains(&name)),
            Place::Field(base) => {
                let is_local = state.is_local(base);
                Owner { is_local, reached: self.reached(state, base), is_constant: false }
            }
        }
    }

    /// Last time when something changed that the object is reached from, if that begins with a parameter, the result of a call or
    /// a new list. A store to another object changes none of these.
    fn reached(&self, state: &State, base: ValueId) -> Option<u32> {
        if self.origins[base.index()] == NO_ORIGIN {
            return None;
        }
        let mut last = 0;
        let mut object = base;
        for _ in 0..LONGEST_PATH {
            last = last.max(state.killed_at(Kill::Reached(object)));
            match self.instructions[object.index()].op {
                Op::LoadField(inner, _) | Op::LoadKey(inner, _) | Op::Element(inner) => {
                    object = self.canonical[inner.index()];
                }
                Op::Parameter(_) => return Some(last),
                Op::Call(_) | Op::Allocate(_) if self.fresh.contains(&object) => return Some(last),
                Op::Call(_) => return Some(last.max(state.called())),
                Op::Phi(list) if self.fresh.contains(&object) => {
                    let operands = self.lists[list.start as usize..].iter().take(list.len as usize);
                    let roots = operands.map(|operand| self.canonical[operand.index()]);
                    return roots
                        .map(|root| state.killed_at(Kill::Reached(root)))
                        .max()
                        .map(|of_root| of_root.max(last));
                }
                _ => return None,
            }
        }
        None
    }
}

impl Ssa<'_, '_> {
    pub(in crate::lang) fn symbol(&mut self, text: &str) -> SymbolId {
        self.builder.symbol(text)
    }

    /// Enters a level of nesting. False: the work stops.
    pub(in crate::lang) fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > self.options.max_depth {
            self.stop(LowerError::TooDeep);
        }
        self.stopped.is_none()
    }

    pub(in crate::lang) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(in crate::lang) fn stop(&mut self, error: LowerError) {
        self.stopped.get_or_insert(error);
    }

    /// Appends an instruction.
    pub(in crate::lang) fn emit(&mut self, op: Op, span: Span) -> ValueId {
        let count = self.builder.module().instructions.len();
        if count & 0x1fff == 0 && self.options.cancelled.is_some_and(|cancelled| cancelled()) {
            self.stop(LowerError::TimedOut);
        }
        if count >= self.options.max_instructions {
            self.stop(LowerError::TooLong);
        }
        let value = self.builder.push(self.frame.id, op, span);
        let (canonical, origin) = match op {
            Op::Guard(inner, ..) | Op::Copy(inner) => (self.canonical[inner.index()], self.origins[inner.index()]),
            Op::Parameter(_) | Op::Call(_) | Op::Allocate(_) => (value, value.0),
            Op::LoadField(object, _) | Op::LoadKey(object, _) | Op::Element(object) => {
                (value, self.origins[object.index()])
            }
            _ => (value, NO_ORIGIN),
        };
        self.canonical.push(canonical);
        self.origins.push(origin);
        value
    }

    pub(in crate::lang) fn op(&self, value: ValueId) -> Op {
        self.builder.module().instructions[value.index()].op
    }

    /// The value that a value is another name of.
    pub(in crate::lang) fn canon(&self, value: ValueId) -> ValueId {
        self.canonical[value.index()]
    }

    /// Notes that a load reads what another one has read.
    pub(super) fn rename_load(&mut self, load: ValueId, first: ValueId) {
        self.canonical[load.index()] = first;
    }

    /// Constant that a value is.
    pub(in crate::lang) fn constant(&self, value: ValueId) -> Option<Constant> {
        match self.op(self.canon(value)) {
            Op::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    pub(in crate::lang) fn constant_value(&mut self, constant: Constant, span: Span) -> ValueId {
        self.emit(Op::Constant(constant), span)
    }

    pub(in crate::lang) fn undefined(&mut self, span: Span) -> ValueId {
        self.constant_value(Constant::Undefined, span)
    }

    pub(in crate::lang) fn text(&mut self, text: &str, span: Span) -> ValueId {
        let symbol = self.symbol(text);
        self.constant_value(Constant::String(symbol), span)
    }

    pub(in crate::lang) fn allocate(&mut self, kind: AllocateKind, span: Span) -> ValueId {
        let value = self.emit(Op::Allocate(kind), span);
        self.state.allocate(value);
        self.fresh.insert(value);
        value
    }

    /// Notes that others may know an object from now on.
    pub(in crate::lang) fn escape(&mut self, value: ValueId) {
        let value = self.canon(value);
        self.state.escape(value);
        self.fresh.remove(&value);
    }

    /// Notes that a value is a new list, which nobody else has.
    pub(in crate::lang) fn note_fresh(&mut self, value: ValueId) {
        self.fresh.insert(value);
    }

    /// The value, and those that it may be.
    fn roots(&self, value: ValueId) -> Vec<ValueId> {
        let mut roots = vec![value];
        if let Op::Phi(list) = self.op(value)
            && self.fresh.contains(&value)
        {
            roots.extend(self.builder.module().list(list).iter().map(|&operand| self.canon(operand)));
        }
        roots
    }

    /// One of several values. Equal ones count once, and names that only differ in tests that cover all cases are one.
    pub(in crate::lang) fn phi(&mut self, values: &[ValueId], span: Span) -> ValueId {
        let mut operands = values.to_vec();
        let is_short = operands.len() <= 16;
        let first = self.canon(operands[0]);
        let is_same = operands.iter().all(|&value| self.canon(value) == first);
        if is_same && is_short {
            operands = self.combine_guards(operands);
        } else {
            operands.sort_unstable();
            operands.dedup();
        }
        if operands.len() == 1 {
            return operands[0];
        }
        let is_root = |value: &ValueId| {
            let value = self.canon(*value);
            match self.op(value) {
                Op::Parameter(_) => true,
                Op::Phi(_) => false,
                _ => self.fresh.contains(&value),
            }
        };
        let is_fresh = !is_same && is_short && operands.iter().all(is_root);
        for &operand in &operands {
            if !is_same {
                self.escape(operand);
            }
        }
        if let Some(value) = self.recent_phi(&operands) {
            return value;
        }
        let list = self.builder.list(&operands);
        let value = self.emit(Op::Phi(list), span);
        if is_same {
            self.canonical[value.index()] = first;
            self.origins[value.index()] = self.origins[first.index()];
        } else if is_fresh {
            self.origins[value.index()] = value.0;
            self.fresh.insert(value);
        }
        value
    }

    /// The same phi among the last instructions.
    fn recent_phi(&self, operands: &[ValueId]) -> Option<ValueId> {
        let module = self.builder.module();
        let count = module.instructions.len();
        for (index, instruction) in module.instructions.iter().enumerate().skip(count.saturating_sub(4)).rev() {
            let Op::Phi(list) = instruction.op else { break };
            if instruction.function == self.frame.id && module.list(list) == operands {
                return Some(ValueId(index as u32));
            }
        }
        None
    }

    /// Names of one value without those that others imply: both results of a test, or a test of a name in the list.
    fn combine_guards(&self, values: Vec<ValueId>) -> Vec<ValueId> {
        let mut names = Vec::new();
        for value in values {
            match self.op(value) {
                Op::Phi(list) if list.len <= 16 && self.canon(value) != value => {
                    names.extend_from_slice(self.builder.module().list(list));
                }
                _ => names.push(value),
            }
        }
        loop {
            names.sort_unstable();
            names.dedup_by(|later, first| {
                later == first || matches!(self.op(*later), Op::Guard(..)) && self.op(*later) == self.op(*first)
            });
            let implied = |name: &ValueId| {
                let mut name = *name;
                for _ in 0..64 {
                    let Op::Guard(inner, ..) = self.op(name) else { return false };
                    if names.binary_search(&inner).is_ok() {
                        return true;
                    }
                    name = inner;
                }
                false
            };
            if let Some(index) = names.iter().position(implied) {
                names.remove(index);
                continue;
            }
            let pair = names.iter().enumerate().find_map(|(index, &name)| {
                let Op::Guard(inner, test, result) = self.op(name) else { return None };
                let other = names.iter().position(
                    |&other| matches!(self.op(other), Op::Guard(i, t, r) if i == inner && t == test && r != result),
                )?;
                Some((index, other, inner))
            });
            match pair {
                Some((index, other, inner)) => {
                    names[index] = inner;
                    names.remove(other);
                }
                None => return names,
            }
        }
    }

    /// Appends a call and notes what it may change.
    pub(in crate::lang) fn emit_call(&mut self, call: Call, is_harmless: bool, span: Span) -> ValueId {
        let mut touched = Vec::new();
        for value in call.arguments.iter().map(|argument| argument.value).chain(call.receiver) {
            let value = self.canonical[value.index()];
            self.state.escape(value);
            if self.origins[value.index()] != NO_ORIGIN {
                touched.extend(self.roots(value));
            }
        }
        if !is_harmless {
            for argument in &call.arguments {
                self.fresh.remove(&self.canonical[argument.value.index()]);
            }
        }
        let id = self.builder.call(call);
        let value = self.emit(Op::Call(id), span);
        if let Some(handler) = self.frame.handlers.last_mut() {
            handler.push(value);
        }
        if !is_harmless {
            self.state.kill_shared();
            touched.sort_unstable();
            touched.dedup();
            for value in touched {
                self.state.kill(Kill::Reached(value));
            }
        }
        value
    }

    fn owners(&self) -> Owners<'_> {
        Owners {
            instructions: &self.builder.module().instructions,
            canonical: &self.canonical,
            origins: &self.origins,
            lists: &self.builder.module().operands,
            fresh: &self.fresh,
            constant_cells: &self.constant_cells,
            shared_cells: &self.shared_cells,
            assigned_globals: &self.assigned_globals,
        }
    }

    /// Known content of a place.
    pub(in crate::lang) fn fact(&self, key: Key) -> Option<ValueId> {
        self.state.fact(key, self.owners().of(&self.state, key))
    }

    /// A store to a field changes what is known of it.
    pub(in crate::lang) fn note_store(&mut self, object: ValueId, field: SymbolId, value: ValueId) {
        let base = self.canon(object);
        self.escape(value);
        if !self.state.is_local(base) {
            self.state.kill(Kill::Field(field));
        }
        if self.accessors.contains(&field) {
            // A setter stores something else, and a getter reads something else.
            self.state.kill(Kill::AnyField(field));
            return;
        }
        self.state.set_fact(Key::field(base, field), value);
    }

    /// A store to a computed key, or a removal of fields, changes what is known of an object.
    pub(in crate::lang) fn note_store_all(&mut self, object: ValueId) {
        self.forget_elements(object);
        let base = self.canon(object);
        if self.state.is_local(base) {
            self.state.kill(Kill::Base(base));
            return;
        }
        self.state.kill_stored();
        if self.origins[base.index()] != NO_ORIGIN {
            for root in self.roots(base) {
                self.state.kill(Kill::Reached(root));
            }
        }
    }

    pub(in crate::lang) fn mark(&mut self) -> Mark {
        self.frame.stores.clear();
        self.state.mark()
    }

    /// Changes since a mark, if this point is reached.
    pub(in crate::lang) fn exit(&mut self, mark: Mark) -> Option<Exit> {
        if !self.frame.is_reachable {
            return None;
        }
        let owners = Owners {
            instructions: &self.builder.module().instructions,
            canonical: &self.canonical,
            origins: &self.origins,
            lists: &self.builder.module().operands,
            fresh: &self.fresh,
            constant_cells: &self.constant_cells,
            shared_cells: &self.shared_cells,
            assigned_globals: &self.assigned_globals,
        };
        Some(self.state.exit(mark, |state, key| owners.of(state, key)))
    }

    /// Leaves for another place: returns what changed since the mark and goes back to the mark.
    pub(in crate::lang) fn depart(&mut self, mark: Mark) -> Option<Exit> {
        let exit = self.exit(mark);
        self.state.rollback(mark);
        exit
    }

    /// Continues at the point that the exits reach. The state is the one at their mark.
    pub(in crate::lang) fn join(&mut self, exits: Vec<Exit>, span: Span) {
        self.frame.is_reachable = !exits.is_empty();
        self.frame.stores.clear();
        self.frame.resets.clear();
        match exits.as_slice() {
            [] => {}
            [exit] => self.state.apply(exit),
            _ => self.join_many(&exits, span),
        }
    }

    fn join_many(&mut self, exits: &[Exit], span: Span) {
        let mut variables: Vec<(u32, ValueId)> = exits.iter().flat_map(|exit| exit.variables.iter().copied()).collect();
        variables.sort_by_key(|&(variable, _)| variable);
        let mut facts: Vec<(Key, ValueId)> = exits.iter().flat_map(|exit| exit.facts.iter().copied()).collect();
        facts.sort_by_key(|&(key, _)| key);
        let flags = self.flag_candidates(exits);
        self.state.apply_kills(exits);
        for group in variables.chunk_by(|a, b| a.0 == b.0) {
            let variable = group[0].0;
            let mut values: Vec<ValueId> = group.iter().map(|&(_, value)| value).collect();
            if group.len() < exits.len() {
                values.push(self.state.value(variable));
            }
            let value = self.merge(values, span);
            if self.state.value(variable) != value {
                self.state.set(variable, value);
            }
        }
        for group in facts.chunk_by(|a, b| a.0 == b.0) {
            let key = group[0].0;
            let mut values: Vec<ValueId> = group.iter().map(|&(_, value)| value).collect();
            if group.len() < exits.len() {
                match self.fact(key) {
                    Some(value) => values.push(value),
                    None => continue,
                }
            }
            let value = self.merge(values, span);
            self.state.set_fact(key, value);
        }
        if let Some(flags) = flags {
            self.note_flags(flags);
        }
    }

    /// One value of several names, of which some may be unset.
    pub(in crate::lang) fn merge(&mut self, mut values: Vec<ValueId>, span: Span) -> ValueId {
        values.retain(|&value| value != UNSET);
        if values.is_empty() {
            return UNSET;
        }
        if values.iter().all(|&value| value == UNDEFINED) {
            return UNDEFINED;
        }
        if values.contains(&UNDEFINED) {
            values.retain(|&value| value != UNDEFINED);
            let undefined = self.undefined(span);
            values.push(undefined);
        }
        self.phi(&values, span)
    }
}
