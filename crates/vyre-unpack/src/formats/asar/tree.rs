//! Streaming parser of the file tree in the JSON header of an ASAR archive.
//!
//! The parser visits the JSON text without building it in memory. The nesting depth is bounded by `serde_json`, the number of
//! nodes and the bytes of their names by the parser.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::archive::TableMemoryRefused;
use crate::limits::{Budget, LimitExceeded};

/// A directory, file or link.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Path from the root, with `/` between names.
    pub(super) name: Vec<u8>,
    pub(super) is_directory: bool,
    /// Offset of its bytes from the end of the header.
    pub(super) offset: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) is_executable: bool,
    pub(super) link: Option<String>,
    /// True if its bytes are in a file beside the archive.
    pub(super) is_unpacked: bool,
    pub(super) sha256: Option<Box<[u8; 32]>>,
    /// Problem texts of fields with invalid values.
    pub(super) problems: Vec<&'static str>,
}

/// A syntax error of the JSON header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeError {
    /// Offset of the error in the JSON text.
    pub(super) column: usize,
    pub(super) what: &'static str,
}

/// The file tree of an archive.
pub(super) struct Tree {
    /// All nodes except the root, each after its directory.
    pub(super) nodes: Vec<Node>,
    /// The limit that cuts the tree short.
    pub(super) limit: Option<LimitExceeded>,
    /// Set if the system refused the memory for the nodes, which are then not complete.
    pub(super) refused: Option<TableMemoryRefused>,
}

/// Parses the JSON header.
pub(super) fn parse(json: &[u8], budget: &Budget) -> Result<Tree, TreeError> {
    let tree = TreeBuilder {
        nodes: RefCell::default(),
        budget,
        limit: Cell::new(None),
        refused: Cell::new(None),
        // The path of each node repeats the names of its directories.
        name_budget: Cell::new(json.len().saturating_mul(16).saturating_add(1 << 20)),
    };
    let mut reader = serde_json::Deserializer::from_slice(json);
    let root = NodeSeed { tree: &tree, path: Vec::new(), is_root: true };
    let result = root.deserialize(&mut reader).and_then(|()| reader.end());
    let (limit, refused) = (tree.limit.get(), tree.refused.get());
    if limit.is_some() || refused.is_some() {
        return Ok(Tree { nodes: tree.nodes.into_inner(), limit, refused });
    }
    match result {
        Ok(()) => Ok(Tree { nodes: tree.nodes.into_inner(), limit, refused }),
        Err(error) => {
            let before = memchr::memchr_iter(b'\n', json).nth(error.line().saturating_sub(2)).map_or(0, |at| at + 1);
            let line_start = if error.line() <= 1 { 0 } else { before };
            let column = (line_start + error.column()).min(json.len());
            let what = match error.classify() {
                serde_json::error::Category::Eof => "the JSON of the ASAR header ends too early",
                serde_json::error::Category::Data => "the JSON of the ASAR header is no tree of files",
                _ => "the JSON of the ASAR header is damaged",
            };
            Err(TreeError { column, what })
        }
    }
}

/// State of the parser.
struct TreeBuilder<'b> {
    nodes: RefCell<Vec<Node>>,
    budget: &'b Budget,
    limit: Cell<Option<LimitExceeded>>,
    refused: Cell<Option<TableMemoryRefused>>,
    /// Number of bytes of names that may still be allocated.
    name_budget: Cell<usize>,
}

/// Parses a node.
struct NodeSeed<'t, 'b> {
    tree: &'t TreeBuilder<'b>,
    path: Vec<u8>,
    is_root: bool,
}

/// Parses the children of a directory.
struct FilesSeed<'t, 'b, 'p> {
    tree: &'t TreeBuilder<'b>,
    path: &'p [u8],
}

/// Value of a field of any type.
enum Field {
    Number(u64),
    Flag(bool),
    Text(String),
    Nothing,
    /// An object; only the fields of checksums are kept.
    Integrity {
        algorithm: Option<String>,
        hash: Option<String>,
    },
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Field, E> {
        Ok(Field::Number(value))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Field, E> {
        Ok(Field::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Field, E> {
        Ok(Field::Other)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Field, E> {
        Ok(Field::Flag(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Field, E> {
        Ok(Field::Text(value.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Field, E> {
        Ok(Field::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Field, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Field::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Field, A::Error> {
        let (mut algorithm, mut hash) = (None, None);
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let field = match &*key {
                "algorithm" => &mut algorithm,
                "hash" => &mut hash,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = match map.next_value()? {
                Field::Text(text) => Some(text),
                _ => None,
            };
        }
        Ok(Field::Integrity { algorithm, hash })
    }
}

impl Node {
    /// Sets a field. An invalid value is a problem of this node only.
    fn set(&mut self, key: &str, value: Field) {
        let what = match (key, value) {
            ("offset", Field::Number(offset)) => return self.offset = Some(offset),
            ("offset", Field::Text(text)) if let Ok(offset) = text.parse() => return self.offset = Some(offset),
            ("size", Field::Number(size)) => return self.size = Some(size),
            ("size", Field::Nothing) => return self.size = None,
            ("executable", Field::Flag(is_executable)) => return self.is_executable = is_executable,
            ("unpacked", Field::Flag(is_unpacked)) => return self.is_unpacked = is_unpacked,
            ("link", Field::Text(link)) => return self.link = Some(link),
            ("integrity", Field::Integrity { algorithm: Some(algorithm), .. })
                if !algorithm.eq_ignore_ascii_case("SHA256") =>
            {
                return;
            }
            ("integrity", Field::Integrity { algorithm: Some(_), hash: Some(hash) })
                if let Some(digest) = parse_digest(hash.as_bytes()) =>
            {
                return self.sha256 = Some(digest);
            }
            ("offset", _) => "the offset of the file is no number",
            ("size", _) => "the size of the file is no number",
            ("executable", _) => "whether the file is executable is neither true nor false",
            ("unpacked", _) => "whether the file is beside the archive is neither true nor false",
            ("link", _) => "the target of the link is no text",
            _ => "the checksum of the file is none",
        };
        if !self.problems.contains(&what) {
            self.problems.push(what);
        }
    }
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a file, a link or a directory")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let NodeSeed { tree, path, is_root } = self;
        let mut node = Node::default();
        // A directory precedes its children.
        let index = tree.nodes.borrow().len();
        if !is_root {
            let mut nodes = tree.nodes.borrow_mut();
            if nodes.try_reserve(1).is_err() {
                tree.refused.set(Some(TableMemoryRefused::of::<Node>(index + 1)));
                return Err(A::Error::custom("no memory"));
            }
            nodes.push(Node::default());
        }
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match &*key {
                "files" => {
                    node.is_directory = true;
                    if let Err(error) = map.next_value_seed(FilesSeed { tree, path: &path }) {
                        // Directories that were started are kept at a limit.
                        if !is_root {
                            node.name = path;
                            tree.nodes.borrow_mut()[index] = node;
                        }
                        return Err(error);
                    }
                }
                "offset" | "size" | "executable" | "unpacked" | "link" | "integrity" => {
                    node.set(&key, map.next_value()?);
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if is_root {
            return if node.is_directory { Ok(()) } else { Err(A::Error::custom("no files")) };
        }
        node.name = path;
        tree.nodes.borrow_mut()[index] = node;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for FilesSeed<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FilesSeed<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("files by their names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let FilesSeed { tree, path } = self;
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if let Err(exceeded) = tree.budget.reserve_entries(1) {
                tree.limit.set(Some(exceeded));
                return Err(A::Error::custom("too many files"));
            }
            let length = path.len() + 1 + name.len();
            let Some(name_budget) = tree.name_budget.get().checked_sub(length) else {
                return Err(A::Error::custom("names are too long"));
            };
            tree.name_budget.set(name_budget);
            let mut full = Vec::with_capacity(length);
            full.extend_from_slice(path);
            if !path.is_empty() {
                full.push(b'/');
            }
            full.extend_from_slice(name.as_bytes());
            map.next_value_seed(NodeSeed { tree, path: full, is_root: false })?;
        }
        Ok(())
    }
}

/// Parses a digest of 32 bytes in hexadecimal digits.
fn parse_digest(text: &[u8]) -> Option<Box<[u8; 32]>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let mut digest = Box::new([0; 32]);
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.chunks_exact(2)) {
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(digest)
}
