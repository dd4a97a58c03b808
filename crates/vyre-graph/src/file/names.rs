//! Interned names of nodes.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::name_index::{NameIndex, hash};

/// Names of all nodes of a graph: one text, and the end of each name in it.
#[derive(Clone, Default)]
pub struct NodeNames {
    text: Vec<u8>,
    ends: Vec<u32>,
    index: OnceLock<NameIndex>,
}

/// Borrowed names: of [`NodeNames`], or of a memory-mapped file.
#[derive(Clone, Copy)]
pub struct NamesView<'g> {
    text: &'g [u8],
    ends: &'g [u32],
    index: &'g OnceLock<NameIndex>,
}

impl NodeNames {
    /// Creates an empty list of names.
    #[must_use]
    pub fn new() -> NodeNames {
        NodeNames::default()
    }

    /// The node with this name. A new name becomes the name of the next node.
    ///
    /// `None` if the number of nodes or the size of all names would exceed `u32::MAX`.
    ///
    /// ```
    /// use vyre_graph::NodeNames;
    ///
    /// let mut names = NodeNames::new();
    /// assert_eq!(names.intern("main"), Some(0));
    /// assert_eq!(names.intern("read line"), Some(1));
    /// assert_eq!(names.intern("main"), Some(0));
    /// assert_eq!(names.view().name(1), Some("read line"));
    /// assert_eq!(names.view().find("read line"), Some(1));
    /// ```
    pub fn intern(&mut self, name: &str) -> Option<u32> {
        self.intern_bytes(name.as_bytes())
    }

    /// Interns a name, which must be UTF-8.
    pub(crate) fn intern_bytes(&mut self, name: &[u8]) -> Option<u32> {
        let hash = self.view().index().hash(name);
        self.intern_hashed(hash, name)
    }

    /// Interns a name with a known hash. The name must be UTF-8.
    pub(crate) fn intern_hashed(&mut self, hash: u32, name: &[u8]) -> Option<u32> {
        if let Some(node) = self.view().find_hashed(hash, name) {
            return Some(node);
        }
        let node = u32::try_from(self.ends.len()).ok().filter(|&node| node < u32::MAX)?;
        let end = u32::try_from(self.text.len() + name.len()).ok()?;
        self.index.get_mut()?.insert(hash, node);
        self.text.extend_from_slice(name);
        self.ends.push(end);
        Some(node)
    }

    /// Borrows the names.
    #[must_use]
    pub fn view(&self) -> NamesView<'_> {
        NamesView::new(&self.text, &self.ends, &self.index)
    }

    /// Names from the sections of a file, which must be valid.
    pub(crate) fn from_sections(text: Vec<u8>, ends: Vec<u32>) -> NodeNames {
        NodeNames { text, ends, index: OnceLock::new() }
    }

    /// Releases unused capacity.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// Bytes of the name of a node, which must exist.
fn bytes_of<'t>(text: &'t [u8], ends: &[u32], node: usize) -> &'t [u8] {
    let start = if node == 0 { 0 } else { ends[node - 1] };
    &text[start as usize..ends[node] as usize]
}

impl<'g> NamesView<'g> {
    /// Borrows names of a text. `ends` must not decrease and must end with the length of the text.
    pub(crate) fn new(text: &'g [u8], ends: &'g [u32], index: &'g OnceLock<NameIndex>) -> NamesView<'g> {
        NamesView { text, ends, index }
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Reports whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Name of a node; `None` for a number that is not a node.
    #[must_use]
    pub fn name(&self, node: u32) -> Option<&'g str> {
        let node = node as usize;
        (node < self.ends.len())
            .then(|| bytes_of(self.text, self.ends, node))
            .and_then(|name| str::from_utf8(name).ok())
    }

    /// All names, by node.
    pub fn iter(&self) -> impl Iterator<Item = &'g str> + use<'g> {
        let names = *self;
        (0..self.ends.len() as u32).map(move |node| names.name(node).unwrap_or_default())
    }

    /// The first node with this name. The first call builds an index of all names.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        self.find_hashed(self.index().hash(name.as_bytes()), name.as_bytes())
    }

    /// The first node with this name, whose hash is known.
    pub(crate) fn find_hashed(&self, hash: u32, name: &[u8]) -> Option<u32> {
        self.index().find(hash, |node| bytes_of(self.text, self.ends, node as usize) == name)
    }

    /// Copies the names.
    #[must_use]
    pub fn to_names(&self) -> NodeNames {
        NodeNames::from_sections(self.text.to_vec(), self.ends.to_vec())
    }

    /// Text of all names.
    pub(crate) fn text(&self) -> &'g [u8] {
        self.text
    }

    /// End of each name in the text.
    pub(crate) fn ends(&self) -> &'g [u32] {
        self.ends
    }

    /// The first node whose name an earlier node has, and that node.
    pub(crate) fn repeated(&self) -> Option<(u32, u32)> {
        // The index has each distinct name once.
        if self.index().len() == self.ends.len() {
            return None;
        }
        let first = |node: u32| {
            let name = bytes_of(self.text, self.ends, node as usize);
            self.find_hashed(self.index().hash(name), name).filter(|&first| first != node)
        };
        (0..self.ends.len() as u32).find_map(|node| Some((node, first(node)?)))
    }

    /// Index of the names. The first call builds it.
    pub(crate) fn index(&self) -> &'g NameIndex {
        self.index.get_or_init(|| {
            let mut index = NameIndex::default();
            index.reserve(self.ends.len());
            let (text, ends, hasher) = (self.text, self.ends, index.hasher());
            let hash_of = |node: usize| hash(&hasher, bytes_of(text, ends, node));
            let hashes: Vec<u32> = (0..ends.len()).into_par_iter().with_min_len(1 << 12).map(hash_of).collect();
            for (node, hash) in (0..).zip(hashes) {
                let name = bytes_of(self.text, self.ends, node as usize);
                if index.find(hash, |node| bytes_of(self.text, self.ends, node as usize) == name).is_none() {
                    index.insert(hash, node);
                }
            }
            index
        })
    }
}

impl PartialEq for NamesView<'_> {
    fn eq(&self, other: &NamesView<'_>) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl Eq for NamesView<'_> {}

impl PartialEq for NodeNames {
    fn eq(&self, other: &NodeNames) -> bool {
        self.view() == other.view()
    }
}

impl Eq for NodeNames {}

impl std::fmt::Debug for NamesView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl std::fmt::Debug for NodeNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.view().fmt(f)
    }
}

/// Distinct names, in the order of their first occurrence.
impl<'n> FromIterator<&'n str> for NodeNames {
    /// # Panics
    ///
    /// If [`intern`](NodeNames::intern) fails.
    fn from_iter<I: IntoIterator<Item = &'n str>>(list: I) -> NodeNames {
        let mut names = NodeNames::new();
        for name in list {
            names.intern(name).expect("names have room in 4 GiB");
        }
        names
    }
}
