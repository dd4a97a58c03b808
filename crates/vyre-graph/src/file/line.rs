//! Parser of the edge of a line.

use super::blocks::{Line, MAX_LINE_BYTES};
use super::fields::{Dialect, Field, Fields, LineError};
use super::number::{parse_node, parse_number, take_digits};
use super::text_error::{NumberErrorKind, TextErrorKind, TextField, shown};
use super::weight::WeightRules;

/// Columns of the lines of a text, and the valid values of their fields.
#[derive(Clone, Debug)]
pub(crate) struct LineSchema {
    pub(crate) dialect: Dialect,
    /// Columns of source and target.
    pub(crate) ends: [usize; 2],
    pub(crate) weight: Option<WeightColumn>,
    /// Treatment of other columns.
    pub(crate) extra: ExtraColumns,
    /// Number that stands for node 0.
    pub(crate) first_node: u32,
    /// Bound of the number of nodes.
    pub(crate) bound: NodeBound,
    /// True if comments are allowed among the edges.
    pub(crate) has_comments: bool,
    /// True if each edge is added in both directions.
    pub(crate) is_mirrored: bool,
    /// First line with an edge.
    pub(crate) first_line: u64,
}

/// Column of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WeightColumn {
    pub(crate) index: usize,
    pub(crate) rules: WeightRules,
}

impl LineSchema {
    fn weight_index(&self) -> Option<usize> {
        self.weight.map(|weight| weight.index)
    }

    /// Meaning of the weights.
    fn weight_field(&self) -> TextField {
        match (self.weight.and_then(|weight| weight.rules.scale), self.bound) {
            (Some(scale), _) => TextField::ScaledWeight { scale },
            (None, NodeBound::Rows(_)) => TextField::Value,
            (None, _) => TextField::Weight,
        }
    }
}

/// Treatment of columns without a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtraColumns {
    /// They may exist and are ignored.
    Ignored,
    /// They are errors, because the first line has none.
    Refused,
    /// The number of all columns is fixed. The text of other columns is ignored.
    Exactly(usize),
}

/// Bound of the number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeBound {
    /// The range of `u32`.
    Counted,
    /// The limit of the options.
    Allowed(u32),
    /// The number of rows of a matrix.
    Rows(u32),
}

impl NodeBound {
    /// Maximum number of nodes.
    pub(crate) fn count(self) -> u32 {
        match self {
            NodeBound::Counted => u32::MAX,
            NodeBound::Allowed(nodes) | NodeBound::Rows(nodes) => nodes,
        }
    }
}

/// Conversion of fields to nodes.
pub(crate) trait Nodes {
    fn node(&mut self, field: &Field<'_>, meaning: TextField, line: u64) -> Result<u32, LineError>;

    /// Reports whether two results are the same node.
    fn is_same(&self, one: u32, other: u32) -> bool;
}

/// Nodes that are numbers.
pub(crate) struct Numbered<'l>(pub(crate) &'l LineSchema);

impl Nodes for Numbered<'_> {
    fn node(&mut self, field: &Field<'_>, meaning: TextField, _line: u64) -> Result<u32, LineError> {
        let (first, count) = (self.0.first_node, self.0.bound.count());
        let meaning = match (self.0.bound, meaning) {
            (NodeBound::Rows(rows), TextField::Source) => TextField::Row { rows },
            (NodeBound::Rows(columns), TextField::Target) => TextField::Column { columns },
            _ => meaning,
        };
        let is_matrix = matches!(self.0.bound, NodeBound::Rows(_));
        let number = field.number(meaning, if is_matrix { parse_number } else { parse_node })?;
        match number.checked_sub(first) {
            Some(node) if node < count => Ok(node),
            Some(node) if node < u32::MAX && matches!(self.0.bound, NodeBound::Allowed(_)) => {
                Err((field.at, TextErrorKind::NodeLimit { node, limit: count }))
            }
            _ => field.number(meaning, |_| Err(NumberErrorKind::OutOfRange)),
        }
    }

    fn is_same(&self, one: u32, other: u32) -> bool {
        one == other
    }
}

/// Parses the edge of a line. If weights are optional, the first wrong one is stored in `weight_error`, and later ones are 0.
///
/// # Errors
///
/// The first field that is wrong or missing.
pub(crate) fn read_line(
    line: &Line<'_>,
    schema: &LineSchema,
    nodes: &mut impl Nodes,
    weight_error: &mut Option<(u64, LineError)>,
) -> Result<(u32, u32, Option<u32>), LineError> {
    let [source_column, target_column] = schema.ends;
    let weight_column = schema.weight_index();
    let ends = source_column.max(target_column);
    let last = ends.max(weight_column.unwrap_or(0));
    let meaning = |column| match column {
        _ if column == source_column => Some(TextField::Source),
        _ if column == target_column => Some(TextField::Target),
        _ if Some(column) == weight_column => Some(schema.weight_field()),
        _ => None,
    };
    let are_optional = schema.weight.is_some_and(|weight| weight.rules.are_optional);
    let (mut source, mut target, mut weight) = (0, 0, None);
    let mut fields = Fields::new(line.text, schema.dialect);
    let mut column = 0;
    while let Some(field) = fields.next()? {
        match meaning(column) {
            Some(meaning @ TextField::Source) => source = nodes.node(&field, meaning, line.number)?,
            Some(meaning @ TextField::Target) => target = nodes.node(&field, meaning, line.number)?,
            Some(_) if weight_error.is_some() => weight = Some(0),
            Some(meaning) => {
                let parse = |text: &[u8]| schema.weight.map_or(Ok(0), |weight| weight.rules.parse(text));
                weight = Some(match field.number(meaning, parse) {
                    Err(error) if are_optional => {
                        *weight_error = Some((line.number, error));
                        0
                    }
                    parsed => parsed?,
                });
            }
            None => {
                field.check_text()?;
                refuse(&field, column, schema)?;
            }
        }
        column += 1;
        if column > last && schema.extra == ExtraColumns::Ignored {
            break;
        }
    }
    let wanted = match schema.extra {
        ExtraColumns::Exactly(count) => count,
        _ if are_optional => {
            if column <= last && column > ends {
                let missing = TextErrorKind::Missing { field: schema.weight_field() };
                weight_error.get_or_insert((line.number, (fields.at(), missing)));
            }
            // Columns up to the weight that the line does not have.
            weight = weight.or(schema.weight.map(|_| 0));
            ends + 1
        }
        _ => last + 1,
    };
    if column < wanted {
        // The first missing field with a meaning.
        let missing = (column..wanted).find_map(meaning).unwrap_or(match column {
            0 | 1 => TextField::Node,
            2 => TextField::Value,
            _ => TextField::ImaginaryPart,
        });
        let missing = match (missing, schema.bound) {
            (TextField::Source, NodeBound::Rows(rows)) => TextField::Row { rows },
            (TextField::Target, NodeBound::Rows(columns)) => TextField::Column { columns },
            _ => missing,
        };
        return Err((fields.at(), TextErrorKind::Missing { field: missing }));
    }
    Ok((source, target, weight))
}

/// Rejects a field without a meaning, unless such fields are ignored.
fn refuse(field: &Field<'_>, column: usize, schema: &LineSchema) -> Result<(), LineError> {
    let found = || shown(field.text);
    let known = match schema.extra {
        ExtraColumns::Ignored => return Ok(()),
        ExtraColumns::Exactly(count) if column < count => return Ok(()),
        ExtraColumns::Exactly(count) => count,
        ExtraColumns::Refused if column == 2 => {
            let kind = TextErrorKind::UnexpectedWeight { found: found(), first_line: schema.first_line };
            return Err((field.at, kind));
        }
        ExtraColumns::Refused => {
            let known = schema.weight_index().unwrap_or(1) + 1;
            return Err((field.at, TextErrorKind::ExtraEdgeField { found: found(), known }));
        }
    };
    Err((field.at, TextErrorKind::ExtraField { found: found(), known }))
}

/// Fast path for lines of two or three numbers, which are parsed in one pass.
pub(crate) struct FastLines {
    dialect: Dialect,
    has_weight: bool,
    ignores_rest: bool,
    first_node: u32,
    nodes: u32,
}

impl FastLines {
    /// The fast path of a schema; `None` if its columns are in another order.
    pub(crate) fn new(schema: &LineSchema) -> Option<FastLines> {
        let has_weight = schema.weight.is_some();
        let is_usual = schema.ends == [0, 1] && matches!(schema.weight_index(), None | Some(2));
        if schema.weight.is_some_and(|weight| weight.rules.scale.is_some()) {
            return None;
        }
        let ignores_rest = match schema.extra {
            ExtraColumns::Ignored => true,
            ExtraColumns::Refused => false,
            ExtraColumns::Exactly(count) if count == 2 + usize::from(has_weight) => false,
            ExtraColumns::Exactly(_) => return None,
        };
        is_usual.then_some(FastLines {
            dialect: schema.dialect,
            has_weight,
            ignores_rest,
            first_node: schema.first_node,
            nodes: schema.bound.count(),
        })
    }

    /// Edge of the line that begins at `start`, and the position of the next line; `None` if the line needs the general parser.
    #[inline]
    pub(crate) fn read(&self, text: &[u8], start: usize) -> Option<(u32, u32, Option<u32>, usize)> {
        let mut at = start;
        let source = self.node(take_digits(text, &mut at)?)?;
        self.separator(text, &mut at)?;
        let target = self.node(take_digits(text, &mut at)?)?;
        let mut weight = None;
        if self.has_weight {
            self.separator(text, &mut at)?;
            weight = Some(take_digits(text, &mut at)?);
        }
        match *text.get(at)? {
            b'\n' => {}
            b'\r' if text.get(at + 1) == Some(&b'\n') => at += 1,
            byte if self.ignores_rest && self.dialect.separates(byte) => {
                at += memchr::memchr(b'\n', &text[at..])?;
                if at - start > MAX_LINE_BYTES {
                    return None;
                }
            }
            _ => return None,
        }
        Some((source, target, weight, at + 1))
    }

    #[inline]
    fn node(&self, number: u32) -> Option<u32> {
        number.checked_sub(self.first_node).filter(|&node| node < self.nodes)
    }

    #[inline]
    fn separator(&self, text: &[u8], at: &mut usize) -> Option<()> {
        let is_one = self.dialect.separates(*text.get(*at)?);
        *at += 1;
        is_one.then_some(())
    }
}
