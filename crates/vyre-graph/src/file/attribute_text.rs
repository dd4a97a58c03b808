//! Reader of attribute files and node tables: CSV files with a row for each node.

use std::io::Read;

use super::attributes::{ABSENT, Attributes, MAX_COLUMNS, Values};
use super::blocks::{Blocks, for_each_batch};
use super::csv_records::{Record, Records};
use super::error::ReadError;
use super::fields::{Field, Fields, LineError};
use super::input::Stream;
use super::names::NamesView;
use super::node_text::{NODE_COLUMNS, find, merge, read_data, read_role};
use super::options::Tuning;
use super::progress::{Progress, Stage};
use super::text_error::{TextErrorKind, shown};

/// Names of the columns with the role and the data of a node in a node table.
const WORD_COLUMNS: [&str; 2] = ["role", "data"];

/// Reads attributes of nodes from a CSV file with a header.
///
/// The column `node` identifies the node; without it `id` does, and without that `name`. A node is a name if there are `names`,
/// else a number below `node_count`, as in node files. Every other column is an attribute. An empty field means that the node does
/// not have the attribute.
///
/// The first tab, comma or semicolon of the header is the delimiter. Fields may be quoted, and quoted fields may contain line
/// breaks. Comments are allowed only before the header.
///
/// # Errors
///
/// The input cannot be read, the header has no column for nodes, a row has more or fewer fields than the header, or a node is
/// unknown or repeated.
///
/// ```
/// use vyre_graph::{NodeNames, file::read_attributes};
///
/// let names: NodeNames = ["main", "exec sql"].into_iter().collect();
/// let text = b"name,kind,file\nexec sql,call,\"a \"\"b\"\".c\"\n";
/// let attributes = read_attributes(&text[..], Some(names.view()), 2, &())?;
/// assert_eq!(attributes.get(1, "kind"), Some("call"));
/// assert_eq!(attributes.get(1, "file"), Some("a \"b\".c"));
/// assert_eq!(attributes.get(0, "kind"), None);
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_attributes(
    input: impl Read + Send,
    names: Option<NamesView<'_>>,
    node_count: usize,
    progress: &dyn Progress,
) -> Result<Attributes, ReadError> {
    let mut reader = Reader::new(names, node_count, None);
    for_each_record(input, progress, |record| reader.record(record))?;
    reader.end()
}

/// Reads a node table: attributes as [`read_attributes`] does, and the columns `role` and `data`, which have the meaning of the fields of
/// [`read_nodes`](super::read_nodes) and change the words of nodes. Without a column `role`, `data` is an attribute.
/// [`is_node_table`](super::is_node_table) recognises such a file.
///
/// # Errors
///
/// Those of [`read_attributes`], or a role or its data is wrong. The rows before it may have changed words.
///
/// ```
/// use vyre_graph::{Role, file::read_node_table};
///
/// let mut words = [0; 3];
/// let attributes = read_node_table(&b"id,kind,role\n2,call,sink\n0,file,\n"[..], None, &mut words, &())?;
/// assert_eq!((words[2], attributes.get(2, "kind")), (Role::Sink.word(), Some("call")));
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_node_table(
    input: impl Read + Send,
    names: Option<NamesView<'_>>,
    node_data: &mut [u32],
    progress: &dyn Progress,
) -> Result<Attributes, ReadError> {
    let mut reader = Reader::new(names, node_data.len(), Some(node_data));
    for_each_record(input, progress, |record| reader.record(record))?;
    reader.end()
}

/// Calls `visit` with the field of each row of a node table that names its node.
///
/// # Errors
///
/// The input cannot be read, the header has no column for nodes, or what `visit` returns.
pub(crate) fn for_each_node_of_table(
    input: impl Read + Send,
    progress: &dyn Progress,
    mut visit: impl FnMut(&Field<'_>) -> Result<(), LineError> + Send,
) -> Result<(), ReadError> {
    let mut header = Reader::new(None, 0, None);
    for_each_record(input, progress, |record| {
        let Some(column) = header.node_column else { return header.record(record) };
        let mut fields = Fields::new(record.text, record.dialect);
        let mut visit_field = || {
            let mut position = 0;
            while let Some(field) = fields.next()? {
                if position == column {
                    return visit(&field);
                }
                position += 1;
            }
            Ok(())
        };
        visit_field().map_err(|kind| record.error(kind))
    })
}

/// Calls `visit` with each record of a CSV text.
fn for_each_record(
    input: impl Read + Send,
    progress: &dyn Progress,
    mut visit: impl FnMut(&Record<'_>) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    progress.begin(Stage::Reading, None);
    let text = Stream::open(input, progress)?.text();
    let mut records = Records::new();
    for_each_batch(Blocks::new(text, Tuning::default().block_bytes), |blocks| {
        blocks.iter().try_for_each(|block| block.for_each_line(|line| records.line(&line, &mut visit)))
    })?;
    records.end(visit)
}

/// State of the reader.
struct Reader<'n> {
    names: Option<NamesView<'n>>,
    attributes: Attributes,
    /// Words of nodes, which the columns of a node table change.
    words: Option<&'n mut [u32]>,
    /// Column that identifies the node; known after the header.
    node_column: Option<usize>,
    /// Columns with the role and the data of the node.
    word_columns: [Option<usize>; 2],
    /// Line number of each row.
    lines: Vec<u64>,
    /// Values of the current row, until it is validated.
    row: Vec<u32>,
}

impl<'n> Reader<'n> {
    fn new(names: Option<NamesView<'n>>, node_count: usize, words: Option<&'n mut [u32]>) -> Reader<'n> {
        let attributes = Attributes { columns: Vec::new(), rows: vec![ABSENT; node_count] };
        Reader {
            names,
            attributes,
            words,
            node_column: None,
            word_columns: [None; 2],
            lines: Vec::new(),
            row: Vec::new(),
        }
    }

    fn record(&mut self, record: &Record<'_>) -> Result<(), ReadError> {
        let read = match self.node_column {
            None => self.header(record),
            Some(column) => self.row(record, column),
        };
        read.map_err(|kind| record.error(kind))
    }

    fn header(&mut self, record: &Record<'_>) -> Result<(), LineError> {
        let mut fields = Fields::new(record.text, record.dialect);
        let mut names: Vec<(usize, String)> = Vec::new();
        while let Some(field) = fields.next()? {
            let name = text_of(&field)?;
            if name.is_empty() {
                return Err((field.at, TextErrorKind::EmptyColumn { column: names.len() + 1 }));
            }
            if names.len() == MAX_COLUMNS {
                return Err((field.at, TextErrorKind::TooManyColumns { limit: MAX_COLUMNS }));
            }
            names.push((field.at, name));
        }
        let is_called = |word: &str| names.iter().position(|(_, name)| name.eq_ignore_ascii_case(word));
        let Some(node_column) = NODE_COLUMNS.iter().find_map(|word| is_called(word)) else {
            return Err((0, TextErrorKind::NoNodeColumn));
        };
        let mut sorted: Vec<&(usize, String)> = names.iter().collect();
        sorted.sort_by(|one, other| (&one.1, one.0).cmp(&(&other.1, other.0)));
        let repeated = sorted.windows(2).filter(|pair| pair[0].1 == pair[1].1).map(|pair| pair[1]).min();
        if let Some((at, name)) = repeated {
            return Err((*at, TextErrorKind::RepeatedColumn { found: shown(name.as_bytes()) }));
        }
        if self.words.is_some() {
            let [role, data] = WORD_COLUMNS.map(is_called);
            self.word_columns = [role, data.filter(|_| role.is_some())];
        }
        let is_attribute = |column: &usize| *column != node_column && !self.word_columns.contains(&Some(*column));
        let columns = (0..).zip(names).filter(|(column, _)| is_attribute(column));
        self.attributes.columns = columns.map(|(_, (_, name))| Values { name, ..Values::default() }).collect();
        self.node_column = Some(node_column);
        Ok(())
    }

    fn row(&mut self, record: &Record<'_>, node_column: usize) -> Result<(), LineError> {
        let word_columns = self.word_columns;
        let expected = self.attributes.columns.len() + 1 + word_columns.iter().flatten().count();
        let mut fields = Fields::new(record.text, record.dialect);
        let mut node = None;
        let (mut role, mut data) = (None, None);
        let mut count = 0;
        self.row.clear();
        while let Some(field) = fields.next()? {
            if count == expected {
                return Err((field.at, TextErrorKind::ExtraColumn { found: shown(field.text), expected }));
            }
            if count == node_column {
                node = Some((find(&field, self.names, self.attributes.rows.len())?, field));
            } else if Some(count) == word_columns[0] {
                role = if field.text.is_empty() { None } else { Some(read_role(&field)?) };
            } else if Some(count) == word_columns[1] {
                data = if field.text.is_empty() { None } else { Some(read_data(&field)?) };
            } else {
                let text = field.value()?;
                let texts = &mut self.attributes.columns[self.row.len()].texts;
                let mut intern = |text| texts.intern_bytes(text).ok_or((field.at, TextErrorKind::ValuesTooLong));
                self.row.push(if text.is_empty() { ABSENT } else { intern(&text)? });
            }
            count += 1;
        }
        let Some((node, field)) = node.filter(|_| count == expected) else {
            return Err((fields.at(), TextErrorKind::FewColumns { found: count, expected }));
        };
        let row = &mut self.attributes.rows[node as usize];
        if let Some(&first_line) = self.lines.get(*row as usize) {
            return Err((field.at, TextErrorKind::RepeatedNode { found: shown(field.text), first_line }));
        }
        *row = self.lines.len() as u32;
        self.lines.push(record.line);
        if let Some(words) = &mut self.words {
            merge(&mut words[node as usize], role.unwrap_or_default(), data);
        }
        self.attributes.columns.iter_mut().zip(&self.row).for_each(|(column, &value)| column.of_rows.push(value));
        Ok(())
    }

    fn end(mut self) -> Result<Attributes, ReadError> {
        if self.node_column.is_none() {
            return Err(super::error::text_error(1, 0, TextErrorKind::NoNodeColumn));
        }
        for column in &mut self.attributes.columns {
            column.texts.shrink();
            column.of_rows.shrink_to_fit();
        }
        Ok(self.attributes)
    }
}

/// Name of a column.
fn text_of(field: &Field<'_>) -> Result<String, LineError> {
    Ok(String::from_utf8_lossy(&field.value()?).into_owned())
}
