//! Choice of the columns of an edge table.

use arrow_schema::{DataType, Schema};
use vyre_graph::{ReadError, ReadOptions, Weights};

use crate::error::TableError;

/// Columns of an edge table, by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EdgeColumns {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    /// True if a column of nodes has strings.
    pub(crate) are_named: bool,
}

impl EdgeColumns {
    /// Columns with the titles of the options, or else with usual ones. Ends of edges without one are the first of the other columns.
    pub(crate) fn of_schema(schema: &Schema, options: &ReadOptions) -> Result<EdgeColumns, TableError> {
        let fields = schema.fields();
        let titles: Vec<&[u8]> = fields.iter().map(|field| field.name().as_bytes()).collect();
        let [source, target, weight] = options.columns.choose(&titles).map_err(TableError::Titles)?;
        let mut ends = [source, target];
        for end in 0..ends.len() {
            if ends[end].is_none() {
                let is_free = |index: &usize| {
                    !ends.contains(&Some(*index)) && weight != Some(*index) && !is_index(fields[*index].name())
                };
                ends[end] = (0..fields.len()).find(is_free);
            }
        }
        let [Some(source), Some(target)] = ends else { return Err(TableError::Columns { found: fields.len() }) };
        let weight = match options.weights {
            Weights::Ignore => None,
            Weights::Required if weight.is_none() => return Err(TableError::Graph(ReadError::NoWeights)),
            Weights::Required | Weights::Auto | Weights::IfValid => weight,
        };
        let kind = |index: usize, is_weight: bool| {
            let field = &fields[index];
            let error = |wanted| TableError::ColumnType {
                column: field.name().clone(),
                found: field.data_type().to_string(),
                wanted,
            };
            match (ValueType::of(field.data_type()), is_weight) {
                (Some(ValueType::Integer | ValueType::Real), true) => Ok(false),
                (_, true) => Err(error("weights are numbers")),
                (Some(ValueType::Text), false) => Ok(true),
                (Some(ValueType::Integer), false) => Ok(false),
                (_, false) => Err(error("nodes are integers or strings")),
            }
        };
        if let Some(weight) = weight {
            kind(weight, true)?;
        }
        let are_named = kind(source, false)? | kind(target, false)?;
        Ok(EdgeColumns { source, target, weight, are_named })
    }

    /// All chosen columns, in ascending order.
    pub(crate) fn indices(&self) -> Vec<usize> {
        let mut indices: Vec<usize> =
            [Some(self.source), Some(self.target), self.weight].into_iter().flatten().collect();
        indices.sort_unstable();
        indices
    }
}

/// Reports whether pandas has added a column for the index of its rows.
fn is_index(title: &str) -> bool {
    title.starts_with("__index_level_")
}

/// Kinds of values that edges can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    Integer,
    Real,
    Text,
}

impl ValueType {
    /// The kind of the values of a column. None: edges cannot have them.
    pub(crate) fn of(data: &DataType) -> Option<ValueType> {
        match data {
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Some(ValueType::Integer),
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => Some(ValueType::Integer),
            DataType::Float32 | DataType::Float64 => Some(ValueType::Real),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ValueType::Text),
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(ValueType::Text),
            DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => ValueType::of(values),
            _ => None,
        }
    }
}
