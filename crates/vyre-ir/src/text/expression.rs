//! Expression parser: the shunting-yard algorithm (Dijkstra, 1961) with explicit stacks.
//!
//! `Parser::pending` holds the operators and brackets that wait for operands, `Parser::values` the complete operands.
//! An expression is complete after its operands and before the expression that follows it, which is the order of
//! ordinals.

use super::error::ErrorKind;
use super::lexer::{Mark, Suffix, Token};
use super::parser::{Arguments, Outcome, Parser, Pending, Value};
use super::vocabulary::{COMPONENTS, Callee, Precedence, callee, infix_precedence, is_reserved};
use crate::source::Span;
use crate::{AtomicOp, BinOp, DataType, Expr, Name, UnOp};

impl Parser<'_> {
    /// Parses an expression up to the first token that cannot continue it.
    pub(super) fn expression(&mut self) -> Outcome<Expr> {
        self.values.clear();
        self.pending.clear();
        loop {
            if !self.operand()? {
                continue;
            }
            // An operand is complete. The next token decides if another operand follows.
            loop {
                match self.after_operand()? {
                    After::Operand => {}
                    After::Operator => break,
                    After::End => {
                        let value = self.values.pop();
                        return value.map(|value| value.expr).ok_or_else(|| self.unexpected("an expression"));
                    }
                }
            }
        }
    }

    fn push(&mut self, expr: Expr, start: Span) {
        let span = start.to(self.previous);
        self.spans.push(span);
        self.values.push(Value { expr, span });
    }

    /// Reads the start of an operand. Returns true if the operand is complete, false if another operand must follow.
    fn operand(&mut self) -> Outcome<bool> {
        let start = self.span;
        match self.token {
            Token::Integer { value, suffix } => {
                let expr = self.literal(value, suffix, false, start)?;
                self.advance()?;
                self.push(expr, start);
                Ok(true)
            }
            Token::Mark(Mark::Minus) => {
                self.advance()?;
                if let Token::Integer { value, suffix: Suffix::I32 } = self.token {
                    let expr = self.literal(value, Suffix::I32, true, start.to(self.span))?;
                    self.advance()?;
                    self.push(expr, start);
                    return Ok(true);
                }
                self.pending.push(Pending::Prefix { op: UnOp::Negate, start });
                Ok(false)
            }
            Token::Mark(mark @ (Mark::Tilde | Mark::Bang)) => {
                self.advance()?;
                let op = if mark == Mark::Tilde { UnOp::BitNot } else { UnOp::LogicalNot };
                self.pending.push(Pending::Prefix { op, start });
                Ok(false)
            }
            Token::Mark(Mark::OpenParen) => {
                self.advance()?;
                self.pending.push(Pending::Group { start });
                Ok(false)
            }
            Token::Word => self.word_operand(start),
            Token::Quoted => {
                let name = self.unquote(start)?;
                self.advance()?;
                if self.eat(Mark::OpenParen)? {
                    return self.open_arguments(Arguments::Call(name), start);
                }
                self.variable_or_load(name, start)
            }
            Token::Mark(mark) => {
                let mut failure = self.unexpected("an expression");
                failure.suggestion = match mark {
                    Mark::Comma => Some("an argument is missing before this comma".to_owned()),
                    Mark::Star if self.previous.end == start.start && self.text(self.previous) == "/" => {
                        Some("comments begin with `//` and end with the line".to_owned())
                    }
                    _ => None,
                };
                Err(failure)
            }
            Token::End => Err(self.unexpected("an expression")),
        }
    }

    fn literal(&self, value: u64, suffix: Suffix, negative: bool, span: Span) -> Outcome<Expr> {
        match suffix {
            Suffix::None | Suffix::U32 => {
                let value = u32::try_from(value);
                let suggestion = "the largest `u32` is 4294967295 (0xffffffff)";
                value
                    .map(Expr::LitU32)
                    .map_err(|_| self.failure(ErrorKind::LiteralOutOfRange { ty: "u32" }, span, suggestion))
            }
            Suffix::I32 => {
                let signed = i64::try_from(value).map(|value| if negative { -value } else { value });
                let suggestion = "an `i32` lies between -2147483648 and 2147483647";
                signed
                    .and_then(i32::try_from)
                    .map(Expr::LitI32)
                    .map_err(|_| self.failure(ErrorKind::LiteralOutOfRange { ty: "i32" }, span, suggestion))
            }
        }
    }

    fn word_operand(&mut self, start: Span) -> Outcome<bool> {
        let word = self.word();
        match word {
            "true" | "false" => {
                self.advance()?;
                self.push(Expr::LitBool(word == "true"), start);
                return Ok(true);
            }
            "invocation_id" | "workgroup_id" | "local_id" | "num_workgroups" => {
                self.advance()?;
                let axis = self.axis()?;
                let expr = match word {
                    "invocation_id" => Expr::InvocationId { axis },
                    "workgroup_id" => Expr::WorkgroupId { axis },
                    "local_id" => Expr::LocalId { axis },
                    _ => Expr::NumWorkgroups { axis },
                };
                self.push(expr, start);
                return Ok(true);
            }
            _ => {}
        }
        if let Some(ty) = DataType::from_name(word) {
            self.advance()?;
            if self.eat(Mark::OpenParen)? {
                return self.open_arguments(Arguments::Pack(ty), start);
            }
            let mut failure = self.unexpected("`(` after a type");
            failure.suggestion = Some(format!("cast with `value as {word}`, build lanes with `{word}(...)`"));
            return Err(failure);
        }
        if let Some(op_id) = self.op_path()? {
            return self.open_arguments(Arguments::Call(op_id), start);
        }
        let name = self.name("an expression")?;
        if !self.eat(Mark::OpenParen)? {
            return self.variable_or_load(name, start);
        }
        match callee(word) {
            None => self.open_arguments(Arguments::Call(name), start),
            Some(Callee::Function(function)) => self.open_arguments(Arguments::Function(function), start),
            Some(Callee::Len) => {
                let buffer = self.name("the name of a buffer")?;
                self.expect(Mark::CloseParen, "`)`")?;
                self.push(Expr::BufLen { buffer }, start);
                Ok(true)
            }
            Some(Callee::Atomic(op)) => {
                let buffer = self.name("a buffer element such as `b[i]`")?;
                if !self.eat(Mark::OpenBracket)? {
                    let mut failure = self.unexpected("`[` and the index of the element");
                    failure.suggestion = Some(format!("write {}", atomic_form(op)));
                    return Err(failure);
                }
                self.pending.push(Pending::AtomicElement { op, buffer, start });
                Ok(false)
            }
        }
    }

    /// Reads `family.name(` where an op is called by a dotted id, up to and with the parenthesis.
    fn op_path(&mut self) -> Outcome<Option<Name>> {
        let mut end = self.span.end;
        if self.source.as_bytes().get(end as usize) != Some(&b'.') || is_reserved(self.word()) {
            return Ok(None);
        }
        let mut ahead = self.lexer;
        while ahead.next()? == Token::Mark(Mark::Dot) && ahead.span().start == end {
            if ahead.next()? != Token::Word || ahead.span().start != end + 1 {
                return Ok(None);
            }
            end = ahead.span().end;
        }
        if self.source.as_bytes().get(end as usize) != Some(&b'(') {
            return Ok(None);
        }
        let text = self.text(Span { start: self.span.start, end });
        let op_id = self.intern(text);
        while self.span.start < end {
            self.advance()?;
        }
        self.advance()?;
        Ok(Some(op_id))
    }

    fn variable_or_load(&mut self, name: Name, start: Span) -> Outcome<bool> {
        if self.eat(Mark::OpenBracket)? {
            self.pending.push(Pending::Index { buffer: name, start });
            return Ok(false);
        }
        self.push(Expr::Var(name), start);
        Ok(true)
    }

    /// Reads `.x`, `.y`, `.z` or a number.
    fn axis(&mut self) -> Outcome<u32> {
        if !self.is_mark(Mark::Dot) {
            let mut failure = self.unexpected("`.` and an axis");
            failure.suggestion = Some("ids have one number per axis: `invocation_id.x`".to_owned());
            return Err(failure);
        }
        self.advance()?;
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
        self.advance()?;
        Ok(component)
    }

    /// Opens a list of arguments after its parenthesis. An empty list completes the operand.
    fn open_arguments(&mut self, callee: Arguments, start: Span) -> Outcome<bool> {
        let base = self.values.len();
        if self.eat(Mark::CloseParen)? {
            self.finish_arguments(callee, start, base)?;
            return Ok(true);
        }
        self.pending.push(Pending::Arguments { callee, start, base });
        Ok(false)
    }

    fn finish_arguments(&mut self, callee: Arguments, start: Span, base: usize) -> Outcome<()> {
        let expr = match callee {
            Arguments::Function(function) => {
                let found = self.values.len() - base;
                let args = self.values.drain(base..).map(|value| value.expr);
                match function.apply(args) {
                    Some(expr) => expr,
                    None => {
                        let kind =
                            ErrorKind::ArgumentCount { function: function.name(), wanted: function.arity(), found };
                        let operands = ["a", "b", "c"][..function.arity()].join(", ");
                        let suggestion = format!("write `{}({operands})`", function.name());
                        return Err(self.failure(kind, start.to(self.previous), &suggestion));
                    }
                }
            }
            Arguments::Call(op_id) => Expr::Call { op_id, args: self.take_arguments(base) },
            Arguments::Pack(ty) => Expr::Pack { ty, lanes: self.take_arguments(base) },
            Arguments::Atomic { op, buffer, named_expected } => {
                let mut operands = self.take_arguments(base).into_iter().map(Box::new);
                let found = operands.len();
                let index = operands.next().ok_or_else(|| self.unexpected("the index of the element"))?;
                let first = operands.next();
                let second = operands.next();
                let (expected, value) = match (first, second) {
                    (Some(only), None) if !named_expected => (None, Some(only)),
                    (first, second) => (first, second),
                };
                if found > 3 {
                    let wanted = usize::from(op.takes_expected()) + usize::from(op.takes_value()) + 1;
                    let kind = ErrorKind::ArgumentCount { function: op.text(), wanted, found };
                    let suggestion = format!("write {}", atomic_form(op));
                    return Err(self.failure(kind, start.to(self.previous), &suggestion));
                }
                Expr::Atomic { op, buffer, index, expected, value }
            }
        };
        self.push(expr, start);
        Ok(())
    }

    fn take_arguments(&mut self, base: usize) -> Vec<Expr> {
        self.values.drain(base..).map(|value| value.expr).collect()
    }

    fn infix(&self) -> Option<BinOp> {
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
            self.advance()?;
            let target = self.data_type()?;
            if let Some(Value { expr, span }) = self.values.pop() {
                self.push(Expr::Cast { target, value: Box::new(expr) }, span);
            }
            return Ok(After::Operand);
        }
        if let Some((op, precedence)) = self.infix().and_then(|op| Some((op, infix_precedence(op)?))) {
            return self.infix_operator(op, precedence);
        }
        self.reduce(Precedence::Lowest);
        match self.token {
            Token::Mark(Mark::CloseParen) => self.close_paren(),
            Token::Mark(Mark::CloseBracket) => self.close_bracket(),
            Token::Mark(Mark::Comma) => {
                if let Some(Pending::Arguments { .. }) = self.pending.last() {
                    self.advance()?;
                    if self.is_mark(Mark::CloseParen) {
                        return self.close_paren();
                    }
                    self.argument_name()?;
                    return Ok(After::Operator);
                }
                self.end()
            }
            _ => self.end(),
        }
    }

    /// Reads the component of `value.x`.
    fn extract(&mut self) -> Outcome<After> {
        let Some(Value { expr, span }) = self.values.pop() else { return self.end() };
        let literal = matches!(expr, Expr::LitU32(_)) && span.end == self.span.start && span == self.previous;
        let dot = self.span;
        self.advance()?;
        if literal && self.previous.end == self.span.start && matches!(self.token, Token::Integer { .. }) {
            let kind = ErrorKind::NotInLanguage(self.text(span.to(self.span)).to_owned());
            return Err(self.failure(kind, span.to(self.span), "there are no floating-point numbers; use integers"));
        }
        let lane = match self.component("a lane: `x`, `y`, `z` or `w`") {
            Ok(lane) => lane,
            Err(mut failure) => {
                if matches!(self.token, Token::Word) {
                    let lanes = COMPONENTS.map(|lane| format!("`.{lane}`")).join(", ");
                    failure.suggestion =
                        Some(format!("values have the lanes {lanes}; an op is called as `family.name(...)`"));
                    failure.span = dot.to(self.span);
                }
                return Err(failure);
            }
        };
        self.push(Expr::Extract { value: Box::new(expr), lane }, span);
        Ok(After::Operand)
    }

    fn infix_operator(&mut self, op: BinOp, precedence: Precedence) -> Outcome<After> {
        self.reduce_above(precedence);
        if precedence == Precedence::Comparison
            && matches!(self.pending.last(), Some(Pending::Infix { precedence: Precedence::Comparison, .. }))
        {
            let suggestion = "put one comparison into parentheses, or join two with `&&`";
            return Err(self.failure(ErrorKind::ChainedComparison, self.span, suggestion));
        }
        self.reduce(precedence);
        self.advance()?;
        if self.is_mark(Mark::Assign) && self.previous.end == self.span.start {
            let kind = ErrorKind::NotInLanguage(format!("{}=", op.text()));
            let span = self.previous.to(self.span);
            return Err(self.failure(kind, span, "write the whole assignment: `x = x + 1;`"));
        }
        self.pending.push(Pending::Infix { op, precedence });
        Ok(After::Operator)
    }

    /// Applies the operators on top of the stack that bind at least as tightly as `precedence`.
    fn reduce(&mut self, precedence: Precedence) {
        self.reduce_while(|top| top >= precedence);
    }

    fn reduce_above(&mut self, precedence: Precedence) {
        self.reduce_while(|top| top > precedence);
    }

    fn reduce_while(&mut self, holds: impl Fn(Precedence) -> bool) {
        loop {
            match self.pending.last() {
                Some(&Pending::Prefix { op, start }) if holds(Precedence::Prefix) => {
                    let Some(Value { expr, span }) = self.values.pop() else { return };
                    let span = start.to(span);
                    self.spans.push(span);
                    self.values.push(Value { expr: Expr::UnOp { op, operand: Box::new(expr) }, span });
                }
                Some(&Pending::Infix { op, precedence }) if holds(precedence) => {
                    let (Some(right), Some(left)) = (self.values.pop(), self.values.pop()) else { return };
                    let span = left.span.to(right.span);
                    let expr = Expr::BinOp { op, left: Box::new(left.expr), right: Box::new(right.expr) };
                    self.spans.push(span);
                    self.values.push(Value { expr, span });
                }
                _ => return,
            }
            self.pending.pop();
        }
    }

    fn close_paren(&mut self) -> Outcome<After> {
        match self.pending.pop() {
            Some(Pending::Group { start }) => {
                self.advance()?;
                if let Some(value) = self.values.last_mut() {
                    value.span = start.to(self.previous);
                }
                Ok(After::Operand)
            }
            Some(Pending::Arguments { callee, start, base }) => {
                self.advance()?;
                self.finish_arguments(callee, start, base)?;
                Ok(After::Operand)
            }
            other => {
                self.pending.extend(other);
                self.end()
            }
        }
    }

    fn close_bracket(&mut self) -> Outcome<After> {
        match self.pending.pop() {
            Some(Pending::Index { buffer, start }) => {
                self.advance()?;
                if let Some(Value { expr, .. }) = self.values.pop() {
                    self.push(Expr::Load { buffer, index: Box::new(expr) }, start);
                }
                Ok(After::Operand)
            }
            Some(Pending::AtomicElement { op, buffer, start }) => {
                self.advance()?;
                let base = self.values.len() - 1;
                let callee = Arguments::Atomic { op, buffer, named_expected: false };
                if self.eat(Mark::CloseParen)? {
                    self.finish_arguments(callee, start, base)?;
                    return Ok(After::Operand);
                }
                self.expect(Mark::Comma, "`,` or `)`")?;
                self.pending.push(Pending::Arguments { callee, start, base });
                if self.is_mark(Mark::CloseParen) {
                    return self.close_paren();
                }
                self.argument_name()?;
                Ok(After::Operator)
            }
            other => {
                self.pending.extend(other);
                self.end()
            }
        }
    }

    /// Reads `expected:` before the first operand of an atomic.
    fn argument_name(&mut self) -> Outcome<()> {
        let given = self.values.len();
        let Some(Pending::Arguments { callee: Arguments::Atomic { named_expected, .. }, base, .. }) =
            self.pending.last_mut()
        else {
            return Ok(());
        };
        let mut ahead = self.lexer;
        let is_first = given == *base + 1;
        let is_label = is_first && self.token == Token::Word && matches!(ahead.next(), Ok(Token::Mark(Mark::Colon)));
        if is_label && &self.source[self.span.start as usize..self.span.end as usize] == "expected" {
            *named_expected = true;
            self.advance()?;
            self.advance()?;
        }
        Ok(())
    }

    /// Ends the expression; fails if a bracket is open.
    fn end(&mut self) -> Outcome<After> {
        match self.pending.last() {
            None => Ok(After::End),
            Some(Pending::Group { .. }) => Err(self.unexpected("`)` or an operator")),
            Some(Pending::Arguments { .. }) => Err(self.unexpected("`,`, `)` or an operator")),
            Some(Pending::Index { .. } | Pending::AtomicElement { .. }) => Err(self.unexpected("`]` or an operator")),
            Some(Pending::Infix { .. } | Pending::Prefix { .. }) => Err(self.unexpected("an operator")),
        }
    }
}

/// Syntax of an atomic.
fn atomic_form(op: AtomicOp) -> String {
    let expected = if op.takes_expected() { ", expected" } else { "" };
    let value = if op.takes_value() { ", value" } else { "" };
    format!("`{}(b[i]{expected}{value})`", op.text())
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
