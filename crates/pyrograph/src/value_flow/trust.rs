//! Lists and values that untrusted data reaches: that a value is in such a list, or equals such a value, shows nothing about it.
//!
//! Guards are built as if all lists and compared values were the program's own. When the graph is complete, a search from the
//! sources finds those with untrusted data, and their guards lose what the membership or equality showed.

use super::build::Builder;
use super::graph::{EdgeKind, IDENTITY};
use crate::adjacency::Adjacency;
use crate::flow::{AllocateKind, Op, ValueId};
use crate::knowledge::ThreatModel;
use crate::points_to::{NodeIndex, ObjectKind};
use crate::program::{Names, ValueIndex};

/// Labels of sources whose lists the operator of the program writes, not the attacker.
const OPERATOR: [&str; 4] = ["file", "file-name", "environment", "network-response"];

/// Largest number of guards that are looked at again.
const MAX_GUARDS: usize = 4096;

/// Number of the temporary node for the entries of a list.
const ENTRIES: u32 = 970_000;

/// Who chooses a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    /// An attacker.
    None,
    /// The caller of a library.
    Caller,
    /// The program.
    Full,
}

/// A list or value that a guard depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// The entries of a list.
    List(ValueIndex),
    /// A value that is compared.
    Value(ValueIndex),
}

/// A guard that depends on lists or values.
pub(super) struct ListGuard {
    /// Guard instruction.
    guard: ValueIndex,
    /// Value that is tested.
    origin: ValueIndex,
    asked: Vec<Asked>,
}

impl Builder<'_> {
    /// Notes that a guard depends on lists and values, which the look at its tests has collected.
    pub(super) fn note_lists(&mut self, guard: ValueIndex, origin: ValueIndex) {
        let mut asked = self.asked_lists.take();
        if asked.is_empty() || self.list_guards.len() >= MAX_GUARDS {
            return;
        }
        asked.sort_unstable();
        asked.dedup();
        self.list_guards.push(ListGuard { guard, origin, asked });
    }

    /// True unless untrusted data reaches a list.
    pub(super) fn trusts(&self, list: ValueIndex) -> bool {
        let asked = Asked::List(list);
        self.asked_lists.borrow_mut().push(asked);
        !self.untrusted.contains_key(&asked)
    }

    /// Who chooses a value with which another one is compared.
    pub(super) fn trust_in(&self, value: ValueIndex) -> Trust {
        if self.list_guards.len() >= MAX_GUARDS {
            return Trust::None;
        }
        let asked = Asked::Value(value);
        self.asked_lists.borrow_mut().push(asked);
        self.untrusted.get(&asked).copied().unwrap_or(Trust::Full)
    }

    /// Takes back what lists and values with untrusted data show.
    pub(super) fn distrust_lists(&mut self) {
        let mut guards = std::mem::take(&mut self.list_guards);
        if guards.is_empty() {
            return;
        }
        // Objects that a key chose concern prototype pollution, whatever reaches them.
        let chosen: Vec<NodeIndex> = self.roles.keys.iter().map(|key| key.value).collect();
        let [_, reached] = self.reached(&chosen);
        guards.retain(|each| reached.get(each.origin as usize) == Some(&true));
        let mut asked: Vec<Asked> = guards.iter().flat_map(|each| each.asked.iter().copied()).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return;
        }
        let nodes: Vec<NodeIndex> = asked
            .iter()
            .map(|&asked| match asked {
                Asked::List(list) => self.entries_of(list),
                Asked::Value(value) => value,
            })
            .collect();
        self.connect_locations();
        let [by_attacker, by_anybody] = self.reached(&chosen);
        let has = |reached: &[bool], node: NodeIndex| reached.get(node as usize) == Some(&true);
        for (&asked, &node) in asked.iter().zip(&nodes) {
            if has(&by_attacker, node) {
                self.untrusted.insert(asked, Trust::None);
            } else if matches!(asked, Asked::Value(_)) && has(&by_anybody, node) {
                self.untrusted.insert(asked, Trust::Caller);
            }
        }
        for ListGuard { guard, origin, asked } in guards {
            if asked.iter().any(|asked| self.untrusted.contains_key(asked)) {
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

    /// Nodes that data of attackers reaches, and those that any untrusted data or one of `others` reaches, whoever calls whom.
    fn reached(&self, others: &[NodeIndex]) -> [Vec<bool>; 2] {
        let is_attacker = |kind: u16| {
            let kind = self.knowledge.sources.get(usize::from(kind));
            kind.is_some_and(|kind| kind.model == ThreatModel::Application && !OPERATOR.contains(&kind.label.as_str()))
        };
        let sources = &self.roles.sources;
        let layout = &self.points_to.layout;
        // Whoever calls a function that the program does not call chooses its arguments.
        let called_by_others = (0..self.program.function_count).filter(|function| !self.callers.contains_key(function));
        let arguments = called_by_others.flat_map(|function| {
            (0..layout.parameters(function)).filter_map(move |position| layout.parameter(function, position))
        });
        let edges = self.graph.edges.iter().filter(|edge| edge.mask & !IDENTITY != 0);
        let edges = edges.map(|edge| (edge.from, edge.to, ()));
        let edges = Adjacency::new(self.graph.node_count() as usize, edges);
        [
            edges.reach(sources.iter().filter(|source| is_attacker(source.kind)).map(|source| source.node)),
            edges.reach(sources.iter().map(|source| source.node).chain(arguments).chain(others.iter().copied())),
        ]
    }
}
