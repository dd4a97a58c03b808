//! Places of statements, expressions and braces in a text, as far as a reader of the parse needs them.

use super::parser::OpenBody;
use crate::BodyKind;
use crate::postfix::code;
use crate::source::Span;

/// Places that the parser records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// Spans of all statements and expressions, for diagnostics.
    Spans,
    /// Spans of statements, literals and braces, for the formatter.
    Layout,
    /// None.
    Nothing,
}

/// Offsets of the two braces of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BracePair {
    pub(super) open: u32,
    pub(super) close: u32,
}

/// Recorded places.
#[derive(Debug)]
pub(super) struct Places {
    record: Record,
    /// Spans by ordinal with [`Record::Spans`]; spans of the statements in order with [`Record::Layout`].
    pub(super) spans: Vec<Span>,
    /// Spans of the number literals, in order.
    pub(super) literals: Vec<Span>,
    pub(super) entry: BracePair,
    /// Braces of the other bodies in the order of their statements. An `if` has two, of which the second may be absent.
    pub(super) bodies: Vec<BracePair>,
}

impl Places {
    pub(super) fn new(record: Record) -> Places {
        Places { record, spans: Vec::new(), literals: Vec::new(), entry: BracePair::default(), bodies: Vec::new() }
    }

    pub(super) fn expr(&mut self, code: u8, span: Span) {
        match self.record {
            Record::Spans => self.spans.push(span),
            Record::Layout if matches!(code, code::LIT_U32 | code::LIT_I32) => self.literals.push(span),
            Record::Layout | Record::Nothing => {}
        }
    }

    /// Records a statement and returns its place.
    pub(super) fn statement(&mut self, span: Span) -> u32 {
        if self.record == Record::Nothing {
            return 0;
        }
        self.spans.push(span);
        self.spans.len() as u32 - 1
    }

    /// Sets the end of a statement with bodies.
    pub(super) fn end_statement(&mut self, place: u32, end: u32) {
        if let Some(span) = self.spans.get_mut(place as usize) {
            span.end = end;
        }
    }

    /// Records the opening brace of the first body of a statement. Returns the `brace` of its [`OpenBody`].
    pub(super) fn open_brace(&mut self, kind: BodyKind, offset: u32) -> u32 {
        if kind == BodyKind::Entry {
            self.entry.open = offset;
        }
        if self.record != Record::Layout || kind == BodyKind::Entry {
            return offset;
        }
        self.bodies.push(BracePair { open: offset, close: 0 });
        if kind == BodyKind::Then {
            self.bodies.push(BracePair::default());
        }
        self.bodies.len() as u32 - if kind == BodyKind::Then { 2 } else { 1 }
    }

    /// Records the opening brace of the second body of an `if`, or that it has none. Returns the `brace` of its
    /// [`OpenBody`].
    pub(super) fn open_else(&mut self, then: &OpenBody, offset: Option<u32>) -> u32 {
        if self.record != Record::Layout {
            return offset.unwrap_or(0);
        }
        let body = then.brace + 1;
        self.bodies[body as usize].open = offset.unwrap_or(0);
        body
    }

    pub(super) fn close_brace(&mut self, body: &OpenBody, offset: u32) {
        if body.kind == BodyKind::Entry {
            self.entry.close = offset;
        } else if self.record == Record::Layout {
            self.bodies[body.brace as usize].close = offset;
        }
    }

    /// Offset of the opening brace of a body.
    pub(super) fn brace_offset(&self, body: &OpenBody) -> u32 {
        if self.record == Record::Layout && body.kind != BodyKind::Entry {
            self.bodies[body.brace as usize].open
        } else {
            body.brace
        }
    }

    /// Forgets the places of an incomplete statement. `nodes` is the number of nodes before it.
    pub(super) fn truncate(&mut self, nodes: u64) {
        if self.record == Record::Spans {
            self.spans.truncate(nodes as usize);
        }
    }

    /// Forgets all spans.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
    }
}
