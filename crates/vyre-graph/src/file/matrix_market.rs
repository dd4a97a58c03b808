//! Matrix Market files: a square sparse matrix is a graph with an edge from the row to the column of each entry.

use std::io::Read;

use super::blocks::{Blocks, Line, Taken, for_each_batch};
use super::edges::{EdgeCollector, NodeCount, most_nodes};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, Field, Fields, Problem, is_silent};
use super::format::{Format, is_matrix};
use super::graph::Graph;
use super::line::{Layout, NodeBound, Others, WeightColumn};
use super::number::parse_long_number;
use super::options::{ReadOptions, Weights};
use super::progress::Progress;
use super::text_problem::{NumberProblem, TextField, TextProblem, shown};

/// What values the entries have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Pattern,
    Integer,
    Real,
    Complex,
}

/// What is said about the other half of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    SkewSymmetric,
    Hermitian,
}

/// What the header says.
#[derive(Clone, Copy, Debug)]
struct Header {
    values: Values,
    symmetry: Symmetry,
    /// Where the word for the values stands in the first line.
    values_at: usize,
}

/// What is known of a file while it is read.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    /// The number of nodes and of entries, once they are known.
    size: Option<(u32, u64)>,
    collector: Option<EdgeCollector>,
    /// The number of lines so far.
    lines: u64,
}

/// Reads a Matrix Market file, decompressed.
pub(crate) fn read_matrix_market(
    input: impl Read + Send,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Graph, ReadError> {
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
            0 => ReadError::Empty { format: Format::MatrixMarket },
            _ => text_error(line + 1, 0, TextProblem::Missing { field: TextField::MatrixSize }),
        });
    };
    if collector.entries() < entries {
        let problem = TextProblem::MatrixEnds { entries: collector.entries(), expected: entries };
        return Err(text_error(line, 0, problem));
    }
    let count = NodeCount { at_least: nodes.max(options.min_nodes), claim: None, is_trusted: true };
    collector.finish(count, progress)
}

impl Reader {
    /// Reads lines up to that of the sizes.
    fn first_lines(&mut self, line: &Line<'_>, options: &ReadOptions) -> Result<Taken, ReadError> {
        let at_line = |(at, problem): Problem| text_error(line.number, at, problem);
        let Some(header) = self.header else {
            self.header = Some(read_header(line.text).map_err(at_line)?);
            return Ok(Taken::More);
        };
        if is_silent(line.text) {
            return Ok(Taken::More);
        }
        let layout = Layout {
            dialect: Dialect::Blanks,
            ends: [0, 1],
            weight: weight_column(header, options.weights)
                .map_err(|problem| text_error(1, header.values_at, problem))?,
            others: Others::Exactly(match header.values {
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
        let layout = Layout { bound: NodeBound::Rows(nodes), ..layout };
        self.size = Some((nodes, entries));
        self.collector = Some(EdgeCollector::new(layout, false, Some(entries), options.tuning.most_edges));
        Ok(Taken::Last)
    }
}

fn read_header(line: &[u8]) -> Result<Header, Problem> {
    if !is_matrix(line) {
        return Err((0, TextProblem::MatrixBanner { found: shown(line) }));
    }
    let mut fields = Fields::new(line, Dialect::Blanks);
    let mut next = || match fields.next()? {
        Some(field) => Ok(field),
        None => Err((line.len(), TextProblem::Missing { field: TextField::MatrixWord })),
    };
    next()?;
    choose(&next()?, "`matrix`", &[("matrix", ())])?;
    let format = next()?;
    if format.text.eq_ignore_ascii_case(b"array") {
        return Err((format.at, TextProblem::MatrixArray));
    }
    choose(&format, "`coordinate`", &[("coordinate", ())])?;
    let field = next()?;
    let values = choose(
        &field,
        "`pattern`, `integer`, `real` or `complex`",
        &[
            ("pattern", Values::Pattern),
            ("integer", Values::Integer),
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
        Some(field) => Err((field.at, TextProblem::ExtraField { found: shown(field.text), known: 5 })),
        None => Ok(Header { values, symmetry, values_at: field.at }),
    }
}

/// What the word in a field stands for.
fn choose<T: Copy>(field: &Field<'_>, expected: &'static str, words: &[(&str, T)]) -> Result<T, Problem> {
    field.check_text()?;
    match words.iter().find(|(word, _)| field.text.eq_ignore_ascii_case(word.as_bytes())) {
        Some(&(_, value)) => Ok(value),
        None => Err((field.at, TextProblem::MatrixWord { found: shown(field.text), expected })),
    }
}

/// Where the weights stand, if the values can be weights.
fn weight_column(header: Header, weights: Weights) -> Result<WeightColumn, TextProblem> {
    match (weights, header.values, header.symmetry) {
        (Weights::Ignore, ..) | (Weights::Auto, Values::Pattern, _) => Ok(WeightColumn::None),
        (Weights::Required, Values::Pattern, _) => Err(TextProblem::MatrixPattern),
        (_, Values::Complex, _) => Err(TextProblem::MatrixValues { values: "complex numbers" }),
        (_, _, Symmetry::SkewSymmetric) => Err(TextProblem::MatrixValues { values: "negative in the other half" }),
        (_, Values::Integer, _) => Ok(WeightColumn::Whole(2)),
        (_, Values::Real, _) => Ok(WeightColumn::Real(2)),
    }
}

/// The number of nodes and of entries.
fn read_size(line: &[u8], options: &ReadOptions) -> Result<(u32, u64), Problem> {
    let mut fields = Fields::new(line, Dialect::Blanks);
    let mut sizes = [0u64; 3];
    let mut at = [0usize; 3];
    for (size, at) in sizes.iter_mut().zip(&mut at) {
        let missing = (line.len(), TextProblem::Missing { field: TextField::MatrixSize });
        let field = fields.next()?.ok_or(missing)?;
        *at = field.at;
        *size = field.number(TextField::MatrixSize, |text| {
            parse_long_number(text).and_then(|size| match u32::try_from(size) {
                Ok(_) => Ok(size),
                Err(_) => Err(NumberProblem::OutOfRange),
            })
        })?;
    }
    if let Some(field) = fields.next()? {
        return Err((field.at, TextProblem::ExtraField { found: shown(field.text), known: 3 }));
    }
    let [rows, columns, entries] = sizes;
    if rows != columns {
        return Err((at[0], TextProblem::NotSquare { rows, columns }));
    }
    match options.max_nodes {
        Some(limit) if rows > u64::from(limit) => {
            return Err((at[0], TextProblem::NodeLimit { node: limit, limit }));
        }
        None if rows > most_nodes(entries) => {
            return Err((at[0], TextProblem::SparseRows { rows, entries, limit: most_nodes(entries) }));
        }
        _ => {}
    }
    Ok((rows as u32, entries))
}
