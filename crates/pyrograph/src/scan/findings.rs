//! Findings from flows: locations, reasons, messages, fingerprints.

use std::collections::BTreeMap;

use super::analysed::Analysed;
use super::copy_key::{CopyKey, copy_key};
use crate::finding::{FileIndex, Finding, Location, MAX_OTHER_SOURCES, WitnessStep};
use crate::fingerprint::{fingerprint, repeated_fingerprint};
use crate::flow::{Op, Span, Test};
use crate::knowledge::{Knowledge, ThreatModel};
use crate::points_to::NodeIndex;
use crate::program::ValueIndex;
use crate::search::{Flow, PathStep};
use crate::value_flow::{EdgeKind, ExtraNode, Source};

/// Longest text of a source or sink in a message, in characters.
const MAX_TEXT: usize = 60;

/// A finding with what tells copies of it.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) finding: Finding,
    /// Code around the sink. None: the sink is in no function, or in a short one.
    pub(super) code: Option<CopyKey>,
    /// Digests of the files of the source and of the sink.
    pub(super) digests: Option<(u64, u64)>,
}

/// Makes findings of flows.
pub(super) fn describe(analysed: &Analysed, knowledge: &Knowledge, flows: Vec<Flow>) -> Vec<Described> {
    if flows.is_empty() {
        return Vec::new();
    }
    let describer = Describer::new(analysed);
    let digest = |file: FileIndex| {
        let sources = &analysed.input.sources;
        sources.binary_search_by_key(&file, |source| source.file).ok().map(|position| sources[position].digest)
    };
    let described = flows.iter().map(|flow| {
        let finding = describer.finding(knowledge, flow);
        let digests = digest(finding.source().file).zip(digest(finding.sink().file));
        Described { finding, code: copy_key(analysed, flow.rule, flow.sink.value), digests }
    });
    described.collect()
}

/// Tells findings apart that have the same fingerprint. They are in the order of their files.
pub(super) fn number_fingerprints<'f>(findings: impl Iterator<Item = &'f mut Finding>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let count = counts.entry(finding.fingerprint.clone()).or_default();
        if *count > 0 {
            finding.fingerprint = repeated_fingerprint(&finding.fingerprint, *count);
        }
        *count += 1;
    }
}

/// Message of a finding: the template of the rule with the texts of source and sink.
fn message(template: &str, source: &str, sink: &str) -> String {
    // The arguments of a function without named parameters have no text.
    let source = if source.is_empty() { "the arguments of the function" } else { source };
    let parts: Vec<String> = template.split("{source}").map(|part| part.replace("{sink}", sink)).collect();
    parts.join(source)
}

/// Descriptions of nodes.
pub(super) struct Describer<'a> {
    analysed: &'a Analysed,
    /// Instruction of each parameter: function, position, value. Sorted.
    parameters: Vec<(u32, u32, ValueIndex)>,
    /// Instructions that store a value to a field: value, instruction. Sorted.
    stores: Vec<(NodeIndex, ValueIndex)>,
}

impl<'a> Describer<'a> {
    pub(super) fn new(analysed: &'a Analysed) -> Describer<'a> {
        let (mut parameters, mut stores) = (Vec::new(), Vec::new());
        for module in &analysed.program.modules {
            for (position, instruction) in module.flow.instructions.iter().enumerate() {
                let value = module.values + position as u32;
                match instruction.op {
                    Op::Parameter(parameter) => {
                        parameters.push((module.function(instruction.function), parameter, value));
                    }
                    Op::Arguments => parameters.push((module.function(instruction.function), u32::MAX, value)),
                    Op::StoreField(_, _, origin) | Op::StoreKey(_, _, origin) => {
                        stores.push((module.value(origin), value));
                    }
                    _ => {}
                }
            }
        }
        parameters.sort_unstable();
        stores.sort_unstable();
        Describer { analysed, parameters, stores }
    }

    /// Location of a value.
    pub(super) fn value_location(&self, value: ValueIndex) -> Location {
        let module = self.analysed.program.module_of_value(value);
        Location { file: module.file, span: module.instruction(value).span }
    }

    /// Location of a node, if it has one.
    pub(super) fn location(&self, node: NodeIndex) -> Option<Location> {
        if node < self.analysed.program.value_count {
            return Some(self.value_location(node));
        }
        match self.analysed.graph.extra_node(node) {
            Some(ExtraNode::Sink(value, ..)) => return Some(self.value_location(value)),
            Some(_) => return None,
            None => {}
        }
        let (function, position) = self.analysed.points_to.layout.formal_of(node)?;
        let key = match u32::try_from(position) {
            Ok(position) => position,
            Err(_) if position == -1 => u32::MAX,
            Err(_) => return None,
        };
        let start = self.parameters.partition_point(|&(owner, parameter, _)| (owner, parameter) < (function, key));
        match self.parameters.get(start) {
            Some(&(owner, parameter, value)) if (owner, parameter) == (function, key) => {
                Some(self.value_location(value))
            }
            _ => {
                let (module, id) = self.analysed.program.function(function);
                Some(Location { file: module.file, span: module.flow.function(id).span })
            }
        }
    }

    pub(super) fn source_location(&self, source: &Source) -> Location {
        let location = match source.value {
            Some(value) => Some(self.value_location(value)),
            None => self.location(source.node),
        };
        location.unwrap_or(Location { file: 0, span: Span::default() })
    }

    /// Location of the last expression at the beginning of the path that reads from the source, and its place on the path:
    /// `process.argv[2]` rather than `process.argv`, whose value may have been read on another line before, and the read whose value
    /// goes on rather than one before it.
    fn first_use(&self, flow: &Flow, source: Location) -> (Location, usize) {
        let (mut found, mut last) = ((source, 0), source);
        for (position, pair) in flow.path.windows(2).enumerate() {
            let (from, to) = (pair[0].node, pair[1].node);
            if to >= self.analysed.program.value_count {
                break;
            }
            let module = self.analysed.program.module_of_value(to);
            let (base, is_read) = match module.instruction(to).op {
                Op::LoadField(base, _) | Op::LoadKey(base, _) | Op::Copy(base) => (module.value(base), true),
                Op::Guard(base, ..) => (module.value(base), false),
                _ => break,
            };
            if base != from {
                break;
            }
            if !is_read {
                continue;
            }
            let next = self.value_location(to);
            if next.file != last.file || !self.text(next).starts_with(&self.text(last)) {
                break;
            }
            if next.span.start != last.span.start {
                found = (next, position + 1);
            }
            last = next;
        }
        found
    }

    /// Source text of a location, on one line.
    pub(super) fn text(&self, location: Location) -> String {
        let record = &self.analysed.input.coverage.files[location.file as usize];
        let text = record.text.as_deref().unwrap_or_default();
        let slice = text.get(location.span.start as usize..location.span.end as usize).unwrap_or_default();
        let mut line = String::new();
        for word in slice.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            if line.len() > MAX_TEXT * 4 {
                break;
            }
        }
        if line.chars().count() > MAX_TEXT {
            line = line.chars().take(MAX_TEXT).collect::<String>() + "…";
        }
        line
    }

    fn function_of(&self, value: ValueIndex) -> u32 {
        let module = self.analysed.program.module_of_value(value);
        module.function(module.instruction(value).function)
    }

    fn finding(&self, knowledge: &Knowledge, flow: &Flow) -> Finding {
        let rule = &knowledge.rules[flow.rule];
        let kind = &knowledge.sources[usize::from(flow.source.kind)];
        let severity = match kind.model {
            ThreatModel::Application => rule.severity,
            ThreatModel::Library => rule.library_severity,
        };
        let first_read = self.source_location(&flow.source);
        let (source, start) = self.first_use(flow, first_read);
        let sink = self.value_location(flow.sink.value);
        let (source_text, sink_text) = (self.text(source), self.text(sink));
        let message = message(&rule.message, &source_text, &sink_text);
        let mut witness = self.witness(flow, start, source, sink, &kind.label);
        witness.dedup_by(|next, kept| next.location == kept.location && next.reason == kept.reason);
        // `req` and `req.query` begin at the same place, which a user sees as one.
        let is_at = |left: Location, right: Location| (left.file, left.span.start) == (right.file, right.span.start);
        let is_other = |other: &Location| !is_at(*other, source) && !is_at(*other, first_read);
        let others = flow.others.iter().map(|other| self.source_location(other));
        let mut others: Vec<Location> = others.filter(is_other).collect();
        others.sort_unstable();
        others.dedup_by(|next, kept| is_at(*next, *kept));
        let omitted_sources = others.len().saturating_sub(MAX_OTHER_SOURCES);
        others.truncate(MAX_OTHER_SOURCES);
        let path = &self.analysed.input.coverage.files[sink.file as usize].path;
        let functions = [self.analysed.program.function_name(self.function_of(flow.sink.value))];
        Finding {
            rule: flow.rule,
            severity,
            model: kind.model,
            source_label: kind.label.clone(),
            message,
            witness,
            other_sources: others,
            omitted_sources,
            copies: Vec::new(),
            copy_fingerprints: Vec::new(),
            fingerprint: fingerprint(&rule.id, path, &source_text, &sink_text, &functions),
        }
    }

    /// Steps of a flow whose source is read at a place of its path.
    fn witness(&self, flow: &Flow, start: usize, source: Location, sink: Location, label: &str) -> Vec<WitnessStep> {
        let mut steps = vec![WitnessStep { location: source, reason: format!("source: {label}") }];
        let mut field: Option<String> = None;
        // The step to the source itself may name a field.
        for pair in flow.path.windows(2).skip(start.saturating_sub(1)) {
            let (before, step) = (pair[0], pair[1]);
            if let Some(name) = self.field_name(step.node) {
                if let Some(location) = self.store_location(before.node, &name) {
                    steps.push(WitnessStep { location, reason: format!("stored in field `{name}`") });
                }
                field = Some(name);
                continue;
            }
            let Some(location) = self.location(step.node) else { continue };
            if matches!(self.analysed.graph.extra_node(step.node), Some(ExtraNode::Sink(..))) {
                continue;
            }
            let reason = match field.take() {
                Some(name)
                    if matches!(step.edge, Some(EdgeKind::Intra | EdgeKind::Heap)) && !self.is_load(step.node) =>
                {
                    Some(format!("field `{name}`"))
                }
                _ => self.reason(before, step),
            };
            let Some(reason) = reason else { continue };
            if steps.last().is_some_and(|last| last.location == location) && reason == "value" {
                continue;
            }
            steps.push(WitnessStep { location, reason });
        }
        let last = WitnessStep { location: sink, reason: format!("sink: {}", self.sink_name(flow.sink.value)) };
        if steps.len() > 1 && steps.last().is_some_and(|step| step.location == sink) {
            steps.pop();
        }
        steps.push(last);
        steps
    }

    /// True for instructions that load a field by its name.
    fn is_load(&self, node: NodeIndex) -> bool {
        let program = &self.analysed.program;
        node < program.value_count && matches!(program.module_of_value(node).instruction(node).op, Op::LoadField(..))
    }

    /// Location of the store of a value to a field, if an instruction stores it.
    fn store_location(&self, origin: NodeIndex, name: &str) -> Option<Location> {
        let start = self.stores.partition_point(|&(value, _)| value < origin);
        let stores = self.stores[start..].iter().take_while(|&&(value, _)| value == origin);
        let mut stores = stores.filter(|&&(_, store)| {
            let module = self.analysed.program.module_of_value(store);
            match module.instruction(store).op {
                Op::StoreField(_, symbol, _) => module.flow.text(symbol) == name,
                _ => name == "element",
            }
        });
        stores.next().map(|&(_, store)| self.value_location(store))
    }

    /// Name of the field that a node is.
    fn field_name(&self, node: NodeIndex) -> Option<String> {
        match self.analysed.graph.extra_node(node)? {
            ExtraNode::Local(_, name) | ExtraNode::Shared(_, name) | ExtraNode::Stored(_, name) => {
                let text = self.analysed.program.names.text(name);
                Some(match text {
                    "%element" | "%any" | "%value" => "element".to_owned(),
                    "%content" => "content".to_owned(),
                    "%key" => "key".to_owned(),
                    text => text.to_owned(),
                })
            }
            ExtraNode::Modified(location) => self.field_name(location),
            ExtraNode::Sink(..) | ExtraNode::Temporary(..) | ExtraNode::Captured(..) => None,
        }
    }

    /// Reason of a step. None: the step says nothing new.
    fn reason(&self, _before: PathStep, step: PathStep) -> Option<String> {
        let program = &self.analysed.program;
        let layout = &self.analysed.points_to.layout;
        // A step without an edge begins the second part of a path: the object that was loaded by the key of the first part.
        match step.edge.unwrap_or(EdgeKind::Intra) {
            EdgeKind::Call(instance) => {
                let function = self.analysed.graph.instances[instance as usize].function;
                let name = program.function_name(function);
                let name = if name.contains(' ') { name.to_owned() } else { format!("`{name}`") };
                return Some(match layout.formal_of(step.node) {
                    Some((_, position)) if position >= 0 => format!("argument {} of {name}", position + 1),
                    Some((_, -5)) => format!("receiver of {name}"),
                    _ => format!("argument of {name}"),
                });
            }
            EdgeKind::Return(instance) => {
                let function = self.analysed.graph.instances[instance as usize].function;
                let name = program.function_name(function);
                return Some(match name.contains(' ') {
                    true => format!("returned by {name}"),
                    false => format!("returned by `{name}`"),
                });
            }
            EdgeKind::Intra | EdgeKind::Heap => {}
        }
        if step.node >= program.value_count {
            return None;
        }
        let module = program.module_of_value(step.node);
        Some(match module.instruction(step.node).op {
            Op::Concat(_) | Op::Binary(..) => "part of a text".to_owned(),
            Op::LoadField(_, symbol) => format!("field `{}`", module.flow.text(symbol)),
            Op::LoadKey(..) | Op::Element(_) => "element".to_owned(),
            Op::EnumerateKey(_) => "key".to_owned(),
            Op::LoadCell(cell) => {
                format!("captured variable `{}`", module.flow.text(module.flow.cells[cell.index()].name))
            }
            Op::Call(_) => "result of the call".to_owned(),
            Op::Global(symbol) => format!("global variable `{}`", module.flow.text(symbol)),
            Op::Import(_) => "import".to_owned(),
            Op::Catch(_) => "exception".to_owned(),
            Op::Await(_) => "awaited value".to_owned(),
            // A call that returned and a test for a true value are no attempts to make a value safe, as far as one can see.
            Op::Guard(_, test, _) => match module.flow.tests.get(test.index()) {
                Some(Test::Returned(..) | Test::Truthy) | None => return None,
                Some(_) => "after a test that does not make it safe".to_owned(),
            },
            Op::Phi(_) | Op::Parameter(_) | Op::Copy(_) | Op::Receiver => return None,
            _ => "value".to_owned(),
        })
    }

    /// Name of the sink: the called function or the stored member.
    pub(super) fn sink_name(&self, value: ValueIndex) -> String {
        let module = self.analysed.program.module_of_value(value);
        match module.instruction(value).op {
            Op::Call(call) => {
                let callee = module.flow.calls[call.index()].callee;
                let text = self.text(self.value_location(module.value(callee)));
                format!("argument of `{text}`")
            }
            Op::StoreField(_, symbol, _) => format!("value of `{}`", module.flow.text(symbol)),
            Op::StoreKey(..) => "store by a computed key".to_owned(),
            Op::Markup(symbol, _) => format!("value of `{}`", module.flow.text(symbol)),
            _ => "value".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn messages_have_the_texts_of_both_ends() {
        assert_eq!(message("From {source} to {sink}.", "{sink}", "f({source})"), "From {sink} to f({source}).");
        assert_eq!(message("Keys from {source} choose.", "", "x"), "Keys from the arguments of the function choose.");
    }
}
