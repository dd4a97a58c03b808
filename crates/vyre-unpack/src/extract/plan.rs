//! Prediction of refusals: what extraction to an empty directory would refuse, without a file system.

use std::collections::HashMap;

use super::path::{DestinationPath, PathRules, split};
use super::refusal::Refusal;
use super::symlink::{self, Found};
use crate::entry::{Entry, EntryKind};

/// Object at a path of the planned tree.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Directory,
    File,
    Link(Vec<u8>),
}

/// A tree of entries in memory that tells which entries extraction would refuse. A list of an archive uses it.
#[derive(Debug, Default)]
pub struct ExtractPlan {
    nodes: HashMap<Vec<u8>, Node>,
}

impl ExtractPlan {
    /// Creates the plan of an empty directory.
    #[must_use]
    pub fn new() -> ExtractPlan {
        ExtractPlan::default()
    }

    /// Adds an entry to the plan. Returns the reason if extraction would refuse it.
    pub fn add(&mut self, entry: &Entry) -> Option<Refusal> {
        self.try_add(entry).err()
    }

    fn try_add(&mut self, entry: &Entry) -> Result<(), Refusal> {
        let destination = DestinationPath::new(&entry.path.names, PathRules::HERE)?;
        match &entry.kind {
            EntryKind::Directory => return self.make_directories(&destination.path),
            EntryKind::Special { .. } => return Err(Refusal::SpecialFile),
            _ if destination.is_archive_root() => return Err(Refusal::EmptyName),
            EntryKind::File | EntryKind::Symlink { .. } | EntryKind::Hardlink { .. } => {}
        }
        let target = match &entry.kind {
            EntryKind::Hardlink { target } => {
                let around = entry.path.names.split_last().map_or(&[][..], |(_, around)| around);
                let names: Vec<Vec<u8>> = around.iter().cloned().chain([target.clone()]).collect();
                let source = DestinationPath::new(&names, PathRules::HERE).map_err(|_| Refusal::HardlinkTarget)?;
                if self.nodes.get(&source.path) != Some(&Node::File) {
                    return Err(Refusal::HardlinkTarget);
                }
                Node::File
            }
            EntryKind::Symlink { target } => Node::Link(target.clone()),
            _ => Node::File,
        };
        self.make_directories(split(&destination.path).0)?;
        let path = destination.path.clone();
        if let Node::Link(target) = &target {
            // The target of a damaged link is not used.
            if !entry.problems.is_empty() && target.is_empty() {
                return Ok(());
            }
            symlink::check_with(&destination, target, &mut |path| match self.nodes.get(path) {
                None => Found::Missing,
                Some(Node::Directory) => Found::Directory,
                Some(Node::File) => Found::Other,
                Some(Node::Link(target)) => Found::Link { target: target.clone(), is_own: true },
            })?;
        }
        match (self.nodes.get(&path), &target, &entry.kind) {
            (Some(Node::Directory), _, _) => Err(Refusal::DirectoryInTheWay),
            // The file gets another name.
            (Some(Node::Link(_)), Node::File, EntryKind::File) => Ok(()),
            (Some(_), _, EntryKind::File) | (None, _, _) => {
                if entry.is_opened && entry.problems.is_empty() {
                    let _ = self.make_directories(&[&path[..], b"!"].concat());
                }
                self.nodes.insert(path, target);
                Ok(())
            }
            (Some(_), _, _) => Err(Refusal::DuplicateName),
        }
    }

    /// Adds a directory and those above it.
    fn make_directories(&mut self, path: &[u8]) -> Result<(), Refusal> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        for end in ends.chain((!path.is_empty()).then_some(path.len())) {
            match self.nodes.get(&path[..end]) {
                Some(Node::Directory) => {}
                Some(Node::Link(_)) => return Err(Refusal::ThroughLink),
                Some(Node::File) => return Err(Refusal::FileInTheWay),
                None => {
                    self.nodes.insert(path[..end].to_vec(), Node::Directory);
                }
            }
        }
        Ok(())
    }
}

/// Names that are taken, for tests of the plan.
#[cfg(test)]
impl ExtractPlan {
    fn paths(&self) -> std::collections::HashSet<&[u8]> {
        self.nodes.keys().map(Vec::as_slice).collect()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::entry::EntryPath;

    fn entry(name: &str, kind: EntryKind) -> Entry {
        Entry {
            path: EntryPath { names: vec![name.as_bytes().to_vec()] },
            kind,
            bytes: Bytes::new(),
            size: Some(0),
            compressed_size: 0,
            method: "tar",
            offset: 0,
            mode: None,
            modified: None,
            problems: Vec::new(),
            is_opened: false,
        }
    }

    fn link(name: &str, target: &str) -> Entry {
        entry(name, EntryKind::Symlink { target: target.as_bytes().to_vec() })
    }

    #[test]
    fn unsafe_entries_are_refused_and_others_are_not() {
        let mut plan = ExtractPlan::new();
        let file = |name| entry(name, EntryKind::File);
        for (entry, refusal) in [
            (file("../../x"), Some(Refusal::PathTraversal)),
            (file("d/a"), None),
            (file("/d/b"), None),
            (link("out", "../x"), Some(Refusal::LinkLeavesTree)),
            (link("root", "/etc"), Some(Refusal::LinkLeavesTree)),
            (link("in", "d/a"), None),
            (link("d/up", "../d"), None),
            (file("in/x"), Some(Refusal::ThroughLink)),
            (file("d/a/x"), Some(Refusal::FileInTheWay)),
            (entry("p", EntryKind::Special { what: "fifo" }), Some(Refusal::SpecialFile)),
            (entry("h", EntryKind::Hardlink { target: b"d/a".to_vec() }), None),
            (entry("i", EntryKind::Hardlink { target: b"none".to_vec() }), Some(Refusal::HardlinkTarget)),
            (file("d/a"), None),
            (file("d"), Some(Refusal::DirectoryInTheWay)),
        ] {
            assert_eq!(plan.add(&entry), refusal, "{}", entry.path.display());
        }
        assert!(plan.paths().contains(&b"d/b"[..]));
    }
}
