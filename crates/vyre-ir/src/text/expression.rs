//! Expression parser: the shunting-yard algorithm (Dijkstra, 1961) with explicit stacks.
//!
//! `Parser::pending` holds the operators and brackets that wait for operands, `Parser::values` the spans of the complete
//! operands. An expression is complete after its operands and before the expression that follows it, which is the order
//! of postfix code.

use super::error::{ErrorKind, Failure};
use super::foreign;
use super::lexer::{Mark, Suffix, Token};
use super::parser::{Bracket, Outcome, Parser, Pending, PendingKind};
use super::vocabulary::{COMPONENTS, Callee, Precedence, callee, infix_precedence, is_reserved};
use crate::postfix::{Head, code};
use crate::size_limits::Excess;
use crate::source::Span;
use crate::{AtomicOp, AtomicScope, BinOp, DataType, UnOp};

impl Parser<'_> {
    /// Parses an expression up to the first token that cannot continue it.
    pub(super) fn expression(&mut self) -> Outcome<()> {
        self.values.clear();
        self.pending.clear();
        self.brackets.clear();
        self.groups = 0;
        loop {
            self.check_size()?;
            if !self.operand()? {
                continue;
            }
            // An operand is complete. The next token decides if another operand follows.
            loop {
                match self.after_operand()? {
                    After::Operand => self.check_size()?,
                    After::Operator => break,
                    After::End => return Ok(()),
                }
            }
        }
    }

    /// Ends parsing if the program is far beyond the limit of nodes. Pending operators are nodes, parentheses are not.
    fn check_size(&mut self) -> Outcome<()> {
        let planned = (self.pending.len() - self.groups) as u64;
        if !self.guard.is_far_exceeded(self.code.nodes + planned) {
            return Ok(());
        }
        self.excess = Some(Excess::InExpression);
        Err(Failure::new(ErrorKind::TooLarge, self.span, None))
    }

    /// Adds an expression that begins at `start` and ends with the previous token.
    fn push(&mut self, head: Head, operands: usize, start: u32) {
        self.push_spanned(head, operands, Span { start, end: self.previous.end });
    }

    fn push_spanned(&mut self, head: Head, operands: usize, span: Span) {
        self.code.push(head, operands);
        self.places.expr(head.code, span);
        self.values.truncate(self.values.len() - operands);
        self.values.push(span);
    }

    fn wait(&mut self, kind: PendingKind, start: Span) {
        self.pending.push(Pending { start: start.start, kind });
    }

    /// Waits for the closing bracket of an index or of arguments.
    fn wait_in_brackets(&mut self, kind: PendingKind, name: u32, start: Span) {
        self.brackets.push(Bracket { name, base: self.values.len() as u32 });
        self.wait(kind, start);
    }

    /// Reads the start of an operand. Returns true if the operand is complete, false if another operand must follow.
    fn operand(&mut self) -> Outcome<bool> {
        let start = self.span;
        match self.token {
            Token::Integer { value, suffix } => {
                let head = self.literal(value, suffix, false, start)?;
                self.advance();
                self.push(head, 0, start.start);
                Ok(true)
            }
            Token::Mark(Mark::Minus) => {
                self.advance();
                if let Token::Integer { value, suffix: Suffix::I32 } = self.token {
                    let head = self.literal(value, Suffix::I32, true, start.to(self.span))?;
                    self.advance();
                    self.push(head, 0, start.start);
                    return Ok(true);
                }
                self.wait(PendingKind::Prefix(UnOp::Negate), start);
                Ok(false)
            }
            Token::Mark(mark @ (Mark::Tilde | Mark::Bang)) => {
                self.advance();
                let op = if mark == Mark::Tilde { UnOp::BitNot } else { UnOp::LogicalNot };
                self.wait(PendingKind::Prefix(op), start);
                Ok(false)
            }
            Token::Mark(Mark::OpenParen) => {
                self.advance();
                self.open_group(start);
                Ok(false)
            }
            Token::Word => self.word_operand(start),
            Token::Quoted => {
                let name = self.unquote(start)?;
                self.advance();
                if self.eat(Mark::OpenParen) {
                    return self.open_arguments(PendingKind::Call, name, start);
                }
                self.variable_or_load(name, start)
            }
            Token::Mark(Mark::Comma) => {
                Err(self.unexpected_with("an expression", "an argument is missing before this comma"))
            }
            Token::Mark(Mark::Star) if self.previous.end == start.start && self.text(self.previous) == "/" => {
                Err(self.unexpected_with("an expression", "comments begin with `//` and end with the line"))
            }
            Token::Mark(Mark::And | Mark::Star) => {
                let suggestion = "there are no pointers; write the name alone: `len(b)`, `b[i]`, `atomic_add(b[i], 1)`";
                Err(self.unexpected_with("an expression", suggestion))
            }
            Token::Mark(_) | Token::End | Token::Invalid => Err(self.unexpected("an expression")),
        }
    }

    /// Opens parentheses. Adjacent ones share an entry, so that many of them take little memory.
    fn open_group(&mut self, start: Span) {
        if let Some(Pending { start: first, kind: PendingKind::Group { count } }) = self.pending.last_mut()
            && *first + u32::from(*count) == start.start
            && *count < u16::MAX
        {
            *count += 1;
            return;
        }
        self.groups += 1;
        self.wait(PendingKind::Group { count: 1 }, start);
    }

    fn literal(&self, value: u64, suffix: Suffix, negative: bool, span: Span) -> Outcome<Head> {
        match suffix {
            Suffix::None | Suffix::U32 => {
                let suggestion = "the largest `u32` is 4294967295 (0xffffffff)";
                u32::try_from(value)
                    .map(|value| Head::numbered(code::LIT_U32, value))
                    .map_err(|_| self.failure(ErrorKind::LiteralOutOfRange { ty: "u32" }, span, suggestion))
            }
            Suffix::I32 => {
                let signed = i64::try_from(value).map(|value| if negative { -value } else { value });
                let suggestion = "an `i32` lies between -2147483648 and 2147483647";
                signed
                    .and_then(i32::try_from)
                    .map(|value| Head::numbered(code::LIT_I32, value.cast_unsigned()))
                    .map_err(|_| self.failure(ErrorKind::LiteralOutOfRange { ty: "i32" }, span, suggestion))
            }
        }
    }

    fn word_operand(&mut self, start: Span) -> Outcome<bool> {
        let word = self.word();
        let id = match word {
            "true" | "false" => {
                self.advance();
                let code = if word == "true" { code::LIT_TRUE } else { code::LIT_FALSE };
                self.push(Head::plain(code), 0, start.start);
                return Ok(true);
            }
            "invocation_id" => Some(code::INVOCATION_ID),
            "workgroup_id" => Some(code::WORKGROUP_ID),
            "local_id" => Some(code::LOCAL_ID),
            "num_workgroups" => Some(code::NUM_WORKGROUPS),
            _ => None,
        };
        if let Some(id) = id {
            self.advance();
            let axis = self.axis()?;
            self.push(Head::numbered(id, axis), 0, start.start);
            return Ok(true);
        }
        if let Some(ty) = DataType::from_name(word) {
            self.advance();
            if self.eat(Mark::OpenParen) {
                return self.open_arguments(PendingKind::Pack(ty), 0, start);
            }
            let suggestion = format!("cast with `value as {word}`, build lanes with `{word}(...)`");
            return Err(self.unexpected_with("`(` after a type", suggestion));
        }
        if let Some(op_id) = self.op_path() {
            return self.open_arguments(PendingKind::Call, op_id, start);
        }
        if word == "if" {
            return Err(self.unexpected_with("an expression", foreign::IF_AS_VALUE));
        }
        if self.begins_item() {
            return Err(self.unexpected("an expression"));
        }
        let name = self.name("an expression")?;
        if !self.eat(Mark::OpenParen) {
            return self.variable_or_load(name, start);
        }
        match callee(word) {
            None => self.open_arguments(PendingKind::Call, name, start),
            Some(Callee::Function(function)) => self.open_arguments(PendingKind::Function(function), 0, start),
            Some(Callee::Len) => {
                let buffer = self.name("the name of a buffer")?;
                self.expect(Mark::CloseParen, "`)`")?;
                self.push(Head::numbered(code::BUF_LEN, buffer), 0, start.start);
                Ok(true)
            }
            Some(Callee::Atomic(scope, op)) => {
                let buffer = self.name("a buffer element such as `b[i]`")?;
                if !self.eat(Mark::OpenBracket) {
                    let suggestion = format!("write {}", atomic_form(scope, op));
                    return Err(self.unexpected_with("`[` and the index of the element", suggestion));
                }
                self.wait_in_brackets(PendingKind::AtomicElement(scope, op), buffer, start);
                Ok(false)
            }
        }
    }

    /// Reads `family.name(` where an op is called by a dotted id, up to and with the parenthesis. White space may
    /// separate the parenthesis from the id.
    fn op_path(&mut self) -> Option<u32> {
        let mut end = self.span.end;
        if self.source.as_bytes().get(end as usize) != Some(&b'.') || is_reserved(self.word()) {
            return None;
        }
        let mut ahead = self.lexer;
        let mut next = ahead.next().ok()?;
        while next == Token::Mark(Mark::Dot) && ahead.span().start == end {
            if ahead.next().ok()? != Token::Word || ahead.span().start != end + 1 {
                return None;
            }
            end = ahead.span().end;
            next = ahead.next().ok()?;
        }
        if next != Token::Mark(Mark::OpenParen) {
            return None;
        }
        let op_id = self.intern(self.text(Span { start: self.span.start, end }));
        while self.span.start < end {
            self.advance();
        }
        self.advance();
        Some(op_id)
    }

    fn variable_or_load(&mut self, name: u32, start: Span) -> Outcome<bool> {
        if self.eat(Mark::OpenBracket) {
            self.wait_in_brackets(PendingKind::Index, name, start);
            return Ok(false);
        }
        self.push(Head::numbered(code::VAR, name), 0, start.start);
        Ok(true)
    }

    /// Reads `.x`, `.y`, `.z` or a number.
    fn axis(&mut self) -> Outcome<u32> {
        if !self.eat(Mark::Dot) {
            return Err(self.unexpected_with("`.` and an axis", "ids have one number per axis: `invocation_id.x`"));
        }
        self.component("an axis: `x`, `y` or `z`")
    }

    /// Reads `x`, `y`, `z`, `w` or a number.
    fn component(&mut self, wanted: &'static str) -> Outcome<u32> {
        let component = match self.word() {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            "w" => 3,
            _ => return self.integer(wanted),
        };
        self.advance();
        Ok(component)
    }

    /// Opens a list of arguments after its parenthesis. An empty list completes the operand.
    fn open_arguments(&mut self, kind: PendingKind, name: u32, start: Span) -> Outcome<bool> {
        if self.eat(Mark::CloseParen) {
            let bracket = Bracket { name, base: self.values.len() as u32 };
            self.finish_arguments(kind, bracket, start.start)?;
            return Ok(true);
        }
        self.wait_in_brackets(kind, name, start);
        Ok(false)
    }

    fn finish_arguments(&mut self, kind: PendingKind, bracket: Bracket, start: u32) -> Outcome<()> {
        let found = self.values.len() - bracket.base as usize;
        let span = Span { start, end: self.previous.end };
        let head = match kind {
            PendingKind::Function(function) => {
                if found != function.arity() {
                    let name = function.name();
                    let kind = ErrorKind::ArgumentCount { function: name, wanted: function.arity(), found };
                    let operands = ["a", "b", "c"][..function.arity()].join(", ");
                    return Err(self.failure(kind, span, format!("write `{name}({operands})`")));
                }
                function.head()
            }
            PendingKind::Pack(ty) => Head::detailed(code::PACK, ty),
            PendingKind::Atomic { scope, op, named_expected } => {
                if found > 3 {
                    let wanted = usize::from(op.takes_expected()) + usize::from(op.takes_value()) + 1;
                    let kind = ErrorKind::ArgumentCount { function: op.text_in(scope), wanted, found };
                    return Err(self.failure(kind, span, format!("write {}", atomic_form(scope, op))));
                }
                let flags = match found {
                    1 => 0,
                    2 if named_expected => code::HAS_EXPECTED,
                    2 => code::HAS_VALUE,
                    _ => code::HAS_EXPECTED | code::HAS_VALUE,
                };
                Head { payload: bracket.name, flags, ..Head::detailed(code::atomic(scope), op) }
            }
            _ => Head::numbered(code::CALL, bracket.name),
        };
        self.push_spanned(head, found, span);
        Ok(())
    }

    pub(super) fn infix(&self) -> Option<BinOp> {
        let Token::Mark(mark) = self.token else { return None };
        Some(match mark {
            Mark::Plus => BinOp::Add,
            Mark::Minus => BinOp::Sub,
            Mark::Star => BinOp::Mul,
            Mark::Slash => BinOp::Div,
            Mark::Percent => BinOp::Mod,
            Mark::And => BinOp::BitAnd,
            Mark::Or => BinOp::BitOr,
            Mark::Caret => BinOp::BitXor,
            Mark::ShiftLeft => BinOp::Shl,
            Mark::ShiftRight => BinOp::Shr,
            Mark::Equal => BinOp::Eq,
            Mark::NotEqual => BinOp::Ne,
            Mark::Less => BinOp::Lt,
            Mark::Greater => BinOp::Gt,
            Mark::LessEqual => BinOp::Le,
            Mark::GreaterEqual => BinOp::Ge,
            Mark::AndAnd => BinOp::And,
            Mark::OrOr => BinOp::Or,
            _ => return None,
        })
    }

    fn after_operand(&mut self) -> Outcome<After> {
        if self.is_mark(Mark::Dot) {
            return self.extract();
        }
        if self.word() == "as" {
            self.reduce(Precedence::Prefix);
            self.advance();
            let target = self.data_type()?;
            let start = self.values.last().map_or(0, |value| value.start);
            self.push(Head::detailed(code::CAST, target), 1, start);
            return Ok(After::Operand);
        }
        if let Some((op, precedence)) = self.infix().and_then(|op| Some((op, infix_precedence(op)?))) {
            return self.infix_operator(op, precedence);
        }
        self.reduce(Precedence::Lowest);
        match self.token {
            Token::Mark(Mark::CloseParen) => self.close_paren(),
            Token::Mark(Mark::CloseBracket) => self.close_bracket(),
            Token::Mark(Mark::Comma) if self.waits_for_arguments() => {
                self.advance();
                if self.is_mark(Mark::CloseParen) {
                    return self.close_paren();
                }
                self.argument_name();
                Ok(After::Operator)
            }
            _ => self.end(),
        }
    }

    fn waits_for_arguments(&self) -> bool {
        use PendingKind::{Atomic, Call, Function, Pack};
        self.pending.last().is_some_and(|top| matches!(top.kind, Function(_) | Call | Pack(_) | Atomic { .. }))
    }

    /// Reads the component of `value.x`.
    fn extract(&mut self) -> Outcome<After> {
        let span = self.values.last().copied().unwrap_or_default();
        let is_literal = self.code.items.last().is_some_and(|item| item.code == code::LIT_U32);
        let is_number = is_literal && span.end == self.span.start && span == self.previous;
        let dot = self.span;
        self.advance();
        if is_number && self.previous.end == self.span.start && matches!(self.token, Token::Integer { .. }) {
            let kind = ErrorKind::NotInLanguage(self.text(span.to(self.span)).to_owned());
            return Err(self.failure(kind, span.to(self.span), "there are no floating-point numbers; use integers"));
        }
        let lane = match self.component("a lane: `x`, `y`, `z` or `w`") {
            Ok(lane) => lane,
            Err(mut failure) => {
                if self.token == Token::Word {
                    let lanes = COMPONENTS.map(|lane| format!("`.{lane}`")).join(", ");
                    failure.suggestion =
                        Some(format!("values have the lanes {lanes}; an op is called as `family.name(...)`"));
                    failure.span = dot.to(self.span);
                }
                return Err(failure);
            }
        };
        self.push(Head::numbered(code::EXTRACT, lane), 1, span.start);
        Ok(After::Operand)
    }

    fn infix_operator(&mut self, op: BinOp, precedence: Precedence) -> Outcome<After> {
        self.reduce_while(|top| top > precedence);
        let is_comparison = |kind| match kind {
            PendingKind::Infix(op) => infix_precedence(op) == Some(Precedence::Comparison),
            _ => false,
        };
        if precedence == Precedence::Comparison && self.pending.last().is_some_and(|top| is_comparison(top.kind)) {
            let suggestion = "put one comparison into parentheses, or join two with `&&`";
            return Err(self.failure(ErrorKind::ChainedComparison, self.span, suggestion));
        }
        self.reduce(precedence);
        self.advance();
        if self.is_mark(Mark::Assign) && self.previous.end == self.span.start {
            let kind = ErrorKind::NotInLanguage(format!("{}=", op.text()));
            let span = self.previous.to(self.span);
            let suggestion = match precedence {
                Precedence::Comparison => format!("write `a {} b`", op.text()),
                _ => "write the whole assignment: `x = x + 1;`".to_owned(),
            };
            return Err(self.failure(kind, span, suggestion));
        }
        self.pending.push(Pending { start: 0, kind: PendingKind::Infix(op) });
        Ok(After::Operator)
    }

    /// Applies the operators on top of the stack that bind at least as tightly as `precedence`.
    fn reduce(&mut self, precedence: Precedence) {
        self.reduce_while(|top| top >= precedence);
    }

    fn reduce_while(&mut self, holds: impl Fn(Precedence) -> bool) {
        while let Some(&Pending { start, kind }) = self.pending.last() {
            match kind {
                PendingKind::Prefix(op) if holds(Precedence::Prefix) => {
                    let end = self.values.last().map_or(start, |value| value.end);
                    self.push_spanned(Head::detailed(code::UN_OP, op), 1, Span { start, end });
                }
                PendingKind::Infix(op) if infix_precedence(op).is_some_and(&holds) => {
                    let [.., left, right] = self.values[..] else { return };
                    self.push_spanned(Head::detailed(code::BIN_OP, op), 2, left.to(right));
                }
                _ => return,
            }
            self.pending.pop();
        }
    }

    fn close_paren(&mut self) -> Outcome<After> {
        if self.waits_for_arguments() {
            let (Some(Pending { start, kind }), Some(bracket)) = (self.pending.pop(), self.brackets.pop()) else {
                return self.end();
            };
            self.advance();
            self.finish_arguments(kind, bracket, start)?;
            return Ok(After::Operand);
        }
        let Some(Pending { start, kind: PendingKind::Group { count } }) = self.pending.last_mut() else {
            return self.end();
        };
        *count -= 1;
        let (start, left) = (*start + u32::from(*count), *count);
        if left == 0 {
            self.pending.pop();
            self.groups -= 1;
        }
        self.advance();
        if let Some(value) = self.values.last_mut() {
            *value = Span { start, end: self.previous.end };
        }
        Ok(After::Operand)
    }

    fn close_bracket(&mut self) -> Outcome<After> {
        match self.pending.last().copied() {
            Some(Pending { start, kind: PendingKind::Index }) => {
                self.pending.pop();
                self.advance();
                if let Some(Bracket { name, .. }) = self.brackets.pop() {
                    self.push(Head::numbered(code::LOAD, name), 1, start);
                }
                Ok(After::Operand)
            }
            Some(Pending { kind: PendingKind::AtomicElement(scope, op), .. }) => {
                self.advance();
                let kind = PendingKind::Atomic { scope, op, named_expected: false };
                if self.is_mark(Mark::CloseParen) {
                    self.replace_pending(kind);
                    return self.close_paren();
                }
                self.expect(Mark::Comma, "`,` or `)`")?;
                self.replace_pending(kind);
                if self.is_mark(Mark::CloseParen) {
                    return self.close_paren();
                }
                self.argument_name();
                Ok(After::Operator)
            }
            _ => self.end(),
        }
    }

    fn replace_pending(&mut self, kind: PendingKind) {
        if let Some(top) = self.pending.last_mut() {
            top.kind = kind;
        }
    }

    /// Reads `expected:` before the first operand of an atomic.
    fn argument_name(&mut self) {
        let given = self.values.len();
        let (Some(Pending { kind: PendingKind::Atomic { named_expected, .. }, .. }), Some(bracket)) =
            (self.pending.last_mut(), self.brackets.last())
        else {
            return;
        };
        let mut ahead = self.lexer;
        let is_first = given == bracket.base as usize + 1;
        let is_label = is_first && self.token == Token::Word && matches!(ahead.next(), Ok(Token::Mark(Mark::Colon)));
        if is_label && &self.source[self.span.start as usize..self.span.end as usize] == "expected" {
            *named_expected = true;
            self.advance();
            self.advance();
        }
    }

    /// Ends the expression; fails if a bracket is open.
    fn end(&mut self) -> Outcome<After> {
        let wanted = match self.pending.last().map(|top| top.kind) {
            None => return Ok(After::End),
            Some(PendingKind::Group { .. }) => "`)` or an operator",
            Some(PendingKind::Index | PendingKind::AtomicElement(..)) => "`]` or an operator",
            Some(PendingKind::Infix(_) | PendingKind::Prefix(_)) => "an operator",
            Some(_) => "`,`, `)` or an operator",
        };
        Err(match foreign::operator(self.word()) {
            Some(suggestion) => self.unexpected_with(wanted, suggestion),
            None => self.unexpected(wanted),
        })
    }
}

/// Syntax of an atomic.
fn atomic_form(scope: AtomicScope, op: AtomicOp) -> String {
    let expected = if op.takes_expected() { ", expected" } else { "" };
    let value = if op.takes_value() { ", value" } else { "" };
    format!("`{}(b[i]{expected}{value})`", op.text_in(scope))
}

/// Token class after an operand.
enum After {
    /// A suffix, which extends the operand.
    Operand,
    /// An operator, which another operand must follow.
    Operator,
    /// The end of the expression.
    End,
}
