//! The parser: declarations and statements. Expressions are in [`expression`](super::expression).
//!
//! Bodies that are open lie on an explicit stack, so nesting costs memory, never stack.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::error::{ErrorKind, ParseError};
use super::lexer::{Fault, Lexer, Mark, Suffix, Token};
use super::vocabulary::is_reserved;
use crate::source::{SourceMap, Span};
use crate::tree::push_statement;
use crate::{BodyKind, BufferAccess, BufferDecl, DataType, Expr, Name, Node, Program};

/// A program and where its parts stand in the text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// The spans of its parts.
    pub source_map: SourceMap,
}

/// Parses a program.
///
/// ```
/// let text = "workgroup_size 1; buffer out: read_write u32 @0; entry { out[0] = 6 * 7; }";
/// let program = vyre_ir::text::parse(text)?.program;
/// assert_eq!(program.buffers.len(), 1);
/// # Ok::<(), vyre_ir::text::ParseError>(())
/// ```
///
/// # Errors
///
/// The first place at which the text stops being a program.
pub fn parse(source: &str) -> Result<Parsed, ParseError> {
    run(source, false).map(|(parsed, _)| parsed)
}

/// Where the braces of bodies stand in a text, for the formatter.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The offsets of the braces of the entry.
    pub(super) entry: (u32, u32),
    /// The offsets of the braces of each other body, by the ordinal of its statement and its kind.
    pub(super) bodies: HashMap<(usize, BodyKind), (u32, u32)>,
}

pub(super) fn parse_with_layout(source: &str) -> Result<(Parsed, Layout), ParseError> {
    run(source, true)
}

fn run(source: &str, wants_layout: bool) -> Result<(Parsed, Layout), ParseError> {
    if u32::try_from(source.len()).is_err() {
        return Err(ParseError::new("", ErrorKind::TooLarge, Span::default(), None));
    }
    let mut parser = Parser {
        source,
        lexer: Lexer::new(source),
        token: Token::End,
        span: Span::default(),
        previous: Span::default(),
        spans: Vec::new(),
        names: HashMap::default(),
        layout: Layout::default(),
        wants_layout,
        values: Vec::new(),
        pending: Vec::new(),
    };
    match parser.advance().and_then(|()| parser.program()) {
        Ok(parsed) => Ok((parsed, parser.layout)),
        Err(failure) => Err(ParseError::new(source, failure.kind, failure.span, failure.suggestion)),
    }
}

/// An error before the place has been looked up.
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

pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) lexer: Lexer<'s>,
    /// The token that is looked at, and its place.
    pub(super) token: Token,
    pub(super) span: Span,
    /// The place of the token before it.
    pub(super) previous: Span,
    /// Spans of finished statements and expressions, by ordinal.
    pub(super) spans: Vec<Span>,
    names: HashMap<&'s str, Name, RandomState>,
    layout: Layout,
    wants_layout: bool,
    pub(super) values: Vec<super::expression::Value>,
    pub(super) pending: Vec<super::expression::Pending>,
}

/// A body whose closing brace has not come yet, or the chained `if` of an `else if`, which has no braces.
struct OpenBody {
    nodes: Vec<Node>,
    owner: Owner,
    /// The offset of the opening brace.
    brace: u32,
}

/// What the statements of an open body belong to. `ordinal` is that of the statement, for its span.
enum Owner {
    Entry,
    Block { ordinal: usize },
    Loop { ordinal: usize, var: Name, from: Expr, to: Expr },
    Then { ordinal: usize, cond: Expr },
    Otherwise { ordinal: usize, cond: Expr, then: Vec<Node>, braces: bool },
}

impl<'s> Parser<'s> {
    pub(super) fn advance(&mut self) -> Outcome<()> {
        self.previous = self.span;
        self.token = self.lexer.next()?;
        self.span = self.lexer.span();
        Ok(())
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    /// The word that is looked at; empty where the token is no word.
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

    fn eat_word(&mut self, word: &str) -> Outcome<bool> {
        let found = self.word() == word;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, mark: Mark, wanted: &'static str) -> Outcome<()> {
        if self.eat(mark)? { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    fn expect_semicolon(&mut self) -> Outcome<()> {
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

    /// What was probably meant where a statement goes on instead of ending.
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

    /// The failure of finding the current token where `wanted` belongs.
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

    /// Reads a name, plain or between backticks.
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

    /// The name that a span between backticks stands for.
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

    fn program(&mut self) -> Outcome<Parsed> {
        let mut buffers = Vec::new();
        let mut source_map = SourceMap::default();
        let mut workgroup_size = None;
        loop {
            let start = self.span;
            match self.word() {
                "workgroup_size" => {
                    if workgroup_size.is_some() {
                        return Err(self.failure(
                            ErrorKind::Repeated("workgroup_size"),
                            start,
                            "remove one of the two",
                        ));
                    }
                    self.advance()?;
                    workgroup_size = Some(self.workgroup_size(&mut source_map)?);
                    source_map.workgroup_size_declaration = start.to(self.previous);
                }
                "buffer" => {
                    self.advance()?;
                    buffers.push(self.buffer()?);
                    source_map.buffers.push(start.to(self.previous));
                }
                "entry" => break,
                _ => {
                    let mut failure = self.unexpected("`workgroup_size`, `buffer` or `entry`");
                    failure.suggestion = match self.word() {
                        "let" | "if" | "for" | "return" | "barrier" => {
                            Some("statements stand in `entry { ... }`".to_owned())
                        }
                        _ if self.token == Token::End => {
                            Some("a program has at least `workgroup_size 64, 1, 1; entry { }`".to_owned())
                        }
                        _ => None,
                    };
                    return Err(failure);
                }
            }
        }
        let Some(workgroup_size) = workgroup_size else {
            let suggestion = "write `workgroup_size 64, 1, 1;` before the entry";
            return Err(self.failure(ErrorKind::Missing("workgroup_size"), self.span, suggestion));
        };
        source_map.entry = self.span;
        self.advance()?;
        let entry = self.entry()?;
        if self.token != Token::End {
            let mut failure = self.unexpected("the end of the file");
            failure.suggestion = Some(match self.token {
                Token::Mark(Mark::CloseBrace) => "the entry is closed already; remove this `}`".to_owned(),
                _ => "declarations stand before the entry, and the entry stands last".to_owned(),
            });
            return Err(failure);
        }
        source_map.spans = std::mem::take(&mut self.spans);
        Ok(Parsed { program: Program { buffers, workgroup_size, entry }, source_map })
    }

    fn workgroup_size(&mut self, source_map: &mut SourceMap) -> Outcome<[u32; 3]> {
        let mut size = [1; 3];
        let mut last = self.span;
        for (axis, component) in size.iter_mut().enumerate() {
            if axis == 0 || self.eat(Mark::Comma)? {
                last = self.span;
                *component = self.integer("a number of invocations")?;
            }
            source_map.workgroup_size[axis] = last;
        }
        self.expect_semicolon()?;
        Ok(size)
    }

    fn buffer(&mut self) -> Outcome<BufferDecl> {
        let name = self.name("the name of a buffer")?;
        if !self.is_mark(Mark::Colon) {
            let mut failure = self.unexpected("`:`");
            failure.suggestion = Some("write `buffer name: access type @slot;`".to_owned());
            return Err(failure);
        }
        self.advance()?;
        let Some(access) = BufferAccess::from_name(self.word()) else {
            let mut failure = self.unexpected("an access mode");
            let modes = list(BufferAccess::ALL.iter().map(|access| access.name()));
            failure.suggestion = Some(format!("write one of {modes} before the type"));
            return Err(failure);
        };
        self.advance()?;
        let element = self.data_type()?;
        let mut count = 0;
        if self.eat(Mark::OpenBracket)? {
            count = self.integer("the number of elements")?;
            self.expect(Mark::CloseBracket, "`]`")?;
        }
        let mut binding = 0;
        if self.eat(Mark::At)? {
            binding = self.integer("a binding slot")?;
        } else if access != BufferAccess::Workgroup {
            let mut failure = self.unexpected("`@` and a binding slot");
            failure.suggestion = Some("only workgroup buffers have no slot; write `@0`".to_owned());
            return Err(failure);
        }
        let is_output = self.eat_word("output")?;
        self.expect_semicolon()?;
        Ok(BufferDecl { name, binding, access, element, count, is_output })
    }

    /// Reads an opening brace and gives its offset.
    fn open_brace(&mut self) -> Outcome<u32> {
        let offset = self.span.start;
        self.expect(Mark::OpenBrace, "`{`")?;
        Ok(offset)
    }

    /// The statements of the entry, with all bodies below it.
    fn entry(&mut self) -> Outcome<Vec<Node>> {
        let brace = self.open_brace()?;
        let mut open = vec![OpenBody { nodes: Vec::new(), owner: Owner::Entry, brace }];
        while let Some(body) = open.last_mut() {
            if self.token == Token::End {
                let brace = Span { start: body.brace, end: body.brace + 1 };
                let kind = ErrorKind::Unclosed;
                return Err(self.failure(kind, brace, "every `{` needs a `}` of its own"));
            }
            if !self.is_mark(Mark::CloseBrace) {
                match self.statement()? {
                    Step::Done(node) => push_statement(&mut body.nodes, node),
                    Step::Opened(owner, brace) => open.push(OpenBody { nodes: Vec::new(), owner, brace }),
                }
                continue;
            }
            let closing = self.span.start;
            self.advance()?;
            let mut by_brace = true;
            // Closing a body completes a statement, which may be the chained `if` of an `else` without braces.
            while let Some(OpenBody { nodes, owner, brace }) = open.pop() {
                if by_brace {
                    self.note_body(&owner, (brace, closing));
                }
                let (ordinal, node) = match owner {
                    Owner::Entry => return Ok(nodes),
                    Owner::Block { ordinal } => (ordinal, Node::Block(nodes)),
                    Owner::Loop { ordinal, var, from, to } => (ordinal, Node::Loop { var, from, to, body: nodes }),
                    Owner::Then { ordinal, cond } => {
                        if self.eat_word("else")? {
                            let braces = self.word() != "if";
                            let brace = if braces { self.open_brace()? } else { 0 };
                            let owner = Owner::Otherwise { ordinal, cond, then: nodes, braces };
                            open.push(OpenBody { nodes: Vec::new(), owner, brace });
                            break;
                        }
                        (ordinal, Node::If { cond, then: nodes, otherwise: Vec::new() })
                    }
                    Owner::Otherwise { ordinal, cond, then, braces: _ } => {
                        (ordinal, Node::If { cond, then, otherwise: nodes })
                    }
                };
                self.spans[ordinal].end = self.previous.end;
                let Some(parent) = open.last_mut() else { break };
                push_statement(&mut parent.nodes, node);
                if !matches!(parent.owner, Owner::Otherwise { braces: false, .. }) {
                    break;
                }
                by_brace = false;
            }
        }
        Err(self.unexpected("`}`"))
    }

    fn note_body(&mut self, owner: &Owner, braces: (u32, u32)) {
        let key = match owner {
            Owner::Entry => {
                self.layout.entry = braces;
                return;
            }
            Owner::Block { ordinal } => (*ordinal, BodyKind::Block),
            Owner::Loop { ordinal, .. } => (*ordinal, BodyKind::Loop),
            Owner::Then { ordinal, .. } => (*ordinal, BodyKind::Then),
            Owner::Otherwise { ordinal, .. } => (*ordinal, BodyKind::Otherwise),
        };
        if self.wants_layout {
            self.layout.bodies.insert(key, braces);
        }
    }

    /// Gives the next ordinal to a statement that spans from `start` to the last token.
    fn record(&mut self, start: Span) -> usize {
        self.spans.push(start.to(self.previous));
        self.spans.len() - 1
    }

    fn statement(&mut self) -> Outcome<Step> {
        let start = self.span;
        let node = match self.word() {
            "let" => {
                self.advance()?;
                let word = self.word();
                let start = self.span;
                let name = self.name("a name")?;
                if matches!(word, "mut" | "var") && matches!(self.token, Token::Word | Token::Quoted) {
                    let kind = ErrorKind::NotInLanguage(format!("let {word}"));
                    let suggestion = "every binding of `let` can be assigned; write `let name = value;`";
                    return Err(self.failure(kind, start, suggestion));
                }
                if self.is_mark(Mark::Colon) {
                    let kind = ErrorKind::NotInLanguage(": type".to_owned());
                    return Err(self.failure(
                        kind,
                        self.span,
                        "a binding takes the type of its value; leave the type out",
                    ));
                }
                self.expect(Mark::Assign, "`=`")?;
                let value = self.expression()?;
                Node::Let { name, value }
            }
            "if" => {
                self.advance()?;
                let cond = self.expression()?;
                let ordinal = self.record(start);
                let brace = self.body_brace()?;
                return Ok(Step::Opened(Owner::Then { ordinal, cond }, brace));
            }
            "for" => {
                self.advance()?;
                let var = self.name("the name of the loop variable")?;
                if !self.eat_word("in")? {
                    let mut failure = self.unexpected("`in`");
                    failure.suggestion = Some("write `for i in 0..n { ... }`".to_owned());
                    return Err(failure);
                }
                let from = self.expression()?;
                if !self.is_mark(Mark::DotDot) {
                    let mut failure = self.unexpected("`..`");
                    failure.suggestion = Some("a loop runs over a range; write `for i in 0..n { ... }`".to_owned());
                    return Err(failure);
                }
                self.advance()?;
                if self.is_mark(Mark::Assign) {
                    let kind = ErrorKind::NotInLanguage("..=".to_owned());
                    let span = self.previous.to(self.span);
                    return Err(self.failure(kind, span, "a range ends before its last number; write `0..n + 1`"));
                }
                let to = self.expression()?;
                let ordinal = self.record(start);
                let brace = self.body_brace()?;
                return Ok(Step::Opened(Owner::Loop { ordinal, var, from, to }, brace));
            }
            "return" => {
                self.advance()?;
                Node::Return
            }
            "break" => {
                self.advance()?;
                Node::Break
            }
            "barrier" => {
                self.advance()?;
                Node::Barrier
            }
            _ if self.is_mark(Mark::OpenBrace) => {
                self.advance()?;
                let ordinal = self.record(start);
                return Ok(Step::Opened(Owner::Block { ordinal }, start.start));
            }
            _ => self.assignment()?,
        };
        self.expect_semicolon()?;
        self.record(start);
        Ok(Step::Done(node))
    }

    /// `name = value` or `buffer[index] = value`.
    fn assignment(&mut self) -> Outcome<Node> {
        let word = self.word();
        let foreign = match word {
            "while" | "loop" | "do" => Some("write `for i in 0..MAX { ... }` with `break;`"),
            "continue" => Some("put the rest of the body into an `if`"),
            "switch" | "match" => Some("write `if` and `else if`"),
            "var" | "const" => Some("write `let name = value;`"),
            "else" => Some("an `else` follows the body of an `if`"),
            _ => None,
        };
        if !matches!(self.token, Token::Word | Token::Quoted) {
            let mut failure = self.unexpected("a statement");
            if self.is_mark(Mark::Slash) {
                failure.suggestion = Some("comments begin with `//` and end with the line".to_owned());
            }
            return Err(failure);
        }
        let start = self.span;
        if word == "else" {
            let mut failure = self.unexpected("a statement");
            failure.suggestion = foreign.map(str::to_owned);
            return Err(failure);
        }
        let name = self.name("a statement")?;
        if self.eat(Mark::OpenBracket)? {
            let index = self.expression()?;
            self.expect(Mark::CloseBracket, "`]`")?;
            self.expect_assign(start.to(self.previous))?;
            let value = self.expression()?;
            return Ok(Node::Store { buffer: name, index, value });
        }
        if let (Some(suggestion), false) = (foreign, self.is_mark(Mark::Assign)) {
            return Err(self.failure(ErrorKind::NotInLanguage(word.to_owned()), start, suggestion));
        }
        let suggestion = match self.token {
            Token::Mark(Mark::OpenParen) => Some("a value is no statement; write `let _ = ...;` to evaluate it"),
            Token::Mark(Mark::Dot) => Some("lanes cannot be assigned; assign a whole value such as `vec2u32(a, b)`"),
            _ => None,
        };
        if let Some(suggestion) = suggestion {
            let mut failure = self.unexpected("`=`");
            failure.suggestion = Some(suggestion.to_owned());
            return Err(failure);
        }
        self.expect_assign(start)?;
        let value = self.expression()?;
        Ok(Node::Assign { name, value })
    }

    /// Reads the `=` of an assignment to `target`.
    fn expect_assign(&mut self, target: Span) -> Outcome<()> {
        if let Token::Mark(mark) = self.token
            && mark != Mark::Assign
        {
            let rest = &self.source[self.span.end as usize..];
            let doubled = rest.starts_with(mark.text()) && matches!(mark, Mark::Plus | Mark::Minus);
            let span = Span { start: self.span.start, end: self.span.end + 1 };
            if doubled || (rest.starts_with('=') && mark != Mark::Equal) {
                let target: String = self.text(target).chars().take(40).collect();
                let right = if doubled { "1" } else { "..." };
                let suggestion = format!("write the whole assignment: `{target} = {target} {} {right};`", mark.text());
                return Err(self.failure(ErrorKind::NotInLanguage(self.text(span).to_owned()), span, &suggestion));
            }
            if mark == Mark::Equal {
                let mut failure = self.unexpected("`=`");
                failure.suggestion = Some("`==` compares; an assignment has one `=`".to_owned());
                return Err(failure);
            }
        }
        self.expect(Mark::Assign, "`=`")
    }

    /// Reads the brace after a condition or range.
    fn body_brace(&mut self) -> Outcome<u32> {
        if !self.is_mark(Mark::OpenBrace) {
            let mut failure = self.unexpected("`{`");
            failure.suggestion = match self.token {
                Token::Mark(Mark::Assign) => Some("compare with `==`".to_owned()),
                Token::Word => Some("a body stands in braces, even if it is one statement".to_owned()),
                _ => None,
            };
            return Err(failure);
        }
        self.open_brace()
    }
}

/// What a statement began.
enum Step {
    Done(Node),
    /// A body, with the offset of its brace.
    Opened(Owner, u32),
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
