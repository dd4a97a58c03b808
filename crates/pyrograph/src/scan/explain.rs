//! Explanation of a missing flow: where it breaks off between a source and a sink.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use vyre_dataflow::Dataflow;
use vyre_ir::spelling::counted;
use vyre_runtime::Device;

use super::analysed::Analysed;
use super::analysis::{Visited, Visitor, analyse_each, thread_pool};
use super::blocked::{Blocker, blocked};
use super::findings::Describer;
use super::watch::Watch;
use super::{FilePosition, ScanControl, ScanError, ScanOptions};
use crate::coverage::{Coverage, FileOutcome, FileRecord};
use crate::finding::Location;
use crate::flow::Op;
use crate::knowledge::{Knowledge, ThreatModel};
use crate::lines::{LineIndex, count_lines};
use crate::points_to::NodeIndex;
use crate::search::Flow;

/// Largest number of places that a list shows.
const MAX_PLACES: usize = 12;

/// Explains where the flow from a source to a sink breaks off.
///
/// The text says whether rules know the source and the sink, where the flow from the source ends, and where the flow into the
/// sink begins.
///
/// # Errors
///
/// As [`scan`](super::scan). A position is in no file of the scan, beyond the end of its file, or in a file that was not analysed.
pub fn explain_missing(
    paths: &[PathBuf],
    options: &ScanOptions,
    source: &FilePosition,
    sink: &FilePosition,
    device: Arc<dyn Device>,
    control: &ScanControl,
) -> Result<String, ScanError> {
    let pool = thread_pool(options)?;
    pool.install(|| explain_here(paths, options, source, sink, device, control))
}

fn explain_here(
    paths: &[PathBuf],
    options: &ScanOptions,
    source: &FilePosition,
    sink: &FilePosition,
    device: Arc<dyn Device>,
    control: &ScanControl,
) -> Result<String, ScanError> {
    let knowledge = options.knowledge.clone().unwrap_or_else(Knowledge::builtin);
    let explain = |options: &ScanOptions| explain_with(paths, options, (source, sink), device.clone(), control);
    let own = explain(options)?;
    let all_rules = knowledge.with_all_rules();
    let has_all_models = own.models.is_empty() || ALL_MODELS.iter().all(|model| own.models.contains(model));
    if !own.reported.is_empty() || all_rules.is_none() && has_all_models {
        return Ok(own.text);
    }
    // Without the selection of rules and models, the flow may be a finding.
    let mut wider = options.clone();
    wider.knowledge = Some(all_rules.map_or_else(|| Arc::clone(&knowledge), Arc::new));
    wider.models = ALL_MODELS.to_vec();
    let wide = explain(&wider)?;
    let mut text = String::new();
    for (rule, model) in &wide.reported {
        let mut reasons = Vec::new();
        if knowledge.rule(rule).is_none() {
            reasons.push(format!("the rule `{rule}`, which is not one of those that are selected (`--rule`)"));
        }
        if !own.models.contains(model) {
            let name = model.name();
            reasons
                .push(format!("sources of the `{name}` model, which `--sources {name}` or `--sources both` includes"));
        }
        if reasons.is_empty() {
            reasons.push(format!("a part of the rule `{rule}`"));
        }
        let _ = writeln!(text, "The flow exists, but this scan leaves out {}.", reasons.join(", and "));
    }
    if wide.reported.is_empty() {
        text = wide.text + "All rules and both threat models were considered, also those that this scan leaves out.\n";
    }
    Ok(text)
}

/// Threat models that can be selected.
const ALL_MODELS: [ThreatModel; 2] = [ThreatModel::Application, ThreatModel::Library];

/// Explanation of a flow.
#[derive(Default)]
struct Explained {
    text: String,
    /// Rules that report the flow, with the threat model of the source.
    reported: Vec<(String, ThreatModel)>,
    /// Threat models of the scan. Empty: the files are in no common program.
    models: Vec<ThreatModel>,
}

fn explain_with(
    paths: &[PathBuf],
    options: &ScanOptions,
    (source, sink): (&FilePosition, &FilePosition),
    device: Arc<dyn Device>,
    control: &ScanControl,
) -> Result<Explained, ScanError> {
    let knowledge = options.knowledge.clone().unwrap_or_else(Knowledge::builtin);
    let watch = Watch::new(control, options);
    let engine = Dataflow::new(device);
    let mut explanation =
        Explanation { source, sink, engine, watch: &watch, explained: None, analysed: BTreeSet::new() };
    let input = analyse_each(paths, options, &knowledge, control, &watch, &mut explanation)?;
    let Explanation { explained, analysed, .. } = explanation;
    if let Some(explained) = explained {
        return Ok(explained);
    }
    for position in [source, sink] {
        let file = file_of(&input.coverage, position)?;
        if !analysed.contains(&file) {
            let record = &input.coverage.files[file];
            return Err(no_position(
                position,
                &format!("the file {} was not analysed: {}", record.path, outcome_text(record)),
            ));
        }
    }
    let text =
        "No import and no global variable connects the two files, so that no value gets from one to the other.\n";
    Ok(Explained { text: text.to_owned(), ..Explained::default() })
}

/// Search for the program that contains both positions, and its explanation.
struct Explanation<'e> {
    source: &'e FilePosition,
    sink: &'e FilePosition,
    engine: Dataflow,
    watch: &'e Watch<'e>,
    explained: Option<Explained>,
    /// Files of all programs.
    analysed: BTreeSet<usize>,
}

impl Visitor for Explanation<'_> {
    fn visit(
        &mut self,
        analysed: &mut Analysed,
        knowledge: &Arc<Knowledge>,
        _is_last: bool,
    ) -> Result<Visited, ScanError> {
        // Folders of packages are modules without code, with the number of another file.
        let with_code = analysed.program.modules.iter().filter(|module| module.flow.instructions.len() > 1);
        let files: BTreeSet<usize> = with_code.map(|module| module.file as usize).collect();
        let source = file_of(&analysed.input.coverage, self.source)?;
        let sink = file_of(&analysed.input.coverage, self.sink)?;
        if self.explained.is_none() && files.contains(&source) && files.contains(&sink) {
            let places = [(self.source, source), (self.sink, sink)];
            self.explained = Some(explain_analysed(analysed, knowledge, places, &self.engine, self.watch)?);
        }
        self.analysed.extend(files);
        Ok(Visited::Done)
    }
}

fn explain_analysed(
    analysed: &Analysed,
    knowledge: &Knowledge,
    [(source, source_file), (sink, sink_file)]: [(&FilePosition, usize); 2],
    engine: &Dataflow,
    watch: &Watch<'_>,
) -> Result<Explained, ScanError> {
    let explainer = Explainer { analysed, describer: Describer::new(analysed) };
    let found = analysed.find(knowledge, engine, watch)?;
    let mut text = String::new();
    let from = explainer.nodes(source, source_file);
    let to = explainer.nodes(sink, sink_file);
    for (position, nodes) in [(source, &from), (sink, &to)] {
        if nodes.is_empty() {
            let _ = writeln!(text, "There is no value at {position}: no code, or code that cannot run.");
        }
    }
    let models = analysed.models.clone();
    let explained = |text| Explained { text, reported: Vec::new(), models: analysed.models.clone() };
    if from.is_empty() || to.is_empty() {
        return Ok(explained(text));
    }
    let sink_values: BTreeSet<u32> =
        analysed.roles.sinks.iter().map(|sink| sink.value).filter(|value| to.contains(value)).collect();
    let flows: Vec<_> = found
        .flows
        .iter()
        .filter(|flow| to.contains(&flow.sink.value))
        .filter(|flow| flow.path.iter().any(|step| from.contains(&step.node)))
        .collect();
    for flow in &flows {
        let _ = writeln!(text, "The scan reports this flow: {}.", knowledge.rules[flow.rule].id);
    }
    if !flows.is_empty() {
        let model = |flow: &Flow| knowledge.sources[usize::from(flow.source.kind)].model;
        let reported = flows.iter().map(|flow| (knowledge.rules[flow.rule].id.clone(), model(flow)));
        return Ok(Explained { text, reported: reported.collect(), models });
    }
    let sources: Vec<_> = analysed.roles.sources.iter().filter(|known| from.contains(&known.node)).collect();
    if sources.is_empty() {
        let _ = writeln!(text, "No rule knows a source at {source}. Every value there is taken as one below.");
    }
    for known in &sources {
        let kind = &knowledge.sources[usize::from(known.kind)];
        let used = if analysed.models.contains(&kind.model) { "" } else { ", which this scan leaves out" };
        let _ = writeln!(text, "{source} is a source: {} ({} model{used}).", kind.label, kind.model.name());
    }
    if sink_values.is_empty() {
        let _ = writeln!(text, "No rule knows a sink at {sink}. Every value there is taken as one below.");
    }
    for known in analysed.roles.sinks.iter().filter(|known| to.contains(&known.value)) {
        for (number, rule) in knowledge.rules.iter().enumerate() {
            if known.rules >> number & 1 == 1 {
                let _ = writeln!(text, "{sink} is a sink: {}.", rule.id);
            }
        }
    }
    explainer.conditions(knowledge, &to, &mut text);
    let of_sources = sources.iter().fold(0, |rules, known| rules | knowledge.sources[usize::from(known.kind)].rules);
    let known_sinks = analysed.roles.sinks.iter().filter(|known| to.contains(&known.value));
    let of_sinks = known_sinks.fold(0, |rules, known| rules | known.rules);
    if !sources.is_empty() && of_sinks != 0 && of_sources & of_sinks == 0 {
        let rules = knowledge.rules.iter().enumerate().filter(|(number, _)| of_sinks >> number & 1 == 1);
        let rules: Vec<&str> = rules.map(|(_, rule)| rule.id.as_str()).collect();
        let _ = writeln!(text, "The source at {source} is none of the rule of this sink: {}.", rules.join(", "));
        return Ok(explained(text));
    }
    let of_flow = match (sources.is_empty(), of_sinks) {
        (true, 0) => knowledge.rules.len().checked_sub(1).map_or(0, |last| u64::MAX >> (63 - last.min(62))),
        (true, rules) => rules,
        (false, 0) => of_sources,
        (false, rules) => rules & of_sources,
    };
    if !explainer.blockers(knowledge, &from, &to, &sink_values, of_flow, &mut text) {
        explainer.gap(&from, &to, &sink_values, sources.is_empty(), &mut text);
    }
    Ok(explained(text))
}

struct Explainer<'a> {
    analysed: &'a Analysed,
    describer: Describer<'a>,
}

impl Explainer<'_> {
    /// Values that begin at a position of a file.
    fn nodes(&self, position: &FilePosition, file: usize) -> BTreeSet<NodeIndex> {
        let mut nodes = BTreeSet::new();
        let files = &self.analysed.input.coverage.files;
        let Some(module) = self.analysed.program.modules.iter().find(|module| module.file as usize == file) else {
            return nodes;
        };
        let lines = LineIndex::new(files[file].text.as_deref().unwrap_or_default());
        for (number, instruction) in module.flow.instructions.iter().enumerate() {
            let start = lines.position(instruction.span.start as usize);
            let fits = start.line == position.line as usize
                && position.column.is_none_or(|column| start.column == column as usize);
            if fits && !matches!(instruction.op, Op::Constant(_)) {
                nodes.insert(module.values + number as u32);
            }
        }
        // Parameters are nodes of their function.
        for known in &self.analysed.roles.sources {
            if let Some(location) = self.describer.location(known.node)
                && location.file as usize == file
                && lines.position(location.span.start as usize).line == position.line as usize
            {
                nodes.insert(known.node);
            }
        }
        nodes
    }

    /// Lists the sinks of calls that count on conditions only, none of which the program meets.
    fn conditions(&self, knowledge: &Knowledge, to: &BTreeSet<NodeIndex>, text: &mut String) {
        let mut lines: BTreeSet<String> = BTreeSet::new();
        for library in to.iter().flat_map(|&call| self.analysed.points_to.library_calls_of(call)) {
            let Some(model) = &library.model else { continue };
            for (endpoint, rules, conditions) in &model.conditional_sinks {
                let is_known = |sink: &&crate::value_flow::Sink| sink.value == library.call && sink.rules == *rules;
                let known = self.analysed.roles.sinks.iter().filter(is_known).count();
                let unconditional = model.sinks.iter().filter(|(_, others)| others == rules).count();
                if known > unconditional {
                    continue;
                }
                let conditions: Vec<String> = conditions.iter().map(ToString::to_string).collect();
                for (_, rule) in knowledge.rules.iter().enumerate().filter(|(number, _)| rules >> number & 1 == 1) {
                    lines.insert(format!("  {}: {endpoint}, if {}", rule.id, conditions.join(" and ")));
                }
            }
        }
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(text, "Rules know the call on conditions that are not known to hold:");
        for line in lines.iter().take(MAX_PLACES) {
            let _ = writeln!(text, "{line}");
        }
    }

    /// Nodes that a flow must reach.
    fn ends(&self, to: &BTreeSet<NodeIndex>, sink_values: &BTreeSet<u32>) -> Vec<NodeIndex> {
        match sink_values.is_empty() {
            true => to.iter().copied().collect(),
            false => self
                .analysed
                .roles
                .sinks
                .iter()
                .filter(|sink| sink_values.contains(&sink.value))
                .map(|sink| sink.node)
                .collect(),
        }
    }

    /// Names the guards and sanitizers that make the value safe. False: there are none.
    fn blockers(
        &self,
        knowledge: &Knowledge,
        from: &BTreeSet<NodeIndex>,
        to: &BTreeSet<NodeIndex>,
        sink_values: &BTreeSet<u32>,
        rules: u64,
        text: &mut String,
    ) -> bool {
        let starts: Vec<NodeIndex> = from.iter().copied().collect();
        let ends = self.ends(to, sink_values);
        let mut lines: Vec<String> = Vec::new();
        for (number, rule) in knowledge.rules.iter().enumerate().filter(|(number, _)| rules >> number & 1 == 1) {
            for (node, blocker) in blocked(self.analysed, &starts, &ends, 1 << number) {
                let Some(location) = self.describer.location(node) else { continue };
                let what = match blocker {
                    Blocker::Guard => "the test",
                    Blocker::Sanitizer => "the call",
                    Blocker::Other => "the value",
                };
                lines.push(format!("  {what} at {} (rule {})", self.place(location), rule.id));
            }
        }
        lines.dedup();
        if lines.is_empty() {
            return false;
        }
        let _ = writeln!(text, "A guard or sanitizer makes the value safe:");
        for line in lines.iter().take(MAX_PLACES) {
            let _ = writeln!(text, "{line}");
        }
        if lines.len() > MAX_PLACES {
            let _ = writeln!(text, "  and {} more", lines.len() - MAX_PLACES);
        }
        true
    }

    /// Describes where the flow ends and where it should go on.
    fn gap(
        &self,
        from: &BTreeSet<NodeIndex>,
        to: &BTreeSet<NodeIndex>,
        sink_values: &BTreeSet<u32>,
        has_no_source: bool,
        text: &mut String,
    ) {
        let graph = &self.analysed.graph;
        let count = graph.node_count() as usize;
        let ends = self.ends(to, sink_values);
        let reach = |starts: &[NodeIndex], is_forward: bool| {
            let mut next: Vec<Vec<NodeIndex>> = vec![Vec::new(); count];
            for edge in &graph.edges {
                let (origin, target) = if is_forward { (edge.from, edge.to) } else { (edge.to, edge.from) };
                next[origin as usize].push(target);
            }
            let mut reached = vec![false; count];
            let mut stack = starts.to_vec();
            let mut last = Vec::new();
            while let Some(node) = stack.pop() {
                if std::mem::replace(&mut reached[node as usize], true) {
                    continue;
                }
                if next[node as usize].iter().all(|&target| reached[target as usize]) {
                    last.push(node);
                }
                stack.extend(&next[node as usize]);
            }
            (reached, last)
        };
        let starts: Vec<NodeIndex> = from.iter().copied().collect();
        let (forward, dead_ends) = reach(&starts, true);
        let (backward, beginnings) = reach(&ends, false);
        if let Some(meeting) = (0..count).find(|&node| forward[node] && backward[node]) {
            let missing = match (has_no_source, sink_values.is_empty()) {
                (true, true) => Some("source and no sink"),
                (true, false) => Some("source"),
                (false, true) => Some("sink"),
                (false, false) => None,
            };
            if let Some(missing) = missing {
                let _ =
                    writeln!(text, "The value gets there, but without a finding: the rules have no {missing} here.");
                let _ = writeln!(text, "  A file of rules can add one (`--rules FILE`, or vyre.toml).");
                return;
            }
            let _ = writeln!(text, "A chain of flows exists, but no path that a rule reports:");
            let _ =
                writeln!(text, "  a guard or sanitizer makes the value safe, or its calls and returns do not match.");
            if let Some(location) = self.describer.location(meeting as NodeIndex) {
                let _ = writeln!(text, "  It passes {}.", self.place(location));
            }
            return;
        }
        let _ = writeln!(text, "The flow from the source ends here:");
        self.places(&dead_ends, text);
        let _ = writeln!(text, "The flow into the sink begins here:");
        self.places(&beginnings, text);
    }

    fn place(&self, location: Location) -> String {
        let record = &self.analysed.input.coverage.files[location.file as usize];
        let lines = LineIndex::new(record.text.as_deref().unwrap_or_default());
        let start = lines.position(location.span.start as usize);
        format!("{}:{}:{}: {}", record.path, start.line, start.column, self.describer.text(location))
    }

    fn places(&self, nodes: &[NodeIndex], text: &mut String) {
        let locations: BTreeSet<Location> = nodes.iter().filter_map(|&node| self.describer.location(node)).collect();
        if locations.is_empty() {
            let _ = writeln!(text, "  at the position itself: no flow goes on from there");
        }
        for location in locations.iter().take(MAX_PLACES) {
            let _ = writeln!(text, "  {}", self.place(*location));
        }
        if locations.len() > MAX_PLACES {
            let _ = writeln!(text, "  and {}", counted(locations.len() - MAX_PLACES, "more place"));
        }
    }
}

/// The file of a position: that of the path, or the only one whose path ends with it or that it ends with.
fn file_of(coverage: &Coverage, position: &FilePosition) -> Result<usize, ScanError> {
    let files = &coverage.files;
    let path = position.path.trim_start_matches("./");
    let is_end = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let exact = files.iter().position(|file| file.path == path);
    let similar: Vec<usize> = match exact {
        Some(file) => vec![file],
        None => (0..files.len())
            .filter(|&file| is_end(&files[file].path, path) || is_end(path, &files[file].path))
            .collect(),
    };
    let file = match similar[..] {
        [file] => file,
        [] => return Err(no_position(position, &format!("the scan has no file {path}"))),
        [first, second, ..] => {
            let (first, second) = (&files[first].path, &files[second].path);
            return Err(no_position(position, &format!("the path may be {first} or {second}")));
        }
    };
    let record = &files[file];
    let lines = count_lines(record.text.as_deref().unwrap_or_default());
    if record.text.is_some() && u64::from(position.line) > lines {
        return Err(no_position(position, &format!("the file {} has {}", record.path, counted(lines, "line"))));
    }
    Ok(file)
}

/// Error: a position does not exist.
fn no_position(position: &FilePosition, message: &str) -> ScanError {
    ScanError::Position(format!("the position {position} does not exist: {message}"))
}

/// Why a file was not analysed.
fn outcome_text(record: &FileRecord) -> String {
    match &record.outcome {
        FileOutcome::Scanned => "it has no code".to_owned(),
        FileOutcome::Skipped(reason) => format!("skipped ({})", reason.name()),
        FileOutcome::Failed(message) => message.clone(),
        FileOutcome::TimedOut => "the time limit has passed".to_owned(),
    }
}
