//! Input of graphs from files and streams in any format.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::attributes::Attributes;
use super::codec::{Codec, Parsed, Storage, TextFacts};
use super::error::ReadError;
use super::format::{DETECTION_BYTES, Format};
use super::formats::{self, CODECS};
use super::graph::{Graph, GraphView};
use super::input::{Input, Source, Stream};
use super::options::ReadOptions;
use super::progress::{Progress, Stage};
use crate::index::GraphIndex;
use crate::valid::ValidGraph;

/// A graph that was read into memory or mapped from a file.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) storage: Storage,
    format: Format,
    is_compressed: bool,
    text: TextFacts,
    pub(super) attributes: Option<Attributes>,
    version: Option<u32>,
}

impl Loaded {
    /// View of the graph.
    #[must_use]
    pub fn view(&self) -> GraphView<'_> {
        match &self.storage {
            Storage::Memory { graph, .. } => graph.view(),
            Storage::Mapped(file) => file.view(),
        }
    }

    /// The graph, which was validated when it was read, and its index if a binary file has it.
    #[must_use]
    pub fn valid(&self) -> ValidGraph<'_> {
        match &self.storage {
            Storage::Memory { graph, index } => {
                ValidGraph::from_checked(graph.csr.view(), index.as_ref().map(GraphIndex::view))
            }
            Storage::Mapped(file) => file.valid(),
        }
    }

    /// The graph in memory. A mapped graph is copied.
    #[must_use]
    pub fn into_graph(self) -> Graph {
        match self.storage {
            Storage::Memory { graph, .. } => graph,
            Storage::Mapped(file) => file.view().to_graph(),
        }
    }

    /// Format of the input.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Version of the format of a binary file.
    #[must_use]
    pub fn format_version(&self) -> Option<u32> {
        self.version
    }

    /// Reports whether the input was compressed with gzip.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// Line number, from 1, of the header of an edge list or a CSV file.
    #[must_use]
    pub fn header_line(&self) -> Option<u64> {
        self.text.header_line
    }

    /// Attributes of nodes, if the file has some.
    #[must_use]
    pub fn attributes(&self) -> Option<&Attributes> {
        self.attributes.as_ref()
    }

    /// Line number of the first edge, if its nodes have names that are usual in headers, such as `source` and `target`.
    #[must_use]
    pub fn likely_header_line(&self) -> Option<u64> {
        self.text.likely_header_line
    }

    /// Reason why the graph has no weights, although its file has some: [`Weights::IfValid`](super::Weights::IfValid) was given, and
    /// this is the first weight that cannot be read.
    #[must_use]
    pub fn weight_error(&self) -> Option<&ReadError> {
        self.text.weight_error.as_deref()
    }

    /// Number of nodes that exist only because a text has higher numbers: nodes without edges that neither the text nor
    /// [`min_nodes`](ReadOptions::min_nodes) declares. [`compact`](ReadOptions::compact) omits them.
    #[must_use]
    pub fn unmentioned_nodes(&self) -> usize {
        if self.text.is_counted_by_highest { self.view().csr.isolated_nodes() } else { 0 }
    }

    /// Reports whether the graph lies in a file that is mapped into memory.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.storage, Storage::Mapped(_))
    }
}

/// Reads a graph on all threads. Inputs may be compressed with gzip. An uncompressed binary file is mapped into memory.
///
/// # Errors
///
/// The input cannot be read, or the first error in it.
///
/// ```
/// use vyre_graph::{Format, Input, ReadOptions, read_graph};
///
/// let text = b"# three edges\n0 1 10\n0 2 20\n1 2 30\n";
/// let loaded = read_graph(Input::from(&text[..]), &ReadOptions::default(), &())?;
/// assert_eq!(loaded.view().csr.neighbours(0), [1, 2]);
/// assert_eq!(loaded.view().weights, Some(&[10, 20, 30][..]));
/// assert_eq!(loaded.format(), Format::EDGE_LIST);
///
/// let wrong = read_graph(Input::from(&b"0 1\n0 two\n"[..]), &ReadOptions::default(), &());
/// let text = wrong.expect_err("`two` is no number").to_string();
/// assert!(text.starts_with("line 2, column 3: the target `two` is not a number"));
/// # Ok::<(), vyre_graph::ReadError>(())
/// ```
pub fn read_graph(input: Input<'_>, options: &ReadOptions, progress: &dyn Progress) -> Result<Loaded, ReadError> {
    match options.max_nodes {
        Some(max) if options.min_nodes > max => return Err(ReadError::MinNodes { min: options.min_nodes, max }),
        _ => {}
    }
    match input.source {
        Source::Reader { reader, name } => {
            progress.begin(Stage::Reading, None);
            read_stream(reader, name.as_deref(), options, progress)
        }
        Source::Path(path) => {
            let file = File::open(&path)?;
            let metadata = file.metadata()?;
            if metadata.is_file()
                && let Some(codec) = mappable(&path, options)?
                && let Some(open) = codec.open
            {
                let (storage, version) = open(&file, options, progress)?;
                return Ok(Loaded {
                    storage,
                    format: codec.format(),
                    is_compressed: false,
                    text: TextFacts::default(),
                    attributes: None,
                    version,
                });
            }
            progress.begin(Stage::Reading, metadata.is_file().then_some(metadata.len()));
            read_stream(file, Some(&path), options, progress)
        }
    }
}

/// Codec that maps this file: the file is not compressed and has the signature of a format that is used in place.
fn mappable(path: &Path, options: &ReadOptions) -> Result<Option<&'static Codec>, ReadError> {
    let is_wanted = |codec: &&'static Codec| options.format.is_none_or(|format| format == codec.format());
    let mut codecs = CODECS.into_iter().filter(|codec| codec.open.is_some()).filter(is_wanted).peekable();
    if codecs.peek().is_none() {
        return Ok(None);
    }
    let mut head = Vec::new();
    File::open(path)?.take(DETECTION_BYTES as u64).read_to_end(&mut head)?;
    Ok(codecs.find(|codec| codec.format().matches(&head)))
}

fn read_stream(
    input: impl Read + Send,
    path: Option<&Path>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Loaded, ReadError> {
    let stream = Stream::open(input, progress)?;
    let is_compressed = stream.is_compressed();
    let format = options.format.unwrap_or_else(|| formats::detect(stream.head(), path));
    let Parsed { graph, index, text, attributes, version } = (formats::codec(format).read)(stream, options, progress)?;
    Ok(Loaded { storage: Storage::Memory { graph, index }, format, is_compressed, text, attributes, version })
}
