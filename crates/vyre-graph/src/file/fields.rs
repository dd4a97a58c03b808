//! Tokenizer of the fields of a line.

use std::borrow::Cow;

use super::text_error::{NumberErrorKind, TextErrorKind, TextField, shown};

/// Separators and quoting of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Spaces and tabs. Quotes have no meaning.
    Blanks,
    /// Spaces and tabs, with at most one comma or semicolon among them. Fields may be quoted.
    Mixed,
    /// Exactly this byte. Spaces around fields are ignored. Fields may be quoted.
    Delimited(u8),
}

impl Dialect {
    fn is_blank(self, byte: u8) -> bool {
        byte == b' ' || (byte == b'\t' && self != Dialect::Delimited(b'\t'))
    }

    fn is_delimiter(self, byte: u8) -> bool {
        match self {
            Dialect::Blanks => false,
            Dialect::Mixed => byte == b',' || byte == b';',
            Dialect::Delimited(delimiter) => byte == delimiter,
        }
    }

    /// Reports whether the byte alone separates two unquoted fields.
    pub(crate) fn separates(self, byte: u8) -> bool {
        match self {
            Dialect::Blanks | Dialect::Mixed => self.is_blank(byte) || self.is_delimiter(byte),
            Dialect::Delimited(delimiter) => byte == delimiter,
        }
    }

    /// Dialect whose delimiter is the first tab, comma or semicolon of the line; `None` if it has none.
    pub(crate) fn of_line(line: &[u8]) -> Option<Dialect> {
        let mut is_quoted = false;
        let delimiter = line.iter().find(|&&byte| {
            is_quoted ^= byte == b'"';
            !is_quoted && matches!(byte, b'\t' | b',' | b';')
        });
        delimiter.map(|&byte| Dialect::Delimited(byte))
    }
}

/// A field of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'l> {
    /// Text without the quotes around it. Quotes within it are still doubled.
    pub(crate) text: &'l [u8],
    /// Position of the text in the line.
    pub(crate) at: usize,
    /// True if the field was quoted.
    pub(crate) is_quoted: bool,
}

/// An error at a byte of a line, counted from 0.
pub(crate) type LineError = (usize, TextErrorKind);

impl<'l> Field<'l> {
    /// The field as a name in UTF-8. `is_text` must be true only if the field is known to be UTF-8 without a byte 0.
    ///
    /// # Errors
    ///
    /// The field is empty, has a byte 0 or is not UTF-8.
    pub(crate) fn name(&self, is_text: bool) -> Result<Cow<'l, [u8]>, LineError> {
        if !is_text {
            self.check_text()?;
        }
        if self.text.is_empty() {
            return Err((self.at, TextErrorKind::EmptyName));
        }
        Ok(self.unquoted())
    }

    /// The unquoted value of the field in UTF-8.
    ///
    /// # Errors
    ///
    /// It has a byte 0 or is not UTF-8.
    pub(crate) fn value(&self) -> Result<Cow<'l, [u8]>, LineError> {
        self.check_text()?;
        Ok(self.unquoted())
    }

    /// The text with doubled quotes replaced by single ones.
    pub(crate) fn unquoted(&self) -> Cow<'l, [u8]> {
        // A tokenizer of its own, because blocks are parsed in place by many threads; CSV libraries copy every field.
        if !self.is_quoted || memchr::memchr(b'"', self.text).is_none() {
            return Cow::Borrowed(self.text);
        }
        let mut name = Vec::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(at) = memchr::memchr(b'"', rest) {
            name.extend_from_slice(&rest[..=at]);
            // Skips the second of two quotes.
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        name.extend_from_slice(rest);
        Cow::Owned(name)
    }

    /// The field as text.
    ///
    /// # Errors
    ///
    /// It has a byte 0 or is not UTF-8.
    pub(crate) fn check_text(&self) -> Result<&'l str, LineError> {
        let text = str::from_utf8(self.text).map_err(|error| {
            let at = error.valid_up_to();
            (self.at + at, TextErrorKind::NotUtf8 { byte: self.text[at] })
        })?;
        match self.text.iter().position(|&byte| byte == 0) {
            Some(at) => Err((self.at + at, TextErrorKind::Nul)),
            None => Ok(text),
        }
    }

    /// Parses the field as a number.
    ///
    /// # Errors
    ///
    /// The field is missing, not a number, or out of range.
    pub(crate) fn number<T>(
        &self,
        field: TextField,
        parse: impl FnOnce(&[u8]) -> Result<T, NumberErrorKind>,
    ) -> Result<T, LineError> {
        parse(self.text).map_err(|reason| match self.check_text() {
            Err(kind) => kind,
            Ok("") => (self.at, TextErrorKind::Missing { field }),
            Ok(_) => (self.at, TextErrorKind::Number { field, found: shown(self.text), reason }),
        })
    }
}

/// Lookup table of the separators of [`Dialect::Mixed`], which is faster than comparisons.
const SEPARATES_MIXED: [bool; 256] = {
    let mut separates = [false; 256];
    separates[b' ' as usize] = true;
    separates[b'\t' as usize] = true;
    separates[b',' as usize] = true;
    separates[b';' as usize] = true;
    separates
};

/// Iterator over the fields of a line.
pub(crate) struct Fields<'l> {
    line: &'l [u8],
    dialect: Dialect,
    at: usize,
    /// True after a delimiter, so that an empty field follows even at the end of the line.
    is_open: bool,
}

impl<'l> Fields<'l> {
    pub(crate) fn new(line: &'l [u8], dialect: Dialect) -> Fields<'l> {
        Fields { line, dialect, at: 0, is_open: matches!(dialect, Dialect::Delimited(_)) }
    }

    /// The next field; `None` at the end of the line.
    ///
    /// # Errors
    ///
    /// A quote is unbalanced.
    pub(crate) fn next(&mut self) -> Result<Option<Field<'l>>, LineError> {
        self.skip_blanks();
        let Some(&first) = self.line.get(self.at) else {
            let is_open = std::mem::replace(&mut self.is_open, false);
            return Ok(is_open.then_some(Field { text: &[], at: self.at, is_quoted: false }));
        };
        let field = if first == b'"' && self.dialect != Dialect::Blanks { self.quoted()? } else { self.unquoted() };
        self.skip_blanks();
        self.is_open = self.line.get(self.at).is_some_and(|&byte| self.dialect.is_delimiter(byte));
        self.at += usize::from(self.is_open);
        Ok(Some(field))
    }

    /// Position after the last field.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    fn skip_blanks(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.iter().take_while(|&&byte| self.dialect.is_blank(byte)).count();
    }

    fn unquoted(&mut self) -> Field<'l> {
        let (start, rest) = (self.at, &self.line[self.at..]);
        let length = match self.dialect {
            Dialect::Blanks => memchr::memchr2(b' ', b'\t', rest),
            Dialect::Mixed => rest.iter().position(|&byte| SEPARATES_MIXED[byte as usize]),
            Dialect::Delimited(delimiter) => memchr::memchr(delimiter, rest),
        };
        let length = length.unwrap_or(rest.len());
        self.at += length;
        let mut text = &rest[..length];
        while let [before @ .., last] = text
            && self.dialect.is_blank(*last)
        {
            text = before;
        }
        Field { text, at: start, is_quoted: false }
    }

    fn quoted(&mut self) -> Result<Field<'l>, LineError> {
        let opening = self.at;
        let start = opening + 1;
        let mut at = start;
        loop {
            let Some(length) = memchr::memchr(b'"', &self.line[at..]) else {
                return Err((opening, TextErrorKind::OpenQuote));
            };
            at += length + 1;
            if self.line.get(at) != Some(&b'"') {
                break;
            }
            at += 1;
        }
        self.at = at;
        if let Some(&byte) = self.line.get(at)
            && !self.dialect.separates(byte)
            && !self.dialect.is_blank(byte)
        {
            return Err((at, TextErrorKind::AfterQuote { found: shown(&self.line[at..]) }));
        }
        Ok(Field { text: &self.line[start..at - 1], at: start, is_quoted: true })
    }
}

/// Reports whether a text begins with a comment mark.
pub(crate) fn is_comment(text: &[u8]) -> bool {
    text.starts_with(b"#") || text.starts_with(b"%") || text.starts_with(b"//")
}

/// Reports whether a line has only blanks.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii_start().is_empty()
}

/// Reports whether a line is blank or a comment.
pub(crate) fn is_blank_or_comment(line: &[u8]) -> bool {
    is_blank(line) || is_comment(line.trim_ascii_start())
}

/// Reports whether a name must be quoted in a text.
pub(crate) fn needs_quotes(name: &str) -> bool {
    let is_special = |byte: u8| matches!(byte, b' ' | b'\t' | b',' | b';' | b'"');
    name.is_empty()
        || name.bytes().any(is_special)
        || is_comment(name.as_bytes())
        || name.as_bytes()[0].is_ascii_whitespace()
}
