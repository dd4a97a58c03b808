//! CycloneDX SBOMs in XML, as the values that the JSON form has.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde_json::{Map, Value};

use crate::error::PackageError;

/// Maximum depth of elements.
const MAX_DEPTH: usize = 128;

/// Elements that hold a list of others.
const LISTS: [&str; 2] = ["components", "dependencies"];

/// An element that has not ended.
struct Element {
    name: String,
    value: Map<String, Value>,
    text: String,
    /// Members of a list.
    items: Vec<Value>,
}

impl Element {
    fn new(name: String) -> Element {
        Element { name, value: Map::new(), text: String::new(), items: Vec::new() }
    }

    /// The value of the whole element: a list, an object, or a text.
    fn finish(self) -> Value {
        if LISTS.contains(&&*self.name) {
            Value::Array(self.items)
        } else if self.value.is_empty() {
            Value::String(self.text.trim().to_owned())
        } else {
            Value::Object(self.value)
        }
    }
}

/// The document, with the keys of the JSON form.
pub(super) fn parse(text: &str) -> Result<Value, PackageError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let position = reader.buffer_position();
        let fail = |what: String| PackageError::new(format!("line {}: {what}", line_of(text, position)));
        let event = reader.read_event().map_err(|error| fail(format!("the XML is malformed: {error}")))?;
        match event {
            Event::Start(tag) | Event::Empty(tag) if open.len() >= MAX_DEPTH => {
                return Err(fail(format!("`{}` is nested more than {MAX_DEPTH} deep", name_of(&tag))));
            }
            Event::Start(tag) => open.push(begin(&tag).map_err(fail)?),
            Event::Empty(tag) => end(begin(&tag).map_err(fail)?, &mut open, &mut root),
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    end(element, &mut open, &mut root);
                }
            }
            Event::Text(found) => append(&mut open, &found.xml10_content()),
            Event::CData(found) => append(&mut open, &found.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => append(&mut open, character.encode_utf8(&mut [0; 4])),
                Ok(None) => match resolve_predefined_entity(&reference) {
                    Some(found) => append(&mut open, found),
                    None => return Err(fail("entities that are not predefined are not expanded".to_owned())),
                },
                Err(error) => return Err(fail(format!("the XML is malformed: {error}"))),
            },
            Event::Eof if !open.is_empty() => return Err(fail("the text ends within an element".to_owned())),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    root.ok_or_else(|| PackageError::new("it has no element `bom`, so it is no CycloneDX SBOM in XML"))
}

fn append(open: &mut [Element], text: &str) {
    if let Some(last) = open.last_mut() {
        last.text.push_str(text);
    }
}

fn name_of(tag: &BytesStart<'_>) -> String {
    tag.local_name().as_ref().to_owned()
}

/// The element of a tag, with its attributes.
fn begin(tag: &BytesStart<'_>) -> Result<Element, String> {
    let mut element = Element::new(name_of(tag));
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| format!("the XML is malformed: {error}"))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| error.to_string())?;
        element.value.insert(attribute.key.local_name().as_ref().to_owned(), Value::String(value.into_owned()));
    }
    Ok(element)
}

/// Adds an element that has ended to the one around it.
fn end(element: Element, open: &mut [Element], root: &mut Option<Value>) {
    let name = element.name.clone();
    match open.last_mut() {
        None if name == "bom" => {
            let mut value = element.value;
            value.insert("bomFormat".to_owned(), "CycloneDX".into());
            *root = Some(Value::Object(value));
        }
        None => {}
        // A dependency in a dependency is a reference in JSON.
        Some(around) if name == "dependency" && around.name == "dependency" => {
            let reference = element.value.get("ref").cloned().unwrap_or_default();
            match around.value.entry("dependsOn").or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(needed) => needed.push(reference),
                other => *other = Value::Array(vec![reference]),
            }
        }
        Some(around) if LISTS.contains(&&*around.name) => around.items.push(element.finish()),
        // Attributes come first, and win over elements of the same name.
        Some(around) => drop(around.value.entry(name).or_insert_with(|| element.finish())),
    }
}

/// Number of the line of a byte, from 1.
fn line_of(text: &str, position: u64) -> usize {
    let end = usize::try_from(position).unwrap_or(text.len()).min(text.len());
    1 + text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count()
}
