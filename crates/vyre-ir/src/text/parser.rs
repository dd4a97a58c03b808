//! Parser state and token-level helpers. [`expression`](super::expression) parses expressions,
//! [`statement`](super::statement) statements, and [`declaration`](super::declaration) declarations. All of them write
//! postfix code.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::error::{ErrorKind, Failure};
use super::foreign;
use super::layout::{Places, Record};
use super::lexer::{Fault, Lexer, MAX_SHOWN_CHARS, Mark, Suffix, Token};
use super::vocabulary::{Function, is_reserved};
use crate::postfix::PostfixCode;
use crate::size_limits::{Excess, SizeGuard, SizeLimits};
use crate::source::{SourceMap, Span};
use crate::{AtomicOp, AtomicScope, BinOp, BodyKind, DataType, UnOp};

/// An operator or open bracket that waits for its operand or for its closing bracket.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    /// Offset at which the expression begins.
    pub(super) start: u32,
    pub(super) kind: PendingKind,
}

/// Kind of a [`Pending`]. The name and the arguments of brackets are in [`Bracket`].
#[derive(Clone, Copy)]
pub(super) enum PendingKind {
    Infix(BinOp),
    Prefix(UnOp),
    /// Adjacent parentheses, as many as `count`. `start` is the offset of the first.
    Group {
        count: u16,
    },
    Index,
    Function(Function),
    Call,
    Pack(DataType),
    /// Between the brackets of `atomic_add(b[i], ...)`.
    AtomicElement(AtomicScope, AtomicOp),
    Atomic {
        scope: AtomicScope,
        op: AtomicOp,
        named_expected: bool,
    },
}

const _: () = assert!(size_of::<Pending>() == 8);

/// Name and first argument of a pending index or list of arguments.
#[derive(Clone, Copy)]
pub(super) struct Bracket {
    /// Index of the name, if there is one.
    pub(super) name: u32,
    /// Number of values before the first argument.
    pub(super) base: u32,
}

/// An open body, or the chained `if` of an `else if`, which has no braces.
#[derive(Clone, Copy)]
pub(super) struct OpenBody {
    /// Position of the statement in the code; unused for the entry.
    pub(super) statement: u32,
    /// Place of the statement in [`Places`].
    pub(super) place: u32,
    /// Offset of the opening brace, or the number of the body in the layout.
    pub(super) brace: u32,
    pub(super) kind: BodyKind,
    pub(super) form: BodyForm,
}

const _: () = assert!(size_of::<OpenBody>() == 16);

/// Form of an open body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyForm {
    Braces,
    /// No braces: the `if` of an `else if`.
    Chained,
    /// Braces after a head with a syntax error.
    Recovered,
    /// Braces after `do`.
    RecoveredDo,
}

/// What a `;` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Statement,
    WorkgroupSize,
    Buffer,
}

pub(super) type Outcome<T> = Result<T, Box<Failure>>;

/// Parser state: the token stream, the code, and the stacks of operators, operands and bodies.
pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) lexer: Lexer<'s>,
    /// Current token and its span.
    pub(super) token: Token,
    pub(super) span: Span,
    /// Span of the previous token.
    pub(super) previous: Span,
    /// Error of the last invalid token.
    fault: Option<Fault>,
    pub(super) code: PostfixCode<'s>,
    names: HashMap<&'s str, u32, RandomState>,
    /// Names that are written with escapes.
    escaped: HashMap<String, u32, RandomState>,
    pub(super) places: Places,
    pub(super) source_map: SourceMap,
    /// Spans of the complete operands.
    pub(super) values: Vec<Span>,
    pub(super) pending: Vec<Pending>,
    /// Number of groups in `pending`. All other entries become nodes.
    pub(super) groups: usize,
    pub(super) brackets: Vec<Bracket>,
    pub(super) open: Vec<OpenBody>,
    pub(super) guard: SizeGuard,
    /// Set when the limit of nodes is exceeded. Parsing ends then.
    pub(super) excess: Option<Excess>,
    /// Span of the statement that exceeds the limit of nesting.
    pub(super) too_deep: Span,
    pub(super) failures: Vec<Failure>,
    pub(super) omitted: usize,
    max_errors: usize,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str, record: Record, limits: SizeLimits, max_errors: usize) -> Parser<'s> {
        let mut parser = Parser {
            source,
            lexer: Lexer::new(source),
            token: Token::End,
            span: Span::default(),
            previous: Span::default(),
            fault: None,
            code: PostfixCode::default(),
            names: HashMap::default(),
            escaped: HashMap::default(),
            places: Places::new(record),
            source_map: SourceMap::default(),
            values: Vec::new(),
            pending: Vec::new(),
            groups: 0,
            brackets: Vec::new(),
            open: Vec::new(),
            guard: SizeGuard::new(limits),
            excess: None,
            too_deep: Span::default(),
            failures: Vec::new(),
            omitted: 0,
            max_errors: max_errors.max(1),
        };
        parser.advance();
        parser.previous = Span::default();
        parser
    }

    /// Keeps an error, unless there are too many.
    #[expect(clippy::boxed_local, reason = "failures are boxed in results, which the callers pass on")]
    pub(super) fn report(&mut self, failure: Box<Failure>) {
        if self.failures.len() < self.max_errors {
            self.failures.push(*failure);
        } else {
            self.omitted += 1;
        }
    }

    pub(super) fn advance(&mut self) {
        self.previous = self.span;
        self.token = self.lexer.next().unwrap_or_else(|fault| {
            self.fault = Some(fault);
            Token::Invalid
        });
        self.span = self.lexer.span();
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// Current word; empty if the token is not a word.
    pub(super) fn word(&self) -> &'s str {
        if self.token == Token::Word { self.text(self.span) } else { "" }
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self.token, Token::Word | Token::Quoted)
    }

    pub(super) fn is_mark(&self, mark: Mark) -> bool {
        self.token == Token::Mark(mark)
    }

    pub(super) fn eat(&mut self, mark: Mark) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: Mark, wanted: &'static str) -> Outcome<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    /// Reads the `;` of a statement or declaration.
    pub(super) fn expect_semicolon(&mut self, item: Item) -> Outcome<()> {
        if self.eat(Mark::Semicolon) {
            return Ok(());
        }
        if let Some(suggestion) = self.instead_of_semicolon(item) {
            return Err(self.unexpected_with("`;`", suggestion));
        }
        let mut failure = self.unexpected("`;`");
        if matches!(self.token, Token::Word | Token::Quoted | Token::Mark(Mark::CloseBrace) | Token::End) {
            failure.span = Span { start: self.previous.end, end: self.previous.end };
            failure.resumes_here = match item {
                Item::Statement => !self.is_name() || self.begins_line() || self.begins_item(),
                // Another word is more likely a part of the declaration than the start of the next.
                Item::WorkgroupSize | Item::Buffer => {
                    self.begins_item() || (self.begins_line() && foreign::declaration(self.word()).is_some())
                }
            };
            let ending = match item {
                Item::Statement => "end the statement with `;`",
                Item::WorkgroupSize | Item::Buffer => "end the declaration with `;`",
            };
            failure.suggestion = Some(ending.to_owned());
        }
        Err(failure)
    }

    /// Suggestion for a statement or declaration that continues where it must end.
    fn instead_of_semicolon(&self, item: Item) -> Option<&'static str> {
        match (self.text(self.previous), self.token) {
            ("barrier" | "return" | "break", Token::Mark(Mark::OpenParen)) => {
                Some("it is a statement, not a function; leave the parentheses out")
            }
            ("return", Token::Mark(Mark::CloseBrace) | Token::End) => None,
            ("return", _) if !self.begins_item() => Some("`return` gives no value; store results to a buffer"),
            (_, Token::Mark(Mark::Assign)) => Some("one statement assigns once; write two"),
            (_, Token::Mark(Mark::Comma)) => Some(match item {
                Item::Statement => "one statement sets one name; write two statements",
                Item::WorkgroupSize => "a workgroup has three axes",
                Item::Buffer => "end the declaration with `;`",
            }),
            _ => foreign::operator(self.word()),
        }
    }

    /// True if the current token is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        let before = self.source[..self.span.start as usize].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// True if the current token is a word that only begins statements and declarations.
    pub(super) fn begins_item(&self) -> bool {
        matches!(
            self.word(),
            "let" | "if" | "for" | "return" | "break" | "barrier" | "buffer" | "entry" | "workgroup_size"
        )
    }

    /// Error of the current token where `wanted` is expected.
    #[cold]
    pub(super) fn unexpected(&self, wanted: &'static str) -> Box<Failure> {
        let found = match (self.token, &self.fault) {
            (Token::Invalid, Some(fault)) => return lexical(fault),
            (Token::End, _) => "the end of the file".to_owned(),
            _ => {
                let text: String = self.text(self.span).chars().take(MAX_SHOWN_CHARS).collect();
                format!("`{text}`")
            }
        };
        Failure::new(ErrorKind::Expected { wanted, found }, self.span, None)
    }

    /// Error of the current token, with a suggestion unless the token is invalid.
    #[cold]
    pub(super) fn unexpected_with(&self, wanted: &'static str, suggestion: impl Into<String>) -> Box<Failure> {
        let mut failure = self.unexpected(wanted);
        if self.token != Token::Invalid {
            failure.suggestion = Some(suggestion.into());
        }
        failure
    }

    #[cold]
    pub(super) fn failure(&self, kind: ErrorKind, span: Span, suggestion: impl Into<String>) -> Box<Failure> {
        Failure::new(kind, span, Some(suggestion.into()))
    }

    /// Index of a name.
    pub(super) fn intern(&mut self, text: &'s str) -> u32 {
        if let Some(&index) = self.names.get(text) {
            return index;
        }
        let index = match self.escaped.get(text) {
            Some(&index) => index,
            None => self.add_name(Cow::Borrowed(text)),
        };
        self.names.insert(text, index);
        index
    }

    fn intern_escaped(&mut self, name: String) -> u32 {
        if let Some(&index) = self.names.get(&*name).or_else(|| self.escaped.get(&*name)) {
            return index;
        }
        let index = self.add_name(Cow::Owned(name.clone()));
        self.escaped.insert(name, index);
        index
    }

    fn add_name(&mut self, name: Cow<'s, str>) -> u32 {
        self.code.names.push(name);
        self.code.names.len() as u32 - 1
    }

    /// Reads a plain or quoted name.
    pub(super) fn name(&mut self, wanted: &'static str) -> Outcome<u32> {
        let span = self.span;
        let text = self.text(span);
        let name = match self.token {
            Token::Word if is_reserved(text) => {
                let suggestion = format!("choose another name, or write `{text}` between backticks");
                return Err(self.failure(ErrorKind::ReservedWord(text.to_owned()), span, suggestion));
            }
            Token::Word => self.intern(text),
            Token::Quoted => self.unquote(span)?,
            _ => return Err(self.unexpected(wanted)),
        };
        self.advance();
        Ok(name)
    }

    /// Name in a span between backticks, with its escapes resolved.
    pub(super) fn unquote(&mut self, span: Span) -> Outcome<u32> {
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
        Ok(self.intern_escaped(name))
    }

    pub(super) fn integer(&mut self, wanted: &'static str) -> Outcome<u32> {
        match self.token {
            Token::Integer { value, suffix: Suffix::None | Suffix::U32 } => {
                let value = u32::try_from(value).map_err(|_| {
                    let kind = ErrorKind::LiteralOutOfRange { ty: "u32" };
                    self.failure(kind, self.span, "the largest `u32` is 4294967295")
                })?;
                self.advance();
                Ok(value)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    pub(super) fn data_type(&mut self) -> Outcome<DataType> {
        match DataType::from_name(self.word()) {
            Some(ty) => {
                self.advance();
                Ok(ty)
            }
            None => {
                let reason = foreign::ty(self.word()).map(|reason| format!("{reason}; ")).unwrap_or_default();
                let types = list(DataType::ALL.iter().map(|ty| ty.name()));
                Err(self.unexpected_with("a type", format!("{reason}the types are {types}")))
            }
        }
    }
}

/// Error of an invalid token.
fn lexical(fault: &Fault) -> Box<Failure> {
    let (kind, span) = &**fault;
    let suggestion = match kind {
        ErrorKind::UnexpectedCharacter('"' | '\'') => "names with unusual characters stand between backticks",
        ErrorKind::UnexpectedCharacter('#') => "comments begin with `//`",
        ErrorKind::UnexpectedCharacter('?') => "write `select(condition, a, b)`",
        ErrorKind::BadLiteral => "write decimal digits, `0x1f` or `0b101`, and no suffix but `u32` or `i32`",
        ErrorKind::UnterminatedName => "close the name with a backtick on the same line",
        ErrorKind::UnquotedName(name) => {
            return Failure::new(kind.clone(), *span, Some(format!("write `` `{name}` ``")));
        }
        _ => return Failure::new(kind.clone(), *span, None),
    };
    Failure::new(kind.clone(), *span, Some(suggestion.to_owned()))
}

/// Quoted names, separated by commas.
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
