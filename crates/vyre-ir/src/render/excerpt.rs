//! Excerpts of a program without a text: the lines of its printed form that have errors.
//!
//! A statement is one line of the printed form, without its bodies. An excerpt keeps the statement and the number of
//! its line; its text and the spans of its expressions come from printing and parsing the statement alone. So a report
//! on a large program does not print the program.

use crate::diagnostic::ProgramLocation;
use crate::source::{Frame, Span};
use crate::text;
use crate::{BodyKind, BufferDecl, Event, Node, Program, Traversal};

/// Maximum number of bytes of a printed statement. Names count in full at each use.
const MAX_STATEMENT_BYTES: usize = 4 << 20;

/// Bytes of an expression beside its names: operators, parentheses and numbers.
const EXPRESSION_BYTES: usize = 8;

/// Text before a chained `if`.
const ELSE: &str = "} else ";

/// Lines of the printed form of a program.
#[derive(Debug)]
pub(super) struct Excerpts {
    workgroup_size: [u32; 3],
    /// Buffers with their positions.
    buffers: Vec<(usize, BufferDecl)>,
    /// Statements, in the order of their ordinals.
    statements: Vec<Excerpt>,
}

/// A statement without its bodies.
#[derive(Debug)]
struct Excerpt {
    /// Ordinal of its first expression, or of the statement if it has none.
    start: u32,
    /// Ordinal of the statement.
    ordinal: u32,
    line: PrintedLine,
    /// The statement, unless it is too large.
    node: Option<Node>,
}

/// Position of a statement in the printed form.
#[derive(Clone, Copy, Debug)]
struct PrintedLine {
    number: u32,
    depth: usize,
    /// True for the `if` of an `else if`.
    is_chained: bool,
}

impl Excerpts {
    pub(super) fn new(program: &Program, locations: impl IntoIterator<Item = ProgramLocation>) -> Excerpts {
        let (mut ordinals, mut positions) = (Vec::new(), Vec::new());
        for location in locations {
            match location {
                ProgramLocation::WorkgroupSize(_) => {}
                ProgramLocation::Buffer(position) => positions.push(position),
                ProgramLocation::Node(ordinal) => ordinals.push(ordinal),
            }
        }
        positions.sort_unstable();
        positions.dedup();
        ordinals.sort_unstable();
        let short = |buffer: &&BufferDecl| buffer.name.len() <= MAX_STATEMENT_BYTES;
        let buffer = |position: usize| Some((position, program.buffers.get(position).filter(short)?.clone()));
        Excerpts {
            workgroup_size: program.workgroup_size,
            buffers: positions.into_iter().filter_map(buffer).collect(),
            statements: statements(program, &ordinals),
        }
    }

    /// Frame of a component of the workgroup size.
    pub(super) fn workgroup_size_frame(&self, axis: usize) -> Option<Frame> {
        let printed = text::print(&Program::new(Vec::new(), self.workgroup_size, Vec::new()));
        let span = *text::parse(&printed).ok()?.source_map.workgroup_size.get(axis)?;
        Some(Frame::of_line(1, printed.lines().next()?, span.start as usize, span.end as usize))
    }

    /// Frame of a buffer declaration.
    pub(super) fn buffer_frame(&self, position: usize) -> Option<Frame> {
        let found = self.buffers.binary_search_by_key(&position, |(position, _)| *position).ok()?;
        let (_, buffer) = self.buffers.get(found)?;
        let printed = text::print(&Program::new(vec![buffer.clone()], [1; 3], Vec::new()));
        let line = printed.lines().nth(2)?;
        Some(Frame::of_line(FIRST_BUFFER_LINE.saturating_add(saturate(position)), line, 0, line.len()))
    }

    /// Prints the statement that is, or contains, the node with this ordinal.
    pub(super) fn print(&self, ordinal: u32) -> Option<PrintedHead> {
        let found = self.statements.partition_point(|excerpt| excerpt.ordinal < ordinal);
        let excerpt = self.statements.get(found).filter(|excerpt| excerpt.start <= ordinal)?;
        PrintedHead::new(excerpt)
    }
}

/// Statements that are, or contain, the nodes with these ordinals, which must be sorted.
fn statements(program: &Program, ordinals: &[u32]) -> Vec<Excerpt> {
    let mut found = Vec::new();
    let mut wanted = ordinals.iter().peekable();
    let mut layout = Layout::new(program);
    let mut bytes = 0;
    let mut traversal = Traversal::new(program);
    while let (Some(&&next), Some(event)) = (wanted.peek(), traversal.next()) {
        let line = layout.advance(event);
        match event {
            Event::Expr(expr) => bytes += EXPRESSION_BYTES + expr.name().map_or(0, |name| name.len()),
            Event::Statement(node) => {
                bytes += node.name().map_or(0, |name| name.len());
                let ordinal = traversal.ordinal();
                if next <= ordinal {
                    let node = (bytes <= MAX_STATEMENT_BYTES).then(|| without_bodies(node));
                    found.push(Excerpt { start: traversal.start(), ordinal, line, node });
                    while wanted.next_if(|&&wanted| wanted <= ordinal).is_some() {}
                }
                bytes = 0;
            }
            Event::EnterBody(_) | Event::LeaveBody(_) => {}
        }
    }
    found
}

/// Copies the line of a statement.
fn without_bodies(node: &Node) -> Node {
    match node {
        Node::If { cond, then: _, otherwise: _ } => {
            Node::If { cond: cond.clone(), then: Vec::new(), otherwise: Vec::new() }
        }
        Node::Loop { var, from, to, body: _ } => {
            Node::Loop { var: var.clone(), from: from.clone(), to: to.clone(), body: Vec::new() }
        }
        Node::Block(_) => Node::Block(Vec::new()),
        Node::Let { .. } | Node::Assign { .. } | Node::Store { .. } | Node::Return | Node::Barrier | Node::Break => {
            node.clone()
        }
    }
}

/// Line of the first buffer: the workgroup size and a blank line come before it.
const FIRST_BUFFER_LINE: u32 = 3;

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Printed form of the `else` of an open `if`.
#[derive(Clone, Copy)]
enum Otherwise {
    Absent,
    Chained,
    Braces,
}

/// Line numbers of the printed form, computed from a traversal.
struct Layout {
    line: u32,
    depth: usize,
    /// The `else` of each open `if`.
    otherwise: Vec<Otherwise>,
    next_is_chained: bool,
}

impl Layout {
    fn new(program: &Program) -> Layout {
        // The buffers are a group with a blank line after it.
        let buffers = match program.buffers.len() {
            0 => 0,
            count => saturate(count).saturating_add(1),
        };
        let entry = FIRST_BUFFER_LINE.saturating_add(buffers);
        Layout { line: entry, depth: 0, otherwise: Vec::new(), next_is_chained: false }
    }

    /// Advances by an event and returns the current line.
    fn advance(&mut self, event: Event<'_>) -> PrintedLine {
        let mut is_chained = false;
        match event {
            Event::Expr(_) => {}
            Event::Statement(node) => {
                is_chained = std::mem::take(&mut self.next_is_chained);
                if !is_chained {
                    self.line = self.line.saturating_add(1);
                }
                if let Node::If { otherwise, .. } = node {
                    self.otherwise.push(match otherwise.as_slice() {
                        [] => Otherwise::Absent,
                        [Node::If { .. }] => Otherwise::Chained,
                        _ => Otherwise::Braces,
                    });
                }
            }
            Event::EnterBody(BodyKind::Otherwise) => match self.otherwise.last() {
                Some(Otherwise::Braces) => self.depth += 1,
                Some(Otherwise::Chained) => self.next_is_chained = true,
                Some(Otherwise::Absent) | None => {}
            },
            Event::LeaveBody(BodyKind::Otherwise) => {
                if let Some(Otherwise::Braces) = self.otherwise.pop() {
                    self.close_brace();
                }
            }
            Event::EnterBody(_) => self.depth += 1,
            Event::LeaveBody(_) => self.close_brace(),
        }
        PrintedLine { number: self.line, depth: self.depth, is_chained }
    }

    fn close_brace(&mut self) {
        self.depth -= 1;
        self.line = self.line.saturating_add(1);
    }
}

/// The printed line of a statement, with the spans of its expressions.
#[derive(Debug)]
pub(super) struct PrintedHead {
    start: u32,
    ordinal: u32,
    number: u32,
    text: String,
    /// Spans in `text`, by ordinal from `start`.
    spans: Vec<(usize, usize)>,
}

impl PrintedHead {
    fn new(excerpt: &Excerpt) -> Option<PrintedHead> {
        let Excerpt { start, ordinal, line, node } = excerpt;
        let printed = text::print(&Program::new(Vec::new(), [1; 3], vec![node.clone()?]));
        let source_map = text::parse(&printed).ok()?.source_map;
        // The workgroup size, a blank line and `entry {` come before the statement.
        let before: usize = printed.split_inclusive('\n').take(3).map(str::len).sum();
        let offset = before + text::indentation(1);
        let head = printed.get(offset..)?.lines().next()?;
        let mut text = " ".repeat(text::indentation(line.depth));
        if line.is_chained {
            text.push_str(ELSE);
        }
        let moved = |at: u32| (at as usize).saturating_sub(offset) + text.len();
        let spans = source_map.spans.iter().map(|&Span { start, end }| (moved(start), moved(end))).collect();
        text.push_str(head);
        Some(PrintedHead { start: *start, ordinal: *ordinal, number: line.number, text, spans })
    }

    pub(super) fn contains(&self, ordinal: u32) -> bool {
        (self.start..=self.ordinal).contains(&ordinal)
    }

    pub(super) fn frame(&self, ordinal: u32) -> Option<Frame> {
        let &(start, end) = self.spans.get(ordinal.checked_sub(self.start)? as usize)?;
        Some(Frame::of_line(self.number, &self.text, start, end))
    }
}
