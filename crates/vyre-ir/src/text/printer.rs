//! Printer of programs in canonical form, from postfix code. The formatter is the same printer with the comments, blank
//! lines and number bases of the original text.

use std::fmt::Write as _;

use super::error::ParseErrors;
use super::layout::{BracePair, Record};
use super::parse::{ParseOptions, ParsedCode, parse_code};
use super::trivia::Trivia;
use super::vocabulary::{COMPONENTS, Function, Precedence, callee, infix_precedence, is_plain_word, is_reserved};
use crate::postfix::{Buffer, Coded, Item, PostfixCode, code, is_expr};
use crate::source::{Span, is_deceptive};
use crate::{AtomicOp, AtomicScope, BinOp, BodyKind, BufferAccess, DataType, Expr, Node, Program, Traversal, UnOp};

const INDENT: &str = "    ";

/// Maximum depth of indentation. Without a maximum, the size of the text is quadratic in the depth. No valid program is
/// nested so deep.
const MAX_INDENT_DEPTH: usize = 100;

/// Number of spaces before a statement in a body at this depth; the entry has depth 1.
#[must_use]
pub fn indentation(depth: usize) -> usize {
    INDENT.len() * depth.min(MAX_INDENT_DEPTH)
}

/// Prints a program in canonical form. Parsing the text returns the same program.
///
/// ```
/// use vyre_ir::{Expr, Node, Program};
///
/// let program = Program::new(vec![], [64, 1, 1], vec![Node::Let { name: "x".into(), value: Expr::LitU32(7) }]);
/// assert_eq!(vyre_ir::text::print(&program), "workgroup_size 64, 1, 1;\n\nentry {\n    let x = 7;\n}\n");
/// ```
#[must_use]
pub fn print(program: &Program) -> String {
    let code = PostfixCode::of_program(program);
    let mut printer = Printer::new(&code);
    printer.program();
    printer.out
}

/// Formats a text: prints its program in canonical form and keeps its comments and single blank lines.
///
/// Builds no tree. `vyre_ir::convert` limits the size of the result.
///
/// # Errors
///
/// As [`parse`](super::parse).
pub fn format(source: &str) -> Result<String, ParseErrors> {
    format_within(source, u64::MAX).map(Option::unwrap_or_default)
}

/// Formats a text; `None` if the result would take more than `limit` bytes.
pub(crate) fn format_within(source: &str, limit: u64) -> Result<Option<String>, ParseErrors> {
    let ParsedCode { code, source_map, places } = parse_code(source, Record::Layout, &ParseOptions::default())?;
    let trivia = Some(Trivia::new(source, places, source_map));
    let mut printer = Printer { trivia, limit, ..Printer::new(&code) };
    printer.program();
    Ok((!printer.is_too_large()).then_some(printer.out))
}

/// Prints postfix code; `None` if the result would take more than `limit` bytes.
pub(crate) fn print_code(code: &PostfixCode<'_>, limit: u64) -> Option<String> {
    let mut printer = Printer { limit, ..Printer::new(code) };
    printer.program();
    (!printer.is_too_large()).then_some(printer.out)
}

/// Spelling of a name in the text format: plain, or between backticks with escapes.
#[must_use]
pub fn name(name: &str) -> String {
    let mut out = String::new();
    write_name(&mut out, name, u64::MAX);
    out
}

pub(crate) fn print_expr(expr: &Expr) -> String {
    let mut code = PostfixCode::default();
    code.append(Traversal::of_expr(expr));
    let mut printer = Printer::new(&code);
    printer.expr(code.items.len() - 1);
    printer.out
}

pub(crate) fn print_node(node: &Node) -> String {
    let mut code = PostfixCode::default();
    code.append(Traversal::of_body(std::slice::from_ref(node)));
    let mut printer = Printer::new(&code);
    printer.entry(Form::Bare);
    printer.out
}

struct Printer<'c> {
    code: &'c PostfixCode<'c>,
    out: String,
    depth: usize,
    trivia: Option<Trivia<'c>>,
    /// Maximum number of bytes of `out`. Printing ends soon after it is exceeded.
    limit: u64,
    pieces: Vec<Piece>,
}

/// An open body.
#[derive(Clone, Copy)]
struct OpenBody {
    /// Position of the statement that owns the body; unused for the outermost body.
    statement: u32,
    /// Number of the body in the layout.
    body: u32,
    kind: BodyKind,
    form: Form,
}

/// Delimiters of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Braces.
    Braces,
    /// None: the `if` of an `else if` is on the line of its `else`.
    Chained,
    /// None: the body is a single statement without context.
    Bare,
}

/// A piece of an expression that is not printed yet.
#[derive(Clone, Copy)]
struct Piece {
    /// Position of the expression.
    position: u32,
    step: Step,
    at_least: Precedence,
}

const _: () = assert!(size_of::<Piece>() == 8);

/// Part of an expression that a [`Piece`] prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The whole expression.
    Expr,
    /// A comma and the whole expression.
    CommaExpr,
    /// The label of an operand of an atomic, and the whole expression.
    ExpectedExpr,
    /// The operator of an infix expression and its right operand.
    Infix,
    /// The closing bracket of the index of an atomic, and its operands.
    AtomicOperands,
    /// The type of a cast.
    CastTarget,
    /// The component of an extraction.
    Component,
    CloseParen,
    CloseBracket,
}

impl<'c> Printer<'c> {
    fn new(code: &'c PostfixCode<'c>) -> Printer<'c> {
        Printer { code, out: String::new(), depth: 0, trivia: None, limit: u64::MAX, pieces: Vec::new() }
    }

    fn is_too_large(&self) -> bool {
        self.out.len() as u64 > self.limit
    }

    fn program(&mut self) {
        let code = self.code;
        // The workgroup size comes first, unless the original text declares it after a buffer.
        let size_position = self.trivia.as_ref().map_or(0, |trivia| trivia.size_position());
        for (position, buffer) in code.buffers.iter().enumerate() {
            if self.is_too_large() {
                return;
            }
            if position == size_position {
                self.workgroup_size(code.workgroup_size);
            }
            self.begin_item(|trivia| trivia.buffer(position), position == 0 && size_position == 0);
            self.buffer(buffer);
            self.end_item(|trivia| trivia.buffer(position));
        }
        if size_position >= code.buffers.len() {
            self.workgroup_size(code.workgroup_size);
        }
        self.begin_item(|trivia| trivia.entry_head(), true);
        self.out.push_str("entry ");
        self.entry(Form::Braces);
        self.comments_before(u32::MAX);
    }

    fn workgroup_size(&mut self, [x, y, z]: [u32; 3]) {
        self.begin_item(|trivia| trivia.size(), false);
        let _ = write!(self.out, "workgroup_size {x}, {y}, {z};");
        self.end_item(|trivia| trivia.size());
    }

    fn buffer(&mut self, buffer: &Buffer) {
        let Buffer { name, binding, access, element, count, is_output } = *buffer;
        self.out.push_str("buffer ");
        self.name(name);
        let _ = write!(self.out, ": {access} {element}");
        let workgroup = access == BufferAccess::Workgroup;
        if count != 0 || workgroup {
            let _ = write!(self.out, "[{count}]");
        }
        if binding != 0 || !workgroup {
            let _ = write!(self.out, " @{binding}");
        }
        if is_output {
            self.out.push_str(" output");
        }
        self.out.push(';');
    }

    fn name(&mut self, index: u32) {
        let name = self.code.names.get(index as usize).map_or("", |name| name);
        write_name(&mut self.out, name, self.limit);
    }

    fn op_id(&mut self, index: u32) {
        let op_id = self.code.names.get(index as usize).map_or("", |name| name);
        let dotted = op_id.contains('.');
        let first_is_free = op_id.split('.').next().is_some_and(|first| !is_reserved(first));
        let plain = op_id.split('.').all(is_plain_word) && first_is_free && (dotted || callee(op_id).is_none());
        if plain {
            self.out.push_str(op_id);
        } else {
            write_quoted(&mut self.out, op_id, self.limit);
        }
    }

    fn indent(&mut self) {
        let spaces = indentation(self.depth);
        self.out.extend(std::iter::repeat_n(' ', spaces));
    }

    /// Prints the outermost body and everything in it, without recursion.
    fn entry(&mut self, form: Form) {
        let mut open = Vec::new();
        self.open(&mut open, OpenBody { statement: 0, body: 0, kind: BodyKind::Entry, form });
        let mut position = 0;
        while let Some(&body) = open.last()
            && !self.is_too_large()
        {
            let item = &self.code.items[position];
            if item.code == code::END {
                open.pop();
                position = self.close(body, position, &mut open);
                continue;
            }
            if !is_expr(item.code) {
                self.statement(position, body.form, &mut open);
            }
            position += 1;
        }
    }

    fn braces(&self, body: OpenBody) -> BracePair {
        match &self.trivia {
            Some(trivia) if body.kind == BodyKind::Entry => trivia.entry_braces(),
            Some(trivia) => trivia.braces(body.body),
            None => BracePair::default(),
        }
    }

    fn open(&mut self, open: &mut Vec<OpenBody>, body: OpenBody) {
        if body.form == Form::Braces {
            self.out.push('{');
            self.depth += 1;
            let braces = self.braces(body);
            if let Some(trivia) = &mut self.trivia {
                trivia.open_brace(braces, &mut self.out);
            }
            self.out.push('\n');
        }
        open.push(body);
    }

    /// Ends a body at its end in the code. Returns the position after it.
    fn close(&mut self, body: OpenBody, position: usize, open: &mut Vec<OpenBody>) -> usize {
        let braces = self.braces(body);
        if body.form == Form::Braces {
            self.comments_before(braces.close);
            self.depth -= 1;
            self.indent();
            self.out.push('}');
        }
        let mut next = position + 1;
        if body.kind == BodyKind::Then {
            if self.code.items[next].code != code::END {
                self.out.push_str(" else ");
                let mut otherwise =
                    OpenBody { body: body.body + 1, kind: BodyKind::Otherwise, form: Form::Braces, ..body };
                let braces = self.braces(otherwise);
                let commented = self.trivia.as_ref().is_some_and(|trivia| trivia.else_has_comments(braces));
                if self.is_lone_if(next, body.statement) && !commented {
                    otherwise.form = Form::Chained;
                }
                self.open(open, otherwise);
                return next;
            }
            next += 1;
        }
        if body.form == Form::Braces {
            if let Some(trivia) = &mut self.trivia {
                trivia.after_brace(braces, &mut self.out);
            }
            self.out.push('\n');
        }
        next
    }

    /// True if the second body of an `if`, which begins at `first`, consists of another `if`.
    fn is_lone_if(&self, first: usize, statement: u32) -> bool {
        let items = &self.code.items;
        let inner = items[first..].iter().find(|item| !is_expr(item.code));
        inner.is_some_and(|inner| inner.code == code::IF && inner.payload + 1 == items[statement as usize].payload)
    }

    fn statement(&mut self, position: usize, form: Form, open: &mut Vec<OpenBody>) {
        let item = self.code.items[position];
        let bodies = match item.code {
            code::IF => 2,
            code::LOOP | code::BLOCK => 1,
            _ => 0,
        };
        let (mut span, mut body) = (Span::default(), 0);
        if let Some(trivia) = &mut self.trivia {
            span = trivia.next_statement();
            body = trivia.next_bodies(bodies);
            if form != Form::Chained {
                // The first line of a statement ends with the brace of its first body, or with its semicolon.
                let head_end = if bodies > 0 { trivia.braces(body).open } else { span.end };
                trivia.comments_before(head_end, indentation(self.depth), &mut self.out, self.limit);
                trivia.begin_line(span.start, &mut self.out);
            }
        }
        if form != Form::Chained {
            self.indent();
        }
        let kind = match item.code {
            code::LET | code::ASSIGN => {
                self.out.push_str(if item.code == code::LET { "let " } else { "" });
                self.name(item.payload);
                self.out.push_str(" = ");
                self.expr(position - 1);
                return self.end_statement(span);
            }
            code::STORE => {
                self.name(item.payload);
                self.out.push('[');
                self.expr(self.code.items[position - 1].start as usize - 1);
                self.out.push_str("] = ");
                self.expr(position - 1);
                return self.end_statement(span);
            }
            code::IF => {
                self.out.push_str("if ");
                self.expr(position - 1);
                self.out.push(' ');
                BodyKind::Then
            }
            code::LOOP => {
                self.out.push_str("for ");
                self.name(item.payload);
                self.out.push_str(" in ");
                self.expr(self.code.items[position - 1].start as usize - 1);
                self.out.push_str("..");
                self.expr(position - 1);
                self.out.push(' ');
                BodyKind::Loop
            }
            code::BLOCK => BodyKind::Block,
            other => {
                self.out.push_str(match other {
                    code::RETURN => "return",
                    code::BARRIER => "barrier",
                    _ => "break",
                });
                return self.end_statement(span);
            }
        };
        self.open(open, OpenBody { statement: position as u32, body, kind, form: Form::Braces });
    }

    fn end_statement(&mut self, span: Span) {
        self.out.push(';');
        if let Some(trivia) = &mut self.trivia {
            trivia.trailing_comment(span.end, &mut self.out);
        }
        self.out.push('\n');
    }

    /// Prints the expression at a position, without recursion.
    fn expr(&mut self, root: usize) {
        self.push(Step::Expr, root, Precedence::Lowest);
        while let Some(Piece { position, step, at_least }) = self.pieces.pop() {
            let position = position as usize;
            match step {
                Step::CloseParen => self.out.push(')'),
                Step::CloseBracket => self.out.push(']'),
                Step::Expr => self.operand(position, at_least),
                Step::CommaExpr => {
                    self.out.push_str(", ");
                    self.operand(position, at_least);
                }
                Step::ExpectedExpr => {
                    self.out.push_str(", expected: ");
                    self.operand(position, at_least);
                }
                Step::Infix => {
                    let item = &self.code.items[position];
                    self.out.push(' ');
                    self.out.push_str(coded::<BinOp>(item).map_or("", |op| op.text()));
                    self.out.push(' ');
                    self.push(Step::Expr, position - 1, tighter(precedence(item)));
                }
                Step::AtomicOperands => self.atomic_operands(position),
                Step::CastTarget => {
                    let target = coded::<DataType>(&self.code.items[position]).map_or("", |ty| ty.name());
                    self.out.push_str(" as ");
                    self.out.push_str(target);
                }
                Step::Component => {
                    let lane = self.code.items[position].payload;
                    self.component(lane, &COMPONENTS);
                }
            }
            if self.is_too_large() {
                self.pieces.clear();
            }
        }
    }

    fn push(&mut self, step: Step, position: usize, at_least: Precedence) {
        self.pieces.push(Piece { position: position as u32, step, at_least });
    }

    fn push_close(&mut self, step: Step) {
        self.push(step, 0, Precedence::Lowest);
    }

    /// Prints the start of an operand, in parentheses if it binds less than `at_least`, and pushes the rest.
    fn operand(&mut self, position: usize, at_least: Precedence) {
        let code = self.code;
        let item = &code.items[position];
        let own = precedence(item);
        if own < at_least {
            self.out.push('(');
            self.push_close(Step::CloseParen);
        }
        match item.code {
            code::LIT_U32 => self.literal(|out| write!(out, "{}", item.payload)),
            code::LIT_I32 => self.literal(|out| write!(out, "{}i32", item.payload.cast_signed())),
            code::LIT_TRUE => self.out.push_str("true"),
            code::LIT_FALSE => self.out.push_str("false"),
            code::VAR => self.name(item.payload),
            code::LOAD => {
                self.name(item.payload);
                self.out.push('[');
                self.push_close(Step::CloseBracket);
                self.push(Step::Expr, position - 1, Precedence::Lowest);
            }
            code::BUF_LEN => {
                self.out.push_str("len(");
                self.name(item.payload);
                self.out.push(')');
            }
            code::INVOCATION_ID => self.id("invocation_id", item.payload),
            code::WORKGROUP_ID => self.id("workgroup_id", item.payload),
            code::LOCAL_ID => self.id("local_id", item.payload),
            code::NUM_WORKGROUPS => self.id("num_workgroups", item.payload),
            code::BIN_OP if own < Precedence::Primary => {
                let left = code.items[position - 1].start as usize - 1;
                let at_left = if own == Precedence::Comparison { tighter(own) } else { own };
                self.push(Step::Infix, position, Precedence::Lowest);
                self.push(Step::Expr, left, at_left);
            }
            code::UN_OP if own == Precedence::Prefix => {
                let op = coded::<UnOp>(item);
                self.out.push_str(op.map_or("", |op| op.text()));
                // `-5i32` is a literal, so the negation of one needs parentheses.
                let operand = &code.items[position - 1];
                let literal = op == Some(UnOp::Negate)
                    && operand.code == code::LIT_I32
                    && !operand.payload.cast_signed().is_negative();
                self.push(Step::Expr, position - 1, if literal { Precedence::Primary } else { Precedence::Prefix });
            }
            code::CALL => {
                self.op_id(item.payload);
                self.arguments(position);
            }
            code::CAST => {
                self.push(Step::CastTarget, position, Precedence::Lowest);
                self.push(Step::Expr, position - 1, Precedence::Cast);
            }
            code::ATOMIC | code::WORKGROUP_ATOMIC => {
                let is_storage = item.code == code::ATOMIC;
                let scope = if is_storage { AtomicScope::Storage } else { AtomicScope::Workgroup };
                let op = coded::<AtomicOp>(item).map_or("", |op| op.text_in(scope));
                self.out.push_str(op);
                self.out.push('(');
                self.name(item.payload);
                self.out.push('[');
                self.push(Step::AtomicOperands, position, Precedence::Lowest);
                if let Some(index) = code.operands(position).last() {
                    self.push(Step::Expr, index, Precedence::Lowest);
                }
            }
            code::EXTRACT => {
                self.push(Step::Component, position, Precedence::Lowest);
                self.push(Step::Expr, position - 1, Precedence::Primary);
            }
            code::PACK => {
                self.out.push_str(coded::<DataType>(item).map_or("", |ty| ty.name()));
                self.arguments(position);
            }
            _ => {
                self.out.push_str(Function::of(item).map_or("", Function::name));
                self.arguments(position);
            }
        }
    }

    /// Opens a list of arguments and pushes the operands of an expression.
    fn arguments(&mut self, position: usize) {
        let code = self.code;
        let first = code.items[position].start;
        self.out.push('(');
        self.push_close(Step::CloseParen);
        for operand in code.operands(position) {
            let step = if code.items[operand].start == first { Step::Expr } else { Step::CommaExpr };
            self.push(step, operand, Precedence::Lowest);
        }
    }

    /// Closes the index of an atomic and pushes its other operands.
    fn atomic_operands(&mut self, position: usize) {
        let code = self.code;
        let Item { flags, start, .. } = code.items[position];
        self.out.push(']');
        self.push_close(Step::CloseParen);
        let step = if flags == code::HAS_EXPECTED { Step::ExpectedExpr } else { Step::CommaExpr };
        for operand in code.operands(position).filter(|&operand| code.items[operand].start != start) {
            self.push(step, operand, Precedence::Lowest);
        }
    }

    fn id(&mut self, name: &str, axis: u32) {
        self.out.push_str(name);
        self.component(axis, &COMPONENTS[..3]);
    }

    fn component(&mut self, component: u32, letters: &[&str]) {
        self.out.push('.');
        match letters.get(component as usize) {
            Some(letter) => self.out.push_str(letter),
            None => {
                let _ = write!(self.out, "{component}");
            }
        }
    }

    /// Starts a declaration: prints the comments before it, and a blank line before a new group or if the original has
    /// one.
    fn begin_item(&mut self, span: impl Fn(&Trivia<'_>) -> Span, new_group: bool) {
        if new_group && !self.out.is_empty() {
            self.out.push('\n');
        }
        if let Some(trivia) = &mut self.trivia {
            let span = span(trivia);
            trivia.comments_before(span.end, 0, &mut self.out, self.limit);
            trivia.begin_line(span.start, &mut self.out);
        }
    }

    fn end_item(&mut self, span: impl Fn(&Trivia<'_>) -> Span) {
        if let Some(trivia) = &mut self.trivia {
            let end = span(trivia).end;
            trivia.trailing_comment(end, &mut self.out);
        }
        self.out.push('\n');
    }

    fn comments_before(&mut self, offset: u32) {
        let indent = indentation(self.depth);
        if let Some(trivia) = &mut self.trivia {
            trivia.comments_before(offset, indent, &mut self.out, self.limit);
        }
    }

    fn literal(&mut self, canonical: impl FnOnce(&mut String) -> std::fmt::Result) {
        match self.trivia.as_mut().and_then(|trivia| trivia.next_literal()) {
            Some(text) => self.out.push_str(text),
            None => {
                let _ = canonical(&mut self.out);
            }
        }
    }
}

/// Writes a name. Its last characters may be missing if `out` exceeds `limit` bytes.
fn write_name(out: &mut String, name: &str, limit: u64) {
    if is_plain_word(name) && !is_reserved(name) {
        out.push_str(name);
    } else {
        write_quoted(out, name, limit);
    }
}

fn write_quoted(out: &mut String, name: &str, limit: u64) {
    out.push('`');
    for c in name.chars() {
        // An escape takes up to five times the bytes of its character.
        if out.len() as u64 > limit {
            return;
        }
        match c {
            '`' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_deceptive(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('`');
}

/// Operator or type of an item.
fn coded<T: Coded>(item: &Item) -> Option<T> {
    T::from_number(item.detail)
}

/// Precedence of the printed form of an expression.
fn precedence(item: &Item) -> Precedence {
    match item.code {
        code::BIN_OP => coded::<BinOp>(item).and_then(infix_precedence).unwrap_or(Precedence::Primary),
        code::UN_OP => match coded::<UnOp>(item) {
            Some(UnOp::Negate | UnOp::BitNot | UnOp::LogicalNot) => Precedence::Prefix,
            _ => Precedence::Primary,
        },
        // `1.x` looks like a fraction.
        code::LIT_U32 | code::LIT_I32 => Precedence::Prefix,
        code::CAST => Precedence::Cast,
        _ => Precedence::Primary,
    }
}

/// Next higher precedence.
fn tighter(precedence: Precedence) -> Precedence {
    match precedence {
        Precedence::Lowest => Precedence::Or,
        Precedence::Or => Precedence::And,
        Precedence::And => Precedence::Comparison,
        Precedence::Comparison => Precedence::BitOr,
        Precedence::BitOr => Precedence::BitXor,
        Precedence::BitXor => Precedence::BitAnd,
        Precedence::BitAnd => Precedence::Shift,
        Precedence::Shift => Precedence::Sum,
        Precedence::Sum => Precedence::Product,
        Precedence::Product => Precedence::Cast,
        Precedence::Cast => Precedence::Prefix,
        Precedence::Prefix | Precedence::Primary => Precedence::Primary,
    }
}
