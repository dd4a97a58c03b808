//! The table of graph file formats.
//!
//! To add a format, write `<format>.rs` in this folder with a static `CODEC`, and add a line to the table below. The command
//! line, detection and the round-trip tests follow from the table.

use std::path::Path;

use super::codec::Codec;
use super::format::Format;
use super::input::uncompressed_name;

/// Declares the module of each format, its constant of [`Format`], and the tables of formats and codecs.
macro_rules! formats {
    ($($(#[$doc:meta])* $constant:ident = $module:ident;)*) => {
        $(mod $module;)*

        impl Format {
            $($(#[$doc])* pub const $constant: Format = $module::CODEC.format();)*

            /// All formats.
            pub const ALL: [Format; FORMATS] = [$(Format::$constant),*];
        }

        const FORMATS: usize = [$(stringify!($module)),*].len();

        /// Codecs of all formats, in the order of [`Format::ALL`].
        pub(crate) static CODECS: [&Codec; FORMATS] = [$(&$module::CODEC),*];
    };
}

formats! {
    /// Lines `source target [weight]`, with any separators.
    EDGE_LIST = edge_list;
    /// Lines of columns with one delimiter, usually with a header line that names them.
    CSV = csv;
    /// A sparse matrix with an edge for each entry.
    MATRIX_MARKET = matrix_market;
    /// The arrays of a graph as they lie in memory, with checksums.
    BINARY = binary;
    /// XML with keys for the attributes of nodes and edges.
    GRAPHML = graphml;
    /// The XML of Gephi.
    GEXF = gexf;
    /// Nested lists of keys and values.
    GML = gml;
    /// The language of Graphviz.
    DOT = dot;
    /// An object with arrays of nodes and edges, as networkx and D3 write it.
    JSON = json;
    /// A zip archive of the arrays of a sparse matrix, as SciPy writes it.
    NPZ = npz;
}

impl Format {
    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that the extension of a file name selects; a trailing `.gz`, `.bz2`, `.xz` or `.zst` does not count.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Format> {
        let found = uncompressed_name(path).extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.extensions().contains(&found.as_str()))
    }

    /// The format whose signature the first bytes of a decompressed file have. Edge lists and CSV files have none.
    #[must_use]
    pub fn from_first_bytes(bytes: &[u8]) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.matches(bytes))
    }
}

/// Detects the format of a file by its first bytes, or else by its name. Files without either are edge lists.
pub(crate) fn detect(head: &[u8], path: Option<&Path>) -> Format {
    let by_name = || path.and_then(Format::from_path);
    Format::from_first_bytes(head).or_else(by_name).unwrap_or(Format::EDGE_LIST)
}

/// Codec of a format.
pub(crate) fn codec(format: Format) -> &'static Codec {
    CODECS.into_iter().find(|codec| codec.format() == format).expect("a `Format` is a handle of a codec of the table")
}
