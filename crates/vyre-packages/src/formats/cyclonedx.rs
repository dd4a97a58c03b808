//! Reader of CycloneDX SBOMs in JSON and XML.

use std::collections::HashMap;

use serde_json::Value;

use super::{cyclonedx_xml, purl};
use crate::builder::Builder;
use crate::ecosystem::Ecosystem;
use crate::error::PackageError;
use crate::graph::{DependencyGraph, DependencyKind};
use crate::tree::{self, items, text};

pub(crate) fn read(file: &str) -> Result<DependencyGraph, PackageError> {
    let is_xml = file.trim_start().starts_with('<');
    let file = if is_xml { cyclonedx_xml::parse(file)? } else { tree::json(file)? };
    if file["bomFormat"] != "CycloneDX" {
        return Err(PackageError::new("it is no CycloneDX SBOM in JSON: `bomFormat` is missing"));
    }
    let mut builder = Builder::new(Ecosystem::Other(String::new()));
    let root = &file["metadata"]["component"];
    let mut waiting: Vec<(&Value, bool)> = items(&file["components"]).map(|component| (component, false)).collect();
    waiting.reverse();
    if root.is_object() {
        waiting.push((root, true));
    }
    let mut kinds: HashMap<u32, DependencyKind> = HashMap::new();
    while let Some((component, is_root)) = waiting.pop() {
        let reference = text(&component["bom-ref"]);
        let index = add(&mut builder, component, reference, is_root)?;
        if !reference.is_empty() {
            builder.name(reference, index);
        }
        kinds.insert(index, kind(component));
        // Components inside of another one.
        waiting.extend(items(&component["components"]).map(|inner| (inner, false)));
    }
    for entry in items(&file["dependencies"]) {
        let reference = text(&entry["ref"]);
        let Some(from) = builder.find(reference) else {
            builder.miss(reference, DependencyKind::Runtime);
            continue;
        };
        for needed in items(&entry["dependsOn"]).map(text) {
            let kind = builder.find(needed).and_then(|to| kinds.get(&to)).copied().unwrap_or_default();
            builder.depend_on_key(from, needed, kind);
        }
    }
    builder.finish()
}

/// What a component is needed for. Writers for npm mark what is for development by a property, and give it the scope of optional components
/// too.
fn kind(component: &Value) -> DependencyKind {
    let is_for_development =
        |property: &Value| property["name"] == "cdx:npm:package:development" && property["value"] == "true";
    if items(&component["properties"]).any(is_for_development) {
        DependencyKind::Development
    } else if component["scope"] == "optional" {
        DependencyKind::Optional
    } else {
        DependencyKind::Runtime
    }
}

fn add(builder: &mut Builder, component: &Value, reference: &str, is_root: bool) -> Result<u32, PackageError> {
    if let Some((ecosystem, name, version)) = purl::parse(text(&component["purl"])) {
        return builder.add_of(ecosystem, &name, &version, reference, is_root);
    }
    let (group, name) = (text(&component["group"]), text(&component["name"]));
    let name = if group.is_empty() { name.to_owned() } else { format!("{group}/{name}") };
    builder.add(&name, text(&component["version"]), reference, is_root)
}
