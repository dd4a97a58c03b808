//! Reasons for refusing an entry.

use std::fmt;

/// Reason for refusing an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The name is empty.
    EmptyName,
    /// The name contains a NUL byte.
    NulInName,
    /// The name or one of its components is too long for file systems, or the path is too deep.
    NameTooLong,
    /// The system or its file system does not support the name: a device name or invalid Unicode on Windows.
    UnsupportedName,
    /// The name is absolute: it starts with a root, a drive or a server.
    AbsolutePath,
    /// The name contains `..` (path traversal).
    PathTraversal,
    /// A directory of the path is a symbolic link.
    ThroughLink,
    /// A file exists where the path needs a directory.
    FileInTheWay,
    /// A directory of that name exists.
    DirectoryInTheWay,
    /// An earlier entry has the same name, or one that the file system does not distinguish.
    DuplicateName,
    /// A file of that name existed before extraction.
    AlreadyExists,
    /// The target of the symbolic link is empty, too long or contains a NUL byte.
    BadLinkTarget,
    /// The symbolic link leads out of the tree, or a later entry could make it do so.
    LinkLeavesTree,
    /// The target of the hard link is not a file of the same archive.
    HardlinkTarget,
    /// The file system does not support links.
    UnsupportedLink,
    /// The entry is a device, a pipe or a socket.
    SpecialFile,
    /// The entry needs a directory beyond the maximum number.
    TooManyDirectories,
}

impl Refusal {
    /// All refusals.
    pub const ALL: [Refusal; 17] = [
        Refusal::EmptyName,
        Refusal::NulInName,
        Refusal::NameTooLong,
        Refusal::UnsupportedName,
        Refusal::AbsolutePath,
        Refusal::PathTraversal,
        Refusal::ThroughLink,
        Refusal::FileInTheWay,
        Refusal::DirectoryInTheWay,
        Refusal::DuplicateName,
        Refusal::AlreadyExists,
        Refusal::BadLinkTarget,
        Refusal::LinkLeavesTree,
        Refusal::HardlinkTarget,
        Refusal::UnsupportedLink,
        Refusal::SpecialFile,
        Refusal::TooManyDirectories,
    ];

    /// Machine-readable name. Names are permanent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Refusal::EmptyName => "empty-name",
            Refusal::NulInName => "nul-in-name",
            Refusal::NameTooLong => "name-too-long",
            Refusal::UnsupportedName => "unsupported-name",
            Refusal::AbsolutePath => "absolute-path",
            Refusal::PathTraversal => "path-traversal",
            Refusal::ThroughLink => "through-link",
            Refusal::FileInTheWay => "file-in-the-way",
            Refusal::DirectoryInTheWay => "directory-in-the-way",
            Refusal::DuplicateName => "duplicate-name",
            Refusal::AlreadyExists => "already-exists",
            Refusal::BadLinkTarget => "bad-link-target",
            Refusal::LinkLeavesTree => "link-leaves-tree",
            Refusal::HardlinkTarget => "hardlink-target",
            Refusal::UnsupportedLink => "unsupported-link",
            Refusal::SpecialFile => "special-file",
            Refusal::TooManyDirectories => "too-many-directories",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::EmptyName => "it has no name",
            Refusal::NulInName => "its name has a NUL byte",
            Refusal::NameTooLong => "its name is too long",
            Refusal::UnsupportedName => "this system has no files with such a name",
            Refusal::AbsolutePath => "its name is an absolute path",
            Refusal::PathTraversal => "its name goes up with `..`",
            Refusal::ThroughLink => "a directory of its name is a symbolic link",
            Refusal::FileInTheWay => "there is a file where a directory is needed",
            Refusal::DirectoryInTheWay => "there is a directory with its name",
            Refusal::DuplicateName => "an entry before it has the same name",
            Refusal::AlreadyExists => "there is a file with its name already",
            Refusal::BadLinkTarget => "it is a symbolic link to nothing that can be named",
            Refusal::LinkLeavesTree => "it is a symbolic link that leads out of the tree",
            Refusal::HardlinkTarget => "it is a hard link to no file that came from this archive",
            Refusal::UnsupportedLink => "the file system has no such links",
            Refusal::SpecialFile => "it is a device, a pipe or a socket",
            Refusal::TooManyDirectories => "it needs more directories than are allowed",
        })
    }
}
