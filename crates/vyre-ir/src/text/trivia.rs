//! Parts of the original text that the formatter keeps: comments, blank lines, number bases and the order of
//! declarations.

use super::layout::{BracePair, Places};
use super::lexer::comments;
use crate::source::{SourceMap, Span};

/// Trivia of a text: comments, blank lines and spellings. The printer consumes them in the order of the text.
pub(super) struct Trivia<'s> {
    source: &'s str,
    comments: Vec<Span>,
    /// Number of comments that are printed.
    printed: usize,
    places: Places,
    /// Numbers of statements, literals and bodies that the printer has reached.
    statement: usize,
    literal: usize,
    body: usize,
    source_map: SourceMap,
    /// True until the first line of the current body is printed.
    body_is_empty: bool,
}

fn text(source: &str, span: Span) -> &str {
    &source[span.start as usize..span.end as usize]
}

impl<'s> Trivia<'s> {
    pub(super) fn new(source: &'s str, places: Places, source_map: SourceMap) -> Trivia<'s> {
        Trivia {
            source,
            comments: comments(source),
            printed: 0,
            places,
            statement: 0,
            literal: 0,
            body: 0,
            source_map,
            body_is_empty: false,
        }
    }

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
        Span { start: self.source_map.entry.start, end: self.places.entry.open }
    }

    pub(super) fn entry_braces(&self) -> BracePair {
        self.places.entry
    }

    /// Span of the next statement.
    pub(super) fn next_statement(&mut self) -> Span {
        self.statement += 1;
        self.places.spans.get(self.statement - 1).copied().unwrap_or_default()
    }

    /// Braces of the next `count` bodies, of which the first is open.
    pub(super) fn next_bodies(&mut self, count: usize) -> u32 {
        self.body += count;
        (self.body - count) as u32
    }

    pub(super) fn braces(&self, body: u32) -> BracePair {
        self.places.bodies.get(body as usize).copied().unwrap_or_default()
    }

    /// Text of the next number literal; `None` if it has several tokens.
    pub(super) fn next_literal(&mut self) -> Option<&'s str> {
        let span = self.places.literals.get(self.literal).copied()?;
        self.literal += 1;
        let text = text(self.source, span);
        (!text.contains(|c: char| c.is_whitespace() || c == '/')).then_some(text)
    }

    pub(super) fn open_brace(&mut self, braces: BracePair, out: &mut String) {
        self.trailing_comment(braces.open + 1, out);
        self.body_is_empty = true;
    }

    pub(super) fn after_brace(&mut self, braces: BracePair, out: &mut String) {
        self.body_is_empty = false;
        self.trailing_comment(braces.close + 1, out);
    }

    fn next_comment_if(&mut self, wanted: impl FnOnce(&Span) -> bool) -> Option<Span> {
        let comment = self.comments.get(self.printed).copied().filter(wanted)?;
        self.printed += 1;
        Some(comment)
    }

    /// True if an `else` body has comments beside the next statement, its only `if`. Such a body keeps its braces.
    pub(super) fn else_has_comments(&self, braces: BracePair) -> bool {
        let BracePair { open, close } = braces;
        let Some(inner) = self.places.spans.get(self.statement) else { return false };
        let commented = |from: u32, to: u32| {
            let next = self.comments.partition_point(|comment| comment.start < from);
            self.comments.get(next).is_some_and(|comment| comment.start < to)
        };
        commented(open, inner.start.min(close)) || commented(inner.end, close)
    }

    /// Prints the comments that begin before `offset`, each on its own line. Ends early if `out` exceeds `limit` bytes.
    pub(super) fn comments_before(&mut self, offset: u32, indent: usize, out: &mut String, limit: u64) {
        while out.len() as u64 <= limit
            && let Some(comment) = self.next_comment_if(|comment| comment.start < offset)
        {
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
