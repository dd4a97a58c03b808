//! Encoder of the wire format.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::code::{self, Coded};
use super::{MAGIC, VERSION};
use crate::{BodyKind, Collective, Event, Expr, Name, Node, Program, Traversal};

/// Encodes a program.
///
/// ```
/// use vyre_ir::{Node, Program, wire};
///
/// let program = Program::new(vec![], [1, 1, 1], vec![Node::Barrier]);
/// assert_eq!(wire::from_wire(&wire::to_wire(&program)), Ok(program));
/// ```
#[must_use]
pub fn to_wire(program: &Program) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder.body.extend(MAGIC);
    encoder.body.extend(VERSION.to_le_bytes());
    encoder.count(program.buffers.len());
    for buffer in &program.buffers {
        encoder.name(&buffer.name);
        encoder.number(buffer.binding);
        encoder.body.push(buffer.access.number());
        encoder.body.push(buffer.element.number());
        encoder.number(buffer.count);
        encoder.body.push(if buffer.is_output { code::IS_OUTPUT } else { 0 });
    }
    for axis in program.workgroup_size {
        encoder.number(axis);
    }
    for event in Traversal::new(program) {
        match event {
            Event::Expr(expr) => encoder.expr(expr),
            Event::Statement(node) => encoder.statement(node),
            Event::EnterBody(_) => {}
            Event::LeaveBody(
                BodyKind::Entry | BodyKind::Then | BodyKind::Otherwise | BodyKind::Loop | BodyKind::Block,
            ) => encoder.body.push(code::END),
        }
    }
    encoder.body
}

#[derive(Default)]
struct Encoder<'p> {
    indices: HashMap<&'p str, usize, RandomState>,
    body: Vec<u8>,
}

impl<'p> Encoder<'p> {
    fn number(&mut self, number: u32) {
        write_number(&mut self.body, u64::from(number));
    }

    fn count(&mut self, count: usize) {
        write_number(&mut self.body, count as u64);
    }

    fn name(&mut self, name: &'p Name) {
        let next = self.indices.len();
        let index = *self.indices.entry(name.as_str()).or_insert(next);
        self.count(index);
        if index == next {
            self.count(name.len());
            self.body.extend(name.bytes());
        }
    }

    fn coded(&mut self, code: u8, value: impl Coded) {
        self.body.extend([code, value.number()]);
    }

    fn named(&mut self, code: u8, name: &'p Name) {
        self.body.push(code);
        self.name(name);
    }

    fn numbered(&mut self, code: u8, number: u32) {
        self.body.push(code);
        self.number(number);
    }

    fn statement(&mut self, node: &'p Node) {
        match node {
            Node::Let { name, value: _ } => self.named(code::LET, name),
            Node::Assign { name, value: _ } => self.named(code::ASSIGN, name),
            Node::Store { buffer, index: _, value: _ } => self.named(code::STORE, buffer),
            Node::If { cond: _, then: _, otherwise: _ } => self.body.push(code::IF),
            Node::Loop { var, from: _, to: _, body: _ } => self.named(code::LOOP, var),
            Node::Return => self.body.push(code::RETURN),
            Node::Block(_) => self.body.push(code::BLOCK),
            Node::Barrier => self.body.push(code::BARRIER),
            Node::Break => self.body.push(code::BREAK),
        }
    }

    fn expr(&mut self, expr: &'p Expr) {
        match expr {
            Expr::LitU32(value) => self.numbered(code::LIT_U32, *value),
            Expr::LitI32(value) => self.numbered(code::LIT_I32, value.cast_unsigned()),
            Expr::LitBool(value) => self.body.push(if *value { code::LIT_TRUE } else { code::LIT_FALSE }),
            Expr::Var(name) => self.named(code::VAR, name),
            Expr::Load { buffer, index: _ } => self.named(code::LOAD, buffer),
            Expr::BufLen { buffer } => self.named(code::BUF_LEN, buffer),
            Expr::InvocationId { axis } => self.numbered(code::INVOCATION_ID, *axis),
            Expr::WorkgroupId { axis } => self.numbered(code::WORKGROUP_ID, *axis),
            Expr::LocalId { axis } => self.numbered(code::LOCAL_ID, *axis),
            Expr::NumWorkgroups { axis } => self.numbered(code::NUM_WORKGROUPS, *axis),
            Expr::BinOp { op, left: _, right: _ } => self.coded(code::BIN_OP, *op),
            Expr::UnOp { op, operand: _ } => self.coded(code::UN_OP, *op),
            Expr::Call { op_id, args } => {
                self.named(code::CALL, op_id);
                self.count(args.len());
            }
            Expr::Select { cond: _, true_val: _, false_val: _ } => self.body.push(code::SELECT),
            Expr::Cast { target, value: _ } => self.coded(code::CAST, *target),
            Expr::Atomic { op, buffer, index: _, expected, value } => {
                self.coded(code::ATOMIC, *op);
                self.name(buffer);
                let expected = if expected.is_some() { code::HAS_EXPECTED } else { 0 };
                let value = if value.is_some() { code::HAS_VALUE } else { 0 };
                self.body.push(expected | value);
            }
            Expr::Extract { value: _, lane } => self.numbered(code::EXTRACT, *lane),
            Expr::Pack { ty, lanes } => {
                self.coded(code::PACK, *ty);
                self.count(lanes.len());
            }
            Expr::Collective(collective) => match collective {
                Collective::Broadcast { value: _, lane: _ } => self.body.push(code::BROADCAST),
                Collective::Shuffle { value: _, lane: _ } => self.body.push(code::SHUFFLE),
                Collective::Reduce { op, value: _ } => self.coded(code::REDUCE, *op),
                Collective::ScanExclusive { op, value: _ } => self.coded(code::SCAN_EXCLUSIVE, *op),
                Collective::ScanInclusive { op, value: _ } => self.coded(code::SCAN_INCLUSIVE, *op),
                Collective::Ballot { predicate: _ } => self.body.push(code::BALLOT),
            },
        }
    }
}

/// Writes a number in LEB128. Counts are lengths of lists in memory; the decoder rejects a count of 2^32 or more, so a
/// number is never truncated.
fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
