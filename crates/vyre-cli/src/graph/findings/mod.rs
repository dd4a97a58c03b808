//! Streaming writers of findings. Each format has its own file.

mod csv;
mod drawing;
mod json;
#[cfg(feature = "tables")]
mod parquet;
mod receiver;
mod sarif;
mod snippets;
mod text;

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};

use vyre::engine::dataflow::rules::RuleDescription;
use vyre::engine::dataflow::{Finding, Fingerprint};
use vyre::graph::Attributes;
use vyre::packages::DependencyKind;

use self::drawing::{DrawingWriter, Form};
use super::labels::Labels;
use super::load::LoadedGraph;
use super::sinks::AdvisoryIds;
use crate::args::graph::{FindingArgs, FindingFormat};

pub(crate) use receiver::{Failure, FindSuppression, Receiver};
pub(crate) use sarif::source_folder;
pub(crate) use snippets::Snippets;

/// Context of findings that writers share: the graph, the device, labels and attributes of nodes.
pub(crate) struct FindingContext<'r> {
    pub(crate) graph: &'r LoadedGraph,
    pub(crate) backend: &'static str,
    /// The name of the device.
    pub(crate) device: String,
    /// Number of sources.
    pub(crate) sources: usize,
    /// Labels of nodes, if there are rules.
    pub(crate) labels: Option<Labels>,
    /// Attributes of nodes, if there are any.
    pub(crate) attributes: Option<Attributes>,
    /// Identifiers of advisories about packages.
    pub(crate) advisory_ids: AdvisoryIds,
    /// True if findings are written with facts.
    pub(crate) has_facts: bool,
    /// True if findings are written with witnesses.
    pub(crate) has_witnesses: bool,
    /// True if edges are followed backward, so that a witness leads from the sink to the source.
    pub(crate) is_reversed: bool,
    /// True if the text format has colours.
    pub(crate) has_colors: bool,
    /// Folder of the files of nodes, relative to the current folder and with `/` at its end, or empty.
    pub(crate) source_folder: String,
    /// Source lines for the text format, if a folder is named.
    pub(crate) snippets: RefCell<Option<Snippets>>,
}

impl<'r> FindingContext<'r> {
    /// Name of a node, if nodes have names.
    fn name(&self, node: u32) -> Option<&'r str> {
        self.graph.view().names.map(|names| names.name(node).unwrap_or_default())
    }

    /// Name of a node, or `node N` if nodes have no names.
    fn display_name(&self, node: u32) -> Cow<'r, str> {
        self.name(node).map_or_else(|| Cow::Owned(format!("node {node}")), Cow::Borrowed)
    }

    /// An attribute of a node.
    fn attribute(&self, node: u32, name: &str) -> Option<&str> {
        self.attributes.as_ref().and_then(|attributes| attributes.get(node, name))
    }

    /// File of a node and its line, from 1, by the attributes `file` and `line`.
    fn location(&self, node: u32) -> Option<(&str, Option<usize>)> {
        let file = self.attribute(node, "file").filter(|file| !file.is_empty())?;
        let line = self.attribute(node, "line").and_then(|line| line.trim().parse().ok());
        Some((file, line.filter(|&line| line > 0)))
    }

    /// File of a node and the value of its attribute `line`, if that is no line number.
    fn ignored_line(&self, node: u32) -> Option<(&str, &str)> {
        let (file, None) = self.location(node)? else { return None };
        Some((file, self.attribute(node, "line").filter(|line| !line.trim().is_empty())?))
    }

    /// Description of the rule of a finding, with its number.
    fn description(&self, finding: &Finding) -> Option<(u32, &RuleDescription)> {
        self.labels.as_ref().and_then(|labels| labels.description(finding))
    }

    /// Reports whether findings can have a description.
    fn has_descriptions(&self) -> bool {
        self.labels.as_ref().is_some_and(Labels::has_descriptions)
    }

    /// Message of a finding that a rule describes.
    fn message(&self, finding: &Finding) -> Option<String> {
        let (_, description) = self.description(finding)?;
        Some(description.message_of(&self.display_name(finding.source), &self.display_name(finding.sink)))
    }

    /// Reports whether findings can be suppressed.
    fn has_suppressions(&self) -> bool {
        self.labels.as_ref().is_some_and(Labels::has_suppressions)
    }

    /// Reports whether sources or sinks can have labels.
    fn has_labels(&self) -> bool {
        self.labels.is_some() || !self.advisory_ids.is_empty()
    }

    /// Labels of a node as a source.
    fn source_labels(&self, node: u32) -> Option<Vec<&str>> {
        self.labels.as_ref().map(|labels| labels.of_source(node))
    }

    /// Labels of a node as a sink: those of rules, and the identifiers of advisories.
    fn sink_labels(&self, node: u32) -> Option<Vec<&str>> {
        let ids = self.advisory_ids.get(&node).map_or(&[][..], Vec::as_slice);
        let of_rules = self.labels.as_ref().map(|labels| labels.of_sink(node));
        match of_rules {
            None if self.advisory_ids.is_empty() => None,
            of_rules => Some(of_rules.into_iter().flatten().chain(ids.iter().map(String::as_str)).collect()),
        }
    }

    /// What each package of a path needs the next one for, if the graph is one of packages.
    fn dependency_kinds(&self, path: &[u32]) -> Option<Vec<&'static str>> {
        let packages = self.graph.packages()?;
        let kind = |pair: &[u32]| packages.kind(pair[0], pair[1]).map_or("", DependencyKind::name);
        Some(path.windows(2).map(kind).collect())
    }
}

/// Totals after the last finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Number of findings that are not suppressed.
    pub(crate) findings: u64,
    /// Number of suppressed findings.
    pub(crate) suppressed: u64,
    /// Fingerprint of the findings that are not suppressed.
    pub(crate) fingerprint: Fingerprint,
}

/// Writes findings in a format.
pub(crate) trait FindingWriter {
    /// Writes the header of the format.
    fn begin(&mut self) -> io::Result<()>;

    /// Reports whether the format has suppressed findings too.
    fn lists_suppressed(&self) -> bool {
        false
    }

    /// Writes a finding, with its witness if witnesses are enabled.
    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()>;

    /// Flushes the output, so that a reader sees each batch.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes the trailer of the format.
    fn end(&mut self, totals: &Totals) -> io::Result<()>;
}

/// The writer of a format.
pub(crate) fn writer<'o>(
    format: FindingFormat,
    out: &'o mut dyn Write,
    context: &'o FindingContext<'o>,
) -> Box<dyn FindingWriter + 'o> {
    match format {
        FindingFormat::Text => Box::new(text::TextWriter::new(out, context)),
        FindingFormat::Json => Box::new(json::JsonWriter::new(out, context)),
        FindingFormat::Csv => Box::new(csv::CsvWriter::new(out, context)),
        #[cfg(feature = "tables")]
        FindingFormat::Parquet => Box::new(parquet::ParquetWriter::new(out, context)),
        FindingFormat::Sarif => Box::new(sarif::SarifWriter::new(out, context)),
        FindingFormat::Dot => Box::new(DrawingWriter::new(out, context, Form::Dot)),
        FindingFormat::Svg => Box::new(DrawingWriter::new(out, context, Form::Svg)),
    }
}

/// Writes the totals that the arguments select, without the findings.
pub(crate) fn write_totals(
    args: &FindingArgs,
    out: &mut dyn Write,
    context: &FindingContext<'_>,
    totals: &Totals,
) -> io::Result<()> {
    let fingerprint = args.fingerprint.then_some(totals.fingerprint);
    let count = args.count.then(|| ("count", totals.findings.to_string()));
    let values = count.into_iter().chain(fingerprint.map(|fingerprint| ("fingerprint", fingerprint.to_string())));
    match args.format {
        FindingFormat::Json => json::write_totals(out, context, totals, fingerprint),
        FindingFormat::Csv => {
            let (names, values): (Vec<&str>, Vec<String>) = values.unzip();
            writeln!(out, "{}\n{}", names.join(","), values.join(","))
        }
        #[cfg(feature = "tables")]
        FindingFormat::Parquet => super::table_cells::write_record(out, &values.collect::<Vec<_>>()),
        FindingFormat::Text | FindingFormat::Sarif | FindingFormat::Dot | FindingFormat::Svg => {
            values.map(|(_, value)| value).try_for_each(|value| writeln!(out, "{value}"))
        }
    }
}
