//! Edge lists and CSV files.
//!
//! A line is `source target [weight]`. Fields are separated by spaces, tabs, commas or semicolons and may be quoted; lines that
//! begin with `#`, `%` or `//` are comments, in a CSV file only before its first row. The first line may be a header that names
//! the columns in any order; then columns with other names are ignored, and what separates the columns of the header separates
//! all. One comment counts: before the first edge, `# Nodes: 5 Edges: 4` says that there are at least 5 nodes, where nodes are
//! numbers.

use std::io::Read;

use super::blocks::{Block, Blocks, Line, Taken, for_each_batch};
use super::count_line;
use super::edges::{EdgeCollector, NodeClaim, NodeCount};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, Field, Fields, is_blank, is_silent};
use super::format::Format;
use super::graph::Graph;
use super::line::{Layout, NodeBound, Others, WeightColumn};
use super::number::parse_number;
use super::options::{Header, NodeIds, ReadOptions, Weights};
use super::progress::Progress;
use super::text_problem::{TextField, TextProblem};

/// What columns with edges are called, in lower case and without what is not a letter or digit.
const SOURCE_WORDS: &[&str] = &[
    "source",
    "src",
    "from",
    "start",
    "tail",
    "u",
    "caller",
    "sourceid",
    "srcid",
    "fromid",
    "startid",
    "fromnode",
    "fromnodeid",
    "sourcenode",
    "node1",
    "sourcename",
];
const TARGET_WORDS: &[&str] = &[
    "target",
    "dst",
    "dest",
    "destination",
    "to",
    "end",
    "head",
    "v",
    "callee",
    "targetid",
    "dstid",
    "toid",
    "endid",
    "tonode",
    "tonodeid",
    "targetnode",
    "node2",
    "targetname",
];
const WEIGHT_WORDS: &[&str] = &["weight", "weights", "w", "cost"];

/// Words that are a header even where nodes are names, in lower case.
const CERTAIN_WORDS: &[(&str, &str)] =
    &[("source", "target"), ("src", "dst"), ("source", "destination"), ("from", "to"), ("caller", "callee")];

fn is_one_of(words: &[&str], text: &[u8]) -> bool {
    let letters = || text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase);
    text.is_ascii() && words.iter().any(|word| letters().eq(word.bytes()))
}

/// Reads an edge list or a CSV file, decompressed. Tells which line is a header.
pub(crate) fn read_edge_list(
    input: impl Read + Send,
    format: Format,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<(Graph, Option<u64>), ReadError> {
    let mut collector = None;
    let mut beginning = Beginning::default();
    let block_bytes = match options.nodes {
        NodeIds::Numbers => options.tuning.block_bytes,
        // The names of a block are to lie in a cache.
        NodeIds::Names => options.tuning.block_bytes.min(1 << 20),
    };
    let are_named = options.nodes == NodeIds::Names;
    for_each_batch(Blocks::new(input, block_bytes), |mut blocks| {
        let mut blocks = blocks.as_mut_slice();
        while collector.is_none() {
            let Some((first, others)) = std::mem::take(&mut blocks).split_first_mut() else { return Ok(()) };
            if first.take_lines(|line| beginning.add(line, format, options))?
                && let Some(layout) = beginning.layout.take()
            {
                collector = Some(EdgeCollector::new(layout, are_named, None, options.tuning.most_edges));
                collect(&mut collector, std::slice::from_ref(first))?;
            }
            blocks = others;
        }
        collect(&mut collector, blocks)
    })?;
    if collector.is_none() && beginning.is_empty() && format == Format::Csv {
        return Err(ReadError::Empty { format });
    }
    let collector = collector.unwrap_or_else(|| {
        let nothing = || layout(Dialect::Mixed, [0, 1], WeightColumn::None, format, options, 1);
        EdgeCollector::new(beginning.layout.unwrap_or_else(nothing), are_named, None, 0)
    });
    let count =
        NodeCount { at_least: options.min_nodes, claim: beginning.claim, is_trusted: options.max_nodes.is_some() };
    Ok((collector.finish(count, progress)?, beginning.header_line))
}

fn collect(collector: &mut Option<EdgeCollector>, blocks: &[Block]) -> Result<(), ReadError> {
    match collector {
        Some(collector) => collector.add(blocks),
        None => Ok(()),
    }
}

/// What the lines before the first edge say.
#[derive(Default)]
struct Beginning {
    /// What the header says, or the first edge.
    layout: Option<Layout>,
    claim: Option<NodeClaim>,
    /// The line of the header.
    header_line: Option<u64>,
    /// What separates the columns of the header, if it tells.
    delimited: Option<Dialect>,
}

impl Beginning {
    /// Whether there was neither a header nor an edge.
    fn is_empty(&self) -> bool {
        self.layout.is_none() && self.header_line.is_none()
    }

    /// Looks at the lines up to the first edge, which tells whether there are weights if no header does.
    fn add(&mut self, line: &Line<'_>, format: Format, options: &ReadOptions) -> Result<Taken, ReadError> {
        let may_be_comment = format != Format::Csv || self.header_line.is_none();
        if is_blank(line.text) || may_be_comment && is_silent(line.text) {
            if options.nodes == NodeIds::Numbers
                && let Some(field) = count_line::node_count(line.text)
            {
                self.add_claim(line, &field, options)?;
            }
            return Ok(Taken::More);
        }
        if self.layout.is_some() {
            return Ok(Taken::AllBefore);
        }
        let delimited = Dialect::of_line(line.text);
        if self.header_line.is_none() {
            let dialect = delimited.unwrap_or(Dialect::Mixed);
            let columns = Columns::of_line(line.text, dialect);
            if columns.are_header(format, options) {
                self.layout = columns.layout(line, dialect, format, options)?;
                (self.header_line, self.delimited) = (Some(line.number), delimited);
                return Ok(Taken::More);
            }
        }
        let dialect = match (self.delimited, format) {
            (Some(dialect), _) => dialect,
            (None, Format::Csv) => delimited.unwrap_or(Dialect::Delimited(b',')),
            (None, _) => Dialect::Mixed,
        };
        let weight = first_weight(line, dialect, options)?;
        self.layout = Some(layout(dialect, [0, 1], weight, format, options, line.number));
        Ok(Taken::AllBefore)
    }

    /// Several claims hold together.
    fn add_claim(&mut self, line: &Line<'_>, field: &Field<'_>, options: &ReadOptions) -> Result<(), ReadError> {
        let at_line = |(at, problem)| text_error(line.number, at, problem);
        let nodes = field.number(TextField::NodeCount, parse_number).map_err(at_line)?;
        match options.max_nodes {
            Some(limit) if nodes > limit => Err(at_line((field.at, TextProblem::NodeLimit { node: limit, limit }))),
            _ => {
                if self.claim.is_none_or(|claim| nodes > claim.nodes) {
                    self.claim = Some(NodeClaim { nodes, line: line.number, at: field.at });
                }
                Ok(())
            }
        }
    }
}

/// Where the weights stand, if the first edge has one or must.
fn first_weight(line: &Line<'_>, dialect: Dialect, options: &ReadOptions) -> Result<WeightColumn, ReadError> {
    let has_weight = match options.weights {
        Weights::Ignore => false,
        Weights::Required => true,
        Weights::Auto => {
            let mut fields = Fields::new(line.text, dialect);
            let mut count = 0;
            let at_line = |(at, problem)| text_error(line.number, at, problem);
            while count < 3 && fields.next().map_err(at_line)?.is_some() {
                count += 1;
            }
            count == 3
        }
    };
    Ok(if has_weight { WeightColumn::Whole(2) } else { WeightColumn::None })
}

fn layout(
    dialect: Dialect,
    ends: [usize; 2],
    weight: WeightColumn,
    format: Format,
    options: &ReadOptions,
    first_line: u64,
) -> Layout {
    Layout {
        dialect,
        ends,
        weight,
        others: if options.weights == Weights::Ignore { Others::Ignored } else { Others::Refused },
        first_node: 0,
        bound: options.max_nodes.map_or(NodeBound::Counted, NodeBound::Allowed),
        has_comments: format != Format::Csv,
        is_mirrored: options.undirected,
        first_line,
    }
}

/// The columns of a line whose words are known, if it is a header.
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
        // What cannot be split has no columns; as an edge, it is an error.
        while let Ok(Some(Field { text, .. })) = fields.next() {
            let place = match text {
                _ if is_one_of(SOURCE_WORDS, text) => &mut columns.source,
                _ if is_one_of(TARGET_WORDS, text) => &mut columns.target,
                _ if is_one_of(WEIGHT_WORDS, text) => &mut columns.weight,
                _ => &mut None,
            };
            place.get_or_insert((column, text));
            column += 1;
        }
        columns
    }

    /// Whether the line is a header.
    fn are_header(&self, format: Format, options: &ReadOptions) -> bool {
        match (options.header, options.nodes, self.source.zip(self.target)) {
            (Header::Present, ..) => true,
            (Header::Absent, ..) | (Header::Auto, _, None) => false,
            (Header::Auto, NodeIds::Numbers, Some(_)) => true,
            (Header::Auto, NodeIds::Names, Some(((_, source), (_, target)))) => {
                let is = |text: &[u8], word: &str| text.eq_ignore_ascii_case(word.as_bytes());
                format == Format::Csv && CERTAIN_WORDS.iter().any(|&(one, other)| is(source, one) && is(target, other))
            }
        }
    }

    /// What stands where, if the header tells anything. Ends of edges whose words are not known are the first columns that
    /// are left.
    fn layout(
        &self,
        line: &Line<'_>,
        dialect: Dialect,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Option<Layout>, ReadError> {
        let mut known = [self.source, self.target, self.weight].map(|place| place.map(|(column, _)| column));
        if known == [None; 3] {
            return Ok(None);
        }
        let mut column_of = |place: usize| {
            let left = (0..known.len()).find(|&column| !known.contains(&Some(column)));
            *known[place].get_or_insert(left.unwrap_or(known.len()))
        };
        let ends = [column_of(0), column_of(1)];
        let weight = match (options.weights, known[2]) {
            (Weights::Ignore, _) | (Weights::Auto, None) => WeightColumn::None,
            (_, Some(column)) => WeightColumn::Whole(column),
            (Weights::Required, None) => return Err(text_error(line.number, 0, TextProblem::NoWeightColumn)),
        };
        let layout = layout(dialect, ends, weight, format, options, line.number);
        Ok(Some(Layout { others: Others::Ignored, ..layout }))
    }
}
