//! Graph file formats in arguments and help texts. All of them come from the table of formats.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vyre::graph::Format;
use vyre::graph::file::{Contents, NamedNodes};
use vyre::packages::DependencyKind;

/// Parser of the name of a graph file format. Names and help texts are those of the library's table.
pub(super) fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(format_value))
        .map(|name| Format::from_name(&name).expect("the parser accepts only names of formats"))
}

/// Name and help text of a graph file format.
fn format_value(format: Format) -> PossibleValue {
    let extensions: Vec<String> = format.extensions().iter().map(|extension| format!(".{extension}")).collect();
    PossibleValue::new(format.name()).help(format!("{}: {}", format.summary(), extensions.join(", ")))
}

/// Name of the format of drawings, and their extension.
pub(crate) const SVG: &str = "svg";

/// Form in which a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteFormat {
    /// A graph file.
    Graph(Format),
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
    PossibleValuesParser::new(Format::ALL.map(format_value).into_iter().chain([drawing]))
        .map(|name| Format::from_name(&name).map_or(WriteFormat::Svg, WriteFormat::Graph))
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
    let formats: Vec<String> = Format::ALL.iter().map(Format::to_string).collect();
    format!(
        "Search, sort and rank graphs\n\n\
         A graph is a file: {}, compressed or not. The first bytes and the name of a file tell which it is. Nodes have \
         numbers from 0, or names with --names. Nodes can have roles: searches begin at sources, report sinks, and end at \
         sanitizers.\n\n\
         A lock file or an SBOM is a graph of packages, whose names are `name@version`: package-lock.json, yarn.lock, pnpm-lock.yaml, \
         Cargo.lock, poetry.lock, uv.lock, the output of `go mod graph`, CycloneDX as JSON, and SPDX 2. The packages of the project \
         itself are the sources.\n\n\
         Every op gives the same result on every backend. Results go to standard output or to the file of --output, notes to \
         standard error.",
        enumerated(&formats, "or")
    )
}

/// Long help of `vyre graph convert`.
pub(super) fn convert_help() -> String {
    let stored =
        Format::ALL.iter().map(|format| format!("`{}` stores {}", format.name(), stored_parts(format.contents())));
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
fn stored_parts(contents: Contents) -> String {
    let names = match contents.names {
        NamedNodes::None => None,
        NamedNodes::WithEdges => Some("names of nodes with edges"),
        NamedNodes::All => Some("names"),
    };
    let parts = [contents.weights.then_some("weights"), contents.roles.then_some("roles"), names];
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
        for format in Format::ALL {
            assert!(graph_help().contains(&format.to_string()), "{format}");
            assert!(convert_help().contains(&format!("`{}` stores ", format.name())), "{format}");
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
