//! Output of graphs in any format.

use std::io::Write;

use super::error::WriteError;
use super::format::Format;
use super::formats;
use super::graph::GraphView;
use super::progress::Progress;

/// Writes a graph in a format. [`Format::contents`] lists the parts of the graph that the format preserves.
///
/// # Errors
///
/// The output fails, the graph is not valid, or a name cannot be written.
pub fn write_graph(
    format: Format,
    graph: GraphView<'_>,
    mut output: impl Write,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    (formats::codec(format).write)(graph, &mut output, progress)
}
