//! Opening of graph inputs: files of the library's formats, compressed or not, tables of edges, and files of packages.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _};
use std::path::Path;

use vyre::graph::Input as GraphInput;
use vyre::graph::file::{gzip_content, uncompressed_name};
use vyre::memory::exit_if_a_map_is_truncated;
use vyre::packages::Format as PackageFormat;
#[cfg(feature = "tables")]
use vyre::tables::{TableFormat, TableInput};

use super::compressed::{decompressed, is_compressed};
#[cfg(feature = "tables")]
use crate::args::graph::FileFormat;
use crate::args::graph::ReadArgs;
use crate::exit::Outcome;
use crate::input::Input;
use crate::output::visible;

/// An input whose kind is known.
pub(super) enum Opened {
    Graph(GraphInput<'static>),
    #[cfg(feature = "tables")]
    Table(TableFormat, TableInput<'static>),
    /// A lock file or an SBOM.
    Packages(PackageFormat, Box<dyn Read + Send>),
}

/// Opens an input for the library. Returns the size of a regular file as well.
pub(super) fn open(input: &Input, args: &ReadArgs) -> io::Result<(Opened, Option<u64>)> {
    match input {
        Input::Stdin => Ok((open_stream(decompressed("", io::stdin())?, "", args, GraphInput::reader)?, None)),
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
                open_file(path, args)?
            } else {
                let content = decompressed(&path.to_string_lossy(), File::open(path)?)?;
                open_stream(content, &content_name(path), args, |content| GraphInput::named_reader(content, path))?
            };
            Ok((opened, metadata.is_file().then_some(metadata.len())))
        }
    }
}

fn open_file(path: &Path, args: &ReadArgs) -> io::Result<Opened> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    if head.starts_with(&GZIP) {
        file.rewind()?;
        // The library of graphs opens the file again, to report how much of it was read.
        let graph = |_| GraphInput::path(path);
        return open_stream(Box::new(file), &content_name(path), args, graph);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(format) = package_format(&name, &head, args) {
        file.rewind()?;
        return Ok(Opened::Packages(format, Box::new(file)));
    }
    #[cfg(feature = "tables")]
    if let Some(format) = table_format(&head, args.input_format) {
        file.rewind()?;
        return Ok(Opened::Table(format, TableInput::file(file)));
    }
    Ok(Opened::Graph(GraphInput::path(path)))
}

fn open_stream(
    content: Box<dyn Read + Send>,
    name: &str,
    args: &ReadArgs,
    graph: impl FnOnce(Box<dyn Read + Send>) -> GraphInput<'static>,
) -> io::Result<Opened> {
    let mut content = gzip_content(content)?;
    let mut head = Vec::new();
    // An error of the first bytes is that of the reader of the file.
    let failure = content.by_ref().take(HEAD_BYTES).read_to_end(&mut head).err();
    let packages = package_format(name, &head, args);
    #[cfg(feature = "tables")]
    let table = table_format(&head, args.input_format);
    let content = Cursor::new(head).chain(Failing(failure)).chain(content);
    if let Some(format) = packages {
        return Ok(Opened::Packages(format, Box::new(content)));
    }
    #[cfg(feature = "tables")]
    if let Some(format) = table {
        return Ok(Opened::Table(format, TableInput::reader(content)));
    }
    Ok(Opened::Graph(graph(Box::new(content))))
}

/// A reader that fails once if there is an error, and has no bytes.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// First bytes of gzip.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Name of the content of a file, without its folder and without the extension of a compressed file.
fn content_name(path: &Path) -> String {
    uncompressed_name(Path::new(path.file_name().unwrap_or_default())).to_string_lossy().into_owned()
}

/// Number of first bytes by which tables and files of packages are recognised.
const HEAD_BYTES: u64 = 16 << 10;

/// The format of a file of packages. A format or `--names` in the arguments means another kind of file.
fn package_format(name: &str, head: &[u8], args: &ReadArgs) -> Option<PackageFormat> {
    if args.input_format.is_some() || args.names { None } else { PackageFormat::detect(name, head) }
}

/// The format of a table: the one of the arguments, or else the one of its first bytes.
#[cfg(feature = "tables")]
fn table_format(head: &[u8], format: Option<FileFormat>) -> Option<TableFormat> {
    match format {
        Some(FileFormat::Table(format)) => Some(format),
        Some(FileFormat::Graph(_)) => None,
        None => TableFormat::from_first_bytes(head),
    }
}
