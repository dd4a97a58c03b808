//! Events of XML texts, for formats based on XML.
//!
//! Entities of a document type are not expanded, and nesting and sizes are limited, so a small text cannot take much memory.

use std::borrow::Cow;
use std::io::{self, Read};

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::blocks::MAX_LINE_BYTES;
use super::error::ReadError;
use super::listed::Place;
use super::located::{Located, TOO_LONG};
use super::text_error::{TextErrorKind, shown};

/// Maximum depth of elements.
const MAX_DEPTH: usize = 256;

/// An event of a text.
pub(crate) enum XmlEvent {
    /// Start of an element: its local name and its attributes.
    Start(String, Vec<(String, String)>),
    /// End of the last element that has not ended, with its text. Texts of the elements in it are not part of it.
    End(String, String),
}

/// Value of an attribute.
pub(crate) fn attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(found, _)| found == name).map(|(_, value)| &**value)
}

/// Reports whether the first element of a text that starts with these bytes has this local name.
pub(crate) fn has_root(head: &[u8], name: &str) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if !head.trim_ascii_start().starts_with(b"<") {
        return false;
    }
    let mut xml = XmlReader::new(head);
    matches!(xml.next(), Ok(Some(XmlEvent::Start(found, _))) if found == name)
}

/// Reports whether XML can hold a text.
pub(crate) fn is_valid_text(text: &str) -> bool {
    !text.contains(|character| matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}'))
}

/// Escapes the value of an attribute.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\t', '\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // An attribute would have a blank otherwise.
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            character => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Reader of the events of a text.
pub(crate) struct XmlReader<R: Read> {
    reader: Reader<Located<R>>,
    buffer: Vec<u8>,
    /// Names and texts of the elements that have not ended.
    open: Vec<(String, String)>,
    /// True if the end of an empty element is the next event.
    is_empty: bool,
    /// True after the first element.
    has_begun: bool,
    place: Place,
}

impl<R: Read> XmlReader<R> {
    pub(crate) fn new(input: R) -> XmlReader<R> {
        let input = Located::new(input);
        let place = input.place();
        XmlReader {
            reader: Reader::from_reader(input),
            buffer: Vec::new(),
            open: Vec::new(),
            is_empty: false,
            has_begun: false,
            place,
        }
    }

    /// Position of the last event.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The next event; `None` at the end of the text.
    ///
    /// # Errors
    ///
    /// The input cannot be read, or is not well-formed.
    pub(crate) fn next(&mut self) -> Result<Option<XmlEvent>, ReadError> {
        if std::mem::take(&mut self.is_empty) {
            return Ok(self.open.pop().map(|(name, text)| XmlEvent::End(name, text)));
        }
        loop {
            self.place = self.reader.get_ref().place();
            let place = self.place;
            self.buffer.clear();
            self.reader.get_mut().left = MAX_LINE_BYTES;
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(error)) if error.kind() == TOO_LONG => {
                    return Err(place.error(TextErrorKind::LineTooLong { limit: MAX_LINE_BYTES }));
                }
                Err(quick_xml::Error::Io(error)) => return Err(io::Error::new(error.kind(), error.to_string()).into()),
                Err(error) => return Err(malformed(place, &error)),
            };
            let open = &mut self.open;
            match &event {
                Event::Start(tag) | Event::Empty(tag) => {
                    if open.len() == MAX_DEPTH {
                        return Err(place.syntax(format!("elements are nested more than {MAX_DEPTH} deep")));
                    }
                    let attributes = attributes_of(tag, place)?;
                    let name = tag.local_name().as_ref().to_owned();
                    self.has_begun = true;
                    open.push((name.clone(), String::new()));
                    self.is_empty = matches!(event, Event::Empty(_));
                    return Ok(Some(XmlEvent::Start(name, attributes)));
                }
                Event::End(_) => return Ok(open.pop().map(|(name, text)| XmlEvent::End(name, text))),
                Event::Text(text) => append(open, &text.xml10_content(), place)?,
                Event::CData(text) => append(open, &text.xml10_content(), place)?,
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => append(open, character.encode_utf8(&mut [0; 4]), place)?,
                    Ok(None) => match resolve_predefined_entity(reference) {
                        Some(text) => append(open, text, place)?,
                        None => return Err(place.syntax("entities that are not predefined are not expanded")),
                    },
                    Err(error) => return Err(malformed(place, &error)),
                },
                Event::Eof if open.is_empty() && self.has_begun => return Ok(None),
                Event::Eof if open.is_empty() => return Err(place.syntax("the text has no element")),
                Event::Eof => return Err(place.syntax("the text ends within an element")),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }
}

/// Appends text to the last element.
fn append(open: &mut [(String, String)], text: &str, place: Place) -> Result<(), ReadError> {
    match open.last_mut() {
        Some((_, content)) if content.len() + text.len() > MAX_LINE_BYTES => {
            Err(place.error(TextErrorKind::LineTooLong { limit: MAX_LINE_BYTES }))
        }
        Some((_, content)) => {
            content.push_str(text);
            Ok(())
        }
        None if text.trim().is_empty() => Ok(()),
        None => Err(place.syntax("text outside of all elements")),
    }
}

/// Attributes of a tag, by local name.
fn attributes_of(tag: &BytesStart<'_>, place: Place) -> Result<Vec<(String, String)>, ReadError> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| place.syntax(shown(error.to_string().as_bytes())))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| malformed(place, &error))?;
        attributes.push((attribute.key.local_name().as_ref().to_owned(), value.into_owned()));
    }
    Ok(attributes)
}

/// An error of the syntax.
fn malformed(place: Place, error: &quick_xml::Error) -> ReadError {
    place.syntax(format!("the XML is malformed: {}", error.to_string().escape_debug()))
}
