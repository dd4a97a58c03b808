//! Graph file formats in arguments and help texts. All of them come from the table of formats.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vyre::graph::Format;
use vyre::graph::file::NamedNodes;
use vyre::packages::DependencyKind;
#[cfg(feature = "tables")]
use vyre::tables::TableFormat;

/// Format of a graph file: one of the library's own formats, or a table of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Graph(Format),
    #[cfg(feature = "tables")]
    Table(TableFormat),
}

impl FileFormat {
    /// All formats.
    pub(crate) fn all() -> Vec<FileFormat> {
        let formats = Format::ALL.into_iter().map(FileFormat::Graph);
        #[cfg(feature = "tables")]
        let formats = formats.chain(TableFormat::ALL.into_iter().map(FileFormat::Table));
        formats.collect()
    }

    /// The format with this name.
    fn from_name(name: &str) -> Option<FileFormat> {
        FileFormat::all().into_iter().find(|format| format.name() == name)
    }

    /// Name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FileFormat::Graph(format) => format.name(),
            #[cfg(feature = "tables")]
            FileFormat::Table(format) => format.name(),
        }
    }

    /// Short description.
    fn summary(self) -> &'static str {
        match self {
            FileFormat::Graph(format) => format.summary(),
            #[cfg(feature = "tables")]
            FileFormat::Table(format) => format.summary(),
        }
    }

    /// Noun phrase with an article.
    fn noun(self) -> String {
        match self {
            FileFormat::Graph(format) => format.to_string(),
            #[cfg(feature = "tables")]
            FileFormat::Table(format) => format.to_string(),
        }
    }

    /// Extensions of file names, the preferred one first.
    pub(crate) fn extensions(self) -> &'static [&'static str] {
        match self {
            FileFormat::Graph(format) => format.extensions(),
            #[cfg(feature = "tables")]
            FileFormat::Table(format) => format.extensions(),
        }
    }

    /// The format that the extension of a file name selects.
    pub(crate) fn from_path(path: &Path) -> Option<FileFormat> {
        let format = Format::from_path(path).map(FileFormat::Graph);
        #[cfg(feature = "tables")]
        let format = format.or_else(|| TableFormat::from_path(path).map(FileFormat::Table));
        format
    }

    /// True if files are text.
    pub(crate) fn is_text(self) -> bool {
        match self {
            FileFormat::Graph(format) => format.is_text(),
            #[cfg(feature = "tables")]
            FileFormat::Table(_) => false,
        }
    }

    /// True if files can hold weights of edges.
    pub(crate) fn has_weights(self) -> bool {
        match self {
            FileFormat::Graph(format) => format.contents().weights,
            #[cfg(feature = "tables")]
            FileFormat::Table(_) => true,
        }
    }

    /// True if files can hold roles of nodes.
    pub(crate) fn has_roles(self) -> bool {
        match self {
            FileFormat::Graph(format) => format.contents().roles,
            #[cfg(feature = "tables")]
            FileFormat::Table(_) => false,
        }
    }

    /// Nodes whose names files can hold.
    pub(crate) fn named_nodes(self) -> NamedNodes {
        match self {
            FileFormat::Graph(format) => format.contents().names,
            #[cfg(feature = "tables")]
            FileFormat::Table(_) => NamedNodes::WithEdges,
        }
    }
}

/// Parser of the name of a graph file format. Names and help texts are those of the libraries' tables.
pub(super) fn format_parser() -> impl TypedValueParser<Value = FileFormat> {
    PossibleValuesParser::new(FileFormat::all().into_iter().map(format_value))
        .map(|name| FileFormat::from_name(&name).expect("the parser accepts only names of formats"))
}

/// Name and help text of a graph file format.
fn format_value(format: FileFormat) -> PossibleValue {
    let extensions: Vec<String> = format.extensions().iter().map(|extension| format!(".{extension}")).collect();
    PossibleValue::new(format.name()).help(format!("{}: {}", format.summary(), extensions.join(", ")))
}

/// Name of the format of drawings, and their extension.
pub(crate) const SVG: &str = "svg";

/// Form in which a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteFormat {
    /// A graph file.
    Graph(FileFormat),
    /// A drawing.
    Svg,
}

impl WriteFormat {
    /// Name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            WriteFormat::Graph(format) => format.name(),
            WriteFormat::Svg => SVG,
        }
    }

    /// Reports whether files of the format are text.
    pub(crate) fn is_text(self) -> bool {
        match self {
            WriteFormat::Graph(format) => format.is_text(),
            WriteFormat::Svg => true,
        }
    }
}

/// Parser of the name of a form in which graphs are written.
pub(super) fn write_format_parser() -> impl TypedValueParser<Value = WriteFormat> {
    let drawing = PossibleValue::new(SVG).help(format!("a drawing of at most 2,000 nodes: .{SVG}"));
    PossibleValuesParser::new(FileFormat::all().into_iter().map(format_value).chain([drawing]))
        .map(|name| FileFormat::from_name(&name).map_or(WriteFormat::Svg, WriteFormat::Graph))
}

/// Parser of the name of a kind of dependencies.
pub(super) fn dependency_kind_parser() -> impl TypedValueParser<Value = DependencyKind> {
    PossibleValuesParser::new(DependencyKind::ALL.map(|kind| PossibleValue::new(kind.name()))).map(|name| {
        let kind = DependencyKind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.expect("the parser accepts only names of kinds")
    })
}

/// Long help of `vyre graph`.
pub(super) fn graph_help() -> String {
    let formats: Vec<String> = FileFormat::all().into_iter().map(FileFormat::noun).collect();
    format!(
        "Search, sort and rank graphs\n\n\
         A graph is a file: {}, compressed or not. The first bytes and the name of a file tell which it is. Nodes have \
         numbers from 0, or names with --names. Nodes can have roles: searches begin at sources, report sinks, and end at \
         sanitizers.\n\n\
         A lock file or an SBOM is a graph of packages, whose names are `name@version`: package-lock.json, yarn.lock, pnpm-lock.yaml, \
         Cargo.lock, poetry.lock, uv.lock, the output of `go mod graph`, CycloneDX as JSON or XML, and SPDX 2 and 3. The packages of the \
         project itself are the sources.\n\n\
         Every op gives the same result on every backend. Results go to standard output or to the file of --output, notes to \
         standard error.",
        enumerated(&formats, "or")
    )
}

/// Long help of `vyre graph convert`.
pub(super) fn convert_help() -> String {
    let stored =
        FileFormat::all().into_iter().map(|format| format!("`{}` stores {}", format.name(), stored_parts(format)));
    format!(
        "Convert a graph to another format\n\n\
         Without --to, the extension of OUTPUT selects the format; --to lists the extensions. Without OUTPUT, {} goes to standard \
         output.\n\n\
         Besides edges, {}. --nodes-out writes roles to a separate file. A note reports what is omitted.",
        Format::EDGE_LIST,
        stored.collect::<Vec<_>>().join("; ")
    )
}

/// Parts of a graph that a format stores besides its edges.
fn stored_parts(format: FileFormat) -> String {
    let names = match format.named_nodes() {
        NamedNodes::None => None,
        NamedNodes::WithEdges => Some("names of nodes with edges"),
        NamedNodes::All => Some("names"),
    };
    let parts = [format.has_weights().then_some("weights"), format.has_roles().then_some("roles"), names];
    let parts: Vec<String> = parts.into_iter().flatten().map(str::to_owned).collect();
    if parts.is_empty() { "nothing".to_owned() } else { enumerated(&parts, "and") }
}

/// Items with commas, and a conjunction before the last.
fn enumerated(items: &[String], conjunction: &str) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [items @ .., last] => format!("{} {conjunction} {last}", items.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_texts_name_every_format() {
        for format in FileFormat::all() {
            assert!(graph_help().contains(&format.noun()), "{format:?}");
            assert!(convert_help().contains(&format!("`{}` stores ", format.name())), "{format:?}");
        }
    }

    #[test]
    fn lists_have_commas_and_a_conjunction() {
        let list = |items: &[&str]| enumerated(&items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>(), "or");
        assert_eq!(
            [list(&[]), list(&["a"]), list(&["a", "b"]), list(&["a", "b", "c"])],
            ["", "a", "a or b", "a, b or c"]
        );
    }
}
