//! Sparse matrices of `scipy.sparse.save_npz`: a zip archive of the arrays of a square CSR, CSC or COO matrix.

use std::io::{Read as _, Write};

use crate::file::codec::{Codec, Parsed, TextFacts};
use crate::file::error::{ReadError, WriteError, array_error};
use crate::file::format::{Contents, FormatInfo, NamedNodes};
use crate::file::graph::{Graph, GraphView};
use crate::file::input::Stream;
use crate::file::listed::grouped;
use crate::file::npy::{NpzArchive, NpzWriter, Numbers};
use crate::file::options::{ReadOptions, Weights};
use crate::file::progress::{Progress, Stage};
use crate::file::text_error::TextErrorKind;
use crate::file::text_writer::check_structure;
use crate::file::weight::WeightRules;

pub(crate) static CODEC: Codec = Codec {
    info: FormatInfo {
        name: "npz",
        noun: "a sparse matrix of SciPy",
        summary: "Sparse matrix of SciPy",
        extensions: &["npz"],
        contents: Contents { weights: true, roles: false, names: NamedNodes::None },
        is_text: false,
        detect: Some(|head| head.starts_with(b"PK\x03\x04")),
    },
    read,
    open: None,
    write,
};

fn read(stream: Stream<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Parsed, ReadError> {
    let mut bytes = Vec::new();
    stream.bytes().read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(ReadError::Empty { format: CODEC.format() });
    }
    let mut archive = NpzArchive::new(bytes)?;
    let kind = archive.text("format")?;
    let shape = archive.integers("shape")?;
    let &[rows, columns] = &*shape else { return Err(array_error("shape", None, "a matrix has two dimensions")) };
    if rows != columns {
        let kind = TextErrorKind::NotSquare { rows, columns };
        return Err(array_error("shape", None, kind.to_string()));
    }
    let nodes = u32::try_from(rows).map_err(|_| array_error("shape", Some(0), "there are too many rows"))?;
    let data = archive.numbers("data")?;
    if options.max_nodes.is_none() && u64::from(nodes) > (16 * data.len() as u64).max(1 << 24) {
        let entries = data.len() as u64;
        let limit = (16 * entries).max(1 << 24);
        return Err(array_error("shape", None, TextErrorKind::SparseRows { rows, entries, limit }.to_string()));
    }
    options.check_count(nodes as usize)?;
    let edges = match &*kind {
        "csr" | "csc" => {
            let (pointers, indices) = (archive.integers("indptr")?, archive.integers("indices")?);
            let ends = expanded(&pointers, &indices, nodes, kind == "csc")?;
            check_length("indices", ends.len(), data.len())?;
            ends
        }
        "coo" => {
            let (row, column) = (archive.integers("row")?, archive.integers("col")?);
            check_length("row", row.len(), data.len())?;
            check_length("col", column.len(), data.len())?;
            let mut edges = Vec::with_capacity(row.len());
            for (index, (&source, &target)) in row.iter().zip(&column).enumerate() {
                edges.push((node("row", index, source, nodes)?, node("col", index, target, nodes)?));
            }
            edges
        }
        _ => {
            let what = format!("`{}` is not supported; convert it to csr, csc or coo", kind.escape_debug());
            return Err(array_error("format", None, what));
        }
    };
    let (mut weights, weight_error) = weights(&data, options)?;
    let edges = if options.undirected { mirrored(&edges, &mut weights) } else { edges };
    if edges.len() as u64 > u64::from(options.tuning.max_edges) {
        return Err(array_error(
            "data",
            None,
            TextErrorKind::TooManyEdges { limit: options.tuning.max_edges }.to_string(),
        ));
    }
    progress.begin(Stage::Building, Some(edges.len() as u64));
    let (csr, weights) = grouped(nodes.max(options.min_nodes), &edges, weights.as_deref());
    progress.advance(edges.len() as u64);
    let text = TextFacts { weight_error: weight_error.map(Box::new), ..TextFacts::default() };
    Ok(Parsed { text, ..Graph { csr, weights, names: None }.into() })
}

fn check_length(array: &'static str, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    Err(array_error(array, None, format!("it has {found} elements, but `data` has {expected}")))
}

/// A number as a node.
fn node(array: &'static str, index: usize, number: u64, nodes: u32) -> Result<u32, ReadError> {
    match u32::try_from(number) {
        Ok(node) if node < nodes => Ok(node),
        _ => Err(array_error(array, Some(index), format!("there is no row or column `{number}`"))),
    }
}

/// Edges of compressed rows, or of compressed columns.
fn expanded(pointers: &[u64], indices: &[u64], nodes: u32, are_columns: bool) -> Result<Vec<(u32, u32)>, ReadError> {
    if pointers.len() as u64 != u64::from(nodes) + 1 {
        let what = format!("it has {} elements, but the matrix has {nodes} rows", pointers.len());
        return Err(array_error("indptr", None, what));
    }
    let mut edges = Vec::with_capacity(indices.len());
    for (major, pair) in (0u32..).zip(pointers.windows(2)) {
        if pair[0] != edges.len() as u64 || pair[1] < pair[0] || pair[1] > indices.len() as u64 {
            return Err(array_error("indptr", Some(major as usize), "the numbers are not those of rows in order"));
        }
        let entries = pair[0] as usize..pair[1] as usize;
        for (index, &minor) in entries.clone().zip(&indices[entries]) {
            let minor = node("indices", index, minor, nodes)?;
            edges.push(if are_columns { (minor, major) } else { (major, minor) });
        }
    }
    if edges.len() != indices.len() {
        return Err(array_error("indptr", None, "the last number is not the number of indices"));
    }
    Ok(edges)
}

/// Weights, or the reason why values that are optional are none. Values of the type `bool` are no weights.
fn weights(data: &Numbers, options: &ReadOptions) -> Result<(Option<Vec<u32>>, Option<ReadError>), ReadError> {
    let rules = WeightRules::new(options);
    if options.weights == Weights::Ignore || data.are_bools() && options.weights != Weights::Required {
        return Ok((None, None));
    }
    let mut weights = Vec::with_capacity(data.len());
    for (index, value) in data.iter().enumerate() {
        match rules.round(value) {
            Ok(weight) => weights.push(weight),
            Err(reason) => {
                let kind = rules.error(value.to_string().as_bytes(), reason);
                let error = array_error("data", Some(index), kind.to_string());
                return if rules.are_optional { Ok((None, Some(error))) } else { Err(error) };
            }
        }
    }
    Ok((Some(weights), None))
}

/// Each edge in both directions, and its weight twice.
fn mirrored(edges: &[(u32, u32)], weights: &mut Option<Vec<u32>>) -> Vec<(u32, u32)> {
    let mut both = Vec::with_capacity(2 * edges.len());
    let mut doubled = Vec::new();
    for (index, &(source, target)) in edges.iter().enumerate() {
        let mirrored = (source != target).then_some((target, source));
        for edge in [Some((source, target)), mirrored].into_iter().flatten() {
            both.push(edge);
            doubled.extend(weights.as_ref().map(|weights| weights[index]));
        }
    }
    if weights.is_some() {
        *weights = Some(doubled);
    }
    both
}

/// Writes a CSR matrix, without compression. The values of a graph without weights are `True`.
fn write(graph: GraphView<'_>, output: &mut dyn Write, progress: &dyn Progress) -> Result<(), WriteError> {
    check_structure(graph)?;
    let (nodes, edges) = (graph.csr.node_count() as u64, graph.csr.edge_count() as u64);
    progress.begin(Stage::Writing, Some(edges));
    let mut archive = NpzWriter::new();
    archive.words("indices", graph.csr.targets)?;
    archive.words("indptr", graph.csr.offsets)?;
    archive.format_and_shape("csr", nodes)?;
    match graph.weights {
        Some(weights) => archive.words("data", weights)?,
        None => archive.bools("data", graph.csr.edge_count())?,
    }
    output.write_all(&archive.finish()?)?;
    output.flush()?;
    progress.advance(edges);
    Ok(())
}
