//! Names of nodes.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::name_index::{NameIndex, hash};

/// The names of all nodes of a graph: one text, and where each name ends in it.
#[derive(Clone, Default)]
pub struct NodeNames {
    text: Vec<u8>,
    ends: Vec<u32>,
    index: OnceLock<NameIndex>,
}

/// Names that lie elsewhere: in [`NodeNames`], or in a file that is mapped into memory.
#[derive(Clone, Copy)]
pub struct NamesView<'g> {
    text: &'g [u8],
    ends: &'g [u32],
    index: &'g OnceLock<NameIndex>,
}

impl NodeNames {
    /// No names.
    #[must_use]
    pub fn new() -> NodeNames {
        NodeNames::default()
    }

    /// The node with this name. A name that is not known yet becomes that of the next node.
    ///
    /// Nothing if there is no room for it: there are at most `u32::MAX` nodes and as many bytes of names.
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

    /// Like [`intern`](NodeNames::intern), for a name that is UTF-8.
    pub(crate) fn intern_bytes(&mut self, name: &[u8]) -> Option<u32> {
        let hash = self.view().index().hash(name);
        self.intern_hashed(hash, name)
    }

    /// Like [`intern`](NodeNames::intern), for a name that is UTF-8 and has this hash.
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

    /// The names, for those who only read them.
    #[must_use]
    pub fn view(&self) -> NamesView<'_> {
        NamesView::new(&self.text, &self.ends, &self.index)
    }

    /// Names from the sections of a file, which were checked.
    pub(crate) fn from_sections(text: Vec<u8>, ends: Vec<u32>) -> NodeNames {
        NodeNames { text, ends, index: OnceLock::new() }
    }

    /// Names that are not to grow any more give back the memory for that.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The bytes of the name of a node that is there.
fn bytes_of<'t>(text: &'t [u8], ends: &[u32], node: usize) -> &'t [u8] {
    let start = if node == 0 { 0 } else { ends[node - 1] };
    &text[start as usize..ends[node] as usize]
}

impl<'g> NamesView<'g> {
    /// Names in one text, in which `ends` never decreases and ends with its length.
    pub(crate) fn new(text: &'g [u8], ends: &'g [u32], index: &'g OnceLock<NameIndex>) -> NamesView<'g> {
        NamesView { text, ends, index }
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of a node; nothing for a node that is not there.
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

    /// The first node with this name. The first call makes an index of all names.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        self.find_hashed(self.index().hash(name.as_bytes()), name.as_bytes())
    }

    /// Like [`find`](NamesView::find), for a name with this hash.
    pub(crate) fn find_hashed(&self, hash: u32, name: &[u8]) -> Option<u32> {
        self.index().find(hash, |node| bytes_of(self.text, self.ends, node as usize) == name)
    }

    /// A copy that owns its names.
    #[must_use]
    pub fn to_names(&self) -> NodeNames {
        NodeNames::from_sections(self.text.to_vec(), self.ends.to_vec())
    }

    /// All names in one text.
    pub(crate) fn text(&self) -> &'g [u8] {
        self.text
    }

    /// Where each name ends in the text.
    pub(crate) fn ends(&self) -> &'g [u32] {
        self.ends
    }

    /// The first node whose name is that of another one before it, and that one.
    pub(crate) fn repeated(&self) -> Option<(u32, u32)> {
        // The index has each name once.
        if self.index().len() == self.ends.len() {
            return None;
        }
        let first = |node: u32| {
            let name = bytes_of(self.text, self.ends, node as usize);
            self.find_hashed(self.index().hash(name), name).filter(|&first| first != node)
        };
        (0..self.ends.len() as u32).find_map(|node| Some((node, first(node)?)))
    }

    /// What finds nodes by names. It is made when it is first asked for.
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

/// Each different name once, in the order in which they first come.
impl<'n> FromIterator<&'n str> for NodeNames {
    /// # Panics
    ///
    /// If there is no room for all of them, as [`intern`](NodeNames::intern) tells.
    fn from_iter<I: IntoIterator<Item = &'n str>>(list: I) -> NodeNames {
        let mut names = NodeNames::new();
        for name in list {
            names.intern(name).expect("names have room in 4 GiB");
        }
        names
    }
}
