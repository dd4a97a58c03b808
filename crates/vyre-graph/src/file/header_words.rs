//! Titles of the columns of edge tables.

/// Names of the source column in headers, in lower case, letters and digits only.
const SOURCE_WORDS: &[&str] = &[
    "source",
    "src",
    "from",
    "start",
    "tail",
    "u",
    "caller",
    "parent",
    "sourceid",
    "srcid",
    "fromid",
    "startid",
    "fromnode",
    "fromnodeid",
    "sourcenode",
    "node1",
    "id1",
    "parentid",
    "sourcename",
];
/// Names of the target column.
const TARGET_WORDS: &[&str] = &[
    "target",
    "dst",
    "dest",
    "destination",
    "to",
    "end",
    "head",
    "v",
    "callee",
    "child",
    "targetid",
    "dstid",
    "toid",
    "endid",
    "tonode",
    "tonodeid",
    "targetnode",
    "node2",
    "id2",
    "childid",
    "targetname",
];
/// Names of the weight column.
const WEIGHT_WORDS: &[&str] = &["weight", "weights", "w", "wgt", "wt", "cost"];

/// Names of both columns that nodes can have too, so that they mark no header if nodes are names.
const AMBIGUOUS_WORDS: &[&str] = &["u", "v", "start", "end", "head", "tail", "node1", "node2", "id1", "id2"];

/// A column of an edge table that has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeColumn {
    /// Nodes at which edges begin.
    Source,
    /// Nodes at which edges end.
    Target,
    /// Weights of edges.
    Weight,
}

impl EdgeColumn {
    /// The column with this title. Case and all characters but letters and digits do not count. None: the title is not a usual one.
    #[must_use]
    pub fn of_title(title: &[u8]) -> Option<EdgeColumn> {
        match title {
            _ if is_one_of(SOURCE_WORDS, title) => Some(EdgeColumn::Source),
            _ if is_one_of(TARGET_WORDS, title) => Some(EdgeColumn::Target),
            _ if is_one_of(WEIGHT_WORDS, title) => Some(EdgeColumn::Weight),
            _ => None,
        }
    }
}

/// Reports whether nodes can have the name of this column too.
pub(crate) fn is_ambiguous(title: &[u8]) -> bool {
    is_one_of(AMBIGUOUS_WORDS, title)
}

fn is_one_of(words: &[&str], text: &[u8]) -> bool {
    let letters = || text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase);
    text.is_ascii() && words.iter().any(|word| letters().eq(word.bytes()))
}
