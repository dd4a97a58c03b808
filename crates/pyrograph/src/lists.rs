//! Linked lists of entries for each node, in one array.

/// Lists of entries for each node. The newest entry is the first one.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    heads: Vec<u32>,
    entries: Vec<(T, u32)>,
}

const END: u32 = u32::MAX;

impl<T: Copy> Lists<T> {
    /// Empty lists.
    pub(crate) fn new() -> Lists<T> {
        Lists { heads: Vec::new(), entries: Vec::new() }
    }

    /// Adds an entry to the list of a node.
    pub(crate) fn push(&mut self, node: u32, entry: T) {
        let node = node as usize;
        if self.heads.len() <= node {
            self.heads.resize(node + 1, END);
        }
        let position = self.entries.len() as u32;
        self.entries.push((entry, self.heads[node]));
        self.heads[node] = position;
    }

    /// All entries in the order of their addition.
    pub(crate) fn into_entries(self) -> Vec<T> {
        self.entries.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Position of the first entry of a node.
    pub(crate) fn first(&self, node: u32) -> u32 {
        self.heads.get(node as usize).copied().unwrap_or(END)
    }

    /// Entry at a position, and the position of the next one. None: the end.
    pub(crate) fn get(&self, position: u32) -> Option<(T, u32)> {
        if position == END { None } else { self.entries.get(position as usize).copied() }
    }
}
