//! Members of captured variables that were tested before a function was created: `if (isSafe(request.name)) run(() => request.name)`.

use crate::flow::{CellId, Op, Span, SymbolId, Test, ValueId};

use super::Ssa;

/// Most tested members that a function gets.
const MAX_MEMBERS: usize = 8;

/// Most tested members that are looked at.
const MAX_TESTED: usize = 64;

/// Most fields from a variable to a tested member.
const MAX_FIELDS: usize = 3;

impl Ssa<'_, '_> {
    /// Gives the tested names of members of captured variables to a function that is created here. The file assigns no field of
    /// these names, so that the members are the same when the function runs.
    pub(super) fn pass_members(&mut self, number: u32, captures: &[u32], span: Span) {
        let Some(last) = self.frame.tested.len().checked_sub(1) else { return };
        let first = (last + 1).saturating_sub(MAX_TESTED);
        let mut passed: Vec<(u32, Vec<SymbolId>, ValueId)> = Vec::new();
        for index in (first..=last).rev() {
            let (key, name) = self.frame.tested[index];
            if self.fact(key) != Some(name) || !self.is_told(name) {
                continue;
            }
            if let Some((variable, fields)) = self.member_of(self.canon(name), captures)
                && !passed.iter().any(|(known, path, _)| *known == variable && *path == fields)
            {
                passed.push((variable, fields, name));
            }
            if passed.len() == MAX_MEMBERS {
                break;
            }
        }
        for (variable, fields, name) in passed {
            let Some(&field) = fields.last() else { continue };
            let cell = self.builder.cell(field, self.frame.id);
            self.constant_cells.push(true);
            self.shared_cells.push(true);
            self.escape(name);
            self.emit(Op::StoreCell(cell, name), span);
            self.tested_members.entry(number).or_default().push((variable, fields, cell));
        }
    }

    /// True if a test says more of a value than that it exists.
    fn is_told(&self, name: ValueId) -> bool {
        let mut name = name;
        for _ in 0..MAX_TESTED {
            let Op::Guard(inner, test, _) = self.op(name) else { break };
            match self.builder.module().tests[test.index()] {
                Test::Truthy | Test::Ordered | Test::InstanceOf(_) => name = inner,
                _ => return true,
            }
        }
        false
    }

    /// Captured variable, which is assigned once, and fields of it that a load reads.
    fn member_of(&self, load: ValueId, captures: &[u32]) -> Option<(u32, Vec<SymbolId>)> {
        let stored = self.scopes.stored_fields.as_ref()?;
        let mut fields = Vec::new();
        let mut value = load;
        for _ in 0..MAX_FIELDS {
            let Op::LoadField(base, field) = self.op(value) else { return None };
            let text = self.builder.text(field);
            if stored.contains(text) || self.accessors.contains(&field) {
                return None;
            }
            fields.push(field);
            value = self.canon(base);
            let is_named = |variable: u32| {
                let entry = &self.scopes.variables[variable as usize];
                entry.assignments <= 1 && self.name(variable).is_some_and(|name| self.canon(name) == value)
            };
            if let Some(&variable) = captures.iter().find(|&&variable| is_named(variable)) {
                fields.reverse();
                return Some((variable, fields));
            }
        }
        None
    }

    /// Cell with the tested name of a field, if the object is reached from a captured variable.
    pub(super) fn member_cell(&self, base: ValueId, field: SymbolId) -> Option<CellId> {
        if self.tested_members.is_empty() {
            return None;
        }
        let mut fields = vec![field];
        let mut value = base;
        let cell = loop {
            match self.op(value) {
                Op::LoadCell(cell) => break cell,
                Op::LoadField(inner, field) if fields.len() < MAX_FIELDS => {
                    fields.push(field);
                    value = self.canon(inner);
                }
                _ => return None,
            }
        };
        fields.reverse();
        let mut function = self.frame.number;
        while function != 0 {
            let members = self.tested_members.get(&function).map_or(&[][..], Vec::as_slice);
            let is_found = |(variable, path, _): &&(u32, Vec<SymbolId>, CellId)| {
                *path == fields && self.read_cell(*variable) == Some(cell)
            };
            if let Some(&(_, _, cell)) = members.iter().find(is_found) {
                return Some(cell);
            }
            function = self.scopes.functions[function as usize].parent;
        }
        None
    }
}
