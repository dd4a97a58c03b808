//! Extended headers of tar (POSIX.1-2001 pax): records of the form `length keyword=value\n`, and GNU long names.
//!
//! Readers differ in which of several headers before a member they believe, and in how they read unusual values. [`resolve`]
//! gives the attributes as one reader sees them.

use std::ops::Range;

use super::tool::Tool;

/// Maximum size of an extended header, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Kind of a header that concerns the next member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtensionKind {
    /// Records.
    Pax,
    /// A GNU long name.
    Name,
    /// A GNU long link target.
    Target,
}

/// A header that concerns the next member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extension {
    pub(super) kind: ExtensionKind,
    /// Its data in the archive.
    pub(super) data: Range<usize>,
}

/// Values of records, as in the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Values<'a> {
    path: Option<&'a [u8]>,
    target: Option<&'a [u8]>,
    size: Option<&'a [u8]>,
    modified: Option<&'a [u8]>,
    sparse_name: Option<&'a [u8]>,
    /// True for a sparse file.
    is_sparse: bool,
}

/// Attributes of a member in extended headers, as one reader sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes<'a> {
    pub(super) path: Option<&'a [u8]>,
    pub(super) target: Option<&'a [u8]>,
    pub(super) size: Option<u64>,
    /// True if the reader finds the next header by the size in the header block, whatever `size` is.
    pub(super) keeps_place: bool,
    pub(super) modified: Option<i64>,
    /// True for a sparse file, to a reader that knows sparse files.
    pub(super) is_sparse: bool,
    /// True if the reader leaves the member out.
    pub(super) is_dropped: bool,
    /// True if the reader ends at these headers.
    pub(super) is_fatal: bool,
}

impl<'a> Values<'a> {
    /// Adds the records of a header. Returns false at a record that cannot be read; the records before it are kept.
    pub(super) fn read(&mut self, tool: Tool, data: &'a [u8]) -> bool {
        if data.len() > MAX_BYTES {
            return false;
        }
        if tool == Tool::Npm {
            return self.read_lines(data);
        }
        let mut rest = data;
        // Some tools include the padding in the size.
        while rest.iter().any(|&byte| byte != 0) {
            let Some((keyword, value, after)) = record(rest) else { return false };
            self.set(tool, keyword, value);
            rest = after;
        }
        true
    }

    /// Reads records as npm does: by lines, so that a value with a newline may hide a record or show another one.
    fn read_lines(&mut self, data: &'a [u8]) -> bool {
        for line in data.split(|&byte| byte == b'\n') {
            let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let length = std::str::from_utf8(&line[..digits]).ok().and_then(|text| text.parse::<usize>().ok());
            let Some(length) = length.filter(|&length| length == line.len() + 1) else { continue };
            let pair = line.get(length.to_string().len() + 1..).unwrap_or_default();
            let Some(equals) = memchr::memchr(b'=', pair).filter(|&equals| equals > 0) else { continue };
            self.set(Tool::Npm, &pair[..equals], &pair[equals + 1..]);
        }
        true
    }

    fn set(&mut self, tool: Tool, keyword: &'a [u8], value: &'a [u8]) {
        let (field, is_first_kept) = match keyword {
            // The crate `tar` searches for the first record.
            b"path" => (&mut self.path, tool == Tool::Rust),
            b"linkpath" => (&mut self.target, tool == Tool::Rust),
            b"size" => (&mut self.size, tool == Tool::Rust),
            b"mtime" => (&mut self.modified, false),
            b"GNU.sparse.name" => {
                self.is_sparse = true;
                (&mut self.sparse_name, false)
            }
            _ => {
                self.is_sparse |= keyword.starts_with(b"GNU.sparse.");
                return;
            }
        };
        if field.is_none() || !is_first_kept {
            *field = Some(value);
        }
    }

    /// Fills missing values from `others`.
    fn or(self, others: &Values<'a>) -> Values<'a> {
        Values {
            path: self.path.or(others.path),
            target: self.target.or(others.target),
            size: self.size.or(others.size),
            modified: self.modified.or(others.modified),
            sparse_name: self.sparse_name.or(others.sparse_name),
            is_sparse: self.is_sparse || others.is_sparse,
        }
    }

    /// True if all readers see the same in these values of one header.
    fn is_plain(&self) -> bool {
        let is_name = |name: Option<&[u8]>| name.is_none_or(|name| !name.is_empty() && !name.contains(&0));
        is_name(self.path) && is_name(self.target) && self.size.is_none_or(is_digits) && !self.is_sparse
    }

    /// True if the values concern no name, place or size.
    pub(super) fn is_harmless(&self) -> bool {
        Values { modified: None, ..*self } == Values::default()
    }
}

/// The attributes of a member on which all readers agree; none if they may differ.
pub(super) fn agreed<'a>(archive: &'a [u8], next: &[Extension], global: &Values<'a>) -> Option<Attributes<'a>> {
    if !global.is_harmless() {
        return None;
    }
    let mut values = Values::default();
    for (position, extension) in next.iter().enumerate() {
        let data = archive.get(extension.data.clone()).unwrap_or_default();
        let is_alone = next.len() == 1;
        let is_repeated = next[..position].iter().any(|other| other.kind == extension.kind);
        match extension.kind {
            ExtensionKind::Pax if is_alone && has_plain_records(data) => {
                values.read(Tool::Recovery, data);
            }
            ExtensionKind::Pax => return None,
            ExtensionKind::Name | ExtensionKind::Target if is_repeated || data.is_empty() => return None,
            ExtensionKind::Name => values.path = Some(long_name(data)),
            ExtensionKind::Target => values.target = Some(long_name(data)),
        }
    }
    let values = values.or(global);
    values.is_plain().then(|| attributes(Tool::Recovery, values))
}

/// True if every reader sees the same records: no newline in a value, no leading zero in a length, no repeated keyword.
fn has_plain_records(data: &[u8]) -> bool {
    const KEYWORDS: [&[u8]; 3] = [b"path", b"linkpath", b"size"];
    let mut seen = [false; 3];
    let mut rest = data;
    if data.len() > MAX_BYTES {
        return false;
    }
    while !rest.is_empty() {
        let Some((keyword, value, after)) = record(rest) else { return false };
        if rest[0] == b'0' || value.contains(&b'\n') || keyword.is_empty() {
            return false;
        }
        if let Some(number) = KEYWORDS.iter().position(|known| *known == keyword)
            && std::mem::replace(&mut seen[number], true)
        {
            return false;
        }
        rest = after;
    }
    true
}

/// The attributes of a member as a reader sees them. Returns false as well if a header is damaged.
pub(super) fn resolve<'a>(
    tool: Tool,
    archive: &'a [u8],
    next: &[Extension],
    global: &Values<'a>,
) -> (Attributes<'a>, bool) {
    let mut is_intact = true;
    let mut layers: Vec<(ExtensionKind, Values<'a>)> = Vec::new();
    let mut is_fatal = false;
    for Extension { kind, data } in next {
        let data = archive.get(data.clone()).unwrap_or_default();
        let mut values = Values::default();
        match kind {
            ExtensionKind::Pax => {
                let is_read = values.read(tool, data);
                is_intact &= is_read;
                match tool {
                    Tool::Bsd | Tool::SevenZip if !is_read => values = Values::default(),
                    Tool::Go if !is_read => is_fatal = true,
                    _ => {}
                }
            }
            ExtensionKind::Name => values.path = Some(long_name(data)),
            ExtensionKind::Target => values.target = Some(long_name(data)),
        }
        layers.push((*kind, values));
    }
    let is_repeated = |kind| layers.iter().filter(|(other, _)| *other == kind).count() > 1;
    let kinds = [ExtensionKind::Pax, ExtensionKind::Name, ExtensionKind::Target];
    is_fatal |= tool == Tool::Rust && kinds.into_iter().any(is_repeated);
    let last = |kind| layers.iter().rev().find(|(other, _)| *other == kind).map_or(Values::default(), |layer| layer.1);
    let [pax, name, target] = kinds.map(last);
    let own = match tool {
        Tool::Gnu | Tool::SevenZip => pax.or(&name).or(&target),
        Tool::Go | Tool::Rust => name.or(&target).or(&pax),
        Tool::Bsd => {
            // The kind that comes first is applied last.
            let place = |kind| layers.iter().position(|(other, _)| *other == kind).unwrap_or(usize::MAX);
            let mut ordered = kinds;
            ordered.sort_by_key(|kind| place(*kind));
            ordered.into_iter().fold(Values::default(), |values, kind| values.or(&last(kind)))
        }
        Tool::Python => layers.iter().fold(Values::default(), |values, layer| values.or(&layer.1)),
        Tool::Npm | Tool::Recovery => layers.iter().fold(Values::default(), |values, layer| layer.1.or(&values)),
    };
    let has_own_size = own.size.is_some();
    let values = match tool {
        Tool::Gnu | Tool::Python | Tool::Recovery => own.or(global),
        Tool::Npm => own.or(&Values { path: None, ..*global }),
        Tool::Bsd | Tool::SevenZip | Tool::Go | Tool::Rust => own,
    };
    let mut attributes = attributes(tool, values);
    is_intact &= values.size.is_none_or(|size| size_of(Tool::Recovery, size) != Ok(None));
    let has_pax = layers.iter().any(|(kind, _)| *kind == ExtensionKind::Pax);
    attributes.keeps_place = tool == Tool::Python && !has_own_size && !has_pax && attributes.size.is_some();
    attributes.is_fatal |= is_fatal;
    (attributes, is_intact)
}

/// Values as a reader interprets them.
fn attributes(tool: Tool, values: Values<'_>) -> Attributes<'_> {
    let knows_sparse = !matches!(tool, Tool::Npm | Tool::SevenZip | Tool::Rust);
    let mut attributes = Attributes {
        target: values.target.filter(|target| !target.is_empty()).map(|target| cut(tool, target)),
        modified: values.modified.and_then(decimal),
        is_sparse: values.is_sparse && knows_sparse,
        ..Attributes::default()
    };
    let path = values.sparse_name.filter(|_| knows_sparse).or(values.path);
    match (path, tool) {
        (Some([]), Tool::Gnu | Tool::Python | Tool::Npm | Tool::Rust) => attributes.is_dropped = true,
        (Some([]), _) | (None, _) => {}
        (Some(path), Tool::SevenZip) if path.contains(&0) => {}
        (Some(path), Tool::Go) if path.contains(&0) => attributes.is_fatal = true,
        (Some(path), _) => attributes.path = Some(cut(tool, path)),
    }
    if let Some(text) = values.size {
        match size_of(tool, text) {
            Ok(size) => attributes.size = size,
            Err(()) => attributes.is_fatal = true,
        }
    }
    attributes
}

/// A name as a reader takes it from a record: some end at a zero byte.
fn cut(tool: Tool, name: &[u8]) -> &[u8] {
    if matches!(tool, Tool::Gnu | Tool::Bsd | Tool::Npm) { long_name(name) } else { name }
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.len() < 19 && text.iter().all(u8::is_ascii_digit)
}

/// The value of a `size` record; none if the reader ignores it, an error if the reader ends there.
fn size_of(tool: Tool, text: &[u8]) -> Result<Option<u64>, ()> {
    let parse = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
    let size = |value: i64| u64::try_from(value).map(Some).map_err(drop);
    if is_digits(text) {
        return parse(text).map_or(Err(()), size);
    }
    match tool {
        Tool::Gnu | Tool::SevenZip => Ok(None),
        Tool::Rust => Ok(parse(text).and_then(|value| u64::try_from(value).ok())),
        Tool::Go => parse(text).map_or(Err(()), size),
        Tool::Bsd => {
            let text = text.trim_ascii_start();
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if text.starts_with(b"-") {
                Err(())
            } else {
                Ok(Some(parse(&text[..digits]).map_or(0, |value| value as u64)))
            }
        }
        Tool::Python => parse(text.trim_ascii()).map_or(Ok(Some(0)), size),
        Tool::Npm => {
            let text = text.trim_ascii();
            let hexadecimal = text.strip_prefix(b"0x").and_then(|digits| std::str::from_utf8(digits).ok());
            match hexadecimal.and_then(|digits| i64::from_str_radix(digits, 16).ok()).or_else(|| decimal(text)) {
                Some(value) => Ok(u64::try_from(value).ok()),
                None => Ok(Some(0)),
            }
        }
        Tool::Recovery => Ok(decimal(text).and_then(|value| u64::try_from(value).ok())),
    }
}

/// Keywords and values of a header, up to a record that cannot be read.
pub(super) fn records(data: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = if data.len() > MAX_BYTES { &[] } else { data };
    std::iter::from_fn(move || {
        let (keyword, value, after) = record(rest)?;
        rest = after;
        Some((keyword, value))
    })
}

/// Keyword and value of the first record, and the rest.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = records.iter().take(20).position(|&byte| byte == b' ')?;
    let length = usize::try_from(decimal(&records[..space])?).ok()?;
    let (record, rest) = records.split_at_checked(length)?;
    let pair = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = memchr::memchr(b'=', pair)?;
    Some((&pair[..equals], &pair[equals + 1..], rest))
}

/// Parses a decimal number and rounds it down.
fn decimal(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let value: i64 = whole.parse().ok()?;
    let has_fraction = fraction.bytes().any(|digit| digit != b'0');
    if whole.starts_with('-') && has_fraction { value.checked_sub(1) } else { Some(value) }
}

/// A GNU long name or target: the bytes before the first zero.
pub(super) fn long_name(data: &[u8]) -> &[u8] {
    &data[..memchr::memchr(0, data).unwrap_or(data.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_contain_newlines_and_equals_signs() {
        let mut values = Values::default();
        let data = b"19 SCHILY.x=\n5 a=b\n18 path=a=b\nc/d\ne\n12 size=345\n20 mtime=-1.5000000\n";
        assert!(values.read(Tool::Recovery, data));
        assert_eq!(values.path, Some(&b"a=b\nc/d\ne"[..]));
        let attributes = attributes(Tool::Recovery, values);
        assert_eq!((attributes.size, attributes.modified), (Some(345), Some(-2)));
    }

    /// npm splits records at newlines, so that a value can hide a record from all others.
    #[test]
    fn a_newline_in_a_value_shows_npm_another_record() {
        let data = b"25 comment=\n13 path=evil\n";
        let (mut npm, mut others) = (Values::default(), Values::default());
        assert!(others.read(Tool::Gnu, data) && npm.read(Tool::Npm, data));
        assert_eq!((npm.path, others.path), (Some(&b"evil"[..]), None));
        assert!(!has_plain_records(data));
    }

    #[test]
    fn damaged_records_are_rejected() {
        for records in [&b"9 path=a"[..], b"path=a\n", b"8 path=ab\n", b"99 path=a\n", b"0 "] {
            assert!(!Values::default().read(Tool::Recovery, records), "{records:?}");
        }
    }
}
