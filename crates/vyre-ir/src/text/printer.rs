//! Printer of programs in canonical form. The formatter is the same printer with the comments, blank lines and number
//! bases of the original text.

use std::fmt::Write as _;

use super::error::ParseError;
use super::original::{Original, Trivia};
use super::vocabulary::{COMPONENTS, Function, Precedence, callee, infix_precedence, is_plain_word, is_reserved};
use crate::source::{Span, is_deceptive};
use crate::{BodyKind, BufferAccess, BufferDecl, Expr, Node, Program, UnOp};

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
    let mut printer = Printer::default();
    printer.program(program);
    printer.out
}

/// Formats a text: prints its program in canonical form and keeps its comments and single blank lines.
///
/// # Errors
///
/// As [`parse`](super::parse).
pub fn format(source: &str) -> Result<String, ParseError> {
    let original = Original::new(source)?;
    let mut printer = Printer { original: Some(original.trivia), ..Printer::default() };
    printer.program(&original.program);
    Ok(printer.out)
}

/// Spelling of a name in the text format: plain, or between backticks with escapes.
#[must_use]
pub fn name(name: &str) -> String {
    let mut printer = Printer::default();
    printer.name(name);
    printer.out
}

pub(crate) fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr);
    printer.out
}

pub(crate) fn print_node(node: &Node) -> String {
    let mut printer = Printer::default();
    printer.body(BodyKind::Entry, std::slice::from_ref(node), Form::Bare);
    printer.out
}

#[derive(Default)]
struct Printer<'s> {
    out: String,
    depth: usize,
    original: Option<Trivia<'s>>,
}

/// An open body.
struct OpenBody<'p> {
    kind: BodyKind,
    nodes: std::slice::Iter<'p, Node>,
    /// The `else` body that follows a `then` body.
    otherwise: Option<&'p [Node]>,
    /// Ordinal of the statement that owns the body; `None` for the outermost body.
    owner: Option<usize>,
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
enum Piece<'e> {
    Expr { expr: &'e Expr, at_least: Precedence },
    Text(&'static str),
    Number(u32),
}

impl Printer<'_> {
    fn program(&mut self, program: &Program) {
        // The workgroup size comes first, unless the original text declares it after a buffer.
        let size_position = self.original.as_ref().map_or(0, |original| original.size_position());
        for (position, buffer) in program.buffers.iter().enumerate() {
            if position == size_position {
                self.workgroup_size(program.workgroup_size);
            }
            self.begin_item(|original| original.buffer(position), position == 0 && size_position == 0);
            self.buffer(buffer);
            self.end_item(|original| original.buffer(position));
        }
        if size_position >= program.buffers.len() {
            self.workgroup_size(program.workgroup_size);
        }
        self.begin_item(|original| original.entry_head(), true);
        self.out.push_str("entry ");
        self.body(BodyKind::Entry, &program.entry, Form::Braces);
        self.finish();
    }

    fn workgroup_size(&mut self, [x, y, z]: [u32; 3]) {
        self.begin_item(|original| original.size(), false);
        let _ = write!(self.out, "workgroup_size {x}, {y}, {z};");
        self.end_item(|original| original.size());
    }

    fn buffer(&mut self, buffer: &BufferDecl) {
        let BufferDecl { name, binding, access, element, count, is_output } = buffer;
        self.out.push_str("buffer ");
        self.name(name);
        let _ = write!(self.out, ": {access} {element}");
        let workgroup = *access == BufferAccess::Workgroup;
        if *count != 0 || workgroup {
            let _ = write!(self.out, "[{count}]");
        }
        if *binding != 0 || !workgroup {
            let _ = write!(self.out, " @{binding}");
        }
        if *is_output {
            self.out.push_str(" output");
        }
        self.out.push(';');
    }

    fn name(&mut self, name: &str) {
        if is_plain_word(name) && !is_reserved(name) {
            self.out.push_str(name);
        } else {
            self.quoted(name);
        }
    }

    fn quoted(&mut self, name: &str) {
        self.out.push('`');
        for c in name.chars() {
            match c {
                '`' | '\\' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                c if is_deceptive(c) => {
                    let _ = write!(self.out, "\\u{{{:x}}}", u32::from(c));
                }
                c => self.out.push(c),
            }
        }
        self.out.push('`');
    }

    fn op_id(&mut self, op_id: &str) {
        let dotted = op_id.contains('.');
        let mut segments = op_id.split('.');
        let first_is_free = segments.next().is_some_and(|first| !is_reserved(first));
        let plain = op_id.split('.').all(is_plain_word) && first_is_free && (dotted || callee(op_id).is_none());
        if plain {
            self.out.push_str(op_id);
        } else {
            self.quoted(op_id);
        }
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n(' ', indentation(self.depth)));
    }

    /// Prints a body and everything in it, without recursion.
    fn body(&mut self, kind: BodyKind, nodes: &[Node], form: Form) {
        let mut open = Vec::new();
        self.open(&mut open, OpenBody { kind, nodes: nodes.iter(), otherwise: None, owner: None, form });
        while let Some(body) = open.last_mut() {
            let form = body.form;
            match body.nodes.next() {
                Some(node) => {
                    let ordinal = self.original.as_mut().map(|original| original.next_statement());
                    if form != Form::Chained {
                        self.begin_statement(ordinal, node);
                    }
                    self.statement(node, ordinal, &mut open);
                }
                None => {
                    let Some(body) = open.pop() else { return };
                    self.close(body, &mut open);
                }
            }
        }
    }

    fn open<'p>(&mut self, open: &mut Vec<OpenBody<'p>>, body: OpenBody<'p>) {
        if body.form == Form::Braces {
            self.out.push('{');
            self.depth += 1;
            if let Some(original) = &mut self.original {
                original.open_brace(body.owner, body.kind, &mut self.out);
            }
            self.out.push('\n');
        }
        open.push(body);
    }

    fn close<'p>(&mut self, body: OpenBody<'p>, open: &mut Vec<OpenBody<'p>>) {
        if body.form == Form::Braces {
            self.comments_before(|original| original.close_brace(body.owner, body.kind));
            self.depth -= 1;
            self.indent();
            self.out.push('}');
        }
        if let (Some(otherwise), BodyKind::Then) = (body.otherwise, body.kind) {
            self.out.push_str(" else ");
            let lone_if = matches!(otherwise, [Node::If { .. }]);
            let commented = self.original.as_mut().is_some_and(|original| original.else_has_comments(body.owner));
            let form = if lone_if && !commented { Form::Chained } else { Form::Braces };
            let nodes = otherwise.iter();
            let next = OpenBody { kind: BodyKind::Otherwise, nodes, otherwise: None, owner: body.owner, form };
            self.open(open, next);
            return;
        }
        if body.form == Form::Braces {
            if let Some(original) = &mut self.original {
                original.after_brace(body.owner, body.kind, &mut self.out);
            }
            self.out.push('\n');
        }
    }

    fn statement<'p>(&mut self, node: &'p Node, ordinal: Option<usize>, open: &mut Vec<OpenBody<'p>>) {
        let mut otherwise = None;
        let (kind, nodes) = match node {
            Node::Let { name, value } => {
                self.out.push_str("let ");
                self.name(name);
                self.out.push_str(" = ");
                self.expr(value);
                return self.end_statement(ordinal);
            }
            Node::Assign { name, value } => {
                self.name(name);
                self.out.push_str(" = ");
                self.expr(value);
                return self.end_statement(ordinal);
            }
            Node::Store { buffer, index, value } => {
                self.name(buffer);
                self.out.push('[');
                self.expr(index);
                self.out.push_str("] = ");
                self.expr(value);
                return self.end_statement(ordinal);
            }
            Node::Return => {
                self.out.push_str("return");
                return self.end_statement(ordinal);
            }
            Node::Barrier => {
                self.out.push_str("barrier");
                return self.end_statement(ordinal);
            }
            Node::Break => {
                self.out.push_str("break");
                return self.end_statement(ordinal);
            }
            Node::If { cond, then, otherwise: second } => {
                self.out.push_str("if ");
                self.expr(cond);
                self.out.push(' ');
                otherwise = (!second.is_empty()).then_some(second.as_slice());
                (BodyKind::Then, then)
            }
            Node::Loop { var, from, to, body } => {
                self.out.push_str("for ");
                self.name(var);
                self.out.push_str(" in ");
                self.expr(from);
                self.out.push_str("..");
                self.expr(to);
                self.out.push(' ');
                (BodyKind::Loop, body)
            }
            Node::Block(body) => (BodyKind::Block, body),
        };
        // Without an original text the ordinal is unused; the owner only distinguishes the body from the outermost one.
        let owner = Some(ordinal.unwrap_or(0));
        self.open(open, OpenBody { kind, nodes: nodes.iter(), otherwise, owner, form: Form::Braces });
    }

    /// Prints an expression, without recursion.
    fn expr(&mut self, root: &Expr) {
        let mut pieces = vec![Piece::Expr { expr: root, at_least: Precedence::Lowest }];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Number(number) => {
                    let _ = write!(self.out, "{number}");
                }
                Piece::Expr { expr, at_least } => {
                    if precedence(expr) < at_least {
                        self.out.push('(');
                        pieces.push(Piece::Text(")"));
                    }
                    self.expr_head(expr, &mut pieces);
                }
            }
        }
    }

    /// Prints the start of an expression and pushes the rest on `pieces`, in reverse.
    fn expr_head<'e>(&mut self, expr: &'e Expr, pieces: &mut Vec<Piece<'e>>) {
        match expr {
            Expr::LitU32(value) => self.literal(|out| write!(out, "{value}")),
            Expr::LitI32(value) => self.literal(|out| write!(out, "{value}i32")),
            Expr::LitBool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Expr::Var(name) => self.name(name),
            Expr::Load { buffer, index } => {
                self.name(buffer);
                self.out.push('[');
                pieces.push(Piece::Text("]"));
                pieces.push(Piece::Expr { expr: index, at_least: Precedence::Lowest });
            }
            Expr::BufLen { buffer } => {
                self.out.push_str("len(");
                self.name(buffer);
                self.out.push(')');
            }
            Expr::InvocationId { axis } => self.id("invocation_id", *axis),
            Expr::WorkgroupId { axis } => self.id("workgroup_id", *axis),
            Expr::LocalId { axis } => self.id("local_id", *axis),
            Expr::NumWorkgroups { axis } => self.id("num_workgroups", *axis),
            Expr::BinOp { op, left, right } if infix_precedence(*op).is_some() => {
                let own = precedence(expr);
                let at_left = if own == Precedence::Comparison { tighter(own) } else { own };
                pieces.push(Piece::Expr { expr: right, at_least: tighter(own) });
                pieces.push(Piece::Text(" "));
                pieces.push(Piece::Text(op.text()));
                pieces.push(Piece::Text(" "));
                pieces.push(Piece::Expr { expr: left, at_least: at_left });
            }
            Expr::UnOp { op: op @ (UnOp::Negate | UnOp::BitNot | UnOp::LogicalNot), operand } => {
                self.out.push_str(op.text());
                // `-5i32` is a literal, so the negation of one needs parentheses.
                let literal = *op == UnOp::Negate && matches!(**operand, Expr::LitI32(0..));
                let at_least = if literal { Precedence::Primary } else { Precedence::Prefix };
                pieces.push(Piece::Expr { expr: operand, at_least });
            }
            Expr::Call { op_id, args } => {
                self.op_id(op_id);
                self.arguments(args.iter().rev(), pieces);
            }
            Expr::Cast { target, value } => {
                pieces.push(Piece::Text(target.name()));
                pieces.push(Piece::Text(" as "));
                pieces.push(Piece::Expr { expr: value, at_least: Precedence::Cast });
            }
            Expr::Atomic { op, buffer, index, expected, value } => {
                let _ = write!(self.out, "{}(", op.text());
                self.name(buffer);
                self.out.push('[');
                pieces.push(Piece::Text(")"));
                for operand in [value, expected].into_iter().flatten() {
                    pieces.push(Piece::Expr { expr: operand, at_least: Precedence::Lowest });
                    let alone = expected.is_some() && value.is_none();
                    pieces.push(Piece::Text(if alone { ", expected: " } else { ", " }));
                }
                pieces.push(Piece::Text("]"));
                pieces.push(Piece::Expr { expr: index, at_least: Precedence::Lowest });
            }
            Expr::Extract { value, lane } => {
                match COMPONENTS.get(*lane as usize) {
                    Some(letter) => pieces.push(Piece::Text(letter)),
                    None => pieces.push(Piece::Number(*lane)),
                }
                pieces.push(Piece::Text("."));
                pieces.push(Piece::Expr { expr: value, at_least: Precedence::Primary });
            }
            Expr::Pack { ty, lanes } => {
                self.out.push_str(ty.name());
                self.arguments(lanes.iter().rev(), pieces);
            }
            Expr::BinOp { .. } | Expr::UnOp { .. } | Expr::Select { .. } | Expr::Collective(_) => {
                self.out.push_str(Function::of(expr).map_or("", Function::name));
                let operands = (0..expr.operand_count()).rev().filter_map(|position| expr.operand(position));
                self.arguments(operands, pieces);
            }
        }
    }

    /// Opens a list of arguments and pushes the arguments on `pieces`. `reversed` yields the last argument first.
    fn arguments<'e>(&mut self, reversed: impl Iterator<Item = &'e Expr>, pieces: &mut Vec<Piece<'e>>) {
        self.out.push('(');
        pieces.push(Piece::Text(")"));
        let mut separator = None;
        for expr in reversed {
            pieces.extend(separator);
            pieces.push(Piece::Expr { expr, at_least: Precedence::Lowest });
            separator = Some(Piece::Text(", "));
        }
    }

    fn id(&mut self, name: &str, axis: u32) {
        match COMPONENTS[..3].get(axis as usize) {
            Some(letter) => {
                let _ = write!(self.out, "{name}.{letter}");
            }
            None => {
                let _ = write!(self.out, "{name}.{axis}");
            }
        }
    }

    /// Starts a declaration: prints the comments before it, and a blank line before a new group or if the original has
    /// one.
    fn begin_item(&mut self, span: impl Fn(&Trivia<'_>) -> Span, new_group: bool) {
        if new_group && !self.out.is_empty() {
            self.out.push('\n');
        }
        if let Some(original) = &mut self.original {
            let span = span(original);
            original.comments_before(span.end, 0, &mut self.out);
            original.begin_line(span.start, &mut self.out);
        }
    }

    fn end_item(&mut self, span: impl Fn(&Trivia<'_>) -> Span) {
        if let Some(original) = &mut self.original {
            let end = span(original).end;
            original.trailing_comment(end, &mut self.out);
        }
        self.out.push('\n');
    }

    fn begin_statement(&mut self, ordinal: Option<usize>, node: &Node) {
        let indent = indentation(self.depth);
        if let (Some(original), Some(ordinal)) = (&mut self.original, ordinal) {
            original.comments_before(original.head_end(ordinal, node), indent, &mut self.out);
            original.begin_line(original.statement(ordinal).start, &mut self.out);
        }
        self.indent();
    }

    fn end_statement(&mut self, ordinal: Option<usize>) {
        self.out.push(';');
        if let (Some(original), Some(ordinal)) = (&mut self.original, ordinal) {
            let end = original.statement(ordinal).end;
            original.trailing_comment(end, &mut self.out);
        }
        self.out.push('\n');
    }

    fn comments_before(&mut self, offset: impl Fn(&Trivia<'_>) -> u32) {
        let indent = indentation(self.depth);
        if let Some(original) = &mut self.original {
            original.comments_before(offset(original), indent, &mut self.out);
        }
    }

    fn finish(&mut self) {
        self.comments_before(|_| u32::MAX);
    }

    fn literal(&mut self, canonical: impl FnOnce(&mut String) -> std::fmt::Result) {
        match self.original.as_mut().and_then(|original| original.next_literal()) {
            Some(text) => self.out.push_str(text),
            None => {
                let _ = canonical(&mut self.out);
            }
        }
    }
}

/// Precedence of the printed form of an expression.
fn precedence(expr: &Expr) -> Precedence {
    match expr {
        Expr::BinOp { op, .. } => infix_precedence(*op).unwrap_or(Precedence::Primary),
        Expr::UnOp { op: UnOp::Negate | UnOp::BitNot | UnOp::LogicalNot, .. } => Precedence::Prefix,
        // `1.x` looks like a fraction.
        Expr::LitU32(_) | Expr::LitI32(_) => Precedence::Prefix,
        Expr::Cast { .. } => Precedence::Cast,
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
