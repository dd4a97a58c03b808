//! Parser state and token-level helpers. [`expression`](super::expression) parses expressions, and
//! [`statement`](super::statement) declarations and statements.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::error::ErrorKind;
use super::lexer::{Fault, Lexer, Mark, Suffix, Token};
use super::vocabulary::{Function, Precedence, is_reserved};
use crate::source::Span;
use crate::{AtomicOp, BinOp, DataType, Expr, Name, UnOp};

/// A complete operand.
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) span: Span,
}

/// An operator or open bracket that waits for its operand or for its closing bracket.
pub(super) enum Pending {
    Infix {
        op: BinOp,
        precedence: Precedence,
    },
    Prefix {
        op: UnOp,
        start: Span,
    },
    Group {
        start: Span,
    },
    Index {
        buffer: Name,
        start: Span,
    },
    Arguments {
        callee: Arguments,
        start: Span,
        base: usize,
    },
    /// Between the brackets of `atomic_add(b[i], ...)`.
    AtomicElement {
        op: AtomicOp,
        buffer: Name,
        start: Span,
    },
}

/// Callee of a list of arguments.
pub(super) enum Arguments {
    Function(Function),
    Call(Name),
    Pack(DataType),
    Atomic { op: AtomicOp, buffer: Name, named_expected: bool },
}

/// A syntax error without line and column.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    pub(super) span: Span,
    pub(super) suggestion: Option<String>,
}

impl From<Fault> for Box<Failure> {
    fn from(fault: Fault) -> Box<Failure> {
        let (kind, span) = *fault;
        let suggestion = match &kind {
            ErrorKind::UnexpectedCharacter('"' | '\'') => Some("names with unusual characters stand between backticks"),
            ErrorKind::UnexpectedCharacter('#') => Some("comments begin with `//`"),
            ErrorKind::UnexpectedCharacter('?') => Some("write `select(condition, a, b)`"),
            ErrorKind::BadLiteral => Some("write decimal digits, `0x1f` or `0b101`, and no suffix but `u32` or `i32`"),
            ErrorKind::UnterminatedName => Some("close the name with a backtick on the same line"),
            _ => None,
        };
        Box::new(Failure { kind, span, suggestion: suggestion.map(str::to_owned) })
    }
}

pub(super) type Outcome<T> = Result<T, Box<Failure>>;

/// Parser state: the token stream and the stacks of the expression parser.
pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) lexer: Lexer<'s>,
    /// Current token and its span.
    pub(super) token: Token,
    pub(super) span: Span,
    /// Span of the previous token.
    pub(super) previous: Span,
    /// Spans of complete statements and expressions, by ordinal.
    pub(super) spans: Vec<Span>,
    names: HashMap<&'s str, Name, RandomState>,
    pub(super) values: Vec<Value>,
    pub(super) pending: Vec<Pending>,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str) -> Parser<'s> {
        Parser {
            source,
            lexer: Lexer::new(source),
            token: Token::End,
            span: Span::default(),
            previous: Span::default(),
            spans: Vec::new(),
            names: HashMap::default(),
            values: Vec::new(),
            pending: Vec::new(),
        }
    }

    pub(super) fn advance(&mut self) -> Outcome<()> {
        self.previous = self.span;
        self.token = self.lexer.next()?;
        self.span = self.lexer.span();
        Ok(())
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// Current word; empty if the token is not a word.
    pub(super) fn word(&self) -> &'s str {
        if self.token == Token::Word { self.text(self.span) } else { "" }
    }

    pub(super) fn is_mark(&self, mark: Mark) -> bool {
        self.token == Token::Mark(mark)
    }

    pub(super) fn eat(&mut self, mark: Mark) -> Outcome<bool> {
        let found = self.is_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Outcome<bool> {
        let found = self.word() == word;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, mark: Mark, wanted: &'static str) -> Outcome<()> {
        if self.eat(mark)? { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    pub(super) fn expect_semicolon(&mut self) -> Outcome<()> {
        if self.eat(Mark::Semicolon)? {
            return Ok(());
        }
        let mut failure = self.unexpected("`;`");
        failure.suggestion = self.instead_of_semicolon();
        let goes_on = matches!(self.token, Token::Word | Token::Quoted | Token::Mark(Mark::CloseBrace) | Token::End);
        if failure.suggestion.is_none() && goes_on {
            failure.span = Span { start: self.previous.end, end: self.previous.end };
            failure.suggestion = Some("end the statement with `;`".to_owned());
        }
        Err(failure)
    }

    /// Suggestion for a statement that continues where it must end.
    fn instead_of_semicolon(&self) -> Option<String> {
        let suggestion = match (self.text(self.previous), self.token) {
            ("barrier" | "return" | "break", Token::Mark(Mark::OpenParen)) => {
                "it is a statement, not a function; leave the parentheses out"
            }
            ("return", _) if !self.is_mark(Mark::CloseBrace) && self.token != Token::End => {
                "`return` gives no value; store results to a buffer"
            }
            (_, Token::Mark(Mark::Assign)) => "one statement assigns once; write two",
            (_, Token::Mark(Mark::Comma)) => "a workgroup has three axes",
            _ => return None,
        };
        Some(suggestion.to_owned())
    }

    /// Error of the current token where `wanted` is expected.
    #[cold]
    pub(super) fn unexpected(&self, wanted: &'static str) -> Box<Failure> {
        let found = match self.token {
            Token::End => "the end of the file".to_owned(),
            Token::Word | Token::Quoted | Token::Integer { .. } | Token::Mark(_) => {
                let text: String = self.text(self.span).chars().take(40).collect();
                format!("`{text}`")
            }
        };
        Box::new(Failure { kind: ErrorKind::Expected { wanted, found }, span: self.span, suggestion: None })
    }

    #[cold]
    pub(super) fn failure(&self, kind: ErrorKind, span: Span, suggestion: &str) -> Box<Failure> {
        Box::new(Failure { kind, span, suggestion: Some(suggestion.to_owned()) })
    }

    pub(super) fn intern(&mut self, text: &'s str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    /// Reads a plain or quoted name.
    pub(super) fn name(&mut self, wanted: &'static str) -> Outcome<Name> {
        let span = self.span;
        let text = self.text(span);
        let name = match self.token {
            Token::Word if is_reserved(text) => {
                let suggestion = format!("choose another name, or write `{text}` between backticks");
                return Err(self.failure(ErrorKind::ReservedWord(text.to_owned()), span, &suggestion));
            }
            Token::Word => self.intern(text),
            Token::Quoted => self.unquote(span)?,
            _ => return Err(self.unexpected(wanted)),
        };
        self.advance()?;
        Ok(name)
    }

    /// Name in a span between backticks, with its escapes resolved.
    pub(super) fn unquote(&mut self, span: Span) -> Outcome<Name> {
        let text = self.text(Span { start: span.start + 1, end: span.end - 1 });
        if !text.contains('\\') {
            return Ok(self.intern(text));
        }
        let bad =
            || self.failure(ErrorKind::BadEscape, span, r"escapes are `\\`, `\``, `\n`, `\r`, `\t` and `\u{1f600}`");
        let mut name = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            name.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let escape = rest.chars().next().ok_or_else(bad)?;
            rest = &rest[escape.len_utf8()..];
            name.push(match escape {
                '\\' | '`' => escape,
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let (digits, after) = rest.strip_prefix('{').and_then(|r| r.split_once('}')).ok_or_else(bad)?;
                    rest = after;
                    let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                    let number = u32::from_str_radix(digits, 16).ok().filter(|_| plain).ok_or_else(bad)?;
                    char::from_u32(number).ok_or_else(bad)?
                }
                _ => return Err(bad()),
            });
        }
        name.push_str(rest);
        Ok(Name::from(name))
    }

    pub(super) fn integer(&mut self, wanted: &'static str) -> Outcome<u32> {
        match self.token {
            Token::Integer { value, suffix: Suffix::None | Suffix::U32 } => {
                let value = u32::try_from(value).map_err(|_| {
                    self.failure(
                        ErrorKind::LiteralOutOfRange { ty: "u32" },
                        self.span,
                        "the largest `u32` is 4294967295",
                    )
                })?;
                self.advance()?;
                Ok(value)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    pub(super) fn data_type(&mut self) -> Outcome<DataType> {
        match DataType::from_name(self.word()) {
            Some(ty) => {
                self.advance()?;
                Ok(ty)
            }
            None => {
                let mut failure = self.unexpected("a type");
                failure.suggestion = Some(format!("the types are {}", list(DataType::ALL.iter().map(|ty| ty.name()))));
                Err(failure)
            }
        }
    }
}

/// Quoted names, separated by commas.
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
