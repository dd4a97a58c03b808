//! Panic-mode recovery from syntax errors: the parser skips to the end of the statement or declaration and continues
//! there, so that it finds further errors. One mistake gives one error.
//!
//! A statement ends at its `;`, before the `}` of its body, or before a line that begins with a word of a statement. The
//! braces after the head of an `if`, a loop or a function are a body, in which errors are found too; other braces are
//! skipped. Braces are checked only in a text without other errors, because a skipped part may have contained one.

use super::error::Failure;
use super::lexer::{Mark, Token};
use super::parser::{BodyForm, OpenBody, Parser};
use crate::BodyKind;
use crate::postfix::{Head, code};
use crate::source::Span;

/// State before a statement, to which recovery returns.
#[derive(Clone, Copy)]
pub(super) struct StatementStart {
    span: Span,
    items: usize,
    nodes: u64,
}

impl StatementStart {
    pub(super) fn new(parser: &Parser<'_>) -> StatementStart {
        StatementStart { span: parser.span, items: parser.code.items.len(), nodes: parser.code.nodes }
    }
}

/// Text after the head of a statement or declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    /// Statements.
    Body(BodyForm),
    /// Anything.
    Skipped,
}

impl Parser<'_> {
    /// Reports an error in a statement and finds the next statement. Does nothing if a limit ends parsing.
    pub(super) fn recover(&mut self, failure: Box<Failure>, start: StatementStart) {
        self.code.truncate(start.items, start.nodes);
        self.places.truncate(start.nodes);
        if self.excess.is_some() {
            self.places.statement(start.span.to(self.span));
            return;
        }
        let resumes_here = failure.resumes_here && self.span != start.span;
        self.report(failure);
        if !resumes_here {
            let braces = match self.text(start.span) {
                "if" | "for" | "else" | "while" | "loop" | "foreach" | "fn" | "def" | "func" | "function" | "}" => {
                    Braces::Body(BodyForm::Recovered)
                }
                "do" => Braces::Body(BodyForm::RecoveredDo),
                _ => Braces::Skipped,
            };
            if self.skip_statement(braces, self.span == start.span) {
                return;
            }
        }
        self.skip_else();
        // The statement was the chained `if` of an `else`.
        while self.open.last().is_some_and(|body| body.form == BodyForm::Chained) {
            self.open.pop();
            self.code.end_body();
        }
    }

    /// Continues after the braces of a statement whose head has an error. Returns true if the statement goes on.
    pub(super) fn continues_recovered(&mut self, body: &OpenBody) -> bool {
        match body.form {
            BodyForm::Braces | BodyForm::Chained => false,
            BodyForm::Recovered => self.skip_else(),
            BodyForm::RecoveredDo => {
                if self.word() == "while" {
                    self.skip_statement(Braces::Skipped, false);
                }
                false
            }
        }
    }

    /// Skips an `else` that has lost its `if`. Returns true if a body or an `if` follows it.
    fn skip_else(&mut self) -> bool {
        while self.word() == "else" {
            self.advance();
            if self.word() == "if" || self.is_mark(Mark::OpenBrace) {
                return true;
            }
            self.skip_statement(Braces::Skipped, false);
        }
        false
    }

    /// Skips the rest of a statement, and at least its first token if that `is_first`. Returns true if it has opened a
    /// body.
    fn skip_statement(&mut self, braces: Braces, mut is_first: bool) -> bool {
        let mut parentheses = 0_u32;
        loop {
            match self.token {
                Token::End | Token::Mark(Mark::CloseBrace) => return false,
                Token::Mark(Mark::Semicolon) if parentheses == 0 => {
                    self.advance();
                    return false;
                }
                Token::Mark(Mark::OpenParen | Mark::OpenBracket) => parentheses += 1,
                Token::Mark(Mark::CloseParen | Mark::CloseBracket) => parentheses = parentheses.saturating_sub(1),
                Token::Mark(Mark::OpenBrace) => match braces {
                    Braces::Body(form) => {
                        self.open_body(Head::plain(code::BLOCK), 0, BodyKind::Block, form, self.span);
                        return true;
                    }
                    Braces::Skipped => {
                        self.skip_braces();
                        if self.begins_line() || self.is_mark(Mark::CloseBrace) {
                            self.eat(Mark::Semicolon);
                            return false;
                        }
                        continue;
                    }
                },
                Token::Word if !is_first && self.begins_item() && self.begins_line() => return false,
                _ => {}
            }
            is_first = false;
            self.advance();
        }
    }

    /// Skips braces and everything between them.
    fn skip_braces(&mut self) {
        let mut depth = 0_u64;
        loop {
            match self.token {
                Token::End => return,
                Token::Mark(Mark::OpenBrace) => depth += 1,
                Token::Mark(Mark::CloseBrace) => depth -= 1,
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Reports an error in a declaration and finds the next declaration. The body of a function is parsed like an entry.
    pub(super) fn recover_declaration(&mut self, failure: Box<Failure>, start: Span) {
        let resumes_here = failure.resumes_here && self.span != start;
        self.report(failure);
        if !resumes_here {
            self.skip_declaration(start);
        }
    }

    /// Skips to the next declaration from one that begins at `start`. Returns true if it has parsed a body on the way.
    pub(super) fn skip_declaration(&mut self, start: Span) -> bool {
        let mut parentheses = 0_u32;
        let mut is_function = false;
        // The token with the error may be a reserved word in place of a name, unless a line begins with it.
        let mut is_first = self.span == start || !self.begins_line();
        loop {
            match self.token {
                Token::End => return false,
                Token::Mark(Mark::Semicolon) if parentheses == 0 => {
                    self.advance();
                    return false;
                }
                Token::Mark(Mark::OpenParen) => {
                    is_function = true;
                    parentheses += 1;
                }
                Token::Mark(Mark::CloseParen) => parentheses = parentheses.saturating_sub(1),
                Token::Mark(Mark::OpenBrace) if is_function && self.open.is_empty() => {
                    self.open_body(Head::plain(code::BLOCK), 0, BodyKind::Block, BodyForm::Recovered, self.span);
                    self.bodies();
                    return true;
                }
                Token::Mark(Mark::OpenBrace) => {
                    self.skip_braces();
                    self.eat(Mark::Semicolon);
                    return false;
                }
                Token::Word
                    if !is_first
                        && matches!(self.word(), "buffer" | "workgroup_size" | "entry")
                        && !self.follows_at() =>
                {
                    return false;
                }
                _ => {}
            }
            is_first = false;
            self.advance();
        }
    }

    /// True if the previous token is `@`, as in attributes of other languages.
    fn follows_at(&self) -> bool {
        self.text(self.previous) == "@"
    }
}
