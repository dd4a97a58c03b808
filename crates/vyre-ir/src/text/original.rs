//! Parts of the original text that the formatter keeps: comments, blank lines, number bases and the order of
//! declarations.

use super::error::ParseError;
use super::lexer::comments;
use super::statement::{BraceMap, BracePair, Parsed, parse_with_braces};
use crate::source::{SourceMap, Span};
use crate::{BodyKind, Event, Expr, Node, Program, Traversal};

/// A parsed text.
pub(super) struct Original<'s> {
    pub(super) program: Program,
    pub(super) trivia: Trivia<'s>,
}

/// Trivia of a text: comments, blank lines and spellings. The printer consumes them in the order of the text.
pub(super) struct Trivia<'s> {
    source: &'s str,
    comments: Vec<Span>,
    /// Number of comments that are printed.
    printed: usize,
    /// Ordinals of the statements, in order.
    statements: std::iter::Peekable<std::vec::IntoIter<usize>>,
    /// Texts of the number literals, in order; `None` for a literal of several tokens.
    literals: std::vec::IntoIter<Option<&'s str>>,
    source_map: SourceMap,
    braces: BraceMap,
    /// True until the first line of the current body is printed.
    body_is_empty: bool,
}

impl<'s> Original<'s> {
    pub(super) fn new(source: &'s str) -> Result<Original<'s>, ParseError> {
        let (Parsed { program, source_map }, braces) = parse_with_braces(source)?;
        let mut statements = Vec::new();
        let mut literals = Vec::new();
        let mut ordinal = 0;
        for event in Traversal::new(&program) {
            match event {
                Event::Statement(_) => statements.push(ordinal),
                Event::Expr(Expr::LitU32(_) | Expr::LitI32(_)) => {
                    let text = text(source, source_map.spans[ordinal]);
                    let one_token = !text.contains(|c: char| c.is_whitespace() || c == '/');
                    literals.push(one_token.then_some(text));
                }
                Event::Expr(_) => {}
                Event::EnterBody(_) | Event::LeaveBody(_) => continue,
            }
            ordinal += 1;
        }
        let trivia = Trivia {
            source,
            comments: comments(source),
            printed: 0,
            statements: statements.into_iter().peekable(),
            literals: literals.into_iter(),
            source_map,
            braces,
            body_is_empty: false,
        };
        Ok(Original { program, trivia })
    }
}

fn text(source: &str, span: Span) -> &str {
    &source[span.start as usize..span.end as usize]
}

impl<'s> Trivia<'s> {
    /// Number of buffers that the text declares before the workgroup size.
    pub(super) fn size_position(&self) -> usize {
        let size = self.size();
        self.source_map.buffers.iter().filter(|buffer| buffer.start < size.start).count()
    }

    pub(super) fn size(&self) -> Span {
        self.source_map.workgroup_size_declaration
    }

    pub(super) fn buffer(&self, position: usize) -> Span {
        self.source_map.buffer(position).unwrap_or_default()
    }

    /// Span of the entry up to its brace.
    pub(super) fn entry_head(&self) -> Span {
        Span { start: self.source_map.entry.start, end: self.braces.entry.open }
    }

    pub(super) fn next_statement(&mut self) -> usize {
        self.statements.next().unwrap_or(0)
    }

    pub(super) fn next_literal(&mut self) -> Option<&'s str> {
        self.literals.next().flatten()
    }

    pub(super) fn statement(&self, ordinal: usize) -> Span {
        self.source_map.spans.get(ordinal).copied().unwrap_or_default()
    }

    /// End of the first line of a statement: the brace of its first body, or its semicolon.
    pub(super) fn head_end(&self, ordinal: usize, node: &Node) -> u32 {
        match node.body(0) {
            Some((kind, _)) => self.braces(Some(ordinal), kind).open,
            None => self.statement(ordinal).end,
        }
    }

    fn braces(&self, owner: Option<usize>, kind: BodyKind) -> BracePair {
        match owner {
            Some(ordinal) => self.braces.bodies.get(&(ordinal, kind)).copied().unwrap_or_default(),
            None => self.braces.entry,
        }
    }

    pub(super) fn open_brace(&mut self, owner: Option<usize>, kind: BodyKind, out: &mut String) {
        let braces = self.braces(owner, kind);
        self.trailing_comment(braces.open + 1, out);
        self.body_is_empty = true;
    }

    pub(super) fn close_brace(&self, owner: Option<usize>, kind: BodyKind) -> u32 {
        self.braces(owner, kind).close
    }

    pub(super) fn after_brace(&mut self, owner: Option<usize>, kind: BodyKind, out: &mut String) {
        self.body_is_empty = false;
        let braces = self.braces(owner, kind);
        self.trailing_comment(braces.close + 1, out);
    }

    fn next_comment_if(&mut self, wanted: impl FnOnce(&Span) -> bool) -> Option<Span> {
        let comment = self.comments.get(self.printed).copied().filter(wanted)?;
        self.printed += 1;
        Some(comment)
    }

    /// True if the `else` body of a statement has comments beside its only `if`. Such a body keeps its braces.
    pub(super) fn else_has_comments(&mut self, owner: Option<usize>) -> bool {
        let BracePair { open, close } = self.braces(owner, BodyKind::Otherwise);
        let Some(&ordinal) = self.statements.peek() else { return false };
        let inner = self.statement(ordinal);
        let commented = |from: u32, to: u32| {
            let next = self.comments.partition_point(|comment| comment.start < from);
            self.comments.get(next).is_some_and(|comment| comment.start < to)
        };
        commented(open, inner.start.min(close)) || commented(inner.end, close)
    }

    /// Prints the comments that begin before `offset`, each on its own line.
    pub(super) fn comments_before(&mut self, offset: u32, indent: usize, out: &mut String) {
        while let Some(comment) = self.next_comment_if(|comment| comment.start < offset) {
            self.begin_line(comment.start, out);
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(text(self.source, comment).trim_end());
            out.push('\n');
        }
    }

    /// Prints the comment that follows `offset` on the same line of the text, if any.
    pub(super) fn trailing_comment(&mut self, offset: u32, out: &mut String) {
        let source = self.source;
        let follows = |comment: &Span| {
            let between = source.as_bytes().get(offset as usize..comment.start as usize);
            between.is_some_and(|between| between.iter().all(|&byte| byte == b' ' || byte == b'\t'))
        };
        if let Some(comment) = self.next_comment_if(follows) {
            out.push(' ');
            out.push_str(text(source, comment).trim_end());
        }
    }

    /// Begins a line for the item at `offset`. Prints a blank line if the text has one before the item, but never two
    /// in a row and none at the start of a body.
    pub(super) fn begin_line(&mut self, offset: u32, out: &mut String) {
        let before = &self.source[..offset as usize];
        let space = &before[before.trim_end_matches([' ', '\t', '\n', '\r']).len()..];
        let wanted = space.bytes().filter(|&byte| byte == b'\n').count() > 1;
        let possible = !out.is_empty() && !out.ends_with("\n\n") && !self.body_is_empty;
        if wanted && possible {
            out.push('\n');
        }
        self.body_is_empty = false;
    }
}
