//! Texts about nodes: their roles, and lists of them.

use std::io::Read;

use super::blocks::{Blocks, for_each_batch};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, Field, Fields, Problem, is_comment, is_silent};
use super::input::Stream;
use super::names::NamesView;
use super::number::parse_number;
use super::options::Tuning;
use super::progress::{Progress, Stage};
use super::text_problem::{TextField, TextProblem, shown};
use crate::role::{Role, role_of};

/// The bits of a word of a node that are its role.
const ROLE_BITS: u32 = 0x00ff_0000;

/// Reads roles of nodes into their words: lines `node role [data]`, with the separators, quotes and comments of edge lists.
///
/// A node is its name if there are `names`, else its number. A role is its name or its number; roles of several lines for a
/// node come together by [`Role::merged`], as they do with the role that its word already has. `data`, whose bits 16 to 23 are
/// 0, replaces the other bits of the word.
///
/// # Errors
///
/// The input cannot be read, or a line is wrong. Words may have been changed by the lines before it.
///
/// ```
/// use vyre_graph::{Role, read_nodes, role_of};
///
/// let mut words = [0; 4];
/// read_nodes(&b"# entry points\n0 source\n3,sink,7\n3 source\n"[..], None, &mut words, &())?;
/// assert_eq!(role_of(words[0]), Role::Source);
/// assert_eq!(words[3], Role::SourceAndSink.set_in(7));
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_nodes(
    input: impl Read + Send,
    names: Option<NamesView<'_>>,
    node_data: &mut [u32],
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    let mut is_first = true;
    for_each_line(input, progress, |line| {
        if is_silent(line) {
            return Ok(());
        }
        let mut fields = Fields::new(line, Dialect::Mixed);
        let missing = |field| (line.len(), TextProblem::Missing { field });
        let node = fields.next()?.ok_or(missing(TextField::Node))?;
        let role = fields.next()?;
        if std::mem::take(&mut is_first) && role.is_some_and(|role| is_header(&node, &role)) {
            return Ok(());
        }
        let node = find(&node, names, node_data.len())?;
        let role = read_role(&role.ok_or(missing(TextField::Role))?)?;
        let data = match fields.next()? {
            Some(field) => Some(read_data(&field)?),
            None => None,
        };
        if let Some(field) = fields.next()? {
            return Err((field.at, TextProblem::ExtraField { found: shown(field.text), known: 3 }));
        }
        let word = &mut node_data[node as usize];
        *word = role_of(*word).merged(role).set_in(data.unwrap_or(*word));
        Ok(())
    })
}

/// Reads a list of nodes, separated by white space, commas, semicolons or lines, with comments to the end of a line. A node
/// is its name if there are `names`, else its number below `node_count`. Order and repetitions stay.
///
/// # Errors
///
/// The input cannot be read, or a node is not there.
///
/// ```
/// use vyre_graph::read_node_list;
///
/// let nodes = read_node_list(&b"4, 2\n7 # the entry\n"[..], None, 10, &())?;
/// assert_eq!(nodes, [4, 2, 7]);
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_node_list(
    input: impl Read + Send,
    names: Option<NamesView<'_>>,
    node_count: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, ReadError> {
    let mut nodes = Vec::new();
    for_each_line(input, progress, |line| {
        let mut fields = Fields::new(line, Dialect::Mixed);
        while let Some(field) = fields.next()? {
            if is_comment(field.text) && !field.is_quoted {
                break;
            }
            // A comma at the end of a line.
            if !field.text.is_empty() || field.is_quoted {
                nodes.push(find(&field, names, node_count)?);
            }
        }
        Ok(())
    })?;
    Ok(nodes)
}

fn for_each_line(
    input: impl Read + Send,
    progress: &dyn Progress,
    mut visit: impl FnMut(&[u8]) -> Result<(), Problem> + Send,
) -> Result<(), ReadError> {
    progress.begin(Stage::Reading, None);
    let text = Stream::open(input, progress)?.text();
    for_each_batch(Blocks::new(text, Tuning::default().block_bytes), |blocks| {
        blocks.iter().try_for_each(|block| {
            block.for_each_line(|line| visit(line.text).map_err(|(at, problem)| text_error(line.number, at, problem)))
        })
    })
}

/// Whether the first two fields of a file are names of columns.
fn is_header(node: &Field<'_>, role: &Field<'_>) -> bool {
    let is = |field: &Field<'_>, word: &str| field.text.eq_ignore_ascii_case(word.as_bytes());
    is(role, "role") && ["node", "id", "name"].iter().any(|word| is(node, word))
}

fn find(field: &Field<'_>, names: Option<NamesView<'_>>, node_count: usize) -> Result<u32, Problem> {
    let found = match names {
        Some(names) => {
            let name = field.name(false)?;
            names.find_hashed(names.index().hash(&name), &name)
        }
        None => Some(field.number(TextField::Node, parse_number)?),
    };
    match found {
        Some(node) if (node as usize) < node_count => Ok(node),
        _ => Err((field.at, TextProblem::UnknownNode { found: shown(field.text), nodes: node_count })),
    }
}

fn read_role(field: &Field<'_>) -> Result<Role, Problem> {
    let by_number = || parse_number(field.text).ok().and_then(Role::from_number);
    let by_name = || str::from_utf8(field.text).ok().and_then(Role::from_name);
    match by_number().or_else(by_name) {
        Some(role) => Ok(role),
        None => {
            field.check_text()?;
            Err((field.at, TextProblem::UnknownRole { found: shown(field.text) }))
        }
    }
}

fn read_data(field: &Field<'_>) -> Result<u32, Problem> {
    let data = field.number(TextField::Data, parse_number)?;
    if data & ROLE_BITS == 0 { Ok(data) } else { Err((field.at, TextProblem::DataHasRole { data })) }
}
