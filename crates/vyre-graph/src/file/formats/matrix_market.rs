//! Matrix Market files (Boisvert, Pozo, Remington, 1996): a square sparse matrix is a graph with an edge from the row to the
//! column of each entry.

use std::io::{Read, Write};

use crate::file::blocks::{Blocks, Line, Taken, for_each_batch};
use crate::file::codec::{Codec, Parsed};
use crate::file::edges::{EdgeCollector, NodeCount, max_nodes_for};
use crate::file::error::{ReadError, WriteError, text_error};
use crate::file::fields::{Dialect, Field, Fields, LineError, is_blank_or_comment};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::GraphView;
use crate::file::input::Stream;
use crate::file::line::{ExtraColumns, LineSchema, NodeBound, WeightColumn};
use crate::file::number::parse_long_number;
use crate::file::options::{ReadOptions, Weights};
use crate::file::progress::Progress;
use crate::file::text_error::{NumberErrorKind, TextErrorKind, TextField, shown};
use crate::file::text_writer::{TextWriter, check_structure};
use crate::file::weight::WeightRules;

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "mtx",
        noun: "a Matrix Market file",
        summary: "Matrix Market",
        extensions: &["mtx", "mm"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::None },
        is_text: true,
        detect: Some(|head| has_banner(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head))),
    },
    read: |stream: Stream<'_>, options, progress| read(stream.text(), options, progress),
    open: None,
    write,
};

/// Beginning of a Matrix Market file, in any case.
const BANNER: &[u8] = b"%%MatrixMarket";

/// Reports whether a text begins with the banner.
fn has_banner(text: &[u8]) -> bool {
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Writes a general matrix, with weights as integers or else as a pattern without values.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check_structure(graph)?;
    let mut lines = TextWriter::new(output, b' ', 1, None);
    let values = if graph.weights.is_some() { "integer" } else { "pattern" };
    let (nodes, edges) = (graph.csr.node_count(), graph.csr.edge_count());
    writeln!(lines.output, "%%MatrixMarket matrix coordinate {values} general\n{nodes} {nodes} {edges}")?;
    lines.edges(graph, progress)
}

/// Type of the values of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Pattern,
    Integer,
    Real,
    Complex,
}

/// Relation of the two halves of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    SkewSymmetric,
    Hermitian,
}

/// Contents of the first line.
#[derive(Clone, Copy, Debug)]
struct Header {
    values: Values,
    symmetry: Symmetry,
    /// Position of the type of the values in the line.
    values_at: usize,
}

/// State of the reader.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    /// Number of nodes and of entries.
    size: Option<(u32, u64)>,
    collector: Option<EdgeCollector>,
    /// Reason why the values are not weights, if weights are optional.
    weight_error: Option<ReadError>,
    /// Number of lines so far.
    lines: u64,
}

fn read(input: impl Read + Send, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    options.check_names(options.compact)?;
    let mut reader = Reader::default();
    for_each_batch(Blocks::new(input, options.tuning.block_bytes), |mut blocks| {
        for block in &mut blocks {
            if reader.collector.is_none() {
                block.take_lines(|line| reader.first_lines(line, options))?;
            }
        }
        if let Some(last) = blocks.last() {
            reader.lines = last.first_line() + last.line_count() as u64 - 1;
        }
        match &mut reader.collector {
            Some(collector) => collector.add(&blocks),
            None => Ok(()),
        }
    })?;
    let line = reader.lines;
    let (Some(collector), Some((nodes, entries))) = (reader.collector, reader.size) else {
        return Err(match line {
            0 => ReadError::Empty { format: CODEC.format() },
            _ => text_error(line + 1, 0, TextErrorKind::Missing { field: TextField::MatrixSize }),
        });
    };
    if collector.entries() < entries {
        let kind = TextErrorKind::MatrixEnds { entries: collector.entries(), expected: entries };
        return Err(text_error(line, 0, kind));
    }
    let at_least = nodes.max(options.min_nodes);
    let count = NodeCount { at_least, claim: None, is_trusted: true, is_compact: options.compact };
    let mut parsed = collector.finish(count, progress)?;
    options.check_count(parsed.graph.csr.node_count())?;
    if let Some(error) = reader.weight_error {
        parsed.text.weight_error = Some(Box::new(error));
    }
    Ok(parsed)
}

impl Reader {
    /// Reads the lines up to and including the sizes.
    fn first_lines(&mut self, line: &Line<'_>, options: &ReadOptions) -> Result<Taken, ReadError> {
        let at_line = |(at, kind): LineError| text_error(line.number, at, kind);
        let Some(header) = self.header else {
            self.header = Some(read_header(line.text).map_err(at_line)?);
            return Ok(Taken::More);
        };
        if is_blank_or_comment(line.text) {
            return Ok(Taken::More);
        }
        let weight = match weight_column(header, options) {
            Ok(weight) => weight,
            Err(kind) if options.weights == Weights::IfValid => {
                self.weight_error = Some(text_error(1, header.values_at, kind));
                None
            }
            Err(kind) => return Err(text_error(1, header.values_at, kind)),
        };
        let schema = LineSchema {
            dialect: Dialect::Blanks,
            ends: [0, 1],
            weight,
            extra: ExtraColumns::Exactly(match header.values {
                Values::Pattern => 2,
                Values::Integer | Values::Real => 3,
                Values::Complex => 4,
            }),
            first_node: 1,
            bound: NodeBound::Rows(0),
            has_comments: true,
            is_mirrored: options.undirected || header.symmetry != Symmetry::General,
            first_line: line.number + 1,
        };
        let (nodes, entries) = read_size(line.text, options).map_err(at_line)?;
        let schema = LineSchema { bound: NodeBound::Rows(nodes), ..schema };
        self.size = Some((nodes, entries));
        self.collector = Some(EdgeCollector::new(schema, false, Some(entries), options.tuning.max_edges));
        Ok(Taken::Last)
    }
}

fn read_header(line: &[u8]) -> Result<Header, LineError> {
    if !has_banner(line) {
        return Err((0, TextErrorKind::MatrixBanner { found: shown(line) }));
    }
    let mut fields = Fields::new(line, Dialect::Blanks);
    let mut next = || match fields.next()? {
        Some(field) => Ok(field),
        None => Err((line.len(), TextErrorKind::Missing { field: TextField::MatrixWord })),
    };
    next()?;
    choose(&next()?, "`matrix`", &[("matrix", ())])?;
    let format = next()?;
    if format.text.eq_ignore_ascii_case(b"array") {
        return Err((format.at, TextErrorKind::MatrixArray));
    }
    choose(&format, "`coordinate`", &[("coordinate", ())])?;
    let field = next()?;
    let values = choose(
        &field,
        "`pattern`, `integer`, `real` or `complex`",
        &[
            ("pattern", Values::Pattern),
            ("integer", Values::Integer),
            ("unsigned-integer", Values::Integer),
            ("real", Values::Real),
            ("double", Values::Real),
            ("complex", Values::Complex),
        ],
    )?;
    let symmetry = choose(
        &next()?,
        "`general`, `symmetric`, `skew-symmetric` or `hermitian`",
        &[
            ("general", Symmetry::General),
            ("symmetric", Symmetry::Symmetric),
            ("skew-symmetric", Symmetry::SkewSymmetric),
            ("hermitian", Symmetry::Hermitian),
        ],
    )?;
    match fields.next()? {
        Some(field) => Err((field.at, TextErrorKind::ExtraField { found: shown(field.text), known: 5 })),
        None => Ok(Header { values, symmetry, values_at: field.at }),
    }
}

/// Value of the keyword in a field.
fn choose<T: Copy>(field: &Field<'_>, expected: &'static str, words: &[(&str, T)]) -> Result<T, LineError> {
    field.check_text()?;
    match words.iter().find(|(word, _)| field.text.eq_ignore_ascii_case(word.as_bytes())) {
        Some(&(_, value)) => Ok(value),
        None => Err((field.at, TextErrorKind::MatrixWord { found: shown(field.text), expected })),
    }
}

/// Column of the weights.
///
/// # Errors
///
/// The values cannot be weights, or weights are required and there are none.
fn weight_column(header: Header, options: &ReadOptions) -> Result<Option<WeightColumn>, TextErrorKind> {
    match (options.weights, header.values, header.symmetry) {
        (Weights::Ignore, ..) | (Weights::Auto | Weights::IfValid, Values::Pattern, _) => Ok(None),
        (Weights::Required, Values::Pattern, _) => Err(TextErrorKind::MatrixPattern),
        (_, Values::Complex, _) => Err(TextErrorKind::MatrixValues { values: "complex numbers" }),
        (_, _, Symmetry::SkewSymmetric) => Err(TextErrorKind::MatrixValues { values: "negative in the other half" }),
        (_, Values::Integer | Values::Real, _) => Ok(Some(WeightColumn { index: 2, rules: WeightRules::new(options) })),
    }
}

/// Number of nodes and of entries.
fn read_size(line: &[u8], options: &ReadOptions) -> Result<(u32, u64), LineError> {
    let mut fields = Fields::new(line, Dialect::Blanks);
    let mut sizes = [0u64; 3];
    let mut at = [0usize; 3];
    for (size, at) in sizes.iter_mut().zip(&mut at) {
        let missing = (line.len(), TextErrorKind::Missing { field: TextField::MatrixSize });
        let field = fields.next()?.ok_or(missing)?;
        *at = field.at;
        *size = field.number(TextField::MatrixSize, |text| {
            parse_long_number(text).and_then(|size| match u32::try_from(size) {
                Ok(_) => Ok(size),
                Err(_) => Err(NumberErrorKind::OutOfRange),
            })
        })?;
    }
    if let Some(field) = fields.next()? {
        return Err((field.at, TextErrorKind::ExtraField { found: shown(field.text), known: 3 }));
    }
    let [rows, columns, entries] = sizes;
    if rows != columns {
        return Err((at[0], TextErrorKind::NotSquare { rows, columns }));
    }
    match options.max_nodes {
        Some(limit) if rows > u64::from(limit) => {
            return Err((at[0], TextErrorKind::NodeLimit { node: limit, limit }));
        }
        None if rows > max_nodes_for(entries) => {
            return Err((at[0], TextErrorKind::SparseRows { rows, entries, limit: max_nodes_for(entries) }));
        }
        _ => {}
    }
    Ok((rows as u32, entries))
}
