//! Readers of node files (roles and data of nodes) and node lists.

use std::io::Read;
use std::path::Path;

use super::attributes::MAX_COLUMNS;
use super::blocks::{Blocks, for_each_batch};
use super::error::{ReadError, text_error};
use super::fields::{Dialect, Field, Fields, LineError, is_blank, is_blank_or_comment, is_comment};
use super::graph::Graph;
use super::input::{Stream, uncompressed_name};
use super::names::{NamesView, NodeNames};
use super::number::{parse_node, parse_number};
use super::options::Tuning;
use super::progress::{Progress, Stage};
use super::text_error::{TextErrorKind, TextField, shown};
use crate::role::{Role, role_of};

/// Names of the column that identifies the node, in order of preference.
pub(crate) const NODE_COLUMNS: [&str; 3] = ["node", "id", "name"];

/// Bits of the word of a node that are its role.
const ROLE_BITS: u32 = 0x00ff_0000;

/// Separators of the fields of a node file or node list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Separators {
    /// Blanks, commas and semicolons, as in edge lists. A header such as `node,role` selects the rules of CSV files.
    #[default]
    Any,
    /// As in CSV files: the first tab, comma or semicolon of the first row is the delimiter, and blanks are parts of names.
    /// Comments are allowed only before the first row.
    Csv,
    /// Commas alone, without comments.
    Commas,
}

impl Separators {
    /// Separators that the extension of a file name selects: `.csv` is a CSV file. The extension of a compressed file does not count.
    #[must_use]
    pub fn from_path(path: &Path) -> Separators {
        let is_csv = uncompressed_name(path).extension().is_some_and(|found| found.eq_ignore_ascii_case("csv"));
        if is_csv { Separators::Csv } else { Separators::Any }
    }
}

/// Dialect of a node file, as far as it is known.
struct Rows {
    separators: Separators,
    /// Dialect of the first row.
    dialect: Option<Dialect>,
}

impl Rows {
    fn new(separators: Separators) -> Rows {
        Rows { separators, dialect: None }
    }

    /// Dialect of a line; `None` if it is blank or a comment. `is_header` is evaluated for the first other line.
    fn dialect_of(&mut self, line: &[u8], is_header: impl Fn(Dialect) -> bool) -> Option<Dialect> {
        let has_comments = match (self.separators, self.dialect) {
            (Separators::Any, None | Some(Dialect::Mixed)) | (Separators::Csv, None) => true,
            (Separators::Any | Separators::Csv, Some(_)) | (Separators::Commas, _) => false,
        };
        if is_blank(line) || has_comments && is_blank_or_comment(line) {
            return None;
        }
        let first = || match (self.separators, Dialect::of_line(line)) {
            (Separators::Commas, _) => Dialect::Delimited(b','),
            (Separators::Csv, Some(dialect)) => dialect,
            (Separators::Csv, None) if is_header(Dialect::Mixed) => Dialect::Mixed,
            (Separators::Csv, None) => Dialect::Delimited(b','),
            (Separators::Any, Some(dialect)) if is_header(dialect) => dialect,
            (Separators::Any, _) => Dialect::Mixed,
        };
        let dialect = self.dialect.unwrap_or_else(first);
        self.dialect = Some(dialect);
        Some(dialect)
    }
}

/// Reads roles of nodes into their words: lines `node role [data]`, quoted as in edge lists.
///
/// A node is a name if there are `names`, else a number. A role is a name or a number. [`Role::merged`] combines the roles of a
/// node from several lines and from its word. `data`, whose bits 16 to 23 must be 0, replaces the other bits of the word.
///
/// # Errors
///
/// The input cannot be read, or a line is wrong. The lines before it may have changed words.
///
/// ```
/// use vyre_graph::{Role, Separators, read_nodes, role_of};
///
/// let mut words = [0; 4];
/// let text = b"# entry points\n0 source\n3,sink,7\n3 source\n";
/// read_nodes(&text[..], Separators::Any, None, &mut words, &())?;
/// assert_eq!(role_of(words[0]), Role::Source);
/// assert_eq!(words[3], Role::SourceAndSink.set_in(7));
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_nodes(
    input: impl Read + Send,
    separators: Separators,
    names: Option<NamesView<'_>>,
    node_data: &mut [u32],
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    for_each_row(input, separators, progress, |node, fields, dialect| {
        let node = find(node, names, node_data.len())?;
        let role = fields.next()?.ok_or((fields.at(), TextErrorKind::Missing { field: TextField::Role }))?;
        let role = read_role(&role)?;
        let data = match fields.next()? {
            // A row of a CSV file has as many fields as its header, so the field may be empty.
            Some(field) if field.text.is_empty() && dialect != Dialect::Mixed => None,
            Some(field) => Some(read_data(&field)?),
            None => None,
        };
        if let Some(field) = fields.next()? {
            return Err((field.at, TextErrorKind::ExtraField { found: shown(field.text), known: 3 }));
        }
        merge(&mut node_data[node as usize], role, data);
        Ok(())
    })
}

/// Calls `visit` with the node of each row of a node file, and with the fields behind it.
///
/// # Errors
///
/// The input cannot be read, or what `visit` returns.
pub(crate) fn for_each_row(
    input: impl Read + Send,
    separators: Separators,
    progress: &dyn Progress,
    mut visit: impl FnMut(&Field<'_>, &mut Fields<'_>, Dialect) -> Result<(), LineError> + Send,
) -> Result<(), ReadError> {
    let mut is_first = true;
    let mut rows = Rows::new(separators);
    for_each_line(input, progress, |line| {
        let Some(dialect) = rows.dialect_of(line, |dialect| begins_as_header(line, dialect)) else { return Ok(()) };
        if std::mem::take(&mut is_first) && begins_as_header(line, dialect) {
            return Ok(());
        }
        let mut fields = Fields::new(line, dialect);
        let node = fields.next()?.ok_or((line.len(), TextErrorKind::Missing { field: TextField::Node }))?;
        visit(&node, &mut fields, dialect)
    })
}

/// Merges a role into the word of a node. Data replaces the other bits.
pub(crate) fn merge(word: &mut u32, role: Role, data: Option<u32>) {
    *word = role_of(*word).merged(role).set_in(data.unwrap_or(*word));
}

/// Reports whether the first bytes of a node file are those of a table with a column for each attribute, which
/// [`read_node_table`](super::read_node_table) reads: its header has a column `node`, `id` or `name`, and is neither `node,role` nor
/// `node,role,data`, nor has it a role in its second field.
#[must_use]
pub fn is_node_table(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|&byte| byte == b'\n').filter(|line| !is_blank_or_comment(line));
    let Some(line) = lines.next().map(<[u8]>::trim_ascii_end) else { return false };
    let dialect = Dialect::of_line(line).unwrap_or(Dialect::Mixed);
    let mut fields = Fields::new(line, dialect);
    let mut columns = Vec::new();
    while let Ok(Some(field)) = fields.next() {
        columns.push(field);
        if columns.len() > MAX_COLUMNS {
            return false;
        }
    }
    let is = |field: &Field<'_>, word: &str| field.text.eq_ignore_ascii_case(word.as_bytes());
    let has_nodes = columns.iter().any(|column| NODE_COLUMNS.iter().any(|word| is(column, word)));
    match &columns[..] {
        [_] => has_nodes,
        _ if dialect == Dialect::Mixed => false,
        [node, role] if is_header(node, role) => false,
        [node, role, data] if is_header(node, role) && is(data, "data") => false,
        [_, second, ..] => has_nodes && read_role(second).is_err(),
        [] => false,
    }
}

impl Graph {
    /// Reads roles of nodes, as [`read_nodes`] does, by the names of the graph if it has names, else by numbers.
    ///
    /// ```
    /// use vyre_graph::{Format, NodeIds, ReadOptions, Role, Separators, read_graph, role_of};
    ///
    /// let options = ReadOptions::default().with_format(Format::CSV).with_nodes(NodeIds::Names);
    /// let mut graph = read_graph((&b"main,parse\nparse,execute\n"[..]).into(), &options, &())?.into_graph();
    /// graph.read_roles(&b"main source\nexecute sink\n"[..], Separators::Any)?;
    /// assert_eq!(role_of(graph.csr.node_data[2]), Role::Sink);
    /// # Ok::<(), vyre_graph::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`read_nodes`].
    pub fn read_roles(&mut self, input: impl Read + Send, separators: Separators) -> Result<(), ReadError> {
        let names = self.names.as_ref().map(NodeNames::view);
        read_nodes(input, separators, names, &mut self.csr.node_data, &())
    }
}

/// Reads a list of nodes, separated by line ends and `separators`. With [`Separators::Any`], a comment extends to the end of its
/// line. A node is a name if there are `names`, else a number below `node_count`. Order and repetitions are preserved.
///
/// # Errors
///
/// The input cannot be read, or a node is unknown.
///
/// ```
/// use vyre_graph::{Separators, read_node_list};
///
/// let nodes = read_node_list(&b"4, 2\n7 # the entry\n"[..], Separators::Any, None, 10, &())?;
/// assert_eq!(nodes, [4, 2, 7]);
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_node_list(
    input: impl Read + Send,
    separators: Separators,
    names: Option<NamesView<'_>>,
    node_count: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, ReadError> {
    let mut nodes = Vec::new();
    for_each_node(input, separators, progress, |field| {
        nodes.push(find(field, names, node_count)?);
        Ok(())
    })?;
    Ok(nodes)
}

/// Calls `visit` with the field of each node of a list.
///
/// # Errors
///
/// The input cannot be read, or what `visit` returns.
pub(crate) fn for_each_node(
    input: impl Read + Send,
    separators: Separators,
    progress: &dyn Progress,
    mut visit: impl FnMut(&Field<'_>) -> Result<(), LineError> + Send,
) -> Result<(), ReadError> {
    let mut rows = Rows::new(separators);
    for_each_line(input, progress, |line| {
        let Some(dialect) = rows.dialect_of(line, |_| false) else { return Ok(()) };
        let mut fields = Fields::new(line, dialect);
        while let Some(field) = fields.next()? {
            if dialect == Dialect::Mixed && is_comment(field.text) && !field.is_quoted {
                break;
            }
            // A line may end with a comma.
            if !field.text.is_empty() || field.is_quoted {
                visit(&field)?;
            }
        }
        Ok(())
    })
}

fn for_each_line(
    input: impl Read + Send,
    progress: &dyn Progress,
    mut visit: impl FnMut(&[u8]) -> Result<(), LineError> + Send,
) -> Result<(), ReadError> {
    progress.begin(Stage::Reading, None);
    let text = Stream::open(input, progress)?.text();
    for_each_batch(Blocks::new(text, Tuning::default().block_bytes), |blocks| {
        blocks.iter().try_for_each(|block| {
            block.for_each_line(|line| visit(line.text).map_err(|(at, kind)| text_error(line.number, at, kind)))
        })
    })
}

/// Reports whether the first two fields of a file are names of columns.
fn is_header(node: &Field<'_>, role: &Field<'_>) -> bool {
    let is = |field: &Field<'_>, word: &str| field.text.eq_ignore_ascii_case(word.as_bytes());
    is(role, "role") && NODE_COLUMNS.iter().any(|word| is(node, word))
}

/// Reports whether a line is a header in this dialect.
fn begins_as_header(line: &[u8], dialect: Dialect) -> bool {
    let mut fields = Fields::new(line, dialect);
    match (fields.next(), fields.next()) {
        (Ok(Some(node)), Ok(Some(role))) => is_header(&node, &role),
        _ => false,
    }
}

/// Node of a field: a name if there are names, else a number.
///
/// # Errors
///
/// The node is unknown.
pub(crate) fn find(field: &Field<'_>, names: Option<NamesView<'_>>, node_count: usize) -> Result<u32, LineError> {
    let found = match names {
        Some(names) => {
            let name = field.name(false)?;
            names.find_hashed(names.index().hash(&name), &name)
        }
        None => Some(field.number(TextField::Node, parse_node)?),
    };
    match found {
        Some(node) if (node as usize) < node_count => Ok(node),
        _ => Err((field.at, TextErrorKind::UnknownNode { found: shown(field.text), nodes: node_count })),
    }
}

pub(crate) fn read_role(field: &Field<'_>) -> Result<Role, LineError> {
    let by_number = || parse_number(field.text).ok().and_then(Role::from_number);
    let by_name = || str::from_utf8(field.text).ok().and_then(Role::from_name);
    match by_number().or_else(by_name) {
        Some(role) => Ok(role),
        None => {
            field.check_text()?;
            Err((field.at, TextErrorKind::UnknownRole { found: shown(field.text) }))
        }
    }
}

pub(crate) fn read_data(field: &Field<'_>) -> Result<u32, LineError> {
    let data = field.number(TextField::Data, parse_number)?;
    if data & ROLE_BITS == 0 { Ok(data) } else { Err((field.at, TextErrorKind::DataHasRole { data })) }
}
