//! Descriptors of graph file formats.
//!
//! A [`Format`] is a handle of a static descriptor. The table of all formats is [`formats`](super::formats); this module has
//! no dependency on readers and writers, so that errors and options can name a format.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A graph file format: one of [`Format::ALL`].
#[derive(Clone, Copy)]
pub struct Format(&'static FormatInfo);

/// Descriptor of a graph file format.
pub(crate) struct FormatInfo {
    /// Name on the command line. Names are permanent.
    pub(crate) name: &'static str,
    /// Noun phrase with an article, for messages.
    pub(crate) noun: &'static str,
    /// Noun phrase of at most one line, for help texts.
    pub(crate) summary: &'static str,
    /// Extensions of file names in lower case, the preferred one first.
    pub(crate) extensions: &'static [&'static str],
    /// Parts of a graph that files of the format store besides the edges.
    pub(crate) contents: Contents,
    /// True if files are text.
    pub(crate) is_text: bool,
    /// Reports whether a decompressed file that starts with these bytes has the format. It gets the first
    /// [`DETECTION_BYTES`] of the file, or all of a shorter one. `None` for a format without a signature.
    pub(crate) detect: Option<fn(&[u8]) -> bool>,
}

/// Number of bytes at the start of a file that detection may inspect. Formats without a signature are recognised by their first
/// elements or keys.
pub(crate) const DETECTION_BYTES: usize = 4096;

/// Parts of a graph that a file format stores besides the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Contents {
    /// True if edges may have weights.
    pub weights: bool,
    /// True if nodes have their words, with roles.
    pub roles: bool,
    /// Nodes that may have names.
    pub names: NamedNodes,
}

/// Nodes whose names a file format stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamedNodes {
    /// No nodes.
    None,
    /// Nodes at which an edge begins or ends.
    WithEdges,
    /// All nodes.
    All,
}

impl Format {
    pub(crate) const fn new(info: &'static FormatInfo) -> Format {
        Format(info)
    }

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Short description, for help texts.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// Extensions of file names in lower case, the preferred one first.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.0.extensions
    }

    /// Parts of a graph that files of the format store besides the edges.
    #[must_use]
    pub fn contents(self) -> Contents {
        self.0.contents
    }

    /// Reports whether files of the format are text.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.0.is_text
    }

    /// Reports whether a decompressed file that starts with these bytes has the format's signature.
    pub(crate) fn matches(self, head: &[u8]) -> bool {
        self.0.detect.is_some_and(|detect| detect(head))
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Format {}

impl Hash for Format {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.0.name)
    }
}

/// A noun phrase with an article, such as `an edge list`.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.noun)
    }
}
