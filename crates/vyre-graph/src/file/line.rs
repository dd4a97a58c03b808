//! The edge of a line.

use super::blocks::{LINE_BYTES, Line};
use super::fields::{Dialect, Field, Fields, Problem};
use super::number::{parse_number, parse_real, take_digits};
use super::text_problem::{NumberProblem, TextField, TextProblem, shown};

/// What stands where in the lines of a text, and what it may be.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) dialect: Dialect,
    /// The columns of source and target.
    pub(crate) ends: [usize; 2],
    pub(crate) weight: WeightColumn,
    /// What columns that are not wanted are.
    pub(crate) others: Others,
    /// The number that stands for node 0.
    pub(crate) first_node: u32,
    /// How many nodes there may be.
    pub(crate) bound: NodeBound,
    /// Whether there are comments among the edges.
    pub(crate) has_comments: bool,
    /// Whether each edge is added in both directions.
    pub(crate) is_mirrored: bool,
    /// The first line with an edge.
    pub(crate) first_line: u64,
}

/// Where weights stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightColumn {
    None,
    /// A whole number.
    Whole(usize),
    /// A whole number that may be written as one with a fraction.
    Real(usize),
}

impl WeightColumn {
    fn index(self) -> Option<usize> {
        match self {
            WeightColumn::None => None,
            WeightColumn::Whole(index) | WeightColumn::Real(index) => Some(index),
        }
    }
}

/// What columns that are not wanted are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Whatever they are, if they are there at all.
    Ignored,
    /// Errors, because the first line has none.
    Refused,
    /// There must be so many columns in all; what is in those that are not wanted does not matter.
    Exactly(usize),
}

/// How many nodes there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeBound {
    /// As many as a `u32` counts.
    Counted,
    /// As many as the reader was told to allow.
    Allowed(u32),
    /// As many as a matrix has rows.
    Rows(u32),
}

impl NodeBound {
    /// The number of nodes.
    pub(crate) fn count(self) -> u32 {
        match self {
            NodeBound::Counted => u32::MAX,
            NodeBound::Allowed(nodes) | NodeBound::Rows(nodes) => nodes,
        }
    }
}

/// What turns fields into nodes.
pub(crate) trait Nodes {
    fn node(&mut self, field: &Field<'_>, meaning: TextField, line: u64) -> Result<u32, Problem>;

    /// Whether two results are the same node.
    fn is_same(&self, one: u32, other: u32) -> bool;
}

/// Nodes by number.
pub(crate) struct Numbered<'l>(pub(crate) &'l Layout);

impl Nodes for Numbered<'_> {
    fn node(&mut self, field: &Field<'_>, meaning: TextField, _line: u64) -> Result<u32, Problem> {
        let (first, count) = (self.0.first_node, self.0.bound.count());
        let meaning = match (self.0.bound, meaning) {
            (NodeBound::Rows(rows), TextField::Source) => TextField::Row { rows },
            (NodeBound::Rows(columns), TextField::Target) => TextField::Column { columns },
            _ => meaning,
        };
        let number = field.number(meaning, parse_number)?;
        match number.checked_sub(first) {
            Some(node) if node < count => Ok(node),
            Some(node) if node < u32::MAX && matches!(self.0.bound, NodeBound::Allowed(_)) => {
                Err((field.at, TextProblem::NodeLimit { node, limit: count }))
            }
            _ => field.number(meaning, |_| Err(NumberProblem::OutOfRange)),
        }
    }

    fn is_same(&self, one: u32, other: u32) -> bool {
        one == other
    }
}

/// Reads the edge of a line.
///
/// # Errors
///
/// The first field that is wrong, or the one that is missing.
pub(crate) fn read_line(
    line: &Line<'_>,
    layout: &Layout,
    nodes: &mut impl Nodes,
) -> Result<(u32, u32, Option<u32>), Problem> {
    let [source_column, target_column] = layout.ends;
    let weight_column = layout.weight.index();
    let last = source_column.max(target_column).max(weight_column.unwrap_or(0));
    let is_matrix = matches!(layout.bound, NodeBound::Rows(_));
    let meaning = |column| match column {
        _ if column == source_column => Some(TextField::Source),
        _ if column == target_column => Some(TextField::Target),
        _ if Some(column) == weight_column => Some(if is_matrix { TextField::Value } else { TextField::Weight }),
        _ => None,
    };
    let (mut source, mut target, mut weight) = (0, 0, None);
    let mut fields = Fields::new(line.text, layout.dialect);
    let mut column = 0;
    while let Some(field) = fields.next()? {
        match meaning(column) {
            Some(meaning @ TextField::Source) => source = nodes.node(&field, meaning, line.number)?,
            Some(meaning @ TextField::Target) => target = nodes.node(&field, meaning, line.number)?,
            Some(meaning) => {
                let is_real = matches!(layout.weight, WeightColumn::Real(_));
                weight = Some(field.number(meaning, if is_real { parse_real } else { parse_number })?);
            }
            None => {
                field.check_text()?;
                refuse(&field, column, layout)?;
            }
        }
        column += 1;
        if column > last && layout.others == Others::Ignored {
            break;
        }
    }
    let wanted = if let Others::Exactly(count) = layout.others { count } else { last + 1 };
    if column < wanted {
        // The first field that is missing, of those that mean something.
        let missing = (column..wanted).find_map(meaning).unwrap_or(match column {
            0 | 1 => TextField::Node,
            2 => TextField::Value,
            _ => TextField::ImaginaryPart,
        });
        let missing = match (missing, layout.bound) {
            (TextField::Source, NodeBound::Rows(rows)) => TextField::Row { rows },
            (TextField::Target, NodeBound::Rows(columns)) => TextField::Column { columns },
            _ => missing,
        };
        return Err((fields.at(), TextProblem::Missing { field: missing }));
    }
    Ok((source, target, weight))
}

/// Refuses a field that is neither known nor to be ignored.
fn refuse(field: &Field<'_>, column: usize, layout: &Layout) -> Result<(), Problem> {
    let found = || shown(field.text);
    let known = match layout.others {
        Others::Ignored => return Ok(()),
        Others::Exactly(count) if column < count => return Ok(()),
        Others::Exactly(count) => count,
        Others::Refused if column == 2 => {
            let problem = TextProblem::UnexpectedWeight { found: found(), first_line: layout.first_line };
            return Err((field.at, problem));
        }
        Others::Refused => layout.weight.index().unwrap_or(1) + 1,
    };
    Err((field.at, TextProblem::ExtraField { found: found(), known }))
}

/// Reads lines of two or three numbers, which most lines are, without looking at them twice.
pub(crate) struct FastLines {
    dialect: Dialect,
    has_weight: bool,
    ignores_rest: bool,
    first_node: u32,
    nodes: u32,
}

impl FastLines {
    /// Nothing if the columns are in another order.
    pub(crate) fn new(layout: &Layout) -> Option<FastLines> {
        let has_weight = layout.weight != WeightColumn::None;
        let is_usual = layout.ends == [0, 1] && matches!(layout.weight.index(), None | Some(2));
        let ignores_rest = match layout.others {
            Others::Ignored => true,
            Others::Refused => false,
            Others::Exactly(count) if count == 2 + usize::from(has_weight) => false,
            Others::Exactly(_) => return None,
        };
        is_usual.then_some(FastLines {
            dialect: layout.dialect,
            has_weight,
            ignores_rest,
            first_node: layout.first_node,
            nodes: layout.bound.count(),
        })
    }

    /// The edge of the line that begins at `start`, and where the next one begins; nothing if the line is not so simple.
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
                if at - start > LINE_BYTES {
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
