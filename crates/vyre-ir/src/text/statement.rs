//! Parser of declarations and statements.
//!
//! Open bodies are on an explicit stack, so nesting takes heap memory and no call stack.

use std::collections::HashMap;

use super::error::{ErrorKind, ParseError};
use super::lexer::{Mark, Token};
use super::parser::{Outcome, Parser, list};
use crate::source::{SourceMap, Span};
use crate::tree::push_statement;
use crate::{BodyKind, BufferAccess, BufferDecl, Expr, Name, Node, Program};

/// A program and the spans of its parts.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program.
    pub program: Program,
    /// Spans of its parts.
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
/// The first syntax error.
pub fn parse(source: &str) -> Result<Parsed, ParseError> {
    StatementParser::run(source, false).map(|(parsed, _)| parsed)
}

/// Offsets of the two braces of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BracePair {
    pub(super) open: u32,
    pub(super) close: u32,
}

/// Braces of all bodies of a text, for the formatter.
#[derive(Debug, Default)]
pub(super) struct BraceMap {
    pub(super) entry: BracePair,
    /// Braces of each other body, by the ordinal of its statement and its kind.
    pub(super) bodies: HashMap<(usize, BodyKind), BracePair>,
}

/// Parses a program and records the braces of its bodies.
pub(super) fn parse_with_braces(source: &str) -> Result<(Parsed, BraceMap), ParseError> {
    StatementParser::run(source, true)
}

/// Parser of declarations and statements.
struct StatementParser<'s> {
    parser: Parser<'s>,
    braces: BraceMap,
    records_braces: bool,
}

/// An open body, or the chained `if` of an `else if`, which has no braces.
struct OpenBody {
    nodes: Vec<Node>,
    owner: Owner,
    /// Offset of the opening brace.
    brace: u32,
}

/// Statement that owns an open body. `ordinal` is the ordinal of the statement.
enum Owner {
    Entry,
    Block { ordinal: usize },
    Loop { ordinal: usize, var: Name, from: Expr, to: Expr },
    Then { ordinal: usize, cond: Expr },
    Otherwise { ordinal: usize, cond: Expr, then: Vec<Node>, braces: bool },
}

impl StatementParser<'_> {
    fn run(source: &str, records_braces: bool) -> Result<(Parsed, BraceMap), ParseError> {
        if u32::try_from(source.len()).is_err() {
            return Err(ParseError::new("", ErrorKind::TooLarge, Span::default(), None));
        }
        let mut parser = StatementParser { parser: Parser::new(source), braces: BraceMap::default(), records_braces };
        match parser.parser.advance().and_then(|()| parser.program()) {
            Ok(parsed) => Ok((parsed, parser.braces)),
            Err(failure) => Err(ParseError::new(source, failure.kind, failure.span, failure.suggestion)),
        }
    }

    fn program(&mut self) -> Outcome<Parsed> {
        let mut buffers = Vec::new();
        let mut source_map = SourceMap::default();
        let mut workgroup_size = None;
        loop {
            let start = self.parser.span;
            match self.parser.word() {
                "workgroup_size" => {
                    if workgroup_size.is_some() {
                        return Err(self.parser.failure(
                            ErrorKind::Repeated("workgroup_size"),
                            start,
                            "remove one of the two",
                        ));
                    }
                    self.parser.advance()?;
                    workgroup_size = Some(self.workgroup_size(&mut source_map)?);
                    source_map.workgroup_size_declaration = start.to(self.parser.previous);
                }
                "buffer" => {
                    self.parser.advance()?;
                    buffers.push(self.buffer()?);
                    source_map.buffers.push(start.to(self.parser.previous));
                }
                "entry" => break,
                _ => {
                    let mut failure = self.parser.unexpected("`workgroup_size`, `buffer` or `entry`");
                    failure.suggestion = match self.parser.word() {
                        "let" | "if" | "for" | "return" | "barrier" => {
                            Some("statements stand in `entry { ... }`".to_owned())
                        }
                        _ if self.parser.token == Token::End => {
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
            return Err(self.parser.failure(ErrorKind::Missing("workgroup_size"), self.parser.span, suggestion));
        };
        source_map.entry = self.parser.span;
        self.parser.advance()?;
        let entry = self.entry()?;
        if self.parser.token != Token::End {
            let mut failure = self.parser.unexpected("the end of the file");
            failure.suggestion = Some(match self.parser.token {
                Token::Mark(Mark::CloseBrace) => "the entry is closed already; remove this `}`".to_owned(),
                _ => "declarations stand before the entry, and the entry stands last".to_owned(),
            });
            return Err(failure);
        }
        source_map.spans = std::mem::take(&mut self.parser.spans);
        source_map.text = self.parser.source.into();
        Ok(Parsed { program: Program { buffers, workgroup_size, entry }, source_map })
    }

    fn workgroup_size(&mut self, source_map: &mut SourceMap) -> Outcome<[u32; 3]> {
        let mut size = [1; 3];
        let mut last = self.parser.span;
        for (axis, component) in size.iter_mut().enumerate() {
            if axis == 0 || self.parser.eat(Mark::Comma)? {
                last = self.parser.span;
                *component = self.parser.integer("a number of invocations")?;
            }
            source_map.workgroup_size[axis] = last;
        }
        self.parser.expect_semicolon()?;
        Ok(size)
    }

    fn buffer(&mut self) -> Outcome<BufferDecl> {
        let name = self.parser.name("the name of a buffer")?;
        if !self.parser.is_mark(Mark::Colon) {
            let mut failure = self.parser.unexpected("`:`");
            failure.suggestion = Some("write `buffer name: access type @slot;`".to_owned());
            return Err(failure);
        }
        self.parser.advance()?;
        let Some(access) = BufferAccess::from_name(self.parser.word()) else {
            let mut failure = self.parser.unexpected("an access mode");
            let modes = list(BufferAccess::ALL.iter().map(|access| access.name()));
            failure.suggestion = Some(format!("write one of {modes} before the type"));
            return Err(failure);
        };
        self.parser.advance()?;
        let element = self.parser.data_type()?;
        let mut count = 0;
        if self.parser.eat(Mark::OpenBracket)? {
            count = self.parser.integer("the number of elements")?;
            self.parser.expect(Mark::CloseBracket, "`]`")?;
        }
        let mut binding = 0;
        if self.parser.eat(Mark::At)? {
            binding = self.parser.integer("a binding slot")?;
        } else if access != BufferAccess::Workgroup {
            let mut failure = self.parser.unexpected("`@` and a binding slot");
            failure.suggestion = Some("only workgroup buffers have no slot; write `@0`".to_owned());
            return Err(failure);
        }
        let is_output = self.parser.eat_word("output")?;
        self.parser.expect_semicolon()?;
        Ok(BufferDecl { name, binding, access, element, count, is_output })
    }

    /// Reads an opening brace and returns its offset.
    fn open_brace(&mut self) -> Outcome<u32> {
        let offset = self.parser.span.start;
        self.parser.expect(Mark::OpenBrace, "`{`")?;
        Ok(offset)
    }

    /// Parses the entry and all bodies in it. Open bodies are on an explicit stack.
    fn entry(&mut self) -> Outcome<Vec<Node>> {
        let brace = self.open_brace()?;
        let mut open = vec![OpenBody { nodes: Vec::new(), owner: Owner::Entry, brace }];
        while let Some(body) = open.last_mut() {
            if self.parser.token == Token::End {
                let brace = Span { start: body.brace, end: body.brace + 1 };
                let kind = ErrorKind::Unclosed;
                return Err(self.parser.failure(kind, brace, "every `{` needs a `}` of its own"));
            }
            if !self.parser.is_mark(Mark::CloseBrace) {
                match self.statement()? {
                    Step::Done(node) => push_statement(&mut body.nodes, node),
                    Step::Opened(owner, brace) => open.push(OpenBody { nodes: Vec::new(), owner, brace }),
                }
                continue;
            }
            let closing = self.parser.span.start;
            self.parser.advance()?;
            let mut by_brace = true;
            // Closing a body completes a statement, which may be the chained `if` of an `else` without braces.
            while let Some(OpenBody { nodes, owner, brace }) = open.pop() {
                if by_brace {
                    self.record_braces(&owner, BracePair { open: brace, close: closing });
                }
                let (ordinal, node) = match owner {
                    Owner::Entry => return Ok(nodes),
                    Owner::Block { ordinal } => (ordinal, Node::Block(nodes)),
                    Owner::Loop { ordinal, var, from, to } => (ordinal, Node::Loop { var, from, to, body: nodes }),
                    Owner::Then { ordinal, cond } => {
                        if self.parser.eat_word("else")? {
                            let braces = self.parser.word() != "if";
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
                self.parser.spans[ordinal].end = self.parser.previous.end;
                let Some(parent) = open.last_mut() else { break };
                push_statement(&mut parent.nodes, node);
                if !matches!(parent.owner, Owner::Otherwise { braces: false, .. }) {
                    break;
                }
                by_brace = false;
            }
        }
        Err(self.parser.unexpected("`}`"))
    }

    fn record_braces(&mut self, owner: &Owner, braces: BracePair) {
        let key = match owner {
            Owner::Entry => {
                self.braces.entry = braces;
                return;
            }
            Owner::Block { ordinal } => (*ordinal, BodyKind::Block),
            Owner::Loop { ordinal, .. } => (*ordinal, BodyKind::Loop),
            Owner::Then { ordinal, .. } => (*ordinal, BodyKind::Then),
            Owner::Otherwise { ordinal, .. } => (*ordinal, BodyKind::Otherwise),
        };
        if self.records_braces {
            self.braces.bodies.insert(key, braces);
        }
    }

    /// Assigns the next ordinal to a statement that spans from `start` to the previous token.
    fn record(&mut self, start: Span) -> usize {
        self.parser.spans.push(start.to(self.parser.previous));
        self.parser.spans.len() - 1
    }

    fn statement(&mut self) -> Outcome<Step> {
        let start = self.parser.span;
        let node = match self.parser.word() {
            "let" => {
                self.parser.advance()?;
                let word = self.parser.word();
                let start = self.parser.span;
                let name = self.parser.name("a name")?;
                if matches!(word, "mut" | "var") && matches!(self.parser.token, Token::Word | Token::Quoted) {
                    let kind = ErrorKind::NotInLanguage(format!("let {word}"));
                    let suggestion = "every binding of `let` can be assigned; write `let name = value;`";
                    return Err(self.parser.failure(kind, start, suggestion));
                }
                if self.parser.is_mark(Mark::Colon) {
                    let kind = ErrorKind::NotInLanguage(": type".to_owned());
                    return Err(self.parser.failure(
                        kind,
                        self.parser.span,
                        "a binding takes the type of its value; leave the type out",
                    ));
                }
                self.parser.expect(Mark::Assign, "`=`")?;
                let value = self.parser.expression()?;
                Node::Let { name, value }
            }
            "if" => {
                self.parser.advance()?;
                let cond = self.parser.expression()?;
                let ordinal = self.record(start);
                let brace = self.body_brace()?;
                return Ok(Step::Opened(Owner::Then { ordinal, cond }, brace));
            }
            "for" => {
                self.parser.advance()?;
                let var = self.parser.name("the name of the loop variable")?;
                if !self.parser.eat_word("in")? {
                    let mut failure = self.parser.unexpected("`in`");
                    failure.suggestion = Some("write `for i in 0..n { ... }`".to_owned());
                    return Err(failure);
                }
                let from = self.parser.expression()?;
                if !self.parser.is_mark(Mark::DotDot) {
                    let mut failure = self.parser.unexpected("`..`");
                    failure.suggestion = Some("a loop runs over a range; write `for i in 0..n { ... }`".to_owned());
                    return Err(failure);
                }
                self.parser.advance()?;
                if self.parser.is_mark(Mark::Assign) {
                    let kind = ErrorKind::NotInLanguage("..=".to_owned());
                    let span = self.parser.previous.to(self.parser.span);
                    return Err(self.parser.failure(
                        kind,
                        span,
                        "a range ends before its last number; write `0..n + 1`",
                    ));
                }
                let to = self.parser.expression()?;
                let ordinal = self.record(start);
                let brace = self.body_brace()?;
                return Ok(Step::Opened(Owner::Loop { ordinal, var, from, to }, brace));
            }
            "return" => {
                self.parser.advance()?;
                Node::Return
            }
            "break" => {
                self.parser.advance()?;
                Node::Break
            }
            "barrier" => {
                self.parser.advance()?;
                Node::Barrier
            }
            _ if self.parser.is_mark(Mark::OpenBrace) => {
                self.parser.advance()?;
                let ordinal = self.record(start);
                return Ok(Step::Opened(Owner::Block { ordinal }, start.start));
            }
            _ => self.assignment()?,
        };
        self.parser.expect_semicolon()?;
        self.record(start);
        Ok(Step::Done(node))
    }

    /// `name = value` or `buffer[index] = value`.
    fn assignment(&mut self) -> Outcome<Node> {
        let word = self.parser.word();
        let foreign = match word {
            "while" | "loop" | "do" => Some("write `for i in 0..MAX { ... }` with `break;`"),
            "continue" => Some("put the rest of the body into an `if`"),
            "switch" | "match" => Some("write `if` and `else if`"),
            "var" | "const" => Some("write `let name = value;`"),
            "else" => Some("an `else` follows the body of an `if`"),
            _ => None,
        };
        if !matches!(self.parser.token, Token::Word | Token::Quoted) {
            let mut failure = self.parser.unexpected("a statement");
            if self.parser.is_mark(Mark::Slash) {
                failure.suggestion = Some("comments begin with `//` and end with the line".to_owned());
            }
            return Err(failure);
        }
        let start = self.parser.span;
        if word == "else" {
            let mut failure = self.parser.unexpected("a statement");
            failure.suggestion = foreign.map(str::to_owned);
            return Err(failure);
        }
        let name = self.parser.name("a statement")?;
        if self.parser.eat(Mark::OpenBracket)? {
            let index = self.parser.expression()?;
            self.parser.expect(Mark::CloseBracket, "`]`")?;
            self.expect_assign(start.to(self.parser.previous))?;
            let value = self.parser.expression()?;
            return Ok(Node::Store { buffer: name, index, value });
        }
        if let (Some(suggestion), false) = (foreign, self.parser.is_mark(Mark::Assign)) {
            return Err(self.parser.failure(ErrorKind::NotInLanguage(word.to_owned()), start, suggestion));
        }
        let suggestion = match self.parser.token {
            Token::Mark(Mark::OpenParen) => Some("a value is no statement; write `let _ = ...;` to evaluate it"),
            Token::Mark(Mark::Dot) => Some("lanes cannot be assigned; assign a whole value such as `vec2u32(a, b)`"),
            _ => None,
        };
        if let Some(suggestion) = suggestion {
            let mut failure = self.parser.unexpected("`=`");
            failure.suggestion = Some(suggestion.to_owned());
            return Err(failure);
        }
        self.expect_assign(start)?;
        let value = self.parser.expression()?;
        Ok(Node::Assign { name, value })
    }

    /// Reads the `=` of an assignment to `target`.
    fn expect_assign(&mut self, target: Span) -> Outcome<()> {
        if let Token::Mark(mark) = self.parser.token
            && mark != Mark::Assign
        {
            let rest = &self.parser.source[self.parser.span.end as usize..];
            let doubled = rest.starts_with(mark.text()) && matches!(mark, Mark::Plus | Mark::Minus);
            let span = Span { start: self.parser.span.start, end: self.parser.span.end + 1 };
            if doubled || (rest.starts_with('=') && mark != Mark::Equal) {
                let target: String = self.parser.text(target).chars().take(40).collect();
                let right = if doubled { "1" } else { "..." };
                let suggestion = format!("write the whole assignment: `{target} = {target} {} {right};`", mark.text());
                return Err(self.parser.failure(
                    ErrorKind::NotInLanguage(self.parser.text(span).to_owned()),
                    span,
                    &suggestion,
                ));
            }
            if mark == Mark::Equal {
                let mut failure = self.parser.unexpected("`=`");
                failure.suggestion = Some("`==` compares; an assignment has one `=`".to_owned());
                return Err(failure);
            }
        }
        self.parser.expect(Mark::Assign, "`=`")
    }

    /// Reads the brace after a condition or range.
    fn body_brace(&mut self) -> Outcome<u32> {
        if !self.parser.is_mark(Mark::OpenBrace) {
            let mut failure = self.parser.unexpected("`{`");
            failure.suggestion = match self.parser.token {
                Token::Mark(Mark::Assign) => Some("compare with `==`".to_owned()),
                Token::Word => Some("a body stands in braces, even if it is one statement".to_owned()),
                _ => None,
            };
            return Err(failure);
        }
        self.open_brace()
    }
}

/// Result of parsing a statement.
enum Step {
    Done(Node),
    /// The start of a body, with the offset of its brace.
    Opened(Owner, u32),
}
