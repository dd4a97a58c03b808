//! Dense matrices of Matrix Market files: all elements, column by column. An element that is not 0 is an edge.

use super::blocks::Block;
use super::codec::{Parsed, TextFacts};
use super::compact::Occurring;
use super::error::{ReadError, text_error};
use super::fields::{Dialect, Fields, LineError, is_blank_or_comment};
use super::graph::Graph;
use super::listed::grouped;
use super::matrix_header::{Header, Symmetry, Values};
use super::options::ReadOptions;
use super::progress::{Progress, Stage};
use super::text_error::{TextErrorKind, TextField, shown};
use super::weight::WeightRules;

/// A dense matrix that is being read. Memory is proportional to the number of elements that are not 0.
pub(crate) struct MatrixArray {
    header: Header,
    nodes: u32,
    has_weights: bool,
    is_mirrored: bool,
    max_edges: u32,
    rules: WeightRules,
    /// Row and column of the next element.
    next: (u32, u32),
    elements: u64,
    edges: Vec<(u32, u32)>,
    weights: Vec<u32>,
    weight_error: Option<ReadError>,
}

impl MatrixArray {
    /// An empty matrix. `weight_error` is the reason why its values are no weights.
    pub(crate) fn new(
        header: Header,
        nodes: u32,
        has_weights: bool,
        weight_error: Option<ReadError>,
        options: &ReadOptions,
    ) -> MatrixArray {
        let mut matrix = MatrixArray {
            header,
            nodes,
            has_weights,
            is_mirrored: options.undirected || header.symmetry != Symmetry::General,
            max_edges: options.tuning.max_edges,
            rules: WeightRules::new(options),
            next: (0, 0),
            elements: 0,
            edges: Vec::new(),
            weights: Vec::new(),
            weight_error,
        };
        matrix.next = (matrix.first_row(0), 0);
        matrix
    }

    /// First row of a column that the file has. Of other matrices than general ones it has the lower half.
    fn first_row(&self, column: u32) -> u32 {
        match self.header.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric | Symmetry::Hermitian => column,
            Symmetry::SkewSymmetric => column + 1,
        }
    }

    /// Number of elements of the file.
    fn expected(&self) -> u64 {
        let nodes = u64::from(self.nodes);
        match self.header.symmetry {
            Symmetry::General => nodes * nodes,
            Symmetry::Symmetric | Symmetry::Hermitian => nodes * (nodes + 1) / 2,
            Symmetry::SkewSymmetric => nodes * nodes.saturating_sub(1) / 2,
        }
    }

    /// Reads the elements of a block.
    pub(crate) fn add(&mut self, block: &Block) -> Result<(), ReadError> {
        block.for_each_line(|line| {
            if is_blank_or_comment(line.text) {
                return Ok(());
            }
            self.element(line.text, line.number).map_err(|(at, kind)| text_error(line.number, at, kind))
        })
    }

    fn element(&mut self, line: &[u8], number: u64) -> Result<(), LineError> {
        let expected = self.expected();
        if self.elements == expected {
            return Err((
                0,
                TextErrorKind::Syntax { what: format!("the matrix has {expected} elements, and this is one more") },
            ));
        }
        let mut fields = Fields::new(line, Dialect::Blanks);
        let mut is_edge = false;
        let mut first = None;
        let parts = if self.header.values == Values::Complex { 2 } else { 1 };
        for _ in 0..parts {
            let missing = (line.len(), TextErrorKind::Missing { field: TextField::Value });
            let field = fields.next()?.ok_or(missing)?;
            let value = str::from_utf8(field.text).ok().and_then(|text| text.parse::<f64>().ok());
            let wrong =
                || TextErrorKind::Syntax { what: format!("the element `{}` is not a number", shown(field.text)) };
            let value = value.ok_or_else(|| (field.at, wrong()))?;
            is_edge |= value != 0.0;
            first.get_or_insert(field);
        }
        if let Some(field) = fields.next()? {
            return Err((field.at, TextErrorKind::ExtraField { found: shown(field.text), known: parts }));
        }
        let (row, column) = self.next;
        self.elements += 1;
        self.next = match row + 1 {
            row if row < self.nodes => (row, column),
            _ => (self.first_row(column + 1), column + 1),
        };
        if !is_edge {
            return Ok(());
        }
        let weight = match first.filter(|_| self.has_weights && self.weight_error.is_none()) {
            None => Ok(0),
            Some(field) => {
                self.rules.parse(field.text).map_err(|reason| (field.at, self.rules.error(field.text, reason)))
            }
        };
        let weight = match weight {
            Err((at, kind)) if self.rules.are_optional => {
                self.weight_error = Some(text_error(number, at, kind));
                0
            }
            weight => weight?,
        };
        for ends in
            [Some((row, column)), (self.is_mirrored && row != column).then_some((column, row))].into_iter().flatten()
        {
            if self.edges.len() as u64 == u64::from(self.max_edges) {
                return Err((0, TextErrorKind::TooManyEdges { limit: self.max_edges }));
            }
            self.edges.push(ends);
            if self.has_weights {
                self.weights.push(weight);
            }
        }
        Ok(())
    }

    /// Constructs the graph. `line` is the last line of the text.
    pub(crate) fn finish(
        mut self,
        line: u64,
        options: &ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Parsed, ReadError> {
        let expected = self.expected();
        if self.elements < expected {
            return Err(text_error(line, 0, TextErrorKind::MatrixEnds { entries: self.elements, expected }));
        }
        let mut nodes = self.nodes.max(options.min_nodes);
        let mut names = None;
        if options.compact {
            let occurring = Occurring::new([&*self.edges].into_iter());
            occurring.renumber(&mut self.edges);
            let found = occurring.names(1).ok_or_else(|| text_error(line, 0, TextErrorKind::NamesTooLong))?;
            nodes = found.view().len() as u32;
            names = Some(found);
        }
        options.check_count(nodes as usize)?;
        progress.begin(Stage::Building, Some(self.edges.len() as u64));
        let has_weights = self.has_weights && self.weight_error.is_none();
        let (csr, weights) = grouped(nodes, &self.edges, has_weights.then_some(&*self.weights));
        progress.advance(self.edges.len() as u64);
        let text = TextFacts { weight_error: self.weight_error.map(Box::new), ..TextFacts::default() };
        Ok(Parsed { text, ..Graph { csr, weights, names }.into() })
    }
}
