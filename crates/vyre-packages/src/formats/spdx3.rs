//! Reader of SPDX 3 SBOMs in JSON-LD: elements with types, and relationships between them.

use serde_json::Value;

use super::purl;
use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::tree::{items, text};

/// True if a JSON document is SPDX 3: its context is that of the model.
pub(super) fn is_spdx3(file: &Value) -> bool {
    let is_context = |context: &Value| text(context).contains("spdx.org/rdf/3");
    is_context(&file["@context"]) || items(&file["@context"]).any(is_context)
}

pub(super) fn read(file: &Value) -> Result<DependencyGraph, PackageError> {
    let elements: Vec<&Value> = items(&file["@graph"]).collect();
    let mut roots: Vec<&str> = Vec::new();
    for element in &elements {
        if matches!(type_of(element), "SpdxDocument" | "software_Sbom" | "Sbom" | "Bom") {
            roots.extend(many(&element["rootElement"]));
        }
    }
    let documents: Vec<&str> =
        elements.iter().filter(|element| type_of(element) == "SpdxDocument").map(|element| id_of(element)).collect();
    roots.retain(|root| !documents.contains(root));
    for element in elements.iter().filter(|element| element["relationshipType"] == "describes") {
        roots.extend(many(&element["to"]));
    }
    let mut builder = Builder::new(Ecosystem::Other(String::new()));
    for element in elements.iter().filter(|element| matches!(type_of(element), "software_Package" | "Package")) {
        let id = id_of(element);
        if id.is_empty() {
            return Err(PackageError::new("a package has no `spdxId`"));
        }
        let is_root = roots.contains(&id);
        let index = match purl::parse(purl_of(element)) {
            Some((ecosystem, name, version)) => builder.add_of(ecosystem, &name, &version, id, is_root)?,
            None => {
                let version = first_text([&element["software_packageVersion"], &element["packageVersion"]]);
                builder.add(text(&element["name"]), version, id, is_root)?
            }
        };
        builder.name(id, index);
    }
    if elements.is_empty() || builder.is_empty() {
        return Err(PackageError::new("it has no packages in `@graph`, so it is no SPDX 3 SBOM"));
    }
    for element in &elements {
        let Some(kind) = dependency(element) else { continue };
        // Files and documents can have relationships too, and are no packages.
        let Some(from) = builder.find(text(&element["from"])) else { continue };
        for to in many(&element["to"]).into_iter().filter_map(|to| builder.find(to)).collect::<Vec<u32>>() {
            builder.depend(from, to, kind);
        }
    }
    builder.finish()
}

/// What a relationship needs its target for. None: it is no dependency.
fn dependency(element: &Value) -> Option<DependencyKind> {
    let of_scope = match text(&element["scope"]) {
        "build" => DependencyKind::Build,
        "development" | "test" => DependencyKind::Development,
        _ => DependencyKind::Runtime,
    };
    match text(&element["relationshipType"]) {
        "dependsOn" | "contains" | "hasPrerequisite" | "hasDynamicLink" | "hasStaticLink" => Some(of_scope),
        "hasOptionalDependency" | "hasProvidedDependency" | "hasOptionalComponent" => Some(DependencyKind::Optional),
        "usesTool" => Some(DependencyKind::Build),
        _ => None,
    }
}

/// Type of an element, which older documents write as `@type`.
fn type_of(element: &Value) -> &str {
    first_text([&element["type"], &element["@type"]])
}

fn id_of(element: &Value) -> &str {
    first_text([&element["spdxId"], &element["@id"]])
}

fn purl_of(element: &Value) -> &str {
    let direct = first_text([&element["software_packageUrl"], &element["packageUrl"]]);
    if !direct.is_empty() {
        return direct;
    }
    let external = items(&element["externalIdentifier"])
        .find(|found| matches!(text(&found["externalIdentifierType"]), "packageUrl" | "purl"));
    external.map_or("", |found| text(&found["identifier"]))
}

fn first_text<const N: usize>(values: [&Value; N]) -> &str {
    values.into_iter().map(text).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The texts of a list, or one text.
fn many(value: &Value) -> Vec<&str> {
    let one = text(value);
    if one.is_empty() { items(value).map(text).collect() } else { vec![one] }
}
