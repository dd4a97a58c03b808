//! Parser of statements.
//!
//! Open bodies are on an explicit stack, so nesting takes heap memory and no call stack. A syntax error ends its
//! statement; [`recovery`](super::recovery) finds the next one.

use super::error::ErrorKind;
use super::foreign;
use super::lexer::{MAX_SHOWN_CHARS, Mark, Token};
use super::parser::{BodyForm, Item, OpenBody, Outcome, Parser};
use super::recovery::StatementStart;
use super::vocabulary::{Precedence, infix_precedence};
use crate::postfix::{Head, code};
use crate::size_limits::Excess;
use crate::source::{Span, is_deceptive};
use crate::{BodyKind, DataType};

/// Suggestion for a call in place of a statement.
const VALUE_AS_STATEMENT: &str = "a value is no statement; write `let _ = ...;` to evaluate it";

impl Parser<'_> {
    /// Parses the statements of the open bodies until the outermost one is closed. Reports syntax errors.
    pub(super) fn bodies(&mut self) {
        while let Some(body) = self.open.last() {
            match self.token {
                Token::End => {
                    let start = self.places.brace_offset(body);
                    self.open.clear();
                    // An error before may have hidden a brace.
                    if self.failures.is_empty() {
                        let brace = Span { start, end: start + 1 };
                        self.report(self.failure(ErrorKind::Unclosed, brace, "every `{` needs a `}` of its own"));
                    }
                    return;
                }
                Token::Mark(Mark::CloseBrace) => {
                    let start = StatementStart::new(self);
                    if let Err(failure) = self.close_body() {
                        self.recover(failure, start);
                    }
                }
                _ => {
                    let start = StatementStart::new(self);
                    match self.statement() {
                        Ok(()) if self.guard.is_exceeded(self.code.nodes) => self.excess = Some(Excess::InStatements),
                        Ok(()) => {}
                        Err(failure) => self.recover(failure, start),
                    }
                }
            }
            if self.excess.is_some() {
                return;
            }
            if self.guard.discards() && self.failures.is_empty() {
                self.code.items.clear();
                self.places.clear();
            }
        }
    }

    /// Closes the innermost body at its brace, and the statements that end with it.
    fn close_body(&mut self) -> Outcome<()> {
        let closing = self.span.start;
        self.advance();
        let mut by_brace = true;
        // Closing a body completes a statement, which may be the chained `if` of an `else` without braces.
        while let Some(body) = self.open.pop() {
            if by_brace {
                self.places.close_brace(&body, closing);
            }
            self.code.end_body();
            match body.kind {
                BodyKind::Entry => return Ok(()),
                BodyKind::Then if self.eat_word("else") => {
                    if self.word() == "if" || self.is_mark(Mark::OpenBrace) {
                        self.open_else(&body);
                        return Ok(());
                    }
                    self.code.end_body();
                    self.code.finish_statement(body.statement);
                    return Err(match self.token {
                        Token::Word => {
                            self.unexpected_with("`{`", "a body stands in braces, even if it is one statement")
                        }
                        _ => self.unexpected("`{`"),
                    });
                }
                BodyKind::Then => self.code.end_body(),
                BodyKind::Otherwise | BodyKind::Loop | BodyKind::Block => {}
            }
            self.code.finish_statement(body.statement);
            self.places.end_statement(body.place, self.previous.end);
            if self.continues_recovered(&body) {
                return Ok(());
            }
            if self.open.last().is_none_or(|parent| parent.form != BodyForm::Chained) {
                return Ok(());
            }
            by_brace = false;
        }
        Ok(())
    }

    /// Opens the second body of an `if`, which begins with the current token.
    fn open_else(&mut self, then: &OpenBody) {
        let chained = !self.is_mark(Mark::OpenBrace);
        let brace = self.places.open_else(then, (!chained).then_some(self.span.start));
        let form = if chained { BodyForm::Chained } else { BodyForm::Braces };
        self.open.push(OpenBody { brace, kind: BodyKind::Otherwise, form, ..*then });
        if !chained {
            self.advance();
        }
    }

    /// Adds a statement that begins at `start` and ends with the previous token. Returns its place.
    fn push_statement(&mut self, head: Head, exprs: usize, start: Span) -> u32 {
        self.code.push(head, exprs);
        self.places.statement(start.to(self.previous))
    }

    /// Adds a statement with a body, whose opening brace is the current token.
    pub(super) fn open_body(&mut self, head: Head, exprs: usize, kind: BodyKind, form: BodyForm, start: Span) {
        let statement = self.code.items.len() as u32;
        let place = self.push_statement(head, exprs, start);
        let brace = self.places.open_brace(kind, self.span.start);
        let depth = self.open.len() as u64;
        self.open.push(OpenBody { statement, place, brace, kind, form });
        if self.failures.is_empty() && self.guard.enters_excess(depth) {
            self.too_deep = start.to(self.previous);
            self.guard.note_excess(&mut self.code, self.open.iter().rev().map(|body| body.kind));
        }
        self.advance();
    }

    fn statement(&mut self) -> Outcome<()> {
        let start = self.span;
        let (head, exprs) = match self.word() {
            "let" => {
                self.advance();
                let name = self.bound_name()?;
                self.expect(Mark::Assign, "`=`")?;
                self.expression()?;
                (Head::numbered(code::LET, name), 1)
            }
            "if" => {
                self.advance();
                self.expression()?;
                self.expect_body()?;
                self.open_body(Head::plain(code::IF), 1, BodyKind::Then, BodyForm::Braces, start);
                return Ok(());
            }
            "for" => {
                self.advance();
                let var = self.range()?;
                self.expect_body()?;
                self.open_body(Head::numbered(code::LOOP, var), 2, BodyKind::Loop, BodyForm::Braces, start);
                return Ok(());
            }
            "return" => {
                self.advance();
                (Head::plain(code::RETURN), 0)
            }
            "break" => {
                self.advance();
                (Head::plain(code::BREAK), 0)
            }
            "barrier" => {
                self.advance();
                (Head::plain(code::BARRIER), 0)
            }
            _ if self.is_mark(Mark::OpenBrace) => {
                // The span of the head of a block is its brace.
                self.previous = start;
                self.open_body(Head::plain(code::BLOCK), 0, BodyKind::Block, BodyForm::Braces, start);
                return Ok(());
            }
            _ => self.assignment()?,
        };
        self.expect_semicolon(Item::Statement)?;
        self.push_statement(head, exprs, start);
        Ok(())
    }

    /// Reads the name that `let` binds.
    fn bound_name(&mut self) -> Outcome<u32> {
        let word = self.word();
        let start = self.span;
        let name = self.name("a name")?;
        if matches!(word, "mut" | "var") && self.is_name() {
            let kind = ErrorKind::NotInLanguage(format!("let {word}"));
            let suggestion = "every binding of `let` can be assigned; write `let name = value;`";
            return Err(self.failure(kind, start, suggestion));
        }
        self.refuse_colon_assign("let ", start)?;
        if self.is_mark(Mark::Colon) {
            let kind = ErrorKind::NotInLanguage(": type".to_owned());
            let suggestion = "a binding takes the type of its value; leave the type out";
            return Err(self.failure(kind, self.span, suggestion));
        }
        Ok(name)
    }

    /// Reads `i in 0..n`, and returns the variable.
    fn range(&mut self) -> Outcome<u32> {
        if self.is_mark(Mark::OpenParen) {
            return Err(self.unexpected_with("the name of the loop variable", "write `for i in 0..n { ... }`"));
        }
        let var = self.name("the name of the loop variable")?;
        if !self.eat_word("in") {
            return Err(self.unexpected_with("`in`", "write `for i in 0..n { ... }`"));
        }
        self.expression()?;
        if !self.eat(Mark::DotDot) {
            let suggestion = "a loop runs over a range; write `for i in 0..n { ... }`";
            return Err(self.unexpected_with("`..`", suggestion));
        }
        if self.is_mark(Mark::Assign) {
            let kind = ErrorKind::NotInLanguage("..=".to_owned());
            let span = self.previous.to(self.span);
            return Err(self.failure(kind, span, "a range ends before its last number; write `0..n + 1`"));
        }
        self.expression()?;
        Ok(var)
    }

    /// `name = value` or `buffer[index] = value`.
    fn assignment(&mut self) -> Outcome<(Head, usize)> {
        let word = self.word();
        let start = self.span;
        if !self.is_name() {
            return Err(match self.token {
                Token::Mark(Mark::Slash) => {
                    self.unexpected_with("a statement", "comments begin with `//` and end with the line")
                }
                Token::Mark(Mark::Star) => {
                    self.unexpected_with("a statement", "there are no pointers; store to a buffer: `b[i] = value;`")
                }
                Token::Mark(Mark::Plus | Mark::Minus) => {
                    self.unexpected_with("a statement", "write the whole assignment: `x = x + 1;`")
                }
                _ => self.unexpected("a statement"),
            });
        }
        if word == "else" {
            return Err(self.unexpected_with("a statement", "an `else` follows the body of an `if`"));
        }
        if matches!(word, "buffer" | "workgroup_size" | "entry") {
            return Err(self.unexpected_with("a statement", "declarations stand before the entry"));
        }
        if DataType::from_name(word).is_some() {
            self.advance();
            let kind = match self.is_name() {
                true => ErrorKind::NotInLanguage(format!("{word} {}", self.text(self.span))),
                false => ErrorKind::ReservedWord(word.to_owned()),
            };
            return Err(self.failure(kind, start, foreign::TYPE_FIRST));
        }
        let name = self.name("a statement")?;
        if self.eat(Mark::OpenBracket) {
            self.expression()?;
            self.expect(Mark::CloseBracket, "`]`")?;
            self.expect_assign(start.to(self.previous))?;
            self.expression()?;
            return Ok((Head::numbered(code::STORE, name), 2));
        }
        if let (Some(suggestion), false) = (foreign::statement(word), self.is_mark(Mark::Assign)) {
            return Err(self.failure(ErrorKind::NotInLanguage(word.to_owned()), start, suggestion));
        }
        match self.token {
            Token::Mark(Mark::OpenParen) => return Err(self.unexpected_with("`=`", VALUE_AS_STATEMENT)),
            Token::Mark(Mark::Dot) if self.continues_as_call() => {
                return Err(self.unexpected_with("`=`", VALUE_AS_STATEMENT));
            }
            Token::Mark(Mark::Dot) => {
                let suggestion = "lanes cannot be assigned; assign a whole value such as `vec2u32(a, b)`";
                return Err(self.unexpected_with("`=`", suggestion));
            }
            Token::Mark(Mark::Colon) if !self.precedes_assign() => {
                return Err(self.unexpected_with("`=`", "a statement has no label and no type"));
            }
            _ => {}
        }
        self.expect_assign(start)?;
        self.expression()?;
        Ok((Head::numbered(code::ASSIGN, name), 1))
    }

    /// True if the tokens from the current dot continue the id of an op up to its parenthesis.
    fn continues_as_call(&self) -> bool {
        let mut ahead = self.lexer;
        loop {
            if ahead.next() != Ok(Token::Word) {
                return false;
            }
            match ahead.next() {
                Ok(Token::Mark(Mark::Dot)) => {}
                next => return next == Ok(Token::Mark(Mark::OpenParen)),
            }
        }
    }

    /// True if a `=` follows the current token without a space.
    fn precedes_assign(&self) -> bool {
        self.source[self.span.end as usize..].starts_with('=')
    }

    /// Fails at `:=`. The suggestion is the assignment to `target`, after `before`.
    fn refuse_colon_assign(&self, before: &str, target: Span) -> Outcome<()> {
        if !self.is_mark(Mark::Colon) || !self.precedes_assign() {
            return Ok(());
        }
        let span = Span { start: self.span.start, end: self.span.end + 1 };
        let target: String = self.text(target).chars().take(MAX_SHOWN_CHARS).collect();
        let rest = &self.source[span.end as usize..];
        // A long line may have many errors, so only its next characters are read.
        let end = rest.char_indices().take(MAX_SHOWN_CHARS).find(|&(_, c)| c == ';').map_or(0, |(at, _)| at);
        let value = rest[..end].trim();
        let is_plain = !value.contains(|c| c == '`' || is_deceptive(c)) && !value.contains("//");
        let value = if is_plain && !value.is_empty() { value } else { "..." };
        let suggestion = format!("write `{before}{target} = {value};`");
        Err(self.failure(ErrorKind::NotInLanguage(":=".to_owned()), span, suggestion))
    }

    /// Reads the `=` of an assignment to `target`.
    fn expect_assign(&mut self, target: Span) -> Outcome<()> {
        self.refuse_colon_assign("", target)?;
        if let Token::Mark(mark) = self.token
            && mark != Mark::Assign
        {
            let rest = &self.source[self.span.end as usize..];
            let doubled = rest.starts_with(mark.text()) && matches!(mark, Mark::Plus | Mark::Minus);
            let span = Span { start: self.span.start, end: self.span.end + 1 };
            let compound = self.infix().is_some_and(|op| infix_precedence(op) != Some(Precedence::Comparison));
            if doubled || (rest.starts_with('=') && compound) {
                let target: String = self.text(target).chars().take(MAX_SHOWN_CHARS).collect();
                let right = if doubled { "1" } else { "..." };
                let suggestion = format!("write the whole assignment: `{target} = {target} {} {right};`", mark.text());
                let kind = ErrorKind::NotInLanguage(self.text(span).to_owned());
                return Err(self.failure(kind, span, suggestion));
            }
            if mark == Mark::Equal {
                return Err(self.unexpected_with("`=`", "`==` compares; an assignment has one `=`"));
            }
        }
        self.expect(Mark::Assign, "`=`")
    }

    /// Fails unless the current token opens a body.
    fn expect_body(&mut self) -> Outcome<()> {
        match self.token {
            Token::Mark(Mark::OpenBrace) => Ok(()),
            Token::Mark(Mark::Assign) => Err(self.unexpected_with("`{`", "compare with `==`")),
            Token::Word => match foreign::operator(self.word()) {
                Some(suggestion) => Err(self.unexpected_with("`{`", suggestion)),
                None => Err(self.unexpected_with("`{`", "a body stands in braces, even if it is one statement")),
            },
            _ => Err(self.unexpected("`{`")),
        }
    }
}
