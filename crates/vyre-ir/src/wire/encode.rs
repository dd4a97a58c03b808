//! Encoder of the wire format.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{MAGIC, VERSION};
use crate::postfix::code::{self, Coded};
use crate::postfix::{Head, Item, PostfixCode};
use crate::{BufferAccess, DataType, Event, Program, Traversal};

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
    let mut indices: HashMap<&str, usize, RandomState> = HashMap::default();
    let mut encoder = Encoder::default();
    encoder.count(program.buffers.len());
    for buffer in &program.buffers {
        let next = indices.len();
        encoder.name(*indices.entry(&buffer.name).or_insert(next), next, &buffer.name);
        encoder.buffer(buffer.binding, buffer.access, buffer.element, buffer.count, buffer.is_output);
    }
    encoder.workgroup_size(program.workgroup_size);
    for event in Traversal::new(program) {
        let ((head, name), operands) = match event {
            Event::Expr(expr) => (Head::of_expr(expr), expr.operand_count()),
            Event::Statement(node) => (Head::of_statement(node), 0),
            Event::EnterBody(_) => continue,
            Event::LeaveBody(_) => ((Head::plain(code::END), None), 0),
        };
        let next = indices.len();
        let name = name.map(|name| (*indices.entry(name).or_insert(next), next, name.as_str()));
        encoder.item(head, name, operands);
    }
    encoder.bytes
}

/// Encodes a program in postfix code, whose names are unique.
pub(crate) fn encode(program: &PostfixCode<'_>) -> Vec<u8> {
    const UNUSED: u32 = u32::MAX;
    let mut indices = vec![UNUSED; program.names.len()];
    let mut next = 0;
    let mut number = |name: u32| {
        let before = next;
        let index = &mut indices[name as usize];
        if *index == UNUSED {
            *index = next;
            next += 1;
        }
        (*index as usize, before as usize, &*program.names[name as usize])
    };
    let mut encoder = Encoder::default();
    encoder.count(program.buffers.len());
    for buffer in &program.buffers {
        let (index, next, name) = number(buffer.name);
        encoder.name(index, next, name);
        encoder.buffer(buffer.binding, buffer.access, buffer.element, buffer.count, buffer.is_output);
    }
    encoder.workgroup_size(program.workgroup_size);
    for (position, &Item { code, detail, flags, payload, start: _ }) in program.items.iter().enumerate() {
        let name = code::has_name(code).then(|| number(payload));
        let operands = if matches!(code, code::CALL | code::PACK) { program.operands(position).count() } else { 0 };
        encoder.item(Head { code, detail, flags, payload }, name, operands);
    }
    encoder.bytes
}

struct Encoder {
    bytes: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Encoder {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        Encoder { bytes }
    }
}

impl Encoder {
    fn number(&mut self, number: u32) {
        write_number(&mut self.bytes, u64::from(number));
    }

    fn count(&mut self, count: usize) {
        write_number(&mut self.bytes, count as u64);
    }

    /// Writes the index of a name, and its text if the index is the `next` one.
    fn name(&mut self, index: usize, next: usize, name: &str) {
        self.count(index);
        if index == next {
            self.count(name.len());
            self.bytes.extend(name.bytes());
        }
    }

    fn buffer(&mut self, binding: u32, access: BufferAccess, element: DataType, count: u32, is_output: bool) {
        self.number(binding);
        self.bytes.extend([access.number(), element.number()]);
        self.number(count);
        self.bytes.push(if is_output { code::IS_OUTPUT } else { 0 });
    }

    fn workgroup_size(&mut self, size: [u32; 3]) {
        for axis in size {
            self.number(axis);
        }
    }

    /// Writes a statement, an expression or an end. `operands` is the length of a list of operands.
    fn item(&mut self, head: Head, name: Option<(usize, usize, &str)>, operands: usize) {
        let Head { code, detail, flags, payload } = head;
        self.bytes.push(code);
        if code::has_detail(code) {
            self.bytes.push(detail);
        }
        if let Some((index, next, name)) = name {
            self.name(index, next, name);
        }
        match code {
            code::LIT_U32
            | code::LIT_I32
            | code::INVOCATION_ID
            | code::WORKGROUP_ID
            | code::LOCAL_ID
            | code::NUM_WORKGROUPS
            | code::EXTRACT => self.number(payload),
            code::CALL | code::PACK => self.count(operands),
            code::ATOMIC | code::WORKGROUP_ATOMIC => self.bytes.push(flags),
            _ => {}
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
