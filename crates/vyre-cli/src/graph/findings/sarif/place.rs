//! Locations of nodes: names, and files with lines as URIs.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;
use vyre::pyrograph::uri::Uris;

use crate::graph::findings::FindingContext;

/// Locations of the nodes of a graph.
pub(super) struct Places<'c> {
    context: &'c FindingContext<'c>,
    /// The current folder with `/` at its end, or empty.
    current: String,
}

/// A location in SARIF.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'c> {
    logical_locations: [LogicalLocation<'c>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text<'static>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'c> {
    fully_qualified_name: Cow<'c, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

/// A message in SARIF.
#[derive(Serialize)]
pub(super) struct Text<'t> {
    pub(super) text: Cow<'t, str>,
}

impl<'c> Places<'c> {
    pub(super) fn new(context: &'c FindingContext<'c>) -> Places<'c> {
        let current = std::env::current_dir().ok().and_then(|folder| Some(folder.to_str()?.to_owned()));
        Places { context, current: current.map_or_else(String::new, |folder| with_slashes(&folder).into_owned() + "/") }
    }

    /// Location of a node, with a message if it has a part in the finding.
    pub(super) fn location(&self, node: u32, message: Option<&'static str>) -> Location<'c> {
        let physical_location = self.context.location(node).map(|(file, line)| PhysicalLocation {
            artifact_location: ArtifactLocation { uri: self.uri(file) },
            region: line.map(|start_line| Region { start_line }),
        });
        Location {
            logical_locations: [LogicalLocation { fully_qualified_name: self.context.display_name(node) }],
            physical_location,
            message: message.map(|text| Text { text: Cow::Borrowed(text) }),
        }
    }

    /// URI of a file, relative to the current folder if it lies below.
    pub(super) fn uri(&self, file: &str) -> String {
        let file = with_slashes(file);
        let inside = file.strip_prefix(&*self.current).filter(|_| self.current.len() > 1);
        match inside {
            Some(inside) => Uris::new("").of(inside),
            None => Uris::new(&self.context.source_folder).of(file.strip_prefix("./").unwrap_or(&file)),
        }
    }
}

/// A path with `/` as separator. A URL keeps its characters.
fn with_slashes(file: &str) -> Cow<'_, str> {
    if file.contains("://") || !file.contains('\\') {
        return Cow::Borrowed(file);
    }
    Cow::Owned(file.replace('\\', "/"))
}

/// Folder of the files of nodes, relative to the current folder and with `/` at its end; empty if it lies elsewhere.
pub(crate) fn source_folder(root: Option<&Path>) -> String {
    use vyre::pyrograph::coverage::Coverage;
    use vyre::pyrograph::input::current_folder;

    root.map_or_else(String::new, |root| current_folder(&[root.to_owned()], &Coverage::default()))
}
