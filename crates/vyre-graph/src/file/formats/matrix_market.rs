//! Matrix Market files (Boisvert, Pozo, Remington, 1996): a square sparse matrix is a graph with an edge from the row to the
//! column of each entry.

use std::io::{Read, Write};

use crate::file::blocks::{Blocks, Line, Taken, for_each_batch};
use crate::file::codec::{Codec, Parsed};
use crate::file::edges::{EdgeCollector, NodeCount, max_nodes_for};
use crate::file::error::{ReadError, WriteError, text_error};
use crate::file::fields::{Dialect, Fields, LineError, is_blank_or_comment};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::GraphView;
use crate::file::input::Stream;
use crate::file::line::{ExtraColumns, LineSchema, NodeBound};
use crate::file::matrix_array::MatrixArray;
use crate::file::matrix_header::{Header, Symmetry, Values, has_banner, read_header, weight_column};
use crate::file::number::parse_long_number;
use crate::file::options::{ReadOptions, Weights};
use crate::file::progress::Progress;
use crate::file::text_error::{NumberErrorKind, TextErrorKind, TextField, shown};
use crate::file::text_writer::{TextWriter, check_structure};

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

/// Writes a general matrix, with weights as integers or else as a pattern without values.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check_structure(graph)?;
    let mut lines = TextWriter::new(output, b' ', 1, None);
    let values = if graph.weights.is_some() { "integer" } else { "pattern" };
    let (nodes, edges) = (graph.csr.node_count(), graph.csr.edge_count());
    writeln!(lines.output, "%%MatrixMarket matrix coordinate {values} general\n{nodes} {nodes} {edges}")?;
    lines.edges(graph, progress)
}

/// State of the reader.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    /// Number of nodes and of entries.
    size: Option<(u32, u64)>,
    collector: Option<EdgeCollector>,
    /// The elements of a dense matrix.
    array: Option<MatrixArray>,
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
            if reader.collector.is_none() && reader.array.is_none() {
                block.take_lines(|line| reader.first_lines(line, options))?;
            }
        }
        if let Some(last) = blocks.last() {
            reader.lines = last.first_line() + last.line_count() as u64 - 1;
        }
        match (&mut reader.collector, &mut reader.array) {
            (Some(collector), _) => collector.add(&blocks),
            (None, Some(array)) => blocks.iter().try_for_each(|block| array.add(block)),
            (None, None) => Ok(()),
        }
    })?;
    let line = reader.lines;
    if let Some(array) = reader.array {
        return array.finish(line, options, progress);
    }
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
        let (nodes, entries) = read_size(line.text, header.is_array, options).map_err(at_line)?;
        if header.is_array {
            let error = self.weight_error.take();
            self.array = Some(MatrixArray::new(header, nodes, weight.is_some(), error, options));
            return Ok(Taken::Last);
        }
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
            bound: NodeBound::Rows(nodes),
            has_comments: true,
            is_mirrored: options.undirected || header.symmetry != Symmetry::General,
            first_line: line.number + 1,
        };
        self.size = Some((nodes, entries));
        self.collector = Some(EdgeCollector::new(schema, false, Some(entries), options.tuning.max_edges));
        Ok(Taken::Last)
    }
}

/// Number of nodes and of entries. A dense matrix has as many elements as its size says.
fn read_size(line: &[u8], is_array: bool, options: &ReadOptions) -> Result<(u32, u64), LineError> {
    let mut fields = Fields::new(line, Dialect::Blanks);
    let mut sizes = [0u64; 3];
    let mut at = [0usize; 3];
    let known = if is_array { 2 } else { 3 };
    for (size, at) in sizes.iter_mut().zip(&mut at).take(known) {
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
        return Err((field.at, TextErrorKind::ExtraField { found: shown(field.text), known }));
    }
    let [rows, columns, entries] = sizes;
    if rows != columns {
        return Err((at[0], TextErrorKind::NotSquare { rows, columns }));
    }
    match options.max_nodes {
        Some(limit) if rows > u64::from(limit) => {
            return Err((at[0], TextErrorKind::NodeLimit { node: limit, limit }));
        }
        None if !is_array && rows > max_nodes_for(entries) => {
            return Err((at[0], TextErrorKind::SparseRows { rows, entries, limit: max_nodes_for(entries) }));
        }
        _ => {}
    }
    Ok((rows as u32, entries))
}
