//! Lexer of the text format.

use super::error::ErrorKind;
use crate::source::Span;

/// A token. Names keep their text in the source; the parser resolves escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A plain name or reserved word.
    Word,
    /// A name between backticks.
    Quoted,
    /// An integer literal.
    Integer {
        value: u64,
        suffix: Suffix,
    },
    /// Punctuation of one or two characters.
    Mark(Mark),
    End,
    /// Text that is no token. The parser keeps the error and reports it where it expects another token.
    Invalid,
}

/// The type suffix of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    None,
    U32,
    I32,
}

/// Declares the punctuation marks and their spellings.
macro_rules! marks {
    ($($name:ident = $text:literal,)+) => {
        /// Punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Mark {
            $($name,)+
        }

        impl Mark {
            pub(super) const fn text(self) -> &'static str {
                match self {
                    $(Mark::$name => $text,)+
                }
            }
        }
    };
}

marks! {
    OpenBrace = "{",
    CloseBrace = "}",
    OpenParen = "(",
    CloseParen = ")",
    OpenBracket = "[",
    CloseBracket = "]",
    Comma = ",",
    Semicolon = ";",
    Colon = ":",
    At = "@",
    Dot = ".",
    DotDot = "..",
    Assign = "=",
    Equal = "==",
    NotEqual = "!=",
    Less = "<",
    LessEqual = "<=",
    ShiftLeft = "<<",
    Greater = ">",
    GreaterEqual = ">=",
    ShiftRight = ">>",
    And = "&",
    AndAnd = "&&",
    Or = "|",
    OrOr = "||",
    Caret = "^",
    Plus = "+",
    Minus = "-",
    Star = "*",
    Slash = "/",
    Percent = "%",
    Tilde = "~",
    Bang = "!",
}

/// Token stream. The parser copies it for lookahead, so a copy must be cheap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    position: usize,
    /// Start of the last token, which ends at `position`.
    start: usize,
}

/// A lexical error and its span. Boxed, because errors are rare and results should be small.
pub(super) type Fault = Box<(ErrorKind, Span)>;

/// Spans of the comments, each from `//` to the end of its line.
pub(super) fn comments(source: &str) -> Vec<Span> {
    let mut lexer = Lexer::new(source);
    let mut found = Vec::new();
    loop {
        lexer.skip_space(|span| found.push(span));
        match lexer.token() {
            Ok(Token::End) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Lexer<'s> {
        let byte_order_mark = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { source, position: byte_order_mark, start: byte_order_mark }
    }

    fn bytes(&self) -> &'s [u8] {
        self.source.as_bytes()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    fn skip_space(&mut self, mut comment: impl FnMut(Span)) {
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\n' | b'\r' => self.position += 1,
                b'/' if self.byte(1) == b'/' => {
                    let start = self.position;
                    let rest = &self.bytes()[start..];
                    self.position += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    comment(span(start, self.position));
                }
                _ => return,
            }
        }
    }

    /// Span of the last token.
    pub(super) fn span(&self) -> Span {
        span(self.start, self.position)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token, Fault> {
        self.skip_space(|_| ());
        self.token()
    }

    fn token(&mut self) -> Result<Token, Fault> {
        self.start = self.position;
        if self.start == self.source.len() {
            return Ok(Token::End);
        }
        Ok(match self.byte(0) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.position += 1;
                self.skip_word();
                if self.byte(0) >= 0x80 && self.rest().starts_with(continues_name) {
                    return Err(self.unquoted_name());
                }
                Token::Word
            }
            b'0'..=b'9' => self.integer()?,
            b'`' => self.quoted()?,
            0x80.. if self.rest().starts_with(char::is_alphabetic) => return Err(self.unquoted_name()),
            _ => Token::Mark(self.mark()?),
        })
    }

    fn rest(&self) -> &'s str {
        &self.source[self.position..]
    }

    /// Skips the rest of a name with letters beyond ASCII that has no backticks.
    #[cold]
    fn unquoted_name(&mut self) -> Fault {
        self.position += self.rest().find(|c| !continues_name(c)).unwrap_or(self.rest().len());
        let name = self.source[self.start..self.position].chars().take(MAX_SHOWN_CHARS).collect();
        Box::new((ErrorKind::UnquotedName(name), self.span()))
    }

    fn skip_word(&mut self) {
        while self.byte(0).is_ascii_alphanumeric() || self.byte(0) == b'_' {
            self.position += 1;
        }
    }

    fn integer(&mut self) -> Result<Token, Fault> {
        let start = self.position;
        self.skip_word();
        let text = &self.source[start..self.position];
        let literal = span(start, self.position);
        let (digits, radix) = match text.get(..2) {
            Some("0x" | "0X") => (&text[2..], 16),
            Some("0b" | "0B") => (&text[2..], 2),
            _ => (text, 10),
        };
        // `u` and `i` are not hexadecimal digits, so a suffix is unambiguous.
        let (digits, suffix) = match (digits.strip_suffix("u32"), digits.strip_suffix("i32")) {
            (Some(digits), _) => (digits, Suffix::U32),
            (_, Some(digits)) => (digits, Suffix::I32),
            _ => (digits, Suffix::None),
        };
        let mut value: u64 = 0;
        let mut any = false;
        for c in digits.chars().filter(|&c| c != '_') {
            let digit = c.to_digit(radix).ok_or_else(|| Box::new((ErrorKind::BadLiteral, literal)))?;
            any = true;
            // A literal of 2^33 or more is out of range; saturate instead of wrapping.
            value = (value * u64::from(radix) + u64::from(digit)).min(1 << 33);
        }
        if any { Ok(Token::Integer { value, suffix }) } else { Err(Box::new((ErrorKind::BadLiteral, literal))) }
    }

    fn quoted(&mut self) -> Result<Token, Fault> {
        let start = self.position;
        self.position += 1;
        loop {
            match self.byte(0) {
                b'`' => {
                    self.position += 1;
                    return Ok(Token::Quoted);
                }
                b'\\' if self.position + 1 < self.source.len() => self.position += 2,
                b'\n' => return Err(Box::new((ErrorKind::UnterminatedName, span(start, self.position)))),
                _ if self.position >= self.source.len() => {
                    return Err(Box::new((ErrorKind::UnterminatedName, span(start, self.source.len()))));
                }
                _ => self.position += 1,
            }
        }
    }

    fn mark(&mut self) -> Result<Mark, Fault> {
        let (mark, length) = match (self.byte(0), self.byte(1)) {
            (b'{', _) => (Mark::OpenBrace, 1),
            (b'}', _) => (Mark::CloseBrace, 1),
            (b'(', _) => (Mark::OpenParen, 1),
            (b')', _) => (Mark::CloseParen, 1),
            (b'[', _) => (Mark::OpenBracket, 1),
            (b']', _) => (Mark::CloseBracket, 1),
            (b',', _) => (Mark::Comma, 1),
            (b';', _) => (Mark::Semicolon, 1),
            (b':', _) => (Mark::Colon, 1),
            (b'@', _) => (Mark::At, 1),
            (b'.', b'.') => (Mark::DotDot, 2),
            (b'.', _) => (Mark::Dot, 1),
            (b'=', b'=') => (Mark::Equal, 2),
            (b'=', _) => (Mark::Assign, 1),
            (b'!', b'=') => (Mark::NotEqual, 2),
            (b'!', _) => (Mark::Bang, 1),
            (b'<', b'<') => (Mark::ShiftLeft, 2),
            (b'<', b'=') => (Mark::LessEqual, 2),
            (b'<', _) => (Mark::Less, 1),
            (b'>', b'>') => (Mark::ShiftRight, 2),
            (b'>', b'=') => (Mark::GreaterEqual, 2),
            (b'>', _) => (Mark::Greater, 1),
            (b'&', b'&') => (Mark::AndAnd, 2),
            (b'&', _) => (Mark::And, 1),
            (b'|', b'|') => (Mark::OrOr, 2),
            (b'|', _) => (Mark::Or, 1),
            (b'^', _) => (Mark::Caret, 1),
            (b'+', _) => (Mark::Plus, 1),
            (b'-', _) => (Mark::Minus, 1),
            (b'*', _) => (Mark::Star, 1),
            (b'/', _) => (Mark::Slash, 1),
            (b'%', _) => (Mark::Percent, 1),
            (b'~', _) => (Mark::Tilde, 1),
            _ => {
                let c = self.rest().chars().next().unwrap_or('\0');
                let character = span(self.position, self.position + c.len_utf8());
                self.position += c.len_utf8();
                return Err(Box::new((ErrorKind::UnexpectedCharacter(c), character)));
            }
        };
        self.position += length;
        Ok(mark)
    }
}

/// Maximum number of characters of a token in a message.
pub(super) const MAX_SHOWN_CHARS: usize = 40;

/// True for characters that may follow the first letter of a word in any script, combining accents included.
fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || matches!(c, '\u{300}'..='\u{36f}')
}

/// Span of a range of bytes. The parser rejects sources of more than `u32::MAX` bytes.
fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}
