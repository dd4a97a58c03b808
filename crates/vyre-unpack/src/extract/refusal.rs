//! Why an entry is not extracted.

use std::fmt;

/// Why an entry is not extracted, though the archive has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// It has no name.
    EmptyName,
    /// Its name has a NUL byte.
    NulInName,
    /// Its name, or a part of it, is longer than file systems take, or it is in too many directories.
    NameTooLong,
    /// This system, or its file system, has no files with such a name: that of a device, or no Unicode, on Windows.
    UnsupportedName,
    /// Its name begins at a root, a drive or a server.
    AbsolutePath,
    /// Its name goes up, with `..`.
    PathTraversal,
    /// A directory of its name is a symbolic link.
    ThroughLink,
    /// A directory of its name is a file, or it is a directory itself and there is a file.
    FileInTheWay,
    /// There is a directory with its name.
    DirectoryInTheWay,
    /// An entry before it has the same name, or one that is the same for the file system.
    DuplicateName,
    /// There was a file with its name before the archive was opened.
    AlreadyExists,
    /// It is a symbolic link without a target that can be written.
    BadLinkTarget,
    /// It is a symbolic link that leads out of the tree, or can be made to.
    LinkLeavesTree,
    /// It is a hard link to something that is no file from this archive.
    HardlinkTarget,
    /// It is a link, and the file system has none.
    UnsupportedLink,
    /// It is a device, a pipe or a socket.
    SpecialFile,
    /// It needs a directory, and as many were made as are allowed.
    TooManyDirectories,
}

impl Refusal {
    /// All of them.
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

    /// The name for programs. Names are permanent.
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
