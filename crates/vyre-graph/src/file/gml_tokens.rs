//! Tokens of GML texts.

use std::io::Read;

use super::error::ReadError;
use super::listed::Place;
use super::located::{Located, text_of};

/// A token of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GmlToken {
    /// A key or a number.
    Word(String),
    /// A quoted text.
    Text(String),
    /// `[`
    Open,
    /// `]`
    Close,
}

/// Reader of the tokens of a text. Lines that begin with `#` are comments.
pub(crate) struct GmlTokens<R> {
    input: Located<R>,
}

impl<R: Read> GmlTokens<R> {
    pub(crate) fn new(input: R) -> GmlTokens<R> {
        GmlTokens { input: Located::new(input) }
    }

    /// Position after the last token.
    pub(crate) fn place(&self) -> Place {
        self.input.place()
    }

    /// The next token and its position; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<(GmlToken, Place)>, ReadError> {
        loop {
            let place = self.input.place();
            let Some(byte) = self.input.peek()? else { return Ok(None) };
            let token = match byte {
                b'#' => {
                    self.input.skip_line()?;
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.input.skip();
                    continue;
                }
                b'[' | b']' => {
                    self.input.skip();
                    if byte == b'[' { GmlToken::Open } else { GmlToken::Close }
                }
                b'"' => {
                    self.input.skip();
                    let mut text = Vec::new();
                    loop {
                        match self.input.peek()? {
                            None => return Err(place.syntax("the quoted text does not end")),
                            Some(b'"') => break,
                            Some(_) => self.input.push_to(&mut text, place)?,
                        }
                    }
                    self.input.skip();
                    GmlToken::Text(unescaped(&text_of(text, place)?))
                }
                _ => {
                    let mut word = Vec::new();
                    while let Some(byte) = self.input.peek()?
                        && !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'[' | b']' | b'"')
                    {
                        self.input.push_to(&mut word, place)?;
                    }
                    GmlToken::Word(text_of(word, place)?)
                }
            };
            return Ok(Some((token, place)));
        }
    }
}

/// Replaces character references `&#228;` and the entities of XML. Others stay as they are.
fn unescaped(text: &str) -> String {
    let mut rest = text;
    let mut unescaped = String::new();
    while let Some(at) = rest.find('&') {
        unescaped.push_str(&rest[..at]);
        rest = &rest[at..];
        // No reference is longer, and the time must be linear.
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let reference = end.map(|end| (&rest[1..end], &rest[end + 1..]));
        let character = reference.and_then(|(name, _)| match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => name.strip_prefix('#')?.parse().ok().and_then(char::from_u32),
        });
        match (character, reference) {
            (Some(character), Some((_, after))) => {
                unescaped.push(character);
                rest = after;
            }
            _ => {
                unescaped.push('&');
                rest = &rest[1..];
            }
        }
    }
    unescaped.push_str(rest);
    unescaped
}
