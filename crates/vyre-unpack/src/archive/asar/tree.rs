//! The tree of files in the header of an archive of Electron.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::limits::{Budget, LimitExceeded};

/// A directory, file or link.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Its name, with those of the directories around it.
    pub(super) name: Vec<u8>,
    pub(super) is_directory: bool,
    /// Where its bytes begin, from the end of the header.
    pub(super) offset: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) is_executable: bool,
    pub(super) link: Option<String>,
    /// Whether its bytes are in a file beside the archive.
    pub(super) is_unpacked: bool,
    pub(super) sha256: Option<Box<[u8; 32]>>,
    /// What its fields have that they cannot have.
    pub(super) problems: Vec<&'static str>,
}

/// The JSON cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeError {
    /// How many bytes could be.
    pub(super) column: usize,
    pub(super) what: &'static str,
}

/// All nodes but the root, each after the directory around it, or those up to the limit that forbids more.
pub(super) fn read(json: &[u8], budget: &Budget) -> Result<(Vec<Node>, Option<LimitExceeded>), TreeError> {
    let tree = Tree {
        nodes: RefCell::default(),
        budget,
        limit: Cell::new(None),
        // Names are in the text once, and then once more for each file below a directory.
        names: Cell::new(json.len().saturating_mul(16).saturating_add(1 << 20)),
    };
    // Depth is bounded by the reader of JSON.
    let mut reader = serde_json::Deserializer::from_slice(json);
    let root = NodeSeed { tree: &tree, path: Vec::new(), is_root: true };
    let result = root.deserialize(&mut reader).and_then(|()| reader.end());
    if let Some(exceeded) = tree.limit.get() {
        return Ok((tree.nodes.into_inner(), Some(exceeded)));
    }
    match result {
        Ok(()) => Ok((tree.nodes.into_inner(), None)),
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

struct Tree<'b> {
    nodes: RefCell<Vec<Node>>,
    budget: &'b Budget,
    limit: Cell<Option<LimitExceeded>>,
    /// How many bytes of names there may still be.
    names: Cell<usize>,
}

/// Reads a node.
struct NodeSeed<'t, 'b> {
    tree: &'t Tree<'b>,
    path: Vec<u8>,
    is_root: bool,
}

/// Reads what is in a directory.
struct FilesSeed<'t, 'b, 'p> {
    tree: &'t Tree<'b>,
    path: &'p [u8],
}

/// The value of a field, whatever it should be.
enum Field {
    Number(u64),
    Flag(bool),
    Text(String),
    Nothing,
    /// Texts in an object by their names: only what is about checksums.
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
            let place = match &*key {
                "algorithm" => &mut algorithm,
                "hash" => &mut hash,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *place = match map.next_value()? {
                Field::Text(text) => Some(text),
                _ => None,
            };
        }
        Ok(Field::Integrity { algorithm, hash })
    }
}

impl Node {
    /// Takes the value of a field. What it cannot be is a problem of this node alone.
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
                if let Some(digest) = hexadecimal(hash.as_bytes()) =>
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
        // The directory comes before what is in it.
        let index = tree.nodes.borrow().len();
        if !is_root {
            tree.nodes.borrow_mut().push(Node::default());
        }
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match &*key {
                "files" => {
                    node.is_directory = true;
                    if let Err(error) = map.next_value_seed(FilesSeed { tree, path: &path }) {
                        // At a limit the directories stay that were begun.
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
            if let Err(exceeded) = tree.budget.take_entries(1) {
                tree.limit.set(Some(exceeded));
                return Err(A::Error::custom("too many files"));
            }
            let length = path.len() + 1 + name.len();
            let Some(names) = tree.names.get().checked_sub(length) else {
                return Err(A::Error::custom("names are too long"));
            };
            tree.names.set(names);
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

/// A digest of 32 bytes in hexadecimal digits.
fn hexadecimal(text: &[u8]) -> Option<Box<[u8; 32]>> {
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
