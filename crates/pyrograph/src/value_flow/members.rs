//! Members of values as sources and sinks of rules.

use super::build::Builder;
use super::graph::{ALL, IDENTITY};
use super::roles::{Sink, Source};
use crate::flow::{AllocateKind, Op};
use crate::knowledge::RuleMask;
use crate::points_to::{NodeIndex, ObjectKind};
use crate::program::{Name, Names, ValueIndex};

/// Type of messages of other windows.
const MESSAGE: &str = "web.MessageEvent";

impl Builder<'_> {
    /// Sources that are members of library values. Returns the rules for which the member is clean.
    pub(super) fn member_source(&mut self, value: ValueIndex, base: Option<NodeIndex>, name: Name) -> RuleMask {
        let points_to = self.points_to;
        let mut clean = None;
        let is_stored = self.stored_names[name.0 as usize] && self.data_names.get(name.0 as usize) != Some(&false);
        let name = self.program.names.text(name);
        let add = |builder: &mut Self, path: &str| {
            let path = builder.knowledge.canonical(path).unwrap_or(path);
            if let Some(member) = builder.knowledge.member(path) {
                builder.count_library(path);
                // A pattern may match members that a sanitizer names.
                let sanitised = builder.knowledge.sanitised_members(path);
                for &kind in &member.sources {
                    if builder.knowledge.sources[usize::from(kind)].rules & !sanitised != 0 {
                        builder.roles.sources.push(Source { node: value, kind, value: Some(value) });
                    }
                }
            }
        };
        match base {
            Some(base) => {
                for path in points_to.paths_of(base) {
                    let is_trusted = path == MESSAGE && self.has_known_sender(base);
                    let path = format!("{path}.{name}");
                    if !is_trusted {
                        add(self, &path);
                    }
                    let sanitised = self.knowledge.sanitised_members(self.knowledge.canonical(&path).unwrap_or(&path));
                    clean = Some(clean.unwrap_or(ALL) & sanitised);
                }
            }
            None => add(self, &format!("global.{name}")),
        }
        if base.is_some() && !is_stored {
            // Frameworks give values members that no code stores.
            let member = self.knowledge.member_by_name(name);
            for kind in member.into_iter().flat_map(|member| member.sources) {
                self.roles.sources.push(Source { node: value, kind, value: Some(value) });
            }
        }
        clean.unwrap_or(0) & !IDENTITY
    }

    /// Sources that are members of library values, where a model or an iteration reads them.
    pub(super) fn field_source(&mut self, target: NodeIndex, base: NodeIndex, name: &str, value: ValueIndex) {
        let points_to = self.points_to;
        let mut kinds = Vec::new();
        for &object in self.objects_of(base) {
            let ObjectKind::External(path) = points_to.objects.kind(object) else { continue };
            let path = format!("{}.{name}", points_to.paths.text(path));
            let path = self.knowledge.canonical(&path).unwrap_or(&path);
            kinds.extend(self.knowledge.member(path).into_iter().flat_map(|member| member.sources));
        }
        for kind in kinds {
            self.roles.sources.push(Source { node: target, kind, value: Some(value) });
        }
    }

    /// Sinks that are stores to members.
    pub(super) fn store_sink(&mut self, value: ValueIndex, base: NodeIndex, name: Name, origin: NodeIndex) {
        let points_to = self.points_to;
        let name = self.program.names.text(name);
        let mut rules = 0;
        let mut is_known = false;
        for path in points_to.paths_of(base) {
            is_known = true;
            let path = format!("{path}.{name}");
            if let Some(member) = self.knowledge.member(self.knowledge.canonical(&path).unwrap_or(&path)) {
                rules |= member.store_sinks;
            }
        }
        let is_unknown = points_to.objects_of(base).is_empty() || is_known || self.has_unknown_parent(base);
        if is_unknown && let Some(member) = self.knowledge.member_by_name(name) {
            rules |= member.store_sinks;
        }
        if rules != 0 {
            self.add_sink(value, rules, 0, &[origin]);
        }
    }

    /// Sinks that are stores to members with unknown names. Patterns match them, and the names count as data.
    pub(super) fn store_key_sink(&mut self, value: ValueIndex, base: NodeIndex, origins: &[NodeIndex]) {
        let mut rules = 0;
        for path in self.points_to.paths_of(base) {
            let member = self.knowledge.member(&format!("{path}.%element"));
            rules |= member.map_or(0, |member| member.store_sinks);
        }
        if rules != 0 {
            self.add_sink(value, rules, 0, origins);
        }
    }

    /// True if a value is only objects without prototypes.
    pub(super) fn is_bare(&self, base: NodeIndex) -> bool {
        let objects = self.points_to.objects_of(base);
        let is_bare = |&object: &u32| match self.points_to.objects.kind(object) {
            ObjectKind::Allocation(value) if value < self.program.value_count => {
                let module = self.program.module_of_value(value);
                match module.instruction(value).op {
                    Op::Allocate(kind) => kind == AllocateKind::Bare,
                    _ => false,
                }
            }
            _ => false,
        };
        // Values of libraries in a table are data, not tables.
        let is_external = |&object: &u32| {
            matches!(self.points_to.objects.kind(object), ObjectKind::External(_) | ObjectKind::Part(_))
        };
        objects.iter().any(is_bare) && objects.iter().all(|object| is_bare(object) || is_external(object))
    }

    /// True if an object inherits from a value of a library: `class Panel extends HTMLElement`.
    fn has_unknown_parent(&self, base: NodeIndex) -> bool {
        let points_to = self.points_to;
        let mut chain: Vec<u32> = points_to.objects_of(base).iter().take(4).copied().collect();
        for position in 0..16 {
            let Some(&object) = chain.get(position) else { break };
            if matches!(points_to.objects.kind(object), ObjectKind::External(_)) {
                return true;
            }
            let Some(parent) = points_to.field(object, Names::PARENT) else { continue };
            for &parent in points_to.objects_of(parent) {
                if !chain.contains(&parent) {
                    chain.push(parent);
                }
            }
        }
        false
    }

    /// Adds a sink with the nodes that flow into it.
    pub(super) fn add_sink(&mut self, value: ValueIndex, rules: RuleMask, endpoint: u32, nodes: &[NodeIndex]) {
        let (sink, _) = self.graph.node(super::graph::ExtraNode::Sink(value, rules, endpoint));
        self.depths.resize(self.graph.extra.len(), 0);
        for &node in nodes {
            self.intra(node, sink, rules | IDENTITY);
        }
        self.roles.sinks.push(Sink { node: sink, rules, value });
    }
}
