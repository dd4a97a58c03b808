//! Parser of declarations and of the entry.

use super::error::{ErrorKind, Failure};
use super::foreign;
use super::lexer::{Mark, Token};
use super::parser::{BodyForm, Item, OpenBody, Outcome, Parser, list};
use crate::postfix::Buffer;
use crate::{BodyKind, BufferAccess};

/// Declarations of a program so far.
#[derive(Default)]
struct Declared {
    workgroup_size: bool,
    /// True if an error has said that statements belong into the entry, or what a declaration is.
    explained: bool,
}

impl Parser<'_> {
    /// Parses a program. Reports syntax errors.
    pub(super) fn program(&mut self) {
        let mut declared = Declared::default();
        while self.word() != "entry" {
            if self.token == Token::End {
                // A function of another language has taken the place of the entry.
                if self.failures.is_empty() {
                    let suggestion = "a program has at least `workgroup_size 64, 1, 1; entry { }`";
                    self.report(self.unexpected_with(DECLARATIONS, suggestion));
                }
                return;
            }
            let start = self.span;
            if let Err(failure) = self.declaration(&mut declared) {
                self.recover_declaration(failure, start);
            }
            if self.excess.is_some() {
                return;
            }
        }
        if !declared.workgroup_size {
            let suggestion = "write `workgroup_size 64, 1, 1;` before the entry";
            self.report(self.failure(ErrorKind::Missing("workgroup_size"), self.span, suggestion));
        }
        self.source_map.entry = self.span;
        self.advance();
        self.entry();
    }

    fn declaration(&mut self, declared: &mut Declared) -> Outcome<()> {
        let start = self.span;
        match self.word() {
            "workgroup_size" => {
                if std::mem::replace(&mut declared.workgroup_size, true) {
                    let kind = ErrorKind::Repeated("workgroup_size");
                    return Err(self.failure(kind, start, "remove one of the two"));
                }
                self.advance();
                self.code.workgroup_size = self.workgroup_size()?;
                self.source_map.workgroup_size_declaration = start.to(self.previous);
            }
            "buffer" => {
                self.advance();
                let buffer = self.buffer()?;
                self.code.buffers.push(buffer);
                self.source_map.buffers.push(start.to(self.previous));
            }
            _ => match self.unknown_declaration(declared) {
                Some(failure) => return Err(failure),
                None => {
                    self.skip_declaration(start);
                }
            },
        }
        Ok(())
    }

    /// Error of something that is no declaration; `None` if an earlier error has explained it.
    fn unknown_declaration(&mut self, declared: &mut Declared) -> Option<Box<Failure>> {
        if self.is_mark(Mark::At) {
            let mut ahead = self.lexer;
            let is_binding = ahead.next().is_ok() && matches!(self.text(ahead.span()), "group" | "binding");
            declared.workgroup_size |= !is_binding;
            let suggestion = if is_binding { foreign::BINDING } else { foreign::ENTRY_POINT };
            return Some(self.unexpected_with(DECLARATIONS, suggestion));
        }
        if let Some(suggestion) = foreign::declaration(self.word()) {
            let kind = ErrorKind::NotInLanguage(self.word().to_owned());
            return Some(self.failure(kind, self.span, suggestion));
        }
        if std::mem::replace(&mut declared.explained, true) {
            return None;
        }
        Some(match self.word() {
            "let" | "if" | "for" | "return" | "barrier" => {
                self.unexpected_with(DECLARATIONS, "statements stand in `entry { ... }`")
            }
            _ => self.unexpected(DECLARATIONS),
        })
    }

    fn workgroup_size(&mut self) -> Outcome<[u32; 3]> {
        let mut size = [1; 3];
        let mut last = self.span;
        if self.is_mark(Mark::OpenParen) {
            return Err(self.unexpected_with("a number of invocations", "write `workgroup_size 64, 1, 1;`"));
        }
        for (axis, component) in size.iter_mut().enumerate() {
            if axis == 0 || self.eat(Mark::Comma) {
                last = self.span;
                *component = self.integer("a number of invocations")?;
            }
            self.source_map.workgroup_size[axis] = last;
        }
        self.expect_semicolon(Item::WorkgroupSize)?;
        Ok(size)
    }

    fn buffer(&mut self) -> Outcome<Buffer> {
        let name = self.name("the name of a buffer")?;
        if !self.eat(Mark::Colon) {
            return Err(self.unexpected_with("`:`", "write `buffer name: access type @slot;`"));
        }
        let Some(access) = BufferAccess::from_name(self.word()) else {
            let modes = list(BufferAccess::ALL.iter().map(|access| access.name()));
            return Err(self.unexpected_with("an access mode", format!("write one of {modes} before the type")));
        };
        self.advance();
        let element = self.data_type()?;
        let mut count = 0;
        if self.eat(Mark::OpenBracket) {
            count = self.integer("the number of elements")?;
            self.expect(Mark::CloseBracket, "`]`")?;
        }
        let mut binding = 0;
        if self.eat(Mark::At) {
            binding = self.integer("a binding slot")?;
        } else if access != BufferAccess::Workgroup {
            let suggestion = "only workgroup buffers have no slot; write `@0`";
            return Err(self.unexpected_with("`@` and a binding slot", suggestion));
        }
        let is_output = self.eat_word("output");
        self.expect_semicolon(Item::Buffer)?;
        Ok(Buffer { name, binding, access, element, count, is_output })
    }

    /// Parses the entry from its opening brace to the end of the text.
    fn entry(&mut self) {
        if !self.is_mark(Mark::OpenBrace) {
            self.report(self.unexpected("`{`"));
            while !matches!(self.token, Token::End | Token::Mark(Mark::OpenBrace | Mark::Semicolon)) {
                self.advance();
            }
            if !self.is_mark(Mark::OpenBrace) {
                return;
            }
        }
        let brace = self.places.open_brace(BodyKind::Entry, self.span.start);
        self.open.push(OpenBody { statement: 0, place: 0, brace, kind: BodyKind::Entry, form: BodyForm::Braces });
        self.advance();
        self.bodies();
        // An error before may have hidden a brace.
        if self.excess.is_none() && self.failures.is_empty() && self.token != Token::End {
            let suggestion = match self.token {
                Token::Mark(Mark::CloseBrace) => "the entry is closed already; remove this `}`",
                _ if self.begins_item() && !matches!(self.word(), "buffer" | "entry" | "workgroup_size") => {
                    "a `}` before this statement closes the entry; remove one"
                }
                _ => "declarations stand before the entry, and the entry stands last",
            };
            self.report(self.unexpected_with("the end of the file", suggestion));
        }
    }
}

const DECLARATIONS: &str = "`workgroup_size`, `buffer` or `entry`";
