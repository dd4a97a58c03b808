//! Contents of a folder, for the comparison of extractions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use crate::error::Error;

/// Contents of a folder by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: BTreeMap<PathBuf, Node>,
    /// Bytes of all files.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Folder,
    File { size: u64, fingerprint: u128 },
    Link { target: PathBuf },
}

impl Tree {
    /// Reads a folder.
    ///
    /// # Errors
    ///
    /// A part of it cannot be read.
    pub fn read(root: &Path) -> Result<Tree, Error> {
        let mut tree = Tree::default();
        let mut pending = vec![root.to_path_buf()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(&folder).map_err(Error::of_file(&folder))? {
                let path = entry.map_err(Error::of_file(&folder))?.path();
                let kind = fs::symlink_metadata(&path).map_err(Error::of_file(&path))?.file_type();
                let node = if kind.is_dir() {
                    pending.push(path.clone());
                    Node::Folder
                } else if kind.is_symlink() {
                    Node::Link { target: fs::read_link(&path).map_err(Error::of_file(&path))? }
                } else {
                    let content = fs::read(&path).map_err(Error::of_file(&path))?;
                    tree.bytes += content.len() as u64;
                    Node::File { size: content.len() as u64, fingerprint: xxh3_128(&content) }
                };
                tree.nodes.insert(path.strip_prefix(root).unwrap_or(&path).to_path_buf(), node);
            }
        }
        Ok(tree)
    }

    /// Number of files.
    #[must_use]
    pub fn files(&self) -> usize {
        self.nodes.values().filter(|node| matches!(node, Node::File { .. })).count()
    }

    /// Reports whether the folder has exactly one file, of any name, with this content.
    #[must_use]
    pub fn is_file(&self, content: &[u8]) -> bool {
        let expected = Node::File { size: content.len() as u64, fingerprint: xxh3_128(content) };
        self.nodes.len() == 1 && self.nodes.values().all(|node| *node == expected)
    }

    /// First path at which two trees differ.
    #[must_use]
    pub fn difference(&self, other: &Tree) -> Option<PathBuf> {
        let differs = |path: &&PathBuf| self.nodes.get(*path) != other.nodes.get(*path);
        self.nodes.keys().chain(other.nodes.keys()).filter(differs).min().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_differ_where_a_file_does() {
        let folder = tempfile::tempdir().expect("there is room");
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        for root in [&a, &b] {
            fs::create_dir_all(root.join("inner")).expect("there is room");
            fs::write(root.join("inner/file"), "text").expect("there is room");
        }
        let read = |root: &PathBuf| Tree::read(root).expect("it can be read");
        assert_eq!(read(&a).difference(&read(&b)), None);
        assert_eq!((read(&a).files(), read(&a).bytes), (1, 4));
        assert!(read(&a.join("inner")).is_file(b"text"));
        assert!(!read(&a.join("inner")).is_file(b"TEXT") && !read(&a).is_file(b"text"));
        fs::write(b.join("inner/file"), "TEXT").expect("there is room");
        fs::write(b.join("inner/more"), "").expect("there is room");
        assert_eq!(read(&a).difference(&read(&b)), Some("inner/file".into()));
        fs::write(b.join("inner/file"), "text").expect("there is room");
        assert_eq!(read(&b).difference(&read(&a)), Some("inner/more".into()));
    }
}
