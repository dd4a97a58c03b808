//! Tokens of DOT texts.

use std::io::Read;

use super::error::ReadError;
use super::listed::Place;
use super::located::{Located, text_of};

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DotToken {
    /// An identifier, and true if it is quoted, so that it is no keyword.
    Id(String, bool),
    /// `->` or `--`
    Arrow {
        /// True for `->`.
        is_directed: bool,
    },
    /// One of `{ } [ ] ; , = :`
    Mark(u8),
}

/// Reader of the tokens of a text, with one token of lookahead. Comments are those of C++, and lines that begin with `#`.
pub(crate) struct DotTokens<R> {
    input: Located<R>,
    next: Option<Option<(DotToken, Place)>>,
    /// Number of tokens so far.
    count: u64,
}

impl<R: Read> DotTokens<R> {
    pub(crate) fn new(input: R) -> DotTokens<R> {
        DotTokens { input: Located::new(input), next: None, count: 0 }
    }

    /// Position after the last token.
    pub(crate) fn place(&self) -> Place {
        self.input.place()
    }

    /// Number of tokens so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The next token and its position; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<(DotToken, Place)>, ReadError> {
        match self.next.take() {
            Some(token) => Ok(token),
            None => self.read(),
        }
    }

    /// The next token, which stays.
    pub(crate) fn peek(&mut self) -> Result<Option<&DotToken>, ReadError> {
        if self.next.is_none() {
            self.next = Some(self.read()?);
        }
        Ok(self.next.as_ref().and_then(Option::as_ref).map(|(token, _)| token))
    }

    /// Skips the next token if it is this mark.
    pub(crate) fn skip(&mut self, mark: u8) -> Result<bool, ReadError> {
        let is_mark = self.peek()? == Some(&DotToken::Mark(mark));
        if is_mark {
            self.next = None;
        }
        Ok(is_mark)
    }

    fn read(&mut self) -> Result<Option<(DotToken, Place)>, ReadError> {
        self.count += 1;
        loop {
            let place = self.input.place();
            let Some(byte) = self.input.peek()? else { return Ok(None) };
            let token = match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.input.skip();
                    continue;
                }
                b'#' if place.at == 0 => {
                    self.input.skip_line()?;
                    continue;
                }
                b'/' => {
                    self.comment(place)?;
                    continue;
                }
                b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':' => {
                    self.input.skip();
                    DotToken::Mark(byte)
                }
                b'"' => DotToken::Id(self.quoted(place)?, true),
                b'<' => DotToken::Id(self.html(place)?, true),
                b'-' => {
                    self.input.skip();
                    match self.input.peek()? {
                        Some(second @ (b'-' | b'>')) => {
                            self.input.skip();
                            DotToken::Arrow { is_directed: second == b'>' }
                        }
                        _ => self.word(vec![b'-'], place)?,
                    }
                }
                _ => self.word(Vec::new(), place)?,
            };
            return Ok(Some((token, place)));
        }
    }

    fn comment(&mut self, place: Place) -> Result<(), ReadError> {
        self.input.skip();
        match self.input.peek()? {
            Some(b'/') => self.input.skip_line(),
            Some(b'*') => {
                self.input.skip();
                let mut last = b' ';
                loop {
                    let Some(byte) = self.input.peek()? else { return Err(place.syntax("the comment does not end")) };
                    self.input.skip();
                    if (last, byte) == (b'*', b'/') {
                        return Ok(());
                    }
                    last = byte;
                }
            }
            _ => Err(place.syntax("`/` begins a comment, but neither `/` nor `*` follows")),
        }
    }

    /// A quoted text, and those that `+` joins to it. `\"` is a quote, and a backslash at the end of a line joins lines.
    fn quoted(&mut self, place: Place) -> Result<String, ReadError> {
        let mut text = Vec::new();
        loop {
            self.input.skip();
            loop {
                match self.input.peek()? {
                    None => return Err(place.syntax("the quoted text does not end")),
                    Some(b'"') => break,
                    Some(b'\\') => {
                        self.input.skip();
                        match self.input.peek()? {
                            Some(b'"') => self.input.push_to(&mut text, place)?,
                            Some(b'\n') => self.input.skip(),
                            Some(b'\\') => {
                                text.push(b'\\');
                                self.input.push_to(&mut text, place)?;
                            }
                            _ => text.push(b'\\'),
                        }
                    }
                    Some(_) => self.input.push_to(&mut text, place)?,
                }
            }
            self.input.skip();
            self.skip_blanks()?;
            if self.input.peek()? != Some(b'+') {
                return text_of(text, place);
            }
            self.input.skip();
            self.skip_blanks()?;
            if self.input.peek()? != Some(b'"') {
                return Err(self.input.place().syntax("a quoted text must follow `+`"));
            }
        }
    }

    fn skip_blanks(&mut self) -> Result<(), ReadError> {
        while matches!(self.input.peek()?, Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.input.skip();
        }
        Ok(())
    }

    /// A text of HTML, with the angle brackets around it.
    fn html(&mut self, place: Place) -> Result<String, ReadError> {
        let (mut text, mut depth) = (Vec::new(), 0u32);
        loop {
            match self.input.peek()? {
                None => return Err(place.syntax("the text of HTML does not end")),
                Some(b'<') => depth += 1,
                Some(b'>') => depth -= 1,
                Some(_) => {}
            }
            self.input.push_to(&mut text, place)?;
            if depth == 0 {
                return text_of(text, place);
            }
        }
    }

    fn word(&mut self, mut word: Vec<u8>, place: Place) -> Result<DotToken, ReadError> {
        while let Some(byte) = self.input.peek()?
            && (byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || byte >= 0x80)
        {
            self.input.push_to(&mut word, place)?;
        }
        if word.is_empty() || word == b"-" {
            return Err(place.syntax("this character is neither an identifier nor a mark of DOT"));
        }
        Ok(DotToken::Id(text_of(word, place)?, false))
    }
}
