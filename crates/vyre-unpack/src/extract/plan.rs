//! Prediction of refusals: what extraction to an empty directory would refuse, without a file system.

use std::collections::{HashMap, TryReserveError};
use std::hash::{BuildHasher as _, BuildHasherDefault, Hash, Hasher, RandomState};

use super::path::{DestinationPath, PathRules, split};
use super::refusal::Refusal;
use super::symlink::{self, Found};
use crate::entry::{Entry, EntryKind};

/// Object at a path of the planned tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Directory,
    File,
    Link,
}

/// A path as two hashes with keys of their own. An archive may have hundreds of thousands of paths, which would take too much
/// memory. The keys are random, so that nobody can make an archive with two paths of the same hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PathKey(u64, u64);

impl Hash for PathKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0);
    }
}

/// The hash of a key that is a hash itself.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A table by paths.
type PathMap<T> = HashMap<PathKey, T, BuildHasherDefault<KeyHasher>>;

/// A tree of entries in memory that tells which entries extraction would refuse. A list of an archive uses it.
#[derive(Debug, Default)]
pub struct ExtractPlan {
    nodes: PathMap<Node>,
    /// Targets of links.
    targets: PathMap<Box<[u8]>>,
    hashes: [RandomState; 2],
}

/// Reason for which an entry is not added.
enum Stop {
    Refused(Refusal),
    OutOfMemory(TryReserveError),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl From<TryReserveError> for Stop {
    fn from(error: TryReserveError) -> Stop {
        Stop::OutOfMemory(error)
    }
}

impl ExtractPlan {
    /// Creates the plan of an empty directory.
    #[must_use]
    pub fn new() -> ExtractPlan {
        ExtractPlan::default()
    }

    /// Adds an entry to the plan. Returns the reason if extraction would refuse it.
    ///
    /// # Errors
    ///
    /// The system refuses the memory.
    pub fn add(&mut self, entry: &Entry) -> Result<Option<Refusal>, TryReserveError> {
        match self.try_add(entry) {
            Ok(()) => Ok(None),
            Err(Stop::Refused(refusal)) => Ok(Some(refusal)),
            Err(Stop::OutOfMemory(error)) => Err(error),
        }
    }

    fn key(&self, path: &[u8]) -> PathKey {
        let [one, other] = &self.hashes;
        PathKey(one.hash_one(path), other.hash_one(path))
    }

    fn node(&self, path: &[u8]) -> Option<Node> {
        self.nodes.get(&self.key(path)).copied()
    }

    fn insert(&mut self, path: &[u8], node: Node) -> Result<(), TryReserveError> {
        let key = self.key(path);
        self.nodes.try_reserve(1)?;
        self.nodes.insert(key, node);
        Ok(())
    }

    fn try_add(&mut self, entry: &Entry) -> Result<(), Stop> {
        let destination = DestinationPath::new(&entry.path.names, PathRules::HERE)?;
        let node = match &entry.kind {
            EntryKind::Directory => return self.make_directories(&destination.path),
            EntryKind::Special { .. } => return Err(Refusal::SpecialFile.into()),
            _ if destination.is_archive_root() => return Err(Refusal::EmptyName.into()),
            EntryKind::File => Node::File,
            EntryKind::Symlink { .. } => Node::Link,
            EntryKind::Hardlink { target } => {
                let around = entry.path.names.split_last().map_or(&[][..], |(_, around)| around);
                let names: Vec<Vec<u8>> = around.iter().cloned().chain([target.clone()]).collect();
                let source = DestinationPath::new(&names, PathRules::HERE).map_err(|_| Refusal::HardlinkTarget)?;
                if self.node(&source.path) != Some(Node::File) {
                    return Err(Refusal::HardlinkTarget.into());
                }
                Node::File
            }
        };
        self.make_directories(split(&destination.path).0)?;
        let path = &destination.path;
        if let EntryKind::Symlink { target } = &entry.kind {
            // The target of a damaged link is not used.
            if !entry.problems.is_empty() && target.is_empty() {
                return Ok(());
            }
            symlink::check_with(&destination, target, &mut |path| match self.node(path) {
                None => Found::Missing,
                Some(Node::Directory) => Found::Directory,
                Some(Node::File) => Found::Other,
                Some(Node::Link) => {
                    let target = self.targets.get(&self.key(path)).map_or_else(Vec::new, |target| target.to_vec());
                    Found::Link { target, is_own: true }
                }
            })?;
        }
        match (self.node(path), &entry.kind) {
            (Some(Node::Directory), _) => Err(Refusal::DirectoryInTheWay.into()),
            // The file gets another name.
            (Some(Node::Link), EntryKind::File) => Ok(()),
            (Some(_), EntryKind::File) | (None, _) => {
                if entry.is_opened && entry.problems.is_empty() {
                    match self.make_directories(&[&path[..], b"!"].concat()) {
                        Ok(()) | Err(Stop::Refused(_)) => {}
                        Err(stop) => return Err(stop),
                    }
                }
                if let EntryKind::Symlink { target } = &entry.kind {
                    let key = self.key(path);
                    self.targets.try_reserve(1)?;
                    self.targets.insert(key, target.as_slice().into());
                }
                Ok(self.insert(path, node)?)
            }
            (Some(_), _) => Err(Refusal::DuplicateName.into()),
        }
    }

    /// Adds a directory and those above it.
    fn make_directories(&mut self, path: &[u8]) -> Result<(), Stop> {
        // Most entries are in a directory that exists.
        if path.is_empty() || self.node(path) == Some(Node::Directory) {
            return Ok(());
        }
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        for end in ends.chain([path.len()]) {
            match self.node(&path[..end]) {
                Some(Node::Directory) => {}
                Some(Node::Link) => return Err(Refusal::ThroughLink.into()),
                Some(Node::File) => return Err(Refusal::FileInTheWay.into()),
                None => self.insert(&path[..end], Node::Directory)?,
            }
        }
        Ok(())
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
            assert_eq!(plan.add(&entry), Ok(refusal), "{}", entry.path.display());
        }
        assert_eq!(plan.node(b"d/b"), Some(Node::File));
    }
}
