//! Opening of graph inputs: files of the library's formats, compressed or not, and tables of edges.

use std::fs::File;
use std::io;
#[cfg(feature = "tables")]
use std::io::{Cursor, Read};

use vyre::graph::Input as GraphInput;
use vyre::memory::exit_if_a_map_is_truncated;
#[cfg(feature = "tables")]
use vyre::tables::{TableFormat, TableInput};

use super::compressed::{decompressed, is_compressed};
use crate::args::graph::FileFormat;
use crate::exit::Outcome;
use crate::input::Input;
use crate::output::visible;

/// An input whose kind is known.
pub(super) enum Opened {
    Graph(GraphInput<'static>),
    #[cfg(feature = "tables")]
    Table(TableFormat, TableInput<'static>),
}

/// Opens an input for the library. Returns the size of a regular file as well.
pub(super) fn open(input: &Input, format: Option<FileFormat>) -> io::Result<(Opened, Option<u64>)> {
    match input {
        Input::Stdin => Ok((open_stream(decompressed("", io::stdin())?, format, GraphInput::reader)?, None)),
        Input::File(path) => {
            let metadata = std::fs::metadata(path)?;
            if metadata.is_dir() {
                return Err(io::Error::other("it is a directory"));
            }
            let opened = if metadata.is_file() && !is_compressed(path)? {
                // Binary files are mapped.
                let name = path.to_string_lossy();
                exit_if_a_map_is_truncated(
                    format!("error: {} was truncated while it was read\n", visible(&name)),
                    Outcome::Failure.code().into(),
                );
                open_file(path, format)?
            } else {
                let content = decompressed(&path.to_string_lossy(), File::open(path)?)?;
                open_stream(content, format, |content| GraphInput::named_reader(content, path))?
            };
            Ok((opened, metadata.is_file().then_some(metadata.len())))
        }
    }
}

#[cfg(feature = "tables")]
fn open_file(path: &std::path::Path, format: Option<FileFormat>) -> io::Result<Opened> {
    use std::io::Seek as _;
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(match table_format(&head, format) {
        Some(format) => {
            file.rewind()?;
            Opened::Table(format, TableInput::file(file))
        }
        None => Opened::Graph(GraphInput::path(path)),
    })
}

#[cfg(not(feature = "tables"))]
fn open_file(path: &std::path::Path, _: Option<FileFormat>) -> io::Result<Opened> {
    Ok(Opened::Graph(GraphInput::path(path)))
}

#[cfg(feature = "tables")]
fn open_stream(
    mut content: Box<dyn Read + Send>,
    format: Option<FileFormat>,
    graph: impl FnOnce(Box<dyn Read + Send>) -> GraphInput<'static>,
) -> io::Result<Opened> {
    let mut head = Vec::new();
    content.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let format = table_format(&head, format);
    let content = Cursor::new(head).chain(content);
    Ok(match format {
        Some(format) => Opened::Table(format, TableInput::reader(content)),
        None => Opened::Graph(graph(Box::new(content))),
    })
}

#[cfg(not(feature = "tables"))]
fn open_stream(
    content: Box<dyn io::Read + Send>,
    _: Option<FileFormat>,
    graph: impl FnOnce(Box<dyn io::Read + Send>) -> GraphInput<'static>,
) -> io::Result<Opened> {
    Ok(Opened::Graph(graph(content)))
}

/// Number of first bytes by which tables are recognised.
#[cfg(feature = "tables")]
const HEAD_BYTES: u64 = 8;

/// The format of a table: the one of the arguments, or else the one of its first bytes.
#[cfg(feature = "tables")]
fn table_format(head: &[u8], format: Option<FileFormat>) -> Option<TableFormat> {
    match format {
        Some(FileFormat::Table(format)) => Some(format),
        Some(FileFormat::Graph(_)) => None,
        None => TableFormat::from_first_bytes(head),
    }
}
