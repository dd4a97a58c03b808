//! Lists that untrusted data reaches: that a value is in such a list shows nothing about it.
//!
//! Guards are built as if all lists were the program's own. When the graph is complete, a search from the sources finds the lists
//! with untrusted entries, and their guards lose what the membership showed.

use super::build::Builder;
use super::graph::{EdgeKind, IDENTITY};
use crate::adjacency::Adjacency;
use crate::flow::{AllocateKind, Op, ValueId};
use crate::knowledge::ThreatModel;
use crate::points_to::{NodeIndex, ObjectKind};
use crate::program::{Names, ValueIndex};

/// Labels of sources whose lists the operator of the program writes, not the attacker.
const OPERATOR: [&str; 3] = ["file", "environment", "network-response"];

/// Largest number of guards that are looked at again.
const MAX_GUARDS: usize = 4096;

/// Number of the temporary node for the entries of a list.
const ENTRIES: u32 = 970_000;

/// A guard that depends on the membership in lists.
pub(super) struct ListGuard {
    /// Guard instruction.
    guard: ValueIndex,
    /// Value that is tested.
    origin: ValueIndex,
    lists: Vec<ValueIndex>,
}

impl Builder<'_> {
    /// Notes that a guard depends on lists, which the look at its tests has collected.
    pub(super) fn note_lists(&mut self, guard: ValueIndex, origin: ValueIndex) {
        let mut lists = self.asked_lists.take();
        if lists.is_empty() || self.list_guards.len() >= MAX_GUARDS {
            return;
        }
        lists.sort_unstable();
        lists.dedup();
        self.list_guards.push(ListGuard { guard, origin, lists });
    }

    /// True unless untrusted data reaches a list.
    pub(super) fn trusts(&self, list: ValueIndex) -> bool {
        self.asked_lists.borrow_mut().push(list);
        !self.untrusted_lists.contains(&list)
    }

    /// Takes back what the membership in lists with untrusted entries shows.
    pub(super) fn distrust_lists(&mut self) {
        let mut guards = std::mem::take(&mut self.list_guards);
        if guards.is_empty() {
            return;
        }
        let reached = self.reached();
        guards.retain(|each| reached.get(each.origin as usize) == Some(&true));
        if guards.is_empty() {
            return;
        }
        let mut entries: Vec<(ValueIndex, NodeIndex)> = Vec::new();
        for &list in guards.iter().flat_map(|each| &each.lists) {
            if !entries.iter().any(|&(known, _)| known == list) {
                let node = self.entries_of(list);
                entries.push((list, node));
            }
        }
        self.connect_locations();
        let reached = self.reached();
        entries.retain(|&(_, node)| reached.get(node as usize) == Some(&true));
        self.untrusted_lists = entries.into_iter().map(|(list, _)| list).collect();
        for ListGuard { guard, origin, lists } in guards {
            if lists.iter().any(|list| self.untrusted_lists.contains(list)) {
                let module = self.program.module_of_value(guard);
                let sanitised = self.guard_mask(module, ValueId(guard - module.values));
                // Parallel edges are merged: a flow exists for a rule if one of them has it.
                self.intra(origin, guard, !sanitised);
            }
        }
    }

    /// Node of the entries of a list: elements, and keys of objects and maps.
    fn entries_of(&mut self, list: ValueIndex) -> NodeIndex {
        let node = self.temporary(list, ENTRIES);
        self.load(list, Names::KEY, node);
        if self.is_table(list) {
            self.flow(list, node, EdgeKind::Intra, !IDENTITY);
        } else {
            self.load(list, Names::ANY, node);
        }
        node
    }

    /// True if a value is only object literals: the members of these are their keys.
    fn is_table(&self, list: ValueIndex) -> bool {
        let objects = self.points_to.objects_of(list);
        let is_literal = |&object: &u32| match self.points_to.objects.kind(object) {
            ObjectKind::Allocation(value) if value < self.program.value_count => matches!(
                self.program.module_of_value(value).instruction(value).op,
                Op::Allocate(AllocateKind::Object | AllocateKind::Bare)
            ),
            _ => false,
        };
        !objects.is_empty() && objects.iter().all(is_literal)
    }

    /// Nodes that data of attackers reaches, whoever calls whom.
    fn reached(&self) -> Vec<bool> {
        let is_untrusted = |kind: u16| {
            let kind = self.knowledge.sources.get(usize::from(kind));
            kind.is_some_and(|kind| kind.model == ThreatModel::Application && !OPERATOR.contains(&kind.label.as_str()))
        };
        let starts: Vec<NodeIndex> =
            self.roles.sources.iter().filter(|source| is_untrusted(source.kind)).map(|source| source.node).collect();
        if starts.is_empty() {
            return Vec::new();
        }
        let edges = self.graph.edges.iter().filter(|edge| edge.mask & !IDENTITY != 0);
        let edges = edges.map(|edge| (edge.from, edge.to, ()));
        Adjacency::new(self.graph.node_count() as usize, edges).reach(starts)
    }
}
