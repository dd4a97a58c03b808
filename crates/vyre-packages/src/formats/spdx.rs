//! Reader of SPDX SBOMs: SPDX 2 as JSON and as tags and values, and SPDX 3 as JSON-LD.

use serde_json::Value;

use super::{purl, spdx3};
use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::tree::{self, items, text};

/// Identifier of the document.
const DOCUMENT: &str = "SPDXRef-DOCUMENT";

/// Packages and relationships of a document.
#[derive(Default)]
struct Document {
    packages: Vec<Described>,
    relationships: Vec<[String; 3]>,
    /// Packages that the document describes.
    described: Vec<String>,
}

#[derive(Default)]
struct Described {
    id: String,
    name: String,
    version: String,
    purl: String,
}

pub(crate) fn read(file: &str) -> Result<DependencyGraph, PackageError> {
    let document = if file.trim_start().starts_with('{') {
        let file = tree::json(file)?;
        if spdx3::is_spdx3(&file) {
            return spdx3::read(&file);
        }
        from_json(&file)?
    } else {
        from_tags(file)
    };
    if document.packages.is_empty() {
        return Err(PackageError::new("it has no packages; SPDX 2 is read as JSON and as tags and values"));
    }
    let of_document = |kind: &str| {
        let matching =
            document.relationships.iter().filter(move |[from, relation, _]| from == DOCUMENT && relation == kind);
        matching.map(|[.., to]| to.as_str()).collect::<Vec<&str>>()
    };
    let mut roots: Vec<&str> = document.described.iter().map(String::as_str).collect();
    roots.extend(of_document("DESCRIBES"));
    let mut builder = Builder::new(Ecosystem::Other(String::new()));
    for package in &document.packages {
        let is_root = roots.contains(&package.id.as_str());
        let index = match purl::parse(&package.purl) {
            Some((ecosystem, name, version)) => builder.add_of(ecosystem, &name, &version, &package.id, is_root)?,
            None => builder.add(&package.name, &package.version, &package.id, is_root)?,
        };
        builder.name(package.id.as_str(), index);
    }
    for [from, relation, to] in &document.relationships {
        let Some((is_reversed, kind)) = dependency(relation) else { continue };
        let (from, to) = if is_reversed { (to, from) } else { (from, to) };
        // Files can have relationships too, and are no packages.
        if let (Some(from), Some(to)) = (builder.find(from), builder.find(to)) {
            builder.depend(from, to, kind);
        }
    }
    builder.finish()
}

/// True if the second element of a relationship needs the first, and what for. None: it is no dependency.
fn dependency(relation: &str) -> Option<(bool, DependencyKind)> {
    use DependencyKind::{Build, Development, Optional, Runtime};
    Some(match relation {
        "DEPENDS_ON" | "CONTAINS" | "DYNAMIC_LINK" | "STATIC_LINK" | "HAS_PREREQUISITE" => (false, Runtime),
        "DEPENDENCY_OF" | "CONTAINED_BY" | "RUNTIME_DEPENDENCY_OF" | "PREREQUISITE_FOR" => (true, Runtime),
        "BUILD_DEPENDENCY_OF" | "BUILD_TOOL_OF" => (true, Build),
        "OPTIONAL_DEPENDENCY_OF" | "PROVIDED_DEPENDENCY_OF" => (true, Optional),
        "DEV_DEPENDENCY_OF" | "DEV_TOOL_OF" | "TEST_DEPENDENCY_OF" | "TEST_TOOL_OF" => (true, Development),
        _ => return None,
    })
}

fn from_json(file: &Value) -> Result<Document, PackageError> {
    if !text(&file["spdxVersion"]).starts_with("SPDX-2") {
        return Err(PackageError::new(format!(
            "its `spdxVersion` is `{}`; known are SPDX 2 and 3",
            text(&file["spdxVersion"])
        )));
    }
    let package = |package: &Value| {
        let purl = items(&package["externalRefs"]).find(|reference| reference["referenceType"] == "purl");
        Described {
            id: text(&package["SPDXID"]).to_owned(),
            name: text(&package["name"]).to_owned(),
            version: text(&package["versionInfo"]).to_owned(),
            purl: purl.map_or("", |purl| text(&purl["referenceLocator"])).to_owned(),
        }
    };
    let relationship = |relationship: &Value| {
        ["spdxElementId", "relationshipType", "relatedSpdxElement"].map(|key| text(&relationship[key]).to_owned())
    };
    Ok(Document {
        packages: items(&file["packages"]).map(package).collect(),
        relationships: items(&file["relationships"]).map(relationship).collect(),
        described: items(&file["documentDescribes"]).map(|id| text(id).to_owned()).collect(),
    })
}

fn from_tags(file: &str) -> Document {
    let mut document = Document::default();
    let mut is_package = false;
    for (tag, value) in file.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match (tag.trim(), document.packages.last_mut()) {
            ("PackageName", _) => {
                document.packages.push(Described { name: value.to_owned(), ..Described::default() });
                is_package = true;
            }
            // Files and snippets have identifiers too.
            ("FileName" | "SnippetSPDXID", _) => is_package = false,
            ("SPDXID", Some(package)) if is_package => package.id = value.to_owned(),
            ("PackageVersion", Some(package)) if is_package => package.version = value.to_owned(),
            ("ExternalRef", Some(package)) if is_package => {
                if let Some(purl) = value.split_whitespace().find(|word| word.starts_with("pkg:")) {
                    package.purl = purl.to_owned();
                }
            }
            ("Relationship", _) => {
                let words: Vec<&str> = value.split_whitespace().collect();
                if let [from, relation, to] = words[..] {
                    document.relationships.push([from, relation, to].map(str::to_owned));
                }
            }
            _ => {}
        }
    }
    document
}
