//! Parser of texts with an edge on each line, which edge lists and CSV files share.
//!
//! A line is `source target [weight]`. Spaces, tabs, commas or semicolons separate fields, and fields may be quoted. Lines that
//! begin with `#`, `%` or `//` are comments, in a CSV file only before its first row. The first line may be a header that names
//! the columns in any order. Then columns with other names are ignored, and the delimiter of the header is the delimiter of all
//! lines. One comment has a meaning: `# Nodes: 5 Edges: 4` before the first edge declares at least 5 nodes, if nodes are
//! numbers.

use std::io::Read;

use super::blocks::{Block, Blocks, Line, Taken, for_each_batch};
use super::codec::Parsed;
use super::column_titles::ColumnTitles;
use super::count_line;
use super::edges::{EdgeCollector, NodeClaim, NodeCount};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, Field, Fields, is_blank, is_blank_or_comment};
use super::format::Format;
use super::header_words::{EdgeColumn, is_ambiguous};
use super::line::{ExtraColumns, LineSchema, NodeBound, WeightColumn};
use super::number::parse_number;
use super::options::{Header, NodeIds, ReadOptions, Weights};
use super::progress::Progress;
use super::text_error::{TextErrorKind, TextField};
use super::weight::WeightRules;

/// Properties in which the formats with an edge on each line differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeTextRules {
    /// The format, for errors.
    pub(crate) format: Format,
    /// True for CSV: one delimiter separates all columns, comments stand only before the first row, an unambiguous header is
    /// recognised among names, and an empty file is an error.
    pub(crate) is_csv: bool,
}

/// Reads the edges of a decompressed text, and the line number of its header.
///
/// # Errors
///
/// The input cannot be read, or the first error in it. If nodes are names, a minimum number of nodes is an error.
pub(crate) fn read_edge_text(
    input: impl Read + Send,
    rules: &EdgeTextRules,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Parsed, ReadError> {
    options.check_names(options.nodes == NodeIds::Names || options.compact)?;
    let mut collector = None;
    let mut prologue = Prologue::default();
    let block_bytes = match options.nodes {
        NodeIds::Numbers => options.tuning.block_bytes,
        // The names of a block should fit into a cache.
        NodeIds::Names => options.tuning.block_bytes.min(1 << 20),
    };
    let are_named = options.nodes == NodeIds::Names;
    for_each_batch(Blocks::new(input, block_bytes), |mut blocks| {
        let mut blocks = blocks.as_mut_slice();
        while collector.is_none() {
            let Some((first, others)) = std::mem::take(&mut blocks).split_first_mut() else { return Ok(()) };
            if first.take_lines(|line| prologue.add(line, rules, options))?
                && let Some(schema) = prologue.schema.take()
            {
                collector = Some(EdgeCollector::new(schema, are_named, None, options.tuning.max_edges));
                collect(&mut collector, std::slice::from_ref(first))?;
            }
            blocks = others;
        }
        collect(&mut collector, blocks)
    })?;
    if prologue.is_empty() && !options.columns.is_empty() {
        return Err(ReadError::NoTitles);
    }
    if collector.is_none() && prologue.is_empty() && rules.is_csv {
        return Err(ReadError::Empty { format: rules.format });
    }
    let collector = collector.unwrap_or_else(|| {
        let default = || schema(Dialect::Mixed, [0, 1], None, rules, options, 1);
        EdgeCollector::new(prologue.schema.unwrap_or_else(default), are_named, None, 0)
    });
    let count = NodeCount {
        at_least: options.min_nodes,
        claim: prologue.claim,
        is_trusted: options.max_nodes.is_some(),
        is_compact: options.compact,
    };
    let mut parsed = collector.finish(count, progress)?;
    options.check_count(parsed.graph.csr.node_count())?;
    parsed.text.header_line = prologue.header_line;
    parsed.text.likely_header_line = prologue.likely_header_line;
    Ok(parsed)
}

fn collect(collector: &mut Option<EdgeCollector>, blocks: &[Block]) -> Result<(), ReadError> {
    match collector {
        Some(collector) => collector.add(blocks),
        None => Ok(()),
    }
}

/// Facts from the lines before the first edge.
#[derive(Default)]
struct Prologue {
    /// Columns according to the header, or else according to the first edge.
    schema: Option<LineSchema>,
    claim: Option<NodeClaim>,
    /// Line number of the header.
    header_line: Option<u64>,
    /// Line number of the first edge, if its nodes are named like columns.
    likely_header_line: Option<u64>,
    /// Dialect of the header, if it has a delimiter.
    delimited: Option<Dialect>,
}

impl Prologue {
    /// Reports whether the text has neither a header nor an edge so far.
    fn is_empty(&self) -> bool {
        self.schema.is_none() && self.header_line.is_none()
    }

    /// Examines a line up to and including the first edge. Without a header, the first edge determines the columns.
    fn add(&mut self, line: &Line<'_>, rules: &EdgeTextRules, options: &ReadOptions) -> Result<Taken, ReadError> {
        let may_be_comment = !rules.is_csv || self.header_line.is_none();
        if is_blank(line.text) || may_be_comment && is_blank_or_comment(line.text) {
            if options.nodes == NodeIds::Numbers
                && let Some(field) = count_line::node_count(line.text)
            {
                self.add_claim(line, &field, options)?;
            }
            return Ok(Taken::More);
        }
        if self.schema.is_some() {
            return Ok(Taken::AllBefore);
        }
        let delimited = Dialect::of_line(line.text);
        if self.header_line.is_none() {
            let dialect = delimited.unwrap_or(Dialect::Mixed);
            let columns = if options.columns.is_empty() {
                Columns::of_line(line.text, dialect)
            } else {
                Columns::titled(line, dialect, &options.columns)?
            };
            if columns.are_header(rules, options) {
                self.schema = columns.schema(line, dialect, rules, options)?;
                (self.header_line, self.delimited) = (Some(line.number), delimited);
                return Ok(Taken::More);
            }
            if options.header == Header::Auto && columns.source.is_some() && columns.target.is_some() {
                self.likely_header_line = Some(line.number);
            }
        }
        let dialect = match (self.delimited, delimited) {
            (Some(dialect), _) => dialect,
            (None, Some(dialect)) if rules.is_csv => dialect,
            // A row with one column is no edge, so blanks separate columns, as in the files of some tools.
            (None, None) if rules.is_csv && !has_blanks(line.text) => Dialect::Delimited(b','),
            _ => Dialect::Mixed,
        };
        let weight = first_weight(line, dialect, options)?;
        self.schema = Some(schema(dialect, [0, 1], weight, rules, options, line.number));
        Ok(Taken::AllBefore)
    }

    /// Adds a claim about the number of nodes. The largest of several claims holds.
    fn add_claim(&mut self, line: &Line<'_>, field: &Field<'_>, options: &ReadOptions) -> Result<(), ReadError> {
        let at_line = |(at, kind)| text_error(line.number, at, kind);
        let nodes = field.number(TextField::NodeCount, parse_number).map_err(at_line)?;
        match options.max_nodes {
            Some(limit) if nodes > limit => Err(at_line((field.at, TextErrorKind::NodeLimit { node: limit, limit }))),
            _ => {
                if self.claim.is_none_or(|claim| nodes > claim.nodes) {
                    self.claim = Some(NodeClaim { nodes, line: line.number, at: field.at });
                }
                Ok(())
            }
        }
    }
}

/// Reports whether there are blanks between two fields of a line.
fn has_blanks(line: &[u8]) -> bool {
    line.trim_ascii().iter().any(|byte| matches!(byte, b' ' | b'\t'))
}

/// Column of the weights according to the first edge.
fn first_weight(line: &Line<'_>, dialect: Dialect, options: &ReadOptions) -> Result<Option<WeightColumn>, ReadError> {
    let has_weight = match options.weights {
        Weights::Ignore => false,
        Weights::Required => true,
        Weights::Auto | Weights::IfValid => {
            let mut fields = Fields::new(line.text, dialect);
            let mut count = 0;
            let at_line = |(at, kind)| text_error(line.number, at, kind);
            while count < 3 && fields.next().map_err(at_line)?.is_some() {
                count += 1;
            }
            count == 3
        }
    };
    Ok(has_weight.then(|| WeightColumn { index: 2, rules: WeightRules::new(options) }))
}

fn schema(
    dialect: Dialect,
    ends: [usize; 2],
    weight: Option<WeightColumn>,
    rules: &EdgeTextRules,
    options: &ReadOptions,
    first_line: u64,
) -> LineSchema {
    LineSchema {
        dialect,
        ends,
        weight,
        extra: match options.weights {
            Weights::Ignore | Weights::IfValid => ExtraColumns::Ignored,
            Weights::Auto | Weights::Required => ExtraColumns::Refused,
        },
        first_node: 0,
        bound: match options.max_nodes {
            // The limit of nodes is no limit of their numbers then.
            Some(nodes) if !options.compact => NodeBound::Allowed(nodes),
            _ => NodeBound::Counted,
        },
        has_comments: !rules.is_csv,
        is_mirrored: options.undirected,
        first_line,
    }
}

/// Columns of a header line that have known names, with these names.
#[derive(Default)]
struct Columns<'l> {
    source: Option<(usize, &'l [u8])>,
    target: Option<(usize, &'l [u8])>,
    weight: Option<(usize, &'l [u8])>,
}

impl<'l> Columns<'l> {
    fn of_line(line: &'l [u8], dialect: Dialect) -> Columns<'l> {
        let mut columns = Columns::default();
        let mut fields = Fields::new(line, dialect);
        let mut column = 0;
        // A line that cannot be split has no columns; as an edge, it is an error.
        while let Ok(Some(Field { text, .. })) = fields.next() {
            let slot = match EdgeColumn::of_title(text) {
                Some(EdgeColumn::Source) => &mut columns.source,
                Some(EdgeColumn::Target) => &mut columns.target,
                Some(EdgeColumn::Weight) => &mut columns.weight,
                None => &mut None,
            };
            slot.get_or_insert((column, text));
            column += 1;
        }
        columns
    }

    /// Columns of a header by the titles of the options, otherwise by known names.
    fn titled(line: &Line<'_>, dialect: Dialect, wanted: &ColumnTitles) -> Result<Columns<'l>, ReadError> {
        let at_line = |(at, kind)| text_error(line.number, at, kind);
        let mut titles = Vec::new();
        let mut fields = Fields::new(line.text, dialect);
        while let Some(field) = fields.next().map_err(at_line)? {
            titles.push(field.unquoted());
        }
        let titles: Vec<&[u8]> = titles.iter().map(AsRef::as_ref).collect();
        let chosen = wanted.choose(&titles).map_err(|error| at_line((0, TextErrorKind::Titles(error))))?;
        let [source, target, weight] = chosen.map(|column| column.map(|column| (column, &b""[..])));
        Ok(Columns { source, target, weight })
    }

    /// Reports whether the line is a header.
    fn are_header(&self, rules: &EdgeTextRules, options: &ReadOptions) -> bool {
        match (options.header, options.nodes, self.source.zip(self.target)) {
            _ if !options.columns.is_empty() => true,
            (Header::Present, ..) => true,
            (Header::Absent, ..) | (Header::Auto, _, None) => false,
            (Header::Auto, NodeIds::Numbers, Some(_)) => true,
            (Header::Auto, NodeIds::Names, Some(((_, source), (_, target)))) => {
                rules.is_csv && ![source, target].into_iter().any(is_ambiguous)
            }
        }
    }

    /// Schema of the lines after the header; `None` if it has no known names. Ends of edges without a known name are the first
    /// of the other columns.
    fn schema(
        &self,
        line: &Line<'_>,
        dialect: Dialect,
        rules: &EdgeTextRules,
        options: &ReadOptions,
    ) -> Result<Option<LineSchema>, ReadError> {
        let mut known = [self.source, self.target, self.weight].map(|found| found.map(|(column, _)| column));
        if known == [None; 3] {
            return Ok(None);
        }
        let mut column_of = |role: usize| {
            let left = (0..known.len()).find(|&column| !known.contains(&Some(column)));
            *known[role].get_or_insert(left.unwrap_or(known.len()))
        };
        let ends = [column_of(0), column_of(1)];
        let weight = match (options.weights, known[2]) {
            (Weights::Ignore, _) | (Weights::Auto | Weights::IfValid, None) => None,
            (_, Some(index)) => Some(WeightColumn { index, rules: WeightRules::new(options) }),
            (Weights::Required, None) => return Err(text_error(line.number, 0, TextErrorKind::NoWeightColumn)),
        };
        let schema = schema(dialect, ends, weight, rules, options, line.number);
        Ok(Some(LineSchema { extra: ExtraColumns::Ignored, ..schema }))
    }
}
