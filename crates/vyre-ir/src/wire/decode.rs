//! Decoder of the wire format.

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::{MAGIC, VERSION, WireError, WireErrorKind};
use crate::postfix::code::{self, Coded};
use crate::postfix::{Buffer, Head, PostfixCode, is_expr};
use crate::size_limits::{Excess, SizeGuard, SizeLimits};
use crate::{AtomicOp, BinOp, BodyKind, DataType, Program, ReduceOp, UnOp};

/// Decodes a program.
///
/// Time and memory are bounded by the number of bytes.
///
/// # Errors
///
/// The first byte that [`to_wire`](super::to_wire) would not write.
pub fn from_wire(bytes: &[u8]) -> Result<Program, WireError> {
    from_wire_within(bytes, &SizeLimits::default())
}

/// Decodes a program of limited size.
///
/// Decoding ends where the program exceeds the limit of nodes, so memory is bounded by the limit, and the bytes behind
/// are not examined.
///
/// # Errors
///
/// As [`from_wire`]; [`WireErrorKind::LimitExceeded`] if the program exceeds a limit.
pub fn from_wire_within(bytes: &[u8], limits: &SizeLimits) -> Result<Program, WireError> {
    decode(bytes, limits).map(|code| code.to_program())
}

/// Decodes a program to postfix code.
pub(crate) fn decode<'b>(bytes: &'b [u8], limits: &SizeLimits) -> Result<PostfixCode<'b>, WireError> {
    let mut decoder = Decoder {
        bytes,
        position: 0,
        item: 0,
        known: HashSet::default(),
        code: PostfixCode::default(),
        operands: 0,
        open: vec![OpenBody { statement: 0, kind: BodyKind::Entry }],
        guard: SizeGuard::new(*limits),
    };
    match decoder.program() {
        Ok(()) => match decoder.guard.nesting_excess() {
            None => Ok(decoder.code),
            Some(diagnostic) => {
                let kind = WireErrorKind::LimitExceeded(Box::new(diagnostic));
                Err(WireError { kind, offset: bytes.len() })
            }
        },
        Err(kind) => Err(WireError { kind, offset: decoder.item }),
    }
}

type Outcome<T> = Result<T, WireErrorKind>;

struct Decoder<'b> {
    bytes: &'b [u8],
    position: usize,
    /// Start of the current item, for errors.
    item: usize,
    known: HashSet<&'b str, RandomState>,
    code: PostfixCode<'b>,
    /// Number of operands that no expression or statement has popped.
    operands: usize,
    open: Vec<OpenBody>,
    guard: SizeGuard,
}

/// An open body.
#[derive(Clone, Copy)]
struct OpenBody {
    /// Position of its statement in the code; unused for the entry.
    statement: u32,
    kind: BodyKind,
}

impl<'b> Decoder<'b> {
    fn program(&mut self) -> Outcome<()> {
        if self.take(MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
            return Err(WireErrorKind::BadMagic);
        }
        let version = self.take(2).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| self.unexpected_end())?;
        let version = u16::from_le_bytes(version);
        if version != VERSION {
            return Err(WireErrorKind::UnsupportedVersion(version));
        }
        if u32::try_from(self.bytes.len()).is_err() {
            return Err(WireErrorKind::TooLarge);
        }
        self.buffers()?;
        self.code.workgroup_size = [self.number()?, self.number()?, self.number()?];
        self.entry()?;
        self.item = self.position;
        match self.bytes.len() - self.position {
            0 => Ok(()),
            left => Err(WireErrorKind::TrailingBytes(left)),
        }
    }

    /// Error at the end of the input.
    fn unexpected_end(&mut self) -> WireErrorKind {
        self.item = self.bytes.len();
        WireErrorKind::UnexpectedEnd
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.position..self.position.checked_add(count)?)?;
        self.item = self.position;
        self.position += count;
        Some(taken)
    }

    fn byte(&mut self) -> Outcome<u8> {
        match self.bytes.get(self.position) {
            Some(&byte) => {
                self.item = self.position;
                self.position += 1;
                Ok(byte)
            }
            None => Err(self.unexpected_end()),
        }
    }

    fn number(&mut self) -> Outcome<u32> {
        let start = self.position;
        let mut number: u64 = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                self.item = start;
                let superfluous = byte == 0 && shift > 0;
                return u32::try_from(number).ok().filter(|_| !superfluous).ok_or(WireErrorKind::BadNumber);
            }
        }
        self.item = start;
        Err(WireErrorKind::BadNumber)
    }

    /// Reads a number of items of at least one byte each. The count must not exceed the remaining bytes.
    fn count(&mut self) -> Outcome<usize> {
        let count = self.number()?;
        let left = self.bytes.len() - self.position;
        if count as usize > left { Err(WireErrorKind::TooLong { count, left }) } else { Ok(count as usize) }
    }

    /// Reads a name and returns its index.
    fn name(&mut self) -> Outcome<u32> {
        let index = self.number()?;
        let known = self.code.names.len();
        if index as usize == known {
            self.new_name()?;
        } else if index as usize > known {
            return Err(WireErrorKind::UnknownName(index));
        }
        Ok(index)
    }

    /// Reads a name at its first use.
    fn new_name(&mut self) -> Outcome<()> {
        let length = self.count()?;
        let bytes = self.take(length).ok_or_else(|| self.unexpected_end())?;
        let name = std::str::from_utf8(bytes).map_err(|_| WireErrorKind::BadName)?;
        if !self.known.insert(name) {
            return Err(WireErrorKind::RepeatedName);
        }
        self.code.names.push(Cow::Borrowed(name));
        Ok(())
    }

    fn coded<T: Coded>(&mut self, what: &'static str) -> Outcome<T> {
        let code = self.byte()?;
        T::from_number(code).ok_or(WireErrorKind::UnknownCode { what, code })
    }

    fn flags(&mut self, known: u8, what: &'static str) -> Outcome<u8> {
        let code = self.byte()?;
        if code & !known == 0 { Ok(code) } else { Err(WireErrorKind::UnknownCode { what, code }) }
    }

    fn buffers(&mut self) -> Outcome<()> {
        let count = self.count()?;
        for _ in 0..count {
            let buffer = Buffer {
                name: self.name()?,
                binding: self.number()?,
                access: self.coded("access modes")?,
                element: self.coded("types")?,
                count: self.number()?,
                is_output: self.flags(code::IS_OUTPUT, "buffer flags")? != 0,
            };
            self.code.buffers.push(buffer);
        }
        Ok(())
    }

    fn entry(&mut self) -> Outcome<()> {
        // Length of the code and number of nodes before the current statement.
        let mut statement = (0, 0);
        while !self.open.is_empty() {
            let start = self.position;
            let code = self.byte()?;
            if is_expr(code) {
                let (head, operands) = self.expr(code)?;
                self.pop(operands, start)?;
                self.code.push(head, operands);
                self.operands += 1;
                if self.guard.is_far_exceeded(self.code.nodes) {
                    self.code.truncate(statement.0, statement.1);
                    return Err(self.excess(Excess::InExpression));
                }
                continue;
            }
            let opened = self.statement(code, start)?;
            if self.operands > 0 {
                self.item = start;
                return Err(WireErrorKind::SuperfluousOperand);
            }
            let depth = self.open.len() as u64;
            self.open.extend(opened);
            if self.guard.is_exceeded(self.code.nodes) {
                self.item = start;
                return Err(self.excess(Excess::InStatements));
            }
            // A second body is as deep as the first.
            if opened.is_some_and(|body| body.kind != BodyKind::Otherwise) && self.guard.enters_excess(depth) {
                self.guard.note_excess(&mut self.code, self.open.iter().rev().map(|body| body.kind));
            }
            if self.guard.discards() {
                self.code.items.clear();
            }
            statement = (self.code.items.len(), self.code.nodes);
        }
        Ok(())
    }

    /// Pops the operands of the code at `start`.
    fn pop(&mut self, operands: usize, start: usize) -> Outcome<()> {
        match self.operands.checked_sub(operands) {
            Some(left) => {
                self.operands = left;
                Ok(())
            }
            None => {
                self.item = start;
                Err(WireErrorKind::MissingOperand)
            }
        }
    }

    fn excess(&mut self, excess: Excess) -> WireErrorKind {
        let open = self.open.iter().rev().map(|body| body.kind);
        WireErrorKind::LimitExceeded(Box::new(self.guard.node_excess(&mut self.code, open, excess)))
    }

    /// Reads a statement or an end. Returns the body that it opens.
    fn statement(&mut self, code: u8, start: usize) -> Outcome<Option<OpenBody>> {
        let (head, operands, opened) = match code {
            code::END => return Ok(self.end_body()),
            code::LET | code::ASSIGN => (Head::numbered(code, self.name()?), 1, None),
            code::STORE => (Head::numbered(code, self.name()?), 2, None),
            code::IF => (Head::plain(code), 1, Some(BodyKind::Then)),
            code::LOOP => (Head::numbered(code, self.name()?), 2, Some(BodyKind::Loop)),
            code::BLOCK => (Head::plain(code), 0, Some(BodyKind::Block)),
            code::RETURN | code::BARRIER | code::BREAK => (Head::plain(code), 0, None),
            _ => return Err(WireErrorKind::UnknownCode { what: "statements", code }),
        };
        self.pop(operands, start)?;
        let statement = self.code.items.len() as u32;
        self.code.push(head, operands);
        Ok(opened.map(|kind| OpenBody { statement, kind }))
    }

    fn end_body(&mut self) -> Option<OpenBody> {
        if self.operands > 0 {
            return None;
        }
        self.code.end_body();
        let OpenBody { statement, kind } = self.open.pop()?;
        match kind {
            BodyKind::Then => Some(OpenBody { statement, kind: BodyKind::Otherwise }),
            BodyKind::Otherwise => {
                self.code.finish_statement(statement);
                None
            }
            BodyKind::Entry | BodyKind::Loop | BodyKind::Block => None,
        }
    }

    /// Reads the rest of an expression. Returns its head and the number of its operands.
    fn expr(&mut self, code: u8) -> Outcome<(Head, usize)> {
        Ok(match code {
            code::LIT_U32
            | code::LIT_I32
            | code::INVOCATION_ID
            | code::WORKGROUP_ID
            | code::LOCAL_ID
            | code::NUM_WORKGROUPS => (Head::numbered(code, self.number()?), 0),
            code::LIT_FALSE | code::LIT_TRUE => (Head::plain(code), 0),
            code::VAR | code::BUF_LEN => (Head::numbered(code, self.name()?), 0),
            code::LOAD => (Head::numbered(code, self.name()?), 1),
            code::BIN_OP => (Head::detailed(code, self.coded::<BinOp>("binary operators")?), 2),
            code::UN_OP => (Head::detailed(code, self.coded::<UnOp>("unary operators")?), 1),
            code::CALL => {
                let head = Head::numbered(code, self.name()?);
                (head, self.number()? as usize)
            }
            code::SELECT => (Head::plain(code), 3),
            code::CAST => (Head::detailed(code, self.coded::<DataType>("types")?), 1),
            code::ATOMIC | code::WORKGROUP_ATOMIC => {
                let head = Head::detailed(code, self.coded::<AtomicOp>("atomic operators")?);
                let payload = self.name()?;
                let flags = self.flags(code::HAS_EXPECTED | code::HAS_VALUE, "atomic operands")?;
                (Head { payload, flags, ..head }, 1 + flags.count_ones() as usize)
            }
            code::EXTRACT => (Head::numbered(code, self.number()?), 1),
            code::PACK => {
                let head = Head::detailed(code, self.coded::<DataType>("types")?);
                (head, self.number()? as usize)
            }
            code::BROADCAST | code::SHUFFLE => (Head::plain(code), 2),
            code::REDUCE | code::SCAN_EXCLUSIVE | code::SCAN_INCLUSIVE => {
                (Head::detailed(code, self.coded::<ReduceOp>("reductions")?), 1)
            }
            code::BALLOT => (Head::plain(code), 1),
            _ => return Err(WireErrorKind::UnknownCode { what: "expressions", code }),
        })
    }
}
