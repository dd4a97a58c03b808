//! Loops and other statements that `break` or `continue` leaves.

use crate::flow::{Op, Span, ValueId, ValueList};

use super::elements::{ElementTest, ListSearch};
use super::state::{Collector, Exit, Kill, Mark, UNDEFINED, UNSET};
use super::{Ssa, Target};

/// A loop that is being lowered.
pub(in crate::lang) struct Loop {
    /// Variables that the loop assigns: variable, phi, value before the loop.
    phis: Vec<(u32, ValueId, ValueId)>,
    pub(in crate::lang) mark: Mark,
    region: u32,
    /// First instruction.
    start: usize,
    /// Tests of elements at the end of the body.
    tests: Vec<ElementTest>,
    /// Tests of variables against lists of constants at the end of the body.
    searches: Vec<ListSearch>,
}

impl<'a> Ssa<'a, '_> {
    /// What a loop or protected block may change becomes unknown.
    pub(in crate::lang) fn forget(&mut self, region: u32) {
        self.frame.resets.clear();
        let region = self.scopes.regions[region as usize];
        if region.changes_all {
            let next = self.builder.module().instructions.len() as u32;
            self.state.kill_all(next);
        }
        for index in region.variables.0..region.variables.1 {
            let variable = self.scopes.region_variables[index as usize];
            if self.scopes.variables[variable as usize].is_assigned_inside
                && let Some(cell) = self.cells[variable as usize]
            {
                self.state.kill(Kill::Cell(cell));
            }
        }
        for index in region.fields.0..region.fields.1 {
            let name = self.scopes.region_fields[index as usize];
            let field = self.builder.symbol(name);
            self.state.kill(Kill::AnyField(field));
        }
    }

    /// If `break` leaves the innermost statement: what it may change becomes unknown.
    pub(in crate::lang) fn forget_breaks(&mut self, region: u32) {
        if self.frame.targets.last().is_some_and(|target| target.breaks.points > 0) {
            self.forget(region);
        }
    }

    /// Head of a loop: phis of the variables that it assigns.
    pub(in crate::lang) fn begin_loop(&mut self, region: u32, labels: Vec<&'a str>, span: Span) -> Loop {
        let range = self.scopes.regions[region as usize].variables;
        let start = self.builder.module().instructions.len();
        let mut phis = Vec::new();
        let head = Span::new(span.start, span.start);
        for index in range.0..range.1 {
            let variable = self.scopes.region_variables[index as usize];
            if self.scopes.variables[variable as usize].is_assigned_inside {
                self.state.kill_shared();
                continue;
            }
            let mut entry = self.state.value(variable);
            if entry == UNSET {
                continue;
            }
            if entry == UNDEFINED {
                entry = self.undefined(head);
            }
            self.escape(entry);
            let phi = self.emit(Op::Phi(ValueList { start: 0, len: 0 }), head);
            self.state.set(variable, phi);
            phis.push((variable, phi, entry));
        }
        self.forget(region);
        let mark = self.mark();
        self.push_target(labels, true, true);
        Loop { phis, mark, region, start, tests: Vec::new(), searches: Vec::new() }
    }

    /// Point that the end of the body and `continue` reach.
    pub(in crate::lang) fn join_continues(&mut self, head: &mut Loop, span: Span) {
        let mut states: Vec<Exit> = self.depart(head.mark).into_iter().collect();
        if let Some(target) = self.frame.targets.last_mut() {
            let continues = std::mem::take(&mut target.continues);
            states.extend(self.arrive(continues, span));
        }
        self.join(states, span);
        head.tests = self.element_tests(head.start, head.region);
        head.searches = self.list_searches(head.start);
    }

    /// End of a loop: completes the phis, and continues after the loop.
    pub(in crate::lang) fn end_loop(&mut self, head: Loop, mut exits: Vec<Exit>, span: Span) {
        for &(variable, phi, entry) in &head.phis {
            let mut operands = vec![entry];
            if self.frame.is_reachable {
                let back = self.state.value(variable);
                if back != phi && back != entry {
                    self.escape(back);
                    operands.push(back);
                }
            }
            let op = match operands.as_slice() {
                [entry] => Op::Copy(*entry),
                operands => Op::Phi(self.builder.list(operands)),
            };
            self.builder.module_mut().instructions[phi.index()].op = op;
        }
        self.state.rollback(head.mark);
        self.state.release(head.mark);
        exits.extend(self.pop_target(span));
        self.join(exits, span);
        self.name_tested_lists(&head.tests, span);
        self.name_searched(&head.searches, span);
    }

    /// Opens a statement that `break` or `continue` leaves.
    pub(in crate::lang) fn push_target(&mut self, labels: Vec<&'a str>, is_loop: bool, is_breakable: bool) {
        let breaks = self.state.collector();
        let continues = if is_loop { self.state.collector() } else { Collector::default() };
        self.frame.targets.push(Target { labels, is_loop, is_breakable, breaks, continues });
    }

    /// Closes the innermost such statement: where its `break`s lead.
    pub(in crate::lang) fn pop_target(&mut self, span: Span) -> Option<Exit> {
        let target = self.frame.targets.pop()?;
        self.arrive(target.breaks, span)
    }

    /// The place that collected points lead to. The state is the one before them.
    pub(in crate::lang) fn arrive(&mut self, collector: Collector, span: Span) -> Option<Exit> {
        let is_reached = collector.points > 0;
        let names = self.state.collected(collector);
        if !is_reached {
            return None;
        }
        let mut variables = Vec::with_capacity(names.len());
        for (variable, values) in names {
            let value = self.merge(values, span);
            variables.push((variable, value));
        }
        Some(self.state.exit_with(variables))
    }

    /// `break` or `continue`.
    pub(in crate::lang) fn leave_target(&mut self, label: Option<&'a str>, is_continue: bool) {
        let position = self.frame.targets.iter().rposition(|target| match label {
            Some(label) => target.labels.contains(&label),
            None if is_continue => target.is_loop,
            None => target.is_breakable,
        });
        if let Some(position) = position
            && self.frame.is_reachable
        {
            let target = &mut self.frame.targets[position];
            let collector = if is_continue && target.is_loop { &mut target.continues } else { &mut target.breaks };
            self.state.collect(collector);
        }
        self.frame.is_reachable = false;
    }
}
